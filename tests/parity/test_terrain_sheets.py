"""Sheets and solids against trimesh, which looks at every triangle."""

import numpy as np
import pytest
import trimesh

from made_meshes import (
    lean,
    make_bad_solid,
    make_leaf,
    make_shell,
    make_strip,
    make_walled,
    write_mesh,
)
from skitter.scene.spec import MeshTerrain
from skitter.terrain import build_terrain
from skitter.terrain.mesh_load import describe_sheet, load_surface

UP = np.array([0.0, 1.0, 0.0])
SIZE = 20.0  # cm, longest edge of every mesh
MESHES = {
    "shell": lambda: lean(make_shell(), 1.2),
    "leaf": lambda: lean(make_leaf(), 1.6),
    "strip": make_strip,
    "solid": lambda: trimesh.creation.torus(2.0, 0.7),
    "bad_solid": make_bad_solid,
    "walled": make_walled,
}
SHEETS = {"shell": "is open", "leaf": "is open", "strip": "is one-sided", "walled": "4 edges"}


class Case:
    """A mesh as terrain, and its triangles."""

    def __init__(self, mesh, path, **more):
        file = write_mesh(mesh, path)
        self.spec = MeshTerrain(shape="mesh", file=file, at=(0, 0, 0), size=SIZE, **more)
        self.terrain, self.surface = build_terrain([self.spec]), load_surface(self.spec, UP)
        self.corners = self.surface.points[self.surface.triangles]

    @property
    def half(self):
        return self.surface.thickness / 2


@pytest.fixture(scope="module", params=MESHES)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("meshes")
    return Case(MESHES[request.param](), folder / f"{request.param}.ply")


def find_closest(corners, points, batch=50):
    """The closest point of all triangles to each point, and how far it is."""
    closest, distance = np.empty_like(points), np.empty(len(points))
    for k in range(0, len(points), batch):
        some = points[k : k + batch]
        found = trimesh.triangles.closest_point(
            np.tile(corners, (len(some), 1, 1)), np.repeat(some, len(corners), axis=0)
        ).reshape(len(some), len(corners), 3)
        far = np.linalg.norm(found - some[:, None], axis=2)
        best = far.argmin(axis=1)
        closest[k : k + batch] = found[np.arange(len(some)), best]
        distance[k : k + batch] = far.min(axis=1)
    return closest, distance


def random_points(count, seed, reach=0.75 * SIZE):
    return np.random.default_rng(seed).uniform(-reach, reach, (count, 3))


