"""From a recording to a picture or a film."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.look.creature import CreatureSurface, build_creatures
from skitter.look.habitat import find_habitat
from skitter.look.nest import build_nest
from skitter.look.scenery import open_food, open_obstacles
from skitter.look.shots import Shot, choose_moment
from skitter.look.stain import open_stain
from skitter.look.water import open_water
from skitter.render.output import FILMS, INSTALL, PICTURES, check_output, filming, write_picture
from skitter.render.plan import (
    Size,
    check_time,
    choose_camera,
    get_scene,
    list_times,
    plan_scene,
)
from skitter.render.side_panel import choose_panel
from skitter.render.smooth import shrink, smooth_edges

Progress = Callable[[int, int], None]  # pictures done, pictures in all
PICTURE_TRIANGLES = 200_000  # of the skins; a picture has time for smooth outlines
SIDE_LIMITS = (16, 16384)  # pixels, supersampling included; what Mesa can draw on


def render_picture(
    recording: Any,
    path: str | Path,
    *,
    size: Size = (1280, 720),
    time: float | None = None,
    supersample: int = 2,
    camera: str | Path | None = None,
    panel: bool = False,
    seconds: float | None = None,
    creature: str | None = None,
) -> None:
    """Writes a .png or .jpg of one moment, all creatures in view; by default amid the motion.

    The `camera` is one of `look.camera_views.NAMES` or a camera file; by default the scene's.
    A `panel` at the side shows what the legs did in the seconds before, of all or one creature.
    """
    path = Path(path)
    check_output(path, PICTURES)
    check_size(size, supersample)
    wish = choose_camera(recording, camera)
    side = choose_panel(recording, size, panel=panel, seconds=seconds, creature=creature)
    creatures = build_creatures(recording, triangle_limit=PICTURE_TRIANGLES)
    moment = choose_moment(creatures) if time is None else time
    check_time("time", moment, recording)
    shots = plan_scene(recording, creatures, np.array([moment]), side.scene_size, wish)
    images = _draw(recording, creatures, shots, side.scene_size, supersample)
    write_picture(path, side.beside(next(images), moment))


def render_video(
    recording: Any,
    path: str | Path,
    *,
    size: Size = (1280, 720),
    fps: float = 30,
    start: float | None = None,
    end: float | None = None,
    supersample: int = 1,
    camera: str | Path | None = None,
    panel: bool = False,
    seconds: float | None = None,
    creature: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Writes an .mp4 or .gif; one second of the recording is one second of film."""
    path = Path(path)
    check_output(path, FILMS)
    check_size(size, supersample)
    check_film(path, size)
    wish = choose_camera(recording, camera)
    side = choose_panel(recording, size, panel=panel, seconds=seconds, creature=creature)
    creatures = build_creatures(recording)
    times = list_times(recording, fps, start, end)
    shots = plan_scene(recording, creatures, times, side.scene_size, wish)
    images = _draw(recording, creatures, shots, side.scene_size, supersample)
    with filming(path, size, fps) as film:
        for done, image in enumerate(images):
            film.add(side.beside(image, shots[done].time))
            if progress is not None:
                progress(done + 1, len(shots))


def _draw(
    recording: Any,
    creatures: list[CreatureSurface],
    shots: list[Shot],
    size: Size,
    supersample: int,
) -> Any:
    """The finished images, one after the other."""
    try:
        from skitter.render.stage import Stage
        from skitter.render.window import check_not_empty
    except ImportError as error:
        if not (error.name or "").startswith("vtk"):
            raise
        raise UserError(f"pictures need {error.name}, which is not installed: {INSTALL}") from error
    large = (size[0] * supersample, size[1] * supersample)
    obstacles = open_obstacles(recording)
    standing, moving = ([], obstacles) if obstacles.moves else (obstacles.pieces_at(0.0), None)
    terrain = [*(get_scene(recording).get("terrain") or []), *standing]
    food, water = open_food(recording), open_water(recording)
    habitat = find_habitat(get_scene(recording))
    stain = open_stain(recording)
    nest = build_nest(get_scene(recording))
    stage = Stage(
        creatures,
        terrain,
        shots,
        large,
        food,
        moving,
        water,
        habitat=habitat,
        stain=stain,
        nest=nest,
    )
    try:
        for shot in shots:
            image = stage.draw(shot)
            check_not_empty(image)
            yield shrink(smooth_edges(image), supersample)
    finally:
        stage.close()


def check_size(size: Size, supersample: int) -> None:
    least, most = SIDE_LIMITS
    if supersample < 1 or not all(least <= side and side * supersample <= most for side in size):
        raise UserError(
            f"size {size[0]}x{size[1]} with supersample {supersample}: each side must have at least"
            f" {least} pixels, and at most {most} after supersampling, which must be 1 or more"
        )


def check_film(path: Path, size: Size) -> None:
    if path.suffix.lower() == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise UserError(f"size {size[0]}x{size[1]}: an .mp4 needs an even width and height")
