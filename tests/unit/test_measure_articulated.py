"""Measures of creatures of jointed links, on recordings whose steps and paths follow a formula."""

import gc
import re
from pathlib import Path

import numpy as np
import pytest
from fake_articulated import (
    GRAVITY,
    HEIGHT,
    LENGTH,
    MASS,
    NAME,
    THICK,
    Fake,
    list_lifts,
    make_walk,
    place_body,
    tell_steps,
)
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from skitter.measure import articulated, measure, table
from skitter.measure.articulated import read_walk
from skitter.measure.articulated_steps import find_contralateral, find_ipsilateral
from skitter.measure.steps import list_ends, list_neighbours, pair_events, read_steps
from skitter.measure.support import find_margins
from skitter.measure.sway import find_course, find_sway

(KIND,) = table.JOINTED
LEGS = ("L1", "R1", "L2", "R2", "L3", "R3")


def values(fake: Fake) -> dict[str, float]:
    prefix = f"{NAME}."
    found = measure(fake.record()).items()
    return {id.removeprefix(prefix): one.value for id, one in found if id.startswith(prefix)}


def approx(value, **how):
    return pytest.approx(value, **({"rel": 1e-6, "abs": 1e-9} | how))


# ---- steps


@pytest.mark.parametrize(
    ("frequency", "step", "lag"), [(2.0, 0.05, 0.05), (5.0, 0.05, 0.06), (10.0, 0.05, 0.05)]
)
def test_wave_of_steps(frequency, step, lag):
    """A lag of 0.05 s is a tenth of a stride at 2 Hz, and half of it at 10 Hz: the tripod."""
    found = values(make_walk(frequency=frequency, step=step, lag=lag))
    assert found["stride_frequency"] == approx(frequency)
    assert found["step_time"] == approx(step)
    assert found["step_time_spread"] == approx(0.0)
    assert found["stance_time"] == approx(1 / frequency - step)
    assert found["ipsilateral_lag"] == approx(lag)
    assert found["ipsilateral_phase"] == approx(lag * frequency)
    assert found["contralateral_phase"] == approx(0.5)
    assert found["ipsilateral_phase_spread"] == pytest.approx(0.0, abs=1e-6)
    # what two lags leave of a stride: 0.4 s, 0.08 s, and nothing in a tripod
    assert found["front_hind_interval"] == approx(1 / frequency - 2 * lag)
    assert found["early_step_share"] == 0.0
    assert found["duty_factor"] == approx(1 - step * frequency)
    for leg in LEGS:
        assert found[f"duty_factor_{leg}"] == approx(1 - step * frequency)


def test_feet_differ_from_what_they_are_told():
    """They leave 10 ms late and touch 20 ms late, so they are in the air for 60 ms of 500."""
    found = values(make_walk())
    assert found["air_time"] == approx(0.06)
    assert found["contact_duty_factor"] == approx(1 - 0.06 / 0.5)
    assert found["contact_duty_factor_L3"] == approx(1 - 0.06 / 0.5)
    assert found["duty_factor_L3"] == approx(0.9)


def test_feet_that_never_leave_the_ground_have_a_duty_of_one():
    fake = make_walk()
    fake.channels["foot_touching"][:, 3] = 1
    for one in ("leave_time", "touch_time"):
        fake.channels[one][:, 3] = -1.0
    found = values(fake)
    assert found["contact_duty_factor_R2"] == 1.0
    assert found["contact_duty_factor_L2"] == approx(0.88)
    assert found["duty_factor_R2"] == approx(0.9)


def test_a_foot_that_trembles_is_on_the_ground():
    """Hops of a millisecond in the middle of each stance, and a touch as short in each step."""
    lifts = list_lifts()
    hops, brushes = lifts + 0.3, lifts + 0.025
    time = np.arange(6001) / 1000
    up = np.sort(np.concatenate([lifts, hops, brushes + 0.001], axis=1))
    down = np.sort(np.concatenate([lifts + 0.05, hops + 0.001, brushes], axis=1))
    fake = make_walk(rate=1000.0)
    left, touched, in_air = tell_steps(time, up, down)
    fake.channels |= {"leave_time": left, "touch_time": touched, "foot_touching": 1 - in_air}
    found = values(fake)
    assert found["air_time"] == approx(0.05, rel=1e-6)
    assert found["contact_duty_factor"] == approx(0.9)


def test_steps_that_begin_too_early_are_counted():
    """A lag shorter than a step: legs lift before the one behind is down."""
    found = values(make_walk(lag=0.03))
    assert found["early_step_share"] == 1.0


