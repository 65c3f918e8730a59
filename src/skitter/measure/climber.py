"""What recordings of climbers tell: when they walk and fall, on what, and how each foot stands.

A climber walks while gravity does not act on it, and falls while it does (Cenydd 2012 section 7).
Its gait is measured in the longest stretch that it walks, what it stands on, what it hits and what
becomes of it from the first frame to the last. A frame stands for the time since the one before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from skitter.measure.articulated import OfWalk, PartsOfWalk, Walk, walked, walked_by_part
from skitter.measure.steps import Floats, Steps, list_rows, read_steps
from skitter.measure.table import CLIMBING

Mask = NDArray[np.bool_]
Whole = NDArray[np.integer]

# As recordings number them.
ERRORS = ("imbalance", "stretch", "restriction", "limbo")
LEVELS = ("full", "kinematic", "coarse")

FALLING = ("gravity_on",)
FEET = (*FALLING, "foot_held")
STANDS = (*FEET, "foot_position", "foot_host", "lift_time", "land_time")
WALL_ANGLE = np.radians(45)  # between a floor's normal and up at most; of a ceiling's and down
UP_AGAIN = 0.25  # s that it has to hold itself before it can fall anew
INSTANT = 1e-9  # s

climbed: Callable[..., Callable[[OfWalk], OfWalk]] = partial(walked, kinds=CLIMBING)
climbed_by_part: Callable[..., Callable[[PartsOfWalk], PartsOfWalk]] = partial(
    walked_by_part, kinds=CLIMBING
)


def find_intervals(walk: Walk) -> Floats:
    """Time that each frame stands for [frame], s; none of the first."""
    return np.diff(walk.time, prepend=walk.time[0])


def count_seconds(walk: Walk, is_so: Mask) -> float:
    """How long something was so."""
    return float(find_intervals(walk)[is_so].sum())


def find_share(walk: Walk, is_so: Mask) -> float:
    """Of the time, how much it was so."""
    return count_seconds(walk, is_so) / walk.seconds if walk.seconds > 0 else np.nan


def find_walking(walk: Walk) -> Mask:
    """Whether it holds itself [frame]."""
    return np.asarray(walk.read("gravity_on") == 0)


def find_mean_walking(walk: Walk, values: Floats) -> float:
    """Mean of a number of each frame over those in which it walks."""
    walking = find_walking(walk)
    return float(values[walking].mean()) if walking.any() else np.nan


def find_falls(walk: Walk) -> Floats:
    """Since and until when it fell [fall, 2], s; until infinity where it still falls at the end.

    What lies between two falls is a time of holding on, unless it is shorter than a quarter of a
    second."""
    first, stop = list_rows(~find_walking(walk)).T
    begin, end = walk.time[first], np.append(walk.time, np.inf)[stop]
    if len(begin) == 0:
        return np.zeros((0, 2))
    apart = begin[1:] - end[:-1] >= UP_AGAIN
    return np.stack([begin[np.append(True, apart)], end[np.append(apart, True)]], axis=1)


def find_surfaces(walk: Walk) -> dict[str, Mask]:
    """Whether it walks on a floor, a wall or a ceiling [frame], by the normal of what it is on."""
    normal, walking = walk.read("surface_normal"), find_walking(walk)
    size = np.linalg.norm(normal, axis=1)
    known = walking & (size > 0)
    up = normal[:, 1] / np.where(size > 0, size, 1.0)
    steep = np.cos(WALL_ANGLE)
    floor, ceiling = up > steep, up < -steep
    return {
        "floor": known & floor,
        "wall": known & ~floor & ~ceiling,
        "ceiling": known & ceiling,
    }


def list_groups(walk: Walk) -> Whole:
    """Which of two groups each leg is of [leg]: 0 for L1, R2, L3, R4 …, 1 for R1, L2, R3, L4 …"""
    pair, right = walk.static("leg_pair"), walk.static("leg_side") > 0
    return np.asarray((pair + right) % 2, int)


def list_ring(walk: Walk) -> list[tuple[int, int]]:
    """Each leg with each of its neighbours: across, before and behind it, and the hindmost with the
    foremost (Cenydd 2012 section 6.2). With an odd number of pairs those are of one tripod, and
    step together."""
    pair, side = np.asarray(walk.static("leg_pair"), int), walk.static("leg_side")
    legs, last = range(len(pair)), int(pair.max(initial=0))
    around = {(0, last), (last, 0)} if last % 2 else set()

    def are_neighbours(a: int, b: int) -> bool:
        if side[a] != side[b]:
            return bool(pair[a] == pair[b])
        return abs(pair[a] - pair[b]) == 1 or (pair[a], pair[b]) in around

    return [(a, b) for a in legs for b in legs if are_neighbours(a, b)]


def read_airs(walk: Walk) -> Steps:
    """Spans of each leg from leaving its foothold to the next, exact to the step.

    What happens in the first step after a frame has the time of that frame, and is not of it.
    """
    lifted, landed, held = (walk.read(one) for one in ("lift_time", "land_time", "foot_held"))
    return read_steps(lifted, landed, held[0] == 0, walk.time[0] - INSTANT, walk.time[-1])


def sweep(steps: Steps) -> tuple[Floats, Mask]:
    """Lengths of time between two events of any legs [moment], s, and who is up [moment, leg]."""
    edges = np.unique(np.concatenate([[steps.since, steps.until], *map(np.ravel, steps.spans)]))
    middle = (edges[1:] + edges[:-1]) / 2
    up = [steps.is_stepping(leg, middle) for leg in range(steps.leg_count)]
    return np.diff(edges), np.stack(up, axis=1)


@dataclass(frozen=True)
class Stance:
    """A foot on one foothold, as frames show it."""

    leg: int
    first: int  # frame
    last: int  # frame, the last that still shows it
    host: int  # number of the object that it stands on; -1: the ground

    @property
    def frames(self) -> slice:
        return slice(self.first, self.last + 1)


def list_stances(walk: Walk) -> list[Stance]:
    """All stances, leg by leg. Where a foot left and came down between two frames it is anew."""
    held, landed, host = (walk.read(one) for one in ("foot_held", "land_time", "foot_host"))
    found = []
    for leg in range(held.shape[1]):
        anew = (np.diff(landed[:, leg]) != 0) | (np.diff(host[:, leg]) != 0)
        for first, stop in list_rows(held[:, leg] > 0):
            inside = first + 1 + np.flatnonzero(anew[first : stop - 1])
            begin, end = [first, *inside], [*inside, stop]
            found += [
                Stance(leg, int(a), int(b) - 1, int(host[a, leg]))
                for a, b in zip(begin, end, strict=True)
            ]
    return found


def find_slip(walk: Walk, stances: list[Stance]) -> Floats:
    """How far each foot is from where it came down [frame, leg], cm; nan where it does not stand.

    What the creature tells itself (`slip_distance`), and on the ground also how far its foot is
    from where the first frame of its stance shows it: the larger of both."""
    foot = walk.read("foot_position")
    told = walk.read("slip_distance") if walk.has("slip_distance") else np.zeros(foot.shape[:2])
    slip = np.full(foot.shape[:2], np.nan)
    for one in stances:
        moved = np.linalg.norm(foot[one.frames, one.leg] - foot[one.first, one.leg], axis=1)
        on_ground = moved if one.host < 0 else np.zeros(len(moved))
        slip[one.frames, one.leg] = np.maximum(on_ground, told[one.frames, one.leg])
    return slip
