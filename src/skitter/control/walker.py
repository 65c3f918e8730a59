"""What a walking creature's controller knows, keeps and is told.

`WalkerModel` never changes, `WalkerState` is all that does, `Surroundings` is what the world tells
at the start of a frame. All numbers are float64 whatever the precision of the bodies, because a
standing foot must not move. A creature without legs has arrays of length zero.

Legs are numbered 2 segment + side, side 0 left (-z) and 1 right (+z). Bodies are numbered as in the
body plan: 0 the head, then the segments, then the tail.
"""

from typing import NamedTuple

import numpy as np

from skitter.terrain.surface import TerrainArrays

SF1, SF2, SB1, SB2, STANCE, ADJUST, TUCKED = range(7)
LEG_STATES = ("SF1", "SF2", "SB1", "SB2", "STANCE", "ADJUST", "TUCKED")
ADJUSTMENT, RANDOM_WALK, AVOIDANCE, TROPHOTROPISM, CONTROL, SWIMMING = range(6)
BRAIN_MODES = (
    "ADJUSTMENT", "RANDOM_WALK", "AVOIDANCE", "TROPHOTROPISM", "CONTROL", "SWIMMING",
)  # fmt: skip
IN_AIR, ON_GROUND, IN_WATER, AIR_TO_GROUND, GROUND_TO_WATER, WATER_TO_GROUND = range(6)
BODY_MODES = (
    "IN_AIR", "ON_GROUND", "IN_WATER", "AIR_TO_GROUND", "GROUND_TO_WATER", "WATER_TO_GROUND",
)  # fmt: skip
LEFT, RIGHT = 0, 1
ADJUST_CALL, LIFT_CALL = 1, 2  # go into ADJUST, as the leg before stands; lift, as the partner does
STANDS, LIES = 1, 2  # legs carry a body (or it is the head that leads), or the ground does


class LegModel(NamedTuple):
    """Legs: their shape and how they step; see species/stance.py."""

    root: np.ndarray  # [leg, 3] cm, in the segment's frame, from its centre of mass
    side: np.ndarray  # [leg] -1 left, 1 right
    upper: np.ndarray  # [leg] cm, root to knee
    rod: np.ndarray  # [leg] cm, knee to tip
    psi: np.ndarray  # [leg] rad, of the rod below the second link
    nearest: np.ndarray  # [leg] cm², the least square of the way from root to tip
    farthest: np.ndarray  # [leg] cm², the largest
    length: np.ndarray  # [leg] cm, of the links together
    slope_back: np.ndarray  # [leg] tan theta at which a standing foot must leave
    slope_front: np.ndarray  # [leg]
    slope_late: np.ndarray  # [leg] a foot that would be set down farther back is not
    pose: np.ndarray  # [leg, state, 3] rad, theta alpha beta towards which a state moves
    pose_speed: np.ndarray  # [leg, state] rad/s of the joint that has farthest to go
    follower: np.ndarray  # [leg] int64, the leg that goes into ADJUST when this one stands, or -1
    partner: np.ndarray  # [leg] int64, the leg that lifts when this one does, or -1
    relief: np.ndarray  # [leg] int64, the leg that may lift when this one stands, or -1


class BodyGoals(NamedTuple):
    """What the Targeter of every body is after."""

    height: np.ndarray  # [body] cm, above the surface
    link: np.ndarray  # [body] cm, to the body before; 0 for the head
    half_width: np.ndarray  # [body] cm
    belly: np.ndarray  # [body] cm, height at which a body lies on the ground
    inertia: np.ndarray  # [body, 6] g cm², in the body's axes: xx xy xz yy yz zz
    free: np.ndarray  # [body] uint8, 0 where a body is held


class WalkParams(NamedTuple):
    """Numbers of the species; angles in rad."""

    follow_rate: float  # 1/s, k1 |l| of Fang 2015 figure 4.2
    height_rate: float  # 1/s, k2
    turn_rate: float  # rad/s, omega: as fast as a segment is turned
    turn_gain: float  # 1/s, so that it arrives instead of trembling about its goal
    flex: float  # rad, as far as neighbours may lean apart
    settle_time: float  # s in which a segment takes up the speed that its legs want
    speed: float  # cm/s
    speed_limit: float  # cm/s, as fast as feet can follow
    head_turn: float  # rad/s
    foot: float  # cm, from the middle of the body to a foot
    wander: float  # rad, largest turn of the random walk
    avoid_speed: float  # of the speed
    clear_time: float  # s
    food_threshold: float  # strength per cm²
    preferred: int  # antenna, LEFT or RIGHT
    swims: bool