def test_legs_that_step_together_have_no_phase():
    found = values(make_walk(lag=0.0, across=0.0))
    assert found["ipsilateral_phase"] == approx(0.0)
    assert found["contralateral_phase"] == approx(0.0)
    assert found["ipsilateral_lag"] == approx(0.0)


def test_a_missing_leg_has_no_neighbours():
    """Without the left middle leg only the right side tells lags, and its name is not there."""
    fake = make_walk()
    keep = [0, 1, 3, 4, 5]
    for key in ("lift_time", "land_time", "leg_stepping", "phase", "foot_force", "foot_position"):
        fake.channels[key] = fake.channels[key][:, keep]
    for key in ("leave_time", "touch_time", "foot_touching"):
        fake.channels[key] = fake.channels[key][:, keep]
    for key in ("leg_pair", "leg_side"):
        fake.statics[key] = fake.statics[key][keep]
    pair, side = fake.statics["leg_pair"], fake.statics["leg_side"]
    assert list_neighbours(pair, side) == [(2, 1), (4, 2)]
    assert sorted(list_ends(pair, side)) == [(0, 3), (1, 4)]
    found = values(fake)
    assert "duty_factor_L2" not in found and "duty_factor_R2" in found
    assert found["ipsilateral_lag"] == approx(0.05)
    assert found["contralateral_phase"] == approx(0.5)


def test_lags_are_told_step_by_step():
    """A gait whose frequency grows keeps its lag in seconds, and its phase grows."""
    time = np.arange(18 * 60 + 1) / 60
    stride = 1 / np.linspace(1.0, 8.0, 60)
    hind = 0.1 + np.concatenate([[0.0], stride.cumsum()])
    lifts = np.stack([hind + 0.1, hind + 0.1, hind + 0.05, hind + 0.05, hind, hind])
    lifts[1::2, :-1] += np.diff(hind) / 2
    fake = make_walk(seconds=18.0)
    lift, land, stepping = tell_steps(time, lifts[:, :-1], lifts[:, :-1] + 0.05)
    fake.channels |= {"lift_time": lift, "land_time": land, "leg_stepping": stepping}
    walk = read_walk(fake.record(), NAME)
    lags = find_ipsilateral(walk)
    left = np.isin(lags.time, lifts[[0, 2]])
    np.testing.assert_allclose(lags.seconds[left], 0.05, atol=1e-9)
    early, late = lags.phase[lags.time < 2.0], lags.phase[lags.time > hind[-6]]
    assert early.max() < 0.12 and late.min() > 0.35
    np.testing.assert_allclose(find_contralateral(walk).phase, 0.5, atol=0.1)
    half = read_walk(fake.record(), NAME, since=1.0, until=2.0)
    assert half.time[0] == approx(1.0) and half.time[-1] == approx(2.0)


def test_events_are_paired_over_what_a_frame_hid():
    spans = pair_events(np.array([1.0, 1.4, 3.0]), np.array([1.5, 3.2]), False, 0.0, 4.0)
    np.testing.assert_array_equal(spans, [[1.0, 1.5], [3.0, 3.2]])
    spans = pair_events(np.array([2.0]), np.array([1.0]), True, 0.0, 4.0)
    np.testing.assert_array_equal(spans, [[0.0, 1.0], [2.0, 4.0]])
    steps = read_steps(np.full((3, 2), -1.0), np.full((3, 2), -1.0), np.array([0, 1]), 0.0, 4.0)
    assert [one.tolist() for one in steps.spans] == [[], [[0.0, 4.0]]]


def test_counts_are_those_of_the_end():
    fake = make_walk()
    frames = len(fake.time)
    fake.channels["reflex"] = np.zeros((frames, 6, 3), np.int64)
    fake.channels["reflex"][-1] = [[1, 10, 100]] * 6
    fake.channels["steps"] = np.tile(np.arange(frames)[:, None], (1, 6))
    found = values(fake)
    assert (found["step_reflexes"], found["load_reflexes"]) == (6.0, 60.0)
    assert found["elevator_reflexes"] == 600.0
    assert found["steps_taken"] == 6 * (frames - 1)


# ---- the way


