"""Wilson's five rules of stepping, measured on the oscillators (McKenna 1990 section 3.2).

Expected values are the rules with the gait's own constants: step time, lag and master frequency.
"""

import numpy as np
import pytest

from steppers import Walk, find_lag, make_plan, make_spec

STEP_TIME = LAG = 0.05  # s, of the paper's hexapod
FASTEST = 10.0  # Hz, where a lag is half a cycle
SPEEDS = [1.0, 2.5, 5.0, 8.0, FASTEST]  # Hz
SIDES = ["left", "right"]


SETTLE = 2.0  # s


def walk(pairs=3, *, frequency, seconds=3.0, shuffle=None, **more):
    """A walk, from the pattern or, with a seed, from any phases and then from when it settled."""
    one = Walk(make_spec(pairs, **more), make_plan(pairs), frequency=frequency)
    if shuffle is not None:
        one.state.phase[:] = np.random.default_rng(shuffle).uniform(0.01, 0.99, len(one.lifts))
        one.run(SETTLE)
    begin = one.time
    one.run(seconds)
    one.lifts = [[time for time in times if time >= begin] for times in one.lifts]
    one.lands = [
        [time for time in down if time > up[0]]
        for up, down in zip(one.lifts, one.lands, strict=True)
    ]
    return one


def lifts(one, name):
    return np.array(one.lifts[one.leg(name)])


def phases(one, frequency):
    """Cycles [leg] by which legs step after the rearmost left one, in the end."""
    first = one.lifts[-2]
    return np.array([find_lag(first, times)[-2] * frequency % 1 for times in one.lifts])


def apart(phase, expected):
    """How far phases are from others, round the cycle."""
    return np.max(np.abs((np.asarray(phase) - expected + 0.5) % 1 - 0.5))


def airborne_behind(one):
    """The longest time for which a leg had lifted before the one behind it was down."""
    worst = 0.0
    for leg, behind in enumerate(one.model.behind):
        if behind < 0:
            continue
        up, down = np.array(one.lifts[behind]), np.array(one.lands[behind])
        for time in one.lifts[leg]:
            begun = np.sum(up <= time)
            if begun and begun <= len(down):
                worst = max(worst, down[begun - 1] - time)
    return worst


@pytest.mark.parametrize("frequency", SPEEDS)
@pytest.mark.parametrize("shuffle", [None, 1, 2])
def test_rule_1_a_wave_runs_from_rear_to_head(frequency, shuffle):
    one = walk(frequency=frequency, shuffle=shuffle)
    for side in SIDES:
        hind, middle = lifts(one, f"{side}_hind"), lifts(one, f"{side}_middle")
        assert len(find_lag(hind, middle)) > 1
        assert np.all(find_lag(hind, middle) > 0.99 * LAG)
        assert np.all(find_lag(middle, lifts(one, f"{side}_front")) > 0.99 * LAG)
    assert airborne_behind(one) <= 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_rule_1_holds_whatever_the_start_and_the_frequency(seed):
    """No leg steps until the one behind is placed, while phases are anywhere and f jumps."""
    rng = np.random.default_rng(seed)
    one = Walk(frequency=5.0)
    one.state.phase[:] = rng.uniform(0.01, 0.99, 6)
    for _ in range(8):
        one.drive[0] = rng.uniform(0.5, FASTEST)
        one.run(0.3)
    assert airborne_behind(one) <= 1e-12
    assert one.state.steps.min() >= 3
    assert np.ptp(one.state.steps) <= 2  # nobody is left waiting


@pytest.mark.parametrize("frequency", SPEEDS)
@pytest.mark.parametrize("shuffle", [None, 3, 4])
def test_rule_2_legs_across_alternate(frequency, shuffle):
    phase = phases(walk(frequency=frequency, shuffle=shuffle), frequency)
    assert apart(phase[1::2] - phase[::2], 0.5) < 1e-3


@pytest.mark.parametrize("frequency", SPEEDS)
def test_rule_3_stepping_time_is_constant(frequency):
    one = walk(frequency=frequency)
    for up, down in zip(one.lifts, one.lands, strict=True):
        assert len(down) >= 2
        assert np.array(down) - up[: len(down)] == pytest.approx(STEP_TIME, abs=1e-12)


@pytest.mark.parametrize("frequency", SPEEDS)
def test_rule_4_the_frequency_is_free_and_the_same_for_all(frequency):
    one = walk(frequency=frequency)
    for times in one.lifts:
        assert np.diff(times) == pytest.approx(1 / frequency, rel=1e-9)
    down = np.array(one.lands[0])
    stance = np.array(one.lifts[0][1:]) - down[: len(one.lifts[0]) - 1]
    assert stance == pytest.approx(1 / frequency - STEP_TIME, rel=1e-9)


