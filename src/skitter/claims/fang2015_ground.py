"""Claims of Fang 2015 about the ground: feet that stand where they land, on any surface."""

from functools import partial
from typing import Any

import numpy as np

from skitter.claims.fang2015_scenes import (
    BALL,
    HILLS,
    LOGS,
    MESHES,
    NAME,
    OUTSIDE,
    PLANE,
    Terrain,
    build_mesh,
    build_scene,
    go_straight,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.creatures.figure import Figure
from skitter.errors import SimulationError
from skitter.measure import footing
from skitter.measure.plot import Curve, write_curves
from skitter.rotation import quaternion_to_matrix
from skitter.runner import run
from skitter.world import World

GIANT = "giant_centipede"
FOOTING = {
    "slip": footing.slip_max,
    "sunk": footing.tip_penetration,
    "path": footing.path_body_lengths,
    "height": footing.height_error_lasting,
}
ROUND_SECONDS = 180.0
SEEDS = (0, 1, 2)
LOOKS = 10  # a second
OVER = 0.8  # of the up axis along y on top, and its opposite on the underside


def list_terrains() -> dict[str, Terrain]:
    """Everything there is to walk on; meshes beside the checkout too, if there are."""
    found = {"plane": PLANE, "hills": HILLS, "logs": LOGS, "sphere": BALL}
    found |= {name: build_mesh(name) for name in MESHES}
    return found | {path.stem: build_mesh(str(path)) for path in sorted(OUTSIDE.glob("*.obj"))}


@claim(
    id="fang2015/feet-land",
    paper="Fang 2015 section 4.2, figures 6.1 and 6.2",
    statement="Feet stand exactly where they land, on arbitrary surfaces, and the body keeps its"
    " height above them",
    scene="a giant centipede walks for a minute on a plane, hills, logs, a sphere, every built-in"
    " mesh and what other meshes there are",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: a standing tip moves by 1e-9 of a leg (rounding), none is deeper"
    " than 0.02 of a leg, the path is five body lengths or longer (it does not get stuck), and no"
    " segment is off its height by half a leg for half a second",
)
def measure_feet() -> Finding:
    parts: dict[str, float] = {}
    for name, terrain in list_terrains().items():
        parts |= {f"{name}.{kind}": value for kind, value in measure_footing(terrain).items()}
    limits = {"slip": 1e-9, "sunk": 0.02, "height": 0.5}
    return find_worst(parts, at_most=limits, at_least={"path": 5.0})


def measure_footing(terrain: Terrain) -> dict[str, float]:
    """Of a minute's walk; all unknown where it flies apart, so that other terrains are told."""
    try:
        recording = run(build_scene(GIANT, terrain, seconds=60))
    except SimulationError:
        return dict.fromkeys(FOOTING, np.nan)
    return {kind: find(recording, NAME) for kind, find in FOOTING.items()}


@claim(
    id="fang2015/closed-surface",
    paper="Fang 2015 figure 6.2",
    statement="A myriapod walks all round a closed surface, its underside included",
    scene="a giant centipede on a sphere of radius 20 straight ahead, and on the torus and the"
    " skull 60 cm long as it likes; three seeds each, at most three minutes",
    sense="equals",
    expected=1.0,
    why="share of the nine walks on which the head was on top, then upside down on the underside,"
    " then on top again: it must be all of them",
)
def measure_rounds() -> Finding:
    straight = {"commands": go_straight(GIANT)}
    walks: dict[str, tuple[Terrain, dict[str, Any]]] = {
        "sphere": (BALL, straight),
        "torus": (build_mesh("torus"), {}),
        "skull": (build_mesh("skull"), {}),
    }
    parts, curves = {}, []
    for name, (terrain, creature) in walks.items():
        scene = build_scene(GIANT, terrain, seconds=ROUND_SECONDS, **creature)
        for seed in SEEDS:
            up, is_back = walk_round(World.from_scene(scene, seed=seed))
            parts[f"{name} {seed}"] = len(up) / LOOKS if is_back else np.inf
            curves.append(Curve(f"{name} {seed}", np.arange(len(up)) / LOOKS, up))
    labels = ("s", "up axis of the head along y")
    plot = partial(write_curves, curves=curves, labels=labels, bounds=[-OVER, OVER])
    return Finding(float(np.isfinite(list(parts.values())).mean()), parts, plot)


def walk_round(world: World) -> tuple[list[float], bool]:
    """Walk until the head has been on the underside and is back on top; how much its up axis
    points up, 1 to -1, at every look, and whether it came back in time."""
    up: list[float] = []
    was_below = False
    for _ in range(round(ROUND_SECONDS * LOOKS)):
        try:
            world.advance(1 / LOOKS)
        except SimulationError:
            return up, False
        head = world.creatures[0]
        assert isinstance(head, Figure)
        turn = quaternion_to_matrix(head.body_orientation[0].astype(float))
        up.append(float(turn[1, 1]))
        height = float(head.body_position[0, 1])
        was_below |= up[-1] < -OVER and height < 0
        if was_below and up[-1] > OVER and height > 0:
            return up, True
    return up, False
