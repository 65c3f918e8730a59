"""What stands on the stage: the creatures, the floors, the solid terrain, the backdrop."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import Camera
from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh, build_sphere, join_meshes
from skitter.look.scenery import Food, Obstacles
from skitter.look.terrain import Floor, Solid, build_solids
from skitter.render import shaders
from skitter.render.framing import PLANE_REACH
from skitter.render.lights import JellyLight, LightMaps, Occluder, light_in_jelly
from skitter.render.surface import Surface

Floats = NDArray[np.floating]
Posed = tuple[CreatureSurface, Mesh]
FINISHES = {"dull": "DULL", "plain": "SOLID", "glossy": "POLISHED"}  # shaders
DOME_REACH = 60.0  # radius of the backdrop
GRAIN = 0.12  # size of the coarsest grains of solid terrain, in sizes of what is shown
SINK = 0.001  # terrain is drawn this much too low, so that what lies flat on it does not flicker


def clipping_range(camera: Camera, radius: float) -> tuple[float, float]:
    """The nearest and the farthest that are drawn, cm."""
    return 0.05 * camera.distance, 2 * DOME_REACH * radius


class Cast:
    """All creatures: a surface for what is stiff of each finish, and one for jelly.

    Where there is water, jelly is in two halves: `dived` is the one below, which is drawn before
    the water with all that is `shown`, and `risen` the one above, which is drawn after it.
    """

    def __init__(
        self, creatures: list[CreatureSurface], maps: list[str], *, in_water: bool = False
    ) -> None:
        self._creatures = creatures
        functions = shaders.solid_functions(maps)
        self._rigid = {
            finish: Surface(functions, getattr(shaders, FINISHES[finish]))
            for finish in {one.finish for one in creatures}
        }
        self._jelly = build_jelly(in_water=in_water)
        self._jelly_triangles = np.zeros((0, 3), dtype=int)
        self.shown: list[Surface] = []
        self.dived: list[Surface] = []
        self.risen: list[Surface] = []
        self._prepare()

    def _prepare(self) -> None:
        """Triangles and colours, which stay."""
        rigid, jelly = self.meshes(float(self._creatures[0].motion.time[0]))
        for surface, some in self._share(rigid):
            surface.set_triangles(join_meshes([mesh for _, mesh in some]).triangles)
            surface.set_colours(_paint([(m, one.solid_colours, 1.0) for one, m in some]))
            self.shown.append(surface)
        if jelly:
            self._jelly_triangles = join_meshes([mesh for _, mesh in jelly]).triangles
            paint = _paint([(m, one.soft_colour, wall_opacity(one)) for one, m in jelly])
            for half in self._jelly:
                half.set_colours(paint)
            self._jelly_colours = paint[:, :3]
            thickness = [one.soft.thickness for one, _ in jelly if one.soft is not None]
            self._thickness = np.repeat(thickness, [len(mesh.points) for _, mesh in jelly])
            self.shown.append(self._jelly[0])
            self.risen += self._jelly[1:]
            self.dived += self._jelly[:1] if self.risen else []

    def meshes(self, time: float) -> tuple[list[Posed], list[Posed]]:
        """Stiff and soft surfaces at a time, with the creatures that they belong to."""
        posed = [(one, one.motion.pose(time)) for one in self._creatures]
        rigid = [(one, one.solid_at(pose)) for one, pose in posed if one.is_solid]
        jelly = [(one, one.soft.at(pose)) for one, pose in posed if one.soft is not None]
        return rigid, jelly

    def enter(self, time: float) -> list[Occluder]:
        """Takes the pose of a time, and says what is in the light's way then."""
        rigid, self._soft = self.meshes(time)
        for surface, some in self._share(rigid):
            joined = join_meshes([mesh for _, mesh in some])
            surface.set_points(joined.points, joined.normals)
            if any(one.is_recoloured for one, _ in some):
                surface.set_colours(self._paint_solids(some, time))
        return [Occluder(mesh) for _, mesh in rigid] + [
            Occluder(mesh, 0.25 + 0.75 * one.soft_colour**0.8) for one, mesh in self._soft
        ]

    def _share(self, rigid: list[Posed]) -> list[tuple[Surface, list[Posed]]]:
        """The stiff surfaces that each shader draws."""
        each = [
            (surface, [(one, mesh) for one, mesh in rigid if one.finish == finish])
            for finish, surface in self._rigid.items()
        ]
        return [(surface, some) for surface, some in each if some]

    def _paint_solids(self, rigid: list[Posed], time: float) -> Floats:
        """The colours of all that is opaque at a time."""
        painted = [(one.solid_colours_at(one.motion.pose(time)), mesh) for one, mesh in rigid]
        return _paint([(mesh, colours, 1.0) for colours, mesh in painted])

    def light_jelly(
        self,
        camera: Camera,
        maps: list[LightMaps],
        rise: Callable[[Floats], Floats] | None = None,
    ) -> None:
        """Light inside the jelly, and its triangles from back to front for this camera.

        `rise` says how far points are above the water, if there is any.

        Sorting is what makes translucency right without peeling layers, which software rendering
        pays for with a picture per layer. The triangles are small and do not cross.
        """
        if not self._soft:
            return
        joined = join_meshes([mesh for _, mesh in self._soft])
        light = light_in_jelly(maps, joined, self._thickness)
        values = _glow(light, self._jelly_colours, self._thickness)
        if rise is not None:
            values["jellyRise"] = rise(joined.points)
        away = np.square(joined.points - camera.eye).sum(axis=1)
        order = np.argsort(-away[self._jelly_triangles].sum(axis=1))
        for half in self._jelly:
            half.set_points(joined.points, joined.normals)
            half.set_triangles(self._jelly_triangles[order])
            for name, one in values.items():
                half.set_attribute(name, one)


