"""A replay as one HTML file, which any browser opens from the disk, without Skitter.

The viewer's own page is inside the file, together with what it would have been sent. A page that is
played has no camera of its own to follow with, so the place moves under the creature instead, which
looks the same.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.look.camera import follow_path
from skitter.view.camera import choose_threshold
from skitter.view.guard.server import close_server, open_server
from skitter.view.replay import open_terrain
from skitter.view.stage import Stage
from skitter.view.water import Pace

RATE = 30.0  # pictures per second
WATER_RATE = 10.0  # shapes of water per second, each of which takes some hundred kB
LIMIT = 600.0  # s that a file may hold


def save_html(
    recording: Any,
    path: Path,
    *,
    start: float | None = None,
    end: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a recording, or a part of it, as a page that plays it."""
    times = choose_times(recording, start, end)
    server = open_server(port=0)
    try:
        page = build_page(server, recording, times, progress)
    finally:
        close_server(server)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(page, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def choose_times(recording: Any, start: float | None, end: float | None) -> np.ndarray:
    """The moments of a page, in equal steps."""
    if len(recording.time) == 0:
        raise UserError("the recording holds no frame yet; valid: a recording with frames")
    first, last = float(recording.time[0]), float(recording.time[-1])
    low = first if start is None else max(first, start)
    high = last if end is None else min(last, end)
    if low > high:
        raise UserError(
            f"from {low:g} to {high:g} s: the recording runs from {first:g} to {last:g}"
        )
    if high - low > LIMIT:
        raise UserError(f"a page of {high - low:.0f} s is too long; valid: up to {LIMIT:g} s")
    return np.arange(low, high + 0.5 / RATE, 1 / RATE).clip(low, high)


def build_page(
    server: Any, recording: Any, times: np.ndarray, progress: Callable[[int, int], None] | None
) -> str:
    """Play the recording to nobody, and keep what would have been sent."""
    shown = [float(times[0])]  # the page's clock: the moment that it is at
    stage = Stage(
        server.scene,
        recording,
        open_terrain(recording),
        moment=shown[0],
        pace=Pace(lambda: shown[0], WATER_RATE),
    )
    server.initial_camera.position = tuple(stage.scale * stage.view.eye)
    server.initial_camera.look_at = tuple(stage.scale * stage.view.target)
    server.initial_camera.fov = stage.angle
    path = plan_path(stage, recording, times)
    serializer = server.get_scene_serializer()
    for number, moment in enumerate(times, 1):
        shown[0] = float(moment)
        with server.atomic():
            stage.show(recording, float(moment), overlays=set(), paint_legs=False)
            if path is not None:
                stage.shift(path[number - 1])
        serializer.insert_sleep(1 / RATE)
        if progress is not None:
            progress(number, len(times))
    return str(serializer.as_html())


def plan_path(stage: Stage, recording: Any, times: np.ndarray) -> np.ndarray | None:
    """Where the view should look at each moment [time, 3], cm; None if it should stand still."""
    if not (recording.scene.get("camera") or {}).get("follow", True) or len(times) < 2:
        return None
    middles = [
        np.mean([stage.centre(pose) for pose in stage.poses(recording, float(t)).values()], axis=0)
        for t in times
    ]
    path = follow_path(np.array(middles), 1 / RATE, choose_threshold(stage.view))
    return np.asarray(path + stage.view.target - path[0])
