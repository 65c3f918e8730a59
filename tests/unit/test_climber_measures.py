"""Measures of climbers, on recordings whose steps, falls and places follow a formula."""

import re
from pathlib import Path

import numpy as np
import pytest
from fake_articulated import GRAVITY, NAME, about, tell_steps
from fake_climber import LEG_LENGTH, LENGTH, MASS, STRIDE, list_group_lifts, make_climb, make_object

from skitter.measure import measure, table
from skitter.measure.articulated import keep_walk, read_walk
from skitter.measure.climber import find_falls, list_groups, list_ring, list_stances, sweep
from skitter.measure.steps import Steps, list_rows


def values(fake):
    prefix = f"{NAME}."
    found = measure(fake.record()).items()
    return {id.removeprefix(prefix): one.value for id, one in found if id.startswith(prefix)}


def approx(value, **how):
    return pytest.approx(value, **({"rel": 1e-6, "abs": 1e-9} | how))


def mark(fake, channel, since, until, value):
    """Set a channel in the frames after one time, up to another."""
    frames = (fake.time > since + 1e-9) & (fake.time < until + 1e-9)
    fake.channels[channel][frames] = value


# ---- steps


@pytest.mark.parametrize("pairs", [3, 4, 5])
def test_two_groups_that_step_in_turn(pairs):
    """Strides of half a second, steps of an eighth: a quarter of a stride, and never neighbours."""
    found = values(make_climb(pairs))
    assert found["alternation_phase"] == approx(0.5)
    assert found["alternation_concentration"] == approx(1.0)
    assert found["group_phase"] == approx(0.0)
    assert found["group_concentration"] == approx(1.0)
    assert found["alternation_purity"] == approx(1.0)
    assert found["neighbour_step_share"] == 0.0
    assert found["stride_frequency"] == approx(2.0)
    assert found["step_time"] == approx(0.125)
    assert found["duty_factor"] == approx(0.75)
    assert found["duty_factor_L1"] == approx(0.75)
    assert found["ipsilateral_phase"] == approx(0.5)
    assert found["contralateral_phase"] == approx(0.5)
    assert found["legs_down_min"] == pairs
    assert found["feet_down_min"] == pairs
    assert found["feet_down"] == approx(0.75 * 2 * pairs, rel=0.05), "frames see it"
    assert found["few_feet_share"] == 0.0


@pytest.mark.parametrize("apart", [0.25, 0.4, 0.7])
def test_groups_at_another_phase(apart):
    found = values(make_climb(apart=apart))
    assert found["alternation_phase"] == approx(apart)
    assert found["alternation_concentration"] == approx(1.0)
    assert found["group_phase"] == approx(0.0)


def test_legs_that_all_step_together():
    found = values(make_climb(apart=0.0))
    assert found["alternation_phase"] == approx(0.0)
    assert found["alternation_purity"] == approx(0.0)
    assert found["neighbour_step_share"] == 1.0
    assert found["legs_down_min"] == 0.0


def test_a_wave_in_each_group_spreads_their_phases():
    """Of four pairs, each 0.1 after the next behind: legs of two groups differ by 0.5 and by what
    lies between their pairs. The mean stays, and how much they agree is that of these sixteen."""
    wave = 0.1
    found = values(make_climb(wave=wave, step=0.05))
    pair = np.arange(4)
    # legs of the two groups: pair 0 to 3 each; the lag is of the second after the first
    lags = 0.5 + wave * (pair[:, None] - pair)
    assert found["alternation_phase"] == approx(0.5, abs=1e-3)
    expected = np.abs(np.exp(2j * np.pi * lags).mean())
    # ends of the stretch give some pairs a step more than others
    assert found["alternation_concentration"] == approx(expected, abs=0.02)
    assert found["group_concentration"] < 0.9


def test_legs_at_random_agree_on_nothing():
    rng = np.random.default_rng(3)
    fake = make_climb(seconds=60.0)
    lifts = np.sort(rng.uniform(0.1, 60.0, (8, 120)), axis=1)
    lift, land, stepping = tell_steps(fake.time, lifts, lifts + 1e-4)
    fake.channels |= {"lift_time": lift, "land_time": land, "leg_stepping": stepping}
    assert values(fake)["alternation_concentration"] < 0.15


