"""How fine the top of the water is drawn: fewer points far off, more of them where it is seen."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from skitter.look.water.sheet import Sheet

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
REFINED_WET = 0.02  # share of wet neighbours that makes a place between two cells wet
NEAR_SHARE = 0.6  # of all points, those that are spent on cells near the middle


def thin_sheet(sheet: Sheet, most: int) -> Sheet:
    """Means of neighbouring cells, so that there are at most so many along an edge."""
    every = -(-max(sheet.height.shape) // most)
    return average_cells(sheet, [np.arange(0, n, every) for n in sheet.height.shape])


def thin_around(sheet: Sheet, most: int, middle: Floats) -> Sheet:
    """At most so many points along an edge: all cells near a place, and means of those far off."""
    lines, places = (sheet.x, sheet.z), (middle[0], middle[2])
    return average_cells(
        sheet, [choose_starts(line, most, place) for line, place in zip(lines, places, strict=True)]
    )


def choose_starts(line: Floats, most: int, place: float) -> Ints:
    """Where groups of cells begin; as many of them wherever the place is."""
    if len(line) <= most:
        return np.arange(len(line))
    every = 2
    while True:
        dense = int(NEAR_SHARE * most) // every * every
        if dense + -(-(len(line) - dense) // every) <= most or every > len(line):
            break
        every += 1
    at = int(np.searchsorted(line, place)) - dense // 2
    first = int(np.clip(at, 0, len(line) - dense)) // every * every
    coarse = np.arange(first, len(line), every)
    fine = np.arange(first, first + dense)
    return np.concatenate([np.arange(0, first, every), fine, coarse[coarse >= first + dense]])


def average_cells(sheet: Sheet, starts: list[Ints]) -> Sheet:
    """Means of groups of cells that begin at some lines along x and z."""
    counts = sheet.height.shape
    if all(len(first) == n for first, n in zip(starts, counts, strict=True)):
        return sheet
    sizes = [np.diff(np.append(first, n)) for first, n in zip(starts, counts, strict=True)]
    x, z = (
        np.add.reduceat(line, first) / size
        for line, first, size in zip((sheet.x, sheet.z), starts, sizes, strict=True)
    )
    wet = _sum_blocks(sheet.is_wet.astype(float), starts)
    total = _sum_blocks(np.where(sheet.is_wet, sheet.height, 0.0), starts)
    dry = _sum_blocks(sheet.height, starts) / (sizes[0][:, None] * sizes[1])
    height = np.where(wet > 0, total / np.maximum(wet, 1.0), dry)
    return replace(sheet, x=x, z=z, height=height, is_wet=wet > 0)


def _sum_blocks(values: Floats, starts: list[Ints]) -> Floats:
    return np.asarray(np.add.reduceat(np.add.reduceat(values, starts[0], 0), starts[1], 1))


def refine_sheet(sheet: Sheet, most: int) -> Sheet:
    """The same waves on a finer grid, rounded by cubic splines, so that no facet shows."""
    times = most // max(sheet.height.shape)
    if times <= 1:
        return sheet
    counts = [(n - 1) * times + 1 for n in sheet.height.shape]
    zoom = [count / n for count, n in zip(counts, sheet.height.shape, strict=True)]
    height = ndimage.zoom(sheet.height, zoom, order=3, mode="nearest")
    wet = ndimage.zoom(sheet.is_wet.astype(float), zoom, order=1, mode="nearest")
    x, z = (
        np.linspace(line[0], line[-1], count)
        for line, count in zip((sheet.x, sheet.z), counts, strict=True)
    )
    return replace(sheet, x=x, z=z, height=height, is_wet=wet > REFINED_WET)