def test_speed_along_the_ground_and_forwards():
    """Along a line 30 degrees to the left of +x, while it heads 90 degrees to the left."""
    fake = make_walk()
    course = np.array([np.cos(np.pi / 6), -np.sin(np.pi / 6)])
    path = 4.0 * fake.time[:, None] * course
    fake.channels |= place_body(fake.time, path, yaw=np.full(len(fake.time), np.pi / 2))
    found = values(fake)
    assert found["ground_speed"] == approx(4.0)
    assert found["relative_speed"] == approx(4.0 / LENGTH)
    assert found["forward_speed"] == approx(4.0 * np.cos(np.pi / 3))
    assert found["turn_rate"] == approx(0.0)
    assert found["straightness"] == approx(1.0)
    assert found["course_length"] < found["ground_distance"]


def test_a_circle_is_not_straight():
    """A quarter of a circle to the left about a middle 3 cm away, in 6 s."""
    fake = make_walk(start=0.0)
    turn = np.pi / 2 * fake.time / 6.0
    path = 3.0 * np.stack([np.sin(turn), np.cos(turn) - 1], axis=1)
    fake.channels |= place_body(fake.time, path, yaw=turn)
    walk = articulated.read_walk(fake.record(), NAME)
    assert articulated.turn_rate(walk) == approx(np.pi / 12)
    assert articulated.forward_speed(walk) == approx(3.0 * np.pi / 12, rel=1e-4)
    angle = np.pi / 2 * (6.0 - 2 * 0.5) / 6.0  # the course leaves out a stride at each end
    chord = np.sin(angle / 2) / (angle / 2)
    assert articulated.straightness(walk) == approx(chord, rel=1e-3)
    assert articulated.course_length(walk) == approx(3.0 * angle, rel=1e-2)
    assert articulated.wobble(walk) < 1e-3, "to turn is not to sway"


@pytest.mark.parametrize(("frequency", "rate"), [(2.0, 60.0), (10.0, 60.0), (7.3, 120.0)])
def test_sway_at_the_frequency_of_strides(frequency, rate):
    """0.07 cm to each side of a straight way, and 0.1 rad of heading with it."""
    fake = make_walk(frequency=frequency, rate=rate)
    turn = 2 * np.pi * frequency * fake.time
    way = 5.0 * fake.time[:, None] * np.array([np.cos(0.4), np.sin(0.4)])
    right = np.array([-np.sin(0.4), np.cos(0.4)])
    path = way + 0.07 * np.sin(turn)[:, None] * right
    fake.channels |= place_body(fake.time, path, yaw=-0.4 + 0.1 * np.sin(turn + 1))
    found = values(fake)
    assert found["wobble"] == approx(0.07, rel=0.02)
    assert found["wobble_frequency"] == approx(frequency, rel=0.02)
    assert found["wobble_stride_share"] > 0.98
    assert found["yaw_wobble"] == approx(0.1, rel=0.02)
    assert found["yaw_wobble_frequency"] == approx(frequency, rel=0.02)
    assert found["yaw_wobble_stride_share"] > 0.98
    assert found["straightness"] == approx(1.0, rel=1e-3)


def test_sway_at_another_frequency_is_not_of_strides():
    """Half of the power at strides, half at 3.3 times their frequency."""
    fake = make_walk(seconds=12.0)
    sway = np.sin(2 * np.pi * 2.0 * fake.time) + np.sin(2 * np.pi * 6.6 * fake.time)
    fake.channels |= place_body(fake.time, np.stack([5 * fake.time, 0.05 * sway], axis=1))
    found = values(fake)
    assert found["wobble_stride_share"] == approx(0.5, abs=0.03)
    assert found["wobble"] == approx(0.05 * np.sqrt(2), rel=0.03)


def test_mean_over_strides_is_exact_for_straight_lines():
    time = np.array([0.0, 0.3, 0.5, 1.1, 2.0, 3.1, 4.0])
    moments, mean = find_course(time, np.stack([3 * time + 1, -time], axis=1), 0.7)
    assert moments[0] == approx(0.7) and moments[-1] <= 3.3
    np.testing.assert_allclose(mean, np.stack([3 * moments + 1, -moments], axis=1), atol=1e-12)
    assert find_course(time, time[:, None], 1.4) is None
    assert find_course(time, time[:, None], np.nan) is None


def test_what_does_not_sway_has_no_frequency():
    time = np.arange(200) / 50
    assert np.isnan(find_sway(time, 0 * time, 0.5).frequency)
    assert find_sway(time[:20], np.sin(time[:20]), 0.5) is None


# ---- balance


SQUARE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