def test_who_is_of_which_group_and_whose_neighbour():
    walk = read_walk(make_climb(4).record(), NAME)
    assert list_groups(walk).tolist() == [0, 1, 1, 0, 0, 1, 1, 0]
    ring = list_ring(walk)
    beside = {leg: sorted(b for a, b in ring if a == leg) for leg in range(8)}
    assert beside[3] == [1, 2, 5], "R2: R1, L2, R3"
    assert beside[1] == [0, 3, 7], "R1: L1, R2, R4"
    assert all(len(others) == 3 for others in beside.values())
    ant = list_ring(read_walk(make_climb(3).record(), NAME))
    assert sorted(b for a, b in ant if a == 1) == [0, 3], "R1 and R3 are of one tripod"
    two = list_ring(read_walk(make_climb(1).record(), NAME))
    assert two == [(0, 1), (1, 0)]


def test_moments_between_steps():
    spans = [np.array([[1.0, 2.0]]), np.array([[1.5, 3.0]]), np.zeros((0, 2))]
    lasting, up = sweep(Steps(0.0, 4.0, spans))
    np.testing.assert_allclose(lasting, [1.0, 0.5, 0.5, 1.0, 1.0])
    np.testing.assert_array_equal(up.sum(axis=1), [0, 1, 2, 1, 0])


def test_too_few_feet_between_two_frames_are_seen():
    """Five of eight legs are up for 2 ms, which no frame shows."""
    fake = make_climb()
    moment, lifts = 2.2003, []
    for leg, one in enumerate(list_group_lifts()):
        regular = one[np.abs(one - moment) > 0.3]
        lifts.append([*regular, moment] if leg < 5 else [*regular])
    lifts = [np.sort(one) for one in lifts]
    lands = [one + np.where(one == moment, 0.002, 0.125) for one in lifts]
    lift, land, stepping = tell_steps(fake.time, lifts, lands)
    fake.channels |= {"lift_time": lift, "land_time": land, "leg_stepping": stepping}
    fake.channels["foot_held"] = 1 - stepping
    found = values(fake)
    assert found["feet_down_min"] == 4.0
    assert found["legs_down_min"] == 3.0


def test_share_of_time_with_too_few_feet():
    """It falls in from the air for a second, which does not count; later three feet hold for 1 s
    of the 5."""
    fake = make_climb()
    mark(fake, "gravity_on", -1.0, 1.0 - 1 / 60, 1)
    mark(fake, "foot_held", -1.0, 1.0 - 1 / 60, 0)
    mark(fake, "foot_held", 3.0, 4.0, [1, 1, 1, 0, 0, 0, 0, 0])
    assert values(fake)["few_feet_share"] == approx(1 / 5)
    assert values(fake)["feet_down_min"] == 3.0


def test_the_gait_is_that_of_the_longest_walk():
    """It falls from 1 s to 2 s, and its legs did something else before."""
    fake = make_climb()
    before = fake.time < 2.0
    fake.channels["gravity_on"][(fake.time >= 1.0) & before] = 1
    strange = list_group_lifts(apart=0.1)
    lift, land, stepping = tell_steps(fake.time, strange, strange + 0.125)
    for key, one in (("lift_time", lift), ("land_time", land), ("leg_stepping", stepping)):
        fake.channels[key][before] = one[before]
    recording = fake.record()
    walk = keep_walk(recording, NAME, whole=False)
    assert 2.0 <= walk.time[0] < 3.0 and walk.time[-1] == approx(6.0)
    assert values(fake)["alternation_phase"] == approx(0.5)


def test_length_of_steps():
    """Every step leads as far; one that falls between is not one."""
    fake = make_climb()
    assert values(fake)["step_length"] == approx(STRIDE)
    fake.channels["foot_position"][fake.time > 3.0] += [40.0, 0.0, 0.0]
    mark(fake, "gravity_on", 2.9, 3.1, 1)
    mark(fake, "foot_held", 2.9, 3.1, 0)
    assert values(fake)["step_length"] == approx(STRIDE)


def test_steps_end_at_a_share_of_their_path():
    fake = make_climb()
    fake.channels["step_share"][:, 4:] = 0.75
    assert values(fake)["landing_share"] == approx(0.625, rel=0.02)


# ---- feet


def test_feet_that_stay_do_not_slip():
    found = values(make_climb())
    assert found["stance_slip_max"] == approx(0.0)
    assert found["stance_slip"] == approx(0.0)


