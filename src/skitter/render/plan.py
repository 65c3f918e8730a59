"""What a picture, a film or an export of a recording shows: which moments, and from where."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.look.camera_views import CameraWish, plan_wish, read_camera
from skitter.look.creature import CreatureSurface
from skitter.look.scenery import outline_scenery
from skitter.look.shots import Shot, plan_shots

Size = tuple[int, int]


def choose_camera(recording: Any, camera: str | Path | None) -> CameraWish | None:
    """The camera that was asked for, if one was, checked against what the recording holds."""
    if camera is None:
        return None
    return read_camera(camera, [one["name"] for one in recording.creatures])


def plan_scene(
    recording: Any,
    creatures: list[CreatureSurface],
    times: NDArray[np.float64],
    size: Size,
    wish: CameraWish | None = None,
) -> list[Shot]:
    """Where the camera is at each time."""
    aspect, scene = size[0] / size[1], get_scene(recording)
    if wish is not None:
        return plan_wish(wish, creatures, times, aspect=aspect, scene=scene)
    scenery = outline_scenery(recording)
    return plan_shots(creatures, times, aspect=aspect, scene=scene, scenery=scenery)


def get_scene(recording: Any) -> dict[str, Any]:
    scene: dict[str, Any] = recording.attributes.get("scene") or {}
    return scene


def list_times(
    recording: Any, fps: float, start: float | None, end: float | None
) -> NDArray[np.float64]:
    """Moments of a film, as many as fill its length."""
    if not (math.isfinite(fps) and 0 < fps <= 1000):
        raise UserError(f"fps {fps:g}: must be above 0 and at most 1000")
    first = float(recording.time[0]) if start is None else start
    last = float(recording.time[-1]) if end is None else end
    check_time("start", first, recording)
    check_time("end", last, recording)
    if first > last:
        raise UserError(f"start {first:g} s comes after end {last:g} s; it must come before")
    return first + np.arange(max(round((last - first) * fps), 1)) / fps


def check_time(name: str, value: float, recording: Any) -> None:
    first, last = float(recording.time[0]), float(recording.time[-1])
    if not first - 1e-9 <= value <= last + 1e-9:
        raise UserError(f"{name} {value:g} s: the recording runs from {first:g} to {last:g} s")
