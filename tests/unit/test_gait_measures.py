"""Measures of gait on walks that were made up, so that the right answer is known beforehand."""

import json

import numpy as np
import pytest
from fake_myriapod import build_walk, touchdowns_of

from skitter.console import make_json
from skitter.measure import measure
from skitter.measure.circular import compute_mean, compute_spread, wrap
from skitter.measure.gait import (
    find_settled,
    lag_spread_by_cycle,
    list_cycles,
    phase_lags,
    read_gait,
)

PERIOD, DUTY = 0.437, 0.6  # s; no multiple of a frame, so that only exact times give exact answers


def measure_walk(tmp_path, walk) -> dict[str, float]:
    found = measure(walk.write(tmp_path / "walk"))
    return {name.removeprefix("bug."): one.value for name, one in found.items()}


def walk_of(lag=0.1, side=0.0, segments=6, seconds=6.0, duty=DUTY, adjust=0.0):
    touchdown = touchdowns_of(segments, seconds, PERIOD, lag, side)
    return build_walk(touchdown, seconds, duty, adjust)


def test_phases_are_averaged_around_the_circle():
    assert wrap(np.array([0.5, -0.5, 0.75, 3.1])) == pytest.approx([0.5, 0.5, -0.25, 0.1])
    assert compute_mean(np.array([0.9, 0.1, np.nan])) == pytest.approx(0, abs=1e-12)
    assert compute_mean(np.array([0.45, -0.45])) == pytest.approx(0.5)
    assert np.isnan(compute_mean(np.array([np.nan])))
    # Two unit vectors 2 x apart have a resultant of length cos x.
    assert compute_spread(np.array([0.1, -0.1])) == pytest.approx(
        np.sqrt(-2 * np.log(np.cos(0.2 * np.pi))) / (2 * np.pi)
    )
    normal = np.random.default_rng(1).normal(0.5, 0.05, 20_000)
    assert compute_spread(normal) == pytest.approx(0.05, rel=0.02)


