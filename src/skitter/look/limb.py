"""Legs and antennae: chains of links, each the same shape for all limbs of a kind.

A frame only places the shapes: where each link starts, how it is turned and how it is stretched.
Turns do not jump from one moment to the next: a leg's links turn with the plane of the leg, and an
antenna's are carried on from link to link.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.link import (
    LinkPaint,
    LinkShape,
    build_antenna_link,
    build_leg_link,
    paint_link,
)
from skitter.look.mesh import Mesh, unit_rows

Floats = NDArray[np.floating]
AROUND_RANGE = (6, 14)  # points of a ring
LEG_RINGS, BEAD_RINGS = 12, 5  # about as many as a link, or an article, has
LEG_TAPER = np.array([1.0, 0.86, 0.66])  # radius of each link at its root, of the first's
ANTENNA_TAPER = (1.0, 0.3)  # at root and tip


@dataclass(frozen=True)
class LinkPlaces:
    """Where the links are: a point p of shape k is at position + turn @ (scale * p)."""

    position: Floats  # [link, limb, 3] cm
    turn: Floats  # [link, limb, 3, 3] columns along, side, up
    scale: Floats  # [link, limb, 3] length, radius and radius, cm


class LimbSurface:
    """Limbs with the same number of links."""

    def __init__(self, shapes: list[LinkShape], radius: Floats, *, is_leg: bool) -> None:
        """`radius` [limb, link] cm, of each link at its root."""
        self.shapes = shapes
        self._radius = radius.T
        self._is_leg = is_leg
        self.colours = np.concatenate([np.tile(s.colours, (len(radius), 1)) for s in shapes])
        self._triangles = _number_triangles(shapes, len(radius))

    @property
    def limb_count(self) -> int:
        return int(self._radius.shape[1])

    def place(self, joints: Floats) -> LinkPlaces:
        """The links of limbs with their joints [..., limb, joint, 3] there."""
        start, along = joints[..., :-1, :], np.diff(joints, axis=-2)
        length = np.moveaxis(np.linalg.norm(along, axis=-1), -1, 0)
        turn = turn_with_plane(joints) if self._is_leg else carry_along(joints)
        many = (len(self._radius), *[1] * (length.ndim - 2), self.limb_count)
        radius = np.broadcast_to(self._radius.reshape(many), length.shape)
        scale = np.stack([length, radius, radius], axis=-1)
        return LinkPlaces(np.moveaxis(start, -2, 0), np.moveaxis(turn, -3, 0), scale)

    def at(self, joints: Floats) -> Mesh:
        """All limbs as one mesh: link by link, and limb by limb within a link."""
        places = self.place(joints)
        points, normals = [], []
        for shape, position, turn, scale in zip(
            self.shapes, places.position, places.turn, places.scale, strict=True
        ):
            frame = np.swapaxes(turn, 1, 2)  # rows: along, side, up
            points.append((shape.mesh.points * scale[:, None]) @ frame + position[:, None])
            lean = shape.mesh.normals / np.maximum(scale[:, None], 1e-12)
            normals.append(unit_rows(lean) @ frame)
        flat = [
            np.concatenate([part.reshape(-1, 3) for part in all_]) for all_ in (points, normals)
        ]
        return Mesh(flat[0], flat[1], self._triangles)


def _number_triangles(shapes: list[LinkShape], limbs: int) -> NDArray[np.int64]:
    """Triangles of all copies, in the order in which `at` puts their points."""
    parts, first = [], 0
    for shape in shapes:
        offset = first + np.arange(limbs)[:, None, None] * len(shape.mesh.points)
        parts.append((shape.mesh.triangles + offset).reshape(-1, 3))
        first += limbs * len(shape.mesh.points)
    return np.concatenate(parts)


def turn_with_plane(joints: Floats) -> Floats:
    """Turns [..., link, 3, 3] with the side out of the plane through root, knee and tip.

    The other axis then points to the outside of the bend, upwards in a leg that stands.
    """
    along = unit_rows(np.diff(joints, axis=-2))
    whole = joints[..., -1, :] - joints[..., 0, :]
    bend = np.cross(joints[..., 1, :] - joints[..., 0, :], whole)
    reach = np.linalg.norm(whole, axis=-1, keepdims=True)
    is_bent = np.linalg.norm(bend, axis=-1, keepdims=True) > 1e-6 * reach**2
    side = np.where(is_bent, bend, np.cross([0.0, 1.0, 0.0], whole))
    return complete_turns(along, np.broadcast_to(side[..., None, :], along.shape))


def carry_along(joints: Floats) -> Floats:
    """Turns [..., limb, link, 3, 3] of which each is that of the first link, turned the least.

    The first has its side along the line between the roots of the outer limbs, which turns with
    the body that carries them. A link that points straight back at the first is let be: no limb
    bends like that.
    """
    along = unit_rows(np.diff(joints, axis=-2))
    between = joints[..., -1:, 0, :] - joints[..., :1, 0, :]
    side = np.where(np.any(between, axis=-1, keepdims=True), between, [0.0, 0.0, 1.0])
    root = along[..., :1, :]
    first = complete_turns(root, np.broadcast_to(side[..., None, :], root.shape))
    x, y, z = np.moveaxis(np.cross(root, along), -1, 0)
    cosine = np.sum(root * along, axis=-1)[..., None, None]
    none = np.zeros_like(x)
    cross = np.moveaxis(np.array([[none, -z, y], [z, none, -x], [-y, x, none]]), (0, 1), (-2, -1))
    least = np.eye(3) + cross + cross @ cross / np.maximum(1 + cosine, 1e-6)  # Rodrigues
    return np.asarray(least @ first)


def complete_turns(along: Floats, side: Floats) -> Floats:
    """Turns [..., 3, 3] with columns along, side (made square to it) and up.

    Where the two are parallel, or one has no length, any side will do.
    """
    along = np.where(np.any(along, axis=-1, keepdims=True), along, [1.0, 0.0, 0.0])
    side = unit_rows(side)
    square = side - np.sum(side * along, axis=-1, keepdims=True) * along
    other = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=-1)])
    is_square = np.linalg.norm(square, axis=-1, keepdims=True) > 1e-6
    square = unit_rows(np.where(is_square, square, other))
    return np.stack([along, square, np.cross(along, square)], axis=-1)


def build_legs(
    radius: Floats, length: Floats, paint: LinkPaint, *, triangle_limit: int, machine: bool = False
) -> LimbSurface:
    """Legs of three links; `radius` [leg] at the root, `length` [link] their means, cm."""
    bands = 0 if paint.band is None else paint.bands
    rings = (LEG_RINGS + 4 * bands) * 3 * len(radius)
    around = choose_around(rings, triangle_limit)
    coarse = 2 * rings * around > triangle_limit
    ratio = radius.mean() * LEG_TAPER / np.maximum(length, 1e-9)
    built = [
        build_leg_link(
            k, float(ratio[k]), around=around, machine=machine, coarse=coarse, bands=bands
        )
        for k in range(3)
    ]
    shapes = [paint_link(mesh, zone, paint) for mesh, zone in built]
    return LimbSurface(shapes, radius[:, None] * LEG_TAPER, is_leg=True)


def build_antennae(
    count: int,
    length: Floats,
    radius: float,
    paint: LinkPaint,
    *,
    triangle_limit: int,
    articles: int = 1,
) -> LimbSurface:
    """Antennae of beads; `length` [link] are the means, cm, and `radius` is that at the root."""
    links = len(length)
    around = choose_around(BEAD_RINGS * articles * links * count, triangle_limit)
    taper = np.linspace(*ANTENNA_TAPER, links + 1)
    shapes = []
    for k in range(links):
        mesh, zone = build_antenna_link(
            radius * taper[k] / max(float(length[k]), 1e-9),
            taper[k + 1] / taper[k],
            articles,
            around=around,
            first=k == 0,
            last=k == links - 1,
        )
        shapes.append(paint_link(mesh, zone, paint))
    return LimbSurface(shapes, np.tile(radius * taper[:-1], (count, 1)), is_leg=False)


def choose_around(rings: int, triangle_limit: int) -> int:
    """Points of a ring, so that all rings together keep to a number of triangles."""
    return int(np.clip(triangle_limit / (2 * max(rings, 1)), *AROUND_RANGE))
