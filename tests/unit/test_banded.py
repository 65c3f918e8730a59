"""The worm's linear systems: Cholesky from both ends and conjugate gradients, against SciPy."""

import numpy as np
import pytest
from scipy.linalg import solve, solveh_banded
from scipy.sparse.linalg import cg

from skitter.elastic.banded import (
    CG_TOLERANCE,
    BandedSystem,
    NotPositive,
    add_blocks,
    add_diagonal,
    multiply,
    plan_parts,
    share_points,
    share_tets,
)
from skitter.elastic.cholesky import PAD, PANEL, factor_band, solve_lower, solve_upper

# nodes and how far apart joined ones are: slices that are everything, halves of nothing, of
# unequal size, columns that fill no panel, and whole ones
SIZES = [
    (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 5), (4, 3), (5, 2), (7, 3), (8, 8), (9, 4),
    (16, 1), (16, 7), (21, 5), (24, 8), (31, 10), (40, 3), (41, 17), (64, 13), (100, 37),
]  # fmt: skip


def random_matrix(nodes: int, reach: int, seed: int) -> np.ndarray:
    """Positive definite [3 node, 3 node], of condition about 1e4; nodes further apart: zero."""
    rng = np.random.default_rng([nodes, reach, seed])
    n = np.arange(3 * nodes) // 3
    near = np.abs(n[:, None] - n) <= reach
    lower = np.where(near, np.tril(rng.normal(size=(3 * nodes, 3 * nodes))), 0)
    full = lower + lower.T
    return full + np.eye(len(full)) * (1e-4 - np.linalg.eigvalsh(full)[0])


def fill(system: BandedSystem, matrix: np.ndarray) -> None:
    """Put a matrix in; what only nodes of the slice share goes to the half that owns them."""
    used = np.zeros_like(matrix)
    for part in system.parts:
        part.band[:] = 0.0
        mesh = part.first + part.sign * np.arange(part.count)
        dof = (3 * mesh[:, None] + np.arange(3)).ravel()
        inner = np.repeat(np.arange(part.count) < part.inner, 3)
        own = matrix[np.ix_(dof, dof)].copy()
        if not part.owner:
            own[np.ix_(~inner, ~inner)] = 0.0
        for column in range(len(dof)):
            below = min(part.band.shape[1] - PAD, len(dof) - column)
            part.band[column, :below] = own[column : column + below, column]
        used[np.ix_(dof, dof)] += own
    assert np.array_equal(used, matrix)  # the halves and the slice have all of it


def one_after_the_other(self, work) -> None:
    for k in reversed(range(len(self.parts))):
        work(k)


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize(("nodes", "reach"), SIZES)
def test_from_both_ends_equals_dense(nodes, reach):
    for seed in range(3):
        matrix = random_matrix(nodes, reach, seed)
        matrix += np.eye(3 * nodes) * 0.1  # so that twelve digits can be asked for
        rhs = np.random.default_rng(seed).normal(size=(nodes, 3))
        system = BandedSystem(nodes, reach)
        fill(system, matrix)
        system.factor()
        wanted = solve(matrix, rhs.ravel(), assume_a="pos").reshape(-1, 3)
        found = system.solve(rhs)
        assert relative(found, wanted) < 1e-12
        again = system.solve(2 * rhs)  # the factor is not used up, the right side not changed
        assert np.array_equal(again, 2 * found)


def test_large_system_equals_scipy_banded():
    nodes, reach = 700, 37
    rng = np.random.default_rng(3)
    n = np.arange(3 * nodes) // 3
    near = np.abs(n[:, None] - n) <= reach
    matrix = np.where(near, np.tril(rng.normal(size=near.shape), -1), 0)
    matrix += matrix.T + np.eye(len(n)) * 6 * reach
    system = BandedSystem(nodes, reach)
    fill(system, matrix)
    system.factor()
    rhs = rng.normal(size=(nodes, 3))
    lower = [np.pad(np.diag(matrix, -k), (0, k)) for k in range(3 * reach + 3)]
    wanted = solveh_banded(lower, rhs.ravel(), lower=True).reshape(-1, 3)
    assert relative(system.solve(rhs), wanted) < 1e-12


