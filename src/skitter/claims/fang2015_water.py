"""Claims of Fang 2015 about water: what floats, wakes, foraging, and the way in and out."""

from functools import partial
from typing import Any

import numpy as np

from skitter.claims.fang2015_scenes import GROUND
from skitter.claims.registry import Finding, claim, find_worst
from skitter.control.walker import BODY_MODES, GROUND_TO_WATER, IN_WATER, ON_GROUND
from skitter.creatures.figure import Figure
from skitter.creatures.myriapod import Myriapod
from skitter.measure.plot import Curve, write_curves
from skitter.runner import run
from skitter.world import World

DENSITIES = (0.5, 0.8, 1.2, 2.0)
CUBE = 2.0  # cm
DEEP = 9.0  # cm
HEADINGS = 12
SHORES: dict[str, list[dict[str, Any]]] = {
    "island": [
        {
            "shape": "heightfield",
            "at": [0, -7, 0],
            "hills": [{"at": [0, 0], "height": 12, "width": [14, 14]}],
            "size": [200, 200],
        }
    ],
    "pillar": [
        {"shape": "cylinder", "at": [0, -3, 0], "radius": 16, "length": 9},
        {"shape": "plane", "at": [0, -7, 0]},
    ],
    "shore": [
        {
            "shape": "heightfield",
            "at": [0, 2, 0],
            "hills": [{"at": [0, 0], "height": -9, "width": [16, 16]}],
            "size": [160, 160],
        }
    ],
}


def cube_scene() -> dict[str, Any]:
    """Rigid and soft cubes of four densities, all just under the surface of still water."""
    creatures = []
    for k, density in enumerate(DENSITIES):
        box = {"name": "cube", "shape": "box", "size": [CUBE] * 3, "density": density}
        jelly = {"name": "cube", "shape": "jelly", "size": [CUBE] * 3, "cells": [4, 4, 4]}
        material = {"young": 60000, "density": density}
        x, name = 6.0 * k, f"{density:g}".replace(".", "_")
        creatures.append({"species": "cube", "name": f"rigid_{name}", "at": [x, -2, 4],
                          "with": {"parts": [box]}})  # fmt: skip
        creatures.append({"species": "jelly_cube", "name": f"soft_{name}", "at": [x, -2, -4],
                          "with": {"parts": [jelly], "material": material}})  # fmt: skip
    return {
        "title": "Cubes of four densities",
        "seconds": 12,
        "time_step": 1 / 2000,
        "water": {"level": 0, "waves": False},
        "terrain": [{"shape": "plane", "at": [0, -DEEP, 0]}],
        "creatures": creatures,
    }


@claim(
    id="fang2015/density-sinks-or-floats",
    paper="Fang 2015 section 5.2, figure 5.4",
    statement="Bodies lighter than water float, heavier ones sink, rigid and soft alike",
    scene="cubes of 2 cm, rigid and soft, of 0.5, 0.8, 1.2 and 2 g/cm3, let go below the surface;"
    " 12 s",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: draught of a floating cube within 0.05 of its density (rigid) or"
    " 0.15 (soft, whose nodes go under one cell at a time), of its height; sunken ones no farther"
    " than 0.15 cm from lying on the ground",
)
def measure_floating() -> Finding:
    recording = run(cube_scene())
    parts, curves = {}, []
    for one in recording.creatures:
        name = one["name"]
        kind, density = name.split("_", 1)
        density = float(density.replace("_", "."))
        heights = find_heights(recording, name)
        curves.append(Curve(name, recording.time, heights))
        last = float(heights[-30:].mean())
        if density < 1:
            draught = (CUBE / 2 - last) / CUBE
            parts[f"{name}.{kind} draught"] = abs(draught - density)
        else:
            parts[f"{name}.sunken"] = abs(last - (CUBE / 2 - DEEP))
    limits = {"rigid draught": 0.05, "soft draught": 0.15, "sunken": 0.15}
    found = find_worst(parts, at_most=limits)
    plot = partial(write_curves, curves=curves, labels=("s", "height of the middle, cm"))
    return Finding(found.value, found.parts, plot)


def find_heights(recording: Any, name: str) -> np.ndarray:
    """Height of a creature's middle over time, cm."""
    if f"{name}.body_position" in recording:
        return np.asarray(recording[f"{name}.body_position"][:, 0, 1], float)
    return np.asarray(recording[f"{name}.node_position"][:, :, 1], float).mean(axis=1)


@claim(
    id="fang2015/land-to-water",
    paper="Fang 2015 section 6.3, figure 6.5",
    statement="A centipede walks down into a pool, tucks its legs one by one, and swims off",
    scene="a waterfall centipede before a round hollow with water, from twelve places around it,"
    " towards the middle; 14 s",
    sense="at least",
    expected=float(HEADINGS),
    why="ways on which the body's mode goes ON_GROUND, GROUND_TO_WATER, IN_WATER and it then swims"
    " half its length; all of them",
)
def measure_entering() -> Finding:
    parts = {}
    for k in range(HEADINGS):
        sequence, swum = enter(360 * k / HEADINGS)
        good = [ON_GROUND, GROUND_TO_WATER, IN_WATER]
        parts[f"from {360 * k // HEADINGS} degrees"] = float(
            sequence[: len(good)] == good and swum > 0.5
        )
    return Finding(sum(parts.values()), parts)