def test_slips_of_known_size():
    """R2 creeps by 0.04 cm and back in one stance of all, and is told to slip less."""
    fake = make_climb()
    walk = read_walk(fake.record(), NAME)
    stances = list_stances(walk)
    one = next(s for s in stances if s.leg == 3 and s.first > 60)
    middle = (one.first + one.last) // 2
    fake.channels["foot_position"][middle, 3] += [0.0, 0.0, 0.04]
    fake.channels["slip_distance"][middle, 3] = 0.01
    found = values(fake)
    assert found["stance_slip_max"] == approx(0.04 / LEG_LENGTH)
    assert found["stance_slip"] == approx(0.04 / LEG_LENGTH / len(stances))
    assert found["stance_slip_max_full"] == approx(0.04 / LEG_LENGTH)
    assert "stance_slip_max_coarse" not in found


def test_what_a_foot_tells_of_itself_counts_where_it_is_more():
    fake = make_climb()
    fake.channels["slip_distance"][200] = 0.8
    fake.channels["detail"][180:] = 1
    found = values(fake)
    assert found["stance_slip_max"] == approx(0.1)
    assert found["stance_slip_max_kinematic"] == approx(0.1)
    assert found["stance_slip_max_full"] == approx(0.0)


def test_a_foot_on_a_moving_object_does_not_slip():
    """All feet are carried along, and tell that they stay; on the ground this would be a slip."""
    fake = make_climb()
    fake.channels["foot_position"][..., 2] += 3.0 * fake.time[:, None]
    assert values(fake)["stance_slip_max"] > 0.1
    fake.channels["foot_host"][:] = 2
    assert values(fake)["stance_slip_max"] == approx(0.0)


def test_counts_of_errors_searches_and_failures():
    """Errors are told per second of the six, counts as they stand in the end."""
    fake = make_climb()
    fake.channels["leg_error"][:] = [5, 0, 0, 0]
    fake.channels["leg_error"][300:, 2] = [11, 12, 3, 1]
    fake.channels["leg_searches"][-1] = 2
    fake.channels["leg_found"][-1, :3] = 1
    fake.channels["slips"][-1] = 1
    found = values(fake)
    rates = [found[f"limb_error_rate_{one}"] for one in ("imbalance", "stretch", "restriction")]
    assert rates == approx([6 / 6, 12 / 6, 3 / 6])
    assert found["limb_error_rate_limbo"] == approx(1 / 6)
    assert (found["search_steps"], found["footholds_found"]) == (16.0, 3.0)
    assert found["grip_failures"] == 8.0
    assert found["queue_length"] == 1.0


# ---- the way


def test_path_and_speed():
    found = values(make_climb(speed=3.0))
    assert found["path_length"] == approx(18.0)
    assert found["path_speed"] == approx(3.0)
    assert found["path_body_lengths"] == approx(18.0 / LENGTH)
    assert found["walking_speed"] == approx(3.0)


@pytest.mark.parametrize(
    ("degrees", "where"),
    [(0, "floor"), (44, "floor"), (46, "wall"), (90, "wall"), (134, "wall"), (136, "ceiling")],
)
def test_what_it_is_on_by_the_normal(degrees, where):
    fake = make_climb()
    normal = np.array([np.sin(np.radians(degrees)), np.cos(np.radians(degrees)), 0.0])
    mark(fake, "surface_normal", 1.0, 3.0, 0.7 * normal)
    expected = {"floor": 4.0, "wall": 0.0, "ceiling": 0.0}
    expected[where] += 2.0
    found = values(fake)
    assert [found[f"{one}_time"] for one in expected] == approx([*expected.values()])
    mark(fake, "gravity_on", 2.0, 3.0, 1)  # it falls from it
    assert values(fake)[f"{where}_time"] == approx(expected[where] - 1.0)


def test_falls_and_how_long_they_last():
    """Two falls of 1 s and 0.5 s, the second with a tenth of a second of hold in it."""
    fake = make_climb()
    fake.channels["gravity_on"][60:120] = 1
    fake.channels["gravity_on"][180:210] = 1
    fake.channels["gravity_on"][190:196] = 0
    mark(fake, "falls", 1.0, 6.0, 3)
    mark(fake, "recoveries", 3.0, 6.0, 2)
    found = values(fake)
    walk = read_walk(fake.record(), NAME)
    np.testing.assert_allclose(find_falls(walk), [[1.0, 2.0], [3.0, 3.5]])
    assert (found["falls"], found["recoveries"]) == (3.0, 2.0)
    assert found["recovery_time"] == approx(0.75)
    assert found["recovery_time_max"] == approx(1.0)
    assert found["falling_share"] == approx((60 + 24) / 360)
    assert found["falling_end"] == 0.0


