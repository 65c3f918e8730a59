"""What panels of legs over time share: a title, a legend, rows, and ticks of time below."""

from dataclasses import dataclass

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

Box = tuple[int, int, int, int]  # left, top, right, bottom, pixels
PAPER, INK, FAINT = "#fbfaf7", "#2a2c2f", "#8b8d90"


@dataclass(frozen=True)
class Span:
    """What is shown of time, s."""

    start: float
    end: float


class Panel:
    """A part of a sheet that shows one creature."""

    names: tuple[str, ...]  # of the legend

    def __init__(self, sheet: Pillow.Image, box: Box) -> None:
        self._sheet = sheet
        self._draw = ImageDraw.Draw(sheet)
        left, top, right, bottom = box
        self._unit = unit = int(np.clip(min(right - left, 1.6 * (bottom - top)) / 70, 9, 16))
        self._font = ImageFont.load_default(size=unit)
        self._title = ImageFont.load_default(size=round(1.35 * unit))
        self._left, self._top = left + unit, top + unit
        narrow = self._legend_width() + 12 * unit > right - left
        head = 5.2 if narrow else 3.2  # a narrow panel has its legend below its title
        self._legend_top = self._top + (round(2.1 * unit) if narrow else 0)
        self._legend_left = self._left if narrow else right - unit - self._legend_width()
        self._plot = (
            left + round(4.6 * unit),
            top + round(head * unit),
            right - round(1.6 * unit),
            bottom - round(3.2 * unit),
        )

    def _draw_head(self, title: str) -> None:
        self._draw.text((self._left, self._top), title, INK, self._title)
        self._draw_legend()

    def _legend_width(self) -> int:
        return sum(self._entry_width(name) for name in self.names) - self._unit

    def _entry_width(self, name: str) -> int:
        return round(self._font.getlength(name) + 2.5 * self._unit)

    def _draw_legend(self) -> None:
        x, y, unit = self._legend_left, self._legend_top, self._unit
        middle = y + round(0.75 * unit)
        for entry, name in enumerate(self.names):
            self._draw_key((x, middle - unit // 2, x + unit - 1, middle + unit // 2), entry)
            self._draw.text((x + 1.4 * unit, middle), name, INK, self._font, anchor="lm")
            x += self._entry_width(name)

    def _draw_key(self, box: Box, entry: int) -> None:
        """How an entry of the legend looks."""
        raise NotImplementedError

    def _write_upwards(self, text: str, x: int, y: int) -> None:
        width, height = round(self._font.getlength(text)) + 2, round(1.4 * self._unit)
        strip = Pillow.new("RGB", (width, height), PAPER)
        ImageDraw.Draw(strip).text((1, height / 2), text, INK, self._font, anchor="lm")
        turned = strip.transpose(Pillow.Transpose.ROTATE_90)
        self._sheet.paste(turned, (x, y - width // 2))

    def _draw_time(self, span: Span) -> None:
        """Ticks at round times below the rows."""
        left, _, right, bottom = self._plot
        step = nice_step((span.end - span.start) / max((right - left) / (7 * self._unit), 1))
        first = int(np.ceil(span.start / step - 1e-6))
        for k in range(first, int(np.floor(span.end / step + 1e-6)) + 1):
            x = left + (k * step - span.start) / (span.end - span.start) * (right - left)
            self._draw.line((x, bottom + 2, x, bottom + 2 + self._unit // 3), FAINT)
            place = (x, bottom + 0.7 * self._unit)
            self._draw.text(place, f"{k * step:g} s", FAINT, self._font, anchor="ma")


def nice_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not less."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(s * power for s in (1, 2, 5, 10) if s * power >= least * (1 - 1e-9)))
