"""Tarantulas: an action leads the body and changes how it stands and steps.

Legs keep their own mind (Cenydd 2012): when to step, where to, what to do when a foothold fails.
An action does not move joints. It sets where the body wants to go, how high and how wide it stands,
and how high, how long and how far ahead its steps are. `detail` is how finely it moves: "full" by
rigid bodies and contacts, "kinematic" with legs that are solved for where the body is, much faster.
"""

from typing import Any

import numpy as np

from skitter.control.climbing.model import (
    BRAKE_QUEUE,
    ELEVATION,
    FALLING,
    LED,
    RADIAL,
    SPEED_WANTED,
    STANCE,
    Traits,
)
from skitter.creatures.climber.climber import Climber
from skitter.errors import UserError
from skitter.learn.entry import Entry, list_many
from skitter.learn.herd import Singles, Trunk

DETAILS = ("full", "kinematic")
SIDE = 0.5  # of the largest speed, at most to a side
TURN = 2.0  # rad/s
SHARES = {  # by which an action of 1 changes a number
    "elevation": 0.3, "stance": 0.2, "step_height": 0.5, "step_time": 0.3, "lead": 0.5,
}  # fmt: skip
FIRST_SPEED, FIRST_SPIN = 1.0, 0.3  # cm/s, rad/s, of the thorax at first


class Tarantulas(Singles):
    """Tarantulas on a plane."""

    rate = 50.0
    scene = {  # noqa: RUF012  nobody changes it
        "title": "A tarantula that learns",
        "time_step": 1 / 500,
        "terrain": [{"shape": "plane", "friction": 1.2, "colour": "#a58a66"}],
        "creatures": [{"species": "tarantula", "name": "tarantula", "at": [0, 3, 0]}],
    }
    creatures: list[Climber]

    def __init__(self, count: int, detail: str = "full") -> None:
        if detail not in DETAILS:
            raise UserError(f"detail {detail!r}: valid are {', '.join(DETAILS)}")
        [one] = self.scene["creatures"]
        changed = {**one, "with": {"detail": {"level": detail}}}
        self.scene = {**self.scene, "creatures": [changed]}  # type: ignore[misc]
        super().__init__(count)

    def prepare(self) -> None:
        one = self.creatures[0]
        self.base: Traits = one.traits
        self.length = self.base.body_length
        fast = self.base.max_speed
        shares = {key: f"{share:g} of its own" for key, share in SHARES.items()}
        self.actions = (
            Entry("ahead", f"{fast:.3g} cm/s", -1, 1, "wanted velocity ahead; -1 backward"),
            Entry("side", f"{SIDE * fast:.3g} cm/s", -1, 1, "wanted velocity to the right"),
            Entry("turn", f"{TURN:g} rad/s", -1, 1, "wanted turn, positive to the left"),
            Entry("elevation", shares["elevation"], -1, 1, "by which the body stands higher"),
            Entry("stance", shares["stance"], -1, 1, "by which the feet stand wider"),
            Entry("step_height", shares["step_height"], -1, 1, "by which steps are higher"),
            Entry("step_time", shares["step_time"], -1, 1, "by which steps take longer"),
            Entry("lead", shares["lead"], -1, 1, "by which steps aim farther ahead"),
        )

    def list_looks(self) -> tuple[Entry, ...]:
        plan = self.creatures[0].plan
        legs = [f"{name}_{side}" for name in plan_pairs(plan) for side in ("left", "right")]
        joints = [f"{leg}_{k + 1}" for leg in legs for k in range(len(self.base_rest) // len(legs))]
        axes = [f"{leg}_{axis}" for leg in legs for axis in ("ahead", "up", "right")]
        return (
            Entry("spin_ahead", "rad/s", -50, 50, "of the thorax about its own axis"),
            Entry("spin_up", "rad/s", -50, 50, "likewise about its up, positive to the left"),
            Entry("spin_right", "rad/s", -50, 50, "likewise about its right"),
            Entry("speed_wanted", "cm/s", 0, 100, "with all brakes"),
            Entry("brake", "1", 0, 1, "share of the speed, for legs that cannot keep up"),
            Entry("elevation", "cm", -20, 20, "of the thorax above its feet"),
            Entry("radial", "1", 0, 10, "scale of its stance"),
            *list_many(joints, "angle", "rad", 3.2, "of the joint, from its rest; 1 at the body"),
            *list_many(
                axes, "foot", "body length", 5.0, "of the tip, from the thorax, in its axes"
            ),
            *list_many(legs, "stands", "1", 1.0, "1 while the foot stands", 0.0),
        )

    @property
    def base_rest(self) -> np.ndarray:
        return self.creatures[0].figure.rest

    def vary(self, one: Any, k: int, rng: np.random.Generator, variation: float) -> None:
        """A velocity and a spin about the vertical, and other random numbers."""
        along, across = variation * rng.uniform(-FIRST_SPEED, FIRST_SPEED, 2)
        one.body.velocity[[0, 2]] += along, across
        one.body.spin[1] += variation * rng.uniform(-FIRST_SPIN, FIRST_SPIN)
        one.mind.random[0] = rng.integers(1, 2**63)
        one.mind.behaviour[0] = LED
        one.lead(0.0, 0.0)
        one.traits = self.base

    def act(self, actions: np.ndarray) -> None:
        base = self.base
        for one, action in zip(self.creatures, actions, strict=True):
            ahead, side, turn = (float(value) for value in action[:3])
            one.lead(ahead * base.max_speed, turn * TURN, side * SIDE * base.max_speed)
            rise, wide, high, long, lead = (
                1 + share * float(value)
                for share, value in zip(SHARES.values(), action[3:], strict=True)
            )
            one.traits = base._replace(
                elevation=base.elevation * rise,
                radial_most=base.radial_most * wide,
                radial_least=base.radial_least * wide,
                height_most=base.height_most * high,
                height_least=base.height_least * high,
                duration_most=base.duration_most * long,
                duration_least=base.duration_least * long,
                lead=base.lead * lead,
            )

    def find_trunk(self) -> Trunk:
        bodies = [one.body for one in self.creatures]
        return Trunk(
            np.array([body.place for body in bodies]),
            np.array([body.velocity for body in bodies]),
            np.array([body.turn.T for body in bodies]),
        )

    def look(self) -> np.ndarray:
        rows = []
        for one in self.creatures:
            body, mind = one.body, one.mind
            drive = mind.drive[[SPEED_WANTED, BRAKE_QUEUE, ELEVATION, RADIAL]]
            feet = (mind.foot - body.place) @ body.turn / self.length
            stands = mind.leg_state == STANCE
            spin, angle = body.spin @ body.turn, body.angle - self.base_rest
            rows.append(np.concatenate([spin, drive, angle, feet.ravel(), stands]))
        return np.array(rows)

    def find_fallen(self) -> np.ndarray:
        """Those that have lost their hold."""
        return np.array([bool(one.mind.count[FALLING]) for one in self.creatures])


def plan_pairs(plan: Any) -> list[str]:
    """Names of the pairs of legs, from the front."""
    return [leg.name for leg in plan.species.legs]
