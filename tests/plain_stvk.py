"""St. Venant and Kirchhoff's material once more, in a few lines of plain NumPy.

Written from E = (FᵀF - 1)/2, S = λ tr(E) 1 + 2 μ E and W = λ tr(E)²/2 + μ E:E alone: the energy is
their sum, the force on a corner -V F S g, and the stiffness comes from central differences of
forces, which are a cubic polynomial and therefore need only two steps to be exact.
"""

import numpy as np


def compute_gradients(nodes: np.ndarray, tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients of the four shape functions [tet, 4, 3], and volumes [tet]."""
    ones = np.ones((len(tets), 4, 1))
    corners = np.concatenate([ones, nodes[tets]], axis=2)  # rows 1 x y z
    return np.linalg.inv(corners)[:, 1:, :].transpose(0, 2, 1), abs(np.linalg.det(corners)) / 6


def compute_stress(
    x: np.ndarray, rest: np.ndarray, tets: np.ndarray, mu: np.ndarray, lam: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F, E and S of each tetrahedron [tet, 3, 3]."""
    gradients, _ = compute_gradients(rest, tets)
    F = np.einsum("tai,taj->tij", x[tets], gradients)
    E = (np.einsum("tki,tkj->tij", F, F) - np.eye(3)) / 2
    trace = np.trace(E, axis1=1, axis2=2)
    S = (lam * trace)[:, None, None] * np.eye(3) + 2 * mu[:, None, None] * E
    return F, E, S


def compute_energy(x, rest, tets, mu, lam) -> float:
    _, E, S = compute_stress(x, rest, tets, mu, lam)
    return float(np.sum(compute_gradients(rest, tets)[1] * np.einsum("tij,tij->t", E, S)) / 2)


def compute_forces(x, rest, tets, mu, lam) -> np.ndarray:
    F, _, S = compute_stress(x, rest, tets, mu, lam)
    gradients, volumes = compute_gradients(rest, tets)
    forces = np.zeros_like(x)
    np.add.at(
        forces, tets, -volumes[:, None, None] * np.einsum("tij,tjk,tak->tai", F, S, gradients)
    )
    return forces


def compute_stiffness(x, rest, tets, mu, lam, step: float) -> np.ndarray:
    """-df/dx, dense [3 node, 3 node]; Richardson's extrapolation is exact for a cubic."""
    size = x.size
    result = np.zeros((size, size))
    for k in range(size):
        slopes = []
        for h in (step, 2 * step):
            moved = np.zeros(size)
            moved[k] = h
            up = compute_forces(x + moved.reshape(x.shape), rest, tets, mu, lam)
            down = compute_forces(x - moved.reshape(x.shape), rest, tets, mu, lam)
            slopes.append((up - down).ravel() / (2 * h))
        result[:, k] = -(4 * slopes[0] - slopes[1]) / 3
    return result
