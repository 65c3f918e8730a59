"""Worlds of one myriapod, for tests that look into it or set it up by hand."""

import numpy as np

from skitter.control.build import build_surroundings
from skitter.control.walker import Surroundings
from skitter.creatures.myriapod import Myriapod
from skitter.world import World

PLANE = {"shape": "plane"}
HILLS = {
    "shape": "heightfield",
    "random": {"count": 30, "height": [0.5, 1.5], "width": [6, 10], "area": [90, 90], "seed": 5},
}


def build_world(species="centipede18", *, terrain=(PLANE,), seed=0, scene=None, **placement):
    """A world with one creature; further fields of the scene in `scene`."""
    creature = {"species": species, "name": "one", **placement}
    tree = {"title": "t", "terrain": list(terrain), "creatures": [creature], **(scene or {})}
    return World.from_scene(tree, seed=seed, threads=1)


def build_walker(species="centipede18", **options) -> Myriapod:
    return build_world(species, **options).creatures[0]


def hang(height: float, **options) -> Myriapod:
    """A creature all of whose parts are held at a height above the plane, in the air or nearly."""
    parts = ["head", *(f"segment_{n + 1}" for n in range(3)), "tail"]
    options = {"species": "centipede18", "with": {"segments": 3}, **options}
    return build_walker(start="free", at=[0, height, 0], held=parts, **options)


def surround(*, food=(), others=(), is_puppet=False, obstacles=None) -> Surroundings:
    """Surroundings by hand: food rows of place, radius and strength; balls of others."""
    return Surroundings(
        build_surroundings().obstacles if obstacles is None else obstacles.arrays,
        np.array(others, float).reshape(-1, 4),
        np.array(food, float).reshape(-1, 5),
        is_puppet,
    )
