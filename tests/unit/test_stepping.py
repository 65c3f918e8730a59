"""Legs that step by programs, without a body: poses, strides, standing, lesions, going back."""

import numpy as np
import pytest

from skitter.control.stepping.build import stand_angles
from skitter.control.stepping.model import copy_state, make_sense
from steppers import INTERVAL, JOINTS, PROGRAM, Walk, make_plan, make_spec

STEP_TIME = 0.05  # s
FRONT, REAR = 30.0, -20.0  # degrees of swing, of PROGRAM


def watch_joint(walk, name, seconds):
    """Times [interval] and degrees of a joint's rest angle at the beginning of intervals."""
    rows = []
    joint = walk.joint(name)
    walk.run(seconds, lambda now: rows.append((now.time - INTERVAL, now.state.rest[joint])))
    time, angle = np.array(rows).T
    return time, np.degrees(angle)


def expect(time, lift, period, keys):
    """A rest angle that travels at constant speed between (seconds after lifting, degrees)."""
    since = (time - lift) % period
    return np.interp(since, *np.array(keys, float).T)


@pytest.mark.parametrize("frequency", [2.0, 5.0, 10.0])
def test_rest_angles_travel_at_constant_speed_from_pose_to_pose(frequency):
    """Shares 0.3, 0.4, 0.3 of 50 ms: poses at 15, 35 and 50 ms, then stance to the next step."""
    walk = Walk(frequency=frequency)
    walk.run(2.0)  # errors would have added up
    lift, period = walk.lifts[walk.leg("left_hind")][-1], 1 / frequency
    time, swing = watch_joint(walk, "left_hind.swing", 1.0)
    keys = [(0, REAR), (0.015, REAR), (0.035, FRONT), (0.05, FRONT), (period, REAR)]
    assert swing == pytest.approx(expect(time, lift, period, keys), abs=1e-6)
    lift = walk.lifts[walk.leg("right_middle")][-1]
    time, height = watch_joint(walk, "right_middle.lift", 1.0)
    keys = [(0, 0), (0.015, 40), (0.035, 40), (0.05, -5), (period, 0)]
    assert height == pytest.approx(expect(time, lift, period, keys), abs=1e-6)


def test_a_joint_that_no_pose_names_is_left_alone():
    walk = Walk()
    walk.state.rest_next[walk.joint("left_front.knee")] = 0.3
    walk.run(1.0)
    assert walk.state.rest[walk.joint("left_front.knee")] == 0.3


def test_speeds_lead_from_one_interval_to_the_next():
    walk = Walk(frequency=4.0, interval=3.7e-4)
    walk.advance()
    for _ in range(1500):
        ahead = walk.state.rest + walk.state.rest_speed * walk.interval
        walk.advance()
        assert walk.state.rest == pytest.approx(ahead, abs=1e-12)


def test_steps_do_not_know_the_interval():
    """Times are exact, not rounded to intervals of whatever length."""
    coarse, fine = Walk(frequency=7.0, interval=7.3e-4), Walk(frequency=7.0, interval=1.1e-4)
    coarse.run(1.0), fine.run(1.0)
    for one, other in zip(coarse.lifts, fine.lifts, strict=True):
        assert len(one) >= 6
        assert one == pytest.approx(other[: len(one)], abs=1e-9)


