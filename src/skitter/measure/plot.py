"""Small plots of what was measured: curves, bars or heat maps, with the bounds that decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

PAPER, INK, FAINT, BOUND = "#fbfaf7", "#2a2c2f", "#c9c7c1", "#c0392b"
COLOURS = (
    "#3f86c0", "#e2632f", "#4f9d69", "#9a6fc4", "#b8860b",
    "#37434f", "#d17ba8", "#5fb3b3", "#8c564b",
)  # fmt: skip
DIVERGING = ("#2b5c9e", "#8fb3d9", "#f7f5ef", "#e8a08a", "#b3361f")  # below zero, zero, above
HEAT = ("#1d2f4f", "#2f6f8f", "#58a88a", "#c9c55e", "#f2f0c8")  # low to high
SIZE = (760, 420)
TEXT = 13  # pixels
CEILING = 1.6  # of the highest bound, where a bar or a curve far beyond it ends
ROW = 24  # pixels of a bar and the gap below it


class Plot(Protocol):
    """Writes a PNG."""

    def __call__(self, path: Path, *, title: str) -> None: ...


@dataclass(frozen=True)
class Curve:
    """Points of a plot, in the units of its axes."""

    label: str
    x: np.ndarray | Sequence[float]
    y: np.ndarray | Sequence[float]
    dots: bool = False  # instead of a line: for points in no order


class Sheet:
    """A picture with a title; the frame is where the data go."""

    def __init__(self, title: str, size: tuple[int, int], margin: tuple[int, int, int, int]):
        from PIL import Image, ImageDraw, ImageFont

        self.image = Image.new("RGB", size, PAPER)
        self.draw = ImageDraw.Draw(self.image)
        self.font = ImageFont.load_default(size=TEXT)
        left, top, right, bottom = margin
        self.frame = (left, top, size[0] - right, size[1] - bottom)
        self.write((left, 12), title, anchor="la")

    def write(self, at: tuple[float, float], text: str, *, anchor: str, fill: str = INK) -> None:
        self.draw.text(at, text, fill, self.font, anchor=anchor)

    def line(self, points: Sequence[tuple[float, float]], fill: str, width: int = 1) -> None:
        self.draw.line(points, fill, width)

    def dot(self, at: tuple[float, float], fill: str) -> None:
        self.draw.rectangle((at[0] - 1, at[1] - 1, at[0] + 1, at[1] + 1), fill)

    def paste(
        self,
        values: np.ndarray,
        low: float,
        high: float,
        box: tuple[int, int, int, int],
        colours: Sequence[str] = HEAT,
    ) -> None:
        """Values [row, column], downwards, as colours over a box, with straight lines between."""
        from PIL import Image

        stops = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours], float)
        share = np.clip((np.nan_to_num(values, nan=low) - low) / (high - low), 0, 1)
        size = (box[2] - box[0], box[3] - box[1])
        smooth = Image.fromarray(share.astype(np.float32)).resize(size, Image.Resampling.BILINEAR)
        place = np.asarray(smooth) * (len(stops) - 1)
        known = np.arange(len(stops))
        rgb = np.stack([np.interp(place, known, stops[:, k]) for k in range(3)], axis=-1)
        self.image.paste(Image.fromarray(rgb.round().astype(np.uint8)), box[:2])

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.image.save(path)


@dataclass(frozen=True)
class Scale:
    """Where numbers lie between two ends of an axis, pixels."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def choose_ticks(self, count: int = 5) -> np.ndarray:
        """Round numbers, about so many."""
        span = (self.high - self.low) * 0.999
        power = 10.0 ** np.floor(np.log10(span / count))
        step = power * next(k for k in (1, 2, 5, 10) if k * power * count >= span)
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return np.arange(first, last + 1) * step + 0.0  # no negative zero


def find_range(parts: Sequence[np.ndarray], bounds: Sequence[float] = ()) -> tuple[float, float]:
    """The least and the largest number, never the same; with bounds, also zero."""
    values = np.concatenate([*parts, np.asarray(bounds, float), np.zeros(min(len(bounds), 1))])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return (low, high) if high > low else (low, low + 1.0)


def write_curves(
    path: Path,
    *,
    title: str,
    curves: Sequence[Curve],
    labels: tuple[str, str],
    bounds: Sequence[float] = (),
) -> None:
    """Curves over an axis; `labels` are those of x and y. Gaps where a number is unknown."""
    sheet = Sheet(title, SIZE, (70, 40, 150, 50))
    left, top, right, bottom = sheet.frame
    x = Scale(*find_range([np.asarray(one.x, float) for one in curves]), left, right)
    y = Scale(*find_range([np.asarray(one.y, float) for one in curves], bounds), bottom, top)
    draw_axes(sheet, x, y, labels)
    for bound in bounds:
        sheet.line([(left, y.place(bound)), (right, y.place(bound))], BOUND, 2)
    for number, curve in enumerate(curves):
        colour, down = COLOURS[number % len(COLOURS)], top + 1.5 * TEXT * number
        draw_curve(sheet, curve, x, y, colour)
        sheet.write((right + 8, down), curve.label, anchor="la", fill=colour)
    sheet.save(path)


