"""Shapes that are made here: nets of fields, built-in meshes, logs."""

import numpy as np
import pytest
import trimesh

from skitter.scene.spec import LogsTerrain
from skitter.terrain.knot import SIDES, TUBE, build_knot, trace_line
from skitter.terrain.logs import expand_logs
from skitter.terrain.mesh_tree import LEAF_SIZE, build_tree
from skitter.terrain.shapes import SHAPES, build_shape
from skitter.terrain.skull import ellipsoid
from skitter.terrain.surface_nets import build_net, place_points


@pytest.mark.parametrize("name", SHAPES)
def test_built_in_shapes_are_centred(name):
    points = build_shape(name).points
    assert points.min(axis=0) + points.max(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_net_is_closed_where_the_field_is_zero_on_the_grid():
    """A cube whose faces lie on points of the grid: what is zero there is outside, for all."""
    box = np.full(3, 1.0)
    points, triangles = build_net(lambda p: np.abs(p).max(axis=1) - 0.5, -box, box, 0.25)
    net = trimesh.Trimesh(points, triangles, process=False)
    assert net.is_watertight and net.is_winding_consistent
    assert 0.5 < net.volume < 1.3


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_points_of_a_net_lie_where_a_straight_field_is_zero(axis):
    values = np.indices((5, 6, 7))[axis] - 2.3
    number, points = place_points(values)
    assert points[:, axis] == pytest.approx(2.3)
    cells = np.delete([4, 5, 6], axis).prod()  # one layer of them
    assert len(points) == (number >= 0).sum() == cells


@pytest.mark.parametrize("size", [0.5, 2.0])
def test_an_ellipsoid_grows_with_its_radii(size):
    """Near the surface it is a distance: of the size of the body, whatever its radii are."""
    radii = size * np.array([1.0, 2.0, 0.5])
    ends, gap = np.diag(radii), 1e-3
    outside = ellipsoid(ends * (1 + gap), (0, 0, 0), tuple(radii))
    assert outside == pytest.approx(gap * radii, rel=0.01)
    assert ellipsoid(ends, (0, 0, 0), tuple(radii)) == pytest.approx(np.zeros(3), abs=1e-12)


def test_the_knot_is_a_closed_tube_as_long_as_its_line():
    """By Pappus a tube holds its section times the length of its middle line, however bent; so
    many sides have a little less area than the circle."""
    net = trimesh.Trimesh(*build_knot(), process=False)
    assert net.is_watertight and net.is_winding_consistent and net.euler_number == 0
    time = np.linspace(0, 2 * np.pi, 20_001)
    length = np.linalg.norm(np.diff(trace_line(time)[0], axis=0), axis=1).sum()
    section = SIDES / 2 * np.sin(2 * np.pi / SIDES) * TUBE**2
    assert net.volume == pytest.approx(section * length, rel=2e-3)


def test_the_knots_tube_stays_clear_of_itself():
    """Where the line passes itself, it is a tube's width and more away."""
    time = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    place = trace_line(time)[0]
    far = np.linalg.norm(place[:, None] - place, axis=2)
    apart = np.abs((time[:, None] - time + np.pi) % (2 * np.pi) - np.pi) > 0.8
    assert far[apart].min() > 3 * TUBE


def test_rings_of_the_knot_are_square_to_its_line():
    time, step = np.linspace(0, 2 * np.pi, 50), 1e-6
    _, normal, across = trace_line(time)
    ahead = (trace_line(time + step)[0] - trace_line(time - step)[0]) / (2 * step)
    size = np.linalg.norm(ahead, axis=1)
    for axis in (normal, across):
        assert (axis * ahead).sum(axis=1) / size == pytest.approx(np.zeros(50), abs=1e-7)
        assert np.linalg.norm(axis, axis=1) == pytest.approx(np.ones(50))


def test_logs_lie_in_all_directions():
    """Angles drawn evenly from a circle nearly cancel: the mean of 400 is as long as 0.15 once in
    8000 times."""
    spec = LogsTerrain(shape="logs", count=400, radius=(0.2, 0.5), length=(1, 2), area=(8, 4))
    angles = np.radians([log.turn_deg[1] for log in expand_logs(spec)])
    assert abs(np.exp(1j * angles).mean()) < 0.15


def test_triangles_about_one_centre_are_all_in_the_tree():
    """Space cannot tell them apart, so they are halved by number."""
    one = np.array([[2.0, 0, 0], [-1, 0, 1], [-1, 0, -1]])  # about 0 to the last bit
    corners = np.arange(1, 21)[:, None, None] * one
    box, link, order = build_tree(corners)
    leaves = link[:, 2] > 0
    assert sorted(order) == list(range(20))
    assert link[leaves, 2].sum() == 20 and link[leaves, 2].max() <= LEAF_SIZE
    assert (box[:, :3] <= box[:, 3:]).all()