class AntennaModel(NamedTuple):
    """Fang 2015 section 3.5."""

    root: np.ndarray  # [2, 3] cm, in the head's frame
    link: float  # cm
    radius: float  # cm
    theta: np.ndarray  # [2] rad, from and to
    phi: np.ndarray  # [2]
    speed: float  # rad/s
    wave: float  # rad, amplitude
    curl: float  # rad, mean
    rate: float  # rad/s
    shift: float  # rad per link


class WalkerModel(NamedTuple):
    """Everything about a walker that its species decides."""

    leg: LegModel
    goal: BodyGoals
    walk: WalkParams
    antenna: AntennaModel


class WalkerState(NamedTuple):
    """Everything that changes about a walker but its bodies."""

    clock: np.ndarray  # [1] s
    random: np.ndarray  # [1] uint64
    leg_state: np.ndarray  # [leg] int64
    leg_angle: np.ndarray  # [leg, 3] rad
    leg_tip: np.ndarray  # [leg, 3] cm, world; exact for standing legs
    leg_clear: np.ndarray  # [leg] cm that the tip may move before it could touch
    leg_armed: np.ndarray  # [leg] uint8, 1 once the tip has been clear of the ground
    leg_called: np.ndarray  # [leg] uint8, ADJUST_CALL, LIFT_CALL or 0: what a neighbour asks
    leg_blocked: np.ndarray  # [leg] uint8, 1 while something is in the way of a leg
    leg_stance_start: np.ndarray  # [leg] s, -1 never
    leg_swing_start: np.ndarray  # [leg] s, -1 never
    leg_time: np.ndarray  # [leg, state] s
    supported: np.ndarray  # [body] uint8: 0 nothing carries the body; STANDS or LIES
    submerged: np.ndarray  # [body] uint8, 1 while a body of a swimmer is in water
    body_mode: np.ndarray  # [1] int64, IN_AIR ...
    drive: np.ndarray  # [body, 7] velocity and spin that a carried body was given; 1 if it was
    surface: np.ndarray  # [body, 6] a point of the surface below and its normal, cm
    normal: np.ndarray  # [body, 3] the surface's normal as the body has taken it up
    barrier: np.ndarray  # [body, 6] a point of the nearest obstacle and its normal
    antenna_root: np.ndarray  # [2, 2] rad, theta and phi of the root link
    antenna_goal: np.ndarray  # [2, 2] rad
    antenna_haste: np.ndarray  # [2] 1, or more while it draws back
    antenna_point: np.ndarray  # [2, joint, 3] cm, world
    antenna_touch: np.ndarray  # [2] uint8
    antenna_food: np.ndarray  # [2] strength per cm²
    mode: np.ndarray  # [1] int64
    head: np.ndarray  # [HEAD_ITEMS] see below


# items of WalkerState.head
(
    SPEED,  # cm/s that the head has
    TURN,  # rad/s that it has, positive to the left
    GOAL_SPEED,
    GOAL_TURN,
    WANDER_LEFT,  # rad still to turn in the random walk
    CLEAR_UNTIL,  # s, until when it goes on avoiding
    AVOID_SIDE,  # 1 turns left, -1 right
    LOST_SINCE,  # s, since when too few legs stand; -1 not
    COMMAND_SPEED,  # cm/s, of a puppet
    COMMAND_TURN,  # rad/s
    BUMP,  # -1 the head itself meets something on its left, 1 on its right, 0 nothing
    WANTS_LAND,  # 1 while it swims and would come out of the water
    EXIT_SINCE,  # s, when a segment last came out
    UNDER,  # bodies whose middles are below the surface of the water
    HEAD_ITEMS,
) = range(15)


class Surroundings(NamedTuple):
    """What surrounds a creature besides the terrain, as of the start of a frame."""

    obstacles: TerrainArrays
    others: np.ndarray  # [n, 4] cm, balls of other creatures: centre, radius
    food: np.ndarray  # [n, 5] cm, place, radius and strength; strength 0 once eaten
    is_puppet: bool
