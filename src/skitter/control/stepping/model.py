"""The arrays of a gait: what it is made of, what changes, and what it feels.

Legs stand pair by pair from the front, left before right; those that are missing are not there.
All that changes is in the arrays of `GaitState`: to go back in time, copy them and put them back.
"""

from typing import NamedTuple

import numpy as np

STEP_TIME, LAG, COUPLING, STAND_TIME, FASTEST, MASTER = range(6)  # of GaitModel.timing
LONGEST, LIFT, BACK, PROLONG, RETRIES = range(5)  # of GaitModel.limits
STEP, LOAD, ELEVATOR = range(3)  # of GaitState.reflex
FREQUENCY, LEFT, RIGHT, WALKING = range(4)  # of a drive


class GaitModel(NamedTuple):
    """What a gait is made of; nothing of it changes."""

    timing: np.ndarray  # [6] step time s, lag s, coupling 1/s, stand time s, fastest Hz, master Hz
    limits: (
        np.ndarray
    )  # [5] longest wait s; of a try: lift rad, back rad, prolong s; tries in a step
    order: np.ndarray  # [leg] from the rear to the front
    behind: np.ndarray  # [leg] the next leg behind on its side, or -1
    across: np.ndarray  # [leg] the other leg of its pair, or -1
    across_phase: np.ndarray  # [leg] cycles that it is ahead of the one across
    side: np.ndarray  # [leg] LEFT or RIGHT of a drive
    leg_joint: np.ndarray  # [leg, slot] joint that its programs move, or -1
    swing_slot: np.ndarray  # [leg] slot of the joint that swings it, or -1
    lift_slot: np.ndarray  # [leg] slot of the joint that lifts it, or -1
    swing_middle: np.ndarray  # [leg] rad, between its front-most and rear-most swing
    step_poses: np.ndarray  # [leg] number of poses of its step
    stand_pose: np.ndarray  # [leg] the pose of standing; those of stance end before it
    stand_next: np.ndarray  # [leg] the pose of stance that comes after standing
    pose_end: np.ndarray  # [leg, pose] share of its program's time at which a pose is reached
    pose_angle: np.ndarray  # [leg, pose, slot] rad, at a stride of 1
    pose_way: np.ndarray  # [leg, pose, slot] rad that a stride of 1 adds to one of 0
    step_angle: np.ndarray  # [leg] rad of swing, beyond which the step reflex acts; -inf: never
    load_most: np.ndarray  # [leg] dyn, beyond which the load reflex acts; inf: never
    elevator_force: np.ndarray  # [leg] dyn, beyond which the elevator reflex acts; inf: never


class GaitState(NamedTuple):
    """All that changes. Numbers hold at the end of the interval; rest angles at its beginning."""

    phase: np.ndarray  # [leg] cycles; never shrinks
    rate: np.ndarray  # [leg] Hz, of the oscillator
    peak: np.ndarray  # [leg] the whole number of cycles at which it steps next
    stepping: np.ndarray  # [leg] 1 from lifting to putting down
    waiting: np.ndarray  # [leg] 1 while it is due to step and may not
    held: np.ndarray  # [leg] 1 if its load has held it back since it was due
    resting: np.ndarray  # [leg] 1 while it stands and does not walk
    steps: np.ndarray  # [leg] begun so far
    reflex: np.ndarray  # [leg, 3] how often each reflex has acted: step, load, elevator
    lift_time: np.ndarray  # [leg] s, beginning of the last step
    land_time: np.ndarray  # [leg] s, end of the last step that has ended
    step_end: np.ndarray  # [leg] s, end of the last step begun
    due_time: np.ndarray  # [leg] s, when it was last due to step
    pose: np.ndarray  # [leg] pose that its rest angles travel to
    stance_start: np.ndarray  # [leg] cycles, where the program of stance begins
    stance_end: np.ndarray  # [leg] cycles, where it ends
    settle_end: np.ndarray  # [leg] s, when the standing pose is reached
    tries: np.ndarray  # [leg] of the elevator reflex in this step
    raised: np.ndarray  # [leg] rad that it is lifted higher in this step
    back_end: np.ndarray  # [leg] s, until when it retreats from an obstacle
    back_angle: np.ndarray  # [leg, 2] rad, swing and lift at the end of its retreat
    rest: np.ndarray  # [joint] rad, at the beginning of the interval
    rest_speed: np.ndarray  # [joint] rad/s, over the interval
    rest_next: np.ndarray  # [joint] rad, at the end of the interval


class GaitSense(NamedTuple):
    """What legs feel at the beginning of an interval."""

    load: np.ndarray  # [leg] dyn, with which the ground carries it
    blocked: np.ndarray  # [leg] dyn, of the surroundings against its forward swing
    touching: np.ndarray  # [leg] 1 if it touches anything
    angle: np.ndarray  # [leg] rad, of its swing joint


def make_sense(legs: int) -> GaitSense:
    """Nothing is felt."""
    return GaitSense(np.zeros(legs), np.zeros(legs), np.zeros(legs), np.zeros(legs))


def copy_state(state: GaitState, into: GaitState) -> None:
    """Put a state into the arrays of another."""
    for source, target in zip(state, into, strict=True):
        target[...] = source
