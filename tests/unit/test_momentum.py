"""Momentum compensation: nothing is left of net force and torque, and nothing changed in vain."""

import numpy as np
import pytest

from skitter.elastic.momentum import compensate, cross_matrix, measure_net


def random_case(seed: int, count: int):
    """Forces, points like a slender body's anywhere, and a centre which is not their mean."""
    rng = np.random.default_rng([seed, count])
    x = rng.normal(size=(count, 3)) * (0.05, 0.004, 0.003) + rng.normal(size=3)
    mass = rng.uniform(0.1, 3, count)
    return rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-6, 6), x, mass @ x / mass.sum()


def cross(vector) -> np.ndarray:
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def solve_dense(force, x, centre) -> np.ndarray:
    """The least change f of sum f² under six conditions, by the whole system of Lagrange."""
    count = len(x)
    conditions = np.zeros((6, 3 * count))
    for k in range(count):
        conditions[:3, 3 * k : 3 * k + 3] = np.eye(3)
        conditions[3:, 3 * k : 3 * k + 3] = cross(x[k] - centre)
    conditions[3:] *= 100  # of like size: cm of a body against dynes
    zero = np.zeros((6, 6))
    system = np.block([[np.eye(3 * count), conditions.T], [conditions, zero]])
    right = np.concatenate([np.zeros(3 * count), -conditions @ force.ravel()])
    return force + np.linalg.solve(system, right)[: 3 * count].reshape(-1, 3)


CASES = [(seed, count) for seed in range(6) for count in (3, 4, 20, 300)]


@pytest.mark.parametrize(("seed", "count"), CASES)
def test_nothing_is_left(seed, count):
    force, x, centre = random_case(seed, count)
    found = compensate(force, x, centre)
    r = x - centre
    assert np.linalg.norm(found.sum(axis=0)) < 1e-12 * np.abs(force).sum()
    torque = np.cross(r, found).sum(axis=0)
    assert np.linalg.norm(torque) < 1e-12 * np.abs(np.cross(r, force)).sum()
    about = np.cross(x - (1.0, 2.0, 3.0), found).sum(axis=0)  # then about any other point too
    assert np.linalg.norm(about) < 1e-11 * np.abs(np.cross(x - (1.0, 2.0, 3.0), force)).sum()


@pytest.mark.parametrize(("seed", "count"), CASES)
def test_change_is_the_least(seed, count):
    force, x, centre = random_case(seed, count)
    found, wanted = compensate(force, x, centre), solve_dense(force, x, centre)
    assert np.abs(found - wanted).max() < 1e-9 * np.abs(force).max()
    # whatever else might be changed without net force and torque is at right angles to it
    for k in range(5):
        other = np.random.default_rng([seed, k]).normal(size=x.shape)
        other = solve_dense(other, x, centre)
        size = np.linalg.norm(found - force) * np.linalg.norm(other)
        assert abs(np.sum((found - force) * other)) < 1e-9 * size + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_internal_forces_stay_as_they_are(seed):
    force, x, centre = random_case(seed, 40)
    once = compensate(force, x, centre)
    np.testing.assert_allclose(compensate(once, x, centre), once, atol=1e-11 * np.abs(force).max())


@pytest.mark.parametrize("seed", range(4))
def test_turns_and_goes_with_the_body(seed):
    force, x, centre = random_case(seed, 40)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    turn *= np.linalg.det(turn)
    there = compensate(force @ turn.T, x @ turn.T + 5, centre @ turn.T + 5)
    here = compensate(force, x, centre)
    np.testing.assert_allclose(there, here @ turn.T, atol=1e-10 * np.abs(force).max())


def test_worked_by_hand():
    """Two pairs of points on the axes; a push on one of them."""
    x = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    force = np.zeros((4, 3))
    force[0, 1] = 4.0  # net force 4 along y, torque 4 about z; sum r² = 4
    found = compensate(force, x, np.zeros(3))
    # each point loses 1 along y, and 1 z x r: 4 of torque by 4 cm²
    wanted = force - [0, 1, 0] - np.cross([0, 0, 1.0], x)
    np.testing.assert_allclose(found, wanted, atol=1e-14)


def compensate_as_printed(force, x, centre) -> np.ndarray:
    """Mujika 2018 eq. 3 to 7 with the signs of the paper in A A / n and A l_t."""
    r, count = x - centre, len(x)
    net, torque = force.sum(axis=0), np.cross(r, force).sum(axis=0)
    A, B = cross(r.sum(axis=0)), sum(cross(one) @ cross(one) for one in r)
    turn = np.linalg.solve(B + A @ A / count, torque - A @ net / count)
    push = (net + A @ turn) / count
    return force - push - np.cross(r, turn)


def test_printed_signs_hold_only_about_the_mean_of_the_nodes():
    force, x, centre = random_case(0, 30)
    mean = x.mean(axis=0)
    assert np.linalg.norm(centre - mean) > 1e-4
    printed = compensate_as_printed(force, x, mean)
    np.testing.assert_allclose(compensate(force, x, mean), printed, rtol=1e-9)
    wrong = compensate_as_printed(force, x, centre)
    assert max(measure_net(wrong, x, centre)) > 1e-6
    assert max(measure_net(compensate(force, x, centre), x, centre)) < 1e-12


def test_measure_is_relative_to_the_sizes():
    x = np.array([[1.0, 0, 0], [-1, 0, 0]])
    pair = np.array([[0, 2.0, 0], [0, 1.0, 0]])  # 3 of 3 in force; torques 2 and -1: 1 of 3
    assert measure_net(pair, x, np.zeros(3)) == pytest.approx((1.0, 1 / 3))
    assert measure_net(1e9 * pair, x, np.zeros(3)) == pytest.approx((1.0, 1 / 3))
    assert measure_net(np.zeros((2, 3)), x, np.zeros(3)) == (0.0, 0.0)


def test_cross_matrix_is_that_of_the_sum():
    a, b, c = np.random.default_rng(1).normal(size=(3, 3))
    np.testing.assert_allclose(cross_matrix(np.array([a, b])) @ c, np.cross(a + b, c), atol=1e-14)
