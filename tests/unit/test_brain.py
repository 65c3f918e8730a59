"""The brain: which mode comes first, where it turns, when it gives up (Fang 2015 section 4.4)."""

from math import radians

import numpy as np
import pytest

from skitter.control.brain import think
from skitter.control.walker import (
    ADJUSTMENT,
    AVOIDANCE,
    COMMAND_SPEED,
    COMMAND_TURN,
    CONTROL,
    GOAL_SPEED,
    GOAL_TURN,
    LEFT,
    RANDOM_WALK,
    RIGHT,
    SF1,
    SPEED,
    STANCE,
    TROPHOTROPISM,
    WANDER_LEFT,
)
from skitter.creatures.myriapod import Myriapod
from walkers import build_walker, build_world, surround

AXES = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)  # of a head that looks along x
PAUSE = 1 / 300  # s between two thoughts
# centipede18.yaml, and defaults of the species spec
WALK_SPEED, TURN, THRESHOLD, AVOID_SHARE, CLEAR_TIME = 5.0, radians(45), 4.5e-4, 0.4, 0.6


@pytest.fixture
def one() -> Myriapod:
    """A creature on its feet that feels and smells nothing."""
    return build_still("left")


def build_still(preferred: str) -> Myriapod:
    one = build_walker(**{"with": {"segments": 3, "walk": {"preferred": preferred}}})
    state = one.walker_state
    state.leg_state[:], state.mode[0], state.clock[0] = STANCE, RANDOM_WALK, 1.0
    state.antenna_touch[:], state.antenna_food[:] = 0, 1e-9
    return one


def decide(one: Myriapod, times: int = 1, is_puppet: bool = False, stretch: float = 1.0) -> int:
    """Think so often; the mode."""
    for _ in range(times):
        one.walker_state.clock[0] += PAUSE
        think(
            surround(is_puppet=is_puppet),
            one.walker.walk,
            one.walker_state,
            stretch,
            1,
            AXES,
            PAUSE,
        )
    return int(one.walker_state.mode[0])


def test_modes_by_priority(one):
    state = one.walker_state
    assert decide(one) == RANDOM_WALK
    state.antenna_food[:] = 2 * THRESHOLD
    assert decide(one) == TROPHOTROPISM
    state.antenna_touch[LEFT] = 1
    assert decide(one) == AVOIDANCE
    assert decide(one, is_puppet=True) == CONTROL
    state.leg_state[:] = SF1
    assert decide(one, times=100, is_puppet=True) == ADJUSTMENT


def test_it_walks_only_once_most_legs_stand(one):
    state = one.walker_state
    state.mode[0] = ADJUSTMENT
    state.leg_state[:3] = SF1  # three of six
    assert decide(one) == ADJUSTMENT
    assert state.head[SPEED] == 0 and state.supported[0] == 0
    state.leg_state[0] = STANCE
    assert decide(one) == RANDOM_WALK
    assert state.supported[0] == 1


def test_a_moment_without_feet_is_forgiven(one):
    one.walker_state.leg_state[:] = SF1
    assert decide(one, times=round(0.2 / PAUSE)) == RANDOM_WALK
    one.walker_state.leg_state[:] = STANCE
    assert decide(one) == RANDOM_WALK
    one.walker_state.leg_state[:] = SF1
    assert decide(one, times=round(0.2 / PAUSE)) == RANDOM_WALK
    assert decide(one, times=round(0.1 / PAUSE)) == ADJUSTMENT


@pytest.mark.parametrize(
    ("preferred", "touch", "sign"),
    [
        ("left", (1, 0), -1),
        ("left", (0, 1), 1),
        ("left", (1, 1), -1),
        ("right", (1, 0), -1),
        ("right", (0, 1), 1),
        ("right", (1, 1), 1),
    ],
)
def test_it_turns_away_from_what_it_feels(preferred, touch, sign):
    """Positive turns left; where both antennae touch, the preferred one counts."""
    one = build_still(preferred)
    one.walker_state.antenna_touch[:] = touch
    decide(one)
    assert one.walker_state.head[GOAL_TURN] == pytest.approx(sign * TURN)
    assert one.walker_state.head[GOAL_SPEED] == pytest.approx(AVOID_SHARE * WALK_SPEED)