@pytest.mark.parametrize("frequency", SPEEDS)
@pytest.mark.parametrize("shuffle", [None, 5])
@pytest.mark.parametrize("side", SIDES)
def test_rule_5_lags_are_constant_and_the_way_back_shortens(frequency, shuffle, side):
    one = walk(frequency=frequency, shuffle=shuffle)
    hind, front = lifts(one, f"{side}_hind"), lifts(one, f"{side}_front")
    middle = lifts(one, f"{side}_middle")
    assert find_lag(hind, middle) == pytest.approx(LAG, abs=1e-4)
    assert find_lag(middle, front) == pytest.approx(LAG, abs=1e-4)
    back = find_lag(front + 1e-6, hind) if frequency < FASTEST else find_lag(front - 1e-4, hind)
    assert back == pytest.approx(1 / frequency - 2 * LAG, abs=2e-4)


def test_a_longer_lag_than_step_leaves_time_to_take_up_the_load():
    """Fig. 5's remark: with a lag of 80 ms the tripod is at 6.25 Hz, and legs stand for 110 ms."""
    one = walk(frequency=6.25, lag=0.08)
    assert apart(phases(one, 6.25), [0, 0.5, 0.5, 0, 0, 0.5]) < 1e-6
    assert one.lifts[0][1] - one.lands[0][0] == pytest.approx(0.11, abs=1e-9)


@pytest.mark.parametrize("shuffle", [None, 7, 8, 9])
def test_the_fastest_hexapod_walks_in_tripods(shuffle):
    phase = phases(walk(frequency=FASTEST, shuffle=shuffle), FASTEST)
    assert apart(phase, [0, 0.5, 0.5, 0, 0, 0.5]) < 0.02


def test_a_slow_hexapod_walks_in_waves():
    """At 1 Hz legs step one after the other, three on a side, and then all stand."""
    one = walk(frequency=1.0)
    begun = np.sort(np.concatenate(one.lifts))
    assert np.all(np.diff(begun) > STEP_TIME - 1e-9)  # never two in the air
    assert apart(phases(one, 1.0), [0.1, 0.6, 0.05, 0.55, 0, 0.5]) < 1e-6


@pytest.mark.parametrize(
    "pairs, frequency, expected",
    [
        (1, 1.0, [0, 0.5]),
        (1, 10.0, [0, 0.5]),
        (2, 5.0, [0.25, 0.75, 0, 0.5]),  # walk: left hind, left fore, right hind, right fore
        (2, 10.0, [0.5, 0, 0, 0.5]),  # trot: diagonal legs together
        (4, 1.0, [0.15, 0.65, 0.1, 0.6, 0.05, 0.55, 0, 0.5]),  # metachronal
        (4, 10.0, [0.5, 0, 0, 0.5, 0.5, 0, 0, 0.5]),  # alternating tetrapod
        (7, 10.0, [0, 0.5, 0.5, 0] * 3 + [0, 0.5]),
    ],
)
@pytest.mark.parametrize("shuffle", [None, 11])
def test_other_numbers_of_legs(pairs, frequency, expected, shuffle):
    one = walk(pairs, frequency=frequency, shuffle=shuffle)
    assert apart(phases(one, frequency), expected) < 0.02


def test_waves_turn_smoothly_into_the_tripod():
    """Frequency held at 1 Hz, swept to 10 Hz in 8 s, and held: lags are constant in time."""
    one = Walk(frequency=1.0)

    def faster(now):
        now.drive[0] = np.clip(1.0 + 9.0 * (now.time - 2.0) / 8.0, 1.0, FASTEST)

    one.run(11.0, faster)
    for side in SIDES:
        hind, middle = lifts(one, f"{side}_hind"), lifts(one, f"{side}_middle")
        assert find_lag(hind[:-2], middle) == pytest.approx(LAG, rel=0.15)
        period = np.diff(hind)
        assert np.all(np.diff(period) < 1e-9)  # ever faster
        phase = find_lag(hind[:-2], middle)[: len(period)] / period[: len(hind) - 2]
        change = LAG * 9.0 / 8.0 * period[: len(phase) - 1]  # of the lag's share in a cycle
        assert np.all(np.diff(phase) > -1e-9)
        assert np.all(np.diff(phase) < 1.1 * change + 1e-3)  # no jump
        assert phase[0] == pytest.approx(LAG * 1.0, abs=1e-6)
        assert phase[-1] == pytest.approx(0.5, abs=0.02)
    for up, down in zip(one.lifts, one.lands, strict=True):
        assert np.array(down) - up[: len(down)] == pytest.approx(STEP_TIME, abs=1e-12)
    assert airborne_behind(one) <= 1e-12


def test_more_than_the_fastest_is_the_fastest():
    one = walk(frequency=FASTEST)
    one.drive[0] = 30.0
    one.lifts = [[] for _ in one.lifts]
    one.run(1.0)
    assert np.diff(one.lifts[0][1:]) == pytest.approx(0.1, rel=1e-9)
