"""A trefoil to climb around: a tube along the (2, 3) torus knot, of triangles by a closed formula.

The line runs twice around the ring and three times around its tube, p(t) = ((R + a cos 3t) cos 2t,
a sin 3t, (R + a cos 3t) sin 2t). Rings of points stand upright on it: one axis is the normal of the
torus on which the line lies, so that the tube closes upon itself without a twist.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

RING, REACH, TUBE = 36.0, 14.0, 8.0  # R, a and the tube's radius, in units of its own
AROUND, THROUGH = 2, 3  # times around the ring, and around its tube
STATIONS, SIDES = 320, 32  # along the line and around the tube: 20,480 triangles


def build_knot() -> tuple[Floats, NDArray[np.int64]]:
    time = np.arange(STATIONS) * (2 * np.pi / STATIONS)
    turn = np.arange(SIDES) * (2 * np.pi / SIDES)
    middle, normal, across = trace_line(time)
    ring = np.cos(turn)[:, None] * normal[:, None] + np.sin(turn)[:, None] * across[:, None]
    points = (middle[:, None] + TUBE * ring).reshape(-1, 3)
    return points, link_rings()


def trace_line(time: Floats) -> tuple[Floats, Floats, Floats]:
    """The line's places [n, 3], the torus' normals there, and what is square to both."""
    ring, tube = AROUND * time, THROUGH * time
    still = np.zeros_like(time)
    outward = np.stack([np.cos(ring), still, np.sin(ring)], axis=1)
    along = np.stack([-np.sin(ring), still, np.cos(ring)], axis=1)
    up = np.array([0.0, 1.0, 0.0])
    normal = np.cos(tube)[:, None] * outward + np.sin(tube)[:, None] * up
    place = RING * outward + REACH * normal
    far = RING + REACH * np.cos(tube)
    tangent = (AROUND * far)[:, None] * along
    tangent += THROUGH * REACH * (np.cos(tube)[:, None] * up - np.sin(tube)[:, None] * outward)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    return place, normal, np.cross(tangent, normal)


def link_rings() -> NDArray[np.int64]:
    """Two triangles for each station and side, which face outward."""
    station, side = np.indices((STATIONS, SIDES)).reshape(2, -1)
    here, there = station * SIDES, (station + 1) % STATIONS * SIDES
    after = (side + 1) % SIDES
    first = np.stack([here + side, here + after, there + side], axis=1)
    second = np.stack([there + side, here + after, there + after], axis=1)
    return np.concatenate([first, second]).astype(np.int64)
