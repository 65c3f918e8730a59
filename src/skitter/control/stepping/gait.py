"""The gait: when legs step and stand, and what their joints are asked for then.

McKenna 1990 section 3.2: oscillators (`oscillators.py`) and reflexes (`reflexes.py`) let legs step;
a step runs to its end, and stance begins by itself. Motor programs (`programs.py`) move the rest
angles of joints accordingly. The controller decides when; springs and the ground decide what comes
of it.

Legs step, land and are due at exact times, which are not rounded to the interval. Legs are handled
from the rear to the front, so that a leg knows whether the one behind it has landed by then.
"""

from skitter.compiled import inlined, kernel
from skitter.control.stepping.model import FASTEST, FREQUENCY, STAND_TIME, STEP_TIME, WALKING
from skitter.control.stepping.oscillators import find_due, find_start, run_in_step, set_rates
from skitter.control.stepping.programs import (
    begin_stance,
    begin_walk,
    follow_rest,
    follow_stance,
    follow_step,
)
from skitter.control.stepping.reflexes import count_load, feel_obstacle, feel_stretch


@inlined
def lift_leg(model, state, k, now):
    """A step begins."""
    state.stepping[k], state.waiting[k], state.held[k] = 1, 0, 0
    state.steps[k] += 1
    state.peak[k] += 1.0
    state.lift_time[k] = now
    state.step_end[k] = now + model.timing[STEP_TIME]
    state.pose[k], state.tries[k], state.raised[k], state.back_end[k] = 0, 0, 0.0, now


@inlined
def put_down(model, state, k, now, usual):
    """A step ends."""
    state.stepping[k], state.land_time[k] = 0, now
    begin_stance(model, state, k, usual)


@inlined
def step_leg(model, state, k, stride, now, until, walks):
    """A leg in the air; returns when its step ends, or `until` if it does not end before."""
    stop = min(state.step_end[k], until)
    follow_step(model, state, k, stride, now, stop)
    if walks:
        run_in_step(state, k, stop - now)
    return stop


@inlined
def rest_leg(model, state, k, now, until):
    """A leg that stands and does not walk."""
    if not state.resting[k]:
        state.resting[k], state.waiting[k], state.held[k] = 1, 0, 0
        state.settle_end[k] = now + model.timing[STAND_TIME]
        state.pose[k] = model.stand_pose[k]
    follow_rest(model, state, k, now, until)


@inlined
def stand_leg(model, state, sense, k, stride, now, until):
    """A leg that stands and walks; returns when it is lifted, or `until` if it is not before."""
    if not state.waiting[k]:
        due = find_due(state, k, now)
        if due > until:
            phase = state.phase[k] + state.rate[k] * (until - now)
            follow_stance(model, state, k, stride, min(phase, state.peak[k]))
            return until
        follow_stance(model, state, k, stride, state.peak[k])
        state.waiting[k], state.due_time[k] = 1, due
        now = due
    count_load(model, state, sense, k)
    start = find_start(model, state, sense, k, now)
    if start < until:
        lift_leg(model, state, k, start)
        return start
    return until


@inlined
def advance_leg(model, state, sense, k, drive, frequency, time, until):
    """One leg through the interval: in the air, down, standing, up, in the air."""
    walks, stride = drive[WALKING] > 0.0, drive[model.side[k]]
    usual = 1.0 - frequency * model.timing[STEP_TIME]  # cycles of stance
    now = time
    if state.stepping[k]:
        feel_obstacle(model, state, sense, k, stride, now)
        now = step_leg(model, state, k, stride, now, until, walks)
        if now < state.step_end[k]:
            return
        put_down(model, state, k, now, usual)
    if not walks:
        rest_leg(model, state, k, now, until)
        return
    if state.resting[k]:
        state.resting[k] = 0
        begin_walk(model, state, k, usual)
    feel_stretch(model, state, sense, k, stride, now)
    now = stand_leg(model, state, sense, k, stride, now, until)
    if state.stepping[k]:
        step_leg(model, state, k, stride, now, until, walks)


@kernel
def advance_gait(model, state, sense, drive, time, seconds):
    """All legs through [time, time + seconds], which is short against a step.

    `drive` [4]: master frequency in Hz, stride of the left and of the right legs (1 as written,
    negative backward), whether it walks. Rest angles and their speeds hold for the interval;
    everything else of the state, at its end.
    """
    frequency = min(max(drive[FREQUENCY], 0.0), model.timing[FASTEST])
    set_rates(model, state, frequency)
    for joint in range(state.rest.size):
        state.rest[joint] = state.rest_next[joint]
    for i in range(model.order.size):
        k = model.order[i]
        advance_leg(model, state, sense, k, drive, frequency, time, time + seconds)
    for joint in range(state.rest.size):
        state.rest_speed[joint] = (state.rest_next[joint] - state.rest[joint]) / seconds