@pytest.mark.parametrize("left, right", [(1.0, 0.5), (0.5, -1.0), (0.0, 1.5)])
def test_strides_scale_the_swing_about_its_middle(left, right):
    walk = Walk(frequency=5.0)
    walk.drive[1:3] = left, right
    walk.run(1.0)
    for side, stride in (("left", left), ("right", right)):
        lift = walk.lifts[walk.leg(f"{side}_middle")][0]
        time, swing = watch_joint(walk, f"{side}_middle.swing", 0.4)
        middle, half = (FRONT + REAR) / 2, (FRONT - REAR) / 2
        front, rear = middle + stride * half, middle - stride * half
        keys = [(0, rear), (0.015, rear), (0.035, front), (0.05, front), (0.2, rear)]
        assert swing == pytest.approx(expect(time, lift, 0.2, keys), abs=1e-6)
        # lift goes from -5 to 0 in stance, so 2.5 to each side of standing; 40 above at stride 1
        time, height = watch_joint(walk, f"{side}_middle.lift", 0.4)
        front, rear = -2.5 - 2.5 * stride, -2.5 + 2.5 * stride
        keys = [(0, rear), (0.015, rear + 40), (0.035, front + 45), (0.05, front), (0.2, rear)]
        assert height == pytest.approx(expect(time, lift, 0.2, keys), abs=1e-6)


def test_legs_that_march_on_the_spot_stand_in_between():
    """No joint of a standing leg moves at a stride of 0: nothing pushes the body."""
    walk = Walk(frequency=4.0)
    walk.drive[1:3] = 0.0
    walk.run(1.0)
    stand = stand_angles(walk.model, np.zeros(18))
    for _ in range(500):
        walk.advance()
        for leg in np.flatnonzero(walk.state.stepping == 0):
            joints = walk.model.leg_joint[leg, :2]
            assert walk.state.rest_next[joints] == pytest.approx(stand[joints], abs=1e-9)


def test_legs_that_stop_finish_their_step_and_stand():
    walk = Walk(frequency=5.0).run(1.02)
    stepping = np.flatnonzero(walk.state.stepping)
    assert len(stepping)
    ends = walk.state.lift_time[stepping] + STEP_TIME
    walk.drive[3] = 0
    phase, steps = walk.state.phase.copy(), walk.state.steps.copy()
    walk.run(1.0)
    assert walk.state.land_time[stepping] == pytest.approx(ends, abs=1e-12)
    assert np.array_equal(walk.state.steps, steps)
    assert walk.state.phase == pytest.approx(phase, abs=1e-12)
    swing = walk.state.rest[walk.joint("left_front.swing")]
    assert np.degrees(swing) == pytest.approx((FRONT + REAR) / 2)
    assert np.degrees(walk.state.rest[walk.joint("right_hind.lift")]) == pytest.approx(-2.5)
    assert not walk.state.rest_speed.any()


def test_legs_start_again_without_a_jump():
    """From the standing pose nothing is asked to move faster than a step or a stance does."""
    walk = Walk(frequency=5.0)
    walk.drive[3] = 0
    walk.run(0.3)
    walk.drive[3] = 1
    fastest = np.radians(max(45 / 0.015, 50 / 0.02))  # rad/s, of lift and swing in a step
    slowest = np.radians((FRONT - REAR) / 0.15)  # rad/s, of swing in stance
    for _ in range(1200):
        walk.advance()
        assert np.max(np.abs(walk.state.rest_speed)) < 1.01 * fastest
        for leg in np.flatnonzero(walk.state.stepping == 0):
            if walk.state.steps[leg] == 0:
                speed = walk.state.rest_speed[walk.model.leg_joint[leg, 0]]
                assert -1.01 * slowest < speed <= 0
    assert walk.state.steps.min() >= 2


def test_standing_angles_are_the_middle_of_stance():
    program = {
        "step": [{"share": 1.0, "angles_deg": {"swing": 40.0, "lift": 10.0}}],
        "stance": [
            {"share": 0.2, "angles_deg": {"lift": 0.0}},
            {"share": 0.6, "angles_deg": {"swing": -20.0}},
            {"share": 0.2},
        ],
    }
    walk = Walk(make_spec(program=program))
    angles = np.degrees(stand_angles(walk.model, np.full(18, 0.1)))
    assert angles[walk.joint("left_hind.swing")] == pytest.approx(40 - 60 * 0.3 / 0.6)
    assert angles[walk.joint("left_hind.lift")] == pytest.approx(0)
    assert angles[walk.joint("left_hind.knee")] == pytest.approx(np.degrees(0.1))


