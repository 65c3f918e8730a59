"""Antennae: their shape, how they draw back, and what they smell (Fang 2015 section 3.5, 3.6)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.control.antennae import retreat, update_antennae
from skitter.control.bodies import read_axes_of
from skitter.control.walker import LEFT, RIGHT, Surroundings
from skitter.creatures.myriapod import Myriapod
from skitter.scene.spec import SphereTerrain
from skitter.terrain import build_terrain
from walkers import hang, surround

NOTHING = build_terrain([])
PAUSE = 1 / 300  # s
LENGTH, LINKS, THETA, PHI, SPEED = 3.0, 12, (10, 55), (-5, 30), 120.0  # of centipede18


@pytest.fixture
def one() -> Myriapod:
    return hang(20.0)


def feel(one: Myriapod, around: Surroundings, times: int = 1) -> None:
    for _ in range(times):
        one.walker_state.clock[0] += PAUSE
        update_antennae(
            NOTHING.arrays, around, one.walker.antenna, one.walker.goal, one.walker_state, PAUSE,
            one.body_state, one.body_scratch.frame,
        )  # fmt: skip


def tips(one: Myriapod) -> np.ndarray:
    return one.walker_state.antenna_point[:, -1].copy()


def aim(theta: float, phi: float, side: int) -> np.ndarray:
    """Direction of a root link in the head's frame: theta to the outside, phi upwards."""
    return np.array([np.cos(phi) * np.cos(theta), np.sin(phi), side * np.cos(phi) * np.sin(theta)])


def test_links_are_equal_and_begin_at_the_head(one):
    feel(one, surround(), times=50)
    points = one.walker_state.antenna_point
    links = np.linalg.norm(np.diff(points, axis=1), axis=2)
    assert links.shape == (2, LINKS)
    assert links == pytest.approx(LENGTH / LINKS)
    head = one.body_position[0]
    assert (np.abs(points[:, 0] - head) <= np.array([0.9, 0.65, 0.8]) / 2 + 1e-6).all()
    assert points[LEFT, 0, 2] < head[2] < points[RIGHT, 0, 2]


def test_the_root_wanders_in_its_range_at_its_speed(one):
    before, seen = one.walker_state.antenna_root.copy(), []
    for _ in range(3000):
        feel(one, surround())
        root = one.walker_state.antenna_root.copy()
        assert np.abs(root - before).max() <= np.radians(SPEED) * PAUSE + 1e-12
        seen.append(root)
        before = root
    low, high = np.degrees(np.min(seen, axis=(0, 1))), np.degrees(np.max(seen, axis=(0, 1)))
    assert (low >= [THETA[0] - 1e-9, PHI[0] - 1e-9]).all()
    assert (high <= [THETA[1] + 1e-9, PHI[1] + 1e-9]).all()
    assert ((high - low) > 0.8 * np.array([THETA[1] - THETA[0], PHI[1] - PHI[0]])).all()


@pytest.mark.parametrize("far", [2.0, 4.0, 10.0])
def test_food_smells_by_the_inverse_square(one, far):
    feel(one, surround())
    tip = tips(one)[LEFT]
    one.walker_state.antenna_goal[:] = one.walker_state.antenna_root  # nearly where it was
    food = tip + np.array([far, 0, 0])
    feel(one, surround(food=[[*food, 0.4, 3.0]]))
    away = np.linalg.norm(tips(one) - food, axis=1)
    assert one.walker_state.antenna_food == pytest.approx(3.0 / away**2)


def test_food_adds_up_and_what_is_eaten_does_not_smell(one):
    places = np.array([[30.0, 20, 5], [25, 21, -4], [40, 20, 0]])
    strengths = [1.0, 2.0, 0.0]
    food = [[*place, 0.4, strength] for place, strength in zip(places, strengths, strict=True)]
    feel(one, surround(food=food))
    squares = ((tips(one)[:, None] - places) ** 2).sum(axis=2)
    assert one.walker_state.antenna_food == pytest.approx((strengths / squares).sum(axis=1))


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_the_antenna_that_touches_draws_back(one, side):
    feel(one, surround())
    joint = one.walker_state.antenna_point[side, -3].copy()
    outside = -1 if side == LEFT else 1
    ball = joint + np.array([0.3, 0, 0.4 * outside])  # ahead and to the outside
    around = surround(others=[[*ball, 0.5]])
    feel(one, around)
    touch = one.walker_state.antenna_touch
    assert (touch[side], touch[1 - side]) == (1, 0)
    before = np.linalg.norm(tips(one)[side] - ball)
    feel(one, around, times=60)
    assert np.linalg.norm(tips(one)[side] - ball) > before
    assert touch[side] == 0


def test_obstacles_are_felt_too(one):
    feel(one, surround())
    place = tuple(float(x) for x in tips(one)[RIGHT] + [0.0, 0.0, 0.5])
    ball = build_terrain([SphereTerrain(shape="sphere", at=place, radius=0.5)])
    feel(one, surround(obstacles=ball))
    assert one.walker_state.antenna_touch.tolist() == [0, 1]


def test_no_obstacle_is_missed_along_an_antenna(one):
    """An antenna touches exactly when one of its joints is nearer than its radius to some ball."""
    rng, radius, seen = np.random.default_rng(1), one.walker.antenna.radius, []
    for _ in range(150):
        near = one.walker_state.antenna_point.reshape(-1, 3)[rng.integers(2 * LINKS, size=3)]
        places, sizes = near + rng.normal(0.0, 0.4, (3, 3)), rng.uniform(0.05, 0.4, 3)
        balls = [
            SphereTerrain(shape="sphere", at=tuple(place), radius=float(size))
            for place, size in zip(places.tolist(), sizes, strict=True)
        ]
        feel(one, surround(obstacles=build_terrain(balls)))
        away = one.walker_state.antenna_point[:, :, None] - places
        touches = (np.linalg.norm(away, axis=3) - sizes < radius).any(axis=(1, 2))
        assert one.walker_state.antenna_touch.tolist() == touches.tolist()
        seen += touches.tolist()
    assert 0.1 < np.mean(seen) < 0.9


ONE = hang(20.0)


@settings(max_examples=60)
@given(
    st.sampled_from([LEFT, RIGHT]),
    st.floats(0.2, 0.9),
    st.floats(0.0, 0.5),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)).filter(
        lambda n: np.linalg.norm(n) > 0.1
    ),
)
def test_it_draws_back_along_the_normal(k, theta, phi, direction):
    """The new goal moves the link's end along the normal, or not at all where it cannot."""
    normal = np.array(direction) / np.linalg.norm(direction)
    ONE.walker_state.antenna_root[k] = theta, phi
    axes, _ = read_axes_of(ONE.body_scratch.frame, ONE.body_state, 0)
    retreat(ONE.walker.antenna, ONE.walker_state, k, axes, *normal)
    goal, side = ONE.walker_state.antenna_goal[k], -1 if k == LEFT else 1
    share = 1e-4  # the first bit of the way: what a link's end does on a ball is bent
    there = np.array([theta, phi]) + share * (goal - [theta, phi])
    moved = (aim(*there, side) - aim(theta, phi, side)) / share
    assert moved @ normal >= -1e-3
    across = normal - (normal @ aim(theta, phi, side)) * aim(theta, phi, side)
    if np.linalg.norm(across) > 0.3:
        assert moved @ normal > 0
