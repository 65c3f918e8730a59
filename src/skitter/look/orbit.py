"""A camera for creatures that walk around a solid: it stays outside, above their backs.

A fixed direction would lose a creature behind the ball it walks on. Here the direction turns with
the creature's back, by the smallest turn from each frame to the next. Carried along like that it
has no pole at which it would whirl around, as a camera with a fixed upward direction has.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import (
    Camera,
    calm_path,
    keep_in_view,
)
from skitter.look.creature import CreatureSurface
from skitter.look.motion import Pose
from skitter.look.terrain import is_closed
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
UP = np.array([0.0, 1.0, 0.0])
STEEPEST = np.cos(np.radians(50.0))  # backs that lean no more than this need no turning camera
LEAST_RISE = np.sin(np.radians(38.0))  # of the eye above the ground the creature stands on


def back_directions(creatures: list[CreatureSurface], time: float) -> Floats:
    """Where the back of every body that legs carry points [body, 3]; up if there is none."""
    legged = [one.motion for one in creatures if one.motion.leg_count and one.motion.has_bodies]
    turns = [quaternion_to_matrix(one.pose(time).body_orientation[one.trunk]) for one in legged]
    return np.concatenate([turn[:, :, 1] for turn in turns]) if turns else UP[None]


def back_of(pose: Pose) -> Floats:
    """Where the back of a creature points on the whole [3], unit; up if it has no bodies."""
    if len(pose.body_orientation) == 0:
        return UP
    mean = quaternion_to_matrix(pose.body_orientation)[:, :, 1].mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))


def is_orbit(backs: Floats, terrain: list[dict[str, Any]]) -> bool:
    """Whether a creature leaves the upper side of a closed surface; backs [frame, body, 3]."""
    return is_closed(terrain) and float(backs[:, :, 1].min()) < STEEPEST


def plan_orbit(
    outlines: list[Floats], backs: Floats, frame_time: float, *, camera: Camera, zoom: float
) -> list[Camera]:
    """One camera per frame, its direction carried along with the backs [frame, body, 3]."""
    raised = replace(camera, backward=_raise(camera.backward))
    cameras = [
        replace(raised, backward=turn @ raised.backward, up=turn @ UP)
        for turn in carry_frames(_unit(calm_path(backs.mean(axis=1), frame_time)))
    ]
    return keep_in_view(cameras, outlines, frame_time, zoom=zoom)


def carry_frames(up: Floats) -> Floats:
    """Rotations [frame, 3, 3] that take y to each of some unit vectors, turning least."""
    frame, before = np.eye(3), UP
    frames = np.empty((len(up), 3, 3))
    for k, direction in enumerate(up):
        frame = least_turn(before, direction) @ frame
        frames[k], before = frame, direction
    return frames


def least_turn(start: Floats, end: Floats) -> Floats:
    """The smallest rotation that takes one unit vector to another (Rodrigues)."""
    cosine = float(start @ end)
    if cosine < -1 + 1e-9:  # about any axis across
        across = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
        across /= np.linalg.norm(across)
        return 2 * np.outer(across, across) - np.eye(3)
    x, y, z = np.cross(start, end)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + cosine))


def _raise(backward: Floats) -> Floats:
    """The same azimuth, seen from high enough to look over the bend of the ground."""
    if backward[1] >= LEAST_RISE:
        return backward
    level = np.array([backward[0], 0.0, backward[2]])
    level *= np.sqrt(1 - LEAST_RISE**2) / np.linalg.norm(level)
    return level + LEAST_RISE * UP


def _unit(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
