"""Gait panels: the state of every leg over time, one row per leg (Fang 2015 figure 4.4).

Time runs to the right. Left legs are above, right legs below, the head's end on top of each. Those
of creatures whose legs step and stand by oscillators are in stepping.py.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from skitter.errors import UserError
from skitter.look.colour import read_bytes
from skitter.look.gait import (
    NO_STATE,
    STATE_COLOURS,
    STATE_NAMES,
    LegHistory,
    open_histories,
)
from skitter.look.stepping import StepHistory
from skitter.render.output import PICTURES, check_output, write_picture
from skitter.render.panel import FAINT, PAPER, Box, Panel, Span
from skitter.render.stepping import ClimbPanel, StepPanel, usual_step_height

Image = NDArray[np.uint8]  # [row, column, 3]
History = LegHistory | StepHistory
EMPTY_COLOUR = "#eeece7"
LEAST_SIZE = (240, 120)
USUAL_WIDTH = 1280
ROW_RANGE = (2.0, 18.0)  # pixels that a leg may take when the size is free
ROOM = 640  # pixels for all legs of a creature, if its rows may have their size
GAP_FROM = 5  # pixels; rows as high as this are told apart by a line of paper


def render_gait(
    recording: Any,
    path: str | Path,
    *,
    size: tuple[int, int] | None = None,
    time: float | None = None,
    seconds: float = 1.0,
    creature: str | None = None,
) -> None:
    """Writes a .png or .jpg of the legs' states in the last seconds before a time."""
    path = Path(path)
    check_output(path, PICTURES)
    histories = open_histories(recording, creature)
    span = choose_span(histories[0], time, seconds)
    if size is None:
        size = (USUAL_WIDTH, sum(usual_height(one) for one in histories))
    write_picture(path, draw_panels(histories, span, size))


def choose_span(history: History, time: float | None, seconds: float) -> Span:
    """The seconds before a time, as far as there is a recording of them."""
    first, last = float(history.time[0]), float(history.time[-1])
    end = last if time is None else time
    if not first - 1e-9 <= end <= last + 1e-9:
        raise UserError(f"time {end:g} s: the recording runs from {first:g} to {last:g} s")
    if not seconds > 0:
        raise UserError(f"seconds {seconds:g}: must be above 0")
    start = max(first, end - seconds)
    return Span(start, end if end > start else start + seconds)


def usual_height(history: History) -> int:
    """Of a panel whose rows can be told apart, pixels."""
    if isinstance(history, StepHistory):
        return usual_step_height(history)
    row = float(np.clip(ROOM / history.leg_count, *ROW_RANGE))
    return 130 + round(row * history.leg_count)


def draw_panels(histories: Sequence[History], span: Span, size: tuple[int, int]) -> Image:
    """A panel for each creature, one above the other."""
    if size[0] < LEAST_SIZE[0] or size[1] < LEAST_SIZE[1] * len(histories):
        raise UserError(
            f"size {size[0]}x{size[1]}: too small for {len(histories)} gait panels;"
            f" valid: at least {LEAST_SIZE[0]}x{LEAST_SIZE[1] * len(histories)} for them,"
            " or the legs of one creature"
        )
    sheet = Pillow.new("RGB", size, PAPER)
    edges = np.linspace(0, size[1], len(histories) + 1).round().astype(int)
    for history, top, bottom in zip(histories, edges[:-1], edges[1:], strict=True):
        box = (0, int(top), size[0], int(bottom))
        if isinstance(history, StepHistory):
            panel = StepPanel if history.state is None else ClimbPanel
            panel(sheet, box).draw(history, span)
        else:
            LegPanel(sheet, box).draw(history, span)
    return np.asarray(sheet)


class LegPanel(Panel):
    """The states of a myriapod's legs."""

    names = STATE_NAMES

    def draw(self, history: LegHistory, span: Span) -> None:
        """Everything."""
        self._draw_head(history.creature)
        left, top, right, bottom = self._plot
        states = history.sample(span.start, span.end, right - left)
        gap = max(round(0.9 * self._unit), 4)
        half = (bottom - top - gap) // 2
        self._draw_block((left, top, right, top + half), states[0::2], "left legs")
        self._draw_block((left, bottom - half, right, bottom), states[1::2], "right legs")
        self._draw_time(span)

    def _draw_key(self, box: Box, entry: int) -> None:
        self._draw.rectangle(box, STATE_COLOURS[entry])

    def _draw_block(self, box: Box, states: NDArray[np.uint8], title: str) -> None:
        left, top, _, bottom = box
        self._sheet.paste(Pillow.fromarray(colour_rows(states, bottom - top)), (left, top))
        edges = row_edges(len(states), bottom - top)
        step = label_step(len(states), (bottom - top) / (1.1 * self._unit))
        for row in [k for k in range(len(states)) if k == 0 or (k + 1) % step == 0]:
            y = top + (edges[row] + edges[row + 1]) / 2
            if row == 0 or y - top > 1.2 * self._unit:
                place = (left - 0.5 * self._unit, y)
                self._draw.text(place, str(row + 1), FAINT, self._font, anchor="rm")
        self._write_upwards(title, self._left, (top + bottom) // 2)


def colour_rows(states: NDArray[np.uint8], height: int) -> Image:
    """States [leg, column] as pixels; a mean of colours where there are more legs than pixels."""
    palette = np.array([read_bytes(colour) for colour in (*STATE_COLOURS, EMPTY_COLOUR)])
    assert len(palette) == NO_STATE + 1
    colours = palette[states].astype(np.uint8)
    if height < len(states):
        small = Pillow.fromarray(colours).resize((colours.shape[1], height), Pillow.Resampling.BOX)
        return np.asarray(small)
    edges = row_edges(len(states), height)
    rows = np.repeat(np.arange(len(states)), np.diff(edges))
    image = colours[rows]
    if height >= GAP_FROM * len(states):
        image[edges[1:-1] - 1] = read_bytes(PAPER)
    return image


def row_edges(count: int, height: int) -> NDArray[np.int64]:
    """Where rows begin and end, whole pixels."""
    return np.linspace(0, height, count + 1).round().astype(int)


def label_step(count: int, room: float) -> int:
    """Every so-manieth row is numbered, in round steps."""
    return next((s for s in (1, 2, 5, 10, 20, 50, 100) if count / s <= room), 200)
