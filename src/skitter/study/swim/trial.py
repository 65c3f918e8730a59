"""Trials of swimming: stable speed, and what it costs (Fang 2015 appendix C).

A school of swimmers with one frequency and several phase shifts swims in still water until all of
them keep their speed. Displacements and work are taken stroke by stroke: a path that curves a
little is then measured along itself, and the sway within a stroke is left out.

A slow swimmer takes half a minute to come to its speed, whose approach is geometric. So a trial may
begin with a guess of the speed, and ends when what is left to come, by Aitken's formula from the
last three windows, is a small share of the speed.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from skitter.control.swim import FREQUENCY, GOAL_FREQUENCY, GOAL_SHIFT, SHIFT
from skitter.creatures.physics import Physics
from skitter.creatures.school import School
from skitter.scene.spec import CreaturePlacement
from skitter.species.swimmer import SwimmerSpec
from skitter.state import State
from skitter.terrain import Terrain, build_terrain
from skitter.water.surface import WaterSurface, build_still_water

AT = (0.0, -0.3, 0.0)  # cm, where they begin: afloat


@dataclass(frozen=True)
class Protocol:
    """How a trial is made."""

    step_rate: float = 1000.0  # steps/s; speeds are those of three times as many within 0.6 %
    gravity: float = 981.0  # cm/s²
    water_density: float = 1.0  # g/cm³
    window: float = 2.0  # s, at least, over whole strokes
    settle: float = 2.0  # s before the first window, for the ramp
    longest: float = 60.0  # s
    tolerance: float = 0.005  # of the speed, that may be left to come
    still: float = 0.02  # cm/s, the same for one that hardly moves


@dataclass(frozen=True)
class Trial:
    """What came of a school: arrays [swimmer] but for the two courses [stroke, swimmer]."""

    speed: np.ndarray  # cm/s, over the last window; negative tail first
    power: np.ndarray  # erg/s, spent against water
    stable: np.ndarray  # bool
    seconds: float  # simulated
    speed_course: np.ndarray  # cm/s
    power_course: np.ndarray  # erg/s


@cache
def build_pool(density: float) -> tuple[Terrain, WaterSurface]:
    """Endless deep water that stays still."""
    return build_terrain([]), build_still_water(0.0, density)


@lru_cache(maxsize=4)
def keep_school(species: SwimmerSpec, count: int, protocol: Protocol) -> tuple[School, State]:
    """A school at rest and its state, to go back to: to build one takes as long as seconds of its
    swimming."""
    physics = Physics(1 / protocol.step_rate, protocol.gravity, np.float32)
    place = CreaturePlacement(species="school", at=AT)
    school = School(species, place, physics, np.zeros((count, 2)))
    return school, school.state()


def start_school(
    species: SwimmerSpec, strokes: np.ndarray, speeds: np.ndarray, protocol: Protocol
) -> School:
    """Swimmers with strokes [swimmer, 2] (Hz, rad) that glide ahead at some speeds [swimmer]. Only
    one school of a kind swims at a time."""
    school, rest = keep_school(species, len(strokes), protocol)
    school.restore(rest)
    items = school.swim_state.swimmer
    items[:, FREQUENCY] = items[:, GOAL_FREQUENCY] = strokes[:, 0]
    items[:, SHIFT] = items[:, GOAL_SHIFT] = strokes[:, 1]
    velocity = speeds[:, None] * find_ways(school)
    bodies, blocks = (len(n) // len(strokes) for n in (school.plan.rigid, school.plan.soft))
    poses = zip(school.body_centre, school.body_orientation, strict=True)
    for body, (centre, turn) in enumerate(poses):
        school.set_body(body, centre, turn, velocity[body // bodies], np.zeros(3))
    for block, places in enumerate(school.node_places):
        own = np.tile(velocity[block // blocks], (len(places), 1))
        school.write_nodes(school.soft_state.velocity, block, own)
    school.settle()
    return school


def find_ways(school: School) -> np.ndarray:
    """Level unit vectors from tail to head [swimmer, 3]."""
    middles = school.body_position.astype(float).reshape(school.count, -1, 3)
    ways = (middles[:, 0] - middles[:, -1]) * [1.0, 0.0, 1.0]
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True))


def try_strokes(
    species: SwimmerSpec,
    frequency: float,
    shifts: np.ndarray,
    *,
    guess: np.ndarray | float = 0.0,
    protocol: Protocol | None = None,
    seconds: float | None = None,
) -> Trial:
    """Swim with one frequency [Hz] and some phase shifts [rad] until all keep their speed, or for
    so many seconds. `guess` is the speed at which they begin, cm/s."""
    protocol = protocol or Protocol()
    strokes = np.column_stack([np.full(len(shifts), frequency), shifts])
    start = np.broadcast_to(np.asarray(guess, float), (len(shifts),))
    school = start_school(species, strokes, start, protocol)
    per_window = count_strokes(protocol.window, frequency)
    last = int((protocol.longest if seconds is None else seconds) * frequency)
    course: list[tuple[np.ndarray, np.ndarray]] = []
    while len(course) < last:
        course.append(make_stroke(school, frequency, len(course), protocol))
        ended = len(course) - count_strokes(protocol.settle, frequency)
        if seconds is not None or ended < 3 * per_window or ended % per_window:
            continue
        if is_stable(np.array(course)[:, 0], per_window, protocol).all():
            break
    speeds, powers = np.array(course).transpose(1, 0, 2)
    return Trial(
        speed=speeds[-per_window:].mean(axis=0),
        power=powers[-per_window:].mean(axis=0),
        stable=is_stable(speeds, per_window, protocol),
        seconds=len(speeds) / frequency,
        speed_course=speeds,
        power_course=powers,
    )


def count_strokes(seconds: float, frequency: float) -> int:
    """Whole strokes that take so long, or a little longer."""
    return max(1, int(np.ceil(seconds * frequency - 1e-9)))


def make_stroke(
    school: School, frequency: float, number: int, protocol: Protocol
) -> tuple[np.ndarray, np.ndarray]:
    """One stroke: speed [cm/s] and power [erg/s] of each. Strokes end on the nearest step."""
    terrain, water = build_pool(protocol.water_density)
    begin, end = (round(k * protocol.step_rate / frequency) for k in (number, number + 1))
    before, way = school.middles, find_ways(school)
    school.advance(end - begin, terrain, None, water)
    seconds = (end - begin) / protocol.step_rate
    moved = (school.middles - before) * [1.0, 0.0, 1.0]
    sign = np.where((moved * way).sum(axis=1) < 0, -1.0, 1.0)
    return sign * np.linalg.norm(moved, axis=1) / seconds, school.take_work() / seconds


def is_stable(speeds: np.ndarray, per_window: int, protocol: Protocol) -> np.ndarray:
    """Whether so little is left to come [swimmer], from speeds [stroke, swimmer]."""
    if len(speeds) < 3 * per_window:
        return np.zeros(speeds.shape[1], bool)
    windows = speeds[len(speeds) - 3 * per_window :].reshape(3, per_window, -1).mean(axis=1)
    left = estimate_left(windows)
    allowed = np.maximum(protocol.tolerance * np.abs(windows[2]), protocol.still)
    return np.asarray(left <= allowed)


def estimate_left(windows: np.ndarray) -> np.ndarray:
    """How far three numbers [3, n] that approach a limit geometrically are still from it [n]."""
    before, after = np.diff(windows, axis=0)
    shrinks = (before * after > 0) & (np.abs(after) < np.abs(before))
    gain = np.where(shrinks, before - after, 1.0)
    return np.where(shrinks, np.abs(after**2 / gain), np.abs(after))
