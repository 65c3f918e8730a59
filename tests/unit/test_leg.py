"""A leg's geometry: links added up by hand, and what can be reached found by trying."""

from math import atan2, cos, hypot, pi, radians, sin, tan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skitter.control.leg import compute_bend, compute_tip, stands_there
from skitter.control.walker import ADJUST, SB1, SB2, SF1, SF2, STANCE
from skitter.species.myriapod import AIM_DEPTH
from skitter.species.stance import LegShape
from walkers import build_walker

links = st.floats(0.2, 3.0)
# The first link is never longer than the other two: then the foot can stand right below the root.
shapes = st.builds(LegShape, st.floats(0.1, 0.9), links, links, st.floats(0, pi / 2)).map(
    lambda s: LegShape(s.upper * hypot(s.middle, s.lower), s.middle, s.lower, s.gamma)
)
sides = st.sampled_from([-1.0, 1.0])


def add_links(shape: LegShape, side: float, theta: float, alpha: float, beta: float) -> np.ndarray:
    """Root, knee, ankle and tip [4, 3]: each joint bends its link down by its angle."""
    out = np.array([sin(theta), 0.0, side * cos(theta)])
    up = np.array([0.0, 1.0, 0.0])
    slopes = alpha, alpha - beta, alpha - beta - shape.gamma
    points = [np.zeros(3)]
    for length, slope in zip((shape.upper, shape.middle, shape.lower), slopes, strict=True):
        points.append(points[-1] + length * (cos(slope) * out + sin(slope) * up))
    return np.array(points)


@given(shapes, sides, st.floats(-1.3, 1.3), st.floats(-1.5, 1.5), st.floats(0, 2.5))
def test_the_tip_is_where_the_links_lead(shape, side, theta, alpha, beta):
    tip = compute_tip(shape.upper, shape.rod, shape.psi, side, theta, alpha, beta)
    expected = add_links(shape, side, theta, alpha, beta)[-1]
    assert np.abs(np.subtract(tip, expected)).max() < 1e-12 * (1 + np.abs(expected).max())


@given(shapes, sides, st.floats(-1.3, 1.3), st.floats(-1.55, 0.6), st.floats(0.05, 0.95))
def test_a_bend_leads_to_its_place_with_the_knee_up(shape, side, theta, slope, share):
    """Any place between the nearest and the farthest that the leg reaches."""
    nearest = abs(shape.upper - shape.rod)
    reach = nearest + share * (shape.straight - nearest)
    out, up = reach * cos(slope), reach * sin(slope)
    x, z = out * sin(theta), side * out * cos(theta)
    bend = compute_bend(shape.upper, shape.rod, shape.psi, side, x, up, z)
    _, knee, _, tip = add_links(shape, side, *bend)
    assert np.abs(tip - [x, up, z]).max() < 1e-9 * shape.straight
    assert bend[0] == pytest.approx(theta, abs=1e-9)
    assert bend[2] > 0
    # convex: the knee lies on the upper side of the line from root to tip
    knee_out = knee[0] * sin(theta) + side * knee[2] * cos(theta)
    assert out * knee[1] - up * knee_out > 0


@given(shapes, st.floats(-1.55, 0.6), st.floats(0.05, 0.95))
def test_the_kernel_bends_as_the_species_does(shape, slope, share):
    nearest = abs(shape.upper - shape.rod)
    reach = nearest + share * (shape.straight - nearest)
    out, up = reach * cos(slope), reach * sin(slope)
    plain = shape.bend_to(out, up)
    assert plain is not None
    bend = compute_bend(shape.upper, shape.rod, shape.psi, 1.0, 0.0, up, out)
    assert np.abs(np.subtract(bend, (0.0, *plain))).max() < 1e-12


@given(shapes, st.floats(1.001, 3), st.floats(-1.5, 1.5))
def test_what_is_too_far_is_not_reached(shape, factor, slope):
    reach = factor * shape.straight
    assert shape.bend_to(reach * cos(slope), reach * sin(slope)) is None


