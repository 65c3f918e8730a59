"""Bodies in water and beside it."""

import numpy as np
import pytest

from skitter.world import World
from states import goes_on_alike

FLOOR = {"shape": "plane", "at": [0, -40, 0]}


def build(creature, terrain=(FLOOR,), **water) -> World:
    scene = {
        "title": "t",
        "terrain": list(terrain),
        "water": {"level": 0, **water},
        "creatures": [creature],
    }
    return World.from_scene(scene, threads=1)


def cube(density, size=2.0, **placement):
    part = {"name": "cube", "shape": "box", "size": [size] * 3, "density": density}
    return {"species": "cube", "with": {"parts": [part]}, **placement}


@pytest.mark.parametrize("density", [0.3, 0.1, 0.05])
def test_a_light_cube_rises_as_fast_as_drag_lets_it(density):
    """rho v² A = (rho - density) V g: drag is whole however light a body is."""
    world = build(cube(density, at=[0, -30, 0]), waves=False)
    world.advance(0.4)
    speed = float(world.creatures[0].body_velocity[0, 1])
    world.close()
    assert speed == pytest.approx(np.sqrt((1 - density) * 2.0 * 981), rel=0.03)


def test_land_beside_the_water_is_no_water():
    """A cube that floats against a wall of rock stays down."""
    rock = {"shape": "box", "at": [5, 0, 0], "size": [10, 20, 40]}
    world = build(
        cube(0.5, 0.6, at=[-0.32, 0.0, 0]), (FLOOR, rock), area=[40, 40], cell=1.0, depth=5
    )
    tops = []
    for _ in range(60):
        world.advance()
        tops.append(world.creatures[0].position[1])
    world.close()
    assert max(tops) < 0.3


def test_the_surface_goes_on_level_below_land():
    slope = {"shape": "plane", "normal": [-0.5, 1, 0]}
    world = build(cube(0.5, at=[-8, 0, 0]), (slope,), area=[40, 20], cell=0.5, depth=6)
    height = world.water.surface().height
    world.close()
    assert np.abs(height).max() < 1e-5


def test_a_moved_grid_is_restored_to_the_last_bit():
    """In double precision over an uneven bed, after the grid has followed for a while."""
    hills = {
        "shape": "heightfield",
        "at": [0, -3, 0],
        "random": {"count": 9, "height": [-1, 1], "width": [4, 8], "area": [60, 40], "seed": 1},
    }
    scene = {
        "title": "t",
        "precision": "float64",
        "terrain": [hills],
        "water": {"area": [30, 20], "cell": 0.7, "edges": "open", "follow": "cube", "depth": 5},
        "creatures": [cube(0.6, at=[0.3, 0, 0], velocity=[60, 0, 23])],
    }
    world = World.from_scene(scene, threads=1)
    world.advance(0.5)
    assert world.water.moved.any()
    assert goes_on_alike(world)
