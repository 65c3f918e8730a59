"""The rules of the Switcher one by one (Fang 2015 section 4.3), on legs that are set by hand."""

from itertools import pairwise

import numpy as np
import pytest

from skitter.control.switcher import update_legs
from skitter.control.walker import (
    ADJUST,
    ADJUSTMENT,
    CONTROL,
    SB1,
    SB2,
    SF1,
    SF2,
    STANCE,
)
from skitter.creatures.myriapod import Myriapod
from skitter.scene.spec import PlaneTerrain
from skitter.terrain import build_terrain
from walkers import hang

GROUND = build_terrain([PlaneTerrain(shape="plane")])
STEP = 1 / 3000  # s
HEIGHT = 0.75  # cm, of a standing segment of centipede18
SWING = 0.145  # s
LEFT_1, RIGHT_1, LEFT_2, RIGHT_2, LEFT_3 = range(5)


def tick(one: Myriapod, steps: int = 1) -> np.ndarray:
    """The legs alone move, their bodies are held; returns the states after each step."""
    states = []
    for _ in range(steps):
        one.walker_state.clock[0] += STEP
        update_legs(
            GROUND.arrays, one.walker, one.walker_state, STEP, one.body_state,
            one.body_scratch.frame,
        )  # fmt: skip
        states.append(one.walker_state.leg_state.copy())
    return np.array(states)


def put(one: Myriapod, k: int, state: int, *, share: float = 0.0) -> None:
    """Leg k on the way from the middle up pose to that of its state, armed, not called."""
    walker, pose = one.walker_state, one.walker.leg.pose
    walker.leg_state[k] = state
    walker.leg_angle[k] = pose[k, SF1] + share * (pose[k, state] - pose[k, SF1])
    walker.leg_clear[k], walker.leg_armed[k], walker.leg_called[k] = 0.0, 1, 0


def put_all(one: Myriapod, state: int) -> None:
    for k in range(len(one.walker_state.leg_state)):
        put(one, k, state)


