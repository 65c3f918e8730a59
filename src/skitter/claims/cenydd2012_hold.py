"""What must hold wherever climbers are: feet that stand do not slip, nothing sinks into a surface.

Not of the paper, which shows it in pictures: our own bounds, over all built-in scenes of climbers
and on meshes from outside: those of the folder that SKITTER_MESH_DATA names, or that lies beside a
checkout.
"""

import os
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from skitter.claims.cenydd2012_scenes import ROUGH, TARANTULA, build_scene
from skitter.claims.fang2015_scenes import OUTSIDE
from skitter.claims.registry import Finding, claim
from skitter.measure.articulated import Walk
from skitter.measure.climber_gait import stance_slip_max
from skitter.measure.climber_way import deep_time, depth_max
from skitter.measure.plot import write_bars
from skitter.runner import run

SCENES = {  # and for how many seconds
    "tarantula": 6.0,
    "cube_inside": 8.0,
    "precipice": 6.0,
    "block_pile": 7.0,
    "glass_wall": 6.0,
    "torus_knot": 6.0,
    "forest_floor": 4.0,
    "spider_crowd": 2.0,
    "zoo": 2.0,
}
MESH_DATA = "SKITTER_MESH_DATA"  # names a folder
MESH_SIZE, MESH_SECONDS = 60.0, 5.0  # cm and s
SLIP, DEEP_SECONDS = 0.01, 0.2  # of a leg's length, and s
CLIMBERS, OBJECTS = "climber", "object"


def list_meshes() -> list[Path]:
    """Mesh files from outside, if there are any."""
    return sorted(Path(os.environ.get(MESH_DATA) or OUTSIDE).glob("*.obj"))


def build_mesh_scene(path: Path) -> dict[str, Any]:
    """A tarantula dropped onto a mesh from above."""
    mesh = {"shape": "mesh", "file": str(path), "at": [0, 0, 0], "size": MESH_SIZE}
    it = {"species": TARANTULA, "name": TARANTULA, "at": [0, MESH_SIZE / 2 + 3, 0]}
    return build_scene([mesh | {"friction": ROUGH}], [it])


@cache
def tell(scene: str) -> dict[str, float]:
    """The worst of all climbers and objects of a scene, or of a mesh's path."""
    known = scene in SCENES
    source: str | dict[str, Any] = scene if known else build_mesh_scene(Path(scene))
    recording = run(source, seconds=SCENES.get(scene, MESH_SECONDS))
    walks: dict[str, list[Walk]] = {CLIMBERS: [], OBJECTS: []}
    for creature in recording.creatures:
        if creature["kind"] in walks:
            one = Walk(recording, creature["name"], slice(0, recording.frame_count))
            walks[creature["kind"]].append(one)
    both = walks[CLIMBERS] + walks[OBJECTS]
    return {
        "slip": take_most([stance_slip_max(one) for one in walks[CLIMBERS]]),
        "deep, s": take_most([deep_time(one) for one in both]),
        "depth": take_most([depth_max(one) for one in both]),
        "falls": float(sum(one.read("falls")[-1] for one in walks[CLIMBERS])),
    }


def take_most(values: list[float]) -> float:
    """The largest that is known."""
    known = [value for value in values if np.isfinite(value)]
    return float(max(known)) if known else np.nan


def tell_all() -> dict[str, dict[str, float]]:
    return {name: tell(name) for name in SCENES} | {
        path.stem: tell(str(path)) for path in list_meshes()
    }


def find_most(key: str, bound: float, label: str) -> Finding:
    """The worst of all scenes by one of their numbers."""
    told = tell_all()
    values = {name: one[key] for name, one in told.items()}
    parts = {f"{name}.{what}": x for name, one in told.items() for what, x in one.items()}
    draw = partial(write_bars, values=values, label=label, bounds=[bound])
    unknown = any(np.isnan(value) for value in values.values())
    return Finding(np.inf if unknown else max(values.values()), parts, draw)


@claim(
    id="cenydd2012/stance-holds",
    paper="Cenydd 2012 section 5.1; the bound is ours",
    statement="A foot that stands stays where it came down",
    scene="all built-in scenes of climbers, 2 to 8 s each, and meshes from outside",
    sense="at most",
    expected=SLIP,
    unit="of the leg's length",
    why="the farthest that any foot was from where it came down while it stood; on what moves, from"
    " its place there",
)
def measure_slip() -> Finding:
    return find_most("slip", SLIP, "of the leg's length")


@claim(
    id="cenydd2012/nothing-sinks-in",
    paper="Cenydd 2012 section 8; the bound is ours",
    statement="No part of a body lies inside a surface",
    scene="all built-in scenes of climbers, 2 to 8 s each, and meshes from outside",
    sense="at most",
    expected=DEEP_SECONDS,
    unit="s",
    why="the longest time on end that a part was inside by more than 3 % of the body's length",
)
def measure_depth() -> Finding:
    return find_most("deep, s", DEEP_SECONDS, "s")