@pytest.mark.parametrize(
    ("at", "margin"),
    [
        ((0.0, 0.0), 1.0),
        ((0.7, 0.2), 0.3),
        ((1.0, 0.3), 0.0),
        ((1.5, 0.0), -0.5),
        ((4.0, 5.0), -5.0),  # 3 and 4 beyond a corner
    ],
)
def test_margin_inside_and_outside_a_square(at, margin):
    feet, touching = SQUARE[None], np.ones((1, 4), bool)
    assert find_margins(np.array([at]), feet, touching)[0] == approx(margin)
    inner = np.concatenate([SQUARE, [[0.1, 0.2], [1.0, 0.0]]])[None]  # one inside, one on an edge
    assert find_margins(np.array([at]), inner, np.ones((1, 6), bool))[0] == approx(margin)


@pytest.mark.parametrize(
    ("down", "margin"),
    [
        ([1, 1, 0, 0], -1.2),  # a line at z = -1
        ([1, 0, 0, 0], -np.hypot(1.3, 1.2)),
        ([0, 1, 1, 1], (0.3 + 0.2) / np.sqrt(2)),  # beyond the diagonal x + z = 0
        ([1, 1, 0, 1], -(0.3 + 0.2) / np.sqrt(2)),
        ([0, 0, 0, 0], np.nan),
    ],
)
def test_margin_with_fewer_feet(down, margin):
    at = np.array([[0.3, 0.2]])
    found = find_margins(at, SQUARE[None], np.array([down], bool))[0]
    np.testing.assert_allclose(found, margin, atol=1e-12)


def test_margins_agree_with_another_hull():
    """Distances to the lines of SciPy's convex hull, inside; outside, to the nearest of many points
    of all lines between feet."""
    random, share = np.random.default_rng(3), np.linspace(0, 1, 4000)[:, None]
    for _ in range(20):
        feet, down = random.normal(size=(6, 2)), np.ones((1, 6), bool)
        at, far = feet.mean(axis=0), feet.mean(axis=0) + np.array([9.0, 0.0])
        hull = ConvexHull(feet).equations
        inside = -(hull[:, :2] @ at + hull[:, 2]).max()
        assert find_margins(at[None], feet[None], down)[0] == approx(inside)
        pairs = [(a, b) for a in range(6) for b in range(a)]
        lines = np.concatenate([feet[a] + share * (feet[b] - feet[a]) for a, b in pairs])
        outside = -np.linalg.norm(lines - far, axis=1).min()
        assert find_margins(far[None], feet[None], down)[0] == approx(outside, abs=1e-5)


def test_support_of_a_walk():
    """Feet on a square around it for the first half, then two, with its weight 0.4 cm aside."""
    fake = make_walk(pairs=2, seconds=2.0, speed=0.0)
    fake.channels["drive"][:] = 0.0  # it stands: all of the recording counts
    place = np.zeros((len(fake.time), 4, 3))
    place[:, :, [0, 2]] = SQUARE * [0.5, 0.4]
    down = np.ones((len(fake.time), 4), np.uint8)
    down[60:, 2:] = 0
    fake.channels |= {"foot_position": place, "foot_touching": down}
    found = values(fake)
    assert found["support_margin_min"] == approx(-0.4)
    assert found["support_margin"] == approx((60 * 0.4 - 61 * 0.4) / 121)
    assert found["stable_share"] == approx(60 / 121)
    assert (found["feet_down"], found["feet_down_min"]) == (approx((4 * 60 + 2 * 61) / 121), 2.0)


def test_posture():
    fake = make_walk()
    path = fake.channels["centre_of_mass"][:, [0, 2]]
    fake.channels |= place_body(fake.time, path, yaw=0.3, pitch=0.2, roll=-0.1, height=0.7)
    found = values(fake)
    assert (found["pitch"], found["roll"]) == (approx(0.2), approx(-0.1))
    assert found["pitch_spread"] == approx(0.0) and found["roll_spread"] == approx(0.0)
    assert (found["body_height"], found["body_height_end"]) == (approx(0.7), approx(0.7))
    assert found["tilt_max"] == approx(np.arccos(np.cos(0.2) * np.cos(0.1)))
    # the lowest corner: the tail, 0.5 back, and the side that is down, 0.4 aside
    low = 0.7 - 0.5 * np.sin(0.2) - np.cos(0.2) * (0.25 * np.cos(0.1) + 0.4 * np.sin(0.1))
    assert found["trunk_clearance_min"] == approx(low)
    assert found["trunk_touch_share"] == 0.0 and found["falls"] == 0.0
    assert found["fallen_share"] == found["fallen_end"] == 0.0


