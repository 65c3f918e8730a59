"""The rotation extracted from F is that of the polar decomposition."""

import numpy as np
import pytest
from scipy.linalg import polar
from scipy.spatial.transform import Rotation

from bodies import NO_TERRAIN, chain, plane
from skitter.compiled import CELL_LANES as LANES
from skitter.elastic.block import CELL_TETS
from skitter.elastic.energy import extract_rotation
from skitter.elastic.tets import gather_cells


def as_matrix(quaternion):
    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


def random_gradients(count, *, positive):
    rng = np.random.default_rng(1)
    gradients = rng.normal(size=(4 * count, 3, 3))
    det = np.linalg.det(gradients)
    return gradients[det > 0 if positive else det < 0][:count]


def test_converged_rotation_is_the_polar_one():
    worst = 0.0
    for F in random_gradients(10_000, positive=True):
        quaternion = np.array([1.0, 0, 0, 0])
        extract_rotation(F, quaternion)
        worst = max(worst, np.abs(as_matrix(quaternion) - polar(F)[0]).max())
    assert worst < 1e-10


def test_inverted_elements_get_the_best_proper_rotation():
    """For det F < 0 the nearest proper rotation flips the smallest singular direction."""
    for F in random_gradients(2_000, positive=False):
        quaternion = np.array([1.0, 0, 0, 0])
        extract_rotation(F, quaternion)
        R = as_matrix(quaternion)
        large, middle, small = np.linalg.svd(F, compute_uv=False)
        assert np.linalg.det(R) == pytest.approx(1, abs=1e-12)
        if middle - small > 0.02 * large:  # else two rotations are equally good
            assert np.trace(R.T @ F) == pytest.approx(large + middle - small, rel=1e-6)


def lane_gradients(figure, position):
    """F of every tetrahedron with stiffness [tet, 3, 3] and its stored quaternion [tet, 4]."""
    gradients, quaternions = [], []
    for row, cell_node in enumerate(figure.soft.cell_node):
        x = np.zeros(24 * LANES)
        gather_cells(position.astype(float), cell_node, x)
        corners = x.reshape(8, 3, LANES)
        rest = figure.soft.rest[row].reshape(6, 12, LANES).astype(float)
        for t, tet in enumerate(CELL_TETS):
            edges = (corners[tet[1:]] - corners[tet[0]]).transpose(2, 1, 0)
            F = edges @ rest[t, :9].T.reshape(LANES, 3, 3)
            real = rest[t, 9] > 0
            gradients.append(F[real])
            quaternions.append(figure.soft_state.rotation[row, t].reshape(4, LANES).T[real])
    return np.concatenate(gradients), np.concatenate(quaternions).astype(float)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("case", ["dropped", "thrown"])
def test_running_simulation_stays_close(real, case):
    """The warm-started rotation of a running chain is within 1e-3 rad of the exact one."""
    if case == "dropped":
        body, ground = (
            chain(6, at=(0, 1.5, 0), turn_deg=(20, 30, 25), gravity=9.8, real=real),
            plane(friction=0.0),
        )
    else:
        body, ground = chain(6, velocity_noise=3.0, spin_deg=(0, 360, 0), real=real), NO_TERRAIN
    worst = 0.0
    for _ in range(60):
        body.advance(49, ground)
        before = body.soft_state.position.copy()
        body.advance(1, ground)
        F, quaternions = lane_gradients(body, before)
        for gradient, quaternion in zip(F, quaternions, strict=True):
            error = as_matrix(quaternion).T @ polar(gradient)[0]
            worst = max(worst, np.linalg.norm(Rotation.from_matrix(error).as_rotvec()))
    assert worst < 1e-3