def test_a_fall_without_an_end_has_no_recovery():
    fake = make_climb()
    assert find_falls(read_walk(fake.record(), NAME)).shape == (0, 2)
    assert "recovery_time" not in values(fake)
    fake.channels["gravity_on"][300:] = 1
    np.testing.assert_allclose(find_falls(read_walk(fake.record(), NAME)), [[5.0, np.inf]])
    found = values(fake)
    assert "recovery_time" not in found and found["falling_end"] == 1.0


def test_one_that_only_falls():
    fake = make_climb()
    fake.channels["gravity_on"][:] = 1
    fake.channels["foot_held"][:] = 0
    found = values(fake)
    assert found["falling_share"] == 1.0
    assert not {"feet_down", "feet_down_min", "stance_slip", "step_length", "brake"} & {*found}


def test_depth_and_how_long():
    """One part 4 % of its length deep for 12 frames, the other as deep for the 12 after: neither
    for longer than a fifth of a second. And 10 % for a frame."""
    fake = make_climb()
    fake.channels["depth"][100:112, 0] = 0.04 * LENGTH
    fake.channels["depth"][112:124, 1] = 0.04 * LENGTH
    fake.channels["depth"][200, 1] = 0.1 * LENGTH
    fake.channels["depth"][220:300] = 0.02 * LENGTH
    found = values(fake)
    assert found["depth_max"] == approx(0.1)
    assert found["deep_time"] == approx(0.2)


def test_energy_of_contacts_and_brakes():
    fake = make_climb(speed=3.0)
    fake.channels["contact_energy"][:] = np.linspace(7.0, 907.0, len(fake.time))
    fake.channels["brake_sense"][100] = 0.75
    fake.channels["brake_queue"][:] = 0.5
    fake.channels["anchor_force"][50, 2] = 3 * MASS * GRAVITY
    found = values(fake)
    assert found["contact_energy"] == approx(900.0)
    assert found["contact_cost"] == approx(900.0 / (MASS * GRAVITY * 18.0))
    assert found["brake"] == approx(0.5 + 0.25 / 361)
    assert found["brake_sense_max"] == 0.75
    assert found["anchor_force_peak"] == approx(3.0)


def test_shares_of_levels_of_detail():
    fake = make_climb()
    fake.channels["detail"][91:] = 1
    fake.channels["detail"][271:] = 2
    found = values(fake)
    shares = [found[f"detail_share_{one}"] for one in ("full", "kinematic", "coarse")]
    assert shares == approx([0.25, 0.5, 0.25])
    assert found["detail_switches"] == 2.0


# ---- objects


def test_an_object_that_goes_and_comes_back():
    """0.5 cm forth and back along z in 2 s, turned by 90° in the end."""
    turn = np.linspace(0.0, np.pi, 121)
    path = np.stack([0 * turn, 0 * turn, 0.5 * np.sin(turn)], axis=1)
    fake = make_object(path, about("y", turn / 2))
    fake.channels["depth"][30] = 0.05
    found = values(fake)
    assert found["path_length"] == approx(1.0, rel=1e-3)
    assert found["distance"] == approx(0.0)
    assert found["velocity_peak"] == approx(0.5 * np.pi / 2, rel=1e-3)
    assert found["turned"] == approx(np.pi / 2)
    assert found["depth_max"] == approx(0.025)
    assert found["deep_time"] == 0.0


# ---- what is measured of whom


def test_rows_of_what_is_so():
    assert list_rows(np.array([True, True, False, True])).tolist() == [[0, 2], [3, 4]]
    assert list_rows(np.zeros(3, bool)).tolist() == []


def test_the_documents_list_all_of_them():
    """With their units; those of parts by the name of their first part."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "recordings.md").read_text()
    _, _, text = text.partition("## What is measured of a climber")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", text.partition("\n## ")[0], re.MULTILINE)
    listed = {}
    for ids, units in rows:
        names, known = re.findall(r"`(\w+)`", ids), units.split(", ")
        listed |= zip(names, known if len(known) > 1 else known * len(names), strict=True)
    kinds = {*table.CLIMBING, *table.LOOSE}
    wanted = {one.id: one.unit for one in table.CREATURE_MEASURES if kinds & {*one.kinds}}
    first = {"duty_factor": "L1", "limb_error_rate": "imbalance"}
    for one in table.PARTS_MEASURES:
        if kinds & {*one.kinds}:
            wanted[f"{one.id}_{first.get(one.id, 'full')}"] = one.unit
    assert listed == wanted
