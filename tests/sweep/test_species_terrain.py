"""Every built-in figure on every kind of terrain: builds, lands, stays finite, does not sink."""

import itertools

import numpy as np
import pytest

from skitter.rotation import quaternion_to_matrix
from skitter.scene.load import list_species, load_scene
from skitter.species.spec import FigureSpec
from skitter.world import World

SECONDS = 0.5
HIGH, CLEARANCE = 50.0, 0.05  # cm
SINK_LIMIT = 0.05  # of a part's smallest size, as deep as it may lie inside the terrain
RIDGE_LIMIT = 0.15  # the same on an edge, which can enter between the points that are tested
TERRAINS = {
    "plane": [{"shape": "plane"}],
    "slope": [{"shape": "plane", "normal": [0.4, 1, 0.2]}],
    "box": [{"shape": "box", "at": [0, -1, 0], "size": [6, 2, 1.5], "turn_deg": [0, 30, 0]}],
    "sphere": [{"shape": "sphere", "at": [0, -3, 0], "radius": 3}],
    "cylinder": [
        {"shape": "cylinder", "at": [0, -1, 0], "radius": 1, "length": 8, "turn_deg": [80, 20, 0]}
    ],
    "union": [
        {"shape": "plane", "at": [0, -0.3, 0]},
        {"shape": "box", "at": [-1, -1, 0], "size": [2, 2, 2], "turn_deg": [0, 20, 5]},
        {"shape": "sphere", "at": [0.4, -0.7, 0.3], "radius": 0.7},
    ],
}
FIGURES = [
    name
    for name, _ in list_species()
    if isinstance(
        load_scene({"title": "t", "creatures": [{"species": name}]}).species[0], FigureSpec
    )
]


def build_world(species: str, terrain: str) -> World:
    """The species just above the ground."""
    creature = {"species": species, "at": [0, HIGH, 0], "turn_deg": [5, 0, 8]}
    scene = {"title": "t", "gravity": 9.8, "terrain": TERRAINS[terrain], "creatures": [creature]}
    world = World(load_scene(scene))
    points, height = sample_surface(world)[0], HIGH
    for _ in range(100):  # down by what is free on all sides, again and again
        down = world.terrain.sample(points)[0].min() - CLEARANCE
        points, height = points - [0, down, 0], height - down
    creature["at"] = [0, float(height), 0]
    return World(load_scene(scene))


def sample_surface(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Points on everything that may touch the ground [n, 3] cm, and the size of its part [n] cm."""
    values, name = world.read(), world.creatures[0].name
    statics = {one.name.split(".")[1]: one.values for one in world.statics()}
    points, sizes = [], []
    if f"{name}.body_position" in values:
        matrices = quaternion_to_matrix(values[f"{name}.body_orientation"])
        grid = np.array(list(itertools.product(np.linspace(-0.5, 0.5, 5), repeat=3)))
        for body in np.flatnonzero(statics["body_fixed"] == 0):
            size = statics["body_size"][body]
            points.append(values[f"{name}.body_position"][body] + grid * size @ matrices[body].T)
            sizes.append(np.full(len(grid), size.min()))
    if f"{name}.node_position" in values:
        points.append(values[f"{name}.node_position"])
        sizes.append(np.full(len(points[-1]), measure_blocks(world)))
    return np.concatenate(points), np.concatenate(sizes)


def measure_blocks(world: World) -> float:
    """The smallest edge of a soft block at rest, cm."""
    return min(float(np.ptp(part.nodes, axis=0).min()) for part in world.creatures[0].plan.soft)


def measure_sinking(world: World) -> float:
    """How deep the deepest point lies, as a share of the size of its part."""
    points, sizes = sample_surface(world)
    return float((-world.terrain.sample(points)[0] / sizes).max())


@pytest.mark.parametrize("terrain", TERRAINS)
@pytest.mark.parametrize("species", FIGURES)
def test_lands_and_does_not_sink(species, terrain):
    world = build_world(species, terrain)
    deepest = -np.inf
    for _ in range(round(SECONDS * world.scene.spec.frame_rate)):
        world.advance()
        assert all(np.isfinite(values).all() for values in world.read().values())
        deepest = max(deepest, measure_sinking(world))
    assert -0.01 < deepest < (RIDGE_LIMIT if terrain == "box" else SINK_LIMIT)


@pytest.mark.parametrize("terrain", TERRAINS)
@pytest.mark.parametrize("species", FIGURES)
def test_is_deterministic(species, terrain):
    first, second = build_world(species, terrain), build_world(species, terrain)
    for world in (first, second):
        world.advance(SECONDS)
    before, after = first.state(), second.state()
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)
