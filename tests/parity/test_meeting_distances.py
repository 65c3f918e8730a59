"""Distances between shapes against bounded least squares, and against points of their surfaces."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from skitter.meeting.collide import CORNER, meet_shapes
from skitter.meeting.shapes import (
    AXES,
    BOX_CORE,
    CENTRE,
    CORE,
    CYLINDER_CORE,
    HALF,
    RADIUS,
    allocate_shapes,
    find_reach,
    round_box,
)

SIMPLEX, KEEP = np.zeros((4, CORNER)), np.zeros(4)
FORMS = {"ball": (0, 0, 0), "capsule": (1, 0, 0), "plate": (1, 0, 1), "box": (1, 1, 1)}


def make(rng, form, core=BOX_CORE, spread=3.0):
    shapes = allocate_shapes(1)
    row = shapes.row[0]
    row[CENTRE : CENTRE + 3] = rng.normal(0, spread, 3)
    row[AXES : AXES + 9] = Rotation.random(random_state=rng).as_matrix().ravel()
    row[HALF : HALF + 3] = rng.uniform(0.05, 2.0, 3) * form
    row[RADIUS] = rng.uniform(0.0, 0.5)
    shapes.tag[0, CORE] = core
    return shapes


def place(shapes, local):
    row = shapes.row[0]
    return row[CENTRE : CENTRE + 3] + local @ row[AXES : AXES + 9].reshape(3, 3).T


def find_distance(a, b):
    """Of two box cores: the smallest |ca + A s - cb - B t| with s and t within the half edges."""
    rows = [one.row[0] for one in (a, b)]
    matrix = np.hstack(
        [rows[0][AXES : AXES + 9].reshape(3, 3), -rows[1][AXES : AXES + 9].reshape(3, 3)]
    )
    most = np.concatenate([row[HALF : HALF + 3] for row in rows])
    free = most > 0
    target = rows[1][CENTRE : CENTRE + 3] - rows[0][CENTRE : CENTRE + 3]
    if not free.any():
        return float(np.linalg.norm(target))
    found = lsq_linear(matrix[:, free], target, (-most[free], most[free]), tol=1e-14)
    return float(np.linalg.norm(found.fun))


def meet(a, b):
    return meet_shapes(a.row[0], a.tag[0], b.row[0], b.tag[0], SIMPLEX, KEEP)


@pytest.mark.parametrize("first", FORMS)
@pytest.mark.parametrize("second", FORMS)
def test_distances_of_boxes_are_those_of_least_squares(first, second):
    rng = np.random.default_rng([len(first), len(second), 1001])
    for _ in range(150):
        a, b = make(rng, FORMS[first]), make(rng, FORMS[second])
        core = find_distance(a, b)
        gap, normal, _ = meet(a, b)
        if core < 1e-6:
            assert gap <= -(a.row[0, RADIUS] + b.row[0, RADIUS]) + 1e-5
            continue
        assert gap == pytest.approx(core - a.row[0, RADIUS] - b.row[0, RADIUS], abs=1e-6)
        assert np.linalg.norm(normal) == pytest.approx(1)
        assert meet(b, a)[0] == pytest.approx(gap, abs=1e-6)


def test_normals_and_points_are_the_gradient_of_the_distance():
    """Moved apart along the normal by some way, the gap grows by as much; halfway is the point."""
    rng = np.random.default_rng(1002)
    for _ in range(200):
        a, b = make(rng, FORMS["plate"]), make(rng, FORMS["box"])
        if find_distance(a, b) < 0.05:
            continue
        gap, normal, point = meet(a, b)
        moved = allocate_shapes(1)
        moved.row[:], moved.tag[:] = a.row, a.tag
        moved.row[0, CENTRE : CENTRE + 3] += 0.01 * np.array(normal)
        assert meet(moved, b)[0] == pytest.approx(gap + 0.01, abs=1e-6)
        ball = allocate_shapes(1)
        ball.row[0, CENTRE : CENTRE + 3] = point
        for one in (a, b) if gap > 0 else ():  # of an overlap it may be inside a core
            assert meet(one, ball)[0] == pytest.approx(gap / 2, abs=2e-5)


@pytest.mark.parametrize("form", FORMS)
def test_cylinders_are_as_far_as_their_nearest_surface_point(form):
    rng = np.random.default_rng([len(form), 1003])
    turn = np.linspace(0, 2 * np.pi, 721)
    for _ in range(30):
        a, b = make(rng, (1, 1, 0), CYLINDER_CORE), make(rng, FORMS[form])
        half, radius = a.row[0, HALF : HALF + 2]
        local = np.concatenate(
            [
                np.column_stack([np.full(721, end), r * np.cos(turn), r * np.sin(turn)])
                for end in np.linspace(-half, half, 41)
                for r in (radius, *(np.linspace(0, radius, 15) if abs(end) == half else ()))
            ]
        )
        points = place(a, local)
        # distance of each surface point to the other core, by clamping in its axes
        row = b.row[0]
        inside = (points - row[CENTRE : CENTRE + 3]) @ row[AXES : AXES + 9].reshape(3, 3)
        clamped = np.clip(inside, -row[HALF : HALF + 3], row[HALF : HALF + 3])
        nearest = np.linalg.norm(inside - clamped, axis=1).min()
        gap = meet(a, b)[0] + a.row[0, RADIUS] + row[RADIUS]
        if nearest < 0.2:
            continue
        assert gap == pytest.approx(nearest, abs=5e-3)
        assert gap <= nearest * (1 + 1e-8)  # sampled points cannot be nearer


def test_boxes_that_overlap_deeply_part_through_their_nearest_faces():
    big, small = allocate_shapes(1), allocate_shapes(1)
    big.row[0, HALF : HALF + 3] = 3, 2, 1
    small.row[0, HALF : HALF + 3] = 0.2
    small.row[0, CENTRE : CENTRE + 3] = 0.3, -0.4, 0.5
    gap, normal, _ = meet(small, big)
    assert gap == pytest.approx(-0.7)
    assert normal == pytest.approx((0, 0, 1))


def test_a_rounded_box_reaches_as_far_as_its_edges():
    half, radius = round_box(np.array([0.9, 0.35, 0.76]))
    assert half + radius == pytest.approx([0.45, 0.175, 0.38])
    shapes = allocate_shapes(1)
    shapes.row[0, HALF : HALF + 3], shapes.row[0, RADIUS] = half, radius
    assert find_reach(shapes)[0] == pytest.approx(np.hypot(0.275, 0.205) + 0.175)
