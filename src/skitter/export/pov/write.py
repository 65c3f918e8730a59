"""A recording as a POV-Ray scene: a script, and a file for each frame that the script includes.

As in Fang 2015, appendix E, a frame places shapes that are declared once, by position and
orientation, and has every soft segment as a mesh2 of its own. Here the shapes are the meshes that
pictures show, and legs and plates alike are placed; water, food and obstacles come along.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.order import Order
from skitter.export.pov.files import check_target, frames_folder, publishing
from skitter.export.pov.scene import ScenePlan, write_ini, write_jelly, write_script
from skitter.export.pov.text import (
    Faces,
    Palette,
    choose_palette,
    matrices,
    mesh2,
    vector,
    write_faces,
    write_texture,
)
from skitter.export.pov.water import PovWater
from skitter.export.summary import CreatureSummary, Summary
from skitter.look.creature import CreatureSurface, build_creatures
from skitter.look.habitat import find_habitat
from skitter.look.mesh import Mesh
from skitter.look.nest import build_nest
from skitter.look.parts import build_actor
from skitter.look.scenery import Food, Obstacles, open_food, open_obstacles
from skitter.look.shots import Shot, outline_at
from skitter.look.terrain import Floor, Solid, build_floors, build_solids, has_ground
from skitter.look.water import Water, open_water
from skitter.render.framing import choose_floor, choose_grid_step, view_radius, water_length
from skitter.render.plan import check_time, choose_camera, get_scene, list_times, plan_scene
from skitter.render.rig import Rig, is_turned, set_up_rig, turn_rig

Floats = NDArray[np.floating]
Progress = Callable[[int, int], None]  # frames done, frames in all
TRIANGLES = 48_000  # of the skins
LAND_SHADE = 0.75  # of a solid's colour, as in pictures
MEASURED = 60  # frames at which the size of what is shown is looked at


def export_povray(
    recording: Any,
    output: Path,
    *,
    fps: float = 30.0,
    start: float | None = None,
    end: float | None = None,
    scale: float = 1.0,
    size: tuple[int, int] | None = None,
    camera: str | Path | None = None,
    triangles: int = TRIANGLES,
    creatures: list[CreatureSurface] | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes `output`, an .ini beside it and a folder of frames; `scale` is units per cm.

    The camera is the scene's, or as for pictures a name or a camera file; `size` is that of the
    pictures that the .ini asks for. Creatures that are built already need not be built again.
    """
    output = Path(output)
    check_target(output)
    if not (np.isfinite(scale) and 1e-6 <= scale <= 1e6):
        raise UserError(f"--scale {scale:g}: is no size; valid: a number from 1e-06 to 1e+06")
    wish = choose_camera(recording, camera)
    times = list_times(recording, fps, start, end)
    size = size or (1280, 720)
    creatures = creatures or build_creatures(recording, triangle_limit=triangles)
    shots = plan_scene(recording, creatures, times, size, wish)
    with publishing(output) as draft:
        frames = draft / frames_folder(output).name
        frames.mkdir()
        stage = PovStage(recording, creatures, shots, frames, scale)
        plan = stage.plan(output.stem, size)
        for number, shot in enumerate(shots):
            with (frames / f"frame_{number:0{plan.digits}d}.inc").open("w") as file:
                file.writelines(stage.write_frame(shot))
            if progress is not None:
                progress(number + 1, len(shots))
        (draft / output.name).write_text(write_script(plan))
        (draft / output.with_suffix(".ini").name).write_text(write_ini(plan))
    return [output, output.with_suffix(".ini"), frames_folder(output)]


def export_script(order: Order) -> Summary:
    """As `export_povray`; returns what is told of it."""
    recording, fps = order.recording, order.clip.fps
    check_target(order.output)
    stretch: dict[str, Any] = {"fps": fps, "start": order.start, "end": order.end}
    creatures = build_creatures(recording, triangle_limit=TRIANGLES)
    how: dict[str, Any] = {"scale": order.scale, "progress": order.progress}
    script, settings, folder = export_povray(
        recording, order.output, creatures=creatures, **stretch, **how
    )
    frames = len(list_times(recording, **stretch))
    notes = [f"{settings} has the settings and {folder} the frames: keep all three together"]
    return Summary(script, "pov", fps, frames, [count_shapes(one) for one in creatures], notes)