def draw_axes(sheet: Sheet, x: Scale, y: Scale, labels: tuple[str, str]) -> None:
    """Ticks, and lines across at those of y."""
    left, _, right, bottom = sheet.frame
    for tick in x.choose_ticks():
        sheet.write((x.place(tick), bottom + 6), f"{tick:.4g}", anchor="ma")
    for tick in y.choose_ticks():
        sheet.line([(left, y.place(tick)), (right, y.place(tick))], FAINT)
        sheet.write((left - 6, y.place(tick)), f"{tick:.4g}", anchor="rm")
    sheet.write(((left + right) / 2, bottom + 26), labels[0], anchor="ma")
    sheet.write((right, 12), labels[1], anchor="ra")


def draw_curve(sheet: Sheet, curve: Curve, x: Scale, y: Scale, colour: str) -> None:
    """Lines between neighbours that are known, or dots."""
    pairs = np.column_stack([np.asarray(curve.x, float), np.asarray(curve.y, float)])
    is_known = np.isfinite(pairs).all(axis=1)
    if curve.dots:
        for a, b in pairs[is_known].tolist():
            sheet.dot((x.place(a), y.place(b)), colour)
        return
    for part in np.split(np.arange(len(pairs)), np.flatnonzero(~is_known)):
        points = [(x.place(a), y.place(b)) for a, b in pairs[part[is_known[part]]].tolist()]
        sheet.line(points, colour, 2)


def write_heat_map(
    path: Path,
    *,
    title: str,
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,  # [y, x], over even axes
    labels: tuple[str, str],
    unit: str,
    curves: Sequence[Curve] = (),
) -> None:
    """Values over a plane as colours, with a scale beside it and curves on top."""
    sheet = Sheet(title, SIZE, (70, 40, 150, 50))
    left, top, right, bottom = sheet.frame
    across = Scale(float(x[0]), float(x[-1]), left, right)
    up = Scale(float(y[0]), float(y[-1]), bottom, top)
    low, high = find_range([np.asarray(values, float).ravel()])
    draw_axes(sheet, across, up, labels)
    sheet.paste(np.asarray(values)[::-1], low, high, sheet.frame)
    for number, curve in enumerate(curves):
        colour = (PAPER, *COLOURS[1:])[number % len(COLOURS)]
        draw_curve(sheet, curve, across, up, colour)
        named = INK if colour == PAPER else colour
        sheet.write((right + 52, top + 1.5 * TEXT * number), curve.label, anchor="la", fill=named)
    draw_heat_scale(sheet, low, high, unit)
    sheet.save(path)


def draw_heat_scale(
    sheet: Sheet, low: float, high: float, unit: str, colours: Sequence[str] = HEAT
) -> None:
    """The colours of a heat map and their values."""
    _, top, right, bottom = sheet.frame
    place = Scale(low, high, bottom, top + 80)
    box = (right + 12, top + 80, right + 28, bottom)
    sheet.paste(np.linspace(high, low, 64)[:, None], low, high, box, colours)
    for tick in place.choose_ticks():
        sheet.write((right + 34, place.place(tick)), f"{tick:.4g}", anchor="lm")
    sheet.write((right + 12, bottom + 8), unit, anchor="la")


def write_bars(
    path: Path,
    *,
    title: str,
    values: Mapping[str, float],
    label: str,
    bounds: Sequence[float] = (),
) -> None:
    """A bar for each number, its name before and the number behind it."""
    sheet = Sheet(title, (SIZE[0], 70 + ROW * len(values)), (300, 40, 110, 30))
    left, top, right, bottom = sheet.frame
    known = [abs(x) for x in values.values() if np.isfinite(x)]
    most = max([*known, *map(abs, bounds)], default=0.0) or 1.0
    if bounds and max(map(abs, bounds)) > 0:
        most = min(most, CEILING * max(map(abs, bounds)))
    for k, (name, value) in enumerate(values.items()):
        y = top + ROW * k
        share = min(abs(value), most) / most if np.isfinite(value) else 1.0
        end = left + share * (right - left)
        sheet.draw.rectangle((left, y + 4, max(end, left + 1), y + ROW - 4), COLOURS[0])
        sheet.write((left - 8, y + ROW / 2), name, anchor="rm")
        sheet.write((end + 8, y + ROW / 2), f"{value:.3g}", anchor="lm")
    for bound in bounds:
        x = left + abs(bound) / most * (right - left)
        sheet.line([(x, top - 4), (x, bottom)], BOUND, 2)
    sheet.write((right, bottom + 8), label, anchor="ra")
    sheet.save(path)
