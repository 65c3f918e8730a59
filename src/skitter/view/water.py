"""Water in the browser: a see-through sheet that moves, and bright patches where it glints.

The browser lights such a sheet dully, so that ripples would hardly be seen. White sheets lie a hair
above the first where the waves lean towards the sun, and below it elsewhere: they are seen in
patches that run with the waves. Only points are sent, a few times a second, since triangles
stay: where it is dry, points are hidden in the ground.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.mesh import Mesh, grid_triangles, join_meshes
from skitter.look.water import (
    FILM,
    Bed,
    Sheet,
    Water,
    build_sides,
    calm_shore,
    compute_slopes,
    reach_shore,
    thin_around,
)
from skitter.terrain import Terrain
from skitter.view.glb import write_glb
from skitter.view.ground import REACH, SKY_LOW, SUN, build_ring

Floats = NDArray[np.floating]
MOST = 84  # points along an edge
RATE = 16.0  # shapes per second
REST = 8.0  # at least so much longer between two shapes than it takes to send one
COLOUR, OPACITY = (18, 108, 150), 0.44
GLINT, GLINT_OPACITY = (240, 249, 252), 0.24
GLINT_SLOPES = (0.015, 0.07)  # rises per way towards the sun from which it glints, and more so
LIFT, LAYER = (
    8.0,
    2.0,
)  # units from the water to the middle of the first sheet's box, and to the next
BOX = np.array([1.2 * REACH, 60.0, 1.2 * REACH])  # units, half edges
HAIR = 0.05  # units by which a slope of one lifts the glints; they follow from that of the sun
HAZE_LIFT = 0.01  # units above still water
SUNK = 0.03  # units below the ground, where it is dry


@dataclass(frozen=True)
class Pace:
    """How often a new shape is sent."""

    clock: Callable[[], float] = time.monotonic  # s
    rate: float = RATE  # shapes per second


WALL = Pace()


class WaterNodes:
    """The water of a scene. `scale` is units of the view per cm."""

    def __init__(
        self,
        scene: Any,
        water: Water,
        terrain: Terrain,
        moment: float,
        middle: Floats,
        scale: float,
        *,
        pace: Pace = WALL,
    ) -> None:
        self.water, self._scale, self._clock = water, scale, pace.clock
        self._bed = Bed(terrain, water)
        self._middle, self._interval = middle, 1 / pace.rate
        self._due, self._shown = self._clock() + self._interval, moment
        shapes = self._shape(moment, middle)
        looks = [(COLOUR, OPACITY)] + [(GLINT, GLINT_OPACITY)] * len(GLINT_SLOPES)
        self._sheets = [
            self._add(scene, number, shape, *look)
            for number, (shape, look) in enumerate(zip(shapes, looks, strict=False), 1)
        ]
        self._haze = None if water.is_walled else self._add_haze(scene)

    def _add(
        self, scene: Any, number: int, mesh: Mesh, colour: tuple[int, int, int], opacity: float
    ) -> Any:
        return scene.add_mesh_simple(
            f"/world/water/sheet_{number}",
            self._place(mesh, number, self._middle),
            np.asarray(mesh.triangles, np.uint32),
            color=colour,
            opacity=opacity,
            side="front" if self.water.is_walled else "double",  # seen from below too
            cast_shadow=False,
            receive_shadow=False,
        )

    def _place(self, mesh: Mesh, number: int, middle: Floats) -> NDArray[np.float32]:
        """The points of a sheet, in units, and two more that no triangle has.

        The browser draws what is see-through in the order of the middles of the boxes around it.
        Two corners set that box: above the creatures, and each sheet's above that of the last.
        """
        high = np.array([0.0, LIFT + LAYER * number, 0.0])
        centre = self._scale * np.array([middle[0], self.water.level, middle[2]]) + high
        points = [self._scale * mesh.points, centre - BOX, centre + BOX]
        return np.asarray(np.vstack(points), np.float32)

    def _add_haze(self, scene: Any) -> Any:
        """The far part of endless water melts into the sky."""
        ring, alpha = build_ring()
        haze = np.column_stack([np.tile(read_colour(SKY_LOW), (len(alpha), 1)), alpha])
        x, y, z = self._scale * np.array([self._middle[0], self.water.level, self._middle[2]])
        return scene.add_glb(
            "/world/water/haze",
            write_glb(ring, haze, unlit=True, see_through=True),
            position=(x, y + HAZE_LIFT, z),
            cast_shadow=False,
            receive_shadow=False,
        )

    def is_late(self, moment: float) -> bool:
        """Whether it is time to show another moment."""
        moves = self.water.has_waves and moment != self._shown
        return bool(moves and self._clock() >= self._due and self._sheets[0].visible)

    def show(self, water: Water, moment: float, middle: Floats, *, visible: bool) -> None:
        """Take the shape of a moment, unless the last was sent a moment ago."""
        nodes = [*self._sheets, *([] if self._haze is None else [self._haze])]
        if self._sheets[0].visible != visible:
            for node in nodes:
                node.visible = visible
        self.water = water
        if not visible or not self.is_late(moment):
            return
        start, self._shown = self._clock(), moment
        shapes = self._shape(moment, middle)
        for number, (node, shape) in enumerate(zip(self._sheets, shapes, strict=True), 1):
            node.vertices = self._place(shape, number, middle)
        spent = self._clock() - start
        self._due = start + max(self._interval, REST * spent)  # a busy machine is spared

    def _shape(self, moment: float, middle: Floats) -> list[Mesh]:
        """The top with the sides of a pool, and the glints."""
        grid, reach = self.water.grid_at(moment), REACH / self._scale
        if grid is None:
            return [build_plain(self.water.surround(None, middle, reach))]
        under = self._bed.under(grid, grid)
        shore = reach_shore(calm_shore(grid, under), under, FILM + SUNK / self._scale)
        thin = thin_around(shore, MOST, middle)
        sheet = self.water.surround(thin, middle, reach)
        bed = self._bed.under(sheet, grid)
        top = build_plain(hide_dry(sheet, bed, SUNK / self._scale))
        sides = build_sides(sheet, bed, all_round=True) if self.water.is_walled else None
        whole = top if sides is None else join_meshes([top, sides])
        return [whole, *self._build_glints(thin, self._bed.under(thin, grid))]

    def _build_glints(self, sheet: Sheet, bed: Floats) -> list[Mesh]:
        """Sheets that come up through the water where it leans towards the sun."""
        sun = np.array(SUN)[[0, 2]] / np.hypot(SUN[0], SUN[2])
        along, across = compute_slopes(sheet)
        lean = -(sun[0] * along + sun[1] * across)
        glints = []
        for slope in GLINT_SLOPES:
            lift = HAIR / self._scale * np.clip(lean - slope, -0.2, 0.2)
            raised = replace(sheet, height=sheet.height + lift)
            glints.append(build_plain(hide_dry(raised, bed, SUNK / self._scale)))
        return glints


def hide_dry(sheet: Sheet, bed: Floats, sunk: float) -> Sheet:
    """The sheet with all dry points a little below the ground."""
    if sheet.is_wet.all():
        return sheet
    height = np.where(sheet.is_wet, sheet.height, np.minimum(sheet.height, bed - sunk))
    return replace(sheet, height=height)


def build_plain(sheet: Sheet) -> Mesh:
    """All triangles of a sheet, wet or not; the browser finds the normals."""
    across = np.meshgrid(sheet.x, sheet.z, indexing="ij")
    points = np.stack([across[0], sheet.height, across[1]], axis=2).reshape(-1, 3)
    return Mesh(points, np.zeros_like(points), grid_triangles(*sheet.height.shape)[:, ::-1])
