"""Height fields: hills and files become one fine grid of heights, and that a sheet of triangles.

The sheet is asked like any other mesh: the distance is exact, to the closest point and not straight
down. At the border of the grid an apron of long triangles goes on level to where nobody walks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from skitter.errors import UserError
from skitter.scene.spec import HeightfieldTerrain, Hill
from skitter.terrain.heights import load_heights
from skitter.terrain.logs import spread

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]

REACH = 4.0  # a hill ends so many widths from its top, where 0.03 % of its height is left
POINTS_PER_WIDTH = 6.0  # straight pieces are then within 0.4 % of the height of a hill
POINTS_LEAST, POINTS_MOST = 65, 301  # along a side
APRON = 1e5  # cm
HEIGHT_LIMIT = 1e5  # cm


@dataclass(frozen=True)
class HeightGrid:
    """Heights over a grid, cm, as seen from the field's `at`."""

    x: Floats  # [nx]
    z: Floats  # [nz]
    height: Floats  # [nx, nz]


def compute_grid(spec: HeightfieldTerrain) -> HeightGrid:
    """The heights of a field."""
    hills = [*spec.hills, *expand_hills(spec)]
    low, high = bound_field(spec, hills)
    table = None if spec.file is None else load_heights(spec.file, spec.sha256, spec.height)
    narrowest = min((min(hill.width) for hill in hills), default=np.inf)
    counts = [
        count_points(high[k] - low[k], narrowest, 0 if table is None else table.shape[1 - k])
        for k in (0, 1)
    ]
    x, z = (np.linspace(low[k], high[k], counts[k]) for k in (0, 1))
    height = np.zeros(counts) if table is None else resample(table, counts)
    for hill in hills:
        height += compute_hill(hill, x, z)
    if np.abs(height).max() > HEIGHT_LIMIT:
        raise UserError(
            f"a heightfield is {np.abs(height).max():.3g} cm high; valid: at most {HEIGHT_LIMIT:g}"
        )
    return HeightGrid(x, z, height)


def expand_hills(spec: HeightfieldTerrain) -> list[Hill]:
    """The random hills; the same for the same seed."""
    if spec.random is None:
        return []
    wish = spec.random
    draws = np.random.default_rng(wish.seed).random((wish.count, 6))
    place = (draws[:, :2] - 0.5) * np.array(wish.area)
    width = spread(draws[:, 2:4], wish.width)
    height, turn = spread(draws[:, 4], wish.height), 180 * draws[:, 5]
    return [
        Hill(at=tuple(place[k]), height=height[k], width=tuple(width[k]), turn_deg=turn[k])
        for k in range(wish.count)
    ]


def bound_field(spec: HeightfieldTerrain, hills: list[Hill]) -> tuple[Floats, Floats]:
    """Lowest and highest x, z of the grid."""
    if spec.size is not None:
        return -np.array(spec.size) / 2, np.array(spec.size) / 2
    at = np.array([hill.at for hill in hills])
    room = REACH * np.array([max(hill.width) for hill in hills])[:, None]
    return (at - room).min(axis=0), (at + room).max(axis=0)


def count_points(extent: float, narrowest: float, given: int) -> int:
    """Points along a side: enough for the narrowest hill, and for the file's numbers."""
    needed = max(POINTS_PER_WIDTH * extent / narrowest + 1, POINTS_LEAST)
    if given:  # a whole multiple of the file's spaces, so that its numbers are met
        pieces = int(np.ceil((needed - 1) / (given - 1)))
        needed = pieces * (given - 1) + 1
    return int(min(np.ceil(needed), POINTS_MOST))


def resample(table: Floats, counts: list[int]) -> Floats:
    """The table [z, x] at so many points along x and z, smooth and within its own bounds."""
    values = table.T
    share = [n / m for n, m in zip(values.shape, counts, strict=True)]
    coarser = [0.4 * s if s > 1 else 0.0 for s in share]  # what a coarse grid cannot hold
    smooth = gaussian_filter(values, coarser, mode="nearest") if any(coarser) else values
    lines = [np.linspace(0, n - 1, m) for n, m in zip(values.shape, counts, strict=True)]
    where = np.stack(np.meshgrid(*lines, indexing="ij"))
    found = map_coordinates(smooth, where, order=3 if min(values.shape) > 3 else 1, mode="nearest")
    return np.clip(found, values.min(), values.max())


def compute_hill(hill: Hill, x: Floats, z: Floats) -> Floats:
    """Heights [nx, nz] of a Gaussian hill."""
    dx, dz = x[:, None] - hill.at[0], z[None] - hill.at[1]
    c, s = np.cos(np.radians(hill.turn_deg)), np.sin(np.radians(hill.turn_deg))
    along, across = (c * dx - s * dz) / hill.width[0], (s * dx + c * dz) / hill.width[1]
    return hill.height * np.exp(-(along * along + across * across) / 2)


def build_sheet(grid: HeightGrid) -> tuple[Floats, Ints, int]:
    """Points, triangles that face up, and how many of those are not the apron."""
    x = np.concatenate([[grid.x[0] - APRON], grid.x, [grid.x[-1] + APRON]])
    z = np.concatenate([[grid.z[0] - APRON], grid.z, [grid.z[-1] + APRON]])
    height = np.pad(grid.height, 1, mode="edge")
    across = np.meshgrid(x, z, indexing="ij")
    points = np.stack([across[0], height, across[1]], axis=2).reshape(-1, 3)
    triangles = split_cells(height)
    i, j = np.divmod(np.arange((len(x) - 1) * (len(z) - 1)), len(z) - 1)
    is_core = (i > 0) & (i < len(x) - 2) & (j > 0) & (j < len(z) - 2)
    core, apron = triangles[is_core].reshape(-1, 3), triangles[~is_core].reshape(-1, 3)
    return points, np.concatenate([core, apron]), len(core)


def split_cells(height: Floats) -> Ints:
    """Two triangles for each cell of a grid [cell, 2, 3], cut where that bends less.

    Each begins at its right angle: distances to the long ones of the apron need that.
    """
    rows, columns = height.shape
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    b, c, d = a + columns, a + columns + 1, a + 1  # around the cell: x first, then z
    flat = height.ravel()
    by_ac = np.stack([np.stack([d, c, a], axis=1), np.stack([b, a, c], axis=1)], axis=1)
    by_bd = np.stack([np.stack([a, d, b], axis=1), np.stack([c, b, d], axis=1)], axis=1)
    bends_less = np.abs(flat[a] - flat[c]) <= np.abs(flat[b] - flat[d])
    return np.where(bends_less[:, None, None], by_ac, by_bd)
