"""Where the camera of an export stands in every frame of a clip, as in a film of it."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import Clip
from skitter.look.camera import (
    Camera,
    find_centre,
    frame_reach,
    measure_reach,
    settle,
    view_direction,
)
from skitter.look.creature import CreatureSurface
from skitter.render.plan import plan_scene

Floats = NDArray[np.floating]
SIZE = (1280, 720)
LOOKED_AT = 1500  # moments of a clip at which the camera is planned; between them it moves evenly
ASIDE = (35.0, 18.0)  # azimuth and elevation of a view of what stays in place, degrees


def plan_view(recording: Any, creatures: list[CreatureSurface], clip: Clip) -> list[Camera]:
    """One camera per frame."""
    if clip.in_place:
        return [view_rest(creatures)] * len(clip.times)
    count = min(len(clip.times), LOOKED_AT)
    times = np.linspace(clip.times[0], clip.times[-1], count)
    planned = [shot.camera for shot in plan_scene(recording, creatures, times, SIZE)]
    if count == len(clip.times):
        return planned
    return spread_cameras(planned, np.linspace(0, count - 1, len(clip.times)))


def view_rest(creatures: list[CreatureSurface]) -> Camera:
    """A still camera, for creatures where they are at rest."""
    points = np.concatenate([one.outline(one.motion.rest) for one in creatures])
    camera = Camera(np.zeros(3), view_direction(*ASIDE), 1.0, SIZE[0] / SIZE[1])
    framed = frame_reach(camera, measure_reach(camera, points))
    return settle(framed, float(find_centre(points) @ camera.backward))


def spread_cameras(planned: list[Camera], places: Floats) -> list[Camera]:
    """Cameras between some, at places that count them from 0."""
    values = np.array([[*one.target, *one.backward, *one.up, one.distance] for one in planned])
    before = np.clip(places.astype(int), 0, max(len(planned) - 2, 0))
    behind = np.minimum(before + 1, len(planned) - 1)
    share = (places - before)[:, None]
    mixed = (1 - share) * values[before] + share * values[behind]
    return [
        replace(
            planned[0],
            target=row[:3],
            backward=row[3:6] / np.linalg.norm(row[3:6]),
            up=row[6:9] / np.linalg.norm(row[6:9]),
            distance=float(row[9]),
        )
        for row in mixed
    ]
