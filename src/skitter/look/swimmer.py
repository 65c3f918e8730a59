"""The skin of a swimmer: one smooth body through its rigid parts and soft blocks.

Every rigid part and the middle of every soft block is a section: a place, and two half axes across
the body. Splines along the body carry them on to rings, which are superellipses. All of that is
linear in the sections, so a frame costs a product with a matrix that stays.

The simulated body is a row of boxes. The skin keeps their length, and their width and height in the
middle of the body; snout and tail taper, as those of an eel do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.interpolate import CubicSpline

from skitter.look.hide import Hide, read_hide
from skitter.look.mesh import Mesh, ring_triangles, unit_rows
from skitter.look.motion import Motion, Pose
from skitter.look.read import read_look
from skitter.look.rigid import Piece
from skitter.rotation import quaternion_to_matrix
from skitter.species.look import SwimmerLook

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
ROUND = 2.3  # exponent of the superellipse: 2 is an ellipse, more is boxier
WIDTH, HEIGHT = 0.88, 1.04  # of the boxes, that a round body takes
NOSE, TAIL = 0.3, 1.6  # lengths of the end parts by which snout and tail go on
CREST = 0.13  # radians, half the width of a fin's foot
FIN_HEIGHT = 0.30  # of the body's height
FIN_STARTS = (0.30, 0.42)  # share of the body's length: above and below
FINE = 0.35  # of the usual way between rings, at snout and tail


@dataclass(frozen=True)
class Rings:
    """Sections across a body, from snout to tail."""

    centre: Floats  # [..., ring, 3] cm
    up: Floats  # [..., ring, 3] cm, half axis
    side: Floats  # [..., ring, 3] cm, half axis to the right


class Spine:
    """The sections of a swimmer, and splines through them."""

    def __init__(self, size: Floats, gap: Floats, middles: list[Ints], node_count: int) -> None:
        """`middles` are the nodes in the middle of the block behind each part but the last."""
        self.size = size
        most = max(len(nodes) for nodes in middles)
        self._middle_nodes = np.array([np.resize(nodes, most) for nodes in middles])
        self._mean = np.zeros((len(middles), node_count))
        for number, nodes in enumerate(middles):
            self._mean[number, nodes] = 1 / len(nodes)
        front = np.concatenate([[0.0], np.cumsum(size[:-1, 0] + gap)])
        parts, blocks = front + size[:, 0] / 2, front[1:] - gap / 2
        self.length = float(front[-1] + size[-1, 0])  # cm, from the front of the first part
        self.height = float(size[:, 1].mean())  # cm
        self.nose, self.tail = NOSE * float(size[0, 0]), TAIL * float(size[-1, 0])
        ends = [[-self.nose], [self.length + self.tail]]
        self._order = np.argsort(np.concatenate([parts, blocks]))
        inner = np.concatenate([parts, blocks])[self._order]
        self._place = np.concatenate([ends[0], inner, ends[1]])

    def weights(self, place: Floats) -> Floats:
        """Of all sections, at some places along the body [place, section]."""
        spline = CubicSpline(self._place, np.eye(len(self._place)), bc_type="natural")
        return np.asarray(spline(place))

    def sections(self, pose: Pose) -> Rings:
        """Where a pose has the sections, which have the size of the boxes."""
        turn = quaternion_to_matrix(pose.body_orientation)
        ahead, up, side = (turn[..., axis] for axis in range(3))
        half = self.size / 2
        high, wide = up * half[:, 1:2], side * half[:, 2:3]
        nodes = pose.node_position
        middle = np.einsum("kn,...ni->...ki", self._mean, nodes)
        between = [unit_rows(one[..., :-1, :] + one[..., 1:, :]) for one in (up, side)]
        measured = [self._measure(nodes, middle, way) for way in between]
        usual = (half[:-1, 1:] + half[1:, 1:]) / 2
        axes = [
            way * (found + usual[:, k])[..., None] / 2
            for k, (way, found) in enumerate(zip(between, measured, strict=True))
        ]
        return Rings(
            self._lay(
                pose.body_position,
                middle,
                pose.body_position[..., 0, :] + (half[0, 0] + self.nose) * ahead[..., 0, :],
                pose.body_position[..., -1, :] - (half[-1, 0] + self.tail) * ahead[..., -1, :],
            ),
            self._lay(high, axes[0], high[..., 0, :], high[..., -1, :]),
            self._lay(wide, axes[1], wide[..., 0, :], wide[..., -1, :]),
        )

    def _measure(self, nodes: Floats, middle: Floats, way: Floats) -> Floats:
        """How far the middle of each block reaches in a direction, cm."""
        off = nodes[..., self._middle_nodes, :] - middle[..., None, :]
        return np.asarray(np.abs(np.einsum("...kni,...ki->...kn", off, way)).max(axis=-1))

    def _lay(self, parts: Floats, blocks: Floats, first: Floats, last: Floats) -> Floats:
        """Values of parts and blocks in the order in which they lie, between two ends."""
        inner = np.concatenate([parts, blocks], axis=-2)[..., self._order, :]
        return np.concatenate([first[..., None, :], inner, last[..., None, :]], axis=-2)


def find_spine(motion: Motion, size: Floats, block: Ints) -> Spine:
    """Finds the block behind each part, and the nodes in its middle."""
    rest = motion.rest
    body, nodes = rest.body_position, rest.node_position
    steps = np.linalg.norm(np.diff(body, axis=0), axis=1)
    gap = np.maximum(steps - (size[:-1, 0] + size[1:, 0]) / 2, 0.05 * steps)
    numbers = np.unique(block)
    means = np.array([nodes[block == one].mean(axis=0) for one in numbers])
    middles = []
    for k in range(len(size) - 1):
        between = (body[k] + body[k + 1]) / 2
        one = numbers[np.argmin(np.linalg.norm(means - between, axis=1))]
        own = np.flatnonzero(block == one)
        along = np.abs((nodes[own] - between) @ (body[k] - body[k + 1])) / steps[k]
        is_middle = along < along.min() + 0.15 * float(gap[k])
        middles.append(own[is_middle])
    return Spine(size, gap, middles, len(nodes))


def shape_along(place: Floats, spine: Spine) -> tuple[Floats, Floats]:
    """Height and width of the skin, of those of the boxes, at places along the body."""
    head = float(spine.size[0, 0]) + spine.nose
    front = np.clip((place + spine.nose) / (1.7 * head), 0, 1)
    snout = np.sqrt(np.clip(1 - (1 - front) ** 2.6, 0, 1))
    end = spine.length + spine.tail
    rear = np.clip((place / end - 0.45) / 0.55, 0, 1)
    tip = np.sqrt(np.clip((end - place) / (0.5 * spine.tail), 0, 1))
    high = HEIGHT * snout**0.9 * (1 - 0.78 * rear**1.6) * tip
    wide = WIDTH * snout**0.8 * (1 - 0.86 * rear**1.4) * tip
    return high, wide


def rise_of_fins(place: Floats, spine: Spine) -> Floats:
    """Height of the fins above and below [place, 2], of half the body's height."""
    end = spine.length + spine.tail
    share = place[:, None] / end
    grown = np.clip((share - np.array(FIN_STARTS)) / 0.16, 0, 1)
    closed = np.sqrt(np.clip((1 - share) / 0.05, 0, 1))
    most = 2 * FIN_HEIGHT * (1 - 0.25 * np.clip((share - 0.5) / 0.5, 0, 1))
    return np.asarray(most * grown * grown * (3 - 2 * grown) * closed)