def enter(degrees: float) -> tuple[list[int], float]:
    """Body modes in their order, and how far it swam, of its length, from a place on the bank."""
    angle = np.radians(degrees)
    at = [-42 * np.cos(angle), 4, 42 * np.sin(angle)]
    scene = shore_scene("shore", at, degrees, start="stand", bout=100.0)
    scene["creatures"][0]["commands"] = [{"speed": 7.5}]
    world = World.from_scene(scene)
    return follow_modes(world, 14, until=None)


def shore_scene(
    shore: str, at: list[float], degrees: float, *, start: str, bout: float
) -> dict[str, Any]:
    """A centipede at a place, cm, on a shore, turned by degrees, that swims for a bout, s."""
    return {
        "title": "Between land and water",
        "water": {"level": 0, "waves": False},
        "terrain": [item | GROUND for item in SHORES[shore]],
        "creatures": [
            {
                "species": "waterfall_centipede",
                "at": at,
                "turn_deg": [0, degrees, 0],
                "start": start,
                "with": {"swim": {"bout": bout}},
            }
        ],
    }


def follow_modes(world: World, seconds: float, until: int | None) -> tuple[list[int], float]:
    """The body's modes in their order, and the way of its middle while it swam, of its length."""
    one = world.creatures[0]
    assert isinstance(one, Myriapod)
    sequence: list[int] = []
    swum, before = 0.0, one.body_position.mean(axis=0)
    length = float(np.linalg.norm(np.diff(one.body_position, axis=0), axis=1).sum())
    while world.time < seconds:
        world.advance()
        middle = one.body_position.mean(axis=0)
        mode = int(one.walker_state.body_mode[0])
        swum += float(np.linalg.norm(middle - before)) if mode == IN_WATER else 0.0
        before = middle
        sequence += [mode] if not sequence or sequence[-1] != mode else []
        if mode == until and len(sequence) > 2:
            break
    world.close()
    return sequence, swum / length


@claim(
    id="fang2015/water-to-land",
    paper="Fang 2015 section 6.3, figure 6.6",
    statement="A swimming centipede reaches land, its head first, and walks out of the water",
    scene="a waterfall centipede let into a lake, in twelve headings each: 36 cm from the middle of"
    " an island of Gaussian shape, as far from an upright pillar 32 cm wide, and in the middle of a"
    " round lake with Gaussian shores; 40 s",
    sense="at least",
    expected=3.0 * HEADINGS,
    why="runs whose modes go IN_WATER, WATER_TO_GROUND, ON_GROUND; all of them",
)
def measure_leaving() -> Finding:
    parts = {}
    for shore, x in (("island", -36.0), ("pillar", -36.0), ("shore", 0.0)):
        for k in range(HEADINGS):
            degrees = 360 * k / HEADINGS
            sequence = leave(shore, x, degrees)
            names = [BODY_MODES[mode] for mode in sequence]
            good = ["WATER_TO_GROUND", "ON_GROUND"]
            parts[f"{shore}, {degrees:g} degrees"] = float(
                names[-2:] == good and "IN_WATER" in names
            )
    return Finding(sum(parts.values()), parts)


def leave(shore: str, x: float, degrees: float) -> list[int]:
    """Body modes of one that is let into the water and would come out."""
    angle = np.radians(degrees)
    at = [x + 10 * np.cos(angle), -0.3, -10 * np.sin(angle)]
    world = World.from_scene(shore_scene(shore, at, degrees, start="free", bout=1.0))
    return follow_modes(world, 40, until=ON_GROUND)[0]


POOL = [110.0, 80.0]  # cm
PIECES = 8
ROUNDS = range(4)  # seeds


def pool_scene() -> dict[str, Any]:
    """An eel with eyes in a walled pool with posts and food; the water is still."""
    x, z = POOL[0] / 2, POOL[1] / 2
    walls = [([s * (x + 1), 0, 0], [2, 8, 2 * z + 4]) for s in (-1, 1)]
    walls += [([0, 0, s * (z + 1)], [2 * x + 4, 8, 2]) for s in (-1, 1)]
    posts = {"shape": "scatter", "at": [0, -3, 0], "count": 5, "area": [80, 50], "gap": 12}
    return {
        "title": "An eel forages in a pool",
        "seconds": 120,
        "frame_rate": 30,
        "time_step": 1 / 2000,
        "water": {"level": 0, "waves": False},
        "terrain": [{"shape": "plane", "at": [0, -6, 0]}]
        + [{"shape": "box", "at": at, "size": size} for at, size in walls],
        "creatures": [{"species": "eel", "at": [0, -0.3, 0], "with": {"eyes": {}}}],
        "obstacles": [posts | {"radius": [1.5, 2.5], "height": 12}],
        "food": [{"count": PIECES, "area": [90, 60], "radius": 0.6}],
    }


