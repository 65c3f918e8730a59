"""The elastic forces as one would write them first: a loop over tetrahedra, one at a time.

Same model, same arithmetic, same compiler; only the layout differs. The baseline of the benchmark.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.elastic.tets import cofactors, improve_rotation, rotation_matrix


@kernel
def add_plain_forces(x, tets, inverse, stiffness, rotation, force):
    """force += elastic forces. x, force [node, 3]; tets [tet, 4]; inverse [tet, 3, 3];
    stiffness [tet, 2] is 2 mu V and lambda V; rotation [tet, 4] is improved in place."""
    one = x.dtype.type(1)
    is_double = np.finfo(x.dtype).eps < 1e-10  # as in the lane kernel
    for t in range(len(tets)):
        o, a, b, c = tets[t, 0], tets[t, 1], tets[t, 2], tets[t, 3]
        B = inverse[t]
        F = (
            plain_row(x, B, o, a, b, c, 0, 0),
            plain_row(x, B, o, a, b, c, 0, 1),
            plain_row(x, B, o, a, b, c, 0, 2),
            plain_row(x, B, o, a, b, c, 1, 0),
            plain_row(x, B, o, a, b, c, 1, 1),
            plain_row(x, B, o, a, b, c, 1, 2),
            plain_row(x, B, o, a, b, c, 2, 0),
            plain_row(x, B, o, a, b, c, 2, 1),
            plain_row(x, B, o, a, b, c, 2, 2),
        )
        w, qx, qy, qz = improve_rotation(
            one, rotation[t, 0], rotation[t, 1], rotation[t, 2], rotation[t, 3], *F
        )
        if is_double:
            w, qx, qy, qz = improve_rotation(one, w, qx, qy, qz, *F)
        rotation[t, 0], rotation[t, 1], rotation[t, 2], rotation[t, 3] = w, qx, qy, qz
        R, C = rotation_matrix(w, qx, qy, qz), cofactors(*F)
        J = F[0] * C[0] + F[1] * C[1] + F[2] * C[2]
        m, p = stiffness[t, 0], stiffness[t, 1] * (J - one)
        for row in range(3):
            k = 3 * row
            Px, Py, Pz = (
                m * (F[k] - R[k]) + p * C[k],
                m * (F[k + 1] - R[k + 1]) + p * C[k + 1],
                m * (F[k + 2] - R[k + 2]) + p * C[k + 2],
            )
            fa = Px * B[0, 0] + Py * B[0, 1] + Pz * B[0, 2]
            fb = Px * B[1, 0] + Py * B[1, 1] + Pz * B[1, 2]
            fc = Px * B[2, 0] + Py * B[2, 1] + Pz * B[2, 2]
            force[o, row] += fa + fb + fc
            force[a, row] -= fa
            force[b, row] -= fb
            force[c, row] -= fc


@kernel
def plain_row(x, B, o, a, b, c, row, column):
    """One entry of F."""
    return (
        (x[a, row] - x[o, row]) * B[0, column]
        + (x[b, row] - x[o, row]) * B[1, column]
        + (x[c, row] - x[o, row]) * B[2, column]
    )


@kernel
def repeat_plain_forces(count, x, tets, inverse, stiffness, rotation, force):
    for _ in range(count):
        force[:] = 0
        add_plain_forces(x, tets, inverse, stiffness, rotation, force)


def build_plain_arrays(
    nodes: np.ndarray, tets: np.ndarray, inverse: np.ndarray, stiffness: np.ndarray, real: type
) -> tuple[np.ndarray, ...]:
    """Arguments of `repeat_plain_forces` after the count."""
    rotation: np.ndarray = np.tile(np.array([1, 0, 0, 0], real), (len(tets), 1))
    x: np.ndarray = np.ascontiguousarray(nodes, real)
    return x, tets, inverse.astype(real), stiffness.astype(real), rotation, np.zeros_like(x)
