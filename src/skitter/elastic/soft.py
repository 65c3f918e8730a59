"""Soft blocks as arrays: packs of blocks of one topology, side by side.

Node values are flat: x, y, z of a node are three rows of lanes, so node n of a pack that
starts at node s lies at 3 LANES (s + n), and elementwise work runs over all packs at once. The
nodes of a block's attached faces ride on rigid bodies; the others, one range in the middle, are
free.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import LANES, kernel

NODE_ROWS = 3 * LANES


class SoftModel(NamedTuple):
    """What does not change about the soft blocks of a creature, except by muscles."""

    # cells, CELL_LANES to a row, in any order
    cell_node: np.ndarray  # [row, 8 CELL_LANES] int32, place of each corner's x in the node arrays
    cell_block: np.ndarray  # [row, CELL_LANES] int32, block of each cell, -1 for spare lanes
    rest: (
        np.ndarray
    )  # [row, 6, 12 CELL_LANES] Dm^-1 [1/cm], 2 mu V, lambda V [erg], 1 or 0 if tangled
    # packs of blocks
    pack_start: np.ndarray  # [pack + 1] first node of each pack
    free_start: np.ndarray  # [pack] first free node, counted within the pack
    free_stop: np.ndarray  # [pack] one past the last
    lane_count: np.ndarray  # [pack] lanes that hold a block
    end_body: np.ndarray  # [pack, 2, LANES] body that carries the start and the end face; -1 none
    # nodes, in the layout of the node arrays
    mass: np.ndarray  # [node, LANES] g
    inverse_mass: np.ndarray  # [3 node LANES] 1/g, zero where a body carries the node
    gravity: np.ndarray  # [3 node LANES] g's change of velocity per second, cm/s²
    local: np.ndarray  # [3 node LANES] place on the body that carries the node, cm
    # damping: coefficients times dt [g]
    factor: np.ndarray  # flat, banded Cholesky factor of M + dt D of each pack, see damping.py
    factor_start: np.ndarray  # [pack] where it begins
    bandwidth: np.ndarray  # [pack] diagonals below the main one
    edge_start: np.ndarray  # [pack + 1] first edge that ends on a carried node
    edge_node: np.ndarray  # [edge, 2] nodes within the pack, the first one carried
    edge_damping: np.ndarray  # [edge, LANES]
    friction: float


class SoftState(NamedTuple):
    """What changes about the soft blocks."""

    position: np.ndarray  # [3 node LANES] cm, world
    velocity: np.ndarray  # [3 node LANES] cm/s
    rotation: np.ndarray  # [row, 6, 4 CELL_LANES] quaternion of each tetrahedron
    block_rotation: np.ndarray  # [block, 4] quaternion of a block as a whole, used while tangled
    tangled: np.ndarray  # [block] uint8, 1 while a block is being untangled


class SoftScratch(NamedTuple):
    """Work space of a step, allocated once."""

    force: np.ndarray  # [3 node LANES] dyn
    impulse: np.ndarray  # [3 node LANES] of damping, g cm/s
    cell_position: np.ndarray  # [row, 24 CELL_LANES]
    cell_force: np.ndarray  # [row, 24 CELL_LANES]
    deviation: np.ndarray  # [3 node LANES] velocity less the block's rigid motion
    motion: np.ndarray  # [16 LANES] rigid motion of a pack's blocks, see damping.py
    torque: np.ndarray  # [3 LANES]
    column: np.ndarray  # [3, most free nodes of a block]
    block_gradient: np.ndarray  # [block, 3, 3] sum of F, weighted with the volume
    clear: np.ndarray  # [pack, LANES] cm that a block may move before it could touch the terrain
    block_state: np.ndarray  # [block] int64, what was found about a block, see untangle.py


@kernel
def add_forces_to_velocity(force, inverse_mass, gravity, dt, velocity):
    """Velocities after a step of forces and gravity, without damping (Fang 2015 eq. A.24)."""
    for i in range(len(velocity)):
        velocity[i] += dt * (inverse_mass[i] * force[i] + gravity[i])


@kernel
def add_impulses_to_velocity(impulse, inverse_mass, velocity):
    for i in range(len(velocity)):
        velocity[i] += inverse_mass[i] * impulse[i]


@kernel
def advance_positions(dt, inverse_mass, velocity, position):
    """Free nodes move (Fang 2015 eq. A.25). Returns the sum of their squared speeds, so that the
    caller notices when it is not a number."""
    zero = velocity.dtype.type(0)
    total = zero
    for i in range(len(velocity)):
        v = velocity[i] if inverse_mass[i] > zero else zero
        position[i] += dt * v
        total += v * v
    return total