def test_roll_is_positive_where_the_right_side_is_down():
    fake = make_walk(seconds=1.0)
    fake.channels |= place_body(fake.time, np.zeros((61, 2)), roll=0.3)
    turned = fake.channels["body_orientation"][0, 1]
    right = Rotation.from_quat(turned, scalar_first=True).apply([0.0, 0.0, 1.0])
    assert right[1] < 0
    assert values(fake)["roll"] == approx(0.3)


def test_falls():
    """It lies twice, once for a moment in between, and ends on its back."""
    fake = make_walk(seconds=4.0)
    height, roll = np.full(241, HEIGHT), np.zeros(241)
    height[30:60] = height[66:70] = THICK / 2  # a tenth of a second up is the same fall
    height[120:130] = 0.0
    roll[210:] = np.pi
    fake.channels |= place_body(fake.time, np.zeros((241, 2)), height=height, roll=roll)
    found = values(fake)
    assert found["falls"] == 3.0
    assert found["fallen_share"] == approx((30 + 4 + 10 + 31) / 241)
    assert found["fallen_end"] == 1.0
    assert found["body_height_min"] == approx(0.0)
    assert found["tilt_max"] == approx(np.pi)
    assert found["trunk_touch_share"] > 0


# ---- effort


def test_work_and_cost_of_transport():
    fake = make_walk()
    share = fake.time[:, None] * [1.0, 2.0]
    fake.channels |= {
        "joint_work": 10.0 * share,
        "joint_positive_work": 40.0 * share,
        "joint_torque": np.tile([3.0, -4.0], (len(fake.time), 1)),
    }
    found = values(fake)
    assert found["power"] == approx(120.0)
    # forces of 120 / 5 dyn along the way, of a weight of 2.1 g
    assert found["cost_of_transport"] == approx(120.0 / 5.0 / (MASS * GRAVITY))
    assert found["net_work"] / found["positive_work"] == approx(0.25)
    assert found["joint_torque_rms"] == approx(np.sqrt(12.5))
    assert found["joint_torque_peak"] == approx(4.0)
    still = make_walk(speed=0.0)
    still.channels |= {key: fake.channels[key] for key in ("joint_work", "joint_positive_work")}
    assert "cost_of_transport" not in values(still)


def test_loads():
    fake = make_walk()
    weight = MASS * GRAVITY
    fake.channels["foot_force"][:, :, 1] = weight * np.array([0.1, 0.1, 0.1, 0.1, 0.3, 0.1])
    fake.channels["foot_force"][:, 4, 0] = weight * 0.4
    found = values(fake)
    assert found["load_on_feet"] == approx(0.8)
    assert [found[f"load_share_{k}"] for k in (1, 2, 3)] == [approx(x) for x in (0.25, 0.25, 0.5)]
    assert found["foot_force_peak"] == approx(0.5 * weight)


def test_slip():
    """Feet on the ground slide back at 0.6 cm/s, those in the air fly at 30."""
    fake = make_walk(rate=240.0)
    speed = np.where(fake.channels["foot_touching"] > 0, -0.6, 30.0)
    fake.channels["foot_position"][:, :, 0] = np.cumsum(speed, axis=0) / 240.0
    found = values(fake)
    assert found["slip_speed"] == approx(0.6)
    assert found["slip_per_stance"] == approx(0.6 * (0.5 - 0.06))
    fake.channels["foot_stuck"] = fake.channels["foot_touching"] * np.array([1, 0, 1, 0, 1, 0])
    assert values(fake)["stuck_share"] == approx(0.5, rel=0.02)


# ---- what is measured of whom