def test_it_goes_on_avoiding_for_a_while_and_keeps_its_side(one):
    state = one.walker_state
    state.antenna_touch[LEFT] = 1
    decide(one)
    state.antenna_touch[:] = 0, 1  # turning, the other one touches too
    decide(one)
    assert state.head[GOAL_TURN] < 0
    state.antenna_touch[:] = 0
    assert decide(one, times=round(0.95 * CLEAR_TIME / PAUSE)) == AVOIDANCE
    assert decide(one, times=round(0.1 * CLEAR_TIME / PAUSE)) == RANDOM_WALK


@pytest.mark.parametrize(("factor", "mode"), [(0.99, RANDOM_WALK), (1.01, TROPHOTROPISM)])
def test_food_draws_it_above_the_threshold(one, factor, mode):
    one.walker_state.antenna_food[RIGHT] = factor * THRESHOLD
    assert decide(one) == mode


@pytest.mark.parametrize(("left", "right", "sign"), [(2, 1, 1), (1, 2, -1), (1, 1, 0)])
def test_it_turns_to_the_side_that_smells_stronger(one, left, right, sign):
    one.walker_state.antenna_food[:] = np.array([left, right]) * 3 * THRESHOLD
    decide(one)
    assert np.sign(one.walker_state.head[GOAL_TURN]) == sign


def test_the_bearing_of_food_is_that_of_one_source(one):
    """Tips at the ends of a line across, the source far away and a little to the left: the turn is
    in proportion to the sine of its bearing, which is what the two intensities tell."""
    state = one.walker_state
    turns = []
    for bearing in (0.05, 0.1):
        source = 30 * np.array([np.cos(bearing), 0, -np.sin(bearing)])
        tips = np.array([[0, 0, -1.0], [0, 0, 1.0]])
        state.antenna_point[:, -1] = tips
        state.antenna_food[:] = 1 / ((tips - source) ** 2).sum(axis=1)
        decide(one)
        turns.append(state.head[GOAL_TURN])
    assert turns[1] / turns[0] == pytest.approx(np.sin(0.1) / np.sin(0.05), rel=0.01)


def test_a_puppet_does_what_it_is_told(one):
    one.walker_state.head[[COMMAND_SPEED, COMMAND_TURN]] = 3.0, -0.4
    decide(one, is_puppet=True)
    assert one.walker_state.head[GOAL_SPEED] == 3.0
    assert one.walker_state.head[GOAL_TURN] == -0.4


def test_the_head_waits_for_a_stretched_body(one):
    one.walker_state.head[COMMAND_SPEED] = 3.0
    decide(one, times=300, is_puppet=True)
    assert one.walker_state.head[SPEED] == pytest.approx(3.0, rel=1e-3)
    decide(one, times=300, is_puppet=True, stretch=1.2)
    assert one.walker_state.head[SPEED] == pytest.approx(0.0, abs=1e-3)


def test_it_is_no_faster_than_its_legs(one):
    one.walker_state.head[COMMAND_SPEED] = 1000.0
    decide(one, times=300, is_puppet=True)
    across = 0.68 * 2.0 * np.cos(radians(36))  # foot, length and front_deg of centipede18
    stride = across * (np.tan(radians(36)) + np.tan(radians(34)))
    assert one.walker_state.head[SPEED] == pytest.approx(stride / 0.145, rel=1e-3)


def test_wandering_turns_by_random_angles_within_those_of_the_species(one):
    head, drawn = one.walker_state.head, []
    for _ in range(6000):
        before = head[WANDER_LEFT]
        decide(one)
        assert abs(head[GOAL_TURN]) <= TURN and head[GOAL_SPEED] == WALK_SPEED
        if abs(head[WANDER_LEFT]) > abs(before):
            drawn.append(np.degrees(head[WANDER_LEFT]))
    assert len(drawn) > 5
    assert 20 < np.abs(drawn).max() <= 50  # wander_deg
    assert min(drawn) < 0 < max(drawn)


def test_commands_come_at_their_times():
    commands = [{"time": 0.1, "speed": 2}, {"time": 0.5, "speed": 4, "turn_deg": -10}]
    world = build_world(commands=commands, scene={"frame_rate": 100})
    asked = []
    for _ in range(80):
        world.advance()
        values = world.read()
        asked.append((float(values["one.head_speed"]), float(np.degrees(values["one.head_turn"]))))
    assert asked[30] == (2, 0)
    assert asked[-1] == (4, pytest.approx(-10))
    assert {speed for speed, _ in asked} == {0, 2, 4}
    changes = [n for n in range(1, 80) if asked[n] != asked[n - 1]]
    assert changes[-1] == pytest.approx(50, abs=1)
