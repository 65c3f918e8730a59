"""What a creature, a movable thing or an obstacle shows of itself: rounded convex shapes.

A shape is a core with a radius around it. The core is a box whose edges may be nothing: a point
makes a ball, a line a capsule, a rectangle a rounded plate. Or it is a cylinder along its own x
axis, or an ellipsoid, whose half edges are those of the box around it. The same rows are felt,
seen, stir the water and collide.
"""

from typing import NamedTuple

import numpy as np

# columns of Shapes.row: middle of the core, matrix whose columns are its axes, half edges of the
# core (of a cylinder: half length, radius), radius around it, velocity of the middle, friction
CENTRE, AXES, HALF, RADIUS, VELOCITY, FRICTION, SHAPE_ROW = 0, 3, 12, 15, 16, 19, 20
# columns of Shapes.tag: the part that it belongs to, whether it is a limb, the kind of core. Limbs
# do not meet limbs; those that yield take no impulses, but are told to give way.
PART, LIMB, CORE, TAGS = 0, 1, 2, 3
HOLDS, YIELDS = 1, 2  # of LIMB
BOX_CORE, CYLINDER_CORE, ELLIPSOID_CORE = 0, 1, 2


class Shapes(NamedTuple):
    """What one owner shows; world frame."""

    row: np.ndarray  # [shape, SHAPE_ROW] cm, cm/s
    tag: np.ndarray  # [shape, TAGS] int64


def allocate_shapes(count: int) -> Shapes:
    """Room for so many shapes: balls of no size at the origin."""
    row = np.zeros((count, SHAPE_ROW))
    row[:, AXES : AXES + 9] = np.eye(3).ravel()
    return Shapes(row, np.zeros((count, TAGS), np.int64))


NO_SHAPES = allocate_shapes(0)


def round_box(size: np.ndarray) -> tuple[np.ndarray, float]:
    """Half edges of the core and radius of a rounded box with these edges [3], cm: as round as its
    thinnest edge allows."""
    half = np.asarray(size, float) / 2
    radius = float(half.min())
    return half - radius, radius


def round_ellipsoid(size: np.ndarray) -> tuple[np.ndarray, float]:
    """The same of an ellipsoid with these edges: half of its thinnest half edge is radius, so that
    what is inside of less than that has an exact normal."""
    half = np.asarray(size, float) / 2
    radius = 0.5 * float(half.min())
    return half - radius, radius


def find_reach(shapes: Shapes) -> np.ndarray:
    """How far a shape reaches from its middle [shape], cm."""
    half = shapes.row[:, HALF : HALF + 3]
    flat = np.where(shapes.tag[:, CORE, None] == CYLINDER_CORE, half[:, [0, 1, 1]], half)
    return np.asarray(np.linalg.norm(flat, axis=1) + shapes.row[:, RADIUS])


def find_half_width(shapes: Shapes) -> float:
    """Half the width of a body, cm: the middle one of the half edges of its trunk's shapes, at the
    median of them; that of everything where it has no trunk."""
    row, tag = shapes.row, shapes.tag
    trunk = row[tag[:, LIMB] == 0] if (tag[:, LIMB] == 0).any() else row
    if len(trunk) == 0:
        return 1.0
    edges = np.sort(trunk[:, HALF : HALF + 3] + trunk[:, RADIUS, None], axis=1)
    return float(np.median(edges[:, 1]))
