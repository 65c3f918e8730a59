"""The worm's material: forces and stiffness are derivatives of one energy, whatever the motion.

The energies are written here once more, from stress as the derivative of energy by strain. The
stress T (1 + 2 E_nn / c) along a fibre n has the energy T (E_nn + E_nn² / c); C (E + r (E - E0)),
with internal friction, is the derivative of E C E / 2 + r (E - E0) C (E - E0) / 2.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import plain_stvk as plain
from skitter.elastic.block import build_nodes, build_topology, compute_lame
from skitter.elastic.stvk import (
    ROW,
    SHORTEST,
    WORK,
    add_forces,
    add_tangent,
    build_elements,
    compute_energy,
    compute_forces,
    group,
    measure_strain,
)

YOUNG, POISSON = 1.1e6, 0.4
RANGE = 1 - SHORTEST**2


class Piece:
    """A distorted block of 2 x 2 x 1 cells, 24 tetrahedra (no whole number of groups)."""

    def __init__(self, seed: int, *, cells=(2, 2, 1), size=(0.02, 0.008, 0.006), is_uneven=True):
        rng = np.random.default_rng(seed)
        self.cell = min(np.array(size) / cells)
        nodes = build_nodes(cells, np.array(size))
        self.rest = nodes + rng.uniform(-0.15, 0.15, nodes.shape) * self.cell * is_uneven
        self.tets = build_topology(cells).tets
        count = len(self.tets)
        spread = rng.uniform(0.5, 2, count) if is_uneven else np.ones(count)
        mu, lam = compute_lame(YOUNG, POISSON)
        self.mu, self.lam = mu * spread, lam * spread
        self.fibre = rng.normal(size=(count, 3))
        self.fibre /= np.linalg.norm(self.fibre, axis=1, keepdims=True)
        self.fibre[::3] = 0.0  # not all of it is muscle
        self.tension = rng.uniform(0, 0.5 * YOUNG, count)
        self.band = 3 * (int(np.ptp(self.tets, axis=1).max()) + 1)

    def elements(self, **numbering):
        return build_elements(self.rest, self.tets, self.mu, self.lam, self.fibre, **numbering)

    def deform(self, seed: int, amount=0.3) -> np.ndarray:
        rng = np.random.default_rng([9, seed])
        turn = Rotation.random(rng=rng).as_matrix()
        moved = self.rest + rng.normal(size=self.rest.shape) * amount * self.cell
        return moved @ turn.T + rng.normal(size=3)

    def forces(self, x, *, tension=None, before=None, rate=0.0, **numbering) -> np.ndarray:
        elements, force = self.elements(**numbering), np.zeros_like(x)
        strain = self.measure(elements, self.rest if before is None else before)
        pull = self.pull(elements, tension)
        add_forces(elements, x, pull, strain, rate, np.zeros(WORK), force)
        return force

    def tangent(self, x, *, tension=None, before=None, rate=0.0, safe=False, **numbering):
        """Dense [3 node, 3 node], in the elements' own numbers of the nodes."""
        elements, size = self.elements(**numbering), x.size
        strain = self.measure(elements, self.rest if before is None else before)
        band = np.zeros((size, self.band))
        pull = self.pull(elements, tension)
        add_tangent(elements, x, pull, strain, rate, safe, np.zeros(WORK), band)
        lower = np.zeros((size, size))
        for away in range(self.band):
            rows = np.arange(away, size)
            lower[rows, rows - away] = band[: size - away, away]
            assert not band[size - away :, away].any()
        return lower + np.tril(lower, -1).T

    def pull(self, elements, tension):
        return np.zeros((len(elements.volume), ROW)) if tension is None else group(tension)

    def measure(self, elements, x):
        before = np.zeros((len(elements.volume), 6 * ROW))
        measure_strain(elements, x, np.zeros(WORK), before)
        return before

    def energy(self, x, *, tension=None, before=None, rate=0.0) -> float:
        """All of it, from strains alone."""
        material = self.rest, self.tets, self.mu, self.lam
        volume = plain.compute_gradients(self.rest, self.tets)[1]
        E = plain.compute_stress(x, *material)[1]
        total = volume @ self.density(E)
        if before is not None:
            total += rate * volume @ self.density(E - plain.compute_stress(before, *material)[1])
        if tension is not None:
            along = np.einsum("ti,tij,tj->t", self.fibre, E, self.fibre)
            total += volume @ (tension * (along + along**2 / RANGE))
        return float(total)

    def density(self, E):
        trace = np.trace(E, axis1=1, axis2=2)
        return self.lam * trace**2 / 2 + self.mu * np.einsum("tij,tij->t", E, E)