@claim(
    id="fang2015/forages-in-water",
    paper="Fang 2015 section 5.5, figure 5.12",
    statement="A swimmer sees food and turns to it, and turns away from walls and posts",
    scene="an eel in a pool of 110 x 80 cm with five posts and eight pieces of food at random, two"
    " minutes, four seeds",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at least six of eight pieces eaten, and the head never farther"
    " inside a wall than 0.2 cm (it may touch one)",
)
def measure_foraging() -> Finding:
    parts, curves = {}, []
    for seed in ROUNDS:
        recording = run(pool_scene(), seed=seed)
        eaten = np.asarray(recording["eel.food_eaten"][:])
        head = np.asarray(recording["eel.body_position"][:, 0], float)
        beyond = np.abs(head[:, [0, 2]]) - np.array(POOL) / 2
        parts[f"seed {seed}.eaten"] = float(eaten[-1])
        parts[f"seed {seed}.inside"] = max(float(beyond.max()), 0.0)
        curves.append(Curve(f"seed {seed}", recording.time, eaten))
    found = find_worst(parts, at_most={"inside": 0.2}, at_least={"eaten": 6.0})
    plot = partial(write_curves, curves=curves, labels=("s", "pieces eaten"), bounds=[6.0])
    return Finding(found.value, found.parts, plot)


CELL = 0.4  # cm, of the water behind the swimmer
WAKE = (2.0, 24.0)  # cm behind the tail
HALF_WAKE = 5.0  # cm to either side of its middle


@claim(
    id="fang2015/vortex-rows",
    paper="Fang 2015 section 5.3, figure 5.7",
    statement="Behind the swimmer the water turns in two rows of vortices, by turns one way and the"
    " other",
    scene="an eel at 1.5 Hz and 0.34 pi in open water 4 cm deep, whose grid of 0.4 cm goes with it,"
    " after 10 s; the wake from 2 to 24 cm behind its tail",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: the vorticity along the middle of the wake changes its sign at"
    " least four times; the left and the right half turn in opposite ways, each with a tenth"
    " or more of all circulation",
    quick=True,
)
def measure_vortices() -> Finding:
    world = World.from_scene(wake_scene())
    world.advance(10.0)
    eel, water = world.creatures[0], world.water
    assert isinstance(eel, Figure) and water is not None and water.pool is not None
    u, w = (np.asarray(values, float) for values in (water.pool.u, water.pool.w))
    # at the corners between cells
    spin = (np.diff(w[:, 1:-1], axis=0) - np.diff(u[1:-1], axis=1)) / CELL
    corners = water.origin + CELL / 2
    tail = eel.body_position[-1, [0, 2]].astype(float) - corners
    world.close()
    return describe_wake(spin, tail)


def wake_scene() -> dict[str, Any]:
    """An eel in open water that is fine enough for its wake."""
    stroke = {"frequency": 1.5, "phase_deg": 61}
    return {
        "title": "The wake of an eel",
        "time_step": 1 / 2000,
        "water": {"depth": 4, "area": [72, 48], "cell": CELL, "edges": "open", "follow": "eel"},
        "terrain": [{"shape": "plane", "at": [0, -4, 0]}],
        "creatures": [{"species": "eel", "at": [0, -0.3, 0], "with": {"swim": stroke}}],
    }


def describe_wake(spin: np.ndarray, tail: np.ndarray) -> Finding:
    """How the water behind a tail turns: the eel swims along x, `tail` from the first corner."""
    x, z = (CELL * np.arange(count) for count in spin.shape)
    behind = (x < tail[0] - WAKE[0]) & (x > tail[0] - WAKE[1])
    wake, x = spin[behind], x[behind]
    strength = np.abs(wake)
    middle = np.polyval(np.polyfit(x, (strength * z).sum(axis=1) / strength.sum(axis=1), 1), x)
    side = z - middle[:, None]
    wake = np.where(np.abs(side) < HALF_WAKE, wake, 0.0)
    along = wake[np.arange(len(x)), np.abs(side).argmin(axis=1)]
    left, right = wake[side < 0].sum(), wake[side > 0].sum()
    share = min(abs(left), abs(right)) / np.abs(wake).sum() * (left * right < 0)
    changes = int((np.diff(np.sign(along)) != 0).sum())
    parts = {"sign changes": float(changes), "weaker row": float(share)}
    found = find_worst(parts, at_least={"sign changes": 4.0, "weaker row": 0.1})
    curves = [Curve("middle of the wake", x - tail[0], along)]
    labels = ("cm behind the tail", "vorticity, 1/s")
    return Finding(found.value, found.parts, partial(write_curves, curves=curves, labels=labels))
