"""Checks across fields: that time fits together, and that the work of a scene is bounded.

A typing mistake in a file must not ask for a terabyte or a year; each limit is far above what
runs well today.
"""

from collections.abc import Sequence
from math import ceil, prod, sqrt

from skitter.scene.check import Label, fail
from skitter.scene.describe import Location, quote, suggest
from skitter.scene.spec import SceneSpec
from skitter.species.facts import find_target
from skitter.species.kinds import SpeciesSpec, take_figured
from skitter.species.spec import FigureSpec, JellyPart

FRAME_LIMIT = 5_000_000
STEP_LIMIT = 100_000  # per frame
BODY_LIMIT = 10_000
CELL_LIMIT = 200_000
BLOCK_CELL_LIMIT = 4096  # in one soft block, whose damping is solved as one matrix
WATER_LIMIT = 200_000_000  # cells of water moved, per frame
NAMES_TOLD = 12  # of creatures, in an error line
WORK_LIMIT = 20_000_000  # cells and bodies stepped, per frame


def count_frames(spec: SceneSpec) -> int:
    """Frames after the first, which is the start itself."""
    return max(1, round(spec.seconds * spec.frame_rate))


def count_steps(spec: SceneSpec) -> int:
    """Time steps in a frame. The step taken is the frame divided by this number."""
    return max(1, round(1 / (spec.frame_rate * spec.time_step)))


def count_bodies(figure: FigureSpec) -> int:
    """Rigid bodies of the figure, copies of a repeated part included."""
    return sum(part.repeat for part in figure.parts if not isinstance(part, JellyPart))


def list_blocks(figure: FigureSpec) -> list[int]:
    """Cells of each soft block; the first body is the only one that hangs on nothing."""
    blocks = []
    for part in figure.parts:
        if isinstance(part, JellyPart):
            blocks += [prod(part.cells)]
        else:
            blocks += [prod(part.joint.cells)] * (part.repeat - (part.parent is None))
    return blocks


def check_limits(spec: SceneSpec, species: Sequence[SpeciesSpec], label: Label) -> None:
    """Refuse a scene whose times do not fit together or that is too large to run."""
    check_times(spec, label)
    everything = ("creatures",)
    having = [(index, one) for index, one in enumerate(species) if one.has_figure]
    figures = {index: take_figured(one).figure for index, one in having}
    bodies = sum(map(count_bodies, figures.values()))
    check_amount(label, everything, "rigid bodies", bodies, BODY_LIMIT)
    cells = 0
    for index, figure in figures.items():
        blocks = list_blocks(figure)
        cells += sum(blocks)
        place, largest = ("creatures", index), max(blocks, default=0)
        check_amount(label, place, "cells in a soft block", largest, BLOCK_CELL_LIMIT)
    check_amount(label, everything, "soft cells", cells, CELL_LIMIT)
    check_water(spec, label)
    work = count_steps(spec) * (bodies + cells)
    check_amount(label, ("time_step",), "steps of bodies and cells in a frame", work, WORK_LIMIT)


def check_times(spec: SceneSpec, label: Label) -> None:
    if spec.time_step * spec.frame_rate > 1 + 1e-9:
        limit = f"{1 / spec.frame_rate:.6g}, the length of a frame (1/frame_rate)"
        problem = f"must be at most {limit}; found {spec.time_step:.6g}"
        raise fail(label, ("time_step",), problem)
    steps = count_steps(spec)
    check_amount(label, ("time_step",), "time steps in a frame", steps, STEP_LIMIT)
    frames = count_frames(spec)
    check_amount(label, ("seconds",), "frames (seconds × frame_rate)", frames, FRAME_LIMIT)


def check_water(spec: SceneSpec, label: Label) -> None:
    """Waves over the deepest place go half a cell in a sub-step of the water."""
    water = spec.water
    if water is not None and water.waves:
        waves = sqrt(max(spec.gravity, 0.0) * water.depth)
        steps = ceil(waves / (0.5 * water.cell * spec.frame_rate))
        work = prod(water.shape) * max(steps, 1)
        check_amount(label, ("water", "cell"), "cells of water in a frame", work, WATER_LIMIT)


def check_followed(spec: SceneSpec, names: Sequence[str], label: Label) -> None:
    """The water may only follow a creature of the scene."""
    name = spec.water.follow if spec.water is not None else None
    if name is not None and name not in names:
        problem = f"names no creature of this scene; {suggest(name, names)}valid: "
        raise fail(label, ("water", "follow"), f"'{name}' {problem}{', '.join(names)}")


def check_focus(spec: SceneSpec, names: Sequence[str], label: Label) -> None:
    """A crowd may only look at a creature of the scene."""
    name = spec.crowd.focus if spec.crowd is not None else None
    if isinstance(name, str) and name not in names:
        problem = f"names no creature of this scene; {suggest(name, names)}valid: "
        found = ", ".join(names[:NAMES_TOLD]) + (" …" if len(names) > NAMES_TOLD else "")
        raise fail(label, ("crowd", "focus"), f"{quote(name)} {problem}{found}, or a place")


def check_targets(
    spec: SceneSpec, species: Sequence[SpeciesSpec], names: Sequence[str], label: Label
) -> None:
    """Who seeks or flees a creature needs one to be there, and another than itself."""
    for index, one in enumerate(species):
        target, others = find_target(one), [*names[:index], *names[index + 1 :]]
        if target is not None and target not in others:
            known = ", ".join(others[:NAMES_TOLD]) + (" …" if len(others) > NAMES_TOLD else "")
            problem = f"has the target {quote(target)}, which names no other creature of this scene"
            valid = f"{suggest(target, others)}valid: {known}{', or ' if known else ''}a place"
            raise fail(label, ("creatures", index), f"{problem}; {valid}")


def check_amount(label: Label, place: Location, what: str, amount: int, limit: int) -> None:
    if amount > limit:
        raise fail(label, place, f"asks for {amount:,} {what}; valid: at most {limit:,}")
