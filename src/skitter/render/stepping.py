"""Gait panels of creatures whose legs step and stand by oscillators (McKenna 1990 figures 4 and 5).

Time runs to the right, left legs are above right ones, the rear at the bottom of each. On top the
activity of the oscillators: a leg steps at its peak, and a dotted box shows how long. Below the
stepping pattern, black where a leg stands and white where it steps, and under each a thin line
where its foot is on the ground. The paper draws the two side by side, without the feet.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw

from skitter.look.stepping import STANDS, STEPS, Rows, StepHistory
from skitter.render.panel import INK, PAPER, Box, Panel, Span

STANCE_COLOUR, STEP_COLOUR, FOOT_COLOUR, WAVE_COLOUR = "#1c1e20", "#ffffff", "#2f9e8f", "#c2562b"
EDGE = "#b4b2ac"
CLIMB_COLOURS = {2: "#e2a336", 3: "#c2562b", 4: "#8b6fc0"}  # by leg_state: search, waits, loose
PATTERN_ROW, WAVE_ROW = 24, 24  # pixels of a leg, if a panel may have its size
LEAST_ROW = 14  # pixels; panels with less room for a leg have no oscillators
THIN, ROOM = 4, 2  # pixels of the line of a foot, and of the room above and below it, at most
CROWDED = 5  # pixels; rows with less have no line of a foot
WAVE = (0.12, 0.88)  # of a row
FINE = 3  # curves are drawn so much larger, for smooth lines


def usual_step_height(history: StepHistory) -> int:
    """Of a panel whose rows can be told apart, pixels."""
    row = PATTERN_ROW + (WAVE_ROW if history.phase is not None else 0)
    return 140 + row * history.leg_count


class StepPanel(Panel):
    """Steps, feet and oscillators of one creature."""

    names: tuple[str, ...] = ("stance", "step", "foot down", "oscillator")

    def draw(self, history: StepHistory, span: Span) -> None:
        """Everything."""
        self._draw_head(history.creature)
        left, top, right, bottom = self._plot
        rows = history.sample(span.start, span.end, right - left)
        order = sort_legs(history.names)
        middle = top
        has_room = (bottom - top) / max(history.leg_count, 1) >= 2 * LEAST_ROW
        if history.phase is not None and has_room:
            middle = (top + bottom) // 2
            box = (left, top, right, middle - round(0.6 * self._unit))
            self._write_upwards("oscillators", self._left, (box[1] + box[3]) // 2)
            for leg, row in self._lay_rows(box, order, history.names):
                self._draw_wave(row, rows, leg)
            middle += round(0.6 * self._unit)
        box = (left, middle, right, bottom)
        self._write_upwards("steps", self._left, (box[1] + box[3]) // 2)
        for leg, row in self._lay_rows(box, order, history.names):
            self._draw_pattern(row, rows, leg)
        self._draw_time(span)

    def _draw_key(self, box: Box, entry: int) -> None:
        left, top, right, bottom = box
        middle = (top + bottom) / 2
        if entry < 2:
            self._draw.rectangle(box, (STANCE_COLOUR, STEP_COLOUR)[entry], EDGE)
        elif entry == 2:
            self._draw.rectangle((left, middle - 1, right, middle + 1), FOOT_COLOUR)
        else:
            arch = (left, top + 1, right, bottom + (bottom - top) - 1)
            self._draw.arc(arch, 180, 360, WAVE_COLOUR, 2)

    def _draw_more(self, row: Box, rows: Rows, leg: int) -> None:
        """What else there is to see in a row of the pattern."""

    def _lay_rows(self, box: Box, order: list[int], names: list[str]) -> list[tuple[int, Box]]:
        """A row for each leg, with its name before it, and a gap between the sides."""
        left, top, right, bottom = box
        sides = len({names[leg][0] for leg in order})
        gap = round(0.7 * self._unit) if sides > 1 else 0
        edges = np.linspace(top, bottom - gap, len(order) + 1)
        edges = np.stack([edges[:-1], edges[1:]], axis=1)
        edges[[names[leg][0] == "R" for leg in order]] += gap
        if sides == 1:
            edges -= edges[0, 0] - top
        rows = []
        for leg, (upper, lower) in zip(order, edges.round().astype(int).tolist(), strict=True):
            if lower - upper >= 0.8 * self._unit:
                place = (left - 0.5 * self._unit, (upper + lower) / 2)
                self._draw.text(place, names[leg], INK, self._font, anchor="rm")
            rows.append((leg, (left, upper, right, lower)))
        return rows

    def _draw_pattern(self, row: Box, rows: Rows, leg: int) -> None:
        left, top, _, bottom = row
        share = (bottom - top) // 6
        thin, room = int(np.clip(share, 1, THIN)), int(np.clip(share, 1, ROOM))
        is_crowded = bottom - top < CROWDED
        line = bottom - room - thin
        lower = max(bottom - 1, top) if is_crowded else line - room
        for begin, end in find_runs(rows.told[leg] <= STEPS):
            self._draw.rectangle((left + begin, top, left + end - 1, lower), STEP_COLOUR, EDGE)
        for begin, end in find_runs(rows.told[leg] == STANDS):
            self._draw.rectangle((left + begin, top, left + end - 1, lower), STANCE_COLOUR)
        self._draw_more((left, top, row[2], lower), rows, leg)
        for begin, end in [] if is_crowded else find_runs(rows.foot[leg] == STANDS):
            box = (left + begin, line, left + end - 1, line + thin - 1)
            self._draw.rectangle(box, FOOT_COLOUR)

    def _draw_wave(self, row: Box, rows: Rows, leg: int) -> None:
        """The activity of an oscillator, with dotted boxes where its leg steps."""
        left, top, right, bottom = row
        image = Pillow.new("RGB", (FINE * (right - left), FINE * (bottom - top)), PAPER)
        draw = ImageDraw.Draw(image)
        low, high = (FINE * share * (bottom - top) for share in WAVE[::-1])
        y = low + (high - low) * rows.activity[leg]
        for begin, end in find_runs(np.isfinite(y)):
            x = FINE * (np.arange(begin, end) + 0.5)
            points = [*zip(x.tolist(), y[begin:end].tolist(), strict=True)]
            draw.line(points, WAVE_COLOUR, 4, joint="curve")
        small = image.resize((right - left, bottom - top), Pillow.Resampling.BOX)
        self._sheet.paste(small, (left, top))
        for begin, end in find_runs(rows.told[leg] == STEPS):
            self._dot_box((left + begin, top + 1, left + end - 1, bottom - 2))

    def _dot_box(self, box: Box) -> None:
        left, top, right, bottom = box
        across, down = range(left, right + 1, 3), range(top, bottom + 1, 3)
        self._draw.point([(x, y) for x in across for y in (top, bottom)], INK)
        self._draw.point([(x, y) for y in down for x in (left, right)], INK)


class ClimbPanel(StepPanel):
    """The same of a climber: which steps search a foothold, which legs wait to, and which are loose
    (Cenydd 2012 section 6)."""

    names = ("stance", "step", "search", "waits", "loose", "foot holds")

    def _draw_key(self, box: Box, entry: int) -> None:
        super()._draw_key(box, {0: 0, 1: 1}.get(entry, 2))
        if 2 <= entry < len(self.names) - 1:
            self._draw.rectangle(box, CLIMB_COLOURS[entry], EDGE)

    def _draw_more(self, row: Box, rows: Rows, leg: int) -> None:
        left, top, _, lower = row
        assert rows.state is not None
        for state, colour in CLIMB_COLOURS.items():
            for begin, end in find_runs(rows.state[leg] == state):
                self._draw.rectangle((left + begin, top, left + end - 1, lower), colour)


def sort_legs(names: list[str]) -> list[int]:
    """Left ones first, on each side from the front."""
    return sorted(range(len(names)), key=lambda leg: (names[leg][0], int(names[leg][1:])))


def find_runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where a row is true: first column of each run, and the one behind its last."""
    edges = np.flatnonzero(np.diff(mask.astype(int), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
