"""The top of the water and the sides of a pool, as triangles."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, grid_triangles, join_meshes
from skitter.look.water.sheet import Sheet, compute_normals

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]


def build_top(sheet: Sheet) -> Mesh:
    """The sheet as triangles, all that have a wet corner, with smooth normals."""
    across = np.meshgrid(sheet.x, sheet.z, indexing="ij")
    points = np.stack([across[0], sheet.height, across[1]], axis=2).reshape(-1, 3)
    triangles = _sheet_triangles(*sheet.height.shape)
    if not sheet.is_wet.all():
        triangles = triangles[sheet.is_wet.ravel()[triangles].any(axis=1)]
    return Mesh(points, compute_normals(sheet).reshape(-1, 3), triangles)


@lru_cache(maxsize=8)
def _sheet_triangles(rows: int, columns: int) -> NDArray[np.int64]:
    return grid_triangles(rows, columns)[:, ::-1]


def build_sides(sheet: Sheet, bed: Floats, *, all_round: bool = False) -> Mesh | None:
    """The cut faces of a body of water down to its bed [nx, nz], seen from outside.

    With `all_round` there are triangles where it is dry too, which have no height.
    """
    nx, nz = sheet.height.shape
    borders = [  # running so that outside is to the right
        (np.arange(nx), np.zeros(nx, int), (0.0, -1.0)),
        (np.full(nz, nx - 1), np.arange(nz), (1.0, 0.0)),
        (np.arange(nx)[::-1], np.full(nx, nz - 1), (0.0, 1.0)),
        (np.zeros(nz, int), np.arange(nz)[::-1], (-1.0, 0.0)),
    ]
    sides = [_build_side(sheet, bed, *border, all_round=all_round) for border in borders]
    there = [side for side in sides if len(side.triangles)]
    return join_meshes(there) if there else None


def _build_side(
    sheet: Sheet, bed: Floats, i: Ints, j: Ints, outward: tuple[float, float], *, all_round: bool
) -> Mesh:
    top, low = sheet.height[i, j], np.minimum(bed[i, j], sheet.height[i, j])
    rows = [np.stack([sheet.x[i], y, sheet.z[j]], axis=1) for y in (low, top)]
    normals = np.tile([outward[0], 0.0, outward[1]], (2 * len(top), 1))
    triangles = grid_triangles(2, len(top))
    is_cut = sheet.is_wet[i, j] & (top > low) | all_round
    chosen = triangles[is_cut[triangles % len(top)].any(axis=1)]
    return Mesh(np.concatenate(rows), normals, chosen)
