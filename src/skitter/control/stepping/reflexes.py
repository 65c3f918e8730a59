"""Reflexes: they let a leg step, hold it back, or lift it over an obstacle.

McKenna 1990 section 3.2. None should act in undisturbed walking (section 4.1); `calibrate.py` finds
limits for that.

**Step.** A leg that stands and is stretched backward beyond a limit steps at once, if the leg
behind it and the one across stand, so that it never takes the last support. Its oscillator jumps to
that moment, and so pulls the others. A leg that has only just landed does not, or one that cannot
move would do nothing else.

**Load.** A leg that bears too much is not lifted, neither by its oscillator nor by the step reflex
(section 4.1), until it bears less or has waited for the longest time.

**Elevator.** A leg that meets something while it swings goes back a little and higher, and then
goes on with its step from there, so much later. The paper describes this reflex of locusts and did
not build it. Lifting off and putting down are not watched, as the ground itself brakes the foot
then.
"""

from skitter.compiled import inlined
from skitter.control.stepping.model import (
    BACK,
    ELEVATOR,
    LIFT,
    LOAD,
    PROLONG,
    RETRIES,
    STEP,
    STEP_TIME,
)

LANDED_SHARE = 0.5  # of a step time, for which a leg that has landed does not step by reflex
RETREAT_SHARE = 0.5  # of the time by which a try prolongs a step
BLIND_SHARE = 0.1  # of a step time after a retreat, in which nothing is felt of an obstacle


@inlined
def bears_too_much(model, sense, k):
    return sense.load[k] > model.load_most[k]


@inlined
def stands(state, sense, k):
    return k < 0 or (not state.stepping[k] and sense.touching[k] > 0.0)


@inlined
def is_stretched(model, sense, k, stride):
    """Whether a leg is beyond its limit: behind, or before if the animal walks backward."""
    if stride >= 0.0:
        return sense.angle[k] < model.step_angle[k]
    return sense.angle[k] > 2.0 * model.swing_middle[k] - model.step_angle[k]


@inlined
def feel_stretch(model, state, sense, k, stride, now):
    """The step reflex of a leg that stands: its oscillator jumps to where it is due."""
    landed = now - state.land_time[k] < LANDED_SHARE * model.timing[STEP_TIME]
    if state.waiting[k] or landed or not is_stretched(model, sense, k, stride):
        return
    if bears_too_much(model, sense, k) or not stands(state, sense, k):
        return
    if stands(state, sense, model.behind[k]) and stands(state, sense, model.across[k]):
        state.phase[k] = state.peak[k]
        state.reflex[k, STEP] += 1


@inlined
def count_load(model, state, sense, k):
    """Count a leg that its load holds back, once for each time that it is due."""
    if not state.held[k] and bears_too_much(model, sense, k):
        state.held[k] = 1
        state.reflex[k, LOAD] += 1


@inlined
def swings(model, state, k):
    """Whether a stepping leg is past lifting off and not yet being put down."""
    poses, pose = model.step_poses[k], state.pose[k]
    return (pose > 0 or poses < 3) and (pose < poses - 1 or poses < 2)


@inlined
def feel_obstacle(model, state, sense, k, stride, now):
    """The elevator reflex of a leg that steps."""
    limits, step_time = model.limits, model.timing[STEP_TIME]
    blind = state.tries[k] > 0 and now < state.back_end[k] + BLIND_SHARE * step_time
    if blind or not sense.blocked[k] > model.elevator_force[k]:
        return
    if state.tries[k] >= limits[RETRIES] or not swings(model, state, k):
        return
    state.tries[k] += 1
    state.reflex[k, ELEVATOR] += 1
    state.raised[k] += limits[LIFT]
    state.step_end[k] += limits[PROLONG]
    state.back_end[k] = now + RETREAT_SHARE * limits[PROLONG]
    back = -limits[BACK] if stride >= 0.0 else limits[BACK]
    for i in range(2):
        slot = model.swing_slot[k] if i == 0 else model.lift_slot[k]
        joint = model.leg_joint[k, slot] if slot >= 0 else -1
        if joint >= 0:
            state.back_angle[k, i] = state.rest_next[joint] + (back if i == 0 else limits[LIFT])
