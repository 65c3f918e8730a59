"""The soft blocks of a creature as one smooth skin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skitter.look.mesh import Mesh
from skitter.look.motion import Pose
from skitter.look.rigid import CAPSULE, bevel_radius, half_size
from skitter.look.subdivide import build_skin, push_to_limit
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]

MOST_LEVELS = 3  # of subdivision; enough for a block of 3 x 3 x 3 nodes seen from near
GLUE_WIDTH = 0.98  # of a glued end that is drawn into a box
SHELL_WIDTH, SHELL_DEPTH = 0.84, 0.3  # of one drawn into a shell; depth as a share of its length


@dataclass(frozen=True)
class Tuck:
    """Soft nodes that are glued to a stiff part, and how far each is drawn into that part.

    The glued end of a block lies exactly in the part's face. Drawn there, the two surfaces would
    flicker against each other, and the part's bevel would leave a gap.
    """

    node: Indices  # [glued]
    body: Indices  # [glued]
    offset: Floats  # [glued, 3] cm, in the frame of the body

    def apply(self, pose: Pose) -> Floats:
        """The nodes, with the glued ones drawn in."""
        moved = pose.node_position.copy()
        if len(self.node):
            turn = quaternion_to_matrix(pose.body_orientation)[self.body]
            moved[self.node] += np.einsum("pij,pj->pi", turn, self.offset)
        return moved


class SoftSurface:
    """The skin of all soft blocks of a creature."""

    def __init__(
        self,
        rest: Floats,
        triangles: Indices,
        block: Indices,
        tuck: Tuck,
        *,
        triangle_limit: int,
        blocky: bool = True,
        through: sparse.csr_matrix | None = None,
    ) -> None:
        """`blocky` keeps the edges of blocks; else a skin may go `through` points [node, node].

        These are the nodes themselves, or points near the ends of a body that follow them.
        """
        self._through = through
        rest = rest if through is None else through @ rest
        self._node, faces = np.unique(triangles, return_inverse=True)
        faces = faces.reshape(-1, 3)
        levels = choose_levels(len(faces), triangle_limit)
        skin, self.triangles = build_skin(
            rest[self._node], faces, levels=levels, crease_levels=int(blocky)
        )
        self._skin = skin if through is None else lead_through(skin, self.triangles)
        self.tuck = tuck
        self._corner_sum = _incidence(self.triangles, skin.shape[0])
        self.block = block
        self.thickness = _block_thickness(rest, block)

    def at(self, pose: Pose) -> Mesh:
        """The skin where the pose has its nodes."""
        nodes = self.tuck.apply(pose)
        nodes = nodes if self._through is None else self._through @ nodes
        points = self._skin @ nodes[self._node]
        return Mesh(points, self._normals(points), self.triangles)

    def carry(self, values: Floats | Indices) -> Floats:
        """Values of nodes [node] as values of the skin's points."""
        return np.asarray(self._skin @ np.asarray(values, float)[self._node])

    def _normals(self, points: Floats) -> Floats:
        """Sums of the triangles' normals, weighted by their areas."""
        a, b, c = (points[self.triangles[:, k]] for k in range(3))
        total = self._corner_sum @ np.cross(b - a, c - a)
        return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)


def lead_through(skin: sparse.csr_matrix, triangles: Indices) -> sparse.csr_matrix:
    """The skin that is smooth without end and goes through its nodes, but for a hair.

    Points are moved to where more levels would have them. That lies inside of the nodes, by a
    twentieth of the radius of a tube of twelve, by more where it is bent. Nodes come first among
    the points: what those miss is made up for three times, which leaves a hundredth.
    """
    end = push_to_limit(skin.shape[0], np.asarray(triangles, np.int64)) @ skin
    whole = sparse.identity(skin.shape[1], format="csr")
    miss = whole - end[: skin.shape[1]]
    more = whole + miss @ (whole + miss @ (whole + miss))
    return sparse.csr_matrix(end @ more)


def choose_levels(triangle_count: int, triangle_limit: int) -> int:
    """How often a surface may be subdivided; every level has four times the triangles."""
    fitting = [k for k in range(MOST_LEVELS + 1) if triangle_count * 4**k <= triangle_limit]
    return max(fitting, default=0)


def _incidence(triangles: Indices, point_count: int) -> sparse.csr_matrix:
    column = np.repeat(np.arange(len(triangles)), 3)
    ones = np.ones(3 * len(triangles))
    return sparse.csr_matrix(
        (ones, (triangles.ravel(), column)), shape=(point_count, len(triangles))
    )


def _block_thickness(rest: Floats, block: Indices) -> float:
    """A typical way through a block, cm: sets how fast light fades in it."""
    spread = [np.ptp(rest[block == one], axis=0).min() for one in np.unique(block)]
    return max(float(np.median(spread)), 1e-9)


def find_tuck(
    rest: Pose, block: Indices, shape: Indices, size: Floats, *, in_shells: bool = False
) -> Tuck:
    """Finds the glued ends: nodes of one block that lie in or on one part in the first frame."""
    turn = quaternion_to_matrix(rest.body_orientation)
    found: list[tuple[Indices, Indices, Floats]] = []
    for body in range(len(shape)):
        local = (rest.node_position - rest.body_position[body]) @ turn[body]
        half = half_size(int(shape[body]), size[body])
        touching = np.flatnonzero(np.all(np.abs(local) <= half + 1e-3 * half.max(), axis=1))
        for one in np.unique(block[touching]):
            node = touching[block[touching] == one]
            draw_in = _draw_into_shell if in_shells else _draw_in
            offset = draw_in(local[node], int(shape[body]), size[body])
            found.append((node, np.full(len(node), body), offset))
    if not found:
        return Tuck(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros((0, 3)))
    node, glued_to, offset = (np.concatenate(column) for column in zip(*found, strict=True))
    return Tuck(node, glued_to, offset)


def _draw_in(local: Floats, shape: int, size: Floats) -> Floats:
    """Into the part, along the axis in which the glued end is flat, and a little narrower."""
    axis = int(np.argmin(np.ptp(local, axis=0)))
    depth = 1.1 * bevel_radius(size) if shape != CAPSULE else 0.3 * float(size[0])
    return _shrink(local, axis, depth, GLUE_WIDTH)


def _draw_into_shell(local: Floats, shape: int, size: Floats) -> Floats:
    """Farther in than into a box, and narrower: shells have round ends."""
    return _shrink(local, 0, SHELL_DEPTH * float(size[0]), SHELL_WIDTH)


def _shrink(local: Floats, axis: int, depth: float, width: float) -> Floats:
    offset = (1 - width) * (local.mean(axis=0) - local)
    offset[:, axis] = -np.sign(local[:, axis].mean()) * depth
    return offset
