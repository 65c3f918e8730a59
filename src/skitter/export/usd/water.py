"""Water in a USD file: one mesh whose points move, with the same triangles in every frame.

The mesh is the recorded grid and the sheet around it. Far from the creatures the grid is thinned,
so that files are small; where it follows a creature, the points go along. Triangles cannot come and
go with the tide, so points that are dry lie below the ground, which hides them. Where there are
walls, the sides of the pool belong to the mesh; they have no height where it is dry. There are no
normals, which would double the file: a surface to be subdivided is shaded smoothly without.
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
    thin_around,
)

Floats = NDArray[np.floating]
MOST, FEWEST = 104, 24  # points along an edge, without the sheet around
WATER_BYTES = 12  # of a point in one frame
SUNK = 0.3  # cm below the ground, where it is dry
COLOUR = np.array([0.04, 0.28, 0.35])  # linear light
ROUGHNESS, OPACITY, IOR = 0.08, 0.5, 1.333
GLOSS = 0.5  # of a clear coat, which reflects more than thin water would


class WaterShape:
    """The surface of a recording's water at any moment, of one topology."""

    def __init__(
        self,
        water: Water,
        terrain: list[dict[str, Any]],
        *,
        middle: Floats,
        reach: float,
        most: int = MOST,
        follows: bool = False,
    ) -> None:
        """`follows` if the recorded grid goes along with a creature."""
        self._water, self._bed = water, open_bed(terrain, water)
        self._middle, self._reach, self._most = middle, reach, most
        self._follows = follows

    @property
    def moves(self) -> bool:
        return self._water.has_waves

    def at(self, time: float) -> Mesh:
        """The top, and the sides where there are walls."""
        water, grid = self._water, self._water.grid_at(time)
        if grid is None:
            return build_top(water.surround(None, self._middle, self._reach))
        under = self._bed.under(grid, grid)
        shore = reach_shore(calm_shore(grid, under), under, FILM)
        fine = refine_sheet(thin_around(shore, self._most, self._place(grid)), self._most)
        sheet = water.surround(fine, self._middle, self._reach)
        bed = self._bed.under(sheet, grid)
        top = build_top(sink_dry(sheet, bed))
        if not water.is_walled:
            return top
        sides = build_sides(sheet, np.where(sheet.is_wet, bed, np.inf), all_round=True)
        return top if sides is None else join_meshes([top, sides])

    def _place(self, grid: Sheet) -> Floats:
        """Around where the water is finest [3]: the middle of a grid that goes along with one."""
        if not self._follows:
            return self._middle
        x, z = (grid.low + grid.high) / 2
        return np.array([x, 0.0, z])


def sink_dry(sheet: Sheet, bed: Floats) -> Sheet:
    """The sheet as one whole, its dry points below the lowest ground beside them."""
    if sheet.is_wet.all():
        return sheet
    low = ndimage.minimum_filter(bed, 3, mode="nearest") - SUNK
    height = np.where(sheet.is_wet, sheet.height, np.minimum(sheet.height, low))
    return replace(sheet, height=height, is_wet=np.ones_like(sheet.is_wet))


def choose_most(shape: tuple[int, ...], frames: int, limit: float, point_bytes: int) -> int:
    """How many points along an edge a grid may have, so that a clip keeps to a number of bytes."""
    most = MOST
    while most > FEWEST:
        times = max(most // max(shape), 1)
        points = np.prod([min(n * times, most) for n in shape])
        if points * frames * point_bytes <= limit:
            break
        most -= 1
    return most


class UsdWater:
    """The water of the file."""

    def __init__(self, file: UsdFile, parent: str, shape: WaterShape) -> None:
        self._file, self._shape = file, shape
        first = shape.at(float(file.clip.times[0]))
        self._mesh = define_mesh(
            file, file.name("water", parent), first, is_moving=shape.moves, is_smooth=True
        )
        self._mesh.CreateDoubleSidedAttr(True)
        paint(self._mesh, COLOUR)
        self._mesh.CreateDisplayOpacityPrimvar("constant").Set([OPACITY])
        look: dict[str, Any] = {"opacity": OPACITY, "ior": IOR, "gloss": GLOSS}
        material = define_material(file, f"{parent}/materials/water", COLOUR, ROUGHNESS, **look)
        bind_material(self._mesh, material)

    def write_next(self, frames: range) -> None:
        """The surface in some frames."""
        if not self._shape.moves:
            return
        for frame in frames:
            mesh = self._shape.at(float(self._file.clip.times[frame]))
            set_mesh(self._mesh, mesh.points * self._file.scale, frame=frame)
