"""Linear systems of a slender body: Cholesky from both ends at once, or conjugate gradients.

With nodes numbered along the body a matrix of 3 x 3 blocks has its numbers near the diagonal. The
body is cut into two halves and a thin slice between them, just as thick as the band, so that no
element joins one half to the other. Each half is eliminated from its own end towards the slice, on
a thread of its own; what both leave of the slice is added up and factored last. The halves are the
same however many threads there are, and so are the bits of the result.

Conjugate gradients, the paper's choice, keep the matrix in one piece.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skitter.compiled import kernel
from skitter.elastic.cholesky import PAD, PANEL, factor_band, solve_lower, solve_upper

Method = Literal["cholesky", "cg"]
# Of the right side. A free body's stiffness is 1e9 times its mass by h²: at 1e-6 the first step of
# a worm that settles was wrong by half its radius, and 1e-9 costs but a few iterations more.
CG_TOLERANCE = 1e-9
CG_LIMIT = 4000


class NotPositive(Exception):
    """The matrix is not positive definite: no step can be taken with it."""


@dataclass(frozen=True, eq=False)
class Part:
    """A half with the slice behind it; its nodes are counted from its own end.

    Node k is node first + sign k of the mesh; the first `inner` are eliminated.
    """

    first: int
    sign: int
    inner: int
    count: int  # nodes, with those of the slice
    owner: bool  # whether it has what belongs to single nodes of the slice
    band: np.ndarray  # [3 count, width + PAD]

    def pick(self, values: np.ndarray) -> np.ndarray:
        """Its part of values of all nodes [node, ...], in its own order."""
        if self.sign > 0:
            return values[self.first : self.first + self.count]
        return values[self.first - self.count + 1 : self.first + 1][::-1]


def plan_parts(nodes: int, reach: int, pieces: int) -> list[Part]:
    """One part, or two halves, of a body whose elements join nodes at most `reach` apart."""
    width = 3 * reach + 3 + PAD
    if pieces == 1:
        return [Part(0, 1, nodes, nodes, True, np.zeros((3 * nodes, width)))]
    slice_nodes = min(reach, nodes)
    left = (nodes - slice_nodes) // 2
    sizes = left, nodes - slice_nodes - left
    return [
        Part(
            first, sign, inner, inner + slice_nodes, sign > 0,
            np.zeros((3 * (inner + slice_nodes), width)),
        )
        for first, sign, inner in ((0, 1, sizes[0]), (nodes - 1, -1, sizes[1]))
    ]  # fmt: skip


def share_tets(tets: np.ndarray, parts: Sequence[Part]) -> list[np.ndarray]:
    """Which tetrahedra belong to each part [tet] bool: the slice's own to the last."""
    if len(parts) == 1:
        return [np.ones(len(tets), bool)]
    left = tets.min(axis=1) < parts[0].inner
    return [left, ~left]


def share_points(node: np.ndarray, parts: Sequence[Part]) -> list[np.ndarray]:
    """Which points, each of some nodes [point, k], belong to each part: those of the slice once."""
    if len(parts) == 1:
        return [np.arange(len(node))]
    left = node.max(axis=1) < parts[0].count
    return [np.flatnonzero(left), np.flatnonzero(~left)]


@kernel
def add_diagonal(values, band):
    """Add one number for all three directions of every node [node]."""
    for n in range(len(values)):
        for c in range(3):
            band[3 * n + c, 0] += values[n]


@kernel
def add_blocks(chosen, node, weight, blocks, first, sign, band):
    """Add symmetric blocks [k, 3, 3] of chosen points, mixed of nodes [k, m], to a part."""
    count = node.shape[1]
    for k in chosen:
        for m in range(count):
            for q in range(count):
                i, j = sign * (node[k, m] - first), sign * (node[k, q] - first)
                mixed = weight[k, m] * weight[k, q]
                if i < j or mixed == 0.0:
                    continue
                for c in range(3):
                    for r in range(c if i == j else 0, 3):
                        band[3 * j + c, 3 * (i - j) + r - c] += mixed * blocks[k, r, c]


