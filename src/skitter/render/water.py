"""Water on the stage: the moving top, the sides of a pool, and the light on the ground below.

It is drawn after all that may lie under it. Just before, the picture so far and its depths are
copied, and the fragments read from the copies what is seen through the surface. So water needs no
second picture, and no peeling of layers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.misc import calldata_type
from vtkmodules.util.vtkConstants import VTK_OBJECT
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkRenderingOpenGL2 import vtkTextureObject

from skitter.look.camera import Camera
from skitter.look.mesh import Mesh, join_meshes
from skitter.look.water import (
    FADE_LINES,
    FILM,
    Sheet,
    Water,
    build_sides,
    build_top,
    calm_shore,
    find_height,
    open_bed,
    reach_shore,
    refine_sheet,
    thin_sheet,
)
from skitter.render.caustics import blow, encode_light, gather_light
from skitter.render.framing import PLANE_REACH, TINT, water_length
from skitter.render.props import SINK, clipping_range
from skitter.render.surface import Surface, Texture
from skitter.render.water_glsl import WATER, water_functions
from skitter.render.window import Window

Floats = NDArray[np.floating]
MOST, REFINED = 420, 420  # points along an edge: at most, and for a grid of few cells
BENT = 1.333  # refractive index
WAKE_GAIN = 12.0  # how much more light the faintest ripples gather than they would
BREEZE_REACH = 3.0  # of the net of light that a breeze makes, in sizes of what is shown
MOST_BREEZE = 0.35  # depth to which ripples are fitted, in sizes of what is shown


class PictureCopy:
    """What has been drawn so far, for a shader to read: colours and depths."""

    def __init__(self, window: Window) -> None:
        self._size = window.size
        self._parts = {"sceneColour": vtkTextureObject(), "sceneDepth": vtkTextureObject()}
        for part in self._parts.values():
            part.SetContext(window.handle)

    def attach(self, surface: Surface) -> None:
        """Copy whenever the surface is about to be drawn, and let its shader know."""

        @calldata_type(VTK_OBJECT)
        def copy(_: Any, __: str, program: Any) -> None:
            if self._parts["sceneColour"].GetWidth() == 0:
                self._parts["sceneColour"].Allocate2D(*self._size, 4, 3)
                self._parts["sceneDepth"].AllocateDepth(*self._size, vtkTextureObject.Float32)
            for name, part in self._parts.items():
                part.Activate()
                part.CopyFromFrameBuffer(0, 0, 0, 0, *self._size)
                program.SetUniformi(name, part.GetTextureUnit())

        surface.actor.GetMapper().AddObserver(vtkCommand.UpdateShaderEvent, copy)


def write_depth(surface: Surface, window: Window) -> None:
    """Let something see-through count as what lies below the water there, with its own depth.

    That does no harm to a surface whose triangles are drawn from back to front.
    """
    state = window.handle.GetState()
    mapper = surface.actor.GetMapper()
    mapper.AddObserver(vtkCommand.UpdateShaderEvent, lambda *_: state.vtkglDepthMask(True))


class Pool:
    """The water of a scene."""

    def __init__(
        self, water: Water, terrain: list[dict[str, Any]], window: Window, maps: list[str]
    ) -> None:
        self.water = water
        self._bed = open_bed(terrain, water)
        self.surface = Surface(water_functions(maps), WATER, translucent=True)
        self._glow = Texture()
        self._net = Texture()
        self.surface.set_textures({"glows": self._glow, "nets": self._net})
        self._copy = PictureCopy(window)
        self._copy.attach(self.surface)
        self._size = window.size
        self._sheet: Sheet | None = None

    def enter(self, time: float, camera: Camera, radius: float, toward: Floats) -> None:
        """Takes the shape of a time, under light from some direction."""
        grid = self.water.grid_at(time)
        reach = PLANE_REACH * radius
        fine = None
        if grid is not None:  # ground is drawn a little too low, so water reaches farther
            under = self._bed.under(grid, grid)
            shore = reach_shore(calm_shore(grid, under), under, FILM + 2 * SINK * radius)
            fine = refine_sheet(thin_sheet(shore, MOST), REFINED)
        sheet = self.water.surround(fine, camera.target, reach)
        bed = None if grid is None else self._bed.under(sheet, grid)
        self._show(self._build(sheet, bed), camera)
        depth = self._gather(sheet, bed, toward)
        self._blow(camera.target, radius, depth, time)
        self._look(camera, radius, depth)
        self._sheet = sheet

    def rise(self, points: Floats) -> Floats:
        """How far points [n, 3] are above the water, cm."""
        assert self._sheet is not None
        return np.clip(points[:, 1] - find_height(self._sheet, points), -1e3, 1e3)

    def _build(self, sheet: Sheet, bed: Floats | None) -> Mesh:
        top = build_top(sheet)
        sides = build_sides(sheet, bed) if self.water.is_walled and bed is not None else None
        return top if sides is None else join_meshes([top, sides])

    def _show(self, mesh: Mesh, camera: Camera) -> None:
        """From back to front, and only what faces the camera: the nearest is drawn last."""
        corners = mesh.points[mesh.triangles[:, 0]]
        normals = mesh.normals[mesh.triangles[:, 0]]
        is_side = np.abs(normals[:, 1]) < 0.2
        is_turned = ((camera.eye - corners) * normals).sum(axis=1) < 0
        chosen = mesh.triangles[~(is_side & is_turned)]
        away = (mesh.points @ camera.backward)[chosen[:, 0]]
        self.surface.set_triangles(chosen[np.argsort(away, kind="stable")])
        self.surface.set_points(mesh.points, mesh.normals)

    def _gather(self, sheet: Sheet, bed: Floats | None, toward: Floats) -> float:
        """Caustics of the waves, the sheet beyond which has none; returns the usual depth, cm."""
        light: Floats = np.ones((4, 4))
        usual, part = self.water.depth, sheet
        if bed is not None:
            inside = slice(None) if self.water.is_walled else slice(FADE_LINES, -FADE_LINES)
            part = sheet.part(inside)
            depth = part.height - bed[inside, inside]
            is_wet = part.is_wet & (depth > 0)
            usual = float(np.median(depth[is_wet])) if is_wet.any() else usual
            light = gather_light(part, depth, WAKE_GAIN)
        self._glow.set_values(encode_light(light))
        first, last = (np.array([part.x[k], -1.0 - k, part.z[k]]) for k in (0, -1))
        self.surface.set_uniforms(
            {"sunBent": bend_down(toward), "glowOrigin": first, "glowSize": last - first}
            | {"glowDepth": max(usual, 1e-3)}
        )
        return usual

    def _blow(self, middle: Floats, radius: float, depth: float, time: float) -> None:
        """The net of light of a breeze, around what is shown."""
        net = blow(middle, BREEZE_REACH * radius, min(depth, MOST_BREEZE * radius), time)
        self._net.set_values(encode_light(net.light))
        low, size = net.low, net.high - net.low
        self.surface.set_uniforms(
            {"netOrigin": (low[0], 0.0, low[1]), "netSize": (size[0], 1.0, size[1])}
        )

    def _look(self, camera: Camera, radius: float, depth: float) -> None:
        right, up = camera.axes()
        slope = float(np.tan(camera.angle / 2))
        near, far = clipping_range(camera, radius)
        length = water_length(depth, radius)
        self.surface.set_uniforms(
            {"lookRight": right, "lookUp": up, "lookBack": camera.backward}
            | {"lens": (slope * camera.aspect, slope, 0.0), "clip": (near, far, 0.0)}
            | {"screen": (*self._size, 0.0), "tint": TINT / length}
            | {"level": self.water.level}
        )


def bend_down(toward: Floats) -> Floats:
    """Where light from a direction comes from once it is below level water, unit."""
    across = np.array([toward[0], 0.0, toward[2]]) / BENT
    return across + np.array([0.0, np.sqrt(1 - across @ across), 0.0])
