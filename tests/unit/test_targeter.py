"""The Targeter: heights, headings and links of carried segments, and how legs let go of them."""

from math import exp, sqrt

import numpy as np
import pytest

from skitter.control.walker import STANCE
from skitter.rotation import quaternion_to_matrix
from skitter.world import World
from walkers import build_world, surround

STEP = 1 / 3000  # s
GOAL = 0.75  # cm, height of centipede18
SPEED = 5.0  # cm/s
RATE, SETTLE = 25.0, 0.004  # 1/s of heights and turns, and s in which a speed is taken up


def compute_decay() -> float:
    """1/s at which a gap closes whose closing speed RATE * gap is taken up over SETTLE: the slower
    root of SETTLE s² + s + RATE = 0."""
    return (1 - sqrt(1 - 4 * SETTLE * RATE)) / (2 * SETTLE)


def stand(**options) -> World:
    """A puppet that stands still; a few steps on, so that its brain has noticed."""
    world = build_world(commands=[{"speed": 0}], **options)
    world.advance(0.5)
    return world


def shift(world: World, body: int, up: float = 0.0, yaw: float = 0.0) -> None:
    """Move a body at rest."""
    one = world.creatures[0]
    turn = np.array([np.cos(yaw / 2), 0.0, np.sin(yaw / 2), 0.0])
    one.set_body(body, one.body_centre[body] + [0, up, 0], turn, np.zeros(3), np.zeros(3))


def measure_yaw(world: World, body: int) -> float:
    x = quaternion_to_matrix(world.creatures[0].body_orientation[body].astype(float))[:, 0]
    return float(np.arctan2(-x[2], x[0]))


def test_standing_segments_are_as_high_as_the_species_says():
    one = stand().creatures[0]
    assert (one.walker_state.leg_state == STANCE).mean() > 0.8
    assert one.body_position[1:-1, 1] == pytest.approx(GOAL, abs=0.01 * GOAL)


@pytest.mark.parametrize("up", [0.05, -0.05])
def test_height_converges_at_its_rate(up):
    world = stand(scene={"frame_rate": 300, "precision": "float64"})
    one = world.creatures[0]
    rest = one.body_position[:, 1].copy()
    for body in range(len(one.plan.rigid)):  # all alike, so that the links stay level
        shift(world, body, up=up)
    one.walker_state.drive[:, :6] = 0
    one.settle()
    world.advance(0.05)
    first = one.body_position[:, 1] - rest
    world.advance(0.05)
    second = one.body_position[:, 1] - rest
    carried = (one.walker_state.supported == 1) & (np.abs(first) > 1e-4)
    assert carried.sum() > 10
    ratio = second[carried] / first[carried]
    assert np.median(ratio) == pytest.approx(exp(-0.05 * compute_decay()), rel=0.1)
    assert (np.abs(second[carried]) < np.abs(up) / 5).all()


@pytest.mark.parametrize("yaw", [0.15, -0.15])
def test_a_segment_turns_towards_its_link(yaw):
    world = stand(scene={"frame_rate": 300, "precision": "float64"})
    one = world.creatures[0]
    body = next(b for b in range(5, 15) if one.walker_state.supported[b])
    assert measure_yaw(world, body) == pytest.approx(0, abs=0.01)
    shift(world, body, yaw=yaw)
    one.walker_state.drive[:, :6] = 0
    one.settle()
    assert measure_yaw(world, body) == pytest.approx(yaw, abs=1e-6)
    angles = []
    for _ in range(30):
        world.advance()
        angles.append(measure_yaw(world, body))
    left = np.array(angles) / yaw
    assert (np.diff(left) < 1e-4).all() and left[-1] < 0.1
    assert left[-1] > -0.02  # and arrives, instead of trembling about its goal


def test_links_keep_their_length_while_it_walks():
    world = build_world(commands=[{"speed": SPEED}])
    one, worst = world.creatures[0], 0.0
    # half a head and half a segment, then whole segments, then half a tail, and the joints between
    expected = np.array([0.45 + 0.5 + 0.3, *[0.6 + 0.5] * 17, 0.3 + 0.5 + 0.2])
    world.advance(0.5)
    for _ in range(90):
        world.advance()
        links = np.linalg.norm(np.diff(one.body_position, axis=0), axis=1)
        worst = max(worst, float(np.abs(links / expected - 1).max()))
    assert worst < 0.05


def trace_steps(world: World, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, velocities and support of all bodies after each step of a frame [step, body, ...].

    Each is reached from the start of the frame anew, as frames are what the world is asked for.
    """
    one, start = world.creatures[0], world.state()
    places, velocities, carried = [], [], []
    for count in range(1, steps + 1):
        world.restore(start)
        one.advance(count, world.terrain, surround(is_puppet=True))
        places.append(one.body_position.astype(float))
        velocities.append(one.body_velocity.astype(float))
        carried.append(one.walker_state.supported.copy())
    world.restore(start)
    return np.array(places), np.array(velocities), np.array(carried)


def test_legs_take_hold_and_let_go_without_a_jump():
    """Of all bodies but the last two: the tail is light, hangs on one side only, and recoils."""
    world = build_world(commands=[{"speed": SPEED}], scene={"precision": "float64"})
    world.advance(1.0)
    changes, jump, move = 0, 0.0, 0.0
    for _ in range(8):
        places, velocities, carried = (
            values[:, :-2] for values in trace_steps(world, world.steps_per_frame)
        )
        move = max(move, np.linalg.norm(np.diff(places, axis=0), axis=2).max())
        gains = np.linalg.norm(np.diff(velocities, axis=0), axis=2)
        for step, body in np.argwhere(np.diff(carried.astype(int), axis=0)):
            changes += 1
            jump = max(jump, gains[step : step + 3, body].max())  # then and just after
        world.advance()
    assert changes >= 4
    assert move < 2 * SPEED * STEP  # no body is put anywhere: it moves there
    assert jump < 0.2 * SPEED
