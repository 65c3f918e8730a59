"""Soft blocks that have been crushed into a tangle find back to their rest shape.

The fixed corotated energy pushes every inverted element out again (Fang 2015 section 3.2), but a
whole block whose nodes have been scrambled can rest in a tangle in which the elements' pushes
cancel: its energy has local minima. And elements stretched many times over are too stiff for any
reasonable step. So sixty times a second every block is looked at. While it is tangled, all its
elements share one rotation, that of the block's mean deformation gradient, and lose their volume
term:

    E = sum_e mu V_e |F_e - R|^2 ,   R = polar rotation of sum_e V_e F_e .

For a given R this is convex with the rest shape as its only minimum, no stiffer than the block at
rest, and because (sum V F) R^T is symmetric it exerts no torque: momentum is still kept. When all
elements are near the rest shape again, the ordinary model takes over.
"""

import numpy as np

from skitter.compiled import CELL_LANES as LANES
from skitter.compiled import inlined, kernel
from skitter.elastic.block import CELL_TETS
from skitter.elastic.energy import extract_rotation
from skitter.elastic.tets import gather_cells, load_gradient, rotation_matrix

SOUND, STRAINED, TANGLED = 0, 1, 2
STRETCH_LIMIT = 4.0  # |F| / sqrt(3) beyond which an element counts as torn out of shape
NEAR_REST = 0.9  # an element with |F - R| below this may return to the ordinary model


@inlined
def tet_rows(t):
    """Where the four corners of a cell's tetrahedron t begin among the rows of the cell."""
    tet = CELL_TETS[t]
    return 3 * LANES * tet[0], 3 * LANES * tet[1], 3 * LANES * tet[2], 3 * LANES * tet[3]


@kernel
def judge_tet(F, quaternion):
    """SOUND near the rest shape, TANGLED if inverted or torn, STRAINED in between."""
    J = (
        F[0] * (F[4] * F[8] - F[5] * F[7])
        + F[1] * (F[5] * F[6] - F[3] * F[8])
        + F[2] * (F[3] * F[7] - F[4] * F[6])
    )
    R = rotation_matrix(quaternion[0], quaternion[1], quaternion[2], quaternion[3])
    size, distance = 0.0, 0.0
    for k in range(9):
        size += F[k] ** 2
        distance += (F[k] - R[k]) ** 2
    if J < 0.0 or size > 3.0 * STRETCH_LIMIT**2:
        return TANGLED
    return SOUND if distance < NEAR_REST**2 else STRAINED


@kernel
def judge_blocks(model, state, x, verdict):
    """The worst verdict on any element of each block; x is work space for a row of cells."""
    verdict[:] = SOUND
    for row in range(len(model.cell_node)):
        gather_cells(state.position, model.cell_node[row], x)
        for t in range(6):
            o, a, b, c = tet_rows(t)
            for i in range(LANES):
                block = model.cell_block[row, i]
                if block >= 0:
                    F = load_gradient(x, model.rest[row, t], i, o, a, b, c)
                    verdict[block] = max(verdict[block], judge_tet(F, state.block_rotation[block]))


@kernel
def find_tangled_blocks(model, state, scratch):
    """Mark tangled blocks, release those that are near their rest shape; whether any is marked."""
    verdict = scratch.block_state
    if len(verdict) > 0:
        judge_blocks(model, state, scratch.cell_position[0], verdict)
    any_tangled, any_change = False, False
    for block in range(len(verdict)):
        before = state.tangled[block]
        now = verdict[block] == TANGLED or (before == 1 and verdict[block] == STRAINED)
        state.tangled[block] = np.uint8(now)
        any_tangled |= now
        any_change |= state.tangled[block] != before
    if any_change:
        mark_cells(model, state)
    return any_tangled


@kernel
def mark_cells(model, state):
    """Tell the elements whether their own rotation counts (1) or that of the block (0)."""
    for row in range(len(model.cell_node)):
        for i in range(LANES):
            block = model.cell_block[row, i]
            if block >= 0:
                for t in range(6):
                    model.rest[row, t, i + 11 * LANES] = 1 - state.tangled[block]


@kernel
def share_rotations(model, state, scratch):
    """Give all elements of each tangled block the rotation of its mean deformation gradient."""
    gradient = scratch.block_gradient
    gradient[:] = 0.0
    for row in range(len(model.cell_node)):
        gather_cells(state.position, model.cell_node[row], scratch.cell_position[row])
        for i in range(LANES):
            block = model.cell_block[row, i]
            if block >= 0 and state.tangled[block] == 1:
                add_cell_gradient(model.rest[row], scratch.cell_position[row], i, gradient[block])
    for block in range(len(gradient)):
        if state.tangled[block] == 1:
            extract_rotation(gradient[block], state.block_rotation[block])
    write_rotations(model, state)


@kernel
def add_cell_gradient(rest, x, i, gradient):
    """Add V F of the six tetrahedra of lane i (times 2 mu, which is the same for all)."""
    for t in range(6):
        o, a, b, c = tet_rows(t)
        F = load_gradient(x, rest[t], i, o, a, b, c)
        for k in range(9):
            gradient[k // 3, k % 3] += rest[t, i + 9 * LANES] * F[k]


@kernel
def write_rotations(model, state):
    for row in range(len(model.cell_node)):
        for i in range(LANES):
            block = model.cell_block[row, i]
            if block >= 0 and state.tangled[block] == 1:
                for t in range(6):
                    for k in range(4):
                        state.rotation[row, t, i + k * LANES] = state.block_rotation[block, k]
