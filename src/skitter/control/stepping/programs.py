"""Motor programs: rest angles that travel at constant speed from pose to pose.

McKenna 1990 section 3.3: a program moves the rest angle of a joint's spring linearly from where it
is to the target. Here a program is a row of poses, each with the moment at which it is reached, and
an angle always heads from where it is for the next pose, so that nothing adds up and nothing jumps,
whatever happened before. The clock of a step is time; that of stance is the phase of the leg's
oscillator, so that stance takes what the frequency leaves to it while that changes (rule 4 of the
five in `oscillators.py`) and the last pose is reached when the leg is due.

A stride scales how far every joint goes from the standing pose, not that of swing alone: knees push
and pull as well, and all feet of a side have to go equally far. With a stride of 0 legs march on
the spot in their standing pose, lifting as high as ever; a negative one walks backward. The
standing pose is the middle of stance, and that of swing where it travels evenly.
"""

from skitter.compiled import inlined
from skitter.control.stepping.model import STAND_TIME, STEP_TIME


@inlined
def move_joints(model, state, k, pose, stride, share):
    """Bring the joints of a leg a share of the way to a pose."""
    for slot in range(model.leg_joint.shape[1]):
        joint = model.leg_joint[k, slot]
        if joint < 0:
            continue
        target = model.pose_angle[k, pose, slot] + (stride - 1.0) * model.pose_way[k, pose, slot]
        if slot == model.lift_slot[k] and pose < model.step_poses[k] - 1:
            target += state.raised[k]  # until it is put down
        if share < 1.0:
            target = state.rest_next[joint] + share * (target - state.rest_next[joint])
        state.rest_next[joint] = target


@inlined
def follow(model, state, k, stride, clock, goal, start, length, last):
    """Travel from `clock` to `goal`, in a program that begins at `start` and takes `length`."""
    while clock < goal:
        pose = state.pose[k]
        arrival = start + length * model.pose_end[k, pose]
        share = (goal - clock) / (arrival - clock) if arrival > goal else 1.0
        move_joints(model, state, k, pose, stride, share)
        if arrival > goal or pose == last:
            break
        state.pose[k] = pose + 1
        clock = max(clock, arrival)


@inlined
def retreat(model, state, k, now, until):
    """Go back from an obstacle: swing and lift alone travel."""
    share = (until - now) / (state.back_end[k] - now)
    for i in range(2):
        slot = model.swing_slot[k] if i == 0 else model.lift_slot[k]
        joint = model.leg_joint[k, slot] if slot >= 0 else -1
        if joint >= 0:
            way = state.back_angle[k, i] - state.rest_next[joint]
            state.rest_next[joint] += share * way


@inlined
def follow_step(model, state, k, stride, now, until):
    """The step program; what a retreat has taken up of the time is added to it."""
    if now < state.back_end[k]:
        stop = min(until, state.back_end[k])
        retreat(model, state, k, now, stop)
        now = stop
    length = model.timing[STEP_TIME]
    last = model.step_poses[k] - 1
    follow(model, state, k, stride, now, until, state.step_end[k] - length, length, last)


@inlined
def follow_stance(model, state, k, stride, phase):
    """The stance program, up to a phase."""
    start, last = state.stance_start[k], model.stand_pose[k] - 1
    length = state.stance_end[k] - start
    follow(model, state, k, stride, state.phase[k], phase, start, length, last)
    state.phase[k] = phase


@inlined
def follow_rest(model, state, k, now, until):
    """The way to the standing pose."""
    length, pose = model.timing[STAND_TIME], model.stand_pose[k]
    follow(model, state, k, 1.0, now, until, state.settle_end[k] - length, length, pose)


@inlined
def begin_stance(model, state, k, usual):
    """The leg is put down: stance lasts until it is due, `usual` cycles if nothing went wrong.

    If its step was prolonged, it stands for less than usual, and rather steps before it is all the
    way back than moves back faster than the others.
    """
    left = state.peak[k] - state.phase[k]
    state.stance_start[k] = state.phase[k]
    state.stance_end[k] = state.phase[k] + (left if left > 0.75 * usual else usual)
    state.pose[k] = model.step_poses[k]


@inlined
def begin_walk(model, state, k, usual):
    """A leg that rested goes on from the middle of stance, not faster than usual."""
    left = max(state.peak[k] - state.phase[k], 0.5 * usual)
    state.stance_start[k] = state.phase[k] - left
    state.stance_end[k] = state.phase[k] + left
    state.pose[k] = model.stand_next[k]
