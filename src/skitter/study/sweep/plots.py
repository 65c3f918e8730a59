"""Pictures of a sweep: a measure as a heat map over two parameters, or as lines with their spread.

What is not shown is averaged: a cell is a mean over all seeds and all other parameters, a band
about a line one standard deviation of them.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.measure.plot import (
    COLOURS,
    FAINT,
    HEAT,
    PAPER,
    SIZE,
    TEXT,
    Scale,
    Sheet,
    draw_heat_scale,
    find_range,
)
from skitter.scene.describe import quote, suggest
from skitter.study.sweep.grid import Axis, Grid
from skitter.study.sweep.spec import SAMPLE
from skitter.study.sweep.store import Results

PLOTS = "plots"
PLOTS_MOST = 12  # pictures that a sweep draws by itself
LINES_MOST = 4  # values of a second parameter that are drawn as lines, not as a map
LABELS_MOST = 8  # along an axis
LABEL = 18  # characters
MARGIN = (70, 40, 150, 50)
BAND = 0.22  # of a colour, the rest paper


@dataclass(frozen=True)
class View:
    """Which parameters a picture shows."""

    x: Axis
    y: Axis | None = None  # of a heat map
    lines: Axis | None = None


def write_plots(results: Results, folder: Path) -> list[str]:
    """A picture of each measure as the sweep would choose it; the names of the files."""
    names = []
    for id in results.measures[:PLOTS_MOST]:
        name = f"{PLOTS}/{results.shorten(id)}.png"
        write_plot(results, folder / name, measure=id)
        names.append(name)
    return names


def write_plot(
    results: Results,
    path: Path,
    *,
    measure: str | None = None,
    x: str | None = None,
    y: str | None = None,
    lines: str | None = None,
) -> None:
    """One measure, the first if none is named, over parameters by name or path."""
    id = find_id(results, measure)
    view = choose_view(results.grid, x=x, y=y, lines=lines)
    values = results.gather(id)
    sheet = Sheet(describe_title(results, id, view), SIZE, MARGIN)
    if view.y is not None:
        draw_map(sheet, results, view, values, results.find_unit(id))
    else:
        draw_lines(sheet, results.grid, view, values, results.find_unit(id))
    sheet.save(path)


def find_id(results: Results, given: str | None) -> str:
    """The full id of a measure; the first where none is given."""
    if not results.measures:
        raise UserError("the sweep has no measures yet; valid: one with a finished point")
    if given is None:
        return results.measures[0]
    known = {results.shorten(id): id for id in results.measures}
    if given in known:
        return known[given]
    if given in results.measures:
        return given
    raise UserError(
        f"--measure {given}: is not in the sweep; {suggest(given, known)}valid: {', '.join(known)}"
    )


def choose_view(grid: Grid, *, x: str | None, y: str | None, lines: str | None) -> View:
    """What was asked for; where nothing was, two parameters as a map, or the second as lines."""
    if y is not None and lines is not None:
        raise UserError("--y and --lines exclude each other; valid: a heat map or lines")
    named = {key: find_axis(grid, key, given) for key, given in (("y", y), ("lines", lines))}
    taken = [axis for axis in named.values() if axis is not None]
    free = [axis for axis in grid.axes if axis not in taken and not axis.drawn]
    across = find_axis(grid, "x", x) or next(iter([*free, *grid.axes]))
    if across in taken:
        raise UserError(f"{quote(across.name)} is asked for twice; valid: each parameter once")
    if x is None and not taken and len(free) > 1:
        named["lines" if len(free[1].values) <= LINES_MOST else "y"] = free[1]
    if named["y"] is not None and (across.drawn or named["y"].drawn):
        raise UserError("a heat map needs parameters of the grid; valid: --x alone for drawn ones")
    if named["lines"] is not None and named["lines"].drawn:
        raise UserError(f"--lines {lines}: is drawn; valid: a parameter of the grid")
    return View(across, named["y"], named["lines"])


def find_axis(grid: Grid, option: str, given: str | None) -> Axis | None:
    if given is None:
        return None
    found = next((axis for axis in grid.axes if given in (axis.name, axis.path)), None)
    if found is None:
        names = [axis.name for axis in grid.axes]
        raise UserError(
            f"--{option} {given}: is no parameter of the sweep; {suggest(given, names)}valid:"
            f" {', '.join(names)}"
        )
    return found


def describe_title(results: Results, id: str, view: View) -> str:
    """The measure, its unit, and over what it is averaged."""
    shown = {SAMPLE if one.drawn else one.name for one in (view.x, view.y, view.lines) if one}
    sizes = zip(results.grid.dims, results.grid.shape, strict=True)
    rest = [f"{size} {name}s" for name, size in sizes if name not in shown and size > 1]
    means = f", mean of {' and '.join(rest)}" if rest else ""
    return f"{results.shorten(id)}, {results.find_unit(id)}{means}"


def average(grid: Grid, values: np.ndarray, kept: Sequence[Axis]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over all other dimensions, in the order of those kept."""
    places = [grid.dims.index(SAMPLE if axis.drawn else axis.name) for axis in kept]
    others = [k for k in range(values.ndim) if k not in places]
    flat = values.transpose(*places, *others).reshape(*(values.shape[k] for k in places), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where all have failed there is no mean
        return np.nanmean(flat, axis=-1), np.nanstd(flat, axis=-1)


def draw_map(sheet: Sheet, results: Results, view: View, values: np.ndarray, unit: str) -> None:
    """A cell for each pair of values; grey where none came to a good end."""
    assert view.y is not None
    means, _ = average(results.grid, values, (view.y, view.x))
    left, top, right, bottom = sheet.frame
    across = np.linspace(left, right, means.shape[1] + 1)
    up = np.linspace(bottom, top, means.shape[0] + 1)
    low, high = find_range([means.ravel()])
    x, y = across.tolist(), up.tolist()
    for row, column in np.ndindex(means.shape):
        box = (x[column], y[row + 1], x[column + 1], y[row])
        value = float(means[row, column])
        colour = FAINT if np.isnan(value) else pick_colour((value - low) / (high - low))
        sheet.draw.rectangle(box, colour)
    draw_labels(sheet, view.x.values, (across[1:] + across[:-1]) / 2, is_down=False)
    draw_labels(sheet, view.y.values, (up[1:] + up[:-1]) / 2, is_down=True)
    sheet.write(((left + right) / 2, bottom + 26), view.x.name, anchor="ma")
    sheet.write((right, 21), view.y.name, anchor="ra")
    draw_heat_scale(sheet, low, high, unit)


def pick_colour(share: float) -> str:
    """The colour of a heat map at a share of its range."""
    stops = np.array([[int(one[k : k + 2], 16) for k in (1, 3, 5)] for one in HEAT], float)
    place = np.clip(share, 0, 1) * (len(stops) - 1)
    rgb = [np.interp(place, np.arange(len(stops)), stops[:, k]) for k in range(3)]
    return "#" + "".join(f"{round(one):02x}" for one in rgb)


def draw_labels(sheet: Sheet, values: Sequence[Any], places: np.ndarray, *, is_down: bool) -> None:
    """Values along an axis, not too many of them."""
    left, _, _, bottom = sheet.frame
    each = -(-len(values) // LABELS_MOST)
    for value, place in list(zip(values, places.tolist(), strict=True))[::each]:
        at = (left - 6, place) if is_down else (place, bottom + 6)
        sheet.write(at, format_value(value), anchor="rm" if is_down else "ma")


def format_value(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LABEL else f"…{text[1 - LABEL :]}"


def draw_lines(sheet: Sheet, grid: Grid, view: View, values: np.ndarray, unit: str) -> None:
    """A line for each value of a second parameter, with a band; dots where x is drawn."""
    kept = (view.lines, view.x) if view.lines is not None else (view.x,)
    means, spreads = (np.atleast_2d(one) for one in average(grid, values, kept))
    left, top, right, bottom = sheet.frame
    x = place_along(view.x)
    across = Scale(*find_range([x]), left, right)
    up = Scale(*find_range([(means - spreads).ravel(), (means + spreads).ravel()]), bottom, top)
    for tick in up.choose_ticks():
        sheet.line([(left, up.place(tick)), (right, up.place(tick))], FAINT)
        sheet.write((left - 6, up.place(tick)), f"{tick:.4g}", anchor="rm")
    order = np.argsort(x)
    places = np.array([across.place(one) for one in x[order].tolist()])
    draw_labels(sheet, [view.x.values[k] for k in order], places, is_down=False)
    sheet.write(((left + right) / 2, bottom + 26), view.x.name, anchor="ma")
    sheet.write((right, 21), unit, anchor="ra")
    for number in range(len(means)):
        draw_band(sheet, places, up, means[number][order], spreads[number][order], number)
    for number in range(len(means)):
        draw_line(sheet, places, up, means[number][order], number, dots=view.x.drawn)
        if view.lines is not None:
            at = (right + 8, top + 1.5 * TEXT * (number + 1))
            colour = COLOURS[number % len(COLOURS)]
            sheet.write(at, format_value(view.lines.values[number]), anchor="la", fill=colour)
    if view.lines is not None:
        sheet.write((right + 8, top), view.lines.name, anchor="la")


def place_along(axis: Axis) -> np.ndarray:
    """Where values lie along an axis: by number, by its logarithm, or one after the other."""
    if not axis.numeric:
        return np.arange(len(axis.values), dtype=float)
    numbers = np.array(axis.values, float)
    return np.log10(numbers) if axis.log else numbers


def list_runs(known: np.ndarray) -> list[np.ndarray]:
    """Places of neighbours that are all known."""
    parts = np.split(np.arange(len(known)), np.flatnonzero(np.diff(known.astype(int))) + 1)
    return [part for part in parts if known[part].all()]


def draw_band(
    sheet: Sheet, places: np.ndarray, up: Scale, means: np.ndarray, spreads: np.ndarray, number: int
) -> None:
    """One standard deviation to both sides."""
    colour = mix(COLOURS[number % len(COLOURS)], BAND)
    for part in list_runs(np.isfinite(means)):
        upper = [(places[k], up.place(float(means[k] + spreads[k]))) for k in part]
        lower = [(places[k], up.place(float(means[k] - spreads[k]))) for k in part[::-1]]
        if len(part) > 1 and spreads[part].any():
            sheet.draw.polygon([*upper, *lower], colour)
        elif spreads[part].any():
            sheet.line([upper[0], lower[0]], colour, 3)


def draw_line(
    sheet: Sheet, places: np.ndarray, up: Scale, means: np.ndarray, number: int, *, dots: bool
) -> None:
    colour = COLOURS[number % len(COLOURS)]
    for part in list_runs(np.isfinite(means)):
        points = [(float(places[k]), up.place(float(means[k]))) for k in part]
        for point in points:
            sheet.dot(point, colour)
        if len(points) > 1 and not dots:
            sheet.line(points, colour, 2)


def mix(colour: str, share: float) -> str:
    """A colour thinned with paper."""
    pairs = [(int(colour[k : k + 2], 16), int(PAPER[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


def summarize(results: Results) -> dict[str, dict[str, Any]]:
    """The range of each measure over all points, by its short name."""
    found = {}
    for id in results.measures:
        values = results.gather(id)
        known = values[np.isfinite(values)]
        least, mean, most = (
            (float(known.min()), float(known.mean()), float(known.max()))
            if len(known)
            else (None, None, None)
        )
        row = {"least": least, "mean": mean, "most": most, "points": len(known)}
        found[results.shorten(id)] = {**row, "unit": results.find_unit(id)}
    return found