def is_reached(legs, k: int, x: float, y: float, z: float) -> bool | None:
    """Whether some alpha and beta > 0 lead to a place, by trying many; None near the border."""
    side, upper, rod, psi = legs.side[k], legs.upper[k], legs.rod[k], legs.psi[k]
    if side * z <= 0:
        return False
    beta = np.linspace(0, pi - psi, 4001)  # the distance from the root depends on beta alone
    reach = np.hypot(upper + rod * np.cos(beta + psi), rod * np.sin(beta + psi))
    theta, wanted = atan2(x, side * z), max(hypot(x, y, z), 1e-9)
    margins = [
        wanted / reach.max() - 1,
        reach.min() / wanted - 1,
        theta - np.arctan(legs.slope_front[k]),
        np.arctan(legs.slope_back[k]) - theta,
    ]
    worst = max(margins)
    return None if abs(worst) < 0.05 else worst < 0


@given(st.integers(0, 35), st.floats(-2.2, 2.2), st.floats(-2.2, 1.0), st.floats(-2.2, 2.2))
def test_a_foot_can_stand_where_a_bent_leg_reaches(k, x, y, z):
    legs = WALKER.walker.leg
    expected = is_reached(legs, k, x, y, z)
    assume(expected is not None)
    assert stands_there(legs, k, x, y, z) == expected


# --- poses of a species -----------------------------------------------------------------------

WALKER = build_walker("centipede18")
# centipede18.yaml: links, ankle, foot, sweep, height of the middle; roots are at half height
LINKS, ANKLE, FOOT, BACK, FRONT, HEIGHT = (0.7, 0.6, 0.7), 20, 0.68, -34, 36, 0.75
LEG = LegShape(*LINKS, radians(ANKLE))


def place_pose(k: int, state: int) -> np.ndarray:
    """Tip of leg k in the pose of a state, from its root."""
    return add_links(LEG, -1.0 if k % 2 == 0 else 1.0, *WALKER.walker.leg.pose[k, state])[-1]


@pytest.mark.parametrize("k", [0, 1, 17, 35])
def test_extremes_aim_a_little_below_the_ground(k):
    depth = HEIGHT + AIM_DEPTH * sum(LINKS)
    side = -1 if k % 2 == 0 else 1
    for state, theta in ((SF2, FRONT), (SB2, BACK)):
        out = FOOT * sum(LINKS)
        expected = [out * sin(radians(theta)), -depth, side * out * cos(radians(theta))]
        assert place_pose(k, state) == pytest.approx(expected)


def test_a_leg_swings_high_and_reaches_down_below_its_root():
    assert place_pose(0, SF1)[1] > -0.5 * HEIGHT
    tip = place_pose(0, SB1)
    assert tip[1] < -0.95 * LEG.straight
    assert WALKER.walker.leg.pose[0, SB1, 2] == 0


def test_adjust_lies_on_the_way_from_up_to_the_anterior_extreme():
    pose = WALKER.walker.leg.pose[0]
    share = 16 / FRONT  # adjust_deg of the species; the middle up pose has theta = 0
    assert pose[ADJUST, 0] == pytest.approx(radians(16))
    assert pose[ADJUST] == pytest.approx(pose[SF1] + share * (pose[SF2] - pose[SF1]))


def test_a_swing_takes_as_long_as_the_species_says():
    legs = WALKER.walker.leg
    up = np.abs(legs.pose[:, SF1] - legs.pose[:, SB2]).max(axis=1) / legs.pose_speed[:, SF1]
    down = np.abs(legs.pose[:, SF2] - legs.pose[:, SF1]).max(axis=1) / legs.pose_speed[:, SF2]
    assert (up + down)[:2] == pytest.approx(0.145)
    assert up == pytest.approx(0.145 / 2)
    # legs that follow come down more slowly than the first pair, so that they are called before
    assert (down[2:] > down[0]).all() and (down[2:] < 1.5 * down[0]).all()


def test_the_stride_is_what_a_foot_passes_on_a_line():
    """The foot is set at the anterior extreme and moves straight back until theta is the other."""
    across = FOOT * sum(LINKS) * cos(radians(FRONT))
    ahead, behind = across * tan(radians(FRONT)), across * tan(radians(BACK))
    assert WALKER.species.leg.stride(1.0) == pytest.approx(ahead - behind)
    assert WALKER.species.leg.stride(0.5) == pytest.approx((ahead - behind) / 2)
    assert WALKER.species.speed_limit == pytest.approx((ahead - behind) / 0.145)


def test_standing_legs_begin_within_their_range():
    state, legs = WALKER.walker_state, WALKER.walker.leg
    stands = state.leg_state == STANCE
    assert stands.mean() > 0.9
    theta = np.degrees(state.leg_angle[stands, 0])
    assert theta.min() > BACK and theta.max() < np.degrees(np.arctan(legs.slope_front[0]))
