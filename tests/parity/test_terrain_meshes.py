"""Mesh terrain against trimesh, which looks at every triangle, and against winding numbers."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from skitter.scene.spec import HeightfieldTerrain, MeshTerrain, PlaneTerrain
from skitter.terrain import build_terrain
from skitter.terrain.heightfield import build_sheet, compute_grid
from skitter.terrain.mesh_build import index_edges
from skitter.terrain.mesh_load import load_surface
from skitter.terrain.shapes import SHAPES, build_shape

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "meshes"
FILES = [str(path) for path in sorted(DATA.glob("*.obj"))]  # none where the data is not at hand
MESHES = [*SHAPES, *FILES]
UP = np.array([0.0, 1.0, 0.0])
HILLS = HeightfieldTerrain(
    shape="heightfield",
    hills=[
        {"at": [0, 0], "height": 1.5, "width": [1.0, 0.6], "turn_deg": 30},
        {"at": [1.5, 1], "height": -1.0, "width": 0.7},
    ],
)


def mesh_spec(file, **more):
    return MeshTerrain(shape="mesh", file=file, at=(0, 0, 0), size=4.0, **more)


def random_points(count, seed=0, reach=3.0):
    return np.random.default_rng(seed).uniform(-reach, reach, (count, 3))


def near_points(terrain, count, seed=1, spread=0.15):
    rng = np.random.default_rng(seed)
    return terrain.closest_point(random_points(count, seed)) + rng.normal(0, spread, (count, 3))


def brute_distance(corners, points):
    """Distance of each point to the closest triangle by trimesh, one point at a time."""
    found = []
    for point in points:
        closest = trimesh.triangles.closest_point(corners, np.tile(point, (len(corners), 1)))
        found.append(np.linalg.norm(closest - point, axis=1).min())
    return np.array(found)


def winding_number(corners, points):
    """Solid angles of all triangles, summed (van Oosterom & Strackee 1983)."""
    numbers = []
    for point in points:
        a, b, c = (corners[:, k] - point for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        up = np.einsum("ij,ij->i", a, np.cross(b, c))
        dot = lambda p, q: np.einsum("ij,ij->i", p, q)  # noqa: E731
        down = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        numbers.append(2 * np.arctan2(up, down).sum() / (4 * np.pi))
    return np.array(numbers)


@pytest.mark.parametrize("file", MESHES)
def test_distance_is_that_of_all_triangles(file):
    terrain, surface = build_terrain([mesh_spec(file)]), load_surface(mesh_spec(file), UP)
    corners = surface.points[surface.triangles]
    points = np.concatenate([near_points(terrain, 150), random_points(60, seed=2)])
    distance, normal, _ = terrain.sample(points)
    assert np.abs(distance) == pytest.approx(brute_distance(corners, points), rel=1e-9, abs=1e-12)
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1.0)
    assert terrain.sample(terrain.closest_point(points))[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("file", MESHES)
def test_inside_is_where_the_surface_winds_around(file):
    terrain, surface = build_terrain([mesh_spec(file)]), load_surface(mesh_spec(file), UP)
    assert surface.is_closed
    points = np.concatenate([near_points(terrain, 300, seed=3), random_points(100, seed=4)])
    expected = winding_number(surface.points[surface.triangles], points) > 0.5
    assert 50 < expected.sum() < 350
    assert (terrain.is_inside(points) == expected).all()
    assert (terrain.sample(points)[0] < 0).tolist() == expected.tolist()


@pytest.mark.parametrize("file", MESHES)
def test_distance_grows_no_faster_than_a_point_moves(file):
    terrain = build_terrain([mesh_spec(file, turn_deg=(20, 30, 40))])
    rng = np.random.default_rng(5)
    points = np.concatenate([near_points(terrain, 3000), random_points(1000)])
    step = rng.normal(0, 1, points.shape) * rng.choice([1e-6, 1e-3, 0.1, 1], (len(points), 1))
    change = np.abs(terrain.sample(points + step)[0] - terrain.sample(points)[0])
    assert (change <= np.linalg.norm(step, axis=1) + 1e-9).all()


@pytest.mark.parametrize("file", MESHES)
def test_ray_meets_what_trimesh_meets(file):
    terrain, surface = build_terrain([mesh_spec(file)]), load_surface(mesh_spec(file), UP)
    corners = surface.points[surface.triangles]
    origins, aims = random_points(40, seed=6, reach=4.0), random_points(40, seed=7, reach=1.0)
    directions = (aims - origins) / np.linalg.norm(aims - origins, axis=1, keepdims=True)
    found, normal, _ = terrain.cast(origins, directions)
    planes = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for k in range(len(origins)):
        along = np.einsum("ij,ij->i", corners[:, 0] - origins[k], planes) / (planes @ directions[k])
        hits = origins[k] + along[:, None] * directions[k]
        share = trimesh.triangles.points_to_barycentric(corners, hits)
        expected = along[(share > -1e-9).all(axis=1) & (along >= 0)].min(initial=np.inf)
        assert found[k] == pytest.approx(expected, rel=1e-9)
    is_outside, met = ~terrain.is_inside(origins), np.isfinite(found)
    facing = np.einsum("ij,ij->i", normal, directions)
    assert (facing[is_outside & met] < 1e-6).all()


@pytest.mark.parametrize("name, genus", [("ball", 0), ("pebble", 0), ("torus", 1), ("skull", 2)])
def test_built_in_shapes_are_closed_and_of_their_genus(name, genus):
    surface = build_shape(name)
    edges, uses = np.unique(index_edges(surface.triangles), return_counts=True)
    assert (uses == 2).all()
    assert len(surface.points) - len(edges) + len(surface.triangles) == 2 - 2 * genus
    mesh = trimesh.Trimesh(surface.points, surface.triangles, process=False)
    assert mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0
    assert 5000 < len(surface.triangles) < 20_000
    assert np.degrees(mesh.face_angles.min()) > 10
    assert np.ptp(surface.points, axis=0).max() == pytest.approx(10.0)


def test_ball_has_the_volume_and_area_of_one():
    ball = trimesh.Trimesh(build_shape("ball").points, build_shape("ball").triangles)
    assert ball.volume == pytest.approx(4 / 3 * np.pi * 125, rel=5e-3)
    assert ball.area == pytest.approx(4 * np.pi * 25, rel=5e-3)


@pytest.mark.slow
def test_large_mesh():
    """300,000 triangles: near, far and inside."""
    from skitter.terrain.mesh_build import build_mesh
    from skitter.terrain.mesh_query import sample_mesh

    ball = trimesh.creation.icosphere(subdivisions=7)
    mesh = build_mesh(np.array(ball.vertices), np.array(ball.faces, np.int64))
    assert sum(array.nbytes for array in mesh) < 300e6
    for point in random_points(200, reach=1.2):
        distance = sample_mesh(*mesh, 0, *point, 1e30)[0]
        assert distance == pytest.approx(np.linalg.norm(point) - 1, abs=1e-4)


def test_height_distance_is_that_of_all_triangles():
    terrain, (points, triangles, _) = build_terrain([HILLS]), build_sheet(compute_grid(HILLS))
    near = np.concatenate([near_points(terrain, 150), random_points(50, seed=8, reach=6.0)])
    distance, normal, _ = terrain.sample(near)
    expected = brute_distance(points[triangles], near)
    assert np.abs(distance) == pytest.approx(expected, abs=1e-8)
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1.0)


def test_height_is_the_sum_of_gaussians():
    terrain, rng = build_terrain([HILLS]), np.random.default_rng(9)
    x, z = rng.uniform(-3, 3, (2, 500))
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    along, across = c * x - s * z, (s * x + c * z) / 0.6
    exact = 1.5 * np.exp(-(along**2 + across**2) / 2)
    exact -= np.exp(-((x - 1.5) ** 2 + (z - 1) ** 2) / 2 / 0.49)
    assert terrain.height(x, z) == pytest.approx(exact, abs=0.01)
    above = np.stack([x, exact + 0.05, z], axis=1)
    assert not terrain.is_inside(above).any()
    assert terrain.is_inside(above - [0, 0.1, 0]).all()


def test_height_distance_grows_no_faster_than_a_point_moves():
    terrain, rng = build_terrain([HILLS]), np.random.default_rng(10)
    points = np.concatenate([near_points(terrain, 2000), random_points(1000, reach=20.0)])
    step = rng.normal(0, 1, points.shape) * rng.choice([1e-6, 1e-3, 0.1, 1], (len(points), 1))
    change = np.abs(terrain.sample(points + step)[0] - terrain.sample(points)[0])
    assert (change <= np.linalg.norm(step, axis=1) + 1e-8).all()


def test_ground_goes_on_level_around_a_heightfield():
    terrain = build_terrain([HILLS])
    assert terrain.sample([[500, 2.0, -300], [5000, -3.0, 9e3]])[0] == pytest.approx(
        [2.0, -3.0], abs=1e-3
    )


def test_union_is_the_closest_of_its_items():
    items = [
        PlaneTerrain(shape="plane", at=(0, -1.2, 0)),
        mesh_spec("skull"),
        mesh_spec("torus").model_copy(update={"at": (3.0, 0.0, 0.0)}),
        HILLS.model_copy(update={"at": (-4.0, -1.0, 0.0)}),
    ]
    points = random_points(2000, seed=11, reach=5.0)
    distance, normal, which = build_terrain(items).sample(points)
    alone = [build_terrain([item]).sample(points) for item in items]
    expected = np.min([one[0] for one in alone], axis=0)
    assert distance == pytest.approx(expected, abs=1e-12)
    for k, one in enumerate(alone):
        mine = which == k
        assert mine.any() and normal[mine] == pytest.approx(one[1][mine], abs=1e-9)
