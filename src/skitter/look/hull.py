"""Closed shapes of an insect's hard parts: hulls of rings, tubes and spikes, with their colours."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, build_rings, join_meshes, unit_rows

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Shape:
    """A mesh and its colours."""

    mesh: Mesh
    colours: Floats  # [point, 3] linear light

    def moved(self, position: Floats, rotation: Floats) -> "Shape":
        """The shape turned by a rotation matrix, then shifted."""
        return Shape(self.mesh.moved(position, rotation), self.colours)

    def mirrored(self) -> "Shape":
        """The other hand of a pair: z turned round."""
        return Shape(self.mesh.mirrored(), self.colours)


def paint(mesh: Mesh, colour: Floats) -> Shape:
    """A mesh in one colour [3], or in those of its points [point, 3]."""
    return Shape(mesh, np.array(np.broadcast_to(colour, mesh.points.shape), float))


def join_shapes(shapes: list[Shape]) -> Shape:
    """One shape that holds them all."""
    return Shape(
        join_meshes([one.mesh for one in shapes]), np.concatenate([one.colours for one in shapes])
    )


def both_sides(right: Shape) -> list[Shape]:
    """A part of the right side, and its mirror image."""
    return [right, right.mirrored()]


@dataclass(frozen=True)
class Rings:
    """Sections of a hull, from its front (+x) to its back; all [ring], cm."""

    x: Floats
    half: Floats  # width to either side
    edge: Floats  # height at which it is widest
    top: Floats  # height of the crown
    bottom: Floats  # height of the keel


def build_hull(
    rings: Rings, *, around: int, arch: float = 2.0, belly: float = 2.0
) -> tuple[Mesh, Floats]:
    """A skin over rings, closed at both ends, and how high on its ring each point lies, -1 to 1.

    Sections are superellipses of exponents `arch` above the edge and `belly` below: 2 is round,
    less is a lens with sharp edges, more is boxy.
    """
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    cosine, sine = np.cos(angle), np.sin(angle)
    power = 2 / np.where(sine > 0, arch, belly)
    across = np.sign(cosine) * np.abs(cosine) ** power
    rise = np.sign(sine) * np.abs(sine) ** power
    high = np.where(
        sine > 0, (rings.top - rings.edge)[:, None], (rings.edge - rings.bottom)[:, None]
    )
    points = np.stack(
        [
            np.repeat(rings.x[:, None], around, axis=1),
            rings.edge[:, None] + high * rise,
            rings.half[:, None] * across,
        ],
        axis=2,
    )
    poles = [
        np.broadcast_to([rings.x[k], (rings.top[k] + rings.bottom[k]) / 2, 0.0], (1, around, 3))
        for k in (0, -1)
    ]
    mesh = build_rings(np.concatenate([poles[0], points, poles[1]]))
    return mesh, np.tile(rise, len(rings.x) + 2)


def build_spike(root: Floats, tip: Floats, radius: float, *, around: int = 5) -> Mesh:
    """A thorn from a root to a tip, both [3] cm."""
    way = unit_rows(np.asarray(tip - root, float))
    side = unit_rows(np.cross(way, np.eye(3)[np.argmin(np.abs(way))]))
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(way, side))
    middle = 0.5 * root + 0.5 * tip
    rows = [root + 0 * ring, root + radius * ring, middle + 0.62 * radius * ring, tip + 0 * ring]
    return build_rings(np.array(rows))