def random_ways(count, seed):
    ways = np.random.default_rng(seed).normal(size=(count, 3))
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def winding_number(corners, points):
    """Solid angles of all triangles, summed (van Oosterom & Strackee 1983)."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    up = np.einsum("nij,nij->ni", a, np.cross(b, c))
    dot = lambda p, q: np.einsum("nij,nij->ni", p, q)  # noqa: E731
    down = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.arctan2(up, down).sum(axis=1) / (2 * np.pi)


def test_distance_and_normal_are_those_of_all_triangles(case):
    """Half of 10,000 points all around, half of them within and around the sheet."""
    points = random_points(10_000, seed=1001)
    near = case.terrain.closest_point(points[5000:])
    points[5000:] = near + np.random.default_rng(1002).normal(0, 0.2, near.shape)
    closest, expected = find_closest(case.corners, points)
    distance, normal, _ = case.terrain.sample(points)
    outward = (points - closest) / expected[:, None]
    if case.half == 0.0:
        inside = winding_number(case.corners, points) > 0.5
        assert 500 < inside.sum() < 9500
        expected[inside] *= -1
        outward[inside] *= -1
    assert distance == pytest.approx(expected - case.half, abs=1e-9)
    assert (case.terrain.is_inside(points) == (expected < case.half)).all()
    far = np.abs(expected) > 1e-6  # nearer, the direction is rounding
    assert (np.einsum("ij,ij->i", normal, outward)[far] > 1 - 1e-6).mean() > 0.995
    ours = case.terrain.closest_point(points[distance > 0])
    assert case.terrain.sample(ours)[0] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1.0)


def test_nothing_far_away_is_inside(case):
    """As it was found: half of the points one to three lengths from an open shell were inside."""
    far = np.random.default_rng(1003).uniform(1, 3, (10_000, 1)) * SIZE
    points = far * random_ways(10_000, seed=1004)
    assert not case.terrain.is_inside(points).any()
    assert (case.terrain.sample(points)[0] > far[:, 0] - SIZE).all()


def test_distance_grows_no_faster_than_a_point_moves(case):
    rng = np.random.default_rng(1005)
    points = case.terrain.closest_point(random_points(4000, seed=1006))
    points += rng.normal(0, 0.3, points.shape)
    step = rng.normal(0, 1, points.shape) * rng.choice([1e-6, 1e-3, 0.1, 3], (len(points), 1))
    change = np.abs(case.terrain.sample(points + step)[0] - case.terrain.sample(points)[0])
    assert (change <= np.linalg.norm(step, axis=1) + 1e-9).all()


def march(case, origins, ways, *, most=400, far=200.0):
    """Sphere tracing over trimesh's distances: no step can pass the surface. NaN where rays graze
    it for so long that they are not through."""
    along, state = np.zeros(len(origins)), np.zeros(len(origins), int)
    for _ in range(most):
        live = np.flatnonzero(state == 0)
        if len(live) == 0:
            break
        places = origins[live] + along[live, None] * ways[live]
        gap = find_closest(case.corners, places)[1] - case.half
        along[live] += gap
        state[live[gap < 1e-8]] = 1
        state[live[along[live] > far]] = 2
    return np.where(state == 1, along, np.where(state == 2, np.inf, np.nan))


def test_rays_meet_the_surface_first_where_marching_does(case):
    origins, aims = random_points(150, seed=1007), random_points(150, seed=1008, reach=0.4 * SIZE)
    outside = ~case.terrain.is_inside(origins)
    origins, aims = origins[outside], aims[outside]
    ways = (aims - origins) / np.linalg.norm(aims - origins, axis=1, keepdims=True)
    found, normal, _ = case.terrain.cast(origins, ways)
    expected = march(case, origins, ways)
    sure = ~np.isnan(expected)
    assert sure.mean() > 0.95 and 10 < np.isfinite(found).sum() < len(found)
    assert found[sure] == pytest.approx(expected[sure], abs=1e-4)
    met = np.isfinite(found)
    assert (np.einsum("ij,ij->i", normal, ways)[met] < 1e-6).all()
    assert case.terrain.sample((origins + found[:, None] * ways)[met])[0] == pytest.approx(
        0.0, abs=1e-9
    )


def test_rays_that_start_within_a_sheet_leave_it(case):
    points = random_points(500 if case.half > 0 else 5000, seed=1009)
    if case.half > 0:
        points = find_closest(case.corners, points)[0] + 0.4 * case.half * random_ways(500, 1010)
    points = points[case.terrain.is_inside(points)]
    ways = random_ways(len(points), seed=1011)
    found, _, _ = case.terrain.cast(points, ways)
    assert len(points) > 30 and np.isfinite(found).all() and (found > 0).all()
    assert case.terrain.sample(points + found[:, None] * ways)[0] == pytest.approx(0.0, abs=1e-9)
    for share in (0.2, 0.5, 0.8, 0.99):
        assert (case.terrain.sample(points + share * found[:, None] * ways)[0] < 1e-9).all()


@pytest.mark.parametrize("turn_deg", [(0, 0, 0), (30, 50, -70)])
def test_a_sheet_is_met_at_its_surface_from_both_sides(tmp_path, turn_deg):
    """A flat square, by hand: slab in the middle, round at its rim."""
    square = trimesh.Trimesh(
        [[-1, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]], [[0, 1, 2], [0, 2, 3]]
    )
    case = Case(square, tmp_path / "square.ply", thickness=1.0, turn_deg=turn_deg)
    turn = case.terrain.arrays.axes[0]
    places = np.array([[3, 4, 2], [3, -4, 2], [13, 0, 0], [13, 4, 0], [0, 0.2, 0], [0, -0.2, 0]])
    distance, normal, _ = case.terrain.sample(places @ turn.T)
    assert distance == pytest.approx([3.5, 3.5, 2.5, 4.5, -0.3, -0.3])
    ways = [[0, 1, 0], [0, -1, 0], [1, 0, 0], [0.6, 0.8, 0], [0, 1, 0], [0, -1, 0]]
    assert normal @ turn == pytest.approx(np.array(ways, float), abs=1e-12)
    rays = [
        ([0, 9, 0], [0, -1, 0], 8.5),
        ([0, -9, 0], [0, 1, 0], 8.5),
        ([19, 0, 0], [-1, 0, 0], 8.5),
        ([19, 0.3, 5], [-1, 0, 0], 8.6),
        ([0, 0.2, 0], [0, 1, 0], 0.3),
        ([0, 0.2, 0], [0, -1, 0], 0.7),
        ([0, 0.6, 0], [1, 0, 0], np.inf),
    ]
    for origin, way, expected in rays:
        met = case.terrain.cast(turn @ origin, turn @ way)[0][0]
        assert met == pytest.approx(expected)


def test_height_is_half_a_thickness_above_a_sheet(tmp_path):
    case = Case(make_leaf(), tmp_path / "leaf.ply", thickness=0.5)
    bare = Case(make_leaf(), tmp_path / "leaf.ply", thickness=1e-3)
    top = case.terrain.height([0.0], [0.0]) - bare.terrain.height([0.0], [0.0])
    assert top == pytest.approx([0.25 - 0.0005], rel=0.02)


@pytest.mark.parametrize("name", SHEETS)
def test_what_a_mesh_is_found_to_be_is_told(tmp_path, name):
    spec = Case(MESHES[name](), tmp_path / f"{name}.ply").spec
    line = describe_sheet(spec)
    assert SHEETS[name] in line and "a sheet of two sides, 0.1 cm thick" in line
    assert describe_sheet(spec.model_copy(update={"solid": False})) == ""


@pytest.mark.parametrize("name", ["solid", "bad_solid"])
def test_of_a_solid_nothing_is_told(tmp_path, name):
    case = Case(MESHES[name](), tmp_path / f"{name}.ply")
    assert case.half == 0.0 and describe_sheet(case.spec) == ""
