"""Small parts of the controller: heights over planes, looks at a plane, its clock, a folded leg."""

import numpy as np
import pytest

from skitter.control.leg import compute_bend, compute_tip
from skitter.control.look import height_over, look
from skitter.scene.spec import PlaneTerrain
from skitter.terrain import build_terrain
from walkers import build_world

NORMAL = np.array([2.0, 6.0, -3.0]) / 7.0
PLACE = np.array([1.0, -2.0, 3.0])


def test_height_over_a_plane_is_along_its_normal():
    planes, point = np.array([[0.0] * 6, [*PLACE, *NORMAL]]), np.array([4.0, 5.0, -6.0])
    assert height_over.py_func(planes, 1, *point) == pytest.approx((point - PLACE) @ NORMAL)
    assert height_over.py_func(planes, 1, *PLACE) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("point", [(4.0, 5.0, -6.0), (1.0, -9.0, 2.0)])
def test_a_look_at_one_plane_is_a_sample_of_it(point):
    terrain = build_terrain([PlaneTerrain(shape="plane", at=tuple(PLACE), normal=tuple(NORMAL))])
    distance, normal, item = terrain.sample([point])
    found = look.py_func(terrain.arrays, *point)
    assert found == pytest.approx((distance[0], *normal[0], item[0]))
    assert found[0] == pytest.approx((np.array(point) - PLACE) @ NORMAL)


def test_the_clock_of_a_walker_runs_with_the_world():
    world = build_world(commands=[{"speed": 0}])
    before = float(world.creatures[0].walker_state.clock[0])
    world.advance(0.5)
    assert world.creatures[0].walker_state.clock[0] - before == pytest.approx(0.5)


@pytest.mark.parametrize("far", [0.1, 0.45])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_leg_folds_where_its_tip_should_be_too_near(side, far):
    """The rod back over the upper link: as near as it gets, in the direction that was asked for."""
    upper, rod, psi = 0.5, 1.0, 0.3
    way = np.array([0.3, -0.6, 0.7 * side])
    way /= np.linalg.norm(way)
    bend = compute_bend(upper, rod, psi, side, *(far * way))
    assert bend[2] == pytest.approx(np.pi - psi)
    assert compute_tip(upper, rod, psi, side, *bend) == pytest.approx((rod - upper) * way)


def test_legs_are_on_their_side():
    """Even ones on the left, which is -z: their roots, their sides and their feet."""
    one = build_world().creatures[0]
    side = np.where(np.arange(len(one.walker.leg.side)) % 2 == 0, -1.0, 1.0)
    assert one.walker.leg.side.tolist() == side.tolist()
    assert (side * one.walker.leg.root[:, 2] > 0).all()
    assert (side * one.walker_state.leg_tip[:, 2] > 0.4).all()  # half the width of a segment


def test_segments_give_way_to_the_only_obstacle_there_is():
    """A wall that is nearer than 1.25 half widths to the middles of those beside it."""
    wall = {"shape": "box", "at": [-8, 1, 0.95], "size": [4, 2, 1]}
    moved = []
    for obstacles in ([], [wall]):
        world = build_world(commands=[{"speed": 0}], scene={"obstacles": obstacles})
        world.advance(0.5)
        one = world.creatures[0]
        beside = np.abs(one.body_position[:, 0] + 8) < 1.5
        moved.append(one.body_position[beside, 2].mean())
    assert beside.sum() >= 2
    assert abs(moved[0]) < 0.01 < 0.03 < moved[0] - moved[1]