@pytest.mark.parametrize("lag", [0.1, -0.15, 0.4, -0.35])
@pytest.mark.parametrize("side", [0.0, 0.5, -0.2])
def test_wave_comes_out_as_it_was_put_in(tmp_path, lag, side):
    found = measure_walk(tmp_path, walk_of(lag, side, seconds=3.0))
    assert found["stride_period"] == pytest.approx(PERIOD, abs=1e-9)
    assert found["phase_lag"] == pytest.approx(lag, abs=1e-6)
    assert found["phase_lag_spread"] == pytest.approx(0, abs=1e-6)
    assert found["wave_direction"] == np.sign(lag)
    assert found["left_right_spread"] == pytest.approx(0, abs=1e-6)
    assert wrap(np.array(found["left_right_phase"] - side)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("lag", [0.0, 0.5])
def test_wave_without_direction(tmp_path, lag):
    assert measure_walk(tmp_path, walk_of(lag))["wave_direction"] == 0


def test_irregular_touchdowns_spread_the_lag(tmp_path):
    """A leg is compared with the touchdowns of its partner before and after, weighted by how near
    they are: independent errors add up to 1 + (1 - lag)² + lag² of one."""
    lag, error, seconds = 0.2, 0.01, 14.0
    touchdown = touchdowns_of(14, seconds, PERIOD, lag, 0.5)
    touchdown += np.random.default_rng(3).normal(0, error, touchdown.shape)
    found = measure_walk(tmp_path, build_walk(np.abs(touchdown), seconds, DUTY))
    spread = error / PERIOD * np.sqrt(1 + (1 - lag) ** 2 + lag**2)
    assert found["phase_lag"] == pytest.approx(lag, abs=0.003)
    assert found["phase_lag_spread"] == pytest.approx(spread, rel=0.1)
    assert found["stride_period"] == pytest.approx(PERIOD, rel=0.005)
    halfway = error / PERIOD * np.sqrt(1.5)
    assert abs(found["left_right_phase"]) == pytest.approx(0.5, abs=0.005)
    assert found["left_right_spread"] == pytest.approx(halfway, rel=0.12)


def test_gait_that_speeds_up_keeps_its_lag(tmp_path):
    """Strides shorten to less than half, by a fifth at first; within a stride the lag is read as
    if its pace were even, which is wrong by lag (1 - lag) / 2 of the shortening."""
    touchdown = 2 * np.sqrt(touchdowns_of(5, 8.0, PERIOD, 0.1, 0.0) + 1)
    gait = read_gait(build_walk(touchdown, 6.0, DUTY).write(tmp_path / "walk"), "bug")
    assert gait.strides.max() > 2 * gait.strides.min()
    assert np.nanmax(np.abs(phase_lags(gait).lag - 0.1)) < 0.1 * 0.9 / 2 * 0.2


def test_gait_of_a_stretch_of_time(tmp_path):
    touchdown = touchdowns_of(3, 4.0, PERIOD, 0.1, 0.5)
    gait = read_gait(
        build_walk(touchdown, 4.0, DUTY).write(tmp_path / "w"), "bug", since=1, until=2
    )
    assert (gait.time[0], gait.time[-1]) == pytest.approx((1, 2))
    liftoff = touchdown + DUTY * PERIOD
    for found, every in ((gait.touchdown, touchdown), (gait.liftoff, liftoff)):
        within = [row[(row >= 1) & (row <= 2)] for row in every]
        assert [row[np.isfinite(row)] for row in found] == [pytest.approx(row) for row in within]


def test_spread_is_told_cycle_by_cycle(tmp_path):
    seconds, calm = 12.0, 13  # cycles
    touchdown = touchdowns_of(10, seconds, PERIOD, 0.1, 0.0) + PERIOD / 2
    error = np.random.default_rng(5).normal(0, 0.03, touchdown.shape)
    error[:, calm:] = 0
    gait = read_gait(build_walk(touchdown + error, seconds, DUTY).write(tmp_path / "walk"), "bug")
    found = lag_spread_by_cycle(gait)
    assert len(found.time) == int(seconds / gait.period)
    until = PERIOD * calm
    assert np.all(found.spread[(found.time > 3 * PERIOD) & (found.time < until - PERIOD)] > 0.04)
    late = (found.time > until + 3 * PERIOD) & (found.time < seconds - 2 * PERIOD)
    assert late.sum() > 5
    assert np.all(found.spread[late] < 1e-6)
    assert np.all(found.count[late] >= 16)  # 18 pairs, give or take one at an edge


def test_legs_stand_for_their_share_of_the_cycle(tmp_path):
    """Ten segments a tenth of a cycle apart: always the same number of legs on the ground."""
    found = measure_walk(tmp_path, walk_of(0.1, 0.0, segments=10, seconds=20 * PERIOD))
    assert found["stance_fraction"] == pytest.approx(DUTY, abs=0.02)
    assert found["supported_share"] == pytest.approx(found["stance_fraction"], abs=0.01)
    assert found["supported_variation"] < 0.15
    assert found["regular_cycle_share"] == 1


def test_legs_all_at_once_carry_unsteadily(tmp_path):
    found = measure_walk(tmp_path, walk_of(0.0, 0.0, seconds=20 * PERIOD))
    assert found["supported_share"] == pytest.approx(DUTY, abs=0.02)
    assert found["supported_variation"] == pytest.approx(np.sqrt((1 - DUTY) / DUTY), rel=0.05)


@pytest.mark.parametrize(("shares", "regular"), [((0.09,), 1), ((0.11,), 0), ((0.05, 0.15), 0.5)])
def test_cycles_with_little_adjustment_are_regular(tmp_path, shares, regular):
    adjust = np.resize(shares, 12)  # one for all legs, or left and right ones
    walk = walk_of(adjust=adjust, seconds=5.3)
    cycles = list_cycles(read_gait(walk.write(tmp_path / "cycles"), "bug"))
    assert cycles.end - cycles.start == pytest.approx(PERIOD)
    assert cycles.state_time[:, 5] == pytest.approx(adjust[cycles.leg] * PERIOD)
    assert measure_walk(tmp_path, walk)["regular_cycle_share"] == pytest.approx(regular)


def test_only_the_settled_gait_counts(tmp_path):
    """Legs move all at once until the brain lets the head go for good, then in a wave."""
    wave = touchdowns_of(6, 9.0, PERIOD, 0.1, 0.0)
    together = np.broadcast_to(PERIOD * (0.3 + np.arange(6)), (12, 6))
    after = np.where(wave > 3.5, wave, np.nan)
    walk = build_walk(np.concatenate([together, after], axis=1), 8.0, DUTY)
    mode = walk.channels["brain_mode"]
    mode[walk.time < 1], mode[(walk.time > 2) & (walk.time < 3)] = 0, 0
    recording = walk.write(tmp_path / "settled")
    assert find_settled(recording, "bug") == pytest.approx(3.0, abs=1e-9)
    found = measure_walk(tmp_path, walk)
    assert found["phase_lag"] == pytest.approx(0.1, abs=1e-6)
    assert found["phase_lag_spread"] == pytest.approx(0, abs=1e-6)
    mode[-1] = 0
    assert find_settled(walk.write(tmp_path / "never"), "bug") == 0


def test_what_cannot_be_told_is_left_out(tmp_path):
    lonely = np.full((8, 20), np.nan)
    lonely[0] = 0.1 + PERIOD * np.arange(20)  # one leg walks, the others hang
    found = measure_walk(tmp_path, build_walk(lonely, 4.0, DUTY))
    assert found["stride_period"] == pytest.approx(PERIOD)
    assert found["wave_direction"] == 0
    missing = {"phase_lag", "phase_lag_spread", "left_right_phase", "left_right_spread"}
    assert not missing & set(found)
    hanging = measure(build_walk(np.full((8, 1), np.nan), 0.2, DUTY).write(tmp_path / "hanging"))
    missing |= {"stride_period", "regular_cycle_share", "supported_variation"}
    assert not {f"bug.{key}" for key in missing | {"height_error_lasting"}} & set(hanging)
    assert hanging["bug.stance_fraction"].value == hanging["bug.supported_share"].value == 0
    json.dumps(make_json(hanging), allow_nan=False)
    assert all(np.isfinite(one.value) for one in hanging.values())


def test_only_myriapods_have_a_gait(tmp_path):
    walk = walk_of()
    walk.kind = "figure"
    found = measure_walk(tmp_path, walk)
    assert "distance" in found
    assert not {"phase_lag", "path_length", "slip_max"} & set(found)
