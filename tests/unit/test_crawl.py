"""Drives of a worm's muscles, without a body."""

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from skitter.control.crawl import Crawl
from skitter.species.crawl import AnyCrawl, ReflexDrive, WaveDrive

STATIONS, DT, LENGTH = 24, 0.02, 0.1
PLACE = (np.arange(STATIONS) + 0.5) / STATIONS
DRIVES = [WaveDrive(), ReflexDrive()]
NAMES = ["wave", "reflex"]
STRAIGHT = np.zeros(STATIONS)


class Obedient:
    """A body that bends as its muscles tell it, a little late: 130/cm for a side fully active."""

    def __init__(self, full=130.0):
        self.full = full
        self.bend = np.zeros(STATIONS)

    def follow(self, activation):
        self.bend += 0.7 * (self.full * (activation[:, 0] - activation[:, 1]) - self.bend)
        return self.bend


def run(crawl, seconds, *, speed=1.0, turn=0.0, body=None):
    """Activation [step, 24, 2] of a drive with an obedient body."""
    body = body or Obedient()
    rows = []
    for _ in range(round(seconds / DT)):
        rows.append(crawl.advance(body.bend, DT, speed, turn))
        body.follow(rows[-1])
    return np.array(rows)


def find_phases(activation, frequency):
    """Phase [24] in cycles of dorsal less ventral activity at a frequency, unwrapped."""
    signal = activation[..., 0] - activation[..., 1]
    time = DT * np.arange(len(signal))
    tone = np.hanning(len(signal)) * np.exp(-2j * np.pi * frequency * time)
    return np.unwrap(np.angle(tone @ signal)) / (2 * np.pi)


def find_frequency(signal):
    """Of a signal that changes its sign twice a cycle."""
    rises = np.flatnonzero((signal[:-1] < 0) & (signal[1:] >= 0))
    return (len(rises) - 1) / (DT * (rises[-1] - rises[0]))


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
@pytest.mark.parametrize("speed, turn", [(1, 0), (-1, 1), (0.3, -1), (3, 0.5)])
def test_activation_is_a_share(spec, speed, turn):
    activation = run(Crawl(spec, LENGTH), 6, speed=speed, turn=turn)
    assert activation.shape == (300, STATIONS, 2)
    assert activation.min() >= 0
    assert activation.max() <= 1
    assert activation.max() > 0.3


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
def test_state_goes_on_exactly(spec):
    crawl, other = Crawl(spec, LENGTH), Crawl(spec, LENGTH)
    body = Obedient()
    run(crawl, 3, body=body)
    twin = Obedient()
    twin.bend = body.bend.copy()
    kept = crawl.state()
    expected = run(crawl, 3, turn=0.4, body=body)
    other.restore(kept)
    np.testing.assert_array_equal(run(other, 3, turn=0.4, body=twin), expected)
    assert other.phase == crawl.phase
    other.restore(kept)  # what was kept has not changed with the drive that went on
    assert other.phase != crawl.phase


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
def test_same_orders_same_activity(spec):
    np.testing.assert_array_equal(run(Crawl(spec, LENGTH), 4), run(Crawl(spec, LENGTH), 4))


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
@pytest.mark.parametrize("absurd", [np.nan, np.inf, -np.inf, 1e300, -1e9])
def test_absurd_curvature(spec, absurd):
    crawl = Crawl(spec, LENGTH)
    run(crawl, 1)
    for value in (absurd, 0.0, absurd, -absurd):
        activation = crawl.advance(np.full(STATIONS, value), DT, 1.0, 0.0)
        assert np.isfinite(activation).all()
        assert 0 <= activation.min() <= activation.max() <= 1
    after = run(crawl, 20)[-500:]
    assert np.ptp(after[:, 12, 0]) > 0.2  # it undulates again


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
@pytest.mark.parametrize("order", [np.nan, np.inf, -np.inf])
def test_absurd_orders(spec, order):
    activation = run(Crawl(spec, LENGTH), 1, speed=order, turn=order)
    assert np.isfinite(activation).all()


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
def test_orders_change_without_jumps(spec):
    """A muscle with a lag of 0.1 s goes at most 1 - exp(-0.2) of its way in a step."""
    crawl, body = Crawl(spec, LENGTH), Obedient()
    orders = [(1, 0), (-1, 0), (1, 1), (-1, -1), (0, 0), (1, 0)]
    parts = [run(crawl, 2.1, speed=speed, turn=turn, body=body) for speed, turn in orders]
    activation = np.concatenate(parts)
    assert np.abs(np.diff(activation, axis=0)).max() < 1 - np.exp(-0.2)


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
def test_rest(spec):
    crawl, body = Crawl(spec, LENGTH), Obedient()
    run(crawl, 5, body=body)
    at_rest = run(crawl, 5, speed=0.0, body=body)
    assert at_rest[-1].max() < 1e-3
    assert run(crawl, 5, body=body).max() > 0.3


