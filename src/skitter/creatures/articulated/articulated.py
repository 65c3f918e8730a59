"""A creature of rigid links that only forces move: the hexapod of McKenna 1990, and wires."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.control.stepping.build import build_gait, start_gait
from skitter.control.stepping.gait import advance_gait
from skitter.control.stepping.model import GaitModel, GaitState, copy_state, make_sense
from skitter.control.stepping.senses import feel_legs
from skitter.creatures.articulated import record
from skitter.creatures.articulated.build import (
    Place,
    build_state,
    build_system,
    place_tree,
)
from skitter.creatures.articulated.company import Company, start_company
from skitter.creatures.articulated.plan import build_plan, find_parents
from skitter.creatures.articulated.touch import build_outline, list_pushes, place_shapes
from skitter.creatures.creature import BAR_ROW, Around, Creature, Touched
from skitter.creatures.numbers import change_numbers, read_numbers
from skitter.creatures.physics import Physics
from skitter.creatures.placing import find_due, find_rise
from skitter.creatures.rows import describe_rows
from skitter.meeting.shapes import FRICTION, Shapes
from skitter.rigid.tree import forward
from skitter.rigid.tree.answering import answer_points
from skitter.rigid.tree.layout import FREE, KIND, SPEED
from skitter.rigid.tree.steps import NO_PUSHES, Outside, Room, build_room
from skitter.rigid.tree.system import BODY_LINK, PROBE_FROM, PROBE_TO, Felt, build_felt
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import CreaturePlacement
from skitter.species.articulated import ArticulatedSpec
from skitter.state import State, name_parts, take_part
from skitter.terrain import build_terrain
from skitter.things import Things

MEET_RATE = 600.0  # Hz: thin legs on stiff springs come back within a few milliseconds
LIGHT = 0.01  # of its weight, below which a leg does not count as touching
NO_TERRAIN = build_terrain([]).arrays
SLOWEST = 1.0  # Hz, of the oscillators of a creature that is led slowly
NUMBERS = {
    "contact": ("friction", "restitution"),
    "gait": ("frequency", "pace"),
}


class Articulated(Creature):
    """A tree of links."""

    kind = "articulated"
    meets = bumps = True
    species: ArticulatedSpec

    def __init__(
        self,
        name: str,
        species: ArticulatedSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        self.name, self.physics, self.placement = name, physics, placement
        # by Runge-Kutta they push each other with the springs of the paper, within one step
        self.company = "articulated" if species.solver.method == "runge_kutta" else ""
        self.plan = build_plan(species)
        turn = matrix_from_turn(placement.turn_deg)
        self.place = Place(np.array(placement.at, float), turn)
        self.tree = place_tree(self.plan, self.place)
        self.body_state = build_state(self.plan, self.tree)
        self.outline = build_outline(self.plan, self.tree, self.place)
        self.take(species)
        self.felt = build_felt(self.system)
        legs = len(self.plan.leg_name)
        self.touch = np.zeros((legs, 3))  # whether a leg touches; s, when it came down and free
        self.front = self.tree.own[0, 0].copy()  # the root's way forward, in its arrays' axes
        self.sensed = make_sense(legs)
        self.drive = np.array([0.0, 1.0, 1.0, 0.0])
        self.gait_state: GaitState = self.start()
        self.body_parent = find_parents(self.plan.body_link, self.tree.index[:, 0])
        self.commands = sorted(placement.commands, key=lambda command: command.time)
        self.is_steered = np.zeros(1, bool)
        self.evaluations, self.shortest = np.zeros(1, np.int64), np.zeros(1)
        self.next_step = np.full(1, species.solver.time_step)
        self.frame_seconds = np.ones(1)
        self.numbers = list_numbers(species)
        self.company_before: Company | None = None  # with whom it moved in the last frame
        self.outside: Outside | None = None  # what is around it in a frame that comes in parts
        self.answering: tuple[Room, Felt] | None = None  # room to find out how it answers
        self.part_seconds = 0.0  # of the part of the frame that comes next
        self.pushes = NO_PUSHES  # impulses for that part
        self.throw()
        self.release()

    def take(self, species: ArticulatedSpec) -> None:
        """What of a species may change."""
        self.species = species
        self.system = build_system(self.plan, self.tree, self.place, species.contact)
        self.gait: GaitModel | None = None
        if species.gait is not None and self.plan.leg_name:
            self.gait = build_gait(species.gait, self.plan)
        self.swing = find_swings(self.gait, len(self.plan.leg_name))
        self.outline.shapes.row[:, FRICTION] = species.contact.friction

    def start(self) -> Any:
        """Its gait at the beginning."""
        if self.gait is None:
            return None
        return start_gait(self.gait, self.body_state.rest)

    def throw(self) -> None:
        """Give the whole body the scene's velocity and spin, if it is free."""
        placement = self.placement
        if not self.is_free:
            return
        turn = self.place.turn @ self.plan.links[0].turn
        self.body_state.v[3:6] = turn.T @ np.array(placement.velocity, float)
        self.body_state.v[:3] = turn.T @ np.radians(placement.spin_deg)

    @property
    def is_free(self) -> bool:
        return bool(self.tree.index[0, KIND] == FREE)

    # -- what it shows -------------------------------------------------------------------------

    @property
    def position(self) -> np.ndarray:
        place, axes = self.tree.place_links(self.body_state.q)
        return self.place_bodies(place, axes)[0][0]

    def place_bodies(self, place: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Middles [body, 3] and axes [body, 3, 3] of all boxes, from those of links."""
        plan, link = self.plan, self.plan.body_link
        place = np.concatenate([place, self.place.at[None]])  # the last: what the world holds
        axes = np.concatenate([axes, self.place.turn[None]])
        middle = place[link] + np.einsum("bij,bj->bi", axes[link], plan.body_middle)
        return middle, axes[link] @ plan.body_turn

    @property
    def top_speed(self) -> float:
        work = self.tree.work()
        state = self.body_state
        forward.sweep_speeds(self.tree.index, self.tree.number, state.q, state.v, work)
        return float(np.linalg.norm(work[:-1, SPEED + 3 : SPEED + 6], axis=1).max())

    def list_balls(self) -> np.ndarray:
        place, axes = self.tree.place_links(self.body_state.q)
        middle, _ = self.place_bodies(place, axes)
        return np.column_stack([middle, self.plan.body_size.min(axis=1) / 2])

    def list_bars(self) -> np.ndarray:
        return np.zeros((0, BAR_ROW))

    # -- meeting others ------------------------------------------------------------------------

    def show_shapes(self) -> Shapes:
        outline, state = self.outline, self.body_state
        place_shapes(
            self.tree.index, self.tree.number, state.q, state.v, outline.link, outline.middle,
            outline.turn, outline.work, outline.place, outline.axes, outline.shapes.row,
        )  # fmt: skip
        return outline.shapes

    def find_motors(self, part: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """None: what its springs do is in its answer, for as long as the coming part is."""
        self.part_seconds = seconds
        return super().find_motors(part, seconds)

    def answer(self, touched: Touched) -> None:
        if self.answering is None:
            q, v = len(self.body_state.q), len(self.body_state.v)
            self.answering = build_room(self.system, q, v), build_felt(self.system)
        answer_points(
            self.system, self.outside, self.body_state, self.part_seconds, *self.answering,
            self.outline.link[touched.part], touched.point, touched.velocity, touched.response,
        )  # fmt: skip

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        self.pushes = list_pushes(self.plan, touched)

    # -- a frame -------------------------------------------------------------------------------

    def begin(self, around: Around) -> None:
        if self.placement.start == "stand" and self.is_free and len(around.terrain.arrays.kind):
            rise = np.array([0.0, find_rise(around.terrain, place_probes(self)), 0.0])
            frame = self.place.turn @ self.plan.links[0].turn
            self.body_state.q[:3] += frame.T @ rise

    def advance_frame(self, around: Around) -> None:
        self.advance_together([self], [around])

    @classmethod
    def advance_together(cls, members: Sequence["Articulated"], arounds: Sequence[Around]) -> None:
        """Some creatures that may touch each other, through one frame."""
        start_company(members, arounds).advance()

    def count_parts(self, around: Around) -> int:
        return ceil(around.seconds * MEET_RATE - 1e-9)

    def start_frame(self, around: Around) -> None:
        self.start_together([self], [around])

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        self.advance_part_together([self], [around], part, parts)

    @classmethod
    def start_together(cls, members: Sequence["Articulated"], arounds: Sequence[Around]) -> None:
        company = start_company(members, arounds)
        company.think_first()
        for one in members:
            # meetings keep it out of obstacles as if its own springs there did nothing: where these
            # are deep and stiff they come loose within a part, and an impulse against them is lost
            one.outside = company.outside._replace(barrier=NO_TERRAIN)
            if one.answering is not None:
                one.answering[0].seen[:] = -1.0  # terrain may have changed

    @classmethod
    def advance_part_together(
        cls, members: Sequence["Articulated"], arounds: Sequence[Around], part: int, parts: int
    ) -> None:
        company = members[0].company_before
        assert company is not None
        company.advance(part, parts)

    def think(self, now: float, seconds: float) -> None:
        """Let the gait decide for an interval."""
        advance_gait(self.gait, self.gait_state, self.sensed, self.drive, now, seconds)

    def sense(
        self, now: float, seconds: float, loads: np.ndarray, forces: np.ndarray, angles: np.ndarray,
        root: np.ndarray,
    ) -> None:  # fmt: skip
        """Feel, with all legs, what they bear and what is in their way."""
        light = LIGHT * self.plan.total_mass * max(self.physics.gravity, 1.0)
        feel_legs(
            self.sensed, self.touch, loads, forces, angles, self.swing, root, self.front, light,
            now, seconds,
        )  # fmt: skip

    def feed(self, things: Things) -> None:
        """It does not eat."""

    # -- what is recorded ----------------------------------------------------------------------

    def list_channels(self) -> list[Channel]:
        return describe_rows(self.name, np.float64, record.ROWS, record.read(self))

    def list_statics(self) -> list[Static]:
        return record.list_statics(self)

    def read(self) -> dict[str, np.ndarray]:
        return {f"{self.name}.{label}": value for label, value in record.read(self).items()}

    def list_own(self) -> dict[str, np.ndarray]:
        """Arrays of its own besides those of its body, what it felt, and its gait."""
        return {
            "touch": self.touch, "drive": self.drive, "is_steered": self.is_steered,
            "evaluations": self.evaluations, "shortest": self.shortest,
            "next_step": self.next_step, "frame_seconds": self.frame_seconds,
        }  # fmt: skip

    def list_parts(self) -> dict[str, Any]:
        parts = {"body": self.body_state, "felt": self.felt, "sensed": self.sensed}
        return parts if self.gait is None else parts | {"gait": self.gait_state}

    def state(self) -> State:
        own = {**self.list_own(), "numbers": read_numbers(self.species, self.numbers)}
        copies = {key: value.copy() for key, value in own.items()}
        for part, arrays in self.list_parts().items():
            values = {key: value.copy() for key, value in arrays._asdict().items()}
            copies |= name_parts(part, values)
        return copies

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        if (state["numbers"] != read_numbers(self.species, self.numbers)).any():
            self.set_species(change_numbers(self.species, state["numbers"], self.numbers))
        for key, value in self.list_own().items():
            value[:] = state[key]
        for part, arrays in self.list_parts().items():
            kept = take_part(state, part)
            for key, value in arrays._asdict().items():
                value[:] = kept[key]

    def keep(self) -> tuple[Any, ...]:
        """What passes in a step besides joints, to go back to."""
        body = self.body_state
        gait = None if self.gait is None else [one.copy() for one in self.gait_state]
        return gait, body.rest.copy()

    def put_back(self, kept: tuple[Any, ...]) -> None:
        """Undo what passed since `keep`."""
        gait, rest = kept
        if gait is not None:
            copy_state(GaitState(*gait), self.gait_state)
        self.body_state.rest[:] = rest

    # -- what a person does to it --------------------------------------------------------------

    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        """The impulse that would give all of it this velocity, where it is nearest."""
        state, tree = self.body_state, self.tree
        place, axes = tree.place_links(state.q)
        middle, _ = self.place_bodies(place, axes)
        moving = np.flatnonzero(self.plan.body_link >= 0)
        nearest = moving[np.argmin(np.linalg.norm(middle[moving] - at, axis=1))]
        link = self.plan.body_link[nearest]
        impulse = axes[link].T @ (self.plan.total_mass * np.asarray(velocity, float))
        arm = self.plan.body_middle[nearest]
        force = np.zeros((len(place), 6))
        force[link, :3], force[link, 3:] = np.cross(arm, impulse), impulse
        still = np.zeros_like(state.v)
        state.v[:] += tree.accelerate(state.q, still, still, gravity=(0, 0, 0), force=force)

    def set_gravity(self, gravity: float) -> None:
        self.physics = replace(self.physics, gravity=gravity)

    def command(self, speed: float, turn: float) -> None:
        self.is_steered[0] = True
        self.lead(speed, turn)

    def release(self) -> None:
        self.is_steered[0] = False
        if self.species.gait is not None:
            walks = float(not self.commands)
            self.drive[:] = self.species.gait.master, 1.0, 1.0, walks

    def lead(self, speed: float, turn: float) -> None:
        """Walk so fast, cm/s, and turn to the left, rad/s.

        Slower is less often: the master frequency falls with the speed, and gaits follow from it.
        Turning is a longer stride on the outer side; on the spot it takes as many steps as the
        turn needs.
        """
        gait = self.species.gait
        if gait is None:
            return
        pace = max(abs(speed) / gait.pace, abs(turn) / gait.turn)
        frequency = min(max(gait.master * pace, SLOWEST), gait.master)
        stride = np.clip(speed / gait.pace * gait.master / frequency, -gait.most, gait.most)
        lean = turn / gait.turn * gait.master / frequency
        left, right = np.clip([stride - lean, stride + lean], -gait.most, gait.most)
        self.drive[:] = frequency, left, right, float(speed != 0 or turn != 0)

    def obey(self, time: float) -> None:
        """Follow the latest of the scene's commands whose time has come."""
        gait = self.species.gait
        if due := find_due(self.commands, time):
            self.lead(due.speed, float(np.radians(due.turn_deg)))
        elif gait is not None and gait.sweep is not None:
            self.drive[0] = gait.sweep.find_frequency(time)

    def set_species(self, species: ArticulatedSpec) -> None:
        self.take(species)
        if not self.is_steered[0] and not self.commands:
            self.release()


def find_swings(gait: GaitModel | None, legs: int) -> np.ndarray:
    """The joint that swings each leg [leg], or -1."""
    if gait is None:
        return np.full(legs, -1, np.int64)
    slot = gait.swing_slot
    return np.where(slot < 0, -1, gait.leg_joint[np.arange(legs), slot]).astype(np.int64)


def place_probes(one: Articulated) -> np.ndarray:
    """Where the probes of its boxes are [probe, 3], cm."""
    place, axes = one.tree.place_links(one.body_state.q)
    axes = axes @ one.tree.own
    body, probe = one.system.body, one.system.probe
    link = np.repeat(body[:, BODY_LINK], body[:, PROBE_TO] - body[:, PROBE_FROM])
    return np.asarray(place[link] + np.einsum("pij,pj->pi", axes[link], probe))


def list_numbers(species: ArticulatedSpec) -> tuple[str, ...]:
    """The numbers that may change while it lives."""
    return tuple(
        f"{group}.{key}"
        for group, keys in NUMBERS.items()
        for key in keys
        if getattr(species, group) is not None and getattr(getattr(species, group), key) is not None
    )
