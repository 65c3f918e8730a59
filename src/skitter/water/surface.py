"""The water as creatures meet it during a frame: how high it stands where they are."""

from functools import cache
from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel

NO_WATER = -1e9  # cm, a surface below everything


class WaterSurface(NamedTuple):
    """The surface as of the start of a frame; it does not change while creatures move."""

    height: np.ndarray  # [x, z] cm, y of the surface at the middles of cells; of the bed if dry
    origin: np.ndarray  # [2] cm, x and z of the middle of cell 0, 0
    cell: float  # cm
    beyond: float  # cm, y of the surface beyond the grid, or NO_WATER
    density: float  # g/cm³; 0 where there is no water at all


@cache
def build_no_water() -> WaterSurface:
    """A world without water."""
    return WaterSurface(np.zeros((0, 0)), np.zeros(2), 1.0, NO_WATER, 0.0)


def build_still_water(level: float, density: float) -> WaterSurface:
    """Water that stands at one level everywhere."""
    return WaterSurface(np.zeros((0, 0)), np.zeros(2), 1.0, level, density)


@inlined
def surface_at(water, x, z):
    """Height of the surface at a place, between the middles of cells by straight lines."""
    rows, columns = water.height.shape
    if rows < 2 or columns < 2:
        return water.beyond
    a = (x - water.origin[0]) / water.cell
    b = (z - water.origin[1]) / water.cell
    if not (-0.5 <= a <= rows - 0.5 and -0.5 <= b <= columns - 0.5):
        return water.beyond
    i = min(max(int(np.floor(a)), 0), rows - 2)
    j = min(max(int(np.floor(b)), 0), columns - 2)
    a, b = min(max(a - i, 0.0), 1.0), min(max(b - j, 0.0), 1.0)
    h = water.height
    near = h[i, j] + b * (h[i, j + 1] - h[i, j])
    far = h[i + 1, j] + b * (h[i + 1, j + 1] - h[i + 1, j])
    return near + a * (far - near)


@kernel
def find_surface(water, x, z):
    """`surface_at`, for callers outside kernels."""
    return surface_at(water, x, z)
