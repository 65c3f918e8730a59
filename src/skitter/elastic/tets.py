"""Forces of fixed corotated tetrahedra, sixteen cells at a time (Fang 2015 appendix A).

    Psi = mu |F - R|^2 + lambda/2 (J - 1)^2                       # Fang 2015 eq. A.4
    P   = 2 mu (F - R) + lambda (J - 1) cof F                     # eq. A.7, cof F = J F^-T
    f   = -V P Dm^-T for the last three corners, their negative sum for the first  # eq. A.19-A.20

(Fang 2015 eq. A.6 and A.19 leave out the minus sign of f = -dE/dx.)  cof F needs no division, so
flat and inverted elements are as good as any.

The rotation R comes from a quaternion kept between steps and improved at each, in place of the SVD
of the paper: once in single precision, where one improvement already reaches the rounding of a
running simulation, and twice in double, for the sake of angular momentum, which is kept only as
far as R^T F is symmetric. With A = R^T F and a small turn u in the body's frame, tr(R^T F) is
largest where A is symmetric, and Newton's step towards that is

    (tr(A) I - sym(A)) u = axial(A - A^T) ,

which converges quadratically. Where that matrix is not safely positive definite, as in crushed or
inverted elements, the gradient step u = axial(A - A^T) / |A| is taken instead: the matrix has no
eigenvalue above sqrt(2) |A|, so this always goes uphill. (Mueller et al. 2016 divide by tr(A)
throughout, which converges linearly and overshoots where tr(A) is near zero.) Either way R stays a
proper rotation, so an inverted element is pushed back out.

Arrays are flat rows of sixteen lanes, indexed by the lane plus a constant: this is what LLVM
needs to vectorise without checks. One function is compiled for each of a cell's six tetrahedra.
"""

import numpy as np

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import LANES as NODE_LANES
from skitter.compiled import inlined, kernel
from skitter.elastic.block import CELL_TETS

CELL_ROWS = 24 * LANES  # eight corners, three coordinates
REST_ROWS = 12 * LANES  # Dm^-1 row by row, 2 mu V, lambda V, and 1, or 0 in a tangled block
ROTATION_ROWS = 4 * LANES
NEWTON_SAFETY = 1e-3  # smallest det(Newton matrix) / tr(A)^3 at which Newton's step is trusted


@inlined
def rotation_matrix(w, x, y, z):
    """Rows of the rotation matrix of a unit quaternion."""
    one = type(w)(1)
    tx, ty, tz = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * tx, y * ty, z * tz, x * ty, x * tz, y * tz
    wx, wy, wz = w * tx, w * ty, w * tz
    return (
        one - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        one - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        one - (xx + yy),
    )


@inlined
def rotation_step(A00, A01, A02, A10, A11, A12, A20, A21, A22):
    """Half the turn, in the body's frame, that makes A more symmetric."""
    real = type(A00)
    half, tiny = real(0.5), real(1e-12)
    wx, wy, wz = A21 - A12, A02 - A20, A10 - A01
    # Newton's matrix, its cofactors and determinant
    g0, g1, g2 = A11 + A22, A00 + A22, A00 + A11
    s01, s02, s12 = -half * (A01 + A10), -half * (A02 + A20), -half * (A12 + A21)
    c00, c01, c02 = g1 * g2 - s12 * s12, s02 * s12 - s01 * g2, s01 * s12 - s02 * g1
    c11, c12, c22 = g0 * g2 - s02 * s02, s01 * s02 - s12 * g0, g0 * g1 - s01 * s01
    det = g0 * c00 + s01 * c01 + s02 * c02
    trace = A00 + A11 + A22
    is_safe = (det > real(NEWTON_SAFETY) * abs(trace * trace * trace)) & (c22 > tiny) & (g0 > tiny)
    size = A00 * A00 + A01 * A01 + A02 * A02 + A10 * A10 + A11 * A11 + A12 * A12
    size += A20 * A20 + A21 * A21 + A22 * A22
    scale = half / (det if is_safe else np.sqrt(size + tiny))
    hx = (c00 * wx + c01 * wy + c02 * wz if is_safe else wx) * scale
    hy = (c01 * wx + c11 * wy + c12 * wz if is_safe else wy) * scale
    hz = (c02 * wx + c12 * wy + c22 * wz if is_safe else wz) * scale
    return hx, hy, hz


