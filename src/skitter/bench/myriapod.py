"""`skitter bench myriapod`: walking creatures, everything on, by segments, creatures and terrain.

The baseline is real time, so the ratio is the real-time factor. One core steps one creature; with
several, each has a thread. The exponents say how the cost of a step grows with segments and of a
frame with creatures: 1 is linear.
"""

import time
from typing import Any

import numpy as np

from skitter.bench import Record, make_record
from skitter.world import World

SEGMENTS = (12, 18, 58, 200)
CREATURES = (1, 2, 4, 8, 16)
RATE = 3000.0  # steps per simulated second
APART = 12.0  # cm between creatures side by side
PLANE = {"shape": "plane"}
SKULL = {"shape": "mesh", "file": "skull", "at": [0, 0, 0], "size": 60}


def build_world(
    segments: int, count: int = 1, terrain: dict[str, Any] = PLANE, threads: int | None = None
) -> World:
    """So many creatures that walk side by side."""
    creatures = [
        {
            "species": "centipede18",
            "name": f"one_{number}",
            "at": [0, 60 if terrain is SKULL else 0, APART * number],
            "with": {"segments": segments},
        }
        for number in range(count)
    ]
    scene = {"title": "bench", "terrain": [terrain], "creatures": creatures}
    return World.from_scene(scene, threads=threads)


def time_frames(world: World, rounds: int = 24, frames: int = 5) -> float:
    """Seconds per frame, the best of many short runs, once all feet walk."""
    world.advance(0.5)
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(frames):
            world.advance()
        best = min(best, (time.perf_counter() - start) / frames)
    return float(best)


def measure_walk(id: str, world: World) -> Record:
    """Steps per second of all creatures together."""
    seconds = time_frames(world)
    steps = world.steps_per_frame / seconds
    return make_record(id, steps, "steps/s", RATE, creatures=len(world.creatures))


def fit_exponent(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Slope of time over size, both as logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def run_myriapod() -> list[Record]:
    by_segments = [
        measure_walk(f"myriapod-{count}-segments", build_world(count)) for count in SEGMENTS
    ]
    by_count = [
        measure_walk(f"myriapod-18-segments-{count}-creatures", build_world(18, count, threads=1))
        for count in CREATURES
    ]
    skull = measure_walk("myriapod-18-segments-skull", build_world(18, terrain=SKULL))
    plane = by_segments[SEGMENTS.index(18)]
    skull |= {"baseline": plane["value"], "ratio": skull["value"] / plane["value"]}
    growth = [
        make_exponent("myriapod-growth-segments", SEGMENTS, by_segments),
        make_exponent("myriapod-growth-creatures", CREATURES, by_count),
    ]
    return [*by_segments, *by_count, skull, *growth]


def make_exponent(id: str, sizes: tuple[int, ...], records: list[Record]) -> Record:
    """The exponent of growth beside 1, which is linear."""
    exponent = fit_exponent(sizes, [1 / record["value"] for record in records])
    return make_record(id, exponent, "1", 1.0)
