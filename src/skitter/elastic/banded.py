"""Linear systems of a slender body: banded Cholesky, or conjugate gradients.

With nodes numbered along the body a matrix A of 3 x 3 blocks has its numbers near the diagonal. The
lower half is kept as band[column, row - column], which is LAPACK's form turned over. A direct
factor then costs columns * width² operations; see docs/performance.md for what others cost.
"""

from typing import Literal

import numpy as np
from scipy.linalg import lapack

from skitter.compiled import kernel

Method = Literal["cholesky", "cg"]
CG_TOLERANCE = 1e-6  # of the right side
CG_LIMIT = 2000


class NotPositive(Exception):
    """The matrix is not positive definite: the state is not one that a step can start from."""


def measure_width(tets: np.ndarray) -> int:
    """Numbers of a column from the diagonal down, for a mesh [tet, 4]."""
    return 3 * int((tets.max(axis=1) - tets.min(axis=1)).max()) + 3


@kernel
def add_diagonal(values, band):
    """Add one number for all three directions of every node [node]."""
    for n in range(len(values)):
        for c in range(3):
            band[3 * n + c, 0] += values[n]


@kernel
def add_blocks(node, blocks, band):
    """Add symmetric blocks [k, 3, 3] of nodes [k] to the diagonal."""
    for k in range(len(node)):
        for c in range(3):
            for r in range(c, 3):
                band[3 * node[k] + c, r - c] += blocks[k, r, c]


@kernel
def multiply(band, v, out):
    """out = A v."""
    width = band.shape[1]
    out[:] = 0.0
    for j in range(len(band)):
        below = min(width, len(band) - j)
        column = band[j]
        out[j] += column[0] * v[j]
        total, vj = 0.0, v[j]
        for k in range(1, below):
            out[j + k] += column[k] * vj
            total += column[k] * v[j + k]
        out[j] += total


@kernel
def solve_cg(band, rhs, tolerance, limit, out, work):
    """Conjugate gradients with the diagonal as preconditioner; how many iterations it took.

    `work` [3, n]. Returns -1 where A is found not to be positive definite.
    """
    r, p, q = work[0], work[1], work[2]
    out[:] = 0.0
    size, rz = 0.0, 0.0
    for i in range(len(rhs)):
        r[i] = rhs[i]
        p[i] = r[i] / band[i, 0]
        rz += r[i] * p[i]
        size += rhs[i] * rhs[i]
    goal = tolerance * tolerance * size
    left = size
    for count in range(limit):
        if left <= goal:
            return count
        multiply(band, p, q)
        pq = 0.0
        for i in range(len(p)):
            pq += p[i] * q[i]
        if not pq > 0.0:
            return -1
        step, left, fresh = rz / pq, 0.0, 0.0
        for i in range(len(p)):
            out[i] += step * p[i]
            r[i] -= step * q[i]
            left += r[i] * r[i]
            fresh += r[i] * r[i] / band[i, 0]
        for i in range(len(p)):
            p[i] = r[i] / band[i, 0] + fresh / rz * p[i]
        rz = fresh
    return limit


class BandedSystem:
    """A matrix of the lower half, room for its factor, and a way to solve with it."""

    def __init__(self, nodes: int, width: int, method: Method = "cholesky"):
        self.band = np.zeros((3 * nodes, width))
        self.method, self.iterations = method, 0
        self._work = np.zeros((3, 3 * nodes))

    def factor(self) -> None:
        """Make ready to solve; the numbers of a direct factor take the place of the matrix."""
        if self.method == "cg":
            if not (self.band[:, 0] > 0).all():
                raise NotPositive
            return
        factor, failed = lapack.dpbtrf(self.band.T, lower=1, overwrite_ab=1)
        if failed:
            raise NotPositive
        assert np.shares_memory(factor, self.band)

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """The solution for a right side [node, 3]."""
        if self.method == "cholesky":
            out, _ = lapack.dpbtrs(self.band.T, rhs.reshape(-1), lower=1)
        else:
            out = np.zeros(len(self.band))
            self.iterations = solve_cg(
                self.band, rhs.reshape(-1), CG_TOLERANCE, CG_LIMIT, out, self._work
            )
            if self.iterations < 0:
                raise NotPositive
        return np.asarray(out).reshape(rhs.shape)