@inlined
def improve_rotation(follow, w, x, y, z, F00, F01, F02, F10, F11, F12, F20, F21, F22):
    """The quaternion one step closer to the rotation of F, or as it is where follow is zero."""
    one = type(w)(1)
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = rotation_matrix(w, x, y, z)
    hx, hy, hz = rotation_step(
        R00 * F00 + R10 * F10 + R20 * F20,
        R00 * F01 + R10 * F11 + R20 * F21,
        R00 * F02 + R10 * F12 + R20 * F22,
        R01 * F00 + R11 * F10 + R21 * F20,
        R01 * F01 + R11 * F11 + R21 * F21,
        R01 * F02 + R11 * F12 + R21 * F22,
        R02 * F00 + R12 * F10 + R22 * F20,
        R02 * F01 + R12 * F11 + R22 * F21,
        R02 * F02 + R12 * F12 + R22 * F22,
    )
    hx, hy, hz = follow * hx, follow * hy, follow * hz
    nw = w - (x * hx + y * hy + z * hz)
    nx = x + w * hx + y * hz - z * hy
    ny = y + w * hy + z * hx - x * hz
    nz = z + w * hz + x * hy - y * hx
    s = one / np.sqrt(nw * nw + nx * nx + ny * ny + nz * nz)
    return nw * s, nx * s, ny * s, nz * s


@inlined
def load_gradient(x, rest, i, o, a, b, c):
    """F = Ds Dm^-1 of lane i, whose corners start at rows o, a, b, c of x (Fang 2015 eq. A.1)."""
    y, z = LANES, 2 * LANES
    ax, ay, az = x[i + a] - x[i + o], x[i + a + y] - x[i + o + y], x[i + a + z] - x[i + o + z]
    bx, by, bz = x[i + b] - x[i + o], x[i + b + y] - x[i + o + y], x[i + b + z] - x[i + o + z]
    cx, cy, cz = x[i + c] - x[i + o], x[i + c + y] - x[i + o + y], x[i + c + z] - x[i + o + z]
    B00, B01, B02 = rest[i], rest[i + LANES], rest[i + 2 * LANES]
    B10, B11, B12 = rest[i + 3 * LANES], rest[i + 4 * LANES], rest[i + 5 * LANES]
    B20, B21, B22 = rest[i + 6 * LANES], rest[i + 7 * LANES], rest[i + 8 * LANES]
    return (
        ax * B00 + bx * B10 + cx * B20,
        ax * B01 + bx * B11 + cx * B21,
        ax * B02 + bx * B12 + cx * B22,
        ay * B00 + by * B10 + cy * B20,
        ay * B01 + by * B11 + cy * B21,
        ay * B02 + by * B12 + cy * B22,
        az * B00 + bz * B10 + cz * B20,
        az * B01 + bz * B11 + cz * B21,
        az * B02 + bz * B12 + cz * B22,
    )


@inlined
def cofactors(F00, F01, F02, F10, F11, F12, F20, F21, F22):
    """cof F = J F^-T, row by row."""
    return (
        F11 * F22 - F12 * F21,
        F12 * F20 - F10 * F22,
        F10 * F21 - F11 * F20,
        F02 * F21 - F01 * F22,
        F00 * F22 - F02 * F20,
        F01 * F20 - F00 * F21,
        F01 * F12 - F02 * F11,
        F02 * F10 - F00 * F12,
        F00 * F11 - F01 * F10,
    )


@inlined
def add_row_force(force, rest, i, o, a, b, c, Px, Py, Pz):
    """Add one coordinate of the nodal forces, given that row of V P."""
    fa = Px * rest[i] + Py * rest[i + LANES] + Pz * rest[i + 2 * LANES]
    fb = Px * rest[i + 3 * LANES] + Py * rest[i + 4 * LANES] + Pz * rest[i + 5 * LANES]
    fc = Px * rest[i + 6 * LANES] + Py * rest[i + 7 * LANES] + Pz * rest[i + 8 * LANES]
    force[i + o] += fa + fb + fc
    force[i + a] -= fa
    force[i + b] -= fb
    force[i + c] -= fc


