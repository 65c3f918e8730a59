"""Water in a USD file: one mesh whose points move, with the same triangles in every frame.

The mesh is the recorded grid, thinned to keep to a size of file, and the sheet around it; where the
grid follows a creature, the points go along. Triangles cannot come and go with the tide, so points
that are dry lie below the ground, which hides them. Where there are walls, the sides of the pool
belong to the mesh; they have no height where it is dry.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from skitter.export.usd.stage import (
    UsdFile,
    bind_material,
    define_material,
    define_mesh,
    paint,
    set_mesh,
)
from skitter.look.mesh import Mesh, join_meshes
from skitter.look.water import (
    FILM,
    Sheet,
    Water,
    build_sides,
    build_top,
    calm_shore,
    open_bed,
    reach_shore,
    refine_sheet,
    thin_sheet,
)

Floats = NDArray[np.floating]
MOST, REFINED = 210, 160  # points along an edge: at most, and for a grid of few cells
FEWEST = 24
SUNK = 0.3  # cm below the ground, where it is dry
COLOUR = np.array([0.08, 0.3, 0.36])  # linear light
ROUGHNESS, OPACITY, IOR = 0.04, 0.3, 1.333


class WaterShape:
    """The surface of a recording's water at any moment, of one topology."""

    def __init__(
        self,
        water: Water,
        terrain: list[dict[str, Any]],
        *,
        middle: Floats,
        reach: float,
        most: int | None = None,
    ) -> None:
        self._water, self._bed = water, open_bed(terrain, water)
        self._middle, self._reach, self._most = middle, reach, most or MOST

    @property
    def moves(self) -> bool:
        return self._water.has_waves

    def at(self, time: float) -> Mesh:
        """The top, and the sides where there are walls."""
        water, grid = self._water, self._water.grid_at(time)
        if grid is None:
            return build_top(water.surround(None, self._middle, self._reach))
        coarse = thin_sheet(grid, self._most)
        under = self._bed.under(coarse, grid)
        shore = reach_shore(calm_shore(coarse, under), under, FILM)
        fine = refine_sheet(shore, min(self._most, REFINED))
        sheet = water.surround(fine, self._middle, self._reach)
        bed = self._bed.under(sheet, grid)
        top = build_top(sink_dry(sheet, bed))
        if not water.is_walled:
            return top
        sides = build_sides(sheet, np.where(sheet.is_wet, bed, np.inf), all_round=True)
        return top if sides is None else join_meshes([top, sides])


def sink_dry(sheet: Sheet, bed: Floats) -> Sheet:
    """The sheet as one whole, its dry points below the lowest ground beside them."""
    if sheet.is_wet.all():
        return sheet
    low = ndimage.minimum_filter(bed, 3, mode="nearest") - SUNK
    height = np.where(sheet.is_wet, sheet.height, np.minimum(sheet.height, low))
    return replace(sheet, height=height, is_wet=np.ones_like(sheet.is_wet))


def choose_most(shape: tuple[int, ...], frames: int, limit: float, point_bytes: int) -> int:
    """How many points along an edge a grid may have, so that a clip keeps to a number of bytes."""
    every = 1
    while True:
        most = min(-(-max(shape) // every), MOST)
        share = most / max(shape)
        points = max(share, REFINED // max(shape) if every == 1 else 0) ** 2 * np.prod(shape)
        if points * frames * point_bytes <= limit or most <= FEWEST:
            return MOST if every == 1 else most
        every += 1


class UsdWater:
    """The water of the file."""

    def __init__(self, file: UsdFile, parent: str, shape: WaterShape) -> None:
        self._file, self._shape = file, shape
        first = shape.at(float(file.clip.times[0]))
        self._mesh = define_mesh(file, file.name("water", parent), first, is_moving=shape.moves)
        self._mesh.CreateDoubleSidedAttr(True)
        paint(self._mesh, COLOUR)
        self._mesh.CreateDisplayOpacityPrimvar("constant").Set([OPACITY])
        material = define_material(
            file, f"{parent}/materials/water", COLOUR, ROUGHNESS, opacity=OPACITY, ior=IOR
        )
        bind_material(self._mesh, material)

    def write_next(self, frames: range) -> None:
        """The surface in some frames."""
        if not self._shape.moves:
            return
        for frame in frames:
            mesh = self._shape.at(float(self._file.clip.times[frame]))
            set_mesh(self._mesh, mesh.points * self._file.scale, mesh.normals, frame)
