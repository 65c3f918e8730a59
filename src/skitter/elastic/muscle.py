"""Muscles: soft blocks that change their rest shape (Fang 2015 section 5.1).

A block as it was built has its middle at the origin and the edges lx, ly, lz. Four lengths, of its
left, right, top and bottom side and in units of lx, give it a new rest shape: a node at (x, y, z)
goes to

    x' = x (m + (l_right - l_left) z / lz + (l_top - l_bottom) y / ly) ,   y' = y ,   z' = z ,

with m the mean of the four. Where top and bottom are as long as the mean of left and right, this is
eq. 5.1; the other two let a body rear up and coil, the first of the thesis's future work. (Its
z_ratio grows to the left; here z points to the right.) y and z stay, so a shorter muscle is not a
thicker one: the matter, its mass and its damping are those of the block as built.

The edges of a Kuhn tetrahedron run along x, y and z in some order. On it the map has the gradient

    G = [[gx, gy, gz], [0, 1, 0], [0, 0, 1]] ,   Dm' = G Dm ,   V' = gx V ,

where gx belongs to the edge along x, and gy and gz to the x of the other two. Its inverse needs one
division, so rest shapes change in every step.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import inlined, kernel

LEFT, RIGHT, TOP, BOTTOM = range(4)
SIDES = ("left", "right", "top", "bottom")
SHORTEST = 0.1  # of its length: no part of a block is asked to be shorter


class MuscleModel(NamedTuple):
    """The blocks as built; no rows where a creature has no muscles."""

    base: np.ndarray  # [row, 6, 11 CELL_LANES] Dm^-1 [1/cm], 2 mu V, lambda V [erg]
    edge: np.ndarray  # [row, 6, 4 CELL_LANES] y / ly and z / lz of the edge along x, and x / ly of
    # the one along y, x / lz of the one along z
    block: np.ndarray  # [row, CELL_LANES] int64, block of each cell


@inlined
def load_bend(length, block, bend):
    """Mean length, and what it gains upwards and to the right, of the block of every lane."""
    real = bend.dtype.type
    for i in range(LANES):
        b = block[i]
        left, right = length[b, LEFT], length[b, RIGHT]
        top, bottom = length[b, TOP], length[b, BOTTOM]
        bend[i] = real(0.25 * (left + right + top + bottom))
        bend[i + LANES] = real(top - bottom)
        bend[i + 2 * LANES] = real(right - left)


@inlined
def morph_tets(base, edge, bend, rest):
    """Rest data of one tetrahedron of every lane."""
    one, least = rest.dtype.type(1), rest.dtype.type(SHORTEST)
    for i in range(LANES):
        up, right = bend[i + LANES], bend[i + 2 * LANES]
        gx = max(bend[i] + up * edge[i] + right * edge[i + LANES], least)
        gy, gz = up * edge[i + 2 * LANES], right * edge[i + 3 * LANES]
        inverse = one / gx
        a, b, c = base[i] * inverse, base[i + 3 * LANES] * inverse, base[i + 6 * LANES] * inverse
        rest[i], rest[i + 3 * LANES], rest[i + 6 * LANES] = a, b, c
        rest[i + LANES] = base[i + LANES] - gy * a
        rest[i + 4 * LANES] = base[i + 4 * LANES] - gy * b
        rest[i + 7 * LANES] = base[i + 7 * LANES] - gy * c
        rest[i + 2 * LANES] = base[i + 2 * LANES] - gz * a
        rest[i + 5 * LANES] = base[i + 5 * LANES] - gz * b
        rest[i + 8 * LANES] = base[i + 8 * LANES] - gz * c
        rest[i + 9 * LANES] = base[i + 9 * LANES] * gx
        rest[i + 10 * LANES] = base[i + 10 * LANES] * gx


@kernel
def contract(muscle, length, bend, rest):
    """Give every block the rest shape of its four lengths [block, 4]."""
    for row in range(len(muscle.base)):
        load_bend(length, muscle.block[row], bend)
        for t in range(6):
            morph_tets(muscle.base[row, t], muscle.edge[row, t], bend, rest[row, t])