def choose_angles(around: int) -> Floats:
    """Where a ring has points, radians from the right side upwards; close together at the fins."""
    quarter = max((around - 2) // 4, 3)
    run = np.linspace(CREST - np.pi / 2, np.pi / 2 - CREST, 2 * quarter)
    right = np.append(run, np.pi / 2)
    return np.concatenate([right, right + np.pi])


class Outline:
    """The points of rings at some places along a body, as seen along its axes."""

    def __init__(self, spine: Spine, place: Floats, angles: Floats) -> None:
        self.place, self.angles = place, angles
        high, wide = shape_along(place, spine)
        sine, cosine = np.sin(angles), np.cos(angles)
        self.up = high[:, None] * np.sign(sine) * np.abs(sine) ** (2 / ROUND)
        self.side = wide[:, None] * np.sign(cosine) * np.abs(cosine) ** (2 / ROUND)
        self.fin = np.zeros_like(self.up)
        self.plain_up = self.up.copy()  # without fins
        fins = rise_of_fins(place, spine)
        for k, sign in enumerate((1, -1)):
            crest = np.isclose(sine, sign)
            self.up[:, crest] += sign * fins[:, k : k + 1]
            self.side[:, crest] = 0.0
            self.fin[:, crest] = np.clip(fins[:, k : k + 1] / FIN_HEIGHT, 0, 1)

    def wrap(self, rings: Rings) -> Floats:
        """Points [ring, around, 3] around rings."""
        up, side = self.up[..., None], self.side[..., None]
        return np.asarray(
            rings.centre[:, None] + up * rings.up[:, None] + side * rings.side[:, None]
        )


class SwimmerSkin:
    """The skin of a swimmer as one closed mesh."""

    def __init__(self, spine: Spine, hide: Hide, *, triangle_limit: int) -> None:
        self.spine, self.hide = spine, hide
        self.angles = choose_angles(22 if triangle_limit < 8000 else 42)
        rings = max(triangle_limit // (2 * len(self.angles)), 40)
        self.shape = Outline(spine, choose_places(spine, min(rings, 280)), self.angles)
        self._weights = spine.weights(self.shape.place)
        count, around = self.shape.up.shape
        self._triangles = ring_triangles(count, around)
        self._corner_sum = sum_corners(self._triangles, count * around)
        self.colours = self.hide.paint(self.shape, spine).reshape(-1, 3)

    def rings(self, pose: Pose) -> Rings:
        """Where a pose has the rings, with the axes of the boxes."""
        return carry_rings(self._weights, self.spine.sections(pose))

    def at(self, pose: Pose) -> Mesh:
        """The skin where the pose has its parts and nodes."""
        return cover_rings(self.shape.wrap(self.rings(pose)), self._triangles, self._corner_sum)

    def outline(self, pose: Pose) -> Floats:
        """Points [point, 3] whose convex hull holds nearly all of it."""
        points = self.shape.wrap(self.rings(pose))
        return points[:: max(len(points) // 40, 1), :: max(len(self.angles) // 8, 1)].reshape(-1, 3)


def cover_rings(points: Floats, triangles: Ints, corner_sum: sparse.csr_matrix) -> Mesh:
    """A skin over rings [ring, around, 3] with smooth normals; a ring that is a point is a tip."""
    flat = points.reshape(-1, 3)
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    normals = unit_rows(corner_sum @ np.cross(b - a, c - a)).reshape(points.shape)
    for end, inner in ((0, 1), (-1, -2)):
        if np.ptp(points[end], axis=0).max() < 1e-6:
            normals[end] = unit_rows((points[end] - points[inner]).mean(axis=0))
    return Mesh(flat, normals.reshape(-1, 3), triangles)


def carry_rings(weights: Floats, sections: Rings) -> Rings:
    """Splines through sections, at the places that the weights are for."""
    carried = [weights @ one for one in (sections.centre, sections.up, sections.side)]
    return Rings(*carried)


def sum_corners(triangles: Ints, point_count: int) -> sparse.csr_matrix:
    """Adds up values of triangles at their corners."""
    column = np.repeat(np.arange(len(triangles)), 3)
    ones = np.ones(3 * len(triangles))
    return sparse.csr_matrix(
        (ones, (triangles.ravel(), column)), shape=(point_count, len(triangles))
    )


def cut_skin(skin: SwimmerSkin, place: Floats, body: int) -> Piece:
    """The skin at some places along the body as a piece that one part carries, unbent."""
    spine, half = skin.spine, skin.spine.size[body] / 2
    middle = half[0] if body == 0 else spine.length - half[0]
    shape, axes = Outline(spine, place, skin.angles), np.diag(half)
    centre = (middle - place)[:, None] * np.array([1.0, 0.0, 0.0])
    points = shape.wrap(Rings(centre, *(np.tile(axes[k], (len(place), 1)) for k in (1, 2))))
    triangles = ring_triangles(*points.shape[:2])
    mesh = cover_rings(points, triangles, sum_corners(triangles, points[..., 0].size))
    return Piece(body, mesh, skin.hide.paint(shape, spine).reshape(-1, 3))


def choose_places(spine: Spine, count: int) -> Floats:
    """Places of rings along the body, cm: closer together at snout and tail."""
    start, end = -spine.nose, spine.length + spine.tail
    many = np.linspace(start, end, 2000)
    reach = 1.2 * (float(spine.size[0, 0]) + spine.nose)
    near = np.clip((many - start) / reach, 0, 1) * np.clip((end - many) / reach, 0, 1)
    density = np.cumsum(1 / (FINE + (1 - FINE) * near))
    wanted = np.linspace(density[0], density[-1], count)
    return np.interp(wanted, density, many)


def wears_skin(motion: Motion) -> bool:
    """Whether it is a swimmer that is to be shown with a skin."""
    whole = motion.has_bodies and motion.has_nodes
    return motion.kind == "swimmer" and whole and read_look(SwimmerLook, motion.look).skin


def build_skin(recording: Any, motion: Motion, size: Floats, *, triangle_limit: int) -> SwimmerSkin:
    """The skin of a swimmer whose parts have these edges [part, 3], cm."""
    block = np.asarray(recording.static(f"{motion.name}.soft_block"))
    hide = read_hide(read_look(SwimmerLook, motion.look))
    return SwimmerSkin(find_spine(motion, size, block), hide, triangle_limit=triangle_limit)
