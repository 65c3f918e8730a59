"""Forces are minus the gradient of the energy, and do not care where or how the body stands."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from bodies import chain, jelly
from skitter.bench.elastic import lane_arguments
from skitter.compiled import LANES
from skitter.elastic.block import CELL_TETS, build_topology, compute_lame, compute_rest
from skitter.elastic.energy import compute_elastic_energy
from skitter.elastic.tets import update_elastic_forces


def forces(figure, improvements=60):
    """Elastic forces with converged rotations, in the layout of the node arrays."""
    for _ in range(improvements):
        update_elastic_forces(*lane_arguments(figure))
    return figure.soft_scratch.force.copy()


def energy(figure):
    return compute_elastic_energy(
        figure.soft_state.position,
        figure.soft.cell_node,
        CELL_TETS,
        figure.soft.rest,
        figure.soft_state.rotation,
    )


def deform(figure, amount, seed=0):
    rng = np.random.default_rng(seed)
    figure.soft_state.position[:] += rng.normal(0, amount, len(figure.soft_state.position))


def reference_forces(nodes, rest_nodes, tets, mu, lam):
    """The same model in plain NumPy with an SVD (Fang 2015 eq. A.1-A.21)."""
    inverse, volumes = compute_rest(rest_nodes, tets)
    total = np.zeros_like(nodes)
    for tet, B, volume in zip(tets, inverse, volumes, strict=True):
        F = (nodes[tet[1:]] - nodes[tet[0]]).T @ B
        u, _, vt = np.linalg.svd(F)
        if np.linalg.det(u @ vt) < 0:
            u[:, 2] *= -1
        J = np.linalg.det(F)
        P = 2 * mu * (F - u @ vt) + lam * (J - 1) * J * np.linalg.inv(F).T
        H = -volume * P @ B.T
        total[tet[1:]] += H.T
        total[tet[0]] -= H.sum(axis=1)
    return total


@pytest.mark.parametrize("amount", [0.01, 0.1])
@pytest.mark.parametrize("build", [jelly, lambda: chain(4)])
def test_force_is_minus_energy_gradient(build, amount):
    figure = build()
    deform(figure, amount)
    exact = forces(figure)
    position = figure.soft_state.position
    places = np.concatenate(figure.node_places)
    numeric = np.zeros_like(exact)
    step = 1e-5
    for place in np.concatenate([places, places + LANES, places + 2 * LANES]):
        here = position[place]
        position[place] = here + step
        above = energy(figure)
        position[place] = here - step
        numeric[place] = -(above - energy(figure)) / (2 * step)
        position[place] = here
    assert np.abs(numeric - exact).max() < 1e-6 * np.abs(exact).max()


@pytest.mark.parametrize("real, tolerance", [(np.float64, 1e-10), (np.float32, 3e-5)])
def test_lane_kernel_equals_plain_numpy(real, tolerance):
    figure = chain(4, cells=(2, 3, 2), real=real)
    deform(figure, 0.05)
    position, got = figure.node_position.astype(float), figure.read_nodes(forces(figure))
    mu, lam = compute_lame(4000.0, 0.4)
    start = 0
    for part in figure.plan.soft:
        topology = build_topology(part.cells)
        nodes = slice(start, start + topology.node_count)
        expected = reference_forces(position[nodes], part.nodes, topology.tets, mu, lam)
        assert np.abs(got[nodes] - expected).max() < tolerance * np.abs(expected).max()
        start += topology.node_count


def test_rotation_and_translation_invariance():
    figure = jelly()
    deform(figure, 0.1)
    start, before, stored = forces(figure), figure.node_position, energy(figure)
    turn = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    figure.write_nodes(figure.soft_state.position, 0, before @ turn.T + [3.0, -2.0, 5.0])
    turned = figure.read_nodes(forces(figure))
    expected = figure.read_nodes(start) @ turn.T
    assert np.abs(turned - expected).max() < 1e-9 * np.abs(expected).max()
    assert energy(figure) == pytest.approx(stored, rel=1e-10)


def test_no_force_at_rest_in_any_orientation():
    figure = jelly(turn_deg=(40, 50, 60), at=(1, 2, 3))
    assert np.abs(forces(figure, improvements=1)).max() < 1e-9


def test_internal_forces_have_no_resultant():
    figure = jelly()
    deform(figure, 0.2)
    f, x = figure.read_nodes(forces(figure)), figure.node_position
    scale = np.abs(f).max()
    assert np.abs(f.sum(axis=0)).max() < 1e-12 * scale * len(f)
    assert np.abs(np.cross(x, f).sum(axis=0)).max() < 1e-9 * scale * len(f)
