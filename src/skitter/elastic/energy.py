"""Elastic energy of soft blocks, with fully converged rotations; and rotations on their own."""

import numpy as np

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import allocating
from skitter.elastic.tets import gather_cells, improve_rotation, load_gradient, rotation_matrix

CONVERGED = 1000  # improvements at most; Newton's usually need four
SETTLED = 1e-13  # a turn below this counts as none, as does rounding


@allocating
def extract_rotation(F, quaternion):
    """Turn a unit quaternion [4] into that of the rotation nearest to F [3, 3]; returns the number
    of improvements made."""
    w, x, y, z = quaternion
    count = 0
    while count < CONVERGED:
        a, b, c, d = improve_rotation(
            1.0,
            w,
            x,
            y,
            z,
            F[0, 0],
            F[0, 1],
            F[0, 2],
            F[1, 0],
            F[1, 1],
            F[1, 2],
            F[2, 0],
            F[2, 1],
            F[2, 2],
        )
        change = abs(a - w) + abs(b - x) + abs(c - y) + abs(d - z)
        w, x, y, z = a, b, c, d
        count += 1
        if change < SETTLED:
            break
    quaternion[0], quaternion[1], quaternion[2], quaternion[3] = w, x, y, z
    return count


@allocating
def tet_energy(x, rest, quaternion, i, o, a, b, c):
    """Energy of the tetrahedron of lane i (Fang 2015 eq. A.4)."""
    F = load_gradient(x, rest, i, o, a, b, c)
    gradient = np.array([[F[0], F[1], F[2]], [F[3], F[4], F[5]], [F[6], F[7], F[8]]])
    extract_rotation(gradient, quaternion)
    R = rotation_matrix(quaternion[0], quaternion[1], quaternion[2], quaternion[3])
    strain = 0.0
    for k in range(9):
        strain += (F[k] - R[k]) ** 2
    J = (
        F[0] * (F[4] * F[8] - F[5] * F[7])
        + F[1] * (F[5] * F[6] - F[3] * F[8])
        + F[2] * (F[3] * F[7] - F[4] * F[6])
    )
    return 0.5 * rest[i + 9 * LANES] * strain + 0.5 * rest[i + 10 * LANES] * (J - 1) ** 2


@allocating
def compute_elastic_energy(position, cell_node, cell_tets, rest, rotation):
    """Elastic energy of all cells [erg]; the rotations are only a first guess and stay."""
    total = 0.0
    x, quaternion = np.empty(24 * LANES), np.empty(4)
    for row in range(len(cell_node)):
        gather_cells(position, cell_node[row], x)
        for t in range(6):
            o, a, b, c = cell_tets[t]
            for i in range(LANES):
                for k in range(4):
                    quaternion[k] = rotation[row, t, i + k * LANES]
                total += tet_energy(
                    x,
                    rest[row, t],
                    quaternion,
                    i,
                    3 * LANES * o,
                    3 * LANES * a,
                    3 * LANES * b,
                    3 * LANES * c,
                )
    return total
