"""Camera paths: a file of places to look from, each at its time, joined by a smooth curve.

Between keys the eye and the point that it looks at run on cubic Hermite curves, their speed at a
key that of the parabola through its neighbours. The camera is held before the first key and after
the last, so it starts from rest and comes to rest; a key that is given twice is held as well.
"""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from scipy.interpolate import CubicHermiteSpline

from skitter.errors import UserError
from skitter.look.camera import (
    THRESHOLD,
    VIEW_ANGLE,
    Camera,
    find_centre,
    follow_path,
    settle,
)
from skitter.look.creature import CreatureSurface
from skitter.scene.check import check, fail
from skitter.scene.describe import suggest
from skitter.scene.read_yaml import read_yaml
from skitter.spec import Finite, Name, Number, Spec, Vector3

Floats = NDArray[np.floating]
LEAST_GAP, GAP_ERROR = 1e-3, 1e-9  # s, between two keys, and by how much it may be missed
NEAREST = 1e-3  # cm, from the eye to the point that it looks at
PLUMB = 1e-4  # a view straight down leans so much, so that x is to the right in the picture
USUAL_FOV = float(np.degrees(VIEW_ANGLE))


class CameraKey(Spec):
    """Where the camera is at a time."""

    time: Finite  # s
    eye: Vector3 = Field(alias="from")  # cm
    at: Vector3  # cm, the point in the middle of the picture
    fov_deg: Annotated[Number, Field(ge=1, le=150)] = USUAL_FOV  # vertical
    follow: Name | None = None  # `from` and `at` count from this creature's middle

    @model_validator(mode="after")
    def check_apart(self) -> "CameraKey":
        if np.linalg.norm(np.subtract(self.eye, self.at)) < NEAREST:
            raise ValueError("has `from` and `at` at one point; valid: two points")
        return self

    def is_held(self, other: "CameraKey") -> bool:
        """Whether the camera stays between this key and another."""
        return self.model_dump(exclude={"time"}) == other.model_dump(exclude={"time"})


class CameraPath(Spec):
    """A camera file."""

    keys: Annotated[list[CameraKey], Field(min_length=1, max_length=10_000)]


def read_camera_path(path: Path, creatures: list[str]) -> CameraPath:
    """A camera file, checked; `creatures` are the names that it may follow."""
    read = check(CameraPath, read_yaml(path), lambda _: str(path))
    for number, (before, key) in enumerate(pairwise(read.keys), 1):
        least = before.time + LEAST_GAP
        if key.time < least - GAP_ERROR:
            problem = f"must be at least {least:g}, {LEAST_GAP:g} s after the key before; found"
            problem = f"{problem} {key.time:g}"
            raise fail(lambda _: str(path), ("keys", number, "time"), problem)
    for number, key in enumerate(read.keys):
        if key.follow is not None and key.follow not in creatures:
            valid = f"{suggest(key.follow, creatures)}valid: {', '.join(creatures)}"
            problem = f"is '{key.follow}', which is not in the recording; {valid}"
            raise fail(lambda _: str(path), ("keys", number, "follow"), problem)
    return read


def plan_path(
    path: CameraPath, creatures: list[CreatureSurface], times: Floats, *, aspect: float
) -> list[Camera]:
    """One camera per time."""
    weights = weigh_keys(path.keys, times)
    outlines = [[one.outline(one.motion.pose(float(t))) for one in creatures] for t in times]
    middles = np.array([[find_centre(points) for points in row] for row in outlines])
    names = [one.motion.name for one in creatures]
    base = carry_keys(path.keys, dict(zip(names, np.swapaxes(middles, 0, 1), strict=True)), times)
    eye, at = (
        np.einsum("tk,tki->ti", weights, base + np.array([getattr(key, end) for key in path.keys]))
        for end in ("eye", "at")
    )
    fov = np.radians(weights @ [key.fov_deg for key in path.keys]).clip(0.01, 2.7)
    centre = [find_centre(np.concatenate(row)) for row in outlines]
    return [
        look_from(*one, aspect=aspect, centre=middle)
        for *one, middle in zip(eye, at, fov, centre, strict=True)
    ]


def weigh_keys(keys: list[CameraKey], times: Floats) -> Floats:
    """How much each key counts at each time [time, key]; 1 on the whole."""
    if len(keys) == 1:
        return np.ones((len(times), 1))
    known = np.array([key.time for key in keys])
    values = np.eye(len(keys))
    slopes: Floats = np.array(
        np.gradient(values, known, axis=0)
    )  # the parabola's, between unequal steps too
    slopes[[0, -1]] = 0.0
    for number, (one, other) in enumerate(pairwise(keys)):
        if one.is_held(other):
            slopes[number : number + 2] = 0.0
    curve = CubicHermiteSpline(known, values, slopes, axis=0)
    return np.asarray(curve(np.clip(times, known[0], known[-1])))


def carry_keys(keys: list[CameraKey], middles: dict[str, Floats], times: Floats) -> Floats:
    """What keys count from, at each time [time, key, 3]: zero, or a creature's calm path."""
    frame_time = float(times[1] - times[0]) if len(times) > 1 else 1.0
    base = np.zeros((len(times), len(keys), 3))
    for number, key in enumerate(keys):
        if key.follow is not None and key.follow in middles:
            far = float(np.linalg.norm(np.subtract(key.eye, key.at)))
            base[:, number] = follow_path(middles[key.follow], frame_time, THRESHOLD * far)
    return base


def look_from(eye: Floats, at: Floats, angle: float, *, aspect: float, centre: Floats) -> Camera:
    """The camera at an eye; its target is moved along the line of sight to what is shown.

    The size of the studio comes from the distance of the target, wherever a file has put it.
    """
    away = eye - at
    distance = max(float(np.linalg.norm(away)), NEAREST)
    backward = away / distance
    if np.hypot(backward[0], backward[2]) < PLUMB:
        backward = np.array([0.0, np.sign(backward[1]) or 1.0, PLUMB])
        backward /= np.linalg.norm(backward)
    camera = Camera(eye - distance * backward, backward, distance, aspect, angle=float(angle))
    depth = float((eye - centre) @ backward)
    if depth <= 0.1 * float(np.linalg.norm(eye - centre)):  # it looks past them, or away
        return camera
    return replace(settle(camera, float(centre @ backward)), backward=backward)


def refuse_camera(given: str, names: tuple[str, ...]) -> UserError:
    """For a camera that is neither a name nor a file."""
    valid = f"{', '.join(names)}, or a camera file (.yaml)"
    return UserError(f"--camera {given}: is not known; {suggest(given, names)}valid: {valid}")
