"""Where water meets land: the ground below it, and an edge without spikes."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from scipy import ndimage

from skitter.look.water.recorded import Water
from skitter.look.water.sheet import SHORE_CELLS, Sheet, carry_on
from skitter.scene.spec import AnyTerrain
from skitter.terrain import Terrain, build_terrain

Floats = NDArray[np.floating]
FILM, SHALLOW = 0.12, 0.8  # cm: water that is left out near land, and up to which it is smoothed
CALM_CELLS = 8  # how far smooth water goes on
CALM_BLUR = 2.0  # cells, by which it is smoothed
BED_POINTS = 96  # along an edge of the grid, at which the ground below is asked for its height


def calm_shore(grid: Sheet, bed: Floats) -> Sheet:
    """The grid without the film that waves leave on land, its shallow water smooth.

    A film follows the ground cell by cell, so that its edge would be a row of spikes. Water that is
    smooth, and goes on level into the land, meets the ground along a clean line instead.
    """
    depth = grid.height - bed
    is_deep = grid.is_wet & (depth > FILM)
    if is_deep.all() or not is_deep.any():
        return grid
    known = np.where(is_deep, grid.height, np.nan)
    height = carry_on(known, float(np.nanmedian(known)), cells=CALM_CELLS)
    far = ndimage.distance_transform_edt(is_deep)
    share = np.clip(np.maximum(1 - (depth - FILM) / (SHALLOW - FILM), 1.3 - far / CALM_CELLS), 0, 1)
    weight = np.where(is_deep, np.clip(depth / SHALLOW, 0.05, 1), 0.02)
    total = ndimage.gaussian_filter(weight * height, CALM_BLUR, mode="nearest")
    smooth = total / ndimage.gaussian_filter(weight, CALM_BLUR, mode="nearest")
    share = ndimage.gaussian_filter(share, 1.0, mode="nearest")
    return replace(grid, height=(1 - share) * height + share * smooth, is_wet=is_deep)


def reach_shore(grid: Sheet, bed: Floats, slack: float) -> Sheet:
    """The grid with the land beside the water counted as wet, so that its edge lies in the ground.

    Land counts as far as heights are carried on, and where its bed [nx, nz] is not lower than the
    water by more than a slack: behind a dam it stays dry.
    """
    if grid.is_wet.all():
        return grid
    near = ndimage.binary_dilation(grid.is_wet, np.ones((3, 3), bool), iterations=SHORE_CELLS)
    return replace(grid, is_wet=grid.is_wet | (near & (bed > grid.height - slack)))


class Bed:
    """The ground below the water, asked for its height at some places and remembered."""

    def __init__(self, terrain: Terrain, water: Water) -> None:
        self._terrain, self._lowest = terrain, water.level - water.depth
        self._low: Floats = np.zeros(2)
        self._high: Floats = np.zeros(2)
        self._known: Floats = np.zeros((1, 1))

    def under(self, sheet: Sheet, grid: Sheet) -> Floats:
        """Height under all points of a sheet [nx, nz], cm; beyond a grid, as at its edge."""
        if not (np.array_equal(self._low, grid.low) and np.array_equal(self._high, grid.high)):
            self._low, self._high = grid.low, grid.high
            self._known = self._ask()
        places = [
            np.clip((line - low) / (high - low), 0, 1) * (BED_POINTS - 1)
            for line, low, high in zip((sheet.x, sheet.z), self._low, self._high, strict=True)
        ]
        across = np.meshgrid(*places, indexing="ij")
        return np.asarray(ndimage.map_coordinates(self._known, across, order=1, mode="nearest"))

    def _ask(self) -> Floats:
        lines = [np.linspace(a, b, BED_POINTS) for a, b in zip(self._low, self._high, strict=True)]
        x, z = (one.ravel() for one in np.meshgrid(*lines, indexing="ij"))
        height = self._terrain.height(x, z).reshape(BED_POINTS, BED_POINTS)
        return np.asarray(np.maximum(height, self._lowest))


def open_bed(terrain: list[dict[str, Any]], water: Water) -> Bed:
    """The ground below the water of a scene with some pieces of terrain."""
    return Bed(build_terrain(TypeAdapter(list[AnyTerrain]).validate_python(terrain)), water)