def differ(function, x, step):
    """Derivative by every coordinate [3 node, ...]; exact for a polynomial of the fourth degree."""
    slopes = []
    for k in range(x.size):
        away = np.zeros(x.size)
        away[k] = 1.0
        away = away.reshape(x.shape)
        near, far = (
            (function(x + h * away) - function(x - h * away)) / (2 * h) for h in (step, 2 * step)
        )
        slopes.append((4 * near - far) / 3)
    return np.array(slopes)


def close(found, wanted, tolerance):
    assert np.abs(wanted).max() > 0
    assert np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max()


def terms(piece: Piece, which: str) -> dict:
    muscle = {"tension": piece.tension}
    friction = {"before": piece.deform(77, 0.2), "rate": 1.7}
    return {"passive": {}, "muscle": muscle, "friction": friction, "all": muscle | friction}[which]


TERMS = ["passive", "muscle", "friction", "all"]


@pytest.mark.parametrize("which", TERMS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_force_is_minus_the_slope_of_energy(seed, which):
    piece = Piece(seed)
    x, more = piece.deform(seed), terms(piece, which)
    x -= x.mean(axis=0)
    slope = differ(lambda at: piece.energy(at, **more), x, 1e-3 * piece.cell)
    close(piece.forces(x, **more), -slope.reshape(x.shape), 1e-9)


@pytest.mark.parametrize("which", TERMS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_stiffness_is_minus_the_slope_of_force(seed, which):
    piece = Piece(seed)
    x, more = piece.deform(seed), terms(piece, which)
    x -= x.mean(axis=0)
    slope = differ(lambda at: piece.forces(at, **more).ravel(), x, 1e-2 * piece.cell)
    close(piece.tangent(x, **more), -slope.T, 1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_kernels_equal_plain_numpy(seed):
    piece = Piece(seed)
    x, material = piece.deform(seed), (piece.rest, piece.tets, piece.mu, piece.lam)
    wanted = plain.compute_forces(x, *material)
    close(piece.forces(x), wanted, 1e-12)
    close(compute_forces(piece.elements(), x), wanted, 1e-12)
    close(compute_energy(piece.elements(), x), plain.compute_energy(x, *material), 1e-12)
    wanted = plain.compute_stiffness(x, *material, 1e-2 * piece.cell)
    close(piece.tangent(x), wanted, 1e-9)


@pytest.mark.parametrize("which", TERMS)
def test_nodes_may_be_counted_from_the_other_end(which):
    piece = Piece(4)
    x, more = piece.deform(4), terms(piece, which)
    other = {"first": len(x) - 1, "sign": -1}
    close(piece.forces(x, **more, **other), piece.forces(x, **more), 1e-13)
    count = len(x)
    turned = piece.tangent(x, **more, **other).reshape(count, 3, count, 3)[::-1, :, ::-1]
    close(turned.reshape(3 * count, -1), piece.tangent(x, **more), 1e-13)


@pytest.mark.parametrize("which", TERMS)
@pytest.mark.parametrize("seed", range(5))
def test_forces_turn_and_go_with_the_body(seed, which):
    """So does the strain before the step: a step that only turns has no internal friction."""
    piece = Piece(seed)
    x, more = piece.deform(seed, 0.5), terms(piece, which)
    rng = np.random.default_rng(seed)
    turn, shift = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    there = more | ({"before": more["before"] @ turn.T - shift} if "before" in more else {})
    moved = piece.forces(x @ turn.T + shift, **there)
    close(moved, piece.forces(x, **more) @ turn.T, 1e-10)
    still = piece.rest @ turn.T + shift
    assert np.abs(piece.forces(still)).max() < 1e-11 * YOUNG * piece.cell**2
    rigid = piece.forces(x @ turn.T, before=x, rate=50.0)
    close(rigid, piece.forces(x) @ turn.T, 1e-10)


@pytest.mark.parametrize("which", TERMS)
@pytest.mark.parametrize("seed", range(10))
def test_no_net_force_and_no_net_torque(seed, which):
    piece = Piece(seed)
    x = piece.deform(seed, 0.6)
    force = piece.forces(x, **terms(piece, which))
    assert np.linalg.norm(force.sum(axis=0)) < 1e-13 * np.abs(force).sum()
    torque = np.cross(x - x.mean(axis=0), force)
    assert np.linalg.norm(torque.sum(axis=0)) < 1e-12 * np.abs(torque).sum()


def test_safe_stiffness_is_never_negative_where_the_exact_one_is():
    lowest = {False: [], True: []}
    for seed in range(20):
        piece = Piece(seed)
        press = np.diag(np.random.default_rng(seed).uniform(0.3, 0.9, 3))
        x, more = piece.deform(seed, 0.3) @ press, terms(piece, "all")
        for safe, found in lowest.items():
            values = np.linalg.eigvalsh(piece.tangent(x, safe=safe, **more))
            found.append(values[0] / values[-1])
    assert max(lowest[False]) < -1e-3
    assert min(lowest[True]) > -1e-13


def test_safe_stiffness_is_the_exact_one_where_nothing_is_pressed():
    piece = Piece(3)
    stretched = 1.2 * piece.rest
    close(piece.tangent(stretched, safe=True), piece.tangent(stretched), 1e-14)


def test_patch():
    """u = A x: the same stress everywhere, no force inside, and on each face what it carries."""
    piece = Piece(5, cells=(4, 3, 3), size=(0.04, 0.03, 0.03))
    piece.mu[:], piece.lam[:] = compute_lame(YOUNG, POISSON)
    outer = build_nodes((4, 3, 3), np.array((0.04, 0.03, 0.03)))
    high = np.array((0.02, 0.015, 0.015))
    inside = (np.abs(outer) < high - 1e-9).all(axis=1)
    piece.rest[~inside] = outer[~inside]
    F = np.eye(3) + np.random.default_rng(5).uniform(-0.3, 0.3, (3, 3))
    force = piece.forces(piece.rest @ F.T)
    assert np.abs(force[inside]).max() < 1e-12 * np.abs(force).max()
    assert inside.sum() == 12
    E = (F.T @ F - np.eye(3)) / 2
    P = F @ (piece.lam[0] * np.trace(E) * np.eye(3) + 2 * piece.mu[0] * E)
    moment = -force.T @ piece.rest  # the sum of f x^T of all corners is -V P
    np.testing.assert_allclose(moment, P * 0.04 * 0.03 * 0.03, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("length", [0.4, 0.6, 0.8, 1.0, 1.1, 1.5])
def test_stretched_bar(length):
    """P = E l (l² - 1) / 2 with free sides, on any face across the bar."""
    piece = Piece(0, size=(0.02, 0.01, 0.01), is_uneven=False)
    along = (length**2 - 1) / 2
    side = np.sqrt(1 - 2 * POISSON * along)
    force = piece.forces(piece.rest * (length, side, side))
    end = piece.rest[:, 0] > 0.0099
    wanted = YOUNG * length * (length**2 - 1) / 2 * 0.01**2
    scale = YOUNG * 0.01**2
    assert -force[end, 0].sum() == pytest.approx(wanted, rel=1e-11, abs=1e-12 * scale)
    assert np.abs(force[:, 1:]).max() < 1e-12 * scale
    assert np.abs(force[np.abs(piece.rest[:, 0]) < 1e-9]).max() < 1e-12 * scale


def test_bar_softens_at_one_over_root_three():
    piece = Piece(0, size=(0.02, 0.01, 0.01), is_uneven=False)
    end = piece.rest[:, 0] > 0.0099

    def pull(length):
        side = np.sqrt(1 - POISSON * (length**2 - 1))
        return -piece.forces(piece.rest * (length, side, side))[end, 0].sum()

    root, step = 1 / np.sqrt(3), 0.01
    assert pull(root) < min(pull(root - step), pull(root + step))
    lengths = np.linspace(0.5, 0.65, 151)
    lowest = lengths[np.argmin([pull(length) for length in lengths])]
    assert lowest == pytest.approx(root, abs=1e-3)


@pytest.mark.parametrize("length", [0.5, 0.7, 1.0, 1.2])
def test_muscle_pulls_less_as_it_shortens(length):
    """T at rest; nothing any more at half the length; on the ends of the fibres only."""
    piece = Piece(0, size=(0.02, 0.01, 0.01), is_uneven=False)
    piece.fibre[:], tension = (1.0, 0.0, 0.0), np.full(len(piece.tets), 2e5)
    x = piece.rest * (length, 1.0, 1.0)
    added = piece.forces(x, tension=tension) - piece.forces(x)
    end = piece.rest[:, 0] > 0.0099
    share = 1 + (length**2 - 1) / (1 - 0.5**2)
    scale = 2e5 * 0.01**2
    assert -added[end, 0].sum() == pytest.approx(length * share * scale, abs=1e-11 * scale)
    assert np.abs(added[:, 1:]).max() < 1e-10 * scale


def test_energy_of_friction_is_only_lost():
    """The force of internal friction takes energy away in any small step."""
    piece = Piece(6)
    for seed in range(20):
        before = piece.deform(seed, 0.2)
        step = np.random.default_rng(seed).normal(size=before.shape) * 1e-4 * piece.cell
        extra = piece.forces(before + step, before=before, rate=3.0) - piece.forces(before + step)
        assert (extra * step).sum() < 0
