"""All climbers and movable objects of a scene, through one frame.

Those at the full level and all objects share one model of the rigid-body engine, since they push
each other; it is built anew when somebody changes his level. The others move by themselves, after
that, over objects as they then are.
"""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.control.climbing.coarse import advance_coarse
from skitter.control.climbing.fall import lose_hold
from skitter.control.climbing.limbs import REACHED, place_feet
from skitter.control.climbing.model import LOOSE, STANCE, BodyState, Solids, Surfaces
from skitter.control.climbing.stops import come_back
from skitter.control.climbing.think import advance_climber
from skitter.creatures.climber.levels import FULL, KINEMATIC, choose_levels
from skitter.creatures.creature import Around, Creature
from skitter.errors import SimulationError
from skitter.terrain.surface import TerrainArrays

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber
    from skitter.creatures.climber.rig import Rig, Seat

STEP = 1 / 500  # s, the longest of the engine
CATCH_UP = 0.5  # of what a foot in the air is behind its target, as it becomes kinematic
LEAST_EACH = 6  # climbers, for which another thread is worth it
GLIDE = 1 / 100  # s, the longest of a kinematic climber
WILD = 2 * np.pi / STEP  # rad/s: a whole turn in a step of the engine
LIMP = 1.0  # s, within which going limp once is enough: what fails again has another cause


class Member(Creature):
    """One of the company: the first keeps the engine."""

    company = "rigid"
    meets = True
    warm: np.ndarray  # what the engine's solver starts from

    def __init__(self) -> None:
        self.rig: Rig | None = None
        self.rig_key: tuple[Any, ...] = ()
        self.seat: Seat | None = None  # of one that is in the engine in this frame
        self.frame: Frame | None = None  # of the company, which the first keeps

    def start_frame(self, around: Around) -> None:
        self.start_together([self], [around])

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        self.advance_part_together([self], [around], part, parts)

    @classmethod
    def start_together(cls, members: Sequence[Any], arounds: Sequence[Around]) -> None:
        members[0].frame = Frame(members, arounds)

    @classmethod
    def advance_part_together(
        cls, members: Sequence[Any], arounds: Sequence[Around], part: int, parts: int
    ) -> None:
        members[0].frame.advance(part, parts)

    def forget_engine(self) -> None:
        """After its state was changed from outside."""
        self.rig, self.rig_key = None, ()


def split(members: Sequence[Member]) -> tuple[list["Climber"], list[Any]]:
    """Climbers, and objects."""
    climbers: list[Any] = [one for one in members if one.kind == "climber"]
    return climbers, [one for one in members if one.kind != "climber"]


def advance_company(members: Sequence[Member], arounds: Sequence[Around]) -> None:
    """Everybody by a frame."""
    Frame(members, arounds).advance(0, 1)


class Frame:
    """A company through a frame, in one go or in parts.

    In parts go those that are near others who are not of the engine, and all of the engine where
    one of it is. Who is alone makes the frame in one go, whatever the others do.
    """

    def __init__(self, members: Sequence[Member], arounds: Sequence[Around]):
        self.members, self.around = members, arounds[0]
        climbers, self.blocks = split(members)
        near = {one.name for one, its in zip(members, arounds, strict=True) if its.near}
        for one, its in zip(members, arounds, strict=True):
            one.seat = None
            if one.kind == "climber":
                one.decide(its)  # type: ignore[attr-defined]
        self.surfaces = gather_surfaces(self.blocks, self.around, climbers)
        balls = np.concatenate([np.zeros((0, 4)), *(find_ball(one) for one in self.blocks)])
        levels = choose_levels(climbers, balls, self.around)
        for one, level in zip(climbers, levels, strict=True):
            change_level(one, level)
            one.surfaces = self.surfaces
        self.full = [one for one in climbers if one.level[0] == FULL]
        rest = [one for one in climbers if one.level[0] != FULL]
        self.near = [one for one in rest if one.name in near]
        self.alone = [one for one in rest if one.name not in near]
        self.in_parts = any(one.name in near for one in [*self.full, *self.blocks])
        self.rig: Rig | None = None
        if self.full or self.blocks:
            self.start_engine()

    def start_engine(self) -> None:
        """Rigid bodies, as they are now."""
        from skitter.creatures.climber.rig import Seat

        step = divide(self.around.seconds)[1]
        self.rig = find_rig(self.members[0], self.full, self.blocks, step)
        self.rig.read_in()
        self.begun = [BodyState(*(array.copy() for array in one.body)) for one in self.full]
        for some in (self.full, self.blocks):
            for number, one in enumerate(some):
                one.seat = Seat(self.rig, number)

    def advance(self, part: int, parts: int) -> None:
        """By one of so many parts."""
        around, seconds = self.around, self.around.seconds / parts
        now = around.time + part * seconds
        if self.rig is not None and (self.in_parts or part == 0):
            whole = around.seconds if not self.in_parts else seconds
            self.advance_engine(self.rig, now, whole)
        advance_rest(self.near, self.surfaces, now, seconds, around.threads)
        for one in self.near:
            come_back(one.stops, seconds)  # they hold until the next meeting
        if part == parts - 1:
            alone = self.alone
            for one in alone:
                come_back(one.stops, around.seconds)
            advance_rest(alone, self.surfaces, around.time, around.seconds, around.threads)

    def advance_engine(self, rig: "Rig", now: float, seconds: float) -> None:
        """Rigid bodies, in short steps; before each the controllers decide."""
        steps, step = divide(seconds)
        rig.engine.set_step(step)
        for k in range(steps):
            for one in self.full:
                advance_climber(
                    one.figure, one.traits, one.points, one.path, one.loops, one.body, one.mind,
                    one.orders, one.felt, one.stops, self.surfaces, now + k * step, step, 1, False,
                    one.room,
                )  # fmt: skip
            step_rig(rig, self.begun, self.surfaces, self.around, now + k * step)
        rig.keep()
        for one in self.blocks:
            one.was_touched[0] = max(one.was_touched[0] - 1, 0)
        check_numbers(self.full, now)


