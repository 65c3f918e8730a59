"""Measures of crawling worms, on midlines whose curvature follows a formula, and on a real worm."""

from pathlib import Path

import numpy as np
import pytest
from fake_worms import BEND, FINE, HERTZ, LENGTH, WAVES, bend, crawl, draw_line, record_crawl

from skitter.errors import UserError
from skitter.measure import measure, worm
from skitter.measure.eigenworms import (
    find_eigenworms,
    find_shapes,
    find_share,
    integrate_shapes,
    load_eigenworms,
)
from skitter.measure.midline import find_axis, find_curvature, lay_flat, resample
from skitter.measure.plot_worm import find_kymograph, write_kymograph
from skitter.measure.wave import cut, find_wave

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "worm"
PLACES = np.arange(1, 48) / 48
TIME = np.arange(0, 17.3, 0.02)


def wave_of(time=TIME, noise=0.0, seed=0, **how):
    curvature = bend(time, PLACES, **how)
    dirt = np.random.default_rng(seed).normal(size=curvature.shape)
    return find_wave(time, curvature + noise * BEND * dirt, PLACES)


def test_a_circle_has_the_curvature_of_its_radius():
    """A third of a circle about a middle on the right, of a worm that heads along +x: dorsal."""
    turn = np.linspace(-np.pi / 3, np.pi / 3, 49)
    circle = np.stack([-np.sin(turn), 0 * turn, 1 - np.cos(turn)], axis=-1)[None]
    assert circle[0, 0, 0] > circle[0, -1, 0], "the head is in front"
    curvature, places = find_curvature(lay_flat(circle))
    np.testing.assert_allclose(curvature, 2 * np.pi / 3, rtol=1e-9)
    np.testing.assert_allclose(places, np.arange(1, 48) / 48)
    mirrored, _ = find_curvature(lay_flat(circle * [1, 1, -1]))
    np.testing.assert_allclose(mirrored, -2 * np.pi / 3, rtol=1e-9)


def test_points_are_laid_out_evenly_over_gaps():
    line = np.array([[[0.0, 0], [1, 0], [np.nan, 0], [3, 0], [3, 2], [3, 5]]])
    even = resample(line, 9)
    np.testing.assert_allclose(np.linalg.norm(np.diff(even, axis=1), axis=2), 1.0)
    np.testing.assert_allclose(even[0, 3:6], [[3, 0], [3, 1], [3, 2]])
    assert np.isnan(resample(line[:, :4])).all(), "three points are no shape"


def test_axis_points_to_the_head():
    _, line = crawl(seconds=1.0, size=0.0)
    np.testing.assert_allclose(find_axis(line), np.tile([1.0, 0, 0], (len(line), 1)), atol=1e-12)


@pytest.mark.parametrize("waves", [0.5, 1.0, 1.68, 2.5])
@pytest.mark.parametrize("hertz", [0.21, 0.37, 1.9])
def test_wave_that_runs(waves, hertz):
    found = wave_of(waves=waves, hertz=hertz)
    assert found.frequency == pytest.approx(hertz, rel=0.01)
    assert found.lengths[1] == pytest.approx(waves, rel=0.01)
    assert found.amplitude == pytest.approx(BEND, rel=0.01)
    assert found.direction == pytest.approx(1, abs=0.01)


