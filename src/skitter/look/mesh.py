"""Triangle meshes of the stiff shapes: bevelled boxes, capsules, spheres and cylinders.

A real thing has no razor edges: a small bevel catches a line of light, which is what makes a box
look solid. All meshes are closed, wind outwards, and carry smooth normals of their own, so that
nothing has to be guessed from the triangles later.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh in its own frame."""

    points: Floats  # [point, 3] cm
    normals: Floats  # [point, 3] unit, outward
    triangles: NDArray[np.int64]  # [triangle, 3] counter-clockwise seen from outside

    def moved(self, position: Floats, rotation: Floats) -> "Mesh":
        """The mesh turned by a rotation matrix, then shifted."""
        return Mesh(self.points @ rotation.T + position, self.normals @ rotation.T, self.triangles)

    def scaled(self, factor: Floats) -> "Mesh":
        """The mesh stretched along its axes [3]; normals lean the other way."""
        return Mesh(self.points * factor, unit_rows(self.normals / factor), self.triangles)

    def mirrored(self) -> "Mesh":
        """The other hand of a pair: z turned round."""
        flip = np.array([1.0, 1.0, -1.0])
        return Mesh(self.points * flip, self.normals * flip, self.triangles[:, ::-1])


def unit_rows(vectors: Floats) -> Floats:
    """Vectors [..., 3] of length one; one of no length stays so."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-30)


def join_meshes(meshes: list[Mesh]) -> Mesh:
    """One mesh that holds them all."""
    offsets = np.cumsum([0] + [len(mesh.points) for mesh in meshes])
    return Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + k for mesh, k in zip(meshes, offsets, strict=False)]),
    )


def build_rounded_box(size: Floats, bevel: float, steps: int = 4) -> Mesh:
    """A box of full edges `size` whose edges and corners are rounded with radius `bevel`."""
    half = np.asarray(size, dtype=float) / 2
    bevel = min(bevel, 0.999 * float(half.min()))
    core = half - bevel
    faces = [_box_face(half, bevel, axis, sign, steps) for axis in range(3) for sign in (-1, 1)]
    box = join_meshes([Mesh(p, p, t) for p, t in faces])
    inner = np.clip(box.points, -core, core)
    outward = box.points - inner
    normals = outward / np.linalg.norm(outward, axis=1, keepdims=True)
    return Mesh(inner + bevel * normals, normals, box.triangles)


def _box_face(
    half: Floats, bevel: float, axis: int, sign: int, steps: int
) -> tuple[Floats, NDArray[np.int64]]:
    """One face of the sharp box, as a grid that is fine where the bevel will bend it."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rise = bevel * np.tan(np.linspace(0, np.pi / 4, steps))
    u, v = (
        np.concatenate([-(half[k] - bevel) - rise[::-1], (half[k] - bevel) + rise])
        for k in (first, second)
    )
    points = np.empty((len(u) * len(v), 3))
    points[:, axis] = sign * half[axis]
    points[:, first], points[:, second] = (g.ravel() for g in np.meshgrid(u, v, indexing="ij"))
    triangles = grid_triangles(len(u), len(v))
    return points, triangles if sign > 0 else triangles[:, ::-1]


def grid_triangles(rows: int, columns: int) -> NDArray[np.int64]:
    """Two triangles per cell of a grid of points stored row by row."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    below, right = corner + columns, corner + 1
    return np.concatenate(
        [
            np.stack([corner, below, below + 1], axis=1),
            np.stack([corner, below + 1, right], axis=1),
        ]
    )


def ring_triangles(rings: int, around: int) -> NDArray[np.int64]:
    """Two triangles per cell of rings of points; each ring closes, so that no seam shows."""
    start = (np.arange(rings - 1)[:, None] * around + np.arange(around)).ravel()
    beside = (np.arange(rings - 1)[:, None] * around + (np.arange(around) + 1) % around).ravel()
    return np.concatenate(
        [
            np.stack([start, beside, beside + around], axis=1),
            np.stack([start, beside + around, start + around], axis=1),
        ]
    )


def build_rings(points: Floats) -> Mesh:
    """A closed skin over rings [ring, around, 3], with smooth normals.

    The first and the last ring are poles: all their points are one place, with one normal.
    """
    rings, around = points.shape[:2]
    flat, triangles = points.reshape(-1, 3), ring_triangles(rings, around)
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    has_area = np.linalg.norm(facing, axis=1) > 1e-9 * np.abs(facing).max()
    total = np.zeros_like(flat)
    for k in range(3):
        np.add.at(total, triangles[:, k], facing)
    for pole in (slice(None, around), slice(-around, None)):
        total[pole] = total[pole].sum(axis=0)
    return Mesh(flat, unit_rows(total), triangles[has_area])


def build_tube(path: Floats, radius: Floats, *, around: int) -> Mesh:
    """A skin around a bent line [point, 3] that is nowhere upright, closed at both ends."""
    axis = unit_rows(np.gradient(path, axis=0))
    side = unit_rows(np.cross(axis, [0.0, 1.0, 0.0]))
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) @ np.stack(
        [side, np.cross(axis, side)], axis=1
    )
    rings = path[:, None] + radius[:, None, None] * circle
    ends = [np.broadcast_to(path[k], (1, around, 3)) for k in (0, -1)]
    return build_rings(np.concatenate([ends[0], rings, ends[1]]))


def build_capsule(radius: float, length: float, *, around: int = 40, steps: int = 10) -> Mesh:
    """A cylinder along x of straight length `length`, with half spheres on its ends."""
    angle = np.linspace(0, np.pi / 2, steps)
    along = np.concatenate([-np.cos(angle), np.cos(angle[::-1])])
    outward = np.concatenate([np.sin(angle), np.sin(angle[::-1])])
    shift = np.repeat([-length / 2, length / 2], steps)
    return _lathe(radius * along + shift, radius * outward, along, outward, around)


def build_sphere(radius: float, *, around: int = 72, steps: int = 24) -> Mesh:
    """A ball."""
    return build_capsule(radius, 0.0, around=around, steps=steps)


def build_cylinder(
    radius: float, length: float, bevel: float, *, around: int = 72, steps: int = 6
) -> Mesh:
    """A cylinder along x with flat ends and rounded rims."""
    bevel = min(bevel, 0.999 * radius, 0.499 * length)
    angle = np.linspace(0, np.pi / 2, steps)
    ends = np.concatenate([[-1.0], -np.cos(angle), np.cos(angle[::-1]), [1.0]])
    sides = np.concatenate([[0.0], np.sin(angle), np.sin(angle[::-1]), [0.0]])
    along = np.sign(ends) * (length / 2 - bevel) + bevel * ends
    middle = len(ends) // 2
    along[middle - 1], along[middle] = -(length / 2 - bevel), length / 2 - bevel
    outward = (radius - bevel) + bevel * sides
    outward[[0, -1]] = 0.0
    return _lathe(along, outward, ends, sides, around)


def _lathe(along: Floats, outward: Floats, n_along: Floats, n_out: Floats, around: int) -> Mesh:
    """Turns a profile (from -x to +x) about the x axis."""
    turn = np.linspace(0, 2 * np.pi, around + 1)
    circle = np.stack([np.zeros_like(turn), np.cos(turn), np.sin(turn)], axis=1)
    axis = np.array([1.0, 0.0, 0.0])
    points = along[:, None, None] * axis + outward[:, None, None] * circle
    normals = n_along[:, None, None] * axis + n_out[:, None, None] * circle
    triangles = grid_triangles(len(along), around + 1)[:, ::-1]
    return Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles)
