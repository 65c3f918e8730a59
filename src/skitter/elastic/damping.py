"""Damping of soft blocks, solved implicitly, with linear and angular momentum kept.

Fang 2015 eq. A.23,  f_i = -gamma sum_e V_e (v_i - mean_e v),  is a set of dashpots along the edges
of the mesh, f_i = -sum_j k_ij (v_i - v_j) with k_ij = gamma/4 sum_e V_e over the tetrahedra that
share the edge. Its matrix D is constant, so M + dt D is factored once (banded Cholesky; blocks are
lanes) and the semi-implicit step (A.24) costs two triangular solves.

Departure from the paper: those dashpots also resist a block's rotation as a whole, so that a
spinning body would slow down in empty space. Here they act on w = v - (rigid motion of the block)
and what torque they still exert is taken out again. With P the mass-orthogonal projection on rigid
motions the damping matrix is (1-P)^T D (1-P): symmetric, never adding energy, and blind to
translation and rotation. Edges between two nodes on the same body are left out: they cannot
deform.

The carried nodes keep their bodies' velocities during the solve; the impulses of the edges that
end on them go to the bodies.
"""

import numpy as np
from scipy.linalg import cholesky_banded

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.soft import NODE_ROWS

# rows of the rigid motion of a pack: centre, velocity, spin, inverse inertia (xx xy xz yy yz zz)
CENTRE, VELOCITY, SPIN, INERTIA, MASS, MOTION_ROWS = (LANES * k for k in (0, 3, 6, 9, 15, 16))
NARROW = 4  # packs of so few blocks are solved block by block
FLATNESS = 4.0  # least inertia, in roundings of the trace: a block may be squashed to a line


def build_edges(
    tets: np.ndarray, volumes: np.ndarray, gamma: float
) -> dict[tuple[int, int], float]:
    """Dashpot coefficients k_ij of the edges of a mesh [g/s]."""
    edges: dict[tuple[int, int], float] = {}
    for tet, volume in zip(tets.tolist(), volumes.tolist(), strict=True):
        for a in range(4):
            for b in range(a):
                edge = min(tet[a], tet[b]), max(tet[a], tet[b])
                edges[edge] = edges.get(edge, 0.0) + gamma * volume / 4
    return edges


def factor_banded(
    edges: dict[tuple[int, int], float], mass: np.ndarray, first: int, stop: int
) -> np.ndarray:
    """Cholesky factor L of M + dt D over the free nodes [first, stop), as rows [n, bandwidth + 1].

    Row i holds L[i, i - bandwidth] ... L[i, i - 1] and then 1 / L[i, i]; edges are i < j and carry
    their coefficient times dt.
    """
    inner = [(i - first, j - first, k) for (i, j), k in edges.items() if first <= i and j < stop]
    bandwidth = max((j - i for i, j, _ in inner), default=0)
    lower = np.zeros((bandwidth + 1, stop - first))  # LAPACK's form: lower[i - j, j] = A[i, j]
    lower[0] = mass[first:stop]
    for (i, j), k in edges.items():
        for node in (i, j):
            if first <= node < stop:
                lower[0, node - first] += k
    for i, j, k in inner:
        lower[j - i, i] -= k
    factor = cholesky_banded(lower, lower=True) if stop > first else lower
    rows = np.zeros((stop - first, bandwidth + 1))
    for back in range(1, bandwidth + 1):
        rows[back:, bandwidth - back] = factor[back, : stop - first - back]
    rows[:, bandwidth] = 1 / factor[0]
    return rows


@inlined
def invert_symmetric(rounding, xx, xy, xz, yy, yz, zz):
    """Inverse of a symmetric matrix, made safe for one that is nearly singular."""
    real = type(xx)
    soft = real(FLATNESS) * rounding * (xx + yy + zz) + real(1e-30)
    xx, yy, zz = xx + soft, yy + soft, zz + soft
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    s = real(1) / (xx * a + xy * b + xz * c)
    return a * s, b * s, c * s, d * s, e * s, f * s


