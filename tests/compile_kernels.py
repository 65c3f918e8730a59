"""Calls every kernel once in the precision named, so that all are compiled and in the cache."""

import sys

from skitter.world import World

SCENE = {
    "title": "What has to be compiled",
    "frame_rate": 1000,
    "terrain": [{"shape": "plane"}, {"shape": "sphere", "at": [30, 0, 0], "radius": 1}],
    "creatures": [
        {"species": "chain", "at": [0, 5, 0]},
        {"species": "jelly_cube", "at": [0, 9, 0]},
    ],
    "gravity": 9.8,
}

world = World.from_scene({**SCENE, "precision": sys.argv[1]})
world.advance()
world.read()
world.terrain.cast([[0, 1, 0]], [[0, -1, 0]])