@kernel
def join_slice(left, left_inner, right, right_inner, out):
    """What both halves leave of the slice, in the order of the left one."""
    out[:] = 0.0
    count = len(out) // 3
    for j in range(count):
        for i in range(j, count):
            for r in range(3):
                for c in range(r + 1 if i == j else 3):
                    row, column = 3 * i + r, 3 * j + c
                    total = left[3 * left_inner + column, row - column]
                    # the same block seen from the other end: its row is the nearer node
                    other_row = 3 * (right_inner + count - 1 - j) + c
                    other_column = 3 * (right_inner + count - 1 - i) + r
                    if i == j:
                        other_row, other_column = (
                            max(other_row, other_column),
                            min(other_row, other_column),
                        )
                    out[column, row - column] = (
                        total + right[other_column, other_row - other_column]
                    )


@kernel
def multiply(band, v, out):
    """out = A v."""
    width = band.shape[1] - PAD
    out[:] = 0.0
    for j in range(len(band)):
        below = min(width, len(band) - j)
        column = band[j]
        total, vj = column[0] * v[j], v[j]
        here, there = v[j : j + below], out[j : j + below]
        for k in range(1, below):
            there[k] += column[k] * vj
            total += column[k] * here[k]
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
    goal, left = tolerance * tolerance * size, size
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
    """A matrix in parts, and a way to solve with it."""

    def __init__(self, nodes: int, reach: int, method: Method = "cholesky"):
        self.method, self.iterations = method, 0
        self.parts = plan_parts(nodes, reach, 2 if method == "cholesky" else 1)
        self.nodes = nodes
        slice_size = 3 * (self.parts[0].count - self.parts[0].inner)
        self._slice = np.zeros((slice_size, self.parts[0].band.shape[1]))
        self._panels = [np.zeros(PANEL) for _ in range(3)]
        self._work = np.zeros((3, 3 * nodes if method == "cg" else 0))
        self._pool = (
            ThreadPoolExecutor(1, thread_name_prefix="half") if len(self.parts) > 1 else None
        )

    def each(self, work: Callable[[int], object]) -> None:
        """Do something for every part, at the same time."""
        if self._pool is None:
            work(0)
            return
        other = self._pool.submit(work, 1)
        try:
            work(0)
        finally:
            other.result()

    def factor(self) -> None:
        """Make ready to solve; the factor takes the place of the matrix."""
        if self.method == "cg":
            if not (self.parts[0].band[:, 0] > 0).all():
                raise NotPositive
            return
        good = [True, True]

        def eliminate(k: int) -> None:
            part = self.parts[k]
            good[k] = factor_band(part.band, 3 * part.inner, self._panels[k])

        self.each(eliminate)
        left, right = self.parts
        join_slice(left.band, left.inner, right.band, right.inner, self._slice)
        if not (all(good) and factor_band(self._slice, len(self._slice), self._panels[2])):
            raise NotPositive

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """The solution for a right side [node, 3]."""
        if self.method == "cg":
            return self._solve_cg(rhs)
        sides = [np.array(part.pick(rhs)).reshape(-1) for part in self.parts]
        left, right = self.parts
        sides[1][3 * right.inner :] = 0.0

        self.each(lambda k: solve_lower(self.parts[k].band, 3 * self.parts[k].inner, sides[k]))
        middle = sides[0][3 * left.inner :] + turn_nodes(sides[1][3 * right.inner :])
        solve_lower(self._slice, len(middle), middle)
        solve_upper(self._slice, len(middle), middle)
        sides[0][3 * left.inner :], sides[1][3 * right.inner :] = middle, turn_nodes(middle)
        self.each(lambda k: solve_upper(self.parts[k].band, 3 * self.parts[k].inner, sides[k]))
        inner = sides[1].reshape(-1, 3)[: right.inner]
        return np.concatenate([sides[0].reshape(-1, 3), inner[::-1]])

    def _solve_cg(self, rhs: np.ndarray) -> np.ndarray:
        out = np.zeros(3 * self.nodes)
        band, flat = self.parts[0].band, rhs.reshape(-1)
        self.iterations = solve_cg(band, flat, CG_TOLERANCE, CG_LIMIT, out, self._work)
        if self.iterations < 0:
            raise NotPositive
        return out.reshape(rhs.shape)


def turn_nodes(values: np.ndarray) -> np.ndarray:
    """Numbers of nodes [3 node] in the opposite order of nodes."""
    return values.reshape(-1, 3)[::-1].reshape(-1)
