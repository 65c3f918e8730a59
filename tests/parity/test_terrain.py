"""Terrain queries against definitions: dense sampling, finite differences and marching rays."""

import numpy as np
import pytest

from skitter.scene.spec import BoxTerrain, CylinderTerrain, PlaneTerrain, SphereTerrain
from skitter.terrain import build_terrain

SHAPES = {
    "plane": PlaneTerrain(shape="plane", at=(0, 0.3, 0), normal=(0.2, 1, -0.3)),
    "box": BoxTerrain(shape="box", at=(0.2, 0.1, 0), size=(2, 1, 3), turn_deg=(20, 35, -50)),
    "sphere": SphereTerrain(shape="sphere", at=(0.3, 0, -0.2), radius=1.2),
    "cylinder": CylinderTerrain(
        shape="cylinder", at=(0, 0.2, 0), radius=0.8, length=1.5, turn_deg=(0, 30, 60)
    ),
}
UNION = [SHAPES["box"], SphereTerrain(shape="sphere", at=(1.8, 0.5, 0), radius=0.9)]
TERRAINS = {name: build_terrain([spec]) for name, spec in SHAPES.items()} | {
    "union": build_terrain(UNION)
}
BOTH = pytest.mark.parametrize("name", TERRAINS)


def random_points(count, seed=0):
    return np.random.default_rng(seed).uniform(-3, 3, (count, 3))


@BOTH
def test_closest_point_lies_on_the_surface_at_the_distance(name):
    terrain, points = TERRAINS[name], random_points(2000)
    distance, normal, _ = terrain.sample(points)
    closest = terrain.closest_point(points)
    if name == "union":  # inside overlapping solids the depth is only a bound
        points, distance, normal, closest = (
            x[distance > 0] for x in (points, distance, normal, closest)
        )
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1.0)
    assert terrain.sample(closest)[0] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(points - closest, axis=1) == pytest.approx(np.abs(distance), abs=1e-9)


@BOTH
def test_no_surface_point_is_closer(name):
    """Against a cloud of surface points found by walking random points onto the surface."""
    terrain = TERRAINS[name]
    cloud = terrain.closest_point(random_points(20_000, seed=1))
    cloud = cloud[np.abs(terrain.sample(cloud)[0]) < 1e-6]
    points = random_points(200, seed=2)
    distance = terrain.sample(points)[0]
    nearest = np.linalg.norm(points[:, None] - cloud[None], axis=2).min(axis=1)
    assert (np.abs(distance) <= nearest + 1e-9).all()
    outside = distance > 0
    assert nearest[outside] == pytest.approx(distance[outside], abs=0.15)


@BOTH
def test_normal_is_the_gradient_of_the_distance(name):
    terrain, points = TERRAINS[name], random_points(500, seed=3)
    _, normal, _ = terrain.sample(points)
    step = 1e-6
    gradient = np.stack(
        [
            (terrain.sample(points + step * e)[0] - terrain.sample(points - step * e)[0])
            / (2 * step)
            for e in np.eye(3)
        ],
        axis=1,
    )
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1) < 1e-4  # not on a ridge
    assert smooth.mean() > 0.99
    assert gradient[smooth] == pytest.approx(normal[smooth], abs=1e-4)


@BOTH
def test_ray_meets_the_surface_first_where_marching_does(name):
    terrain = TERRAINS[name]
    rng = np.random.default_rng(4)
    origins = random_points(300, seed=5)
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    found, normal, _ = terrain.cast(origins, directions)
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1.0)
    if name == "union":
        keep = ~terrain.is_inside(origins)
        origins, directions, found = origins[keep], directions[keep], found[keep]
    for origin, direction, t in zip(origins, directions, found, strict=True):
        marched = march(terrain, origin, direction)
        assert (np.isinf(t) and np.isinf(marched)) or t == pytest.approx(
            marched, rel=1e-5, abs=1e-4
        )


def march(terrain, origin, direction, *, far=1e5):
    """Sphere tracing: no step can pass the surface."""
    t, inside = 0.0, terrain.is_inside(origin)[0]
    for _ in range(4000):
        distance = terrain.sample(origin + t * direction)[0][0]
        distance = -distance if inside else distance
        if distance < 1e-7:
            return t
        t += distance
        if t > far:
            return np.inf
    return t


def test_height_is_the_top_surface():
    assert TERRAINS["sphere"].height(0.3, -0.2) == pytest.approx([1.2])
    assert TERRAINS["plane"].height([0.0, 1.0], [0.0, 0.0]) == pytest.approx([0.3, 0.1])
    assert TERRAINS["box"].height(50.0, 50.0) == pytest.approx([-np.inf])


def test_inside_is_where_the_distance_is_negative():
    box = build_terrain([BoxTerrain(shape="box", at=(0, 0, 0), size=(2, 2, 2))])
    assert box.is_inside([[0, 0, 0], [0.9, 0.9, 0.9], [1.1, 0, 0]]).tolist() == [True, True, False]
    assert box.sample([[2.0, 0, 0], [2.0, 2.0, 0]])[0] == pytest.approx([1.0, np.sqrt(2)])


def test_empty_terrain_is_far_away():
    nothing = build_terrain([])
    assert not nothing.is_inside([[0, 0, 0]])[0]
    assert np.isinf(nothing.cast([[0, 5, 0]], [[0, -1, 0]])[0][0])
