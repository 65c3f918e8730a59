"""Panels of steps: every column has the colour of what a leg does at its time."""

import numpy as np
import pytest
from fake_articulated import NAME, list_lifts, make_walk

from skitter.look.gait import open_histories
from skitter.look.stepping import STANDS, STEPS, UNKNOWN

pytest.importorskip("PIL")

from PIL import Image

from skitter.render.gait import draw_panels, render_gait, usual_height
from skitter.render.panel import Span
from skitter.render.stepping import (
    FOOT_COLOUR,
    STANCE_COLOUR,
    STEP_COLOUR,
    find_runs,
    sort_legs,
)

LEFT_FRONT, RIGHT_HIND = 0, 5


def to_bytes(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def open_walk(**how):
    return open_histories(make_walk(**how).record())[0]


def test_legs_are_called_as_those_of_cockroaches():
    history = open_walk(seconds=1.0)
    assert history.names == ["L1", "R1", "L2", "R2", "L3", "R3"]
    assert [history.names[k] for k in sort_legs(history.names)] == [
        *("L1", "L2", "L3", "R1", "R2", "R3")
    ]
    assert sort_legs(["R10", "R9", "L2"]) == [2, 1, 0]


@pytest.mark.parametrize("rate", [60.0, 23.0])
def test_steps_are_exact_whatever_the_frame_rate(rate):
    """At 2 Hz, told to step for 50 ms; a column is a millisecond."""
    history = open_walk(seconds=4.0, rate=rate)
    rows = history.sample(1.0, 2.0, 1000)
    middle = 1.0 + (np.arange(1000) + 0.5) / 1000
    lifts = list_lifts()
    for leg in range(6):
        since = (middle[:, None] - lifts[leg]).clip(0) + (middle[:, None] < lifts[leg])
        told = (since < 0.05).any(axis=1)
        off = ((since >= 0.01) & (since < 0.07)).any(axis=1)
        np.testing.assert_array_equal(rows.told[leg], np.where(told, STEPS, STANDS))
        np.testing.assert_array_equal(rows.foot[leg], np.where(off, STEPS, STANDS))
    assert (rows.told == STEPS).sum(axis=1).tolist() == [100] * 6


def test_oscillators_peak_where_legs_step():
    rows = open_walk(seconds=4.0).sample(1.0, 2.0, 1000)
    for leg in range(6):
        begin = [first for first, _ in find_runs(rows.told[leg] == STEPS) if first > 0]
        assert begin and (rows.activity[leg, begin] > 0.999).all()
    assert rows.activity.min() < 0.001


def test_outside_the_recording_nothing_is_known():
    rows = open_walk(seconds=1.0).sample(-0.5, 1.5, 20)
    assert (rows.told[:, :5] == UNKNOWN).all() and (rows.foot[:, 15:] == UNKNOWN).all()
    assert np.isnan(rows.activity[:, :5]).all() and np.isfinite(rows.activity[:, 5:15]).all()


def test_pixels_are_those_of_the_pattern():
    """The tripod at 10 Hz, one second: bands of 50 ms, L1 with R2 and L3. No band ends in the very
    middle of a column."""
    history = open_walk(frequency=10.0, seconds=2.0, late=(0.0, 0.0))
    image = draw_panels([history], Span(0.9903, 1.9903), (1280, usual_height(history)))
    colours = (STANCE_COLOUR, STEP_COLOUR, FOOT_COLOUR)
    is_stance, is_step, is_foot = ((image == to_bytes(c)).all(axis=2) for c in colours)
    wide = find_runs(is_stance[:, 100:1200].mean(axis=1) > 0.3)
    assert len(wide) == 6, "a row for each leg"
    feet = find_runs(is_foot[:, 100:1200].mean(axis=1) > 0.3)
    assert len(feet) == 6
    rows = [(top + bottom) // 2 for top, bottom in wide]
    lines = [(top + bottom) // 2 for top, bottom in feet]
    assert sorted(rows + lines) == [y for pair in zip(rows, lines, strict=True) for y in pair]
    inner = slice(100, 1200)
    for one, other in ((0, 2), (0, 4), (1, 3), (1, 5)):  # L1, L2, L3, R1, R2, R3
        np.testing.assert_array_equal(is_stance[rows[one], inner], is_stance[rows[other], inner])
    assert not (is_stance[rows[0], inner] & is_stance[rows[1], inner]).any()
    # a foot is down where its leg is told to stand
    np.testing.assert_array_equal(is_stance[rows[0], inner], is_foot[lines[0], inner])
    assert is_step[rows[0], inner].mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("pairs", [1, 2, 4, 10, 40])
@pytest.mark.parametrize("size", [None, (240, 120), (430, 270), (384, 720)])
def test_any_number_of_legs_and_any_size(pairs, size):
    history = open_walk(pairs=pairs, seconds=1.0, lag=0.01)
    size = size or (640, usual_height(history))
    image = draw_panels([history], Span(0.0, 1.0), size)
    assert image.shape == (size[1], size[0], 3)
    assert (image == to_bytes(STANCE_COLOUR)).all(axis=2).mean() > 0.05


def test_legs_of_one_side_alone():
    fake = make_walk(seconds=1.0)
    for key in ("lift_time", "land_time", "leg_stepping", "phase"):
        fake.channels[key] = fake.channels[key][:, 1::2]
    for key in ("leave_time", "touch_time", "foot_touching"):
        del fake.channels[key]
    for key in ("leg_pair", "leg_side"):
        fake.statics[key] = fake.statics[key][1::2]
    history = open_histories(fake.record(), NAME)[0]
    assert history.names == ["R1", "R2", "R3"] and history.feet is None
    image = draw_panels([history], Span(0.0, 1.0), (640, 300))
    assert (image == to_bytes(STANCE_COLOUR)).all(axis=2).any()
    assert not (image[60:-40, 60:] == to_bytes(FOOT_COLOUR)).all(axis=2).any()


def test_a_recording_in_a_folder(tmp_path):
    """As `skitter render DIR -o gait.png --gait` draws it, and the same as from memory."""
    fake = make_walk(seconds=1.5)
    render_gait(fake.write(tmp_path / "walk"), tmp_path / "gait.png", seconds=1.0)
    render_gait(fake.record(), tmp_path / "memory.png", seconds=1.0)
    drawn, other = (np.asarray(Image.open(tmp_path / f"{n}.png")) for n in ("gait", "memory"))
    np.testing.assert_array_equal(drawn, other)
    assert drawn.shape[1] == 1280