def build_tet_kernel(o, a, b, c):
    """The kernel of the tetrahedron with corners o, a, b, c of sixteen cells.

    x, force: corner positions and forces of the cells [CELL_ROWS]; rest [REST_ROWS];
    rotation [ROTATION_ROWS] is improved in place.
    """
    row_o, row_a, row_b, row_c = (3 * LANES * int(corner) for corner in (o, a, b, c))

    @inlined
    def add_tet_forces(x, rest, rotation, force):
        one = x.dtype.type(1)
        # as plain integers, so that one compilation of each helper serves all six kernels
        o, a, b, c = np.int64(row_o), np.int64(row_a), np.int64(row_b), np.int64(row_c)
        is_double = np.finfo(x.dtype).eps < 1e-10  # known when compiling: not tested in the loop
        for i in range(LANES):
            F = load_gradient(x, rest, i, o, a, b, c)
            follow = rest[i + 11 * LANES]
            w, qx, qy, qz = improve_rotation(
                follow,
                rotation[i],
                rotation[i + LANES],
                rotation[i + 2 * LANES],
                rotation[i + 3 * LANES],
                *F,
            )
            if is_double:
                w, qx, qy, qz = improve_rotation(follow, w, qx, qy, qz, *F)
            rotation[i], rotation[i + LANES] = w, qx
            rotation[i + 2 * LANES], rotation[i + 3 * LANES] = qy, qz
            R = rotation_matrix(w, qx, qy, qz)
            C = cofactors(*F)
            J = F[0] * C[0] + F[1] * C[1] + F[2] * C[2]
            m, p = rest[i + 9 * LANES], follow * rest[i + 10 * LANES] * (J - one)
            add_row_force(
                force,
                rest,
                i,
                o,
                a,
                b,
                c,
                m * (F[0] - R[0]) + p * C[0],
                m * (F[1] - R[1]) + p * C[1],
                m * (F[2] - R[2]) + p * C[2],
            )
            add_row_force(
                force,
                rest,
                i,
                o + LANES,
                a + LANES,
                b + LANES,
                c + LANES,
                m * (F[3] - R[3]) + p * C[3],
                m * (F[4] - R[4]) + p * C[4],
                m * (F[5] - R[5]) + p * C[5],
            )
            add_row_force(
                force,
                rest,
                i,
                o + 2 * LANES,
                a + 2 * LANES,
                b + 2 * LANES,
                c + 2 * LANES,
                m * (F[6] - R[6]) + p * C[6],
                m * (F[7] - R[7]) + p * C[7],
                m * (F[8] - R[8]) + p * C[8],
            )

    return add_tet_forces


TET_0, TET_1, TET_2, TET_3, TET_4, TET_5 = (build_tet_kernel(*corners) for corners in CELL_TETS)


@kernel
def add_cell_forces(x, rest, rotation, force):
    """Forces of all six tetrahedra of sixteen cells; rest [6, REST_ROWS], rotation [6, 4 rows]."""
    for i in range(CELL_ROWS):
        force[i] = 0
    TET_0(x, rest[0], rotation[0], force)
    TET_1(x, rest[1], rotation[1], force)
    TET_2(x, rest[2], rotation[2], force)
    TET_3(x, rest[3], rotation[3], force)
    TET_4(x, rest[4], rotation[4], force)
    TET_5(x, rest[5], rotation[5], force)


@kernel
def gather_cells(node_values, node_index, cell_values):
    """Copy node values to cell corners. node_index [8 * LANES] is the place of a corner's x;
    y and z follow one and two rows later, in nodes and in cells alike."""
    for k in range(8):
        for i in range(LANES):
            at = np.uint64(node_index[k * LANES + i])
            to = np.uint64(3 * k * LANES + i)
            cell_values[to] = node_values[at]
            cell_values[to + np.uint64(LANES)] = node_values[at + np.uint64(NODE_LANES)]
            cell_values[to + np.uint64(2 * LANES)] = node_values[at + np.uint64(2 * NODE_LANES)]


@kernel
def scatter_cells(cell_values, node_index, node_values):
    """Add cell corner values to the nodes, in a fixed order."""
    for k in range(8):
        for i in range(LANES):
            to = np.uint64(node_index[k * LANES + i])
            at = np.uint64(3 * k * LANES + i)
            node_values[to] += cell_values[at]
            node_values[to + np.uint64(NODE_LANES)] += cell_values[at + np.uint64(LANES)]
            node_values[to + np.uint64(2 * NODE_LANES)] += cell_values[at + np.uint64(2 * LANES)]


@kernel
def update_elastic_forces(position, cell_node, rest, rotation, cell_position, cell_force, force):
    """force = elastic force on every node; improves the rotations.

    The three passes are apart on purpose: a vector load right behind the scalar stores that
    filled it would wait for them.
    """
    force[:] = 0
    for block in range(len(cell_node)):
        gather_cells(position, cell_node[block], cell_position[block])
    for block in range(len(cell_node)):
        add_cell_forces(cell_position[block], rest[block], rotation[block], cell_force[block])
    for block in range(len(cell_node)):
        scatter_cells(cell_force[block], cell_node[block], force)
