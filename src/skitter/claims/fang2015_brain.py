"""Claims of Fang 2015 about the brain: what it is drawn to, and what comes first."""

from functools import partial
from typing import Any

import numpy as np

from skitter.claims.fang2015_scenes import BODY, NAME, PLANE, build_scene
from skitter.claims.registry import Finding, claim, find_worst
from skitter.control.walker import AVOIDANCE, TROPHOTROPISM
from skitter.measure import footing
from skitter.measure.plot import Curve, write_curves
from skitter.runner import run

GIANT = "giant_centipede"
SEEDS = range(5)
AREA = [120, 120]  # cm
POSTS = {"shape": "scatter", "count": 10, "radius": [1.5, 3], "gap": 8, "height": 5, "area": AREA}
WALL = {"shape": "box", "at": [15.5, 2, 0], "size": [1, 4, 40]}
FOOD_BEHIND = {"at": [24, 0, 0]}


@claim(
    id="fang2015/forages",
    paper="Fang 2015 sections 3.6 and 4.4",
    statement="A myriapod finds food by smell, and its way between obstacles by touch",
    scene="a giant centipede that smells food from afar, ten pieces and ten posts at random on a"
    " plane 120 cm wide, two minutes, five seeds",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at least eight of ten pieces eaten, no part of the body deeper"
    " in a post than 0.05 of its width",
)
def measure_foraging() -> Finding:
    walk = {"walk": {"food_threshold": 2e-5}}
    scene = build_scene(GIANT, PLANE, seconds=120, **{"with": walk})
    scene |= {"obstacles": [POSTS], "food": [{"count": 10, "area": AREA}]}
    parts, curves = {}, []
    for seed in SEEDS:
        recording = run(scene, seed=seed)
        eaten = recording[f"{NAME}.food_eaten"][:]
        parts[f"seed {seed}.eaten"] = float(eaten[-1])
        parts[f"seed {seed}.inside"] = footing.obstacle_penetration(recording, NAME)
        curves.append(Curve(f"seed {seed}", recording.time, eaten))
    found = find_worst(parts, at_most={"inside": 0.05}, at_least={"eaten": 8.0})
    plot = partial(write_curves, curves=curves, labels=("s", "pieces eaten"), bounds=[8.0])
    return Finding(found.value, found.parts, plot)


@claim(
    id="fang2015/avoidance-first",
    paper="Fang 2015 section 4.4, the order of the modes",
    statement="Avoiding obstacles comes before food: a myriapod drawn to food behind a wall does"
    " not enter the wall",
    scene="a wall of 40 x 4 x 1 cm across the way of a giant centipede, 15 cm ahead, and food 8 cm"
    " behind it; 40 s",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: no part of the body deeper in the wall than 0.05 of its width,"
    " food drew it in 5 % of the time or more, and no more than 1 % of the frames with an antenna"
    " on the wall were spent otherwise than on avoidance",
    quick=True,
)
def measure_avoidance() -> Finding:
    scene = build_scene(GIANT, PLANE, seconds=40)
    recording = run(scene | {"obstacles": [WALL], "food": [FOOD_BEHIND]})
    mode = recording[f"{NAME}.brain_mode"][:]
    touches = recording[f"{NAME}.antenna_touch"][:].any(axis=1)
    head = recording[BODY][:, 0].astype(float)
    barrier = footing.build_obstacles(recording.attributes["obstacles"])
    parts = {
        "inside": footing.obstacle_penetration(recording, NAME),
        "drawn": float((mode == TROPHOTROPISM).mean()),
        "heedless": share_heedless(mode, touches),
        "frames with a touch": float(touches.sum()),
        "nearest the head came, cm": float(barrier.sample(head)[0].min()),
        "food eaten": footing.food_eaten(recording, NAME),
    }
    limits: dict[str, Any] = {"inside": 0.05, "heedless": 0.01}
    found = find_worst(parts, at_most=limits, at_least={"drawn": 0.05})
    curves = [Curve("head", head[:, 2], head[:, 0]), Curve("wall", *outline(WALL))]
    plot = partial(write_curves, curves=curves, labels=("z, cm", "x, cm"))
    return Finding(found.value, found.parts, plot)


def share_heedless(mode: np.ndarray, touches: np.ndarray) -> float:
    """Of the frames on which an antenna touches, those that neither are nor lead to AVOIDANCE."""
    follows = np.append(mode[1:], mode[-1]) == AVOIDANCE
    answered = (mode == AVOIDANCE) | follows
    return float((~answered[touches]).mean()) if touches.any() else np.nan


def outline(box: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Corners of a box seen from above: z and x."""
    x, _, z = box["at"]
    dx, _, dz = (size / 2 for size in box["size"])
    return [z - dz, z + dz, z + dz, z - dz, z - dz], [x - dx, x - dx, x + dx, x + dx, x - dx]