def test_wave_that_runs_backwards():
    found = wave_of(hertz=-HERTZ)
    assert found.direction == pytest.approx(-1, abs=0.01)
    assert found.frequency == pytest.approx(HERTZ, rel=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_wave_under_noise(seed):
    found = wave_of(noise=0.3, seed=seed)
    assert found.frequency == pytest.approx(HERTZ, rel=0.02)
    assert found.lengths[1] == pytest.approx(WAVES, rel=0.02)
    # variances add: amplitude² / 2 + (0.3 amplitude)²
    assert found.amplitude == pytest.approx(BEND * np.sqrt(1.18), rel=0.01)


@pytest.mark.parametrize("seconds", [3.1, 5.1, 8.0, 12.7])
def test_parts_of_cycles_count_as_much_as_they_are(seconds):
    found = wave_of(time=np.arange(0, seconds, 0.02))
    assert found.frequency == pytest.approx(HERTZ, rel=0.03)
    assert found.amplitude == pytest.approx(BEND, rel=0.03)


def test_bad_values_do_not_count():
    rng = np.random.default_rng(1)
    curvature = bend(TIME, PLACES)
    for _ in range(40):
        curvature[rng.integers(len(TIME)), rng.integers(47)] = rng.choice([-300, 300])
    curvature[100:130] = np.nan
    found = find_wave(TIME, curvature, PLACES)
    assert found.frequency == pytest.approx(HERTZ, rel=0.02)
    assert found.lengths[1] == pytest.approx(WAVES, rel=0.02)
    assert found.amplitude == pytest.approx(BEND, rel=0.02)


def test_cut_leaves_a_sine_alone():
    curvature = bend(TIME, PLACES)
    np.testing.assert_array_equal(cut(curvature), curvature)


@pytest.mark.parametrize("waves", [0.6, 1.0, 1.68])
def test_wave_that_stands(waves):
    found = wave_of(waves=waves, standing=1.0, size=BEND / 2)
    assert abs(found.direction) < 0.05 and not found.travels
    assert found.frequency == pytest.approx(HERTZ, rel=0.01)
    assert found.lengths[1] == pytest.approx(waves, rel=0.02)


@pytest.mark.parametrize("standing", [0.2, 0.5])
def test_wave_that_partly_stands(standing):
    found = wave_of(standing=standing)
    assert found.frequency == pytest.approx(HERTZ, rel=0.01)
    assert 0.5 < found.direction < 0.99


def test_one_side_is_not_a_wave():
    """A worm that always bends to one side has the wave of one that does not."""
    straight, bent = wave_of(), wave_of(bias=4.0)
    assert bent.frequency == pytest.approx(straight.frequency, rel=0.005)
    assert bent.amplitude == pytest.approx(straight.amplitude, rel=0.005)


def test_pauses_do_not_slow_the_wave():
    """Crawls for a third of the time, rests, crawls back: cycles are as quick as before, but for
    the shape in which it rests, about which it then seems to sway."""
    time = np.arange(0, 30, 0.02)
    turn = np.interp(time, [0, 10, 20, 30], [0, 10, 10, 0])
    found = find_wave(time, bend(turn, PLACES), PLACES)
    assert found.frequency == pytest.approx(HERTZ, rel=0.06)
    assert abs(found.direction) < 0.02


def test_rest_and_noise_have_no_wave():
    rng = np.random.default_rng(2)
    bent = np.tile(bend(np.zeros(1), PLACES), (len(TIME), 1))
    for curvature in (bent, bent + 1e-4 * rng.normal(size=bent.shape), rng.normal(size=bent.shape)):
        found = find_wave(TIME, curvature, PLACES)
        assert np.isnan(found.frequencies).all() and np.isnan(found.lengths).all()
        assert np.isnan(found.direction)
    assert find_wave(TIME[:5], bent[:5], PLACES) is None
    assert find_wave(TIME, np.full_like(bent, np.nan), PLACES) is None


def test_less_than_a_cycle_has_no_frequency():
    assert np.isnan(wave_of(time=np.arange(0, 2.0, 0.02)).frequency)


def measure_track(time, line):
    track = worm.follow(time, line)
    return {name: compute(track) for name, (_, compute) in worm.TRACK_MEASURES.items()}


def test_a_worm_that_crawls():
    found = measure_track(*crawl(seconds=20.0))
    assert found["crawl_speed"] == pytest.approx(0.02, rel=0.01)
    assert found["crawl_frequency"] == pytest.approx(HERTZ, rel=0.01)
    assert found["waves_per_body"] == pytest.approx(WAVES, rel=0.01)
    assert found["wave_direction"] == pytest.approx(1, abs=0.01)
    assert found["curvature_amplitude"] == pytest.approx(BEND, rel=0.02)
    assert found["way_per_cycle"] == pytest.approx(0.02 / HERTZ / LENGTH, rel=0.01)
    assert found["net_drift"] == pytest.approx(0.4, rel=0.001)
    assert found["eigenworm_share_own"] > 0.999


def test_a_worm_that_backs_up():
    found = measure_track(*crawl(speed=-0.02, hertz=-HERTZ))
    assert found["way_per_cycle"] == pytest.approx(-0.02 / HERTZ / LENGTH, rel=0.01)
    assert found["crawl_speed"] == pytest.approx(0.02, rel=0.01)
    assert found["wave_direction"] == pytest.approx(-1, abs=0.01)


def follow_track(height, wavelength, *, speed=0.02, seconds=20.0):
    """A worm that follows its head along a sine, without slip: times and midlines."""
    x = np.linspace(-0.3, 0.8, 200_000)
    z = height * np.sin(2 * np.pi * x / wavelength)
    way = np.concatenate([[0.0], np.hypot(np.diff(x), np.diff(z)).cumsum()])
    time = np.arange(0, seconds, 0.02)
    at = 0.25 + speed * time[:, None] - np.linspace(0, LENGTH, 49)
    return time, np.stack([np.interp(at, way, x), 0 * at, np.interp(at, way, z)], axis=-1)


@pytest.mark.parametrize("waves", [0.7, 1.0, 1.68, 2.3])
def test_amplitude_of_the_midline(waves):
    """A track of slope 0.15: its height, and as many waves as fit on the body along it."""
    wavelength = LENGTH / waves
    height = 0.15 * wavelength / (2 * np.pi)
    longer = 1 + 0.15**2 / 4  # way along it over way ahead, to the second order
    found = measure_track(*follow_track(height, wavelength))
    assert found["wave_amplitude"] == pytest.approx(height / LENGTH, rel=0.03)
    assert found["waves_per_body"] == pytest.approx(waves / longer, rel=0.015)
    assert found["crawl_frequency"] == pytest.approx(0.02 / wavelength / longer, rel=0.015)
    assert found["way_per_cycle"] == pytest.approx(1 / waves, rel=0.02), "no slip"


def test_a_worm_on_a_circle_has_the_speed_along_it():
    time = np.arange(0, 30, 0.02)
    course = 0.1 * time
    at = 0.02 / 0.1 * np.stack([np.sin(course), np.cos(course)], axis=1)
    curvature = bend(time, (np.arange(FINE) + 0.5) / FINE)
    line = draw_line(curvature, at=at, heading=course)[:, ::10]
    found = measure_track(time, line)
    assert found["crawl_speed"] == pytest.approx(0.02, rel=0.01)
    assert found["way_per_cycle"] == pytest.approx(0.02 / HERTZ / LENGTH, rel=0.02)


def test_a_worm_at_rest():
    found = measure_track(*crawl(speed=0.0, hertz=0.0))
    assert found["crawl_speed"] == 0 and found["net_drift"] == 0
    gone = set(found) - {"crawl_speed", "net_drift", "curvature_amplitude"}
    assert all(np.isnan(found[name]) for name in gone)


def test_measures_of_a_recording():
    """Under their names and units, from the second half, but for drift and momentum."""
    found = measure(record_crawl(seconds=20.0))
    assert found["worm.crawl_frequency"].value == pytest.approx(HERTZ, rel=0.02)
    assert found["worm.crawl_frequency"].unit == "Hz"
    assert found["worm.net_drift"].value == pytest.approx(0.4, rel=0.001)
    assert found["worm.momentum_residual"].value == pytest.approx(3e-12)
    assert found["worm.way_per_cycle"].value > 0


def test_eigenworms_of_its_own_hold_what_they_are_made_of():
    rng = np.random.default_rng(3)
    modes = np.linalg.qr(rng.normal(size=(48, 6)))[0].T
    shapes = rng.normal(size=(4000, 6)) * np.array([4, 3, 2, 1, 1, 0.5]) @ modes
    assert find_share(shapes, find_eigenworms(shapes)) == pytest.approx(30 / 31.25, abs=0.01)
    assert find_share(shapes, modes, 6) == pytest.approx(1)
    assert find_share(shapes, modes[::-1], 2) == pytest.approx(1.25 / 31.25, abs=0.01)
    assert np.isnan(find_share(np.tile(shapes[:1], (9, 1)), modes)), "nothing moves"


def test_shapes_from_curvature_are_those_of_the_line():
    time, place = np.arange(0, 3, 0.1), (np.arange(FINE) + 0.5) / FINE
    curvature = bend(time, place)
    line = resample(draw_line(curvature), 49)
    np.testing.assert_allclose(integrate_shapes(curvature), find_shapes(lay_flat(line)), atol=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3\n" * 4, "has 4 rows of 3; valid: 4 or more eigenworms of 48 angles"),
        ("a,b\n", "is not a table of numbers"),
    ],
)
def test_a_file_without_eigenworms(tmp_path, text, words):
    path = tmp_path / "modes.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        load_eigenworms(path)
    with pytest.raises(UserError, match="cannot be read"):
        load_eigenworms(tmp_path / "none.csv")


