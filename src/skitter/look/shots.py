"""The shot list of a picture or a film: which moments, and where the camera is at each."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import Camera, measure_reach, plan_cameras, view_direction
from skitter.look.creature import CreatureSurface

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
    creatures: list[CreatureSurface], times: Floats, *, aspect: float, scene: dict[str, Any]
) -> list[Shot]:
    """A camera for every moment, all creatures in view, as the scene's `camera` asks."""
    wish = scene.get("camera") or {}
    backward = view_direction(wish.get("azimuth_deg", 35.0), wish.get("elevation_deg", 18.0))
    camera = Camera(np.zeros(3), backward, 1.0, aspect)
    outlines = [outline_at(creatures, float(time)) for time in times]
    cameras = plan_cameras(
        np.array([measure_reach(camera, points) for points in outlines]),
        np.array([(points.max(axis=0) + points.min(axis=0)) / 2 for points in outlines]),
        float(times[1] - times[0]) if len(times) > 1 else 1.0,
        camera=camera,
        follow=bool(wish.get("follow", True)),
        zoom=float(wish.get("zoom", 1.0)),
    )
    return [Shot(float(time), one) for time, one in zip(times, cameras, strict=True)]
