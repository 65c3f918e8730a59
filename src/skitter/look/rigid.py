"""The stiff parts of a creature as solids that move with its bodies."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, build_capsule, build_rounded_box, join_meshes
from skitter.look.motion import Pose
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]

BEVEL_SHARE = 0.11  # of a box's shortest edge
CAPSULE = 1  # in body_shape


@dataclass(frozen=True)
class Piece:
    """A mesh that a body carries, in the body's frame."""

    body: int
    mesh: Mesh
    colour: Floats  # [3] linear light, or [point, 3]
    leg: int = -1  # that it is of; -1: none


class RigidSurface:
    """All stiff parts of a creature in one mesh, so that a frame is one update."""

    def __init__(self, pieces: list[Piece], half: Floats, *, tight: bool = False) -> None:
        """`half` [body, 3] cm: half the edges of each body's bounding box; pieces may stand out.

        A `tight` outline goes by the points of the pieces, not by boxes: for long, bent ones.
        """
        self.pieces = pieces
        self._rest = join_meshes([piece.mesh for piece in pieces])
        counts = [len(piece.mesh.points) for piece in pieces]
        self.bodies = np.repeat([piece.body for piece in pieces], counts)  # of each point
        self.colours = np.concatenate(
            [np.broadcast_to(p.colour, (n, 3)) for p, n in zip(pieces, counts, strict=True)]
        )
        self._corners = find_extremes(pieces, len(half)) if tight else box_corners(pieces, half)

    def at(self, pose: Pose) -> Mesh:
        """The parts where the pose has them."""
        turn = quaternion_to_matrix(pose.body_orientation)[self.bodies]
        points = np.einsum("pij,pj->pi", turn, self._rest.points)
        normals = np.einsum("pij,pj->pi", turn, self._rest.normals)
        return Mesh(points + pose.body_position[self.bodies], normals, self._rest.triangles)

    def outline(self, pose: Pose) -> Floats:
        """Corners of a box around each body and what it carries, or its outermost points [_, 3]."""
        turned = self._corners @ np.swapaxes(quaternion_to_matrix(pose.body_orientation), 1, 2)
        return (turned + pose.body_position[:, None]).reshape(-1, 3)


def box_corners(pieces: list[Piece], half: Floats) -> Floats:
    """Corners [body, 8, 3] of boxes, in the bodies' frames, that hold bodies and their pieces."""
    low, high = -np.asarray(half, float), np.array(half, float)
    for piece in pieces:
        low[piece.body] = np.minimum(low[piece.body], piece.mesh.points.min(axis=0))
        high[piece.body] = np.maximum(high[piece.body], piece.mesh.points.max(axis=0))
    is_high = np.stack(np.meshgrid(*[[False, True]] * 3), axis=-1).reshape(-1, 3)
    return np.where(is_high, high[:, None], low[:, None])


def find_extremes(pieces: list[Piece], bodies: int) -> Floats:
    """The outermost points of what each body carries, by 26 directions [body, 26, 3]."""
    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    ways = grid[np.any(grid, axis=1)]
    found = np.zeros((bodies, len(ways), 3))
    for body in range(bodies):
        own = [piece.mesh.points for piece in pieces if piece.body == body]
        if own:
            points = np.concatenate(own)
            found[body] = points[np.argmax(points @ ways.T, axis=0)]
    return found


def build_plain_pieces(shape: Indices, size: Floats, colour: Floats) -> list[Piece]:
    """Boxes and capsules as they are."""
    return [
        Piece(body, _part_mesh(int(shape[body]), size[body]), colour) for body in range(len(shape))
    ]


def _part_mesh(shape: int, size: Floats) -> Mesh:
    if shape == CAPSULE:
        return build_capsule(float(size[0]), float(size[1]))
    return build_rounded_box(size, bevel_radius(size))


def bevel_radius(size: Floats) -> float:
    """How much a box's edges are rounded, cm."""
    return BEVEL_SHARE * float(np.min(size))


def half_size(shape: int, size: Floats) -> Floats:
    """Half the edges of a part's bounding box, from body_size."""
    if shape == CAPSULE:
        return np.array([size[1] / 2 + size[0], size[0], size[0]])
    return np.asarray(size, dtype=float) / 2
