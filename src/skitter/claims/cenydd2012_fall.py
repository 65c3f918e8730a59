"""Claims of Cenydd 2012 about losing hold: falling, getting up again, slipping on glass."""

from functools import partial
from typing import Any

import numpy as np

from skitter.claims.cenydd2012_scenes import (
    FLOOR,
    GLASS,
    ROUGH,
    START,
    TARANTULA,
    Floats,
    Track,
    build_scene,
    put,
    watch,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.plot import Curve, write_bars, write_curves

DROPS, GOOD_DROPS = 20, 18
DROP_HEIGHT, DROP_SPEED, DROP_SECONDS = 12.0, 6.0, 6.5  # cm, cm/s and s
IN_TIME = 5.0  # s
APART = 45.0  # cm
WALKS, UPRIGHT = 0.5, 0.7  # of the speed it is led at; cosine of its tilt
GOES_ON = 0.5  # s that it must walk on
DROPPED = ("up", "gravity_on", "falls", "recoveries", "body_position", "speed", "foot_held")
GLASS_SECONDS, GLASS_SPEED = 10.0, 7.0  # s and cm/s
RAMP_DEG = 40.0  # of glass on which any foot holds: less than 50
CLIMBED = 15.0  # cm, up a wall that holds
STAYS_BELOW = 0.3  # of what it climbs on a rough wall
SLIPS = 10.0  # of feet
AS_FAST = 0.6  # of the way up a rough ramp
CLIMBED_SEEN = ("body_position", "up", "slips", "falls", "gravity_on")


@claim(
    id="cenydd2012/falls-and-recovers",
    paper="Cenydd 2012 section 7",
    statement="Dropped at random, even on its back, it lands, rights itself and walks again",
    scene=f"{DROPS} tarantulas dropped from {DROP_HEIGHT:g} cm in random orientations",
    sense="at least",
    expected=float(GOOD_DROPS),
    unit=f"of {DROPS}",
    why=f"upright, with gravity off and at half of its speed or more for half a second, which began"
    f" within {IN_TIME:g} s of being let go",
)
def measure_drops() -> Finding:
    tracks = watch(build_drops(), DROPPED, seconds=DROP_SECONDS)
    times = {name: find_walk(track) for name, track in tracks.items()}
    known = np.array(list(times.values()))
    good = float((known <= IN_TIME).sum())
    parts = {f"{name}, s": seconds for name, seconds in times.items()}
    parts |= {"median, s": float(np.median(known)), "walk again": good}
    draw = partial(write_bars, values=times, label="s until it walks", bounds=[IN_TIME])
    return Finding(good, parts, draw)


def build_drops() -> dict[str, Any]:
    """All in one world, too far from each other to meet."""
    turns = draw_turns(DROPS)
    creatures = [
        put(APART * (k % 5), APART * (k // 5), speed=DROP_SPEED, name=f"drop_{k + 1}")
        | {"at": [APART * (k % 5), DROP_HEIGHT, APART * (k // 5)]}
        | {"turn_deg": [float(x) for x in turn], "start": "free"}
        for k, turn in enumerate(turns)
    ]
    return build_scene([FLOOR], creatures)


def draw_turns(count: int) -> Floats:
    """Orientations as turns about x, y and z, degrees, with ups spread evenly over the sphere.

    Heights of points on a spiral are even; the heading about it is random."""
    rng = np.random.default_rng(7)
    height = 1 - (2 * np.arange(count) + 1) / count  # of its up
    tilt = np.degrees(np.arccos(height))
    return np.stack([tilt, rng.uniform(0, 360, count), np.zeros(count)], axis=1)


def find_walk(track: Track) -> float:
    """Since when it walks for a while; infinite where never."""
    upright = track.read("up")[:, 1] > UPRIGHT
    going = track.read("speed") > WALKS * DROP_SPEED
    walks = upright & going & (track.read("gravity_on") == 0)
    frames = max(round(GOES_ON / float(track.time[1] - track.time[0])), 1)
    lasting = np.convolve(walks, np.ones(frames), "valid") >= frames - 0.5
    return float(track.time[np.argmax(lasting)]) if lasting.any() else np.inf


@claim(
    id="cenydd2012/glass-slips",
    paper="Cenydd 2012 sections 5.2 and 7",
    statement="On a wall of glass feet find no hold and it does not get up; on glass of less than"
    " 50 degrees they always do",
    scene=f"a tarantula at {GLASS_SPEED:g} cm/s towards a rough wall, a wall of glass (friction"
    f" {GLASS:g}), and up ramps of {RAMP_DEG:g} degrees of both, {GLASS_SECONDS:g} s",
    sense="at most",
    expected=1.0,
    why=f"worst share of its limit: it climbs at least {CLIMBED:g} cm up the rough wall and at most"
    f" {STAYS_BELOW:g} of that up the glass; at least {SLIPS:g} feet slip on it; and up the ramp of"
    f" glass it gets at least {AS_FAST:g} times as high as up the rough one, without a slip",
)
def measure_glass() -> Finding:
    tracks = watch(build_walls(), CLIMBED_SEEN, seconds=GLASS_SECONDS)
    ways = {name: climb(track) for name, track in tracks.items()}
    slips = {name: float(track.read("slips")[-1].sum()) for name, track in tracks.items()}
    parts = {f"{name}.cm": way for name, way in ways.items()}
    parts |= {f"{name}.slips of feet": count for name, count in slips.items()}
    parts |= {f"{name}.falls": float(track.read("falls")[-1]) for name, track in tracks.items()}
    parts |= {
        "up the rough wall": ways["rough_wall"],
        "glass over rough wall": ways["glass_wall"] / max(ways["rough_wall"], 1e-9),
        "slips on the wall": slips["glass_wall"],
        "glass over rough ramp": ways["glass_ramp"] / max(ways["rough_ramp"], 1e-9),
        "slips on the ramp": slips["glass_ramp"],
    }
    found = find_worst(
        parts,
        at_most={"glass over rough wall": STAYS_BELOW, "slips on the ramp": 0.5},
        at_least={
            "up the rough wall": CLIMBED,
            "slips on the wall": SLIPS,
            "glass over rough ramp": AS_FAST,
        },
    )
    curves = [
        Curve(name.replace("_", " "), track.time, track.read("body_position")[:, 0, 1])
        for name, track in tracks.items()
    ]
    return Finding(found.value, parts, partial(write_curves, curves=curves, labels=("s", "cm up")))


def climb(track: Track) -> float:
    """How much higher it was than at first, cm."""
    height = track.read("body_position")[:, 0, 1]
    return float(height.max() - height[0])


def build_walls() -> dict[str, Any]:
    """Four lanes side by side: walls 16 cm ahead, and ramps on which it stands."""
    terrain: list[dict[str, Any]] = [FLOOR | {"friction": ROUGH}]
    creatures = []
    lean = np.radians(RAMP_DEG)
    length, thick, width = 120.0, 10.0, 50.0
    for lane, (name, friction) in enumerate(
        (("rough_wall", ROUGH), ("glass_wall", GLASS), ("rough_ramp", ROUGH), ("glass_ramp", GLASS))
    ):
        z = 70.0 * lane
        it = put(0.0, z, speed=GLASS_SPEED, name=name, species=TARANTULA)
        box = {"shape": "box", "friction": friction}
        if name.endswith("wall"):
            terrain.append(box | {"at": [17, 40, z], "size": [2, 80, width]})
        else:  # its upper face goes through the start, with 20 cm of it below
            middle = np.array([np.cos(lean), np.sin(lean)]) * (length / 2 - 20)
            middle += np.array([np.sin(lean), -np.cos(lean)]) * thick / 2
            up = 20 * np.sin(lean)
            at = [float(middle[0]), float(middle[1] + up), z]
            terrain.append(
                box | {"at": at, "size": [length, thick, width], "turn_deg": [0, 0, RAMP_DEG]}
            )
            it |= {"at": [0.0, up + START, z], "turn_deg": [0, 0, RAMP_DEG]}
        creatures.append(it)
    return build_scene(terrain, creatures)