def test_kymograph_has_the_head_at_the_top(tmp_path):
    image = pytest.importorskip("PIL.Image")
    time, line = crawl(hertz=0.1, waves=0.5, size=5.0)
    track = worm.follow(time, line)
    even, places, values = find_kymograph(track)
    np.testing.assert_allclose(values, bend(even, places, hertz=0.1, waves=0.5, size=5).T, atol=0.1)
    write_kymograph(tmp_path / "k.png", title="worm", track=track)
    pixels = np.asarray(image.open(tmp_path / "k.png")).astype(int)
    first = pixels[
        :, 72
    ]  # at the beginning the head bends towards dorsal, the tail towards ventral
    assert first[60, 0] > first[60, 2] + 80, "red at the top"
    assert first[340, 2] > first[340, 0] + 80, "blue at the bottom"


@pytest.mark.skipif(not DATA.exists(), reason="the real worm is not at hand")
def test_real_worm():
    """Quartiles worked out elsewhere: 0.26, 0.37, 0.48 Hz and 1.31, 1.68, 1.97 waves."""
    curvature = 100 * np.loadtxt(DATA / "curve_data.csv", delimiter=",")
    time = np.loadtxt(DATA / "TimeElapsed.csv")
    found = find_wave(time, curvature, (np.arange(100) + 0.5) / 100)
    np.testing.assert_allclose(found.frequencies, [0.26, 0.37, 0.48], atol=0.03)
    np.testing.assert_allclose(found.lengths, [1.31, 1.68, 1.97], atol=0.03)
    modes = load_eigenworms(DATA / "master_eigen_worms_N2.csv")
    assert 0.92 < find_share(integrate_shapes(cut(curvature)), modes) < 0.98
