"""The elastic energy against the same model in plain NumPy, with an SVD (Fang 2015 eq. A.4)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from bodies import jelly
from skitter.elastic.block import CELL_TETS, build_topology, compute_lame, compute_rest
from skitter.elastic.energy import compute_elastic_energy

CELLS = (2, 3, 2)


def reference_energy(nodes, rest_nodes) -> float:
    mu, lam = compute_lame(4000.0, 0.4)  # of the default material
    tets = build_topology(CELLS).tets
    total = 0.0
    for tet, inverse, volume in zip(tets, *compute_rest(rest_nodes, tets), strict=True):
        F = (nodes[tet[1:]] - nodes[tet[0]]).T @ inverse
        u, _, vt = np.linalg.svd(F)
        if np.linalg.det(u @ vt) < 0:
            u[:, 2] *= -1
        total += volume * (mu * ((F - u @ vt) ** 2).sum() + lam / 2 * (np.linalg.det(F) - 1) ** 2)
    return total


@pytest.mark.parametrize("amount", [0.0, 0.02, 0.1])
def test_energy_is_that_of_the_best_rotations(amount):
    """Whatever rotations the simulation holds at the moment: here, those before the body turned."""
    figure = jelly(cells=CELLS)
    rest = figure.plan.soft[0].nodes
    nodes = rest + np.random.default_rng(0).normal(0, amount, rest.shape)
    nodes = nodes @ Rotation.from_rotvec([0.4, -0.9, 0.6]).as_matrix().T
    figure.write_nodes(figure.soft_state.position, 0, nodes)
    found = compute_elastic_energy(
        figure.soft_state.position, figure.soft.cell_node, CELL_TETS, figure.soft.rest,
        figure.soft_state.rotation,
    )  # fmt: skip
    assert found == pytest.approx(reference_energy(nodes, rest), rel=1e-9, abs=1e-9)