def divide(seconds: float) -> tuple[int, float]:
    """Steps of the engine in so many seconds, and how long each is."""
    steps = max(1, int(np.ceil(seconds / STEP - 1e-9)))
    return steps, seconds / steps


def find_ball(block: Any) -> np.ndarray:
    """A ball around an object [1, 4], cm."""
    reach = 0.5 * float(np.linalg.norm(block.shape.size))
    return np.array([[*block.block.place, reach]])


def gather_surfaces(
    blocks: Sequence[Any], around: Around, climbers: Sequence["Climber"] = ()
) -> Surfaces:
    """What there is to stand on and to go around."""
    own = [[*one.body.place, one.ball_row[0, 3]] for one in climbers]
    others = np.array([*around.others, *own], float).reshape(-1, 4)
    return Surfaces(
        lean(around.terrain.arrays),
        lean(around.things.barrier.arrays),
        describe_blocks(blocks, around.things.barrier.arrays),
        np.array([one.shape.mass for one in blocks], float),
        others,
    )


def lean(arrays: TerrainArrays) -> Solids:
    """What of a terrain kernels of climbers read."""
    return Solids(arrays.row, arrays.link, arrays.friction, arrays.meshes)


def describe_blocks(blocks: Sequence[Any], like: TerrainArrays) -> Solids:
    """Objects as a terrain."""
    if not blocks:
        return Solids(like.row[:0], like.link[:0], like.friction[:0], like.meshes)
    from skitter.creatures.climber.blocks import blocks_to_arrays

    return lean(blocks_to_arrays([one.shape for one in blocks], [one.block for one in blocks]))


def change_level(one: "Climber", level: int) -> None:
    """Bring a climber to another level."""
    if level == one.level[0]:
        return
    if level != FULL:
        forget_lag(one)
    else:
        let_go(one)
    one.mind.frame[:] = one.body.place, one.body.turn[:, 0], one.body.turn[:, 1]
    one.level[0] = level
    one.stops.shift[:] = 0.0
    one.cool()
    if level == FULL:  # servos follow goals that move from the first step on
        one.warm[-len(one.orders.goal) :] = one.orders.goal
        one.rest[:] = one.orders.goal


def let_go(one: "Climber") -> None:
    """Before it gets rigid legs: feet that only stood by decree, beyond their reach, come free."""
    mind, foot = one.mind, np.zeros_like(one.mind.foot)
    place_feet(one.figure, one.body, one.body.angle, foot, one.room)
    off = np.linalg.norm(foot - mind.hold, axis=1) > REACHED * one.figure.leg_length
    torn = off & (mind.leg_state == STANCE)
    if 2 * int((mind.leg_state[~torn] == STANCE).sum()) >= len(torn):
        mind.leg_state[torn] = LOOSE
        one.orders.held[torn] = 0
        mind.request[torn] = -np.inf


def forget_lag(one: "Climber") -> None:
    """Legs that were moved by their joints go on from where they are and not from where they should
    have been by now, but for so much of their lag as rigid ones would make up for in a frame."""
    one.body.speed[:] = 0.0
    one.body.pedicel_speed[:] = 0.0
    if one.level[0] == FULL:
        one.orders.goal[:] = one.body.angle
        place_feet(one.figure, one.body, one.body.angle, one.mind.foot, one.room)
        up = one.mind.leg_state != STANCE
        lag = one.mind.target[up] - one.mind.foot[up]
        one.mind.target[up] = one.mind.foot[up] + CATCH_UP * lag