def set_standing(one: Myriapod, k: int, x: float = 0.0) -> None:
    """Leg k stands on the ground beside its root, x before it."""
    root = one.body_centre[k // 2 + 1] + one.walker.leg.root[k]
    side = one.walker.leg.side[k]
    one.walker_state.leg_state[k] = STANCE
    one.walker_state.leg_tip[k] = [root[0] + x, 0.0, root[2] + side * 1.2]


@pytest.fixture
def hung() -> Myriapod:
    """High in the air."""
    return hang(20.0)


@pytest.fixture
def low() -> Myriapod:
    """As high as it walks, all legs up and in the mode of a puppet."""
    one = hang(HEIGHT)
    put_all(one, SF1)
    one.walker_state.mode[0] = CONTROL
    return one


def test_rule_1_a_leg_in_the_air_goes_round(hung):
    put_all(hung, SF1)
    states = tick(hung, round(3 * SWING / STEP))
    changes = {
        (int(a), int(b)) for a, b in zip(states[:-1].ravel(), states[1:].ravel(), strict=True)
    }
    steps = {(a, b) for a, b in changes if a != b}
    assert steps == {(SF1, SF2), (SF2, SB1), (SB1, SB2), (SB2, SF1)}


def test_rule_1_each_half_of_the_swing_takes_half_of_it(hung):
    put_all(hung, SF1)  # at the end of SF1, so the next state begins with the next step
    states = tick(hung, round(1.7 * SWING / STEP))
    for state in (SF2, SB1, SB2):
        time = (states == state).sum(axis=0) * STEP
        first = time if state != SF2 else time[:2]  # legs that follow come down more slowly
        assert first == pytest.approx(SWING / 2, abs=1.5 * STEP)


def test_rule_2_a_tip_that_touches_stands(low):
    put(low, LEFT_1, SF2, share=0.6)
    states = tick(low, round(SWING / STEP))[:, LEFT_1]
    first = int(np.argmax(states == STANCE))
    assert set(states[:first]) == {SF2} and set(states[first:]) == {STANCE}
    assert low.walker_state.leg_tip[LEFT_1, 1] == 0  # on the ground, not about it
    assert low.walker_state.leg_stance_start[LEFT_1] == pytest.approx((first + 1) * STEP)


def test_rule_2_waits_for_a_tip_that_was_clear_of_the_ground(low):
    put(low, LEFT_1, SF2, share=0.97)
    low.walker_state.leg_armed[LEFT_1] = 0
    states = tick(low, 3)[:, LEFT_1]
    assert STANCE not in states


def test_rule_2_holds_for_a_leg_that_reaches_down_below_the_body(low):
    set_standing(low, LEFT_2)  # and calls nobody
    set_standing(low, LEFT_1)
    put(low, LEFT_3, SB1)
    states = tick(low, round(SWING / STEP))[:, LEFT_3]
    assert set(states) == {SB1, STANCE}


def test_rule_3_a_leg_lifts_when_its_tip_is_too_far_behind(low):
    set_standing(low, LEFT_3, x=-0.75)  # atan(0.75 / 1.2) = 32 degrees; the extreme is 34
    assert tick(low)[0, LEFT_3] == STANCE
    set_standing(low, LEFT_3, x=-0.85)  # 35.3 degrees
    assert tick(low)[0, LEFT_3] == SF1
    assert low.walker_state.leg_swing_start[LEFT_3] == low.walker_state.clock[0]


def test_rule_3_a_leg_lifts_when_its_tip_is_out_of_reach(low):
    set_standing(low, LEFT_3)
    low.walker_state.leg_tip[LEFT_3, 2] -= 0.8  # 2.0 out and 0.75 down; the leg is 2.0 long
    assert tick(low)[0, LEFT_3] == SF1


def test_a_standing_tip_does_not_move_at_all(low):
    set_standing(low, LEFT_3, x=0.3)
    before = low.walker_state.leg_tip[LEFT_3].tobytes()
    tick(low, 50)
    assert low.walker_state.leg_tip[LEFT_3].tobytes() == before


def land(one: Myriapod, k: int) -> None:
    """Bring leg k down, and stop the moment it stands."""
    put(one, k, SF2, share=0.9)
    for _ in range(200):
        if tick(one)[0, k] == STANCE:
            return
    raise AssertionError("the leg did not land")


@pytest.mark.parametrize("before", [SF2, SB1, SB2, STANCE])
def test_rule_4_the_next_leg_goes_to_adjust_whatever_it_does(low, before):
    put(low, LEFT_2, before)
    if before == STANCE:
        set_standing(low, LEFT_2)
    land(low, LEFT_1)
    tick(low)
    assert low.walker_state.leg_state[LEFT_2] in (ADJUST, SF2)  # SF2 once it has arrived there
    assert low.walker_state.leg_time[LEFT_2, ADJUST] > 0


def test_rule_4_calls_only_the_next_leg_on_its_side(low):
    for k in (LEFT_2, RIGHT_2, LEFT_3):
        set_standing(low, k)
    land(low, LEFT_1)
    tick(low)
    state = low.walker_state.leg_state
    assert (state[LEFT_2], state[RIGHT_2], state[LEFT_3]) == (ADJUST, STANCE, STANCE)


def test_rule_4_runs_forward_in_species_whose_wave_does():
    one = hang(HEIGHT, **{"with": {"segments": 3, "leg": {"wave": "forward"}}})
    put_all(one, SF1)
    one.walker_state.mode[0] = CONTROL
    set_standing(one, LEFT_1)
    set_standing(one, LEFT_3)
    land(one, LEFT_2)
    tick(one)
    state = one.walker_state.leg_state
    assert (state[LEFT_1], state[LEFT_3]) == (ADJUST, STANCE)


def test_rule_4_waits_until_the_creature_has_found_its_feet(low):
    low.walker_state.mode[0] = ADJUSTMENT
    set_standing(low, LEFT_2)
    land(low, LEFT_1)
    tick(low)
    assert low.walker_state.leg_state[LEFT_2] == STANCE


def test_rule_5_adjust_ends_in_sf2(hung):
    put_all(hung, SF1)
    put(hung, LEFT_2, ADJUST)
    states = tick(hung, round(SWING / STEP))[:, LEFT_2]
    changes = [(a, b) for a, b in pairwise(states) if a != b]
    assert changes[:2] == [(ADJUST, SF2), (SF2, SB1)]


def test_together_the_right_leg_lifts_with_the_left():
    one = hang(HEIGHT, **{"with": {"segments": 3, "leg": {"sides": "together"}}})
    put_all(one, SF1)
    one.walker_state.mode[0] = CONTROL
    set_standing(one, RIGHT_1)
    set_standing(one, LEFT_1, x=-0.85)
    tick(one, 2)
    assert one.walker_state.leg_state[[LEFT_1, RIGHT_1]].tolist() == [SF1, SF1]


@pytest.mark.parametrize(("sides", "expected"), [("apart", SF1), ("free", STANCE)])
def test_apart_the_right_leg_lifts_when_the_left_one_stands(sides, expected):
    one = hang(HEIGHT, **{"with": {"segments": 3, "leg": {"sides": sides}}})
    put_all(one, SF1)
    one.walker_state.mode[0] = CONTROL
    set_standing(one, RIGHT_1)
    land(one, LEFT_1)
    tick(one)
    assert one.walker_state.leg_state[[LEFT_1, RIGHT_1]].tolist() == [STANCE, expected]


def test_time_in_states_adds_up(hung):
    tick(hung, 400)
    assert hung.walker_state.leg_time.sum(axis=1) == pytest.approx(400 * STEP)
