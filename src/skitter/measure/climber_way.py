"""Measures of where a climber goes and what becomes of it: its way, walls and ceilings, brakes,
falls, what it hits and how deep; and of objects that it moves."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.articulated import STILL, Walk, walked
from skitter.measure.articulated_effort import find_weight
from skitter.measure.climber import (
    FALLING,
    LEVELS,
    climbed,
    climbed_by_part,
    count_seconds,
    find_falls,
    find_intervals,
    find_mean_walking,
    find_share,
    find_surfaces,
    find_walking,
)
from skitter.measure.steps import Floats, list_rows
from skitter.measure.table import CLIMBING, LOOSE

if TYPE_CHECKING:
    from skitter.record import Recording

PLACES = ("body_position",)
SURFACE = (*FALLING, "surface_normal")
BRAKES = (*FALLING, "brake_sense", "brake_queue")
DEPTHS = ("depth",)
BODIES = (*CLIMBING, *LOOSE)
DEEP = 0.03  # of its length: deeper inside a surface is too deep


@walked("cm", "length of the way of its root, or of it", needs=PLACES, whole=True, kinds=BODIES)
def path_length(walk: Walk) -> float:
    place = walk.read("body_position")[:, walk.root]
    return float(np.linalg.norm(np.diff(place, axis=0), axis=1).sum())


@walked("cm/s", "path length over time", needs=PLACES, whole=True, kinds=BODIES)
def path_speed(walk: Walk) -> float:
    return path_length(walk) / walk.seconds if walk.seconds > 0 else np.nan


@climbed("1", "path length over body length", needs=PLACES, whole=True)
def path_body_lengths(walk: Walk) -> float:
    return path_length(walk) / float(walk.static("body_length"))


@climbed("cm/s", "along the surface while it walks, mean", needs=(*FALLING, "speed"), whole=True)
def walking_speed(walk: Walk) -> float:
    return find_mean_walking(walk, walk.read("speed"))


@walked(
    "cm/s", "largest speed of its middle in a frame", needs=("velocity",), whole=True, kinds=LOOSE
)
def velocity_peak(walk: Walk) -> float:
    return float(np.linalg.norm(walk.read("velocity"), axis=1).max())


@walked(
    "rad",
    "how far it is turned from how it was",
    needs=("body_orientation",),
    whole=True,
    kinds=LOOSE,
)
def turned(walk: Walk) -> float:
    turn = walk.read("body_orientation")[:, walk.root]
    same = np.abs((turn[0] * turn[-1]).sum()) / np.linalg.norm(turn[[0, -1]], axis=1).prod()
    return float(2 * np.arccos(min(same, 1.0)))


@climbed("s", "on what is less than 45° from level, above which it is", needs=SURFACE, whole=True)
def floor_time(walk: Walk) -> float:
    return count_seconds(walk, find_surfaces(walk)["floor"])


@climbed("s", "on what is steeper, or overhangs by up to 45°", needs=SURFACE, whole=True)
def wall_time(walk: Walk) -> float:
    return count_seconds(walk, find_surfaces(walk)["wall"])


@climbed("s", "on what is less than 45° from level, below which it is", needs=SURFACE, whole=True)
def ceiling_time(walk: Walk) -> float:
    return count_seconds(walk, find_surfaces(walk)["ceiling"])


@climbed("1", "times that it lost its hold and fell", needs=("falls",), whole=True)
def falls(walk: Walk) -> float:
    return float(walk.read("falls")[-1])


@climbed("1", "times that it found its hold again", needs=("recoveries",), whole=True)
def recoveries(walk: Walk) -> float:
    return float(walk.read("recoveries")[-1])


@climbed("s", "from the beginning of a fall until it walks again, mean", needs=FALLING, whole=True)
def recovery_time(walk: Walk) -> float:
    """Of falls that ended; one that begins with the recording counts."""
    lasting = find_recoveries(walk)
    return float(lasting.mean()) if len(lasting) else np.nan


@climbed("s", "the longest of the same", needs=FALLING, whole=True)
def recovery_time_max(walk: Walk) -> float:
    lasting = find_recoveries(walk)
    return float(lasting.max()) if len(lasting) else np.nan


def find_recoveries(walk: Walk) -> Floats:
    """How long each fall lasted that ended, s."""
    begin, end = find_falls(walk).T
    return np.asarray((end - begin)[np.isfinite(end)])


@climbed("1", "share of time that it falls", needs=FALLING, whole=True)
def falling_share(walk: Walk) -> float:
    return find_share(walk, ~find_walking(walk))


@climbed("1", "1: it falls in the last frame, 0: it walks", needs=FALLING, whole=True)
def falling_end(walk: Walk) -> float:
    return float(not find_walking(walk)[-1])


def has_size(recording: "Recording", name: str) -> bool:
    return any(recording.has_static(f"{name}.{one}") for one in ("body_length", "body_size"))


def find_length(walk: Walk) -> float:
    """Of the body, or the longest edge of an object, cm."""
    if walk.recording.has_static(f"{walk.name}.body_length"):
        return float(walk.static("body_length"))
    return float(walk.static("body_size").max())


def find_depths(walk: Walk) -> Floats:
    """How deep each part is inside what it touches [frame, body], of its length."""
    depth = walk.read("depth")
    return np.asarray(depth.reshape(len(depth), -1) / find_length(walk))


@walked(
    "1",
    "deepest of a part in a surface, of its length",
    needs=DEPTHS,
    whole=True,
    where=has_size,
    kinds=BODIES,
)
def depth_max(walk: Walk) -> float:
    return float(find_depths(walk).max(initial=0.0))


@walked(
    "s",
    "longest that a part is deeper than 3 % of that",
    needs=DEPTHS,
    whole=True,
    where=has_size,
    kinds=BODIES,
)
def deep_time(walk: Walk) -> float:
    if not walk.seconds > 0:
        return np.nan
    frames = [
        int(stop - first) for part in find_depths(walk).T for first, stop in list_rows(part > DEEP)
    ]
    return max(frames, default=0) * float(find_intervals(walk)[1:].mean())


@climbed("erg", "lost in contacts", needs=("contact_energy",), whole=True)
def contact_energy(walk: Walk) -> float:
    energy = walk.read("contact_energy")
    return float(energy[-1] - energy[0])


@climbed(
    "1",
    "energy lost in contacts over weight and path length",
    needs=("contact_energy", *PLACES),
    whole=True,
)
def contact_cost(walk: Walk) -> float:
    way, weight = path_length(walk), find_weight(walk)
    if not (way > STILL * float(walk.static("body_length")) and weight > 0):
        return np.nan
    return contact_energy(walk) / (weight * way)


@climbed("1", "largest force of a foothold, in weights", needs=("anchor_force",), whole=True)
def anchor_force_peak(walk: Walk) -> float:
    weight = find_weight(walk)
    return float(walk.read("anchor_force").max(initial=0.0)) / weight if weight > 0 else np.nan


@climbed("1", "the stronger of its brakes while it walks, mean", needs=BRAKES, whole=True)
def brake(walk: Walk) -> float:
    stronger = np.maximum(walk.read("brake_sense"), walk.read("brake_queue"))
    return find_mean_walking(walk, stronger)


@climbed("1", "by what it senses before it, largest", needs=BRAKES, whole=True)
def brake_sense_max(walk: Walk) -> float:
    return float(walk.read("brake_sense").max())


@climbed_by_part(
    "detail_share", "1", "of its time at a level of detail", needs=("detail",), whole=True
)
def find_detail_shares(walk: Walk) -> dict[str, float]:
    level = walk.read("detail")
    return {name: find_share(walk, level == k) for k, name in enumerate(LEVELS)}


@climbed("1", "changes of its level of detail", needs=("detail",), whole=True)
def detail_switches(walk: Walk) -> float:
    return float((np.diff(walk.read("detail")) != 0).sum())