@kernel
def add_node_motion(m, x, v, origin, motion):
    """Sums over nodes, about an origin near the block: mass, m r, m v, r x m v, second moments.

    They lie in the rows of the motion that is made of them: CENTRE, VELOCITY, SPIN, INERTIA.
    """
    for i in range(LANES):
        rx, ry, rz = (
            x[i] - origin[i],
            x[i + LANES] - origin[i + LANES],
            x[i + 2 * LANES] - origin[i + 2 * LANES],
        )
        mx, my, mz = m[i] * rx, m[i] * ry, m[i] * rz
        vx, vy, vz = v[i], v[i + LANES], v[i + 2 * LANES]
        motion[i] += mx
        motion[i + LANES] += my
        motion[i + 2 * LANES] += mz
        motion[i + VELOCITY] += m[i] * vx
        motion[i + VELOCITY + LANES] += m[i] * vy
        motion[i + VELOCITY + 2 * LANES] += m[i] * vz
        motion[i + SPIN] += my * vz - mz * vy
        motion[i + SPIN + LANES] += mz * vx - mx * vz
        motion[i + SPIN + 2 * LANES] += mx * vy - my * vx
        k = i + INERTIA
        motion[k] += mx * rx
        motion[k + LANES] += mx * ry
        motion[k + 2 * LANES] += mx * rz
        motion[k + 3 * LANES] += my * ry
        motion[k + 4 * LANES] += my * rz
        motion[k + 5 * LANES] += mz * rz
        motion[i + MASS] += m[i]


@kernel
def finish_motion(origin, motion):
    """Turn the sums into centre, velocity, spin and inverse inertia about the centre."""
    one, rounding = motion.dtype.type(1), np.finfo(motion.dtype).eps
    for i in range(LANES):
        mass = motion[i + MASS]
        cx, cy, cz = motion[i] / mass, motion[i + LANES] / mass, motion[i + 2 * LANES] / mass
        u, w, k = i + VELOCITY, i + SPIN, i + INERTIA
        px, py, pz = motion[u], motion[u + LANES], motion[u + 2 * LANES]
        motion[i], motion[i + LANES] = origin[i] + cx, origin[i + LANES] + cy
        motion[i + 2 * LANES] = origin[i + 2 * LANES] + cz
        motion[u], motion[u + LANES], motion[u + 2 * LANES] = px / mass, py / mass, pz / mass
        # second moments about the centre, and from them the inertia
        xx, xy, xz = (
            motion[k] - mass * cx * cx,
            motion[k + LANES] - mass * cx * cy,
            motion[k + 2 * LANES] - mass * cx * cz,
        )
        yy, yz, zz = (
            motion[k + 3 * LANES] - mass * cy * cy,
            motion[k + 4 * LANES] - mass * cy * cz,
            motion[k + 5 * LANES] - mass * cz * cz,
        )
        a, b, c, d, e, f = invert_symmetric(rounding, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)
        motion[k], motion[k + LANES], motion[k + 2 * LANES] = a, b, c
        motion[k + 3 * LANES], motion[k + 4 * LANES], motion[k + 5 * LANES] = d, e, f
        lx, ly, lz = (
            motion[w] - cy * pz + cz * py,
            motion[w + LANES] - cz * px + cx * pz,
            motion[w + 2 * LANES] - cx * py + cy * px,
        )
        motion[w], motion[w + LANES] = a * lx + b * ly + c * lz, b * lx + d * ly + e * lz
        motion[w + 2 * LANES] = c * lx + e * ly + f * lz
        motion[i + MASS] = one


@kernel
def measure_rigid_motion(mass, position, velocity, motion):
    """The rigid motion of each block of a pack that has its momentum and angular momentum."""
    motion[:] = 0
    count = len(mass) // LANES
    middle = count // 2 * NODE_ROWS
    origin = position[middle : middle + NODE_ROWS]
    for n in range(count):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        add_node_motion(
            mass[n * LANES : (n + 1) * LANES], position[a:b], velocity[a:b], origin, motion
        )
    finish_motion(origin, motion)


@kernel
def subtract_rigid_motion(x, v, motion, w):
    """w = v - (V + spin x r) of one node."""
    for i in range(LANES):
        rx, ry, rz = (
            x[i] - motion[i],
            x[i + LANES] - motion[i + LANES],
            x[i + 2 * LANES] - motion[i + 2 * LANES],
        )
        s, u = i + SPIN, i + VELOCITY
        sx, sy, sz = motion[s], motion[s + LANES], motion[s + 2 * LANES]
        w[i] = v[i] - motion[u] - sy * rz + sz * ry
        w[i + LANES] = v[i + LANES] - motion[u + LANES] - sz * rx + sx * rz
        w[i + 2 * LANES] = v[i + 2 * LANES] - motion[u + 2 * LANES] - sx * ry + sy * rx


@inlined
def scale_rows(m, w):
    for i in range(LANES):
        w[i] *= m[i]
        w[i + LANES] *= m[i]
        w[i + 2 * LANES] *= m[i]


