"""The stage: everything is built once, and a moment only moves points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import SkitterError
from skitter.look.camera import Camera
from skitter.look.creature import CreatureSurface
from skitter.look.habitat import USUAL, Habitat
from skitter.look.scenery import Food, Obstacles
from skitter.look.shots import Shot, outline_at
from skitter.look.stain import Stain
from skitter.look.terrain import Floor, Solid, build_floors, build_solids, has_ground
from skitter.look.water import Water
from skitter.render import shaders
from skitter.render.framing import choose_floor, choose_grid_step, view_radius
from skitter.render.lights import LightMaps
from skitter.render.props import (
    Backdrop,
    Cast,
    Crumbs,
    Plane,
    Stones,
    build_land,
    clipping_range,
)
from skitter.render.rig import is_turned, set_up_rig, turn_rig
from skitter.render.stain import Sheet
from skitter.render.surface import Surface, Texture
from skitter.render.trail import Trail
from skitter.render.water import Pool, write_depth
from skitter.render.window import Image, Window

Floats = NDArray[np.floating]
THING_REACH = 3.2  # edge of the light map where things lie about, in sizes of what is shown
MEASURED_SHOTS = 60  # the light map of a film is made large enough for so many of its moments


def lay_planes(
    floors: list[Floor], maps: list[str], radius: float, water: Water | None
) -> list[Plane]:
    """The floors of a scene, the first of which carries the studio; `radius` is that of the view,
    cm."""
    return [
        Plane(
            floor,
            maps,
            grid_step=choose_grid_step(radius),
            main=floor is floors[0],
            in_water=water is not None and floor.point[1] < water.level,
        )
        for floor in floors
    ]


def lay_trails(creatures: list[CreatureSurface], floor: Floor) -> list[Trail]:
    """Tracks on agar of those that have a midline."""
    return [
        Trail(one.motion, floor) for one in creatures if floor.is_agar and one.motion.has_midline
    ]


class Stage:
    """Creatures and terrain in the studio, ready to be drawn at any moment of some shots."""

    def __init__(
        self,
        creatures: list[CreatureSurface],
        terrain: list[dict[str, Any]],
        shots: list[Shot],
        size: tuple[int, int],
        food: Food | None = None,
        stones: Obstacles | None = None,
        water: Water | None = None,
        *,
        habitat: Habitat = USUAL,
        stain: Stain | None = None,
        nest: Sequence[Solid] = (),
    ) -> None:
        """`stones` are obstacles that change; those that stay belong to the terrain."""
        samples = shots[:: -(-len(shots) // MEASURED_SHOTS)]
        outlines = [outline_at(creatures, shot.time) for shot in samples]
        solids = [*build_solids(terrain, habitat), *nest]
        self._land_meshes = [solid.mesh for solid in solids]
        self._turning = any(is_turned(shot.camera) for shot in shots)
        pond = None if has_ground(terrain) else water
        floors = build_floors(terrain, habitat)
        floors = floors or [choose_floor(outlines, solids, shots[0].camera, pond)]
        self._rig = set_up_rig(shots[0].camera, floors[0])
        radius = float(np.median([view_radius(shot.camera) for shot in shots]))
        self._extent = self._measure_extent(samples, outlines)
        if food is not None or stones is not None:  # shadows are seen all over the picture
            self._extent = max(self._extent, THING_REACH * radius)
        self._texels, self._window = int(np.clip(0.7 * size[1], 64, 1024)), Window(size)
        maps = ["near", "land"] if solids else ["near"]
        self._textures = {f"{m}{kind}": Texture() for m in maps for kind in ("Heights", "Floor")}
        self._cast = Cast(creatures, maps, in_water=water is not None)
        self._pools = [Pool(water, terrain, self._window, maps)] if water is not None else []
        for surface in self._cast.dived:
            write_depth(surface, self._window)
        self._food = [Crumbs(food, maps)] if food is not None else []
        self._stones = [Stones(stones, maps, radius)] if stones is not None else []
        self._planes = [] if self._turning else lay_planes(floors, maps, radius, water)
        look = shaders.WET_LAND if habitat.is_agar else shaders.LAND
        self._land = [build_land(solids, maps, radius, look)] if solids else []
        self._trails = lay_trails(creatures, floors[0]) if not solids else []
        self._sheets = [Sheet(stain)] if stain is not None else []
        self._backdrop = Backdrop()
        self._land_maps: list[LightMaps] = []
        self._raise_curtain()
        self._light_land()

    def _measure_extent(self, samples: list[Shot], outlines: list[Floats]) -> float:
        """How large the light map must be for each of some shots, cm."""
        if not self._turning:
            return self._rig.measure(outlines)
        rigs = [turn_rig(shot.camera, self._land_meshes) for shot in samples]
        return max(rig.measure([one]) for rig, one in zip(rigs, outlines, strict=True))

    def _light_land(self) -> None:
        """The shadows of the terrain, which stand still unless the lights turn."""
        if self._land_meshes:
            self._land_maps = [self._rig.draw_land(self._land_meshes, self._texels)]
            self._show_maps("land", self._land_maps[0])

    def _raise_curtain(self) -> None:
        """Hands everything to the renderer, the backdrop last: most of it is hidden by then."""
        planes = [plane.surface for plane in self._planes]
        things = [food.surface for food in self._food]
        things += [stones.surface for stones in self._stones]
        trails = [trail.surface for trail in self._trails]
        ground = [*trails, *self._cast.shown, *things, *self._land, *planes]
        sheets = [sheet.surface for sheet in self._sheets]
        above = [*sheets, *(pool.surface for pool in self._pools), *self._cast.risen]
        self._lit = [*ground, *above]
        for surface in [*ground, self._backdrop.surface, *above]:
            self._window.renderer.AddActor(surface.actor)
        for surface in [*self._lit]:
            surface.set_textures(self._textures)

    def draw(self, shot: Shot) -> Image:
        """One picture."""
        camera, radius = shot.camera, view_radius(shot.camera)
        if self._turning:
            self._rig = turn_rig(camera, self._land_meshes)
            self._light_land()
        near = self._light_near(shot.time)
        for trail in self._trails:
            trail.enter(shot.time, self._rig.lights.key)
        for sheet in self._sheets:
            sheet.enter(shot.time)
        for pool in self._pools:
            pool.enter(shot.time, camera, radius, self._rig.lights.key)
        rise = self._pools[0].rise if self._pools else None
        self._cast.light_jelly(camera, [near, *self._land_maps], rise)
        for plane in self._planes:
            plane.follow(camera, radius)
        self._backdrop.follow(camera, radius)
        self._show_view(camera, radius)
        image = self._window.draw()
        self._check_surfaces()
        return image

    def _light_near(self, time: float) -> LightMaps:
        """The shadows of creatures and things at a time."""
        occluders = self._cast.enter(time)
        points = np.concatenate([one.mesh.points for one in occluders])
        occluders += [food.enter(time) for food in self._food]
        occluders += [one for stones in self._stones for one in stones.enter(time)]
        near = self._rig.draw_near(
            occluders, self._land_meshes, points, extent=self._extent, texels=self._texels
        )
        self._show_maps("near", near)
        return near

    def _show_maps(self, name: str, maps: LightMaps) -> None:
        self._textures[f"{name}Heights"].set_values(maps.height_bytes)
        self._textures[f"{name}Floor"].set_values(maps.floor)
        for surface in self._lit:
            surface.set_uniforms(maps.uniforms(name))

    def _show_view(self, camera: Camera, radius: float) -> None:
        focus = self._rig.floor.foot(camera.target)
        view = {"eye": camera.eye, "focus": focus, "radius": radius}
        light = {"floorNormal": self._rig.floor.normal, "lean": self._rig.lean}
        light |= {f"{name}Toward": way for name, way in vars(self._rig.lights).items()}
        for surface in [*self._lit, self._backdrop.surface]:
            surface.set_uniforms(view | light)
        lens = self._window.renderer.GetActiveCamera()
        lens.SetPosition(*camera.eye)
        lens.SetFocalPoint(*camera.target)
        lens.SetViewUp(*camera.up)
        lens.SetViewAngle(np.degrees(camera.angle))
        lens.SetClippingRange(*clipping_range(camera, radius))

    def _check_surfaces(self) -> None:
        surfaces: list[Surface] = [*self._lit, self._backdrop.surface]
        if any(surface.errors for surface in surfaces):
            raise SkitterError("the graphics driver refused a shader; a newer Mesa may help")

    def close(self) -> None:
        """Gives the graphics memory back."""
        self._window.close()
