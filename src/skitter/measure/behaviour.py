"""Measures of what creatures are about: hunting, defence, foraging. See control/behaviour.py."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.table import has, measured, measured_once

if TYPE_CHECKING:
    from skitter.record import Recording

# as recorded: "0 FREE, 1 CHASE, ..."
BEHAVIOURS = (
    "FREE", "CHASE", "BITE", "PROBE", "EAT", "FLEE", "COIL", "COILED", "UNCOIL", "DEAD", "SEARCH",
    "FETCH", "HOME", "FOLLOW",
)  # fmt: skip


def read_last(recording: "Recording", name: str, label: str) -> float:
    return float(np.asarray(recording[f"{name}.{label}"][-1:])[0])


def count_seconds(recording: "Recording", name: str, *kinds: str) -> float:
    """How long it did one of some things, s; each frame but the first stands for the time since
    the one before."""
    wanted = [BEHAVIOURS.index(kind) for kind in kinds]
    does = np.isin(np.asarray(recording[f"{name}.behaviour"][1:]), wanted)
    return float(np.diff(np.asarray(recording.time))[does].sum())


def share_of_time(recording: "Recording", name: str, *kinds: str) -> float:
    whole = float(recording.time[-1] - recording.time[0])
    return count_seconds(recording, name, *kinds) / whole if whole > 0 else float("nan")


@measured("1", "prey that it has begun to run after", where=has("chases"))
def chases(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "chases")


@measured("1", "prey that it has caught", where=has("catches"))
def catches(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "catches")


@measured("1", "prey that it has lost or given up", where=has("escapes"))
def escapes(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "escapes")


@measured("s", "that it has tried at coiled prey", where=has("catches", "behaviour"))
def probe_time(recording: "Recording", name: str) -> float:
    return count_seconds(recording, name, "PROBE")


@measured("1", "times that a hunter came near", where=has("attacks"))
def attacks(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "attacks")


@measured("s", "that it was coiled, winding up and unwinding left out", where=has("coil"))
def coiled_time(recording: "Recording", name: str) -> float:
    return count_seconds(recording, name, "COILED")


@measured("s", "that it has lived", where=has("alive"))
def life_time(recording: "Recording", name: str) -> float:
    alive = np.asarray(recording[f"{name}.alive"][1:]) > 0
    return float(np.diff(np.asarray(recording.time))[alive].sum())


@measured("1", "pieces of food picked up", where=has("fetched"))
def food_fetched(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "fetched")


@measured("1", "pieces of food brought to the nest", where=has("brought"))
def food_brought(recording: "Recording", name: str) -> float:
    return read_last(recording, name, "brought")


@measured("1", "share of time that it follows a trail", where=has("trail_felt", "behaviour"))
def trail_share(recording: "Recording", name: str) -> float:
    return share_of_time(recording, name, "FOLLOW")


@measured_once("food_brought", "1", "pieces of food that all have brought to the nest")
def food_brought_by_all(recording: "Recording") -> float:
    names = [one["name"] for one in recording.creatures if f"{one['name']}.brought" in recording]
    return sum((food_brought(recording, name) for name in names), 0.0) if names else float("nan")


@measured_once("pheromone", "1", "on the ground at the end, all of it")
def pheromone(recording: "Recording") -> float:
    if "trail" not in recording:
        return float("nan")
    cell = float(recording.static("trail_cell"))
    return float(np.asarray(recording["trail"][-1:], float).sum()) * cell**2
