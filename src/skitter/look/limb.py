"""Legs and antennae: chains of links that get thinner, each a tapered tube with round ends.

Two links of a chain share the ball at their joint, which rounds it whatever the angle. All limbs of
a creature are one mesh; a frame is a few array operations, however many legs there are.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, ring_triangles

Floats = NDArray[np.floating]
CAP_STEPS = 3  # rings of points from a pole to its equator
AROUND_RANGE = (8, 20)  # points of a ring
LEG_TAPER = np.array([1.0, 0.82, 0.52, 0.10])  # radius at root, knee, ankle and tip
ANTENNA_TAPER = (1.0, 0.3)  # at root and tip
ANTENNA_SMOOTHNESS = 4  # pieces that a link of an antenna is bent in


class LimbSurface:
    """Limbs with the same number of joints."""

    def __init__(self, radius: Floats, *, triangle_limit: int, path: Floats | None = None) -> None:
        """`radius` [limb, point] cm; `path` [point, joint] makes the points out of the joints."""
        self._path = np.eye(radius.shape[1]) if path is None else path
        start, end = radius[:, :-1].reshape(-1), radius[:, 1:].reshape(-1)
        links, rings = len(start), 2 * CAP_STEPS
        around = int(np.clip(triangle_limit / (2 * rings * max(links, 1)), *AROUND_RANGE))
        self._radius = np.repeat(np.stack([start, end], axis=1), CAP_STEPS, axis=1)
        angle = np.linspace(0, np.pi / 2, CAP_STEPS)
        self._along = np.concatenate([-np.cos(angle), np.cos(angle[::-1])])
        self._outward = np.concatenate([np.sin(angle), np.sin(angle[::-1])])
        turn = 2 * np.pi * np.arange(around) / around
        self._circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        first = np.arange(links)[:, None, None] * rings * around
        self._triangles = (ring_triangles(rings, around) + first).reshape(-1, 3)

    @property
    def point_count(self) -> int:
        return self._radius.size * len(self._circle)

    def spread(self, values: Floats) -> Floats:
        """Values [limb, point] of the path, as one per point of the mesh."""
        ends = np.stack([values[:, :-1].reshape(-1), values[:, 1:].reshape(-1)], axis=1)
        return np.repeat(ends, CAP_STEPS * len(self._circle), axis=1).reshape(-1)

    def at(self, joints: Floats) -> Mesh:
        """The limbs with their joints [limb, joint, 3] there."""
        points = self._path @ joints
        ends = np.stack([points[:, :-1].reshape(-1, 3), points[:, 1:].reshape(-1, 3)], axis=1)
        axis, side, up = build_axes(ends[:, 1] - ends[:, 0])
        circle = self._circle @ np.stack([side, up], axis=1)  # [link, around, 3]
        normals = self._along[:, None, None] * axis[:, None, None]
        normals = normals + self._outward[:, None, None] * circle[:, None]
        centre = np.repeat(ends, CAP_STEPS, axis=1)[:, :, None]
        surface = centre + self._radius[:, :, None, None] * normals
        return Mesh(surface.reshape(-1, 3), normals.reshape(-1, 3), self._triangles)


def build_axes(along: Floats) -> tuple[Floats, Floats, Floats]:
    """Three unit vectors each, right-handed, the first along the given ones."""
    axis = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    helper = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    side = np.cross(axis, helper)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    return axis, side, np.cross(axis, side)


def build_legs(root_radius: Floats, *, triangle_limit: int) -> LimbSurface:
    """Legs of three links."""
    return LimbSurface(root_radius[:, None] * LEG_TAPER, triangle_limit=triangle_limit)


def build_antennae(
    count: int, joint_count: int, root_radius: float, *, triangle_limit: int
) -> LimbSurface:
    """Antennae, bent smoothly through their joints."""
    path = build_curve(joint_count, ANTENNA_SMOOTHNESS)
    taper = np.linspace(*ANTENNA_TAPER, len(path))
    radius = np.tile(root_radius * taper, (count, 1))
    return LimbSurface(radius, triangle_limit=triangle_limit, path=path)


def build_curve(joint_count: int, pieces: int) -> Floats:
    """Weights [point, joint] of a curve through all joints (Catmull and Rom 1974)."""
    place = np.linspace(0, joint_count - 1, pieces * (joint_count - 1) + 1)
    first = np.minimum(place.astype(int), joint_count - 2)
    t = place - first
    weights = [
        (-t + 2 * t**2 - t**3) / 2,
        (2 - 5 * t**2 + 3 * t**3) / 2,
        (t + 4 * t**2 - 3 * t**3) / 2,
        (t**3 - t**2) / 2,
    ]
    curve = np.zeros((len(place), joint_count + 2))  # with one joint more at either end
    for k, weight in enumerate(weights):
        curve[np.arange(len(place)), first + k] = weight
    ends = np.zeros((joint_count + 2, joint_count))  # which goes on as straight as it came
    ends[1:-1] = np.eye(joint_count)
    ends[0, :2], ends[-1, -2:] = (2, -1), (-1, 2)
    return np.asarray(curve @ ends)
