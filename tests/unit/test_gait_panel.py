"""Gait panels: every pixel has the colour of its leg's state at its time."""

import numpy as np
import pytest

from look_recordings import STANCE, write_myriapod
from skitter.errors import UserError
from skitter.look.gait import NO_STATE, LegHistory, open_histories

pytest.importorskip("PIL")

from PIL import Image

from skitter.render.gait import (
    STATE_COLOURS,
    choose_span,
    colour_rows,
    draw_panels,
    render_gait,
    usual_height,
)
from skitter.render.panel import Span, nice_step


def to_bytes(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def make_history(legs: int = 6, frames: int = 100) -> LegHistory:
    """At 100 Hz; leg k is in state k (of six) during the first half second, then all stand."""
    state = np.tile(np.arange(legs) % 6, (frames, 1)).astype(np.uint8)
    state[frames // 2 :] = STANCE
    return LegHistory("bug", np.arange(frames) / 100, state)


def test_states_are_sampled_at_their_times():
    sampled = make_history().sample(0.0, 1.0, 10)
    assert sampled[:, :5].tolist() == [[k] * 5 for k in range(6)]
    assert (sampled[:, 5:] == STANCE).all()
    early = make_history().sample(-0.5, 0.5, 10)
    assert (early[:, :5] == NO_STATE).all() and (early[0, 5:] == 0).all()


def test_rows_are_as_high_as_there_is_room():
    states = np.array([[0, 1], [2, 3], [4, 5]], dtype=np.uint8)
    image = colour_rows(states, 12)
    for leg in range(3):
        for column in range(2):
            wanted = to_bytes(STATE_COLOURS[states[leg, column]])
            assert image[4 * leg : 4 * leg + 4, column].tolist() == [wanted] * 4
    crowded = colour_rows(np.zeros((400, 3), np.uint8), 100)
    assert crowded.shape == (100, 3, 3)
    assert crowded[50, 1].tolist() == to_bytes(STATE_COLOURS[0])


def test_left_legs_lie_above_right_ones_with_the_head_on_top():
    image = draw_panels([make_history(legs=6)], Span(0.0, 1.0), (640, 480))
    column = image[:, 200].tolist()
    rows = [column.index(to_bytes(STATE_COLOURS[state])) for state in (0, 2, 4, 1, 3, 5)]
    assert rows == sorted(rows)  # left 1, 2, 3, then right 1, 2, 3
    late = image[:, 500]
    stands = (late == to_bytes(STATE_COLOURS[STANCE])).all(axis=1).sum()
    assert stands > 0.7 * 480


@pytest.mark.parametrize("legs", [1, 2, 36, 116, 400])
def test_any_number_of_legs(legs):
    history = make_history(legs=legs)
    image = draw_panels([history], Span(0.0, 1.0), (640, usual_height(history)))
    assert image.shape[1] == 640 and 130 < image.shape[0] <= 930
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 5


def test_the_last_second_is_shown_unless_told_otherwise():
    history = make_history(frames=301)
    assert choose_span(history, None, 1.0) == Span(2.0, 3.0)
    assert choose_span(history, 1.5, 0.5) == Span(1.0, 1.5)
    assert choose_span(history, None, 10.0) == Span(0.0, 3.0)
    for time, seconds, words in ((9.0, 1.0, "runs from 0 to 3"), (1.0, 0.0, "above 0")):
        with pytest.raises(UserError, match=words):
            choose_span(history, time, seconds)


def test_steps_of_the_time_axis_are_round():
    assert [nice_step(x) for x in (0.011, 0.2, 0.21, 3.0, 7.0)] == [0.02, 0.2, 0.5, 5.0, 10.0]


def test_a_panel_for_each_creature_or_for_one(tmp_path):
    recording = write_myriapod(tmp_path / "two", segments=3, seconds=0.2, names=("anna", "bert"))
    sizes = {}
    for name in (None, "bert"):
        render_gait(recording, tmp_path / "gait.png", creature=name)
        sizes[name] = Image.open(tmp_path / "gait.png").size
    assert sizes[None] == (sizes["bert"][0], 2 * sizes["bert"][1])
    with pytest.raises(UserError, match="valid: anna, bert"):
        open_histories(recording, "carl")
    with pytest.raises(UserError, match="at least 240x240"):
        render_gait(recording, tmp_path / "gait.png", size=(640, 200))


def test_without_legs_there_is_no_gait(tmp_path):
    from fake_recordings import make_chain

    with pytest.raises(UserError, match="no creature of the recording has legs") as caught:
        render_gait(make_chain(frames=2), tmp_path / "gait.png")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())
