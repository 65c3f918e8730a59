"""What a controller reads of a body is what that body was given, and nobody else."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from skitter.control.antennae import update_antennae
from skitter.control.bodies import read_axes, read_position, read_spin, read_velocity
from skitter.control.walker import LEFT
from skitter.terrain import build_terrain
from walkers import build_walker, hang, surround

NOTHING = build_terrain([])


def as_quaternion(turn: Rotation) -> np.ndarray:
    x, y, z, w = turn.as_quat()
    return np.array([w, x, y, z])


def test_bodies_are_read_one_by_one():
    one = build_walker(start="free", at=[0, 50, 0], scene={"precision": "float64"})
    rng, given = np.random.default_rng(0), []
    for body in range(len(one.plan.rigid)):
        turn = Rotation.from_rotvec(rng.normal(0, 1, 3))
        place, velocity, spin = rng.normal(0, 5, (3, 3))
        one.set_body(body, place, as_quaternion(turn), velocity, spin)
        given.append((place, velocity, spin, turn.as_matrix().ravel()))
    one.settle()
    for body, (place, velocity, spin, axes) in enumerate(given):
        assert read_position.py_func(one.body_state, body) == pytest.approx(place)
        assert read_velocity.py_func(one.body_state, body) == pytest.approx(velocity)
        assert read_spin.py_func(one.body_scratch.frame, body) == pytest.approx(spin)
        assert read_axes.py_func(one.body_scratch.frame, body) == pytest.approx(axes)


def test_antennae_turn_with_the_head_and_not_with_the_body():
    """The first link points where its two angles say, as the head sees it."""
    one = hang(20.0, scene={"precision": "float64"})
    turn = Rotation.from_rotvec([0.2, 0.7, -0.3])
    one.set_body(0, one.body_centre[0], as_quaternion(turn), np.zeros(3), np.zeros(3))
    one.settle()
    update_antennae(
        NOTHING.arrays, surround(), one.walker.antenna, one.walker.goal, one.walker_state, 1 / 300,
        one.body_state, one.body_scratch.frame,
    )  # fmt: skip
    for k, points in enumerate(one.walker_state.antenna_point):
        theta, phi = one.walker_state.antenna_root[k]
        out = np.sin(theta) * (-1 if k == LEFT else 1)
        expected = np.array([np.cos(phi) * np.cos(theta), np.sin(phi), np.cos(phi) * out])
        link = points[1] - points[0]
        assert turn.inv().apply(link / np.linalg.norm(link)) == pytest.approx(expected, abs=1e-6)
