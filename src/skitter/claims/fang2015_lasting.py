"""Claims of Fang 2015 about cost: faster than real time, and for as long as one likes."""

import sys
import time
from functools import partial
from mmap import PAGESIZE
from pathlib import Path

import numpy as np

from skitter.claims.fang2015_scenes import (
    BODY,
    HILLS,
    NAME,
    PLANE,
    Terrain,
    build_mesh,
    build_scene,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.errors import UserError
from skitter.measure.plot import Curve, write_curves
from skitter.world import World

SPEED_RUNS = 12  # of a second each
MINUTES = 10
LOOKS = 10  # a second
ROUND = 24  # s of a circle, one to the left and one to the right
MEGABYTE = 2.0**20


@claim(
    id="fang2015/speed",
    paper="Fang 2013 section 6",
    statement="A myriapod of eighteen segments with all of its control runs many times faster than"
    " real time",
    scene="centipede18 on a plane and on the skull 60 cm long, one core, time step 1/3000 s",
    sense="at least",
    expected=1.0,
    why="worst share of its limit: 25,000 steps for a second of processor time on the plane, best"
    " of twelve runs of a second, and half of that on the mesh",
)
def measure_speed() -> Finding:
    worlds = {"plane": start_walk(PLANE), "skull": start_walk(build_mesh("skull"))}
    rates: dict[str, list[float]] = {name: [] for name in worlds}
    for _ in range(SPEED_RUNS):  # in turn, so that both have the machine alike
        for name, world in worlds.items():
            rates[name].append(time_steps(world))
    parts = {f"{name}.best": max(found) for name, found in rates.items()}
    parts |= {f"{name}.median": float(np.median(found)) for name, found in rates.items()}
    parts["skull / plane"] = parts["skull.best"] / parts["plane.best"]
    value = min(parts["plane.best"] / 25_000, parts["skull / plane"] / 0.5)
    curves = [Curve(name, range(SPEED_RUNS), found) for name, found in rates.items()]
    plot = partial(write_curves, curves=curves, labels=("run", "steps/s"), bounds=[25_000.0])
    return Finding(value, parts, plot)


def start_walk(terrain: Terrain) -> World:
    """A walk that is under way."""
    world = World.from_scene(build_scene("centipede18", terrain, seconds=60), threads=1)
    world.advance(1.0)
    return world


def time_steps(world: World) -> float:
    """Steps for a second of processor time, over a second of simulated time."""
    start = time.process_time()
    world.advance(1.0)
    return world.steps_per_frame * world.scene.spec.frame_rate / (time.process_time() - start)


@claim(
    id="fang2015/long-walk",
    paper="Fang 2015, robustness in general",
    statement="The simulation is robust: a myriapod walks on for as long as one likes",
    scene="a giant centipede led in figures of eight, 120 cm long, over hills for ten minutes",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: every number finite; 20 MB of memory gained after the first"
    " minute; segments off their height by 0.05 of a leg on average in the last minute, and by"
    " no more than twice the second minute's; the body's length changed by 5 %; and never farther"
    " than 180 cm from the start, where the hills end",
)
def measure_long_walk(minutes: int = MINUTES) -> Finding:
    commands = [
        {"time": ROUND * k, "speed": 8, "turn_deg": 360 / ROUND * (-1) ** k}
        for k in range(60 * minutes // ROUND + 1)
    ]
    scene = build_scene("giant_centipede", HILLS, seconds=60.0 * minutes, commands=commands)
    world = World.from_scene(scene)
    target, leg = (read_static(world, key) for key in ("segment_height_target", "leg_length"))
    leg, rest = leg.reshape(-1, 2).mean(axis=1), measure_body(world)
    errors, lengths, memory, away = [], [], [], []
    for _ in range(60 * minutes):
        for _ in range(LOOKS):
            world.advance(1 / LOOKS)
            height = world.read()[f"{NAME}.segment_height"]
            errors.append(np.abs(height - target).mean() / leg.mean())
            lengths.append(measure_body(world) / rest - 1)
        memory.append(read_memory())
        away.append(float(np.hypot(*world.read()[BODY][0, [0, 2]])))
    minute = np.reshape(errors, (minutes, -1)).mean(axis=1)
    parts = {
        "unknown": float(sum((~np.isfinite(x)).sum() for x in world.state().values())),
        "memory, MB": (max(memory[60:]) - memory[59]) / MEGABYTE,
        "height": float(minute[-1]),
        "height / second minute's": float(minute[-1] / minute[1]),
        "length": float(np.abs(lengths).max()),
        "away, cm": max(away),
    }
    limits = {"memory, MB": 20.0, "height": 0.05, "height / second minute's": 2.0, "length": 0.05}
    limits |= {"away, cm": 180.0}
    found = find_worst(parts, at_most=limits)
    curves = [Curve("height, leg", range(minutes), minute)]
    curves += [Curve("length", np.arange(len(lengths)) / (60 * LOOKS), np.abs(lengths))]
    plot = partial(write_curves, curves=curves, labels=("minutes", "error, relative"))
    return Finding(np.inf if parts["unknown"] else found.value, parts, plot)


def read_static(world: World, key: str) -> np.ndarray:
    return next(one.values for one in world.statics() if one.name == f"{NAME}.{key}")


def measure_body(world: World) -> float:
    """Length of the line through the middles of all parts, cm."""
    position = world.read()[BODY].astype(float)
    return float(np.linalg.norm(np.diff(position, axis=0), axis=1).sum())


def read_memory() -> float:
    """Bytes that the process holds; its peak where the system does not tell."""
    now = Path("/proc/self/statm")
    if now.exists():
        return float(now.read_text().split()[1]) * PAGESIZE
    try:
        import resource
    except ImportError:  # Windows
        raise UserError("this system does not tell how much memory a process holds") from None
    peak = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, others kB
