"""The stage: everything is built once, and a moment only moves points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import SkitterError
from skitter.look.camera import VIEW_ANGLE, Camera
from skitter.look.creature import CreatureSurface
from skitter.look.shots import Shot, outline_at
from skitter.look.terrain import Floor, Solid, build_floors, build_solids
from skitter.render.lights import (
    LightMaps,
    Occluder,
    draw_light_maps,
    frame_floor,
    measure_extent,
    place_lights,
)
from skitter.render.props import DOME_REACH, Backdrop, Cast, Plane, build_land, choose_grid_step
from skitter.render.surface import Surface, Texture
from skitter.render.window import Image, Window

Floats = NDArray[np.floating]
MEASURED_SHOTS = 60  # the light map of a film is made large enough for so many of its moments


class Stage:
    """Creatures and terrain in the studio, ready to be drawn at any moment of some shots."""

    def __init__(
        self,
        creatures: list[CreatureSurface],
        terrain: list[dict[str, Any]],
        shots: list[Shot],
        size: tuple[int, int],
    ) -> None:
        outlines = _sample_outlines(creatures, shots)
        floors = build_floors(terrain) or [_studio_floor(outlines, shots[0].camera)]
        solids = build_solids(terrain)
        maps = ["near", "land"] if solids else ["near"]
        self._floor = floors[0]
        self._lights = place_lights(shots[0].camera.backward, floors[0])
        extent = measure_extent(floors[0], self._lights.key, outlines)
        self._texels = int(np.clip(0.55 * size[1], 64, 1024))
        self._near_frame = frame_floor(floors[0], self._lights.key, extent, self._texels)
        self._window = Window(size)
        self._textures = {f"{m}{kind}": Texture() for m in maps for kind in ("Heights", "Floor")}
        self._cast = Cast(creatures, maps)
        radius = float(np.median([view_radius(shot.camera) for shot in shots]))
        step = choose_grid_step(radius)
        self._planes = [
            Plane(floor, maps, grid_step=step, main=floor is floors[0]) for floor in floors
        ]
        self._land = [build_land(solids, maps, radius)] if solids else []
        self._land_meshes = [solid.mesh for solid in solids]
        self._backdrop = Backdrop()
        self._land_maps = [self._draw_land_maps(solids)] if solids else []
        self._raise_curtain()

    def _draw_land_maps(self, solids: list[Solid]) -> LightMaps:
        """The shadows of the terrain, which stand still."""
        points = np.concatenate([solid.mesh.points for solid in solids])
        extent = measure_extent(self._floor, self._lights.key, [points])
        frame = frame_floor(self._floor, self._lights.key, extent, self._texels).centred(points)
        return draw_light_maps(frame, [Occluder(solid.mesh) for solid in solids])

    def _raise_curtain(self) -> None:
        """Hands everything to the renderer, the backdrop last: most of it is hidden by then."""
        planes = [plane.surface for plane in self._planes]
        self._lit = [*self._cast.shown, *self._land, *planes]
        for surface in [*self._lit, self._backdrop.surface]:
            self._window.renderer.AddActor(surface.actor)
        for surface in [*self._lit]:
            surface.set_textures(self._textures)
        for maps in self._land_maps:
            self._show_maps("land", maps)

    def draw(self, shot: Shot) -> Image:
        """One picture."""
        camera, radius = shot.camera, view_radius(shot.camera)
        occluders = self._cast.enter(shot.time)
        points = np.concatenate([one.mesh.points for one in occluders])
        near = draw_light_maps(self._near_frame.centred(points), occluders, self._land_meshes)
        self._cast.light_jelly(camera, [near, *self._land_maps])
        for plane in self._planes:
            plane.follow(camera, radius)
        self._backdrop.follow(camera, radius)
        self._show_maps("near", near)
        self._show_view(camera, radius)
        image = self._window.draw()
        self._check_surfaces()
        return image

    def _show_maps(self, name: str, maps: LightMaps) -> None:
        self._textures[f"{name}Heights"].set_values(maps.height_bytes)
        self._textures[f"{name}Floor"].set_values(maps.floor)
        for surface in self._lit:
            surface.set_uniforms(maps.uniforms(name))

    def _show_view(self, camera: Camera, radius: float) -> None:
        focus = self._floor.foot(camera.target)
        view = {"eye": camera.eye, "focus": focus, "radius": radius}
        light = {"floorNormal": self._floor.normal, "lean": self._near_frame.lean}
        light |= {f"{name}Toward": way for name, way in vars(self._lights).items()}
        for surface in [*self._lit, self._backdrop.surface]:
            surface.set_uniforms(view | light)
        lens = self._window.renderer.GetActiveCamera()
        lens.SetPosition(*camera.eye)
        lens.SetFocalPoint(*camera.target)
        lens.SetViewUp(0, 1, 0)
        lens.SetViewAngle(np.degrees(VIEW_ANGLE))
        lens.SetClippingRange(0.05 * camera.distance, 2 * DOME_REACH * radius)

    def _check_surfaces(self) -> None:
        surfaces: list[Surface] = [*self._lit, self._backdrop.surface]
        if any(surface.errors for surface in surfaces):
            raise SkitterError("the graphics driver refused a shader; a newer Mesa may help")

    def close(self) -> None:
        """Gives the graphics memory back."""
        self._window.close()


def view_radius(camera: Camera) -> float:
    """The size of what the camera shows, cm: the unit in which the studio is built."""
    return 0.9 * camera.distance * float(np.tan(VIEW_ANGLE / 2)) * max(camera.aspect, 1.0)


def _sample_outlines(creatures: list[CreatureSurface], shots: list[Shot]) -> list[Floats]:
    some = shots[:: -(-len(shots) // MEASURED_SHOTS)]
    return [outline_at(creatures, shot.time) for shot in some]


def _studio_floor(outlines: list[Floats], camera: Camera) -> Floor:
    """Where a scene has no floor, the studio's own, well below everything."""
    lowest = min(float(points[:, 1].min()) for points in outlines)
    return Floor.level(lowest - 0.25 * view_radius(camera))