def test_shares_are_parts_of_their_sum():
    double = {
        name: [{**pose, "share": pose["share"] / 2} for pose in poses]
        for name, poses in PROGRAM.items()
    }
    one, other = Walk(), Walk(make_spec(program=double))
    assert other.model.pose_end == pytest.approx(one.model.pose_end)


def test_joints_that_a_lesion_took_are_skipped():
    plan = make_plan()
    gone = plan.joint_name.index("left_front.lift")
    leg = plan.leg_name.index("left_front")
    plan.leg_joint[leg, JOINTS.index("lift")] = -1
    whole, hurt = Walk().run(0.5), Walk(plan=plan).run(0.5)
    others = np.arange(18) != gone
    assert hurt.state.rest[gone] == 0
    assert np.array_equal(hurt.state.rest[others], whole.state.rest[others])


def test_neighbours_of_missing_legs_are_neighbours():
    """Without its middle legs a hexapod steps as a quadruped does."""
    missing = ("left_middle", "right_middle")
    for frequency in (2.0, 10.0):
        hurt = Walk(plan=make_plan(missing=missing), frequency=frequency).run(2.0)
        four = Walk(make_spec(2), make_plan(2), frequency=frequency).run(2.0)
        assert hurt.lifts == four.lifts


@pytest.mark.parametrize("missing", ["left_front", "right_middle", "left_hind"])
@pytest.mark.parametrize("frequency", [2.0, 10.0])
def test_five_legs_all_step(missing, frequency):
    walk = Walk(plan=make_plan(missing=(missing,)), frequency=frequency).run(4.0)
    assert np.ptp(walk.state.steps) <= 2
    assert walk.state.steps.min() >= 4 * frequency - 3


def test_what_was_undone_is_done_again_to_the_bit():
    """An integrator may go back in time: state put back and redone gives the same bits."""
    rng = np.random.default_rng(3)
    reflexes = {
        "step": {"on": True, "angle_deg": dict.fromkeys(["front", "middle", "hind"], -25.0)},
        "load": {"on": True, "most": dict.fromkeys(["front", "middle", "hind"], 800.0)},
        "elevator": {"on": True, "force": dict.fromkeys(["front", "middle", "hind"], 300.0)},
    }
    walk = Walk(make_spec(reflexes=reflexes), frequency=6.0)
    kept = type(walk.state)(*(array.copy() for array in walk.state))
    for _ in range(60):
        copy_state(walk.state, kept)
        count, sense = walk.count, make_sense(6)
        rows = [rng.uniform(-0.6, 0.5, 6), rng.uniform(0, 1000, 6), rng.uniform(0, 400, 6)]
        sense.angle[:], sense.load[:], sense.blocked[:] = rows
        sense.touching[:] = rng.integers(0, 2, 6)
        ends = []
        for detour in (False, True, False):
            copy_state(kept, walk.state)
            walk.count, walk.sense = count, sense
            walk.drive[0] = 9.0 if detour else 6.0
            for _ in range(20):
                walk.advance()
            ends.append([array.copy() for array in walk.state])
        assert all(np.array_equal(a, b) for a, b in zip(ends[0], ends[2], strict=True))
        assert any(not np.array_equal(a, b) for a, b in zip(ends[0], ends[1], strict=True))
    assert walk.state.reflex.sum(axis=0).min() > 0


def test_all_state_is_in_arrays_of_two_types():
    for array in Walk().state:
        assert array.dtype in (np.float64, np.int64) and array.flags.owndata


def test_a_frequency_of_nothing_stands_still():
    walk = Walk(frequency=5.0).run(0.7)
    walk.drive[0] = 0.0
    walk.run(0.1)
    phase, steps = walk.state.phase.copy(), walk.state.steps.copy()
    walk.run(1.0)
    assert np.array_equal(walk.state.phase, phase)
    assert np.array_equal(walk.state.steps, steps)
    assert not walk.state.stepping.any()
