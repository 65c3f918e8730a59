"""Giant centipedes: an action leads the head and changes how legs step, front, middle and rear.

Legs keep their own rules (Fang 2015 chapter 4): when they lift, where they swing, whom they call.
An action does not move joints. It sets the speed and turn that lead the head, how high the body is
carried, and for each third of the body how far back its feet stand before they lift and how far
ahead a leg waits for the one before it, which is what makes the wave of legs longer or shorter.
"""

from math import radians
from typing import Any

import numpy as np

from skitter.control.build import LATE_SHARE
from skitter.control.walker import ADJUST, SB2, SF1, SF2, SPEED, STANCE, TURN
from skitter.creatures.myriapod import Myriapod
from skitter.learn.entry import Entry, list_many
from skitter.learn.herd import Singles, Trunk, find_axes, find_bends
from skitter.rotation import quaternion_to_matrix

GROUPS = ("front", "middle", "rear")
RISE = 0.25  # of the height, by which an action changes it
REACH = 0.35  # of the angle back, likewise
WAIT_DEG = 25.0  # likewise, of the angle at which a leg waits
FIRST_SPEED, FIRST_TURN = 2.0, 0.3  # cm/s, rad/s, at most, of the head at first
CARRIED = 1 / 3  # of its bodies that legs must carry, or it has fallen


class Centipedes(Singles):
    """Giant centipedes on a plane."""

    rate = 50.0
    scene = {  # noqa: RUF012  nobody changes it
        "title": "A giant centipede that learns",
        "terrain": [{"shape": "plane", "friction": 0.9, "colour": "#8f9a78"}],
        "creatures": [{"species": "giant_centipede", "name": "centipede"}],
    }
    creatures: list[Myriapod]

    def prepare(self) -> None:
        one = self.creatures[0]
        legs = one.species.segments * 2
        self.group = np.minimum(np.arange(legs) // 2 * len(GROUPS) // one.species.segments, 2)
        self.base_height = one.walker.goal.height.copy()
        self.poses = one.walker.leg.pose.copy()
        points = one.body_position[:, 0].astype(float)
        self.length = float(points.max() - points.min()) + one.species.head.size[0]
        most = one.walker.walk
        self.actions = (
            Entry("speed", f"0 to {most.speed_limit:.3g} cm/s", -1, 1, "of the head; -1 stands"),
            Entry("turn", f"{most.head_turn:.3g} rad/s", -1, 1, "of the head; positive: left"),
            Entry("height", f"{RISE:g} of its height", -1, 1, "by which it is carried higher"),
            *list_many(
                GROUPS, "reach", f"{REACH:g} of {-one.species.leg.back_deg:g}°", 1.0,
                "by which its legs reach farther back before they lift",
            ),
            *list_many(
                GROUPS, "wait", f"{WAIT_DEG:g}°", 1.0,
                "by which its legs wait farther ahead for their neighbours: a longer lag",
            ),
        )  # fmt: skip

    def list_looks(self) -> tuple[Entry, ...]:
        joints = [f"{k + 1}" for k in range(len(self.base_height) - 1)]
        legs = [f"{k // 2 + 1}{'lr'[k % 2]}" for k in range(len(self.group))]
        return (
            Entry("head_speed", "cm/s", -50, 50, "that the head has"),
            Entry("head_turn", "rad/s", -10, 10, "that the head has, positive to the left"),
            *list_many(joints, "bend", "rad", 1.6, "between neighbours, positive to the left"),
            *list_many(
                legs, "swing", "rad", 3.2, "angle of the leg, positive forward; 1l: first left"
            ),
            *list_many(legs, "stands", "1", 1.0, "1 while the foot stands", 0.0),
        )

    def vary(self, one: Any, k: int, rng: np.random.Generator, variation: float) -> None:
        """A random speed and turn of the head to begin with, and other random numbers."""
        head = one.walker_state.head
        head[SPEED] = variation * rng.uniform(0.0, FIRST_SPEED)
        head[TURN] = variation * rng.uniform(-FIRST_TURN, FIRST_TURN)
        one.walker_state.random[0] = rng.integers(1, 2**63)
        self.lead(one, np.zeros(len(self.actions)))
        one.command(0.0, 0.0)

    def act(self, actions: np.ndarray) -> None:
        for one, action in zip(self.creatures, actions, strict=True):
            self.lead(one, action)

    def lead(self, one: Myriapod, action: np.ndarray) -> None:
        """Set everything that an action sets; the model of the legs is the creature's own."""
        walk, leg = one.walker.walk, one.walker.leg
        one.command((action[0] + 1) / 2 * walk.speed_limit, action[1] * walk.head_turn)
        one.walker.goal.height[:] = self.base_height * (1 + RISE * action[2])
        spec, reach, wait = one.species.leg, action[3:6][self.group], action[6:9][self.group]
        front, back = radians(spec.front_deg), radians(spec.back_deg) * (1 + REACH * reach)
        leg.slope_back[:] = np.tan(back)
        leg.slope_late[:] = np.tan(back + LATE_SHARE * (front - back))
        leg.pose[:, ADJUST] = self.blend_swings(np.radians(spec.adjust_deg + WAIT_DEG * wait))

    def blend_swings(self, theta: np.ndarray) -> np.ndarray:
        """Poses [leg, 3] on the ways of the legs' swings that have these thetas, rad; for one leg
        it is what `skitter.control.build.blend_swing` finds."""
        backward = theta[:, None] < 0
        start, end = (
            np.where(backward, self.poses[:, first], self.poses[:, second])
            for first, second in ((SB2, SF1), (SF1, SF2))
        )
        share = np.clip((theta - start[:, 0]) / (end[:, 0] - start[:, 0]), 0.0, 1.0)
        return np.asarray(start + share[:, None] * (end - start))

    def find_trunk(self) -> Trunk:
        places = np.array([one.body_position for one in self.creatures], float)
        velocity = np.array([one.body_velocity for one in self.creatures], float)
        up = self.find_turns()[:, :, :, 1].mean(axis=1)
        return Trunk(places.mean(axis=1), velocity.mean(axis=1), find_axes(places, up))

    def find_turns(self) -> np.ndarray:
        """Axes of all bodies [creature, body, 3, 3], as columns."""
        turns = [quaternion_to_matrix(one.body_orientation) for one in self.creatures]
        return np.array(turns, float)

    def look(self) -> np.ndarray:
        turns = self.find_turns()
        up = turns[:, :, :, 1].mean(axis=1)
        bends = find_bends(turns[:, :, :, 0], up / np.linalg.norm(up, axis=1, keepdims=True))
        states = [one.walker_state for one in self.creatures]
        heads = np.array([[one.head[SPEED], one.head[TURN]] for one in states])
        swings = np.array([one.leg_angle[:, 0] for one in states])
        stands = np.array([one.leg_state == STANCE for one in states], float)
        return np.column_stack([heads, bends, swings, stands])

    def find_fallen(self) -> np.ndarray:
        """Those of whom legs or ground carry too little, and those on their backs."""
        carried = np.array([(one.walker_state.supported > 0).mean() for one in self.creatures])
        return (carried < CARRIED) | (self.trunk.axes[:, 1, 1] < 0)
