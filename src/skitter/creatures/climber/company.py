"""All climbers and movable objects of a scene, through one frame.

Those at the full level and all objects share one model of the rigid-body engine, since they push
each other; it is built anew when somebody changes his level. The others move by themselves, after
that, over objects as they then are.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from skitter.control.climbing.coarse import advance_coarse, come_down
from skitter.control.climbing.model import FALLING, Surfaces
from skitter.control.climbing.think import advance_kinematic, think
from skitter.creatures.climber.levels import COARSE, FULL, KINEMATIC, choose_levels
from skitter.creatures.creature import Around, Creature
from skitter.errors import SimulationError
from skitter.terrain.surface import TerrainArrays

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber
    from skitter.creatures.climber.engine import Engine

STEP = 1 / 500  # s, the longest of the engine
GLIDE = 1 / 110  # s, the longest of a kinematic climber


class Member(Creature):
    """One of the company: it keeps the engine if it is the first."""

    company: ClassVar[str] = "rigid"
    warm: np.ndarray  # what the engine's solver starts from

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self.engine_key: tuple[Any, ...] = ()

    def forget_engine(self) -> None:
        """After its state was changed from outside."""
        self.engine, self.engine_key = None, ()


def split(members: Sequence[Member]) -> tuple[list["Climber"], list[Any]]:
    """Climbers, and objects."""
    climbers: list[Any] = [one for one in members if one.kind == "climber"]
    return climbers, [one for one in members if one.kind != "climber"]


def advance_company(members: Sequence[Member], arounds: Sequence[Around]) -> None:
    """Everybody by a frame."""
    around = arounds[0]
    climbers, blocks = split(members)
    for one, its in zip(members, arounds, strict=True):
        if one.kind == "climber":
            one.decide(its)  # type: ignore[attr-defined]
    surfaces = gather_surfaces(blocks, around, climbers)
    balls = np.concatenate([np.zeros((0, 4)), *(find_ball(one) for one in blocks)])
    levels = choose_levels(climbers, balls, around.crowd, around.seconds)
    for one, level in zip(climbers, levels, strict=True):
        change_level(one, level, surfaces, around.time)
        one.surfaces = surfaces
    full = [one for one in climbers if one.level[0] == FULL]
    if full or blocks:
        advance_full(members, full, blocks, surfaces, around)
    advance_rest([one for one in climbers if one.level[0] != FULL], surfaces, around)


def find_ball(block: Any) -> np.ndarray:
    """A ball around an object [1, 4], cm."""
    reach = 0.5 * float(np.linalg.norm(block.shape.size))
    return np.array([[*block.block.place, reach]])


def gather_surfaces(
    blocks: Sequence[Any], around: Around, climbers: Sequence["Climber"] = ()
) -> Surfaces:
    """What there is to stand on and to go around."""
    arrays = around.things.barrier.arrays
    others = [around.others, *(one.list_balls()[:1] for one in climbers)]
    return Surfaces(
        around.terrain.arrays,
        arrays,
        describe_blocks(blocks, arrays),
        np.array([one.shape.mass for one in blocks], float),
        np.concatenate([np.zeros((0, 4)), *others]),
    )


def describe_blocks(blocks: Sequence[Any], like: TerrainArrays) -> TerrainArrays:
    """Objects as a terrain."""
    if not blocks:
        return empty_like(like)
    from skitter.creatures.climber.blocks import blocks_to_arrays

    return blocks_to_arrays([one.shape for one in blocks], [one.block for one in blocks])


def empty_like(arrays: TerrainArrays) -> TerrainArrays:
    """A terrain of nothing."""
    none = {
        key: getattr(arrays, key)[:0]
        for key in ("kind", "centre", "axes", "row", "link", "friction", "restitution")
    }
    return arrays._replace(**none)


def change_level(one: "Climber", level: int, surfaces: Surfaces, now: float) -> None:
    """Bring a climber to another level."""
    if level == one.level[0]:
        return
    if one.level[0] == COARSE:
        come_down(one.figure, one.mind, one.orders, surfaces, one.body, now)
    if level != FULL:
        one.body.speed[:] = 0.0
        one.body.pedicel_speed[:] = 0.0
    one.level[0] = level
    one.warm[:] = 0.0


def advance_full(
    members: Sequence[Member],
    full: Sequence["Climber"],
    blocks: Sequence[Any],
    surfaces: Surfaces,
    around: Around,
) -> None:
    """Rigid bodies, in short steps; before each the controllers decide."""
    engine = find_engine(members[0], full, blocks, around)
    steps = max(1, int(np.ceil(around.seconds / STEP - 1e-9)))
    step = around.seconds / steps
    bodies, orders = [one.body for one in full], [one.orders for one in full]
    engine.read_in(bodies, [one.block for one in blocks])
    for k in range(steps):
        now = around.time + k * step
        for one in full:
            think(
                one.figure, one.traits, one.points, one.path, one.loops, one.body, one.mind,
                one.orders, one.felt, surfaces, now, step, False, one.room,
            )  # fmt: skip
        engine.step(orders, around.terrain.arrays, around.things.barrier.arrays)
        engine.write_blocks(surfaces.blocks)
        check_numbers(full, now)
    engine.keep_warm([one.warm for one in [*full, *blocks]])


def find_engine(
    lead: Member, full: Sequence["Climber"], blocks: Sequence[Any], around: Around
) -> "Engine":
    """The engine with these in it, built if it is not there."""
    from skitter.creatures.climber.engine import build_engine

    key = (tuple(one.name for one in full), tuple(one.name for one in blocks), around.seconds)
    if lead.engine is None or lead.engine_key != key:
        steps = max(1, int(np.ceil(around.seconds / STEP - 1e-9)))
        gravity = [*full, *blocks][0].physics.gravity
        lead.engine = build_engine(full, blocks, gravity, around.seconds / steps)
        lead.engine_key = key
        lead.engine.set_warm([one.warm for one in [*full, *blocks]])
    return lead.engine


def check_numbers(climbers: Sequence["Climber"], now: float) -> None:
    for one in climbers:
        if not np.isfinite(one.body.velocity).all() or not np.isfinite(one.body.angle).all():
            raise SimulationError(
                f"creature '{one.name}' flies apart at {now:.4f} s; try a lower stiffness of its"
                " joints, or detail.level: kinematic"
            )


def advance_rest(climbers: Sequence["Climber"], surfaces: Surfaces, around: Around) -> None:
    """Those without rigid bodies."""
    steps = max(1, int(np.ceil(around.seconds / GLIDE - 1e-9)))
    for one in climbers:
        if one.level[0] == KINEMATIC:
            advance_kinematic(
                one.figure, one.traits, one.points, one.path, one.loops, one.body, one.mind,
                one.orders, one.felt, surfaces, around.time, around.seconds, steps, one.room,
            )  # fmt: skip
        else:
            advance_coarse(
                one.figure, one.traits, one.cycle, one.path, one.loops, one.body, one.mind,
                one.orders, surfaces, around.time, around.seconds, one.room,
            )  # fmt: skip
        if not np.isfinite(one.body.place).all():
            check_numbers([one], around.time)