def test_the_documents_list_all_of_them():
    """With their units; those of parts by the name of their first part."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "recordings.md").read_text()
    _, _, text = text.partition("## What is measured of a creature of links")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", text.partition("\n## ")[0], re.MULTILINE)
    listed = {}
    for ids, units in rows:
        names, known = re.findall(r"`(\w+)`", ids), units.split(", ")
        listed |= zip(names, known if len(known) > 1 else known * len(names), strict=True)
    wanted = {one.id: one.unit for one in table.CREATURE_MEASURES if KIND in one.kinds}
    for one in table.PARTS_MEASURES:
        if KIND not in one.kinds:
            continue
        wanted[f"{one.id}_{'1' if one.id == 'load_share' else 'L1'}"] = one.unit
    assert listed == wanted


def make_wire() -> Fake:
    """Without legs: it falls, and two of its three closures break."""
    time = np.arange(61) / 60
    intact = np.ones((61, 3), np.uint8)
    intact[20:, 0] = intact[40:, 2] = 0
    channels = {
        "body_position": np.zeros((61, 1, 3)),
        "body_orientation": np.tile([1.0, 0, 0, 0], (61, 1, 1)),
        "centre_of_mass": np.stack([0 * time, -(time**2), 0 * time], axis=1),
        "energy_kinetic": 5.0 * time,
        "energy_potential": 7.0 - 4.0 * time,
        "momentum": np.stack([3 * time, -4 * time, 0 * time], axis=1),
        "joint_angle": np.zeros((61, 0)),
        "joint_torque": np.zeros((61, 0)),
        "joint_work": np.zeros((61, 0)),
        "joint_positive_work": np.zeros((61, 0)),
        "closure_intact": intact,
        "closure_force": np.stack([900 * time, 0 * time, -950 * time], axis=1),
        "evaluations": np.full(61, 10),
        "shortest_step": np.concatenate([[1e-9], np.linspace(1e-3, 2e-3, 60)]),
    }
    statics = {"total_mass": 1.0, "body_length": 2.0, "body_size": np.ones((1, 3))}
    return Fake(time, channels, statics | {"body_shape": np.zeros(1, np.int32)})


def test_a_creature_without_legs():
    found = values(make_wire())
    assert (found["closures_broken"], found["closures_intact"]) == (2.0, 1.0)
    assert found["closure_force_peak"] == approx(950.0)
    assert found["mechanical_energy_start"] == approx(7.0)
    assert found["mechanical_energy_end"] == approx(8.0)
    assert found["kinetic_energy_peak"] == approx(5.0)
    assert found["momentum_peak"] == approx(5.0)
    assert found["evaluation_rate"] == approx(600.0)
    assert found["step_shortest"] == approx(1e-3)
    absent = ("duty_factor", "stride_frequency", "falls", "support_margin", "joint_torque_rms")
    assert not {*absent} & {*found}


def test_without_gravity_and_ground_there_is_momentum_to_keep():
    wire = make_wire()
    wire.gravity, wire.terrain = 0.0, []
    found = values(wire)
    assert found["momentum_drift"] == approx(5.0)
    assert "angular_momentum_drift" not in found


@pytest.mark.parametrize("seconds", [0.0, 1 / 60, 0.3, 0.8])
def test_short_recordings_tell_less_and_never_nonsense(seconds):
    """At 2 Hz: not one stride."""
    fake = make_walk(seconds=seconds)
    found = values(fake)
    assert np.isfinite([*found.values()]).all()
    absent = ("stride_frequency", "ipsilateral_phase", "duty_factor", "wobble", "straightness")
    assert not {*absent} & {*found}
    assert found["stable_share"] == 0.0
    assert found["falls"] == 0.0


def test_one_stride_is_enough_for_some():
    found = values(make_walk(seconds=1.9))
    assert found["stride_frequency"] == approx(2.0)
    assert found["duty_factor"] == approx(0.9)
    assert "wobble" not in found


def test_the_time_before_all_legs_have_stepped_does_not_count():
    """It stands for 2 s, and drifts at 1 cm/s; then it walks at 5."""
    fake = make_walk(start=2.05)
    way = np.where(fake.time < 3.0, fake.time, 3.0 + 5.0 * (fake.time - 3.0))
    fake.channels |= place_body(fake.time, np.stack([way, 0 * way], axis=1))
    fake.channels["drive"][fake.time < 2.0, 3] = 0
    found = values(fake)
    walk = articulated.read_settled_walk(fake.record(), NAME)
    # the right front leg is the last to step: 2.05 + 0.25 + 2 lags + a step
    assert walk.time[0] == approx(2.45, abs=1 / 60)
    seconds = 6.0 - walk.time[0]
    assert found["ground_speed"] == approx((5 * 3.0 + 3.0 - walk.time[0]) / seconds)
    fake.channels["drive"][fake.time > 4.0, 3] = 0
    assert articulated.read_settled_walk(fake.record(), NAME).time[-1] == approx(4.0)


def test_walks_do_not_keep_recordings_alive():
    recording = make_walk(seconds=1.0).record()
    measure(recording)
    assert recording in articulated._kept
    count = len(articulated._kept)
    del recording
    gc.collect()
    assert len(articulated._kept) < count
