"""Contact and Coulomb friction of free soft nodes with the terrain.

A node is a point mass, so its contact can be solved exactly on its own: take away the part of the
velocity that would carry it inside, then as much of the slip as friction allows.
"""

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.soft import NODE_ROWS
from skitter.friction import pair_friction
from skitter.terrain.surface import FAR, PLANE, sample

PUSH_RATE = 30.0  # 1/s, how fast a node is moved out of the terrain, per depth


@kernel
def keep_node_above_plane(n0, n1, n2, offset, friction, dt, mobile, x, v):
    """One node of a pack's blocks over the plane n.x = offset; mobile is zero for carried nodes."""
    real = v.dtype.type
    zero, rate, tiny = real(0), real(PUSH_RATE), real(1e-30)
    for i in range(LANES):
        vx, vy, vz = v[i], v[i + LANES], v[i + 2 * LANES]
        gap = n0 * x[i] + n1 * x[i + LANES] + n2 * x[i + 2 * LANES] - offset
        vn = n0 * vx + n1 * vy + n2 * vz
        target = -gap / dt if gap > zero else -gap * rate
        pressed = max(target - vn, zero) if mobile[i] > zero else zero
        sx, sy, sz = vx - vn * n0, vy - vn * n1, vz - vn * n2
        slip = np.sqrt(sx * sx + sy * sy + sz * sz) + tiny
        cut = min(friction * pressed / slip, real(1))
        v[i] = vx + pressed * n0 - cut * sx
        v[i + LANES] = vy + pressed * n1 - cut * sy
        v[i + 2 * LANES] = vz + pressed * n2 - cut * sz


@kernel
def keep_node_outside(terrain, friction, dt, i, x, v):
    """One node of block i over any terrain. Returns how far from it the node is."""
    d, n0, n1, n2, k = sample(terrain, x[i], x[i + LANES], x[i + 2 * LANES])
    vn = n0 * v[i] + n1 * v[i + LANES] + n2 * v[i + 2 * LANES]
    target = -d / dt if d > 0.0 else -d * PUSH_RATE
    pressed = target - vn
    if not pressed > 0.0:
        return d
    sx, sy, sz = v[i] - vn * n0, v[i + LANES] - vn * n1, v[i + 2 * LANES] - vn * n2
    slip = np.sqrt(sx * sx + sy * sy + sz * sz) + 1e-30
    cut = min(pair_friction(friction, terrain.friction[k]) * pressed / slip, 1.0)
    v[i] += pressed * n0 - cut * sx
    v[i + LANES] += pressed * n1 - cut * sy
    v[i + 2 * LANES] += pressed * n2 - cut * sz
    return d


@kernel
def keep_nodes_above_plane(terrain, model, dt, state):
    """All free nodes over a single plane."""
    real = state.position.dtype.type
    n0, n1, n2 = terrain.axes[0, 0, 1], terrain.axes[0, 1, 1], terrain.axes[0, 2, 1]
    offset = n0 * terrain.centre[0, 0] + n1 * terrain.centre[0, 1] + n2 * terrain.centre[0, 2]
    friction = pair_friction(model.friction, terrain.friction[0])
    for pack in range(len(model.free_start)):
        start = model.pack_start[pack]
        for n in range(start + model.free_start[pack], start + model.free_stop[pack]):
            a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
            keep_node_above_plane(
                real(n0), real(n1), real(n2), real(offset), real(friction), dt,
                model.inverse_mass[a : a + LANES], state.position[a:b], state.velocity[a:b],
            )  # fmt: skip


@inlined
def fastest_node(velocity, first, stop, i):
    """Largest speed of the free nodes of block i."""
    square = 0.0
    for n in range(first, stop):
        at = i + n * NODE_ROWS
        vx, vy, vz = velocity[at], velocity[at + LANES], velocity[at + 2 * LANES]
        square = max(square, vx * vx + vy * vy + vz * vz)
    return np.sqrt(square)


@kernel
def measure_speeds(velocity, first, stop, square):
    """Largest squared speed of the free nodes of every block of a pack."""
    for i in range(LANES):
        square[i] = 0
    for n in range(first, stop):
        at = n * NODE_ROWS
        for i in range(at, at + LANES):
            vx, vy, vz = velocity[i], velocity[i + LANES], velocity[i + 2 * LANES]
            square[i - at] = max(square[i - at], vx * vx + vy * vy + vz * vz)


@kernel
def keep_nodes_outside(terrain, model, dt, state, clear, square):
    """Make the velocities of all free nodes respect the terrain.

    `clear` [pack, LANES] keeps how far the nodes of each block may still move before one of them
    could touch anything: until then nobody has to look, and nothing is missed. `square` [LANES] is
    work space.
    """
    if len(terrain.kind) == 0:
        return
    if len(terrain.kind) == 1 and terrain.kind[0] == PLANE:
        keep_nodes_above_plane(terrain, model, dt, state)
        return
    for pack in range(len(model.free_start)):
        start = model.pack_start[pack]
        first, stop = start + model.free_start[pack], start + model.free_stop[pack]
        measure_speeds(state.velocity, first, stop, square)
        for i in range(LANES if first < stop else 0):
            if not model.inverse_mass[i + first * NODE_ROWS] > 0:
                continue
            clear[pack, i] -= dt * np.sqrt(float(square[i]))
            if clear[pack, i] > 0.0:
                continue
            nearest = FAR
            for n in range(first, stop):
                a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
                d = keep_node_outside(
                    terrain, model.friction, dt, i, state.position[a:b], state.velocity[a:b]
                )
                nearest = min(nearest, d)
            moved = dt * fastest_node(state.velocity, first, stop, i)
            clear[pack, i] = max(nearest - moved, 0.0)
