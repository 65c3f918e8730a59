"""Changing rest shapes while the simulation runs: how soft blocks become muscles.

Dm^-1 and V of every tetrahedron are computed anew from rest positions; mass and damping stay those
of the body as it was built (Fang 2015 section 3.2: the rest shape is morphed, not the matter).
"""

import numpy as np

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import allocating
from skitter.elastic.tets import gather_cells


@allocating
def update_tet_rest(x, rest, i, o, a, b, c):
    """Rest data of lane i from the rest positions of its four corners."""
    old = rest[i] * (
        rest[i + 4 * LANES] * rest[i + 8 * LANES] - rest[i + 5 * LANES] * rest[i + 7 * LANES]
    )
    old += rest[i + LANES] * (
        rest[i + 5 * LANES] * rest[i + 6 * LANES] - rest[i + 3 * LANES] * rest[i + 8 * LANES]
    )
    old += rest[i + 2 * LANES] * (
        rest[i + 3 * LANES] * rest[i + 7 * LANES] - rest[i + 4 * LANES] * rest[i + 6 * LANES]
    )
    D = np.empty((3, 3))
    for row in range(3):
        at = i + row * LANES
        D[row, 0], D[row, 1], D[row, 2] = (
            x[at + a] - x[at + o],
            x[at + b] - x[at + o],
            x[at + c] - x[at + o],
        )
    det = (
        D[0, 0] * (D[1, 1] * D[2, 2] - D[1, 2] * D[2, 1])
        + D[0, 1] * (D[1, 2] * D[2, 0] - D[1, 0] * D[2, 2])
        + D[0, 2] * (D[1, 0] * D[2, 1] - D[1, 1] * D[2, 0])
    )
    for row in range(3):
        for column in range(3):
            r, s, u, v = (column + 1) % 3, (column + 2) % 3, (row + 1) % 3, (row + 2) % 3
            rest[i + (3 * row + column) * LANES] = (D[r, u] * D[s, v] - D[r, v] * D[s, u]) / det
    # the moduli are stored times the volume, which grows by det(D) det(old D^-1)
    rest[i + 9 * LANES] *= det * old
    rest[i + 10 * LANES] *= det * old


@allocating
def update_rest_shapes(rest_position, cell_node, cell_tets, rest):
    """Give all cells the rest shape that the node positions `rest_position` describe."""
    x = np.empty(24 * LANES)
    for row in range(len(cell_node)):
        gather_cells(rest_position, cell_node[row], x)
        for t in range(6):
            o, a, b, c = cell_tets[t]
            for i in range(LANES):
                update_tet_rest(
                    x, rest[row, t], i, 3 * LANES * o, 3 * LANES * a, 3 * LANES * b, 3 * LANES * c
                )
