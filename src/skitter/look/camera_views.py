"""Cameras by name: views around the creatures, that turn with them and keep all of them in view."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import (
    Camera,
    calm_path,
    keep_in_view,
    view_direction,
)
from skitter.look.camera_path import CameraPath, plan_path, read_camera_path, refuse_camera
from skitter.look.creature import CreatureSurface
from skitter.look.habitat import choose_angles
from skitter.look.mesh import unit_rows
from skitter.look.shots import Shot, outline_at
from skitter.look.water import view_water
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
VIEWS = {  # degrees: turn from the creatures' heading, rise above the horizon
    "side": (-90.0, 10.0),
    "top": (-90.0, 89.9),
    "front": (25.0, 15.0),
    "behind": (180.0, 22.0),
}
TURNTABLE = "turntable"
NAMES = (*VIEWS, TURNTABLE)


@dataclass(frozen=True)
class CameraWish:
    """What `--camera` asks for: a view by name, or a path."""

    name: str = ""
    path: CameraPath | None = None


def read_camera(given: str | Path, creatures: list[str]) -> CameraWish:
    """A name, or a file whose keys may follow some creatures."""
    if str(given) in NAMES:
        return CameraWish(str(given))
    path = Path(given)
    if path.suffix.lower() not in (".yaml", ".yml") and not path.exists():
        raise refuse_camera(str(given), NAMES)
    return CameraWish(path=read_camera_path(path, creatures))


def plan_wish(
    wish: CameraWish,
    creatures: list[CreatureSurface],
    times: Floats,
    *,
    aspect: float,
    scene: dict[str, Any],
) -> list[Shot]:
    """A camera for every moment, as was asked for."""
    if wish.path is not None:
        cameras = plan_path(wish.path, creatures, times, aspect=aspect)
    else:
        cameras = plan_view(wish.name, creatures, times, aspect=aspect, scene=scene)
    return [Shot(float(time), one) for time, one in zip(times, cameras, strict=True)]


def plan_view(
    name: str,
    creatures: list[CreatureSurface],
    times: Floats,
    *,
    aspect: float,
    scene: dict[str, Any],
) -> list[Camera]:
    """Cameras of a view by name; they follow."""
    camera = scene.get("camera") or {}
    frame_time = float(times[1] - times[0]) if len(times) > 1 else 1.0
    if name == TURNTABLE:
        first, rise = choose_angles(scene)
        turn: Floats = first + 360.0 * np.arange(len(times)) / len(times)
    else:
        beside, rise = VIEWS[name]
        turn = face_with(creatures, times, frame_time) + beside
    seen = [view_water(view_direction(float(angle), rise), scene) for angle in turn]
    cameras = [Camera(np.zeros(3), backward, 1.0, aspect) for backward, _ in seen]
    outlines = [outline_at(creatures, float(time)) for time in times]
    zoom = float(camera.get("zoom", 1.0)) / seen[0][1]
    return keep_in_view(cameras, outlines, frame_time, zoom=zoom)


def face_with(creatures: list[CreatureSurface], times: Floats, frame_time: float) -> Floats:
    """The azimuth [time] from which the creatures are seen to come, degrees, without swings."""
    headings = np.array([find_heading(creatures, float(time)) for time in times])
    calm = calm_path(headings, frame_time)
    return np.degrees(np.unwrap(np.arctan2(calm[:, 0], calm[:, 2])))


def find_heading(creatures: list[CreatureSurface], time: float) -> Floats:
    """Where the bodies of all creatures point on the whole [3]; along x if there is none."""
    poses = [one.motion.pose(time) for one in creatures]
    ways = [
        quaternion_to_matrix(pose.body_orientation[one.motion.trunk])[:, :, 0]
        for one, pose in zip(creatures, poses, strict=True)
    ]
    ways += [unit_rows(-np.diff(pose.midline, axis=0)) for pose in poses]
    all_: Floats = np.concatenate(ways)
    mean = all_.mean(axis=0) if len(all_) else np.zeros(3)
    level = mean * [1.0, 0.0, 1.0]
    length = float(np.linalg.norm(level))
    return level / length if length > 0.05 else np.array([1.0, 0.0, 0.0])
