"""Measures of swimming, on bodies that follow a formula."""

import numpy as np
import pytest
from fake_recordings import FakeRecording

from skitter.measure import swim
from skitter.measure.swim import Strokes, find_wave, read_strokes

BODIES, LENGTH, HERTZ, RATE = 12, 22.0, 1.25, 120.0


def make_recording(*, speed=6.0, yaw=0.0, seconds=12.0, wavelength=11.0, amplitude=(0.2, 1.6)):
    """A body whose parts, 2 cm apart, sway as a wave runs from head to tail; yaw in rad/s to the
    left. It is driven from the first second on."""
    recording = FakeRecording(RATE, int(seconds * RATE) + 1, [])
    time = recording.time
    behind = LENGTH / (BODIES - 1) * np.arange(BODIES)
    height = np.linspace(*amplitude, BODIES)
    sway = height * np.sin(2 * np.pi * (HERTZ * time[:, None] - behind / wavelength))
    course = yaw * time  # about y, from +x towards -z
    if yaw:
        middle = speed / yaw * np.stack([np.sin(course), np.cos(course) - 1], axis=1)
    else:
        middle = np.stack([speed * time, 0 * time], axis=1)
    ahead = np.stack([np.cos(course), -np.sin(course)], axis=1)[:, None]
    aside = np.stack([np.sin(course), np.cos(course)], axis=1)[:, None]
    along = LENGTH / 2 - behind
    places = middle[:, None] + along[None, :, None] * ahead + sway[..., None] * aside
    position = np.stack([places[..., 0], 0 * sway, places[..., 1]], axis=-1)
    recording.add_creature(
        "eel",
        {},
        {
            "body_position": position,
            "swim_frequency": np.full(len(time), HERTZ),
            "swim_level": np.minimum(time, 1.0),
            "water_work": 300.0 * time,
        },
        {"body_length": LENGTH},
    )
    recording.creatures[0]["kind"] = "swimmer"
    return recording


@pytest.fixture(scope="module")
def straight():
    return make_recording()


def test_whole_strokes_of_the_second_half(straight):
    strokes = read_strokes(straight, "eel")
    assert len(strokes.seconds) == int((12 - 1) / 2 * HERTZ)
    np.testing.assert_allclose(strokes.seconds, 1 / HERTZ, rtol=1e-9)


def test_speed_and_stride(straight):
    assert swim.swim_speed(straight, "eel") == pytest.approx(6.0, rel=1e-3)
    assert swim.stroke_frequency(straight, "eel") == pytest.approx(HERTZ)
    assert swim.stride_length(straight, "eel") == pytest.approx(6.0 / HERTZ / LENGTH, rel=1e-3)
    assert swim.energy_rate(straight, "eel") == pytest.approx(300.0, rel=1e-4)


def test_wave_of_the_body(straight):
    """Amplitudes are those put in, a wave of 11 cm runs at 13.75 cm/s."""
    assert swim.amplitude_head(straight, "eel") == pytest.approx(0.2 / LENGTH, rel=0.03)
    assert swim.amplitude_tail(straight, "eel") == pytest.approx(1.6 / LENGTH, rel=0.01)
    assert swim.amplitude_growth(straight, "eel") == pytest.approx(8.0, rel=0.03)
    assert swim.body_wavelength(straight, "eel") == pytest.approx(0.5, rel=0.01)
    assert swim.body_lag(straight, "eel") == pytest.approx(2 / 11, rel=0.01)
    assert swim.slip(straight, "eel") == pytest.approx(6.0 / 13.75, rel=0.01)
    assert swim.wave_ratio(straight, "eel") == pytest.approx(13.75 / 6.0, rel=0.01)
    assert swim.strouhal(straight, "eel") == pytest.approx(HERTZ * 3.2 / 6.0, rel=0.01)


def test_a_wave_towards_the_head_is_negative():
    assert swim.body_lag(make_recording(wavelength=-11.0), "eel") == pytest.approx(
        -2 / 11, rel=0.01
    )


@pytest.mark.parametrize("yaw", [0.3, -0.3])
def test_circle(yaw):
    """Left is from +x to -z; the speed is along the circle, but for the chord of a stroke."""
    recording = make_recording(yaw=yaw, seconds=24.0)
    assert swim.yaw_rate(recording, "eel") == pytest.approx(np.degrees(yaw), rel=0.02)
    assert swim.turning_radius(recording, "eel") == pytest.approx(20.0, rel=0.03)
    assert swim.swim_speed(recording, "eel") == pytest.approx(6.0, rel=0.01)


def test_too_short_to_tell():
    recording = make_recording(seconds=1.5)
    assert np.isnan(swim.swim_speed(recording, "eel"))
    assert np.isnan(swim.amplitude_tail(recording, "eel"))
    assert np.isnan(swim.yaw_rate(recording, "eel"))


def test_one_that_goes_nowhere_has_no_wave():
    bodies = np.zeros((2, swim.SAMPLES + 1, 3, 2))
    assert find_wave(Strokes(np.arange(2.0), np.ones(2), bodies, np.zeros(2), 1.0)) is None
