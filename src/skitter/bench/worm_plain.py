"""One step of a worm in plain NumPy and SciPy: what `bench worm` is compared with.

The same linearised step of the same body: all tetrahedra at once in NumPy, the band by bincount,
LAPACK's banded Cholesky.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

from skitter.creatures.worm.body import Body, find_stiffness
from skitter.species.worm import WormSpec


class PlainWorm(NamedTuple):
    """The body as stacked arrays."""

    tets: np.ndarray  # [tet, 4]
    gradient: np.ndarray  # [tet, 4, 3] 1/cm
    volume: np.ndarray  # [tet] cm³
    mu: np.ndarray  # [tet] dyn/cm²
    lam: np.ndarray
    mass: np.ndarray  # [3 node] g
    drag: np.ndarray  # [3 node] g/s, the same in all directions
    lower: np.ndarray  # entries of the blocks in the lower half
    target: np.ndarray  # where they go in the band
    shape: tuple[int, int]  # of the band


def build_plain(body: Body, species: WormSpec, drag: float) -> PlainWorm:
    """A body in a medium of so much drag, g/(cm s)."""
    mesh = body.mesh
    tets = mesh.tets
    inner = np.linalg.inv((mesh.nodes[tets[:, 1:]] - mesh.nodes[tets[:, :1]]).transpose(0, 2, 1))
    gradient = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    freedom = 3 * tets[:, :, None] + np.arange(3)
    wide = (len(tets), 4, 4, 3, 3)
    rows = np.broadcast_to(freedom[:, :, None, :, None], wide).ravel()
    columns = np.broadcast_to(freedom[:, None, :, None, :], wide).ravel()
    lower = np.flatnonzero(rows >= columns)
    below = (rows - columns)[lower]
    shape = int(below.max()) + 1, 3 * len(body.mass)
    return PlainWorm(
        tets, gradient, mesh.volumes, *find_stiffness(mesh, species), np.repeat(body.mass, 3),
        np.repeat(share_drag(body, drag), 3), lower, below * shape[1] + columns[lower], shape,
    )  # fmt: skip


def share_drag(body: Body, drag: float) -> np.ndarray:
    each = np.zeros(len(body.mass))
    each[body.surface] = drag * body.share
    return each


def assemble_plain(worm: PlainWorm, x: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Elastic forces [3 node] and the band of M / h² + K at x."""
    g, volume = worm.gradient, worm.volume[:, None, None]
    mu, lam = worm.mu[:, None, None], worm.lam[:, None, None]
    F = x[worm.tets].transpose(0, 2, 1) @ g
    E = 0.5 * (F.transpose(0, 2, 1) @ F - np.eye(3))
    S = lam * np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 2 * mu * E
    push = -volume * (g @ (F @ S).transpose(0, 2, 1))
    freedom = (3 * worm.tets[:, :, None] + np.arange(3)).ravel()
    force = np.bincount(freedom, push.ravel(), worm.shape[1])
    q = g @ F.transpose(0, 2, 1)
    outer = q[:, :, None, :, None] * q[:, None, :, None, :]
    blocks = lam[..., None, None] * outer + mu[..., None, None] * outer.transpose(0, 2, 1, 3, 4)
    dots, round_ = g @ g.transpose(0, 2, 1), F @ F.transpose(0, 2, 1)
    blocks += (mu * dots)[..., None, None] * round_[:, None, None]
    blocks += (g @ S @ g.transpose(0, 2, 1))[..., None, None] * np.eye(3)
    blocks *= volume[..., None, None]
    size = worm.shape[0] * worm.shape[1]
    band = np.bincount(worm.target, blocks.ravel()[worm.lower], size).reshape(worm.shape)
    band[0] += worm.mass / h**2 + worm.drag / h
    return force, band


def step_plain(worm: PlainWorm, x: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
    """Where a free body is after one linearised step of backward Euler."""
    force, band = assemble_plain(worm, x, h)
    factor = cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)
    rhs = force + worm.mass * v.ravel() / h
    return x + cho_solve_banded((factor, True), rhs, check_finite=False).reshape(x.shape)
