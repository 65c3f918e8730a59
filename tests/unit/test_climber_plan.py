"""Plans of climbers: geometry by hand, mirror images, masses, scale, and key frames."""

import numpy as np
import pytest
from test_climber_species import CLIMBERS, FULL, SMALL, leg, load, segment

from skitter.creatures.climber.plan import APPENDAGE, build_plan
from skitter.rotation import matrix_from_turn, matrix_to_quaternion, quaternion_to_matrix
from skitter.species.climber import ClimberSpec

MIRROR = np.array([1.0, 1.0, -1.0])
STRAIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def plan_of(tree):
    return build_plan(ClimberSpec.model_validate(tree))


@pytest.fixture(scope="module", params=CLIMBERS)
def plan(request):
    return build_plan(load(request.param))


def turn_about(axis, angle):
    """By the exponential series."""
    x, y, z = np.asarray(axis) * angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    total, term = np.eye(3), np.eye(3)
    for k in range(1, 40):
        term = term @ cross / k
        total = total + term
    return total


def follow(figure, number, angles):
    """Foot of a leg as the figure's own rule says, cm, in the thorax's frame."""
    place, axes = figure.hip[number].copy(), figure.hip_turn[number].copy()
    for j in range(figure.leg_first[number], figure.leg_first[number + 1]):
        axes = axes @ turn_about(figure.axis[j], angles[j])
        place = place + axes[:, 0] * figure.length[j]
    return place


def find_tips(plan, middles, quats):
    """Outer ends of the last segments of all legs."""
    foot = plan.leg_foot
    ahead = quaternion_to_matrix(quats[foot])[:, :, 0]
    return middles[foot] + ahead * plan.body_size[foot, :1] / 2