@pytest.mark.parametrize(("nodes", "reach"), SIZES)
def test_halves_give_the_same_bits_together_and_apart(nodes, reach, monkeypatch):
    matrix = random_matrix(nodes, reach, 0)
    rhs = np.random.default_rng(1).normal(size=(nodes, 3))
    found = []
    for turn in range(2):
        if turn:
            monkeypatch.setattr(BandedSystem, "each", one_after_the_other)
        system = BandedSystem(nodes, reach)
        fill(system, matrix)
        system.factor()
        found.append(system.solve(rhs).tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize(("nodes", "reach"), SIZES)
@pytest.mark.parametrize("where", ["head", "middle", "tail"])
def test_indefinite_matrix_is_refused(nodes, reach, where):
    matrix = random_matrix(nodes, reach, 2) + np.eye(3 * nodes)
    dof = {"head": 0, "middle": 3 * nodes // 2, "tail": 3 * nodes - 1}[where]
    values, vectors = np.linalg.eigh(matrix)
    matrix[dof, dof] -= 1.001 / float(vectors[dof] ** 2 @ (1 / values))  # just not positive
    assert -1e-1 < np.linalg.eigvalsh(matrix)[0] < 0
    system = BandedSystem(nodes, reach)
    fill(system, matrix)
    with pytest.raises(NotPositive):
        system.factor()
    fill(system, matrix + np.eye(3 * nodes))  # and can be used again
    system.factor()
    rhs = np.ones((nodes, 3))
    wanted = solve(matrix + np.eye(3 * nodes), rhs.ravel()).reshape(-1, 3)
    assert relative(system.solve(rhs), wanted) < 1e-11


@pytest.mark.parametrize("method", ["cholesky", "cg"])
@pytest.mark.parametrize("bad", [np.nan, 0.0, -1.0])
def test_bad_diagonal_is_refused(method, bad):
    matrix = random_matrix(6, 2, 0) + np.eye(18)
    matrix[8, 8] = bad
    system = BandedSystem(6, 2, method)
    fill_any(system, matrix)
    with pytest.raises(NotPositive):
        system.factor()
        system.solve(np.ones((6, 3)))


def fill_any(system: BandedSystem, matrix: np.ndarray) -> None:
    """As `fill`, also where numbers do not equal themselves."""
    known = np.nan_to_num(matrix, nan=0.125)
    fill(system, known)
    for part in system.parts:
        part.band[part.band == 0.125] = np.nan if np.isnan(matrix).any() else 0.125


def test_gradients_equal_the_direct_solution():
    for nodes, reach in SIZES:
        matrix = random_matrix(nodes, reach, 0) + np.eye(3 * nodes)
        rhs = np.random.default_rng(1).normal(size=(nodes, 3))
        system = BandedSystem(nodes, reach, "cg")
        fill(system, matrix)
        system.factor()
        found = system.solve(rhs)
        left = np.linalg.norm(rhs.ravel() - matrix @ found.ravel())
        assert left <= 1.001 * CG_TOLERANCE * np.linalg.norm(rhs)
        wanted = solve(matrix, rhs.ravel()).reshape(-1, 3)
        assert relative(found, wanted) < CG_TOLERANCE * np.linalg.cond(matrix)


def test_gradients_take_as_many_steps_as_scipy_does():
    matrix = random_matrix(40, 5, 0) + np.eye(120)
    rhs = np.random.default_rng(1).normal(size=120)
    scale, steps = np.diag(1 / np.diag(matrix)), []
    cg(matrix, rhs, rtol=CG_TOLERANCE, M=scale, callback=lambda _: steps.append(1))
    system = BandedSystem(40, 5, "cg")
    fill(system, matrix)
    system.factor()
    system.solve(rhs.reshape(-1, 3))
    assert len(steps) > 10
    assert abs(system.iterations - len(steps)) <= 1


def test_gradients_refuse_an_indefinite_matrix():
    matrix = random_matrix(20, 3, 0)
    matrix -= np.eye(60) * (np.linalg.eigvalsh(matrix)[0] + 3)
    matrix[np.arange(60), np.arange(60)] = np.maximum(np.diag(matrix), 0.1)
    assert np.linalg.eigvalsh(matrix)[0] < -1
    system = BandedSystem(20, 3, "cg")
    fill(system, matrix)
    with pytest.raises(NotPositive):
        system.factor()
        system.solve(np.random.default_rng(0).normal(size=(20, 3)))


def test_gradients_of_nothing_are_nothing():
    system = BandedSystem(5, 2, "cg")
    fill(system, random_matrix(5, 2, 0))
    system.factor()
    assert np.array_equal(system.solve(np.zeros((5, 3))), np.zeros((5, 3)))
    assert system.iterations == 0


@pytest.mark.parametrize(("nodes", "reach"), SIZES)
def test_product(nodes, reach):
    matrix = random_matrix(nodes, reach, 0)
    system = BandedSystem(nodes, reach, "cg")
    fill(system, matrix)
    v, out = np.random.default_rng(0).normal(size=3 * nodes), np.empty(3 * nodes)
    multiply(system.parts[0].band, v, out)
    np.testing.assert_allclose(out, matrix @ v, rtol=1e-12, atol=1e-12 * np.abs(matrix).max())


@pytest.mark.parametrize("stop", [0, 1, PANEL - 1, PANEL, PANEL + 3, 2 * PANEL, 29, 30])
def test_part_of_a_factor_leaves_the_rest_of_the_matrix(stop):
    """Up to a column: those before are Cholesky's, those behind are what is left (Schur)."""
    size, width = 30, 11
    rng = np.random.default_rng(stop)
    full = np.where(
        np.abs(np.subtract.outer(np.arange(size), np.arange(size))) < width,
        rng.normal(size=(size, size)), 0,
    )  # fmt: skip
    full = full + full.T + 30 * np.eye(size)
    band = np.zeros((size, width + PAD))
    for j in range(size):
        below = min(width, size - j)
        band[j, :below] = full[j : j + below, j]
    assert factor_band(band, stop, np.zeros(PANEL))
    left = np.linalg.cholesky(full)[:, :stop]
    inner = full[:stop, :stop]
    rest = full[stop:, stop:] - full[stop:, :stop] @ np.linalg.solve(inner, full[:stop, stop:])
    for j in range(size):
        below = min(width, size - j)
        column = band[j, :below].copy()
        if j < stop:
            column[0] = 1 / column[0]
            np.testing.assert_allclose(column, left[j : j + below, j], atol=1e-13)
        else:
            np.testing.assert_allclose(
                column, rest[j - stop : j - stop + below, j - stop], atol=1e-12
            )
    if stop == size:
        b = rng.normal(size=size)
        x = b.copy()
        solve_lower(band, size, x)
        solve_upper(band, size, x)
        np.testing.assert_allclose(full @ x, b, atol=1e-12)


@pytest.mark.parametrize(("nodes", "reach"), SIZES)
def test_parts_hold_every_node_and_every_tetrahedron_once(nodes, reach):
    left, right = plan_parts(nodes, reach, 2)
    order = np.arange(nodes)
    assert left.inner + right.inner + (left.count - left.inner) == nodes
    assert np.array_equal(left.pick(order)[left.inner :], right.pick(order)[right.inner :][::-1])
    assert np.array_equal(np.sort([*left.pick(order), *right.pick(order)[: right.inner]]), order)
    rng = np.random.default_rng(nodes)
    first = rng.integers(0, nodes, 200)
    tets = np.minimum(first[:, None] + rng.integers(0, reach + 1, (200, 4)), nodes - 1)
    for which, part in zip(share_tets(tets, [left, right]), (left, right), strict=True):
        assert np.isin(tets[which], part.pick(order)).all()  # all its nodes are there
    shares = np.array(share_tets(tets, [left, right]))
    assert (shares.sum(axis=0) == 1).all()


def test_what_belongs_to_points_is_added_where_their_nodes_are():
    """Points of one node or mixed of three near ones, wherever they lie; each once."""
    nodes, reach = 19, 4
    rng = np.random.default_rng(0)
    mass = rng.uniform(50, 60, nodes)
    start = rng.integers(0, nodes - reach, 40)
    node = start[:, None] + rng.integers(0, reach + 1, (40, 3))
    weight = rng.normal(size=(40, 3))
    node[:5, 1:], weight[:5] = node[:5, :1], (1.0, 0.0, 0.0)
    blocks = rng.normal(size=(40, 3, 3))
    blocks = blocks @ blocks.transpose(0, 2, 1)
    matrix = np.kron(np.diag(mass), np.eye(3))
    for at, share, block in zip(node, weight, blocks, strict=True):
        mix = np.zeros((3, 3 * nodes))
        for n, w in zip(at, share, strict=True):
            mix[:, 3 * n : 3 * n + 3] += w * np.eye(3)
        matrix += mix.T @ block @ mix
    system = BandedSystem(nodes, reach)
    chosen = share_points(node, system.parts)
    assert np.array_equal(np.sort(np.concatenate(chosen)), np.arange(40))
    for part, which in zip(system.parts, chosen, strict=True):
        count = part.count if part.owner else part.inner
        add_diagonal(part.pick(mass)[:count], part.band)
        add_blocks(which, node, weight, blocks, part.first, part.sign, part.band)
    system.factor()
    rhs = rng.normal(size=(nodes, 3))
    wanted = solve(matrix, rhs.ravel(), assume_a="pos").reshape(-1, 3)
    assert relative(system.solve(rhs), wanted) < 1e-12
