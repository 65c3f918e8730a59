"""Kymographs: the curvature of a body over time as colours, its head at the top."""

from pathlib import Path

import numpy as np

from skitter.measure.plot import DIVERGING, SIZE, Scale, Sheet, draw_axes, draw_heat_scale
from skitter.measure.wave import cut
from skitter.measure.worm import Track


def find_kymograph(track: Track) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Even times [column], s, places from the head [row], of the length, and curvature times length
    [row, column], positive towards dorsal. All of the track, what is not known bridged over."""
    curvature, places = track.curvature
    known = np.isfinite(curvature).all(axis=1)
    if known.sum() < 2:
        return np.zeros(0), places, np.zeros((len(places), 0))
    time = track.time[known]
    even = np.linspace(time[0], time[-1], len(track.time))
    return even, places, np.stack([np.interp(even, time, row) for row in curvature[known].T])


def write_kymograph(path: Path, *, title: str, track: Track) -> None:
    """A PNG: time to the right, the body downwards from its head, blue where it bends towards
    ventral and red where towards dorsal."""
    time, _, values = find_kymograph(track)
    if len(time) == 0:
        return
    sheet = Sheet(title, SIZE, (70, 40, 150, 50))
    left, top, right, bottom = sheet.frame
    shown = cut(values)
    most = float(np.abs(shown).max()) or 1.0
    across = Scale(float(time[0]), float(time[-1]), left, right)
    down = Scale(0.0, 1.0, top, bottom)
    draw_axes(sheet, across, down, ("time, s", "place from the head, of the length"))
    # ends of the body have no curvature: that of their neighbours is shown
    whole = np.pad(shown, ((1, 1), (0, 0)), mode="edge")
    sheet.paste(whole, -most, most, sheet.frame, DIVERGING)
    draw_heat_scale(sheet, -most, most, "length/radius", DIVERGING)
    for row, (word, colour) in enumerate((("dorsal", DIVERGING[-1]), ("ventral", DIVERGING[0]))):
        sheet.write((right + 12, top + 20 * row), word, anchor="la", fill=colour)
    sheet.save(path)
