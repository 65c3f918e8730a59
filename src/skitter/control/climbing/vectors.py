"""Vectors for the kernels of a climber: three numbers, and rows of arrays that hold them."""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import add, cross, dot

__all__ = ["add", "cross", "dot"]
TINY = 1e-12


@inlined
def take(rows, k):
    """Row k of an array [n, 3]."""
    return rows[k, 0], rows[k, 1], rows[k, 2]


@inlined
def put(rows, k, v):
    rows[k, 0], rows[k, 1], rows[k, 2] = v


@inlined
def take1(row):
    """An array [3]."""
    return row[0], row[1], row[2]


@inlined
def put1(row, v):
    row[0], row[1], row[2] = v


@inlined
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def times(a, s):
    return a[0] * s, a[1] * s, a[2] * s


@inlined
def along(a, b, s):
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inlined
def norm(a):
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inlined
def unit(a, usual):
    """A vector of length 1, or the usual one where there is none."""
    size = np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if size < TINY:
        return usual
    return a[0] / size, a[1] / size, a[2] / size


@inlined
def without(a, n):
    """What of a vector is across a unit vector."""
    s = a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
    return a[0] - s * n[0], a[1] - s * n[1], a[2] - s * n[2]


@inlined
def column(turn, k):
    """An axis of a body."""
    return turn[0, k], turn[1, k], turn[2, k]


@inlined
def outward(turn, v):
    """From a body's axes to the world's."""
    return (
        turn[0, 0] * v[0] + turn[0, 1] * v[1] + turn[0, 2] * v[2],
        turn[1, 0] * v[0] + turn[1, 1] * v[1] + turn[1, 2] * v[2],
        turn[2, 0] * v[0] + turn[2, 1] * v[1] + turn[2, 2] * v[2],
    )


@inlined
def inward(turn, v):
    """From the world's axes to a body's."""
    return (
        turn[0, 0] * v[0] + turn[1, 0] * v[1] + turn[2, 0] * v[2],
        turn[0, 1] * v[0] + turn[1, 1] * v[1] + turn[2, 1] * v[2],
        turn[0, 2] * v[0] + turn[1, 2] * v[1] + turn[2, 2] * v[2],
    )


@kernel
def turn_about(v, axis, angle):
    """A vector turned about a unit axis (Rodrigues)."""
    c, s = np.cos(angle), np.sin(angle)
    w = cross(axis, v)
    d = dot(axis, v) * (1 - c)
    return (
        v[0] * c + w[0] * s + axis[0] * d,
        v[1] * c + w[1] * s + axis[1] * d,
        v[2] * c + w[2] * s + axis[2] * d,
    )


@inlined
def angle_between(a, b):
    """Of two unit vectors, rad."""
    return np.arctan2(norm(cross(a, b)), dot(a, b))


@inlined
def clip(x, low, high):
    return min(max(x, low), high)