def step_rig(
    rig: "Rig", begun: Sequence[BodyState], surfaces: Surfaces, around: Around, now: float
) -> None:
    """One step of the engine. A climber for whom it does not work out, one that is wedged in with
    legs pulling against each other, say, is put back to where it was as the frame began, at rest
    and limp, and all take the step again."""
    from skitter.creatures.climber.engine import FliesApart, copy_rows

    outside = around.terrain.arrays, around.things.barrier.arrays, surfaces.blocks
    try:
        rig.step(*outside)
        speeds = rig.engine.wires.qvel
        if speeds @ speeds > WILD**2:  # rarely; asked first, as it costs next to nothing
            check_speeds(rig.full)
    except FliesApart as error:
        if error.number >= len(rig.full) or is_hopeless(rig.full[error.number], now):
            raise
        copy_rows(rig.full[error.number].body, begun[error.number])
        go_limp(rig.full[error.number], now)
        rig.read_in()
        rig.step(*outside)


def is_hopeless(one: "Climber", now: float) -> bool:
    """Whether going limp has not helped; one that others press may need it again and again."""
    since = now - one.limp_at[0]
    return bool(since < LIMP and not (one.is_close and since > 0.0))


def check_speeds(full: Sequence["Climber"]) -> None:
    """Refuse what is about to fly apart, while the others are still well."""
    from skitter.creatures.climber.engine import CURE, FliesApart

    for number, one in enumerate(full):
        if max(abs(one.body.speed).max(initial=0.0), abs(one.body.spin).max()) > WILD:
            raise FliesApart(f"creature '{one.name}' flies apart; {CURE}", number)


def go_limp(one: "Climber", now: float) -> None:
    """Stop, let go and fall."""
    body, orders = one.body, one.orders
    for motion in (body.velocity, body.spin, body.speed, body.pedicel_speed):
        motion[:] = 0.0
    for push in (orders.force, orders.torque, orders.load):
        push[:] = 0.0
    orders.goal[:], orders.pedicel_goal[:] = body.angle, body.pedicel
    lose_hold(one.mind, orders, now)
    one.limp_at[0] = now
    one.cool()


def find_rig(lead: Member, full: Sequence["Climber"], blocks: Sequence[Any], step: float) -> "Rig":
    """The engine with these in it, built if it is not there."""
    from skitter.creatures.climber.rig import Rig

    key = (*(one.name for one in full), "", *(one.name for one in blocks), step)
    if lead.rig is None or lead.rig_key != key:
        lead.rig = Rig(full, blocks, [*full, *blocks][0].physics.gravity, step)
        lead.rig_key = key
    return lead.rig


def advance_rest(
    climbers: Sequence["Climber"], surfaces: Surfaces, now: float, seconds: float, threads: int
) -> None:
    """Those without rigid bodies, on as many threads as there are: they do not touch each other
    before the next meeting."""
    threads = min(threads, len(climbers) // LEAST_EACH)
    if threads < 2:
        move_some(climbers, surfaces, now, seconds)
        return
    parts = [climbers[k::threads] for k in range(threads)]
    running = [find_pool().submit(move_some, part, surfaces, now, seconds) for part in parts[1:]]
    try:
        move_some(parts[0], surfaces, now, seconds)
    finally:
        wait(running)
    for future in running:
        future.result()


@cache
def find_pool() -> ThreadPoolExecutor:
    """Threads for crowds, of all worlds; kept while the program runs."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="crowd")


def move_some(
    climbers: Sequence["Climber"], surfaces: Surfaces, now: float, seconds: float
) -> None:
    steps = max(1, int(np.ceil(seconds / GLIDE - 1e-9)))
    for one in climbers:
        if one.level[0] == KINEMATIC:
            advance_climber(
                one.figure, one.traits, one.points, one.path, one.loops, one.body, one.mind,
                one.orders, one.felt, one.stops, surfaces, now, seconds / steps, steps, True,
                one.room,
            )  # fmt: skip
        else:
            advance_coarse(
                one.figure, one.traits, one.path, one.loops, one.body, one.mind, one.orders,
                one.stops, surfaces, now, seconds, one.room,
            )  # fmt: skip
        if not math.isfinite(one.body.place.sum()):
            raise_apart(one, now)


def check_numbers(climbers: Sequence["Climber"], now: float) -> None:
    for one in climbers:
        if not math.isfinite(one.body.velocity.sum() + one.body.angle.sum()):
            raise_apart(one, now)


def raise_apart(one: "Climber", now: float) -> None:
    raise SimulationError(
        f"creature '{one.name}' flies apart at {now:.4f} s; try a lower stiffness of its joints,"
        " or detail.level: kinematic"
    )
