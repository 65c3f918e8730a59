"""Panels of a climber's legs: what each does has its colour."""

import numpy as np
import pytest
from test_step_panel import to_bytes

from climber_recordings import write_climber
from skitter.look.gait import open_histories

pytest.importorskip("PIL")

from PIL import Image

from skitter.render.gait import draw_panels, render_gait, usual_height
from skitter.render.panel import Span
from skitter.render.stepping import CLIMB_COLOURS, FOOT_COLOUR, STANCE_COLOUR, STEP_COLOUR


@pytest.fixture(scope="module")
def spider(tmp_path_factory):
    return write_climber(tmp_path_factory.mktemp("climber") / "spider")


def share(image, colour: str) -> float:
    """Of a panel's rows, which begin right of the names."""
    plot = image[30:-36, 80:-40]
    return float((plot == to_bytes(colour)).all(axis=2).mean())


def test_half_the_legs_stand_and_hold_at_any_time(spider):
    (history,) = open_histories(spider)
    image = draw_panels([history], Span(0.01, 0.49), (1280, usual_height(history)))
    stance, step = share(image, STANCE_COLOUR), share(image, STEP_COLOUR)
    assert stance == pytest.approx(step, abs=0.06)
    assert stance > 0.3
    assert 0.02 < share(image, FOOT_COLOUR) < stance
    assert all(share(image, colour) == 0 for colour in CLIMB_COLOURS.values())


def test_search_steps_waiting_and_loose_legs_have_colours(spider):
    (history,) = open_histories(spider)
    state = np.asarray(history.state[:]).copy()
    state[:, 0], state[:, 1], state[:, 2] = 2, 3, 4
    object.__setattr__(history, "state", state)
    image = draw_panels([history], Span(0.01, 0.49), (1280, usual_height(history)))
    shares = [share(image, colour) for colour in CLIMB_COLOURS.values()]
    assert shares == pytest.approx([shares[0]] * 3, rel=0.1)
    assert shares[0] > 0.08  # an eighth of the rows, but for the lines of feet


def test_panel_is_written(spider, tmp_path):
    render_gait(spider, tmp_path / "a.png")
    assert Image.open(tmp_path / "a.png").size[0] == 1280