@inlined
def add_scaled_rows(k, sign, source, target):
    """target += sign k source, for the three rows of a node."""
    for i in range(LANES):
        target[i] += sign * k[i] * source[i]
        target[i + LANES] += sign * k[i] * source[i + LANES]
        target[i + 2 * LANES] += sign * k[i] * source[i + 2 * LANES]


@inlined
def add_difference_rows(k, a, b, target):
    """target += k (a - b), for the three rows of a node."""
    for i in range(LANES):
        target[i] += k[i] * (a[i] - b[i])
        target[i + LANES] += k[i] * (a[i + LANES] - b[i + LANES])
        target[i + 2 * LANES] += k[i] * (a[i + 2 * LANES] - b[i + 2 * LANES])


@kernel
def solve_banded(factor, bandwidth, w):
    """w <- (L L^T)^-1 w for the free nodes of a pack; factor is flat, w holds their rows."""
    count, width = len(w) // NODE_ROWS, (bandwidth + 1) * LANES
    minus = w.dtype.type(-1)
    for n in range(count):
        to = w[n * NODE_ROWS : (n + 1) * NODE_ROWS]
        for back in range(1, min(n, bandwidth) + 1):
            at = n * width + (bandwidth - back) * LANES
            add_scaled_rows(
                factor[at : at + LANES],
                minus,
                w[(n - back) * NODE_ROWS : (n - back + 1) * NODE_ROWS],
                to,
            )
        at = n * width + bandwidth * LANES
        scale_rows(factor[at : at + LANES], to)
    for n in range(count - 1, -1, -1):
        own = w[n * NODE_ROWS : (n + 1) * NODE_ROWS]
        at = n * width + bandwidth * LANES
        scale_rows(factor[at : at + LANES], own)
        for back in range(1, min(n, bandwidth) + 1):
            at = n * width + (bandwidth - back) * LANES
            add_scaled_rows(
                factor[at : at + LANES],
                minus,
                own,
                w[(n - back) * NODE_ROWS : (n - back + 1) * NODE_ROWS],
            )


@kernel
def add_node_torque(x, p, motion, torque):
    """Sum of r x p about the block's centre."""
    for i in range(LANES):
        rx, ry, rz = (
            x[i] - motion[i],
            x[i + LANES] - motion[i + LANES],
            x[i + 2 * LANES] - motion[i + 2 * LANES],
        )
        px, py, pz = p[i], p[i + LANES], p[i + 2 * LANES]
        torque[i] += ry * pz - rz * py
        torque[i + LANES] += rz * px - rx * pz
        torque[i + 2 * LANES] += rx * py - ry * px


@kernel
def turn_torque_to_spin(motion, torque):
    """The change of spin that a torque impulse makes: what must be taken back."""
    for i in range(LANES):
        k = i + INERTIA
        x, y, z = torque[i], torque[i + LANES], torque[i + 2 * LANES]
        torque[i] = motion[k] * x + motion[k + LANES] * y + motion[k + 2 * LANES] * z
        torque[i + LANES] = (
            motion[k + LANES] * x + motion[k + 3 * LANES] * y + motion[k + 4 * LANES] * z
        )
        torque[i + 2 * LANES] = (
            motion[k + 2 * LANES] * x + motion[k + 4 * LANES] * y + motion[k + 5 * LANES] * z
        )


@kernel
def take_back_spin(m, x, motion, spin, p):
    """p -= m spin x r: the damping of a block exerts no torque."""
    for i in range(LANES):
        rx, ry, rz = (
            x[i] - motion[i],
            x[i + LANES] - motion[i + LANES],
            x[i + 2 * LANES] - motion[i + 2 * LANES],
        )
        sx, sy, sz = spin[i], spin[i + LANES], spin[i + 2 * LANES]
        p[i] -= m[i] * (sy * rz - sz * ry)
        p[i + LANES] -= m[i] * (sz * rx - sx * rz)
        p[i + 2 * LANES] -= m[i] * (sx * ry - sy * rx)


@kernel
def solve_narrow(factor, bandwidth, lanes, w, column):
    """The same for a pack of few blocks, one block at a time, vectors running along the band.

    Here the factor of each block is contiguous [node, bandwidth + 1]; column [3, nodes] is work
    space.
    """
    count, width = len(w) // NODE_ROWS, bandwidth + 1
    for lane in range(lanes):
        rows = factor[lane * count * width : (lane + 1) * count * width].reshape(count, width)
        for axis in range(3):
            y = column[axis, :count]
            for n in range(count):
                y[n] = w[n * NODE_ROWS + axis * LANES + lane]
            solve_column(rows, bandwidth, y)
            for n in range(count):
                w[n * NODE_ROWS + axis * LANES + lane] = y[n]