def build_jelly(*, in_water: bool) -> list[Surface]:
    """The surface of all jelly; in water, that below the water's top and that above it."""
    if not in_water:
        return [Surface(shaders.JELLY_FUNCTIONS, shaders.JELLY, translucent=True)]
    functions = shaders.JELLY_FUNCTIONS + shaders.RISE
    bodies = (shaders.DIVED + shaders.JELLY, shaders.RISEN + shaders.JELLY)
    return [Surface(functions, body, translucent=True) for body in bodies]


def wall_opacity(creature: CreatureSurface) -> float:
    """Opacity of one wall of the jelly: looking through a block, the eye meets two."""
    return 1 - float(np.sqrt(1 - creature.soft_opacity))


def _glow(light: JellyLight, colours: Floats, thickness: Floats) -> dict[str, Floats]:
    """Colours of jelly by the light's way through it: its own deepens, what passes is tinted.

    Found here at every point, because powers are dear in a fragment shader.
    """
    way = (light.way / thickness)[:, None]
    passed = np.exp(-1.5 * (1 - colours) * way) * light.share[:, None]
    deep = colours ** (1 + 0.3 * way)
    return {"jellyDeep": deep, "jellyKey": deep * passed, "jellyShare": light.share}


def _paint(pieces: list[tuple[Mesh, Floats, float]]) -> Floats:
    """A colour and opacity for every point, from a colour for each mesh or each of its points."""
    painted = [np.full((len(mesh.points), 4), opacity) for mesh, _, opacity in pieces]
    for one, (_, colour, _) in zip(painted, pieces, strict=True):
        one[:, :3] = colour
    return np.concatenate(painted)


class Crumbs:
    """The food that lies about: glossy balls, until they are eaten."""

    def __init__(self, food: Food, maps: list[str]) -> None:
        self._food = food
        self.surface = Surface(shaders.solid_functions(maps), shaders.GLOSSY)
        mesh = food.at(float(food.time[0]))
        self.surface.set_triangles(mesh.triangles)
        self.surface.set_colours(_paint([(mesh, food.colour, 1.0)]))

    def enter(self, time: float) -> Occluder:
        """Shows what is left at a time."""
        mesh = self._food.at(time)
        self.surface.set_points(mesh.points, mesh.normals)
        return Occluder(mesh)


