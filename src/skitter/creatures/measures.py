"""Energy and momentum of a figure, in double precision, from its state."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.elastic.block import CELL_TETS
from skitter.elastic.energy import compute_elastic_energy
from skitter.rigid.bodies import ANGULAR_MOMENTUM, POSITION, VELOCITY
from skitter.rotation import cross_rows

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure


def compute_momentum(figure: "Figure") -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum [g cm/s] and angular momentum about the origin [g cm²/s]."""
    rows = figure.body_state.rows
    x, v = (figure.read_bodies(rows, first, 3).astype(float) for first in (POSITION, VELOCITY))
    momentum = figure.body_mass[:, None] * v
    own = figure.read_bodies(rows, ANGULAR_MOMENTUM, 3).astype(float)
    node_momentum = figure.node_mass[:, None] * figure.node_velocity.astype(float)
    angular = cross_rows(x, momentum).sum(axis=0) + own.sum(axis=0)
    angular += cross_rows(figure.node_position.astype(float), node_momentum).sum(axis=0)
    return momentum.sum(axis=0) + node_momentum.sum(axis=0), angular


def compute_energies(figure: "Figure") -> tuple[float, float, float]:
    """Kinetic, elastic and gravitational energy [erg]."""
    rows, bodies, nodes = figure.body_state.rows, figure.body_mass, figure.node_mass
    v = figure.read_bodies(rows, VELOCITY, 3).astype(float)
    spin_energy = (
        figure.body_spin.astype(float) * figure.read_bodies(rows, ANGULAR_MOMENTUM, 3)
    ).sum()
    kinetic = bodies @ (v**2).sum(axis=1) + spin_energy
    kinetic += nodes @ (figure.node_velocity.astype(float) ** 2).sum(axis=1)
    height = (
        bodies @ figure.read_bodies(rows, POSITION, 3)[:, 1] + nodes @ figure.node_position[:, 1]
    )
    elastic = compute_elastic_energy(
        figure.soft_state.position,
        figure.soft.cell_node,
        CELL_TETS,
        figure.soft.rest,
        figure.soft_state.rotation,
    )
    return 0.5 * float(kinetic), float(elastic), float(figure.physics.gravity * height)
