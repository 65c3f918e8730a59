"""A claim of Cenydd 2012 about objects: light ones are knocked aside, heavy ones climbed."""

from typing import Any

import numpy as np

from skitter.claims.cenydd2012_scenes import FLOOR, Now, Track, build_scene, put, watch
from skitter.claims.registry import Finding, claim, find_worst

SECONDS, SPEED = 20.0, 7.0  # s at most, and cm/s
SETTLED = 0.5  # s, until when blocks lie still
LANE = 60.0  # cm from one to the other
SMALL, LIGHT = 1.2, 0.1  # cm and g/cm3: 0.17 g, a hundredth of the tarantula
BAR, HEAVY = (9.0, 2.6, 20.0), 2.5  # cm along, up and across, and g/cm3: 1.2 kg
BLOCKS = 14
MOVED, MANY, STILL = 0.3, 4.0, 0.05  # cm, blocks, cm
ON_TOP, STAYS_LOW = 0.8, 1.0  # of the bar's height, and of a small block's
CHANNELS = ("body_position", "falls")


@claim(
    id="cenydd2012/pushes-light-climbs-heavy",
    paper="Cenydd 2012 section 8.4",
    statement="It knocks light objects in its path aside, and walks on top of larger, heavier ones",
    scene=f"a tarantula at {SPEED:g} cm/s through {BLOCKS} blocks of {SMALL:g} cm and 0.17 g, and"
    f" another over a bar {BAR[1]:g} cm high of 1.2 kg, {SECONDS:g} s at most",
    sense="at most",
    expected=1.0,
    why=f"worst share of its limit: at least {MANY:g} light blocks are moved by more than {MOVED:g}"
    f" cm, without its body being lifted by the height of one; the bar moves less than {STILL:g}"
    f" cm, and its body passes it at least {ON_TOP:g} of the bar's height higher than on the"
    " ground. Neither falls",
)
def measure_objects() -> Finding:
    tracks = watch(build_lanes(), CHANNELS, seconds=SECONDS, until=are_past)
    ways = [find_way(track) for name, track in tracks.items() if name.startswith("light")]
    light, heavy = tracks["pusher"], tracks["climber"]
    parts = {
        "light ones moved": float(np.sum(np.array(ways) > MOVED)),
        "light, farthest, cm": float(max(ways)),
        "bar, cm": find_way(tracks["bar"]),
        "pusher lifted, of a block": find_rise(light) / SMALL,
        "climber lifted, of the bar": find_rise(heavy) / BAR[1],
        "climber past it": float(heavy.read("body_position")[-1, 0, 0] > BAR[0] / 2),
        "pusher past them": float(light.read("body_position")[-1, 0, 0] > 0),
        "falls": float(light.read("falls")[-1] + heavy.read("falls")[-1]),
    }
    return find_worst(
        parts,
        at_least={
            "light ones moved": MANY,
            "climber lifted, of the bar": ON_TOP,
            "climber past it": 1.0,
            "pusher past them": 1.0,
        },
        at_most={"bar, cm": STILL, "pusher lifted, of a block": STAYS_LOW, "falls": 0.5},
    )


def are_past(now: Now) -> bool:
    """Whether both have what was in their way behind them."""
    light, heavy = (now[f"{name}.body_position"][0, 0] for name in ("pusher", "climber"))
    return bool(light > 0 and heavy > BAR[0] / 2)


def build_lanes() -> dict[str, Any]:
    """Two lanes, in each a tarantula that waits until the objects lie still."""
    led = [{"time": 0, "speed": 0}, {"time": SETTLED, "speed": SPEED}]
    small: dict[str, Any] = {
        "species": "block",
        "name": "light",
        "at": [0, SMALL, 0],
        "count": BLOCKS,
        "seed": 1,
    }
    small |= {"area": [8, 12], "with": {"size": [SMALL] * 3, "density": LIGHT}}
    bar: dict[str, Any] = {"species": "block", "name": "bar", "at": [0, BAR[1], LANE]}
    bar |= {"with": {"size": list(BAR), "density": HEAVY}}
    walkers = [
        put(-16.0, lane * LANE, name=name) | {"commands": led}
        for lane, name in enumerate(("pusher", "climber"))
    ]
    return build_scene([FLOOR], [*walkers, small, bar])


def find_way(track: Track) -> float:
    """How far an object was moved over the ground since it lay still, cm."""
    place = track.read("body_position")[track.time >= SETTLED - 1e-9, 0][:, [0, 2]]
    return float(np.linalg.norm(place - place[0], axis=1).max())


def find_rise(track: Track) -> float:
    """How much higher the thorax was than as it stood, cm."""
    height = track.read("body_position")[track.time >= SETTLED - 1e-9, 0, 1]
    return float(height.max() - height[0])
