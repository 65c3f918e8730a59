"""Calls every kernel once in the precision named, so that all are compiled and in the cache."""

import sys

from skitter.scene.spec import MeshTerrain
from skitter.terrain import build_terrain
from skitter.world import World

FIGURES = {
    "title": "What has to be compiled for bodies without legs",
    "frame_rate": 1000,
    "terrain": [{"shape": "plane"}, {"shape": "sphere", "at": [30, 0, 0], "radius": 1}],
    "creatures": [
        {"species": "chain", "at": [0, 5, 0]},
        {"species": "jelly_cube", "at": [0, 9, 0]},
    ],
    "gravity": 9.8,
    "water": {"level": 3, "area": [20, 20], "rain": 2000},
}
WALKER = {
    "title": "What has to be compiled for legs",
    "frame_rate": 1000,
    "terrain": [
        {"shape": "plane"},
        {"shape": "mesh", "file": "torus", "at": [40, 0, 0], "size": 10},
        {"shape": "heightfield", "hills": [{"at": [-40, 0], "height": 1, "width": 4}]},
    ],
    "creatures": [{"species": "pauropod"}],
    "obstacles": [{"shape": "box", "at": [20, 0, 0], "size": [1, 1, 1]}],
    "food": [{"at": [0, 0, 20]}],
}

WORM = {
    "title": "What has to be compiled for worms, whatever the precision",
    "frame_rate": 50,
    "time_step": 0.02,
    "terrain": [{"shape": "plane"}],
    "creatures": [
        {"species": species, "with": {"body": {"slabs": 16, "around": 8}, "solver": solver}}
        for species, solver in (("c_elegans", "cholesky"), ("c_elegans_muscles", "cg"))
    ],
}

LINKS = [
    {
        "title": "What has to be compiled for bodies of links, whatever the precision",
        "frame_rate": 1000,
        "terrain": [{"shape": "plane"}],
        "creatures": [
            {"species": "roach", "with": {"solver": {"method": method}}},
            {"species": "wire", "at": [0, 4, 20], "with": {"solver": {"method": method}}},
        ],
    }
    for method in ("implicit", "runge_kutta")
]

CLIMBERS = [
    {
        "title": "What has to be compiled for climbers at their three levels, and for objects",
        "frame_rate": 50,
        "terrain": WALKER["terrain"],
        "obstacles": WALKER["obstacles"],
        "creatures": [
            {"species": "ant", "at": [8 * number, 0.5, 0], "with": {"detail": {"level": level}}}
            for number, level in enumerate(("full", "kinematic", "coarse"))
        ]
        + movable,
    }
    for movable in ([], [{"species": "block", "at": [8, 1.1, 8]}])
]

EITHER = (FIGURES, WALKER)  # in both precisions
for scene in EITHER if sys.argv[1] == "float32" else (*EITHER, WORM, *LINKS, *CLIMBERS):
    world = World.from_scene({**scene, "precision": sys.argv[1]})
    world.advance()
    world.read()
    world.terrain.cast([[0, 1, 0]], [[0, -1, 0]])
    world.terrain.is_inside([[0, 1, 0]])
# a built-in mesh is made of a field, and an open one is searched differently
build_terrain([MeshTerrain(shape="mesh", file="skull", at=(0, 0, 0), solid=False)])