@kernel
def solve_column(rows, bandwidth, y):
    """y <- (L L^T)^-1 y for one block and one coordinate."""
    for n in range(len(y)):
        reach = min(n, bandwidth)
        row, before = rows[n, bandwidth - reach : bandwidth], y[n - reach : n]
        total = y[n]
        for k in range(reach):
            total -= row[k] * before[k]
        y[n] = total * rows[n, bandwidth]
    for n in range(len(y) - 1, -1, -1):
        reach = min(n, bandwidth)
        row, before = rows[n, bandwidth - reach : bandwidth], y[n - reach : n]
        y[n] *= rows[n, bandwidth]
        value = y[n]
        for k in range(reach):
            before[k] -= row[k] * value


@kernel
def damp_free_nodes(
    mass, factor, bandwidth, lanes, column, edge_node, edge_damping, first, stop, w, impulse
):
    """Solve for the damped deviations w of the free nodes [first, stop); impulse becomes
    m (w_new - w_old) there."""
    one = w.dtype.type(1)
    for n in range(first, stop):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        m = mass[n * LANES : (n + 1) * LANES]
        add_scaled_rows(m, -one, w[a:b], impulse[a:b])
        scale_rows(m, w[a:b])
    for e in range(len(edge_node)):
        b, j = edge_node[e, 0] * NODE_ROWS, edge_node[e, 1]
        if first <= j < stop:
            j *= NODE_ROWS
            add_scaled_rows(edge_damping[e], one, w[b : b + NODE_ROWS], w[j : j + NODE_ROWS])
    free = w[first * NODE_ROWS : stop * NODE_ROWS]
    if lanes <= NARROW:
        solve_narrow(factor, bandwidth, lanes, free, column)
    else:
        solve_banded(factor, bandwidth, free)
    for n in range(first, stop):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        add_scaled_rows(mass[n * LANES : (n + 1) * LANES], one, w[a:b], impulse[a:b])


@kernel
def add_edge_impulses(edge_node, edge_damping, first, stop, w, impulse):
    """What the dashpots give to the carried nodes."""
    for e in range(len(edge_node)):
        b, j = edge_node[e, 0] * NODE_ROWS, edge_node[e, 1] * NODE_ROWS
        wb, wj = w[b : b + NODE_ROWS], w[j : j + NODE_ROWS]
        add_difference_rows(edge_damping[e], wj, wb, impulse[b : b + NODE_ROWS])
        if not first <= edge_node[e, 1] < stop:
            add_difference_rows(edge_damping[e], wb, wj, impulse[j : j + NODE_ROWS])


@kernel
def remove_torque(mass, x, motion, torque, impulse):
    """Take out of the impulses on a block the torque that they exert together."""
    torque[:] = 0
    for n in range(len(mass) // LANES):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        add_node_torque(x[a:b], impulse[a:b], motion, torque)
    turn_torque_to_spin(motion, torque)
    for n in range(len(mass) // LANES):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        take_back_spin(mass[n * LANES : (n + 1) * LANES], x[a:b], motion, torque, impulse[a:b])


@kernel
def update_damping_impulse(model, pack, state, scratch, impulse):
    """impulse = what damping gives to every node of a pack during a step [g cm/s]."""
    first, stop = model.pack_start[pack], model.pack_start[pack + 1]
    x = state.position[first * NODE_ROWS : stop * NODE_ROWS]
    v = state.velocity[first * NODE_ROWS : stop * NODE_ROWS]
    w = scratch.deviation[first * NODE_ROWS : stop * NODE_ROWS]
    mass, motion = model.mass[first * LANES : stop * LANES], scratch.motion
    measure_rigid_motion(mass, x, v, motion)
    for n in range(stop - first):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        subtract_rigid_motion(x[a:b], v[a:b], motion, w[a:b])
    impulse[:] = 0
    free, end = model.free_start[pack], model.free_stop[pack]
    edges = slice(model.edge_start[pack], model.edge_start[pack + 1])
    edge_node, edge_damping = model.edge_node[edges], model.edge_damping[edges]
    if free < end:
        factor = model.factor[model.factor_start[pack] :]
        damp_free_nodes(
            mass, factor, model.bandwidth[pack], model.lane_count[pack], scratch.column,
            edge_node, edge_damping, free, end, w, impulse,
        )  # fmt: skip
    add_edge_impulses(edge_node, edge_damping, free, end, w, impulse)
    remove_torque(mass, x, motion, scratch.torque, impulse)
