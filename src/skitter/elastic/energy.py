"""Elastic energy of soft blocks, with fully converged rotations; and rotations on their own."""

import numpy as np
from numpy.typing import NDArray

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import inlined, kernel
from skitter.elastic.tets import gather_cells, improve_rotation, load_gradient, rotation_matrix

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]
CONVERGED = 1000  # improvements at most; Newton's usually need four
SETTLED = 1e-13  # a turn below this counts as none, as does rounding


@inlined
def converge(F, w, x, y, z):
    """The quaternion of the rotation nearest to F (nine numbers), from one that is near, and the
    number of improvements made."""
    count = 0
    while count < CONVERGED:
        a, b, c, d = improve_rotation(1.0, w, x, y, z, *F)
        change = abs(a - w) + abs(b - x) + abs(c - y) + abs(d - z)
        w, x, y, z = a, b, c, d
        count += 1
        if change < SETTLED:
            break
    return w, x, y, z, count


@kernel
def extract_rotation(F, quaternion):
    """Turn a unit quaternion [4] into that of the rotation nearest to F [3, 3]; returns the number
    of improvements made."""
    rows = (
        F[0, 0], F[0, 1], F[0, 2],
        F[1, 0], F[1, 1], F[1, 2],
        F[2, 0], F[2, 1], F[2, 2],
    )  # fmt: skip
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    quaternion[0], quaternion[1], quaternion[2], quaternion[3], count = converge(rows, w, x, y, z)
    return count


@inlined
def tet_energy(x, rest, rotation, i, o, a, b, c):
    """Energy of the tetrahedron of lane i (Fang 2015 eq. A.4)."""
    F = load_gradient(x, rest, i, o, a, b, c)
    w, qx, qy, qz, _ = converge(
        F,
        float(rotation[i]),
        float(rotation[i + LANES]),
        float(rotation[i + 2 * LANES]),
        float(rotation[i + 3 * LANES]),
    )
    R = rotation_matrix(w, qx, qy, qz)
    strain = 0.0
    for k in range(9):
        strain += (F[k] - R[k]) ** 2
    J = (
        F[0] * (F[4] * F[8] - F[5] * F[7])
        + F[1] * (F[5] * F[6] - F[3] * F[8])
        + F[2] * (F[3] * F[7] - F[4] * F[6])
    )
    return 0.5 * rest[i + 9 * LANES] * strain + 0.5 * rest[i + 10 * LANES] * (J - 1) ** 2


def compute_elastic_energy(
    position: Floats, cell_node: Ints, cell_tets: Ints, rest: Floats, rotation: Floats
) -> float:
    """Elastic energy of all cells [erg]; the rotations are only a first guess and stay."""
    corners = np.empty(24 * LANES)
    return float(sum_energies(position, cell_node, cell_tets, rest, rotation, corners))


@kernel
def sum_energies(position, cell_node, cell_tets, rest, rotation, x):
    """The sum over all cells; x has room for the corners of a row of them."""
    total = 0.0
    for row in range(len(cell_node)):
        gather_cells(position, cell_node[row], x)
        for t in range(6):
            o, a, b, c = cell_tets[t]
            for i in range(LANES):
                total += tet_energy(
                    x,
                    rest[row, t],
                    rotation[row, t],
                    i,
                    3 * LANES * o,
                    3 * LANES * a,
                    3 * LANES * b,
                    3 * LANES * c,
                )
    return total
