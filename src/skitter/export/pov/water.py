"""The water of a frame: its top as far as the horizon, and the sides of a pool."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.export.pov.text import Faces, mesh2
from skitter.look.mesh import Mesh, join_meshes, unit_rows
from skitter.look.shots import Shot
from skitter.look.water import (
    FILM,
    Sheet,
    Water,
    build_sides,
    build_still,
    build_top,
    calm_shore,
    open_bed,
    reach_shore,
    refine_sheet,
    thin_sheet,
)
from skitter.render.framing import PLANE_REACH, view_radius

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]
MOST = 260  # points along an edge
RIPPLE_GAIN, RIPPLE_FADE = 8.0, 60.0  # slopes of the faintest ripples are lit as if so much steeper
NEAR_REACH = 5.0  # half edge of still water that gathers light, in sizes of what is shown
GATHERS = " #if (Photons) photons { target refraction on reflection off collect off } #end"
SIDE_SPARE = 1e-3  # of its depth, by which a side ends above the ground


class PovWater:
    """Water as a mesh2 that bends light and takes some of it away."""

    def __init__(
        self, water: Water, terrain: list[dict[str, Any]], faces: Faces, scale: float
    ) -> None:
        self._water, self._faces, self._scale = water, faces, scale
        self._bed = open_bed(terrain, water)

    def write(self, shot: Shot) -> Iterator[str]:
        """The water of what is shown, which gathers light, and that beyond, which does not."""
        near, far = self.build(shot)
        yield self._write_mesh(near, GATHERS)
        if far is not None:
            yield self._write_mesh(far, "")

    def _write_mesh(self, mesh: Mesh, more: str) -> str:
        shape = mesh2(mesh, self._faces.share(mesh.triangles), self._scale)
        return f"mesh2 {{\n{shape}Water() interior {{ Water_Interior }} hollow{more}\n}}\n"

    def build(self, shot: Shot) -> tuple[Mesh, Mesh | None]:
        """The surface at the time of a shot, and that around it if there is any."""
        water, grid = self._water, self._water.grid_at(shot.time)
        radius, middle = view_radius(shot.camera), shot.camera.target
        if grid is None:
            return split_border(ring_still(water.level, middle, radius))
        under = self._bed.under(grid, grid)
        shore = reach_shore(calm_shore(grid, under), under, FILM)
        fine = refine_sheet(thin_sheet(shore, MOST), MOST)
        sheet = water.surround(fine, middle, PLANE_REACH * radius)
        if not water.is_walled:
            return split_border(sheet)
        top, bed = steepen(build_top(sheet)), self._bed.under(sheet, grid)
        sides = build_sides(sheet, bed + SIDE_SPARE * np.maximum(sheet.height - bed, 0))
        return top if sides is None else join_meshes([top, sides]), None


def ring_still(level: float, middle: Floats, radius: float) -> Sheet:
    """A flat sheet with a smaller one in its middle."""
    reach = radius * np.array([-PLANE_REACH, -NEAR_REACH, NEAR_REACH, PLANE_REACH])
    still = build_still(level, middle, PLANE_REACH * radius)
    flat, wet = np.full((4, 4), level), np.ones((4, 4), bool)
    return replace(still, x=middle[0] + reach, z=middle[2] + reach, height=flat, is_wet=wet)


def split_border(sheet: Sheet) -> tuple[Mesh, Mesh]:
    """The top of a sheet, and that of its outermost cells alone."""
    whole = steepen(build_top(sheet))
    inner = np.zeros(sheet.height.shape, bool)
    inner[1:-1, 1:-1] = True
    is_inner = inner.ravel()[whole.triangles].all(axis=1)
    return pick(whole, whole.triangles[is_inner]), pick(whole, whole.triangles[~is_inner])


def pick(mesh: Mesh, triangles: Indices) -> Mesh:
    """Some triangles of a mesh, with the points that they use."""
    used, index = np.unique(triangles, return_inverse=True)
    return Mesh(mesh.points[used], mesh.normals[used], index.reshape(-1, 3))


def steepen(top: Mesh) -> Mesh:
    """The same surface with normals that let faint ripples count for more than they are."""
    slope = np.hypot(top.normals[:, 0], top.normals[:, 2]) / top.normals[:, 1]
    gain = 1 + RIPPLE_GAIN / (1 + RIPPLE_FADE * slope)
    across = np.stack([gain, np.ones_like(gain), gain], axis=1)
    return Mesh(top.points, unit_rows(top.normals * across), top.triangles)