def count_shapes(creature: CreatureSurface) -> CreatureSummary:
    """The sizes of all that a creature shows; a scene has no joints."""
    rest = creature.motion.rest
    meshes = [creature.solid_at(rest)] if creature.is_solid else []
    meshes += [] if creature.soft is None else [creature.soft.at(rest)]
    points, triangles = (
        sum(len(getattr(m, key)) for m in meshes) for key in ("points", "triangles")
    )
    return CreatureSummary(creature.motion.name, 0, points, triangles)


def export_moment(recording: Any, output: Path, *, time: float, **options: Any) -> list[Path]:
    """An export of one frame."""
    check_time("time", time, recording)
    return export_povray(recording, output, fps=1.0, start=time, end=time, **options)


class PovStage:
    """All that is shown, ready to be written at any of some shots."""

    def __init__(
        self,
        recording: Any,
        creatures: list[CreatureSurface],
        shots: list[Shot],
        folder: Path,
        scale: float,
    ) -> None:
        self._scene, self._scale, self._shots = get_scene(recording), scale, shots
        obstacles = open_obstacles(recording)
        standing = [] if obstacles.moves else obstacles.pieces_at(0.0)
        terrain = [*(self._scene.get("terrain") or []), *standing]
        solids = build_solids(terrain, find_habitat(self._scene)) + build_nest(self._scene)
        self._land = [solid.mesh for solid in solids]
        self._turning = any(is_turned(shot.camera) for shot in shots)
        self._radius = float(np.median([view_radius(shot.camera) for shot in shots]))
        self._water = open_water(recording)
        self._floors = self._lay_floors(creatures, terrain, solids)
        self._rig = set_up_rig(shots[0].camera, self._floors[0])
        faces = Faces(folder)
        casts = [PovCreature(one, faces, scale) for one in creatures]
        self._moving: list[Writes] = [*casts, *open_things(recording, obstacles, faces, scale)]
        if self._water is not None:
            self._moving.append(PovWater(self._water, terrain, faces, scale))
        with (folder / "shapes.inc").open("w") as file:
            file.writelines(write_land(solids, scale))
            for cast in casts:
                file.writelines(cast.declare())

    def _lay_floors(
        self, creatures: list[CreatureSurface], terrain: list[dict[str, Any]], solids: list[Solid]
    ) -> list[Floor]:
        """The planes of the scene; where it has none, one below everything."""
        floors = build_floors(terrain, find_habitat(self._scene))
        if floors:
            return floors
        samples = self._shots[:: -(-len(self._shots) // MEASURED)]
        outlines = [outline_at(creatures, shot.time) for shot in samples]
        pond: Water | None = None if has_ground(terrain) else self._water
        return [choose_floor(outlines, solids, self._shots[0].camera, pond)]

    def plan(self, name: str, size: tuple[int, int]) -> ScenePlan:
        """What the script has to know."""
        water = self._water
        return ScenePlan(
            title=plain_title(str(self._scene.get("title") or name)),
            name=name,
            size=size,
            times=np.array([shot.time for shot in self._shots]),
            scale=self._scale,
            floors=self._floors,
            has_floors=not self._turning,
            grid_step=choose_grid_step(self._radius),
            water_length=None if water is None else water_length(water.depth, self._radius),
            water_level=0.0 if water is None else water.level,
        )

    def write_frame(self, shot: Shot) -> Iterator[str]:
        """One frame, piece by piece."""
        yield self._write_view(shot)
        if self._land:
            yield "object { Land }\n"
        for one in self._moving:
            yield from one.write(shot)

    def _write_view(self, shot: Shot) -> str:
        """Where the camera and the lights are."""
        camera, scale = shot.camera, self._scale
        rig: Rig = turn_rig(camera, self._land) if self._turning else self._rig
        values = {
            "Eye": vector(camera.eye * scale),
            "Target": vector(camera.target * scale),
            "Sky": vector(camera.up),
            "View_Angle": f"{np.degrees(camera.angle):.6g}",
            "Focus": vector(rig.floor.foot(camera.target) * scale),
            "Radius": f"{view_radius(camera) * scale:.6g}",
            "Time": f"{shot.time:.6g}",
            "Key_Toward": vector(rig.lights.key),
            "Fill_Toward": vector(rig.lights.fill),
            "Rim_Toward": vector(rig.lights.rim),
        }
        lines = [f"#declare {name} = {value};\n" for name, value in values.items()]
        return f"// at {shot.time:.6g} s\n" + "".join(lines)


def plain_title(title: str) -> str:
    """One line that any reader of scripts takes."""
    return " ".join(title.split()).encode("ascii", "replace").decode()


class Writes(Protocol):
    """Something that a frame shows."""

    def write(self, shot: Shot) -> Iterator[str]: ...


class PovCreature:
    """A creature: shapes that are placed, and skins that change."""

    def __init__(self, creature: CreatureSurface, faces: Faces, scale: float) -> None:
        self._creature, self._faces, self._scale = creature, faces, scale
        self._name = creature.motion.name
        self._actor = build_actor(replace(creature, soft=None, skin=None, organs=()))
        self._palette = None if creature.skin is None else choose_palette(creature.skin.colours)

    def declare(self) -> Iterator[str]:
        """The shapes of all its parts."""
        for number, part in enumerate(self._actor.parts):
            palette = choose_palette(part.colours)
            shape = mesh2(part.mesh, write_faces(part.mesh.triangles, palette))
            name = self._shape(number)
            yield f"#declare {name} = mesh2 {{\n{shape}{write_texture(palette)}\n}}\n"

    def _shape(self, number: int) -> str:
        return f"{self._name}_{self._actor.parts[number].kind}_{number}"

    def write(self, shot: Shot) -> Iterator[str]:
        pose = self._creature.motion.pose(shot.time)
        for number, places in enumerate(self._actor.place(pose)):
            for place in matrices(places, self._scale):
                yield f"object {{ {self._shape(number)} {place} }}\n"
        if self._creature.skin is not None:
            assert self._palette is not None
            mesh, made_of = self._creature.skin.at(pose), write_texture(self._palette)
            yield self._write_skin(mesh, made_of, self._palette)
        for organ in self._creature.organs:
            palette = choose_palette(organ.colours_at(pose))
            yield self._write_skin(organ.at(pose), write_texture(palette), palette)
        if self._creature.soft is not None:
            made_of = write_jelly(self._creature, self._scale)
            yield self._write_skin(self._creature.soft.at(pose), made_of)

    def _write_skin(self, mesh: Mesh, made_of: str, palette: Palette | None = None) -> str:
        faces = self._faces.share(mesh.triangles, palette)
        return f"mesh2 {{\n{mesh2(mesh, faces, self._scale)}{made_of}\n}}\n"


class PovFood:
    """Balls, until they are eaten."""

    def __init__(self, food: Food, scale: float) -> None:
        self._food, self._scale = food, scale

    def write(self, shot: Shot) -> Iterator[str]:
        colour = vector(self._food.colour)
        for x, y, z, radius in self._food.balls_at(shot.time) * self._scale:
            if radius > 0:
                place = vector(np.array([x, y, z]))
                yield f"sphere {{ {place}, {radius:.6g} Glossy({colour}) }}\n"


class PovObstacles:
    """Obstacles that come, go and are moved; those that stay are part of the land."""

    def __init__(self, obstacles: Obstacles, faces: Faces, scale: float) -> None:
        self._obstacles, self._faces, self._scale = obstacles, faces, scale

    def write(self, shot: Shot) -> Iterator[str]:
        for solid in build_solids(self._obstacles.pieces_at(shot.time)):
            yield self._write_solid(solid)

    def _write_solid(self, solid: Solid) -> str:
        shape = mesh2(solid.mesh, self._faces.share(solid.mesh.triangles), self._scale)
        return f"mesh2 {{\n{shape}Stone({vector(LAND_SHADE * solid.colour)})\n}}\n"


def open_things(recording: Any, obstacles: Obstacles, faces: Faces, scale: float) -> list[Writes]:
    """Food, and obstacles that change."""
    food = open_food(recording)
    things: list[Writes] = [] if food is None else [PovFood(food, scale)]
    return [*things, PovObstacles(obstacles, faces, scale)] if obstacles.moves else things


def write_land(solids: list[Solid], scale: float) -> Iterator[str]:
    """All terrain with an inside, as one shape."""
    if not solids:
        return
    yield "#declare Land = union {\n"
    for solid in solids:
        shape = mesh2(solid.mesh, write_faces(solid.mesh.triangles), scale)
        yield f"mesh2 {{\n{shape}Stone({vector(LAND_SHADE * solid.colour)})\n}}\n"
    yield "}\n"