def test_muscles_lag_by_an_exponential():
    """A bend of 0.5 asked for at once: A = 0.5 (1 - exp(-t/0.1)) on one side, none on the other."""
    spec = WaveDrive(amplitude=0.0, bias=0.5, ramp=0.02, lag=0.1)
    activation = run(Crawl(spec, LENGTH), 0.4)
    time = DT * np.arange(1, 21)
    expected = np.repeat(0.5 * (1 - np.exp(-time / 0.1))[:, None], STATIONS, axis=1)
    np.testing.assert_allclose(activation[..., 0], expected, rtol=1e-12)
    assert (activation[..., 1] == 0).all()


@pytest.mark.parametrize("speed, way", [(1, 1), (-1, -1), (0.5, 1)])
def test_wave_runs_as_told(speed, way):
    """Frequency times speed; every station later than the one before by its share of the waves."""
    spec = WaveDrive(frequency=0.5, waves=1.5)
    activation = run(Crawl(spec, LENGTH), 24, speed=speed)[200:]
    frequency = find_frequency(activation[:, 0, 0] - activation[:, 0, 1])
    assert frequency == pytest.approx(0.5 * abs(speed), rel=1e-2)
    phases = find_phases(activation, frequency)
    np.testing.assert_allclose(phases - phases[0], -way * 1.5 * (PLACE - PLACE[0]), atol=5e-3)


def test_wave_height_follows_the_envelope():
    """A lag tau lowers a wave by 1/sqrt(1 + (2 pi f tau)²)."""
    spec = WaveDrive(frequency=1.0, amplitude=0.8, envelope=(1.0, 0.5), lag=0.1)
    activation = run(Crawl(spec, LENGTH), 10)[250:]
    heights = np.abs(activation[..., 0] - activation[..., 1]).max(axis=0)
    expected = 0.8 * (1 - 0.5 * PLACE) / np.hypot(1, 2 * np.pi * 0.1)
    np.testing.assert_allclose(heights, expected, rtol=0.02)


def test_wave_ramps_up():
    activation = run(Crawl(WaveDrive(ramp=4.0, frequency=2.0), LENGTH), 8)
    heights = [activation[start : start + 25].max() for start in (0, 50, 100, 200, 300)]
    assert heights[0] < heights[1] < heights[2] < heights[3]
    assert heights[4] == pytest.approx(heights[3], rel=1e-3)
    assert heights[1] == pytest.approx(heights[4] * 1.4 / 4, rel=0.25)  # at about 1.4 of 4 s


@pytest.mark.parametrize("spec", DRIVES, ids=NAMES)
@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_turn_works_one_side_more(spec, turn):
    activation = run(Crawl(spec, LENGTH), 16, turn=turn)[200:]
    more, less = activation[..., 0].mean(), activation[..., 1].mean()
    if turn < 0:
        more, less = less, more
    assert more - less == pytest.approx(spec.steer, rel=0.25)


@pytest.mark.parametrize("speed, way", [(1, 1), (-1, -1)])
def test_reflex_wave_runs_from_its_head(speed, way):
    """Backward it is the tail that leads."""
    crawl = Crawl(ReflexDrive(), LENGTH)
    activation = run(crawl, 12, speed=speed)[250:]
    frequency = find_frequency(activation[:, 12, 0] - activation[:, 12, 1])
    slope = np.polyfit(PLACE[4:20], find_phases(activation, frequency)[4:20], 1)[0]
    assert -1.5 < way * slope < -0.3
    assert way * crawl.phase == pytest.approx(12 * frequency, rel=0.15)


def test_reflex_learns_how_far_it_bends():
    """A body that bends by half or twice as much keeps its rhythm within a third."""
    rhythms = []
    for full in (65.0, 130.0, 260.0):
        activation = run(Crawl(ReflexDrive(), LENGTH), 30, body=Obedient(full))[750:]
        rhythms.append(find_frequency(activation[:, 12, 0] - activation[:, 12, 1]))
    assert rhythms[0] == pytest.approx(rhythms[1], rel=0.34)
    assert rhythms[2] == pytest.approx(rhythms[1], rel=0.34)


def test_reflex_does_not_wait_for_ever():
    """A head that is held straight tries the other side within its patience."""
    spec = ReflexDrive(head={"patience": 2.0})
    crawl = Crawl(spec, LENGTH)
    held = np.array([crawl.advance(STRAIGHT, DT, 1.0, 0.0)[0] for _ in range(500)])
    side = np.sign(held[100:, 0] - held[100:, 1])
    assert np.count_nonzero(np.diff(side)) in (4, 5)  # within 8 s


def test_seed_picks_the_first_side():
    sides = {
        float(np.sign(np.diff(run(Crawl(ReflexDrive(seed=s), LENGTH), 0.1)[-1, 0])[0]))
        for s in range(8)
    }
    assert sides == {-1.0, 1.0}


def test_specs_are_told_apart():
    adapter = TypeAdapter(AnyCrawl)
    assert isinstance(adapter.validate_python({"drive": "wave"}), WaveDrive)
    assert isinstance(adapter.validate_python({"drive": "reflex", "reach": 0.2}), ReflexDrive)
    for wrong in (
        {"drive": "hop"},
        {},
        {"drive": "wave", "reach": 0.2},
        {"drive": "wave", "lag": 0},
    ):
        with pytest.raises(ValidationError):
            adapter.validate_python(wrong)
