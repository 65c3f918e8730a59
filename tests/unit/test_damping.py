"""The damping of soft blocks: its matrix, its factor, and what it does to a motion."""

import numpy as np
import pytest

from bodies import NO_TERRAIN, chain, jelly
from skitter.elastic.block import build_nodes, build_topology, compute_rest
from skitter.elastic.damping import build_edges, factor_banded

CELLS = (3, 2, 2)


def edges_and_mass(gamma=50.0):
    topology = build_topology(CELLS)
    nodes = build_nodes(CELLS, np.array([1.5, 1.0, 0.8]))
    nodes = nodes + np.random.default_rng(0).normal(0, 0.02, nodes.shape)
    _, volumes = compute_rest(nodes, topology.tets)
    return build_edges(topology.tets, volumes, gamma), topology, volumes


def dense_matrix(edges, count):
    matrix = np.zeros((count, count))
    for (i, j), k in edges.items():
        matrix[[i, j], [i, j]] += k
        matrix[[i, j], [j, i]] -= k
    return matrix


def test_dashpots_are_the_damping_of_the_paper():
    """Fang 2015 eq. A.23, written out: f_i = -gamma sum_e V_e (v_i - mean_e v)."""
    edges, topology, volumes = edges_and_mass()
    v = np.random.default_rng(1).normal(size=topology.node_count)
    expected = np.zeros(topology.node_count)
    for tet, volume in zip(topology.tets, volumes, strict=True):
        expected[tet] -= 50.0 * volume * (v[tet] - v[tet].mean())
    assert -dense_matrix(edges, topology.node_count) @ v == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("first, stop", [(0, 36), (9, 27), (9, 36)])
def test_banded_factor_solves_the_dense_system(first, stop):
    edges, topology, _ = edges_and_mass()
    edges = {edge: k / 3000 for edge, k in edges.items()}
    mass = np.random.default_rng(2).uniform(0.01, 0.02, topology.node_count)
    rows = factor_banded(edges, mass, first, stop)
    bandwidth = rows.shape[1] - 1
    lower = np.zeros((stop - first, stop - first))
    for i in range(stop - first):
        lower[i, i] = 1 / rows[i, bandwidth]
        for back in range(1, min(i, bandwidth) + 1):
            lower[i, i - back] = rows[i, bandwidth - back]
    matrix = (dense_matrix(edges, topology.node_count) + np.diag(mass))[first:stop, first:stop]
    assert lower @ lower.T == pytest.approx(matrix, abs=1e-12)


def test_a_deformation_decays_as_the_implicit_formula_says():
    """Without elasticity one step divides each damping mode by 1 + dt d; the stretching mode here
    is an eigenvector to a good approximation, so only bounds are asked of its rate."""
    block = jelly(cells=(2, 2, 2), material={"young": 1e-3, "damping": 50.0})
    nodes = block.plan.soft[0].nodes
    block.write_nodes(block.soft_state.velocity, 0, nodes * [1.0, -0.5, -0.5])
    before = np.linalg.norm(block.node_velocity)
    block.advance(300, NO_TERRAIN)
    after = np.linalg.norm(block.node_velocity)
    rate = np.log(before / after) / 0.1
    assert 5.0 < rate < 4 * 50.0  # between the slowest mode and 4 gamma / rho


@pytest.mark.parametrize(
    "build", [lambda **k: jelly(cells=(2, 2, 2), **k), lambda **k: chain(3, **k)]
)
def test_rigid_motion_is_not_damped(build):
    """Rotation and translation invariance: a rigid motion meets no damping, in any orientation."""
    body = build(turn_deg=(20, -30, 50), spin_deg=(40, -60, 25), velocity=(3, -2, 1), at=(1, 2, 3))
    body.advance(1, NO_TERRAIN)
    impulse = body.read_nodes(body.soft_scratch.impulse)
    momentum = body.soft.mass.max() * np.abs(body.node_velocity).max()
    assert np.abs(impulse).max() < 1e-14 * momentum