def test_a_leg_by_hand():
    """Right leg: 0.4 out, 1 at 30 degrees up, 1.5 straight down from there."""
    figure = plan_of(SMALL).figure
    foot = [0.5, 0.5 - 1.5, 0.4 + 0.4 + np.cos(np.pi / 6)]
    np.testing.assert_allclose(figure.origin[1], foot, atol=1e-12)
    np.testing.assert_allclose(figure.origin[0], foot * MIRROR, atol=1e-12)
    np.testing.assert_array_equal(figure.side, [-1, 1, -1, 1])
    np.testing.assert_array_equal(figure.pair, [0, 0, 1, 1])
    np.testing.assert_array_equal(figure.leg_first, [0, 3, 6, 9, 12])
    np.testing.assert_allclose(figure.axis[3:6], [[0, 1, 0], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_allclose(figure.axis[0:3], [[0, -1, 0], [0, 0, 1], [0, 0, 1]])
    assert figure.leg_length == pytest.approx(2.9)


def test_a_swing_is_forward_and_a_lift_is_up_on_both_sides():
    figure = plan_of(SMALL).figure
    for number in range(4):
        swung, lifted = figure.rest.copy(), figure.rest.copy()
        swung[figure.leg_first[number]] += 0.1
        lifted[figure.leg_first[number] + 1] += 0.1
        assert follow(figure, number, swung)[0] > figure.origin[number, 0] + 0.05
        assert follow(figure, number, lifted)[1] > figure.origin[number, 1] + 0.05


def test_default_poses(plan):
    """All feet in one plane below the thorax, knees up, left and right alike, front ones first."""
    figure, species = plan.figure, plan.species
    middles, quats = plan.rest_bodies()
    tips = find_tips(plan, middles, quats)
    np.testing.assert_allclose(tips, figure.origin, atol=1e-9)
    np.testing.assert_allclose(tips[:, 1], -species.thorax.elevation, atol=0.002 * figure.span)
    np.testing.assert_allclose(tips[::2] * MIRROR, tips[1::2], atol=1e-12)
    assert (tips[1::2, 2] > figure.hip[1::2, 2]).all()
    assert (np.diff(tips[1::2, 0]) < 0).all()  # front first
    for number in range(len(figure.hip)):
        bodies = np.flatnonzero(plan.body_leg == number)
        ends = middles[bodies] + quaternion_to_matrix(quats[bodies])[:, :, 0] * (
            plan.body_size[bodies, :1] / 2
        )
        assert ends[:, 1].max() > figure.hip[number, 1] + 0.1 * figure.leg_length[number]
    trunk = [k for k in range(plan.count) if plan.body_leg[k] < 0]
    assert (middles[trunk, 1] - plan.body_size[trunk, 1] / 2 > -species.thorax.elevation).all()


def test_feet_can_step(plan):
    """About its origin a foot reaches as far as it is comfortable, in and out along the ground."""
    figure = plan.figure
    away = np.linalg.norm(figure.origin - figure.hip, axis=1)
    assert (away + figure.comfort < figure.leg_length).all()
    assert (figure.limit[:, 0] <= figure.limit[:, 2]).all()
    assert (figure.limit[:, 2] <= figure.rest).all()
    assert (figure.rest <= figure.limit[:, 3]).all()
    assert (figure.limit[:, 3] <= figure.limit[:, 1]).all()


def test_bodies_are_where_hinges_put_them(plan):
    """Any pose, anywhere: tips as the figure's rule says, segments joined end to end."""
    figure, random = plan.figure, np.random.default_rng(7)
    place, turn = random.normal(size=3), matrix_from_turn(random.uniform(-180, 180, 3))
    angles = random.uniform(figure.limit[:, 0], figure.limit[:, 1])
    bend = matrix_from_turn([20, -10, 15])
    middles, quats = plan.place_bodies(
        place, turn, matrix_to_quaternion(bend), angles, plan.play(0.3, 1.0)
    )
    tips = find_tips(plan, middles, quats)
    for number in range(len(figure.hip)):
        np.testing.assert_allclose(
            tips[number], place + turn @ follow(figure, number, angles), atol=1e-9
        )
    axes = quaternion_to_matrix(quats)
    joints = middles + np.einsum("bij,bj->bi", axes, plan.body_joint)
    for body in range(plan.count):
        parent = plan.body_parent[body]
        if parent > 0 and plan.body_leg[parent] >= 0:
            end = middles[parent] + axes[parent][:, 0] * plan.body_size[parent, 0] / 2
            np.testing.assert_allclose(joints[body], end, atol=1e-9)
    if figure.has_abdomen:
        np.testing.assert_allclose(axes[1], turn @ bend, atol=1e-9)
        np.testing.assert_allclose(joints[1], place + turn @ figure.pedicel, atol=1e-9)
        middle = joints[1] + axes[1] @ figure.abdomen_middle
        np.testing.assert_allclose(middles[1], middle, atol=1e-9)


def test_equal_angles_are_mirrored_poses(plan):
    """Appendages too, where their sequences do not take turns."""
    figure, random = plan.figure, np.random.default_rng(3)
    angles = figure.rest.copy()
    for number in range(0, len(figure.hip), 2):
        left, right, end = figure.leg_first[number : number + 3]
        angles[left:right] = angles[right:end] = random.uniform(-1, 1, right - left)
    middles, _ = plan.place_bodies(np.zeros(3), np.eye(3), STRAIGHT, angles, plan.sequences.rest)
    for left, name in enumerate(plan.body_name):
        if name.startswith("left_"):
            right = plan.body_name.index(name.replace("left_", "right_", 1))
            np.testing.assert_allclose(middles[left] * MIRROR, middles[right], atol=1e-9)


def test_masses_sum(plan):
    figure = plan.figure
    assert plan.body_mass.sum() == pytest.approx(figure.total_mass)
    parts = figure.trunk_mass + figure.abdomen_mass + figure.seg_mass.sum()
    assert parts == pytest.approx(figure.total_mass)
    assert (plan.body_mass[plan.body_segment == APPENDAGE] == 0).all()
    assert np.linalg.eigvalsh(figure.trunk_inertia).min() > 0


def test_the_trunk_weighs_as_its_ellipsoids():
    """A head of the same size beside the thorax: twice its inertia along, more across."""
    head = {"name": "head", "at": [2, 0, 0], "size": [1, 1, 1], "mass": 0.5}
    tree = {**SMALL, "thorax": {"size": [1, 1, 1], "mass": 0.5}, "parts": [head]}
    figure = plan_of(tree).figure
    ball = 0.4 * 0.5 * 0.5**2
    assert figure.trunk_mass == pytest.approx(1.0)
    np.testing.assert_allclose(figure.trunk_centre, [1, 0, 0])
    across = 2 * (ball + 0.5 * 1**2)
    np.testing.assert_allclose(figure.trunk_inertia, np.diag([2 * ball, across, across]))
    assert figure.body_length == pytest.approx(3.0)


def test_a_base_mass_is_that_of_a_mean_segment():
    figure = plan_of({**SMALL, "limb_seg_mass": 0.01}).figure
    assert figure.seg_mass.mean() == pytest.approx(0.01)
    assert figure.seg_mass[2] / figure.seg_mass[1] == pytest.approx(1.5)  # by volume
    own = {**SMALL, "legs": [leg("a", 0.5, segment_mass=0.02), leg("b", -0.5)]}
    assert plan_of(own).figure.seg_mass[:6].mean() == pytest.approx(0.02)
    water = plan_of(SMALL).figure.seg_mass[1]
    assert water == pytest.approx(np.pi * 0.05**2 * 1.0)


@pytest.mark.parametrize("name", CLIMBERS)
def test_scale(name):
    """Lengths and speeds grow with it, masses with its cube, inertias with its fifth power."""
    small, large = build_plan(load(name)), build_plan(load(name, scale=2))
    one, two = small.figure, large.figure
    for field in ("hip", "length", "radius", "origin", "comfort", "thorax_size", "eyes", "span"):
        np.testing.assert_allclose(
            getattr(two, field), 2 * np.array(getattr(one, field)), rtol=1e-9
        )
    for field in ("seg_mass", "trunk_mass", "abdomen_mass", "total_mass"):
        np.testing.assert_allclose(
            getattr(two, field), 8 * np.array(getattr(one, field)), rtol=1e-9
        )
    np.testing.assert_allclose(two.trunk_inertia, 32 * one.trunk_inertia, atol=1e-12)
    for field in ("rest", "limit", "servo", "axis", "hip_turn"):
        np.testing.assert_allclose(getattr(two, field), getattr(one, field))
    a, b = small.species, large.species
    assert b.scale == 1 and b.thorax.elevation == pytest.approx(2 * a.thorax.elevation)
    assert b.steering.max_speed == pytest.approx(2 * a.steering.max_speed)
    assert b.steering.max_acceleration == pytest.approx(2 * a.steering.max_acceleration)
    assert b.stepping.max_step_height == pytest.approx(2 * a.stepping.max_step_height)
    assert b.stepping.min_step_duration == a.stepping.min_step_duration
    assert b.steering.turn_rate_c1 == a.steering.turn_rate_c1
    assert b.sense.range == pytest.approx(2 * a.sense.range)
    np.testing.assert_allclose(large.body_size, 2 * small.body_size)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_legs_of_one_joint_and_of_seven(count):
    """A fan of segments that bends down, each by as much."""
    bend = -30.0 if count == 1 else -60.0 / count
    rods = [segment(f"s{k}", 2 / count, rest_deg=bend) for k in range(count)]
    tree = {**SMALL, "legs": [leg("a", 0.5, segments=rods), leg("b", -0.5, segments=rods)]}
    plan = plan_of(tree)
    turns = np.radians(bend) * np.arange(1, count + 1)
    foot = [0.5, np.sin(turns).sum() * 2 / count, 0.4 + np.cos(turns).sum() * 2 / count]
    np.testing.assert_allclose(plan.figure.origin[1], foot, atol=1e-12)
    assert len(plan.figure.rest) == 4 * count
    assert plan.species.thorax.elevation == pytest.approx(-foot[1])
    assert 0 < plan.figure.comfort.min() <= 1


def test_bodies_in_their_order():
    plan = plan_of(FULL)
    assert plan.body_name[:6] == [
        *("thorax", "abdomen", "head"),
        *("left_front.coxa", "left_front.femur", "left_front.tibia"),
    ]
    assert plan.body_name[-2:] == ["left_palp.tip", "right_palp.tip"]
    assert plan.body_segment.tolist() == [-1, -2, -3, *(4 * [0, 1, 2]), -5, -5]
    assert plan.body_leg.tolist() == [-1, -1, -1, *np.repeat(range(4), 3), -1, -1]
    assert plan.body_parent.tolist() == [
        -1,
        0,
        0,
        *(b for k in (3, 6, 9, 12) for b in (0, k, k + 1)),
        2,
        2,
    ]
    assert plan.leg_foot.tolist() == [5, 8, 11, 14]


def test_key_frames():
    """A palp that goes from 5 to 25 degrees and back in a second, the left one half of it ahead."""
    plan = plan_of(FULL)
    low, high = np.radians([5, 25])
    assert plan.play(0.0, 1.0) == pytest.approx([high, low])
    assert plan.play(0.5, 1.0) == pytest.approx([low, high])
    assert plan.play(0.25, 1.0) == pytest.approx([(low + high) / 2] * 2)
    assert plan.play(7.75, 1.0) == pytest.approx([(low + high) / 2] * 2)
    assert plan.play(0.5, 0.0) == pytest.approx([low, low])  # at rest while it stands
    times = np.linspace(0, 2, 2001)
    angles = np.array([plan.play(time, 1.0)[1] for time in times])
    assert abs(np.diff(angles)).max() < 0.003  # no jumps
    assert angles.min() == pytest.approx(low) and angles.max() == pytest.approx(high)


def test_without_key_frames_it_keeps_still():
    tree = {**FULL, "appendages": [{**FULL["appendages"][0], "sequence": None}]}
    assert plan_of(tree).play(0.4, 1.0) == pytest.approx(np.radians([5, 5]))
    assert plan_of(SMALL).play(0.4, 1.0).shape == (0,)