class Stones:
    """Obstacles that come, go and are moved; those that stay are part of the land."""

    def __init__(self, obstacles: Obstacles, maps: list[str], radius: float) -> None:
        self._obstacles, self._radius = obstacles, radius
        self.surface = Surface(shaders.ground_functions(maps), shaders.STONE)
        self.surface.set_uniforms({"grainStep": GRAIN * radius})
        self._pieces: list[dict[str, Any]] = []
        self._solids: list[Solid] = []
        self.surface.actor.SetVisibility(False)

    def enter(self, time: float) -> list[Occluder]:
        """Shows those that are there at a time."""
        pieces = self._obstacles.pieces_at(time)
        if pieces != self._pieces:
            self._pieces, self._solids = pieces, build_solids(pieces)
            self.surface.actor.SetVisibility(bool(pieces))
            if pieces:
                show_solids(self._solids, self.surface, self._radius)
        return [Occluder(solid.mesh) for solid in self._solids]


class Plane:
    """A floor without end: it melts into the backdrop."""

    def __init__(
        self,
        floor: Floor,
        maps: list[str],
        *,
        grid_step: float,
        main: bool,
        in_water: bool = False,
    ) -> None:
        self._floor = floor
        dry = shaders.AGAR if floor.is_agar else shaders.FLOOR
        ground = shaders.SAND if in_water else dry
        self.surface = Surface(shaders.plane_functions(maps), ground if main else shaders.WALL)
        u, v = floor.axes()
        self._corners = np.array([-u - v, u - v, u + v, v - u])
        self.surface.set_triangles(np.array([[0, 1, 2], [0, 2, 3]]))
        self.surface.set_uniforms(
            {"planeU": u, "planeV": v, "planeNormal": floor.normal, "planeColour": floor.colour}
            | {"gridStep": grid_step}
        )

    def follow(self, camera: Camera, radius: float) -> None:
        """Stays under the camera, so that its edge is never seen; from below it is not there."""
        floor = self._floor
        middle = floor.foot(camera.target) - SINK * radius * floor.normal
        self.surface.set_points(middle + PLANE_REACH * radius * self._corners)
        self.surface.actor.SetVisibility(bool((camera.eye - floor.point) @ floor.normal > 0))


def build_land(solids: list[Solid], maps: list[str], radius: float, look: str) -> Surface:
    """All solid terrain as one surface, lit by the shader of its look."""
    surface = Surface(shaders.ground_functions(maps), look)
    surface.set_uniforms({"grainStep": GRAIN * radius})
    show_solids(solids, surface, radius)
    return surface


def show_solids(solids: list[Solid], surface: Surface, radius: float) -> None:
    """Let a surface show some solids."""
    joined = join_meshes([solid.mesh for solid in solids])
    surface.set_triangles(joined.triangles)
    surface.set_colours(_paint([(solid.mesh, 0.75 * solid.colour, 1.0) for solid in solids]))
    surface.set_points(joined.points - SINK * radius * joined.normals, joined.normals)
    surface.set_attribute("solidGrain", np.concatenate([solid.grain for solid in solids]))


class Backdrop:
    """A dome around the camera, lit as if by the horizon."""

    def __init__(self) -> None:
        self._dome = build_sphere(1.0)
        self.surface = Surface(shaders.BACKDROP_FUNCTIONS, shaders.BACKDROP)
        self.surface.set_triangles(self._dome.triangles)

    def follow(self, camera: Camera, radius: float) -> None:
        """Keeps the camera in the middle."""
        self.surface.set_points(camera.eye + DOME_REACH * radius * self._dome.points)
