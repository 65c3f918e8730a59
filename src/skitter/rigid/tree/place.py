"""Where the links of a tree are in the world, and where their velocities take them."""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import add, load3, load9, multiply, turn_out
from skitter.rigid.tree.layout import (
    AXES,
    BALL,
    KIND,
    PARENT,
    Q_AT,
    SHIFT,
    SINGLE,
    V_AT,
)


@kernel
def place_links(index, work, place, axes):
    """Origins [link, 3] and axes [link, 3, 3] in the world, after the first sweep."""
    flat = axes.reshape(len(index), 9)
    for i in range(len(index)):
        R, r, parent = load9(work[i], AXES), load3(work[i], SHIFT), index[i, PARENT]
        if parent >= 0:
            above = load9(flat[parent], 0)
            R, r = multiply(above, R), add(load3(place[parent], 0), turn_out(above, r))
        for k in range(9):
            flat[i, k] = R[k]
        for k in range(3):
            place[i, k] = r[k]


@inlined
def turn_quaternion(q, at, wx, wy, wz):
    """Turn the quaternion at `at` by a rotation vector in its own axes, exactly, and normalise."""
    half = 0.5 * np.sqrt(wx * wx + wy * wy + wz * wz)
    s = 0.5 * (np.sin(half) / half if half > 1e-8 else 1.0)
    c, x, y, z = np.cos(half), s * wx, s * wy, s * wz
    a, b, d, e = q[at], q[at + 1], q[at + 2], q[at + 3]
    nw, nx = a * c - b * x - d * y - e * z, a * x + b * c + d * z - e * y
    ny, nz = a * y - b * z + d * c + e * x, a * z + b * y - d * x + e * c
    size = 1.0 / np.sqrt(nw * nw + nx * nx + ny * ny + nz * nz)
    q[at], q[at + 1], q[at + 2], q[at + 3] = nw * size, nx * size, ny * size, nz * size


@kernel
def integrate(index, number, q, v, seconds):
    """Move q along v for so long, in place."""
    for i in range(len(index)):
        kind, at, to = index[i, KIND], index[i, V_AT], index[i, Q_AT]
        if kind == SINGLE:
            q[to] += seconds * v[at]
            continue
        if kind != BALL:  # the place moves along the velocity in the link's axes
            w, x, y, z = q[to + 3], q[to + 4], q[to + 5], q[to + 6]
            vx, vy, vz = v[at + 3], v[at + 4], v[at + 5]
            tx, ty, tz = (
                2 * (y * vz - z * vy),
                2 * (z * vx - x * vz),
                2 * (x * vy - y * vx),
            )
            q[to] += seconds * (vx + w * tx + y * tz - z * ty)
            q[to + 1] += seconds * (vy + w * ty + z * tx - x * tz)
            q[to + 2] += seconds * (vz + w * tz + x * ty - y * tx)
            to += 3
        turn_quaternion(q, to, seconds * v[at], seconds * v[at + 1], seconds * v[at + 2])
