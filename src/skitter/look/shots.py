"""The shot list of a picture or a film: which moments, and where the camera is at each."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import Camera, find_centre, measure_reach, obey, plan_cameras
from skitter.look.creature import CreatureSurface
from skitter.look.habitat import choose_direction
from skitter.look.orbit import back_directions, is_orbit, plan_orbit
from skitter.look.water import view_water

Floats = NDArray[np.floating]
SEARCH_FRAMES = 200  # a good moment is looked for among so many


@dataclass(frozen=True)
class Shot:
    """One picture of a film."""

    time: float  # s
    camera: Camera


def outline_at(creatures: list[CreatureSurface], time: float) -> Floats:
    """Points [point, 3] whose convex hull holds all creatures at a time."""
    return np.concatenate([one.outline(one.motion.pose(time)) for one in creatures])


def choose_moment(creatures: list[CreatureSurface]) -> float:
    """The middle of the motion: half of all the way that is made has been made by then.

    So a fall that ends in a long rest is shown falling, not resting.
    """
    time = creatures[0].motion.time
    frames = np.unique(np.linspace(0, len(time) - 1, SEARCH_FRAMES).astype(int))
    outlines = [outline_at(creatures, float(time[frame])) for frame in frames]
    steps = [np.linalg.norm(b - a, axis=1).mean() for a, b in pairwise(outlines)]
    way = np.concatenate([[0.0], np.cumsum(steps)])
    if way[-1] == 0.0:
        return float(time[len(time) // 2])
    return float(time[frames[int(np.searchsorted(way, way[-1] / 2))]])


def plan_shots(
    creatures: list[CreatureSurface],
    times: Floats,
    *,
    aspect: float,
    scene: dict[str, Any],
    scenery: Floats | None = None,
) -> list[Shot]:
    """A camera for every moment, all creatures in view, as the scene's `camera` asks.

    A camera that does not follow also shows the scenery, given as points [point, 3].
    """
    wish = scene.get("camera") or {}
    backward, wider = view_water(choose_direction(scene), scene)
    camera = Camera(np.zeros(3), backward, 1.0, aspect)
    follow = bool(wish.get("follow", True)) and wish.get("at") is None
    zoom = float(wish.get("zoom", 1.0)) / wider
    frame_time = float(times[1] - times[0]) if len(times) > 1 else 1.0
    outlines = [outline_at(creatures, float(time)) for time in times]
    backs = np.array([back_directions(creatures, float(time)) for time in times])
    if follow and is_orbit(backs, scene.get("terrain") or []):
        cameras = plan_orbit(outlines, backs, frame_time, camera=camera, zoom=zoom)
        return [Shot(float(time), one) for time, one in zip(times, cameras, strict=True)]
    if not follow and scenery is not None:
        outlines = [np.concatenate([points, scenery]) for points in outlines]
    cameras = plan_cameras(
        np.array([measure_reach(camera, points) for points in outlines]),
        np.array([find_centre(points) for points in outlines]),
        frame_time,
        camera=camera,
        follow=follow,
        zoom=zoom,
    )
    return [Shot(float(t), obey(one, wish)) for t, one in zip(times, cameras, strict=True)]
