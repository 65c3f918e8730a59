"""The arrays of a climber: its body, what is ordered of it, what it feels, and what it has in mind.

Everything that changes is in arrays of `BodyState`, `Orders`, `Felt` and `Mind`: to go back in
time, copy them and put them back. Legs stand pair by pair from the front, left before right.
"""

from typing import NamedTuple

import numpy as np

from skitter.terrain.mesh_query import MeshArrays

STANCE, STEP, SEARCH, LIMBO, LOOSE = range(5)  # of Mind.leg_state
IMBALANCE, STRETCH, RESTRICTION, LOST = range(4)  # of Mind.error, and its bits
ELLIPSE, BEZIER = range(2)  # of Traits.path
REST, WANDER, SEEK, FLEE, FOLLOW, LED = range(6)  # of Mind.behaviour
FIRM = 3.0  # how much more firmly a thorax with rigid legs is held level and at its height

# columns of Mind.pace, what a leg's present step is
ALONG, HEIGHT, DURATION, DONE = range(4)  # cm, cm, s of the whole path, share that is done
# columns of Mind.drive, which the body has one of
(
    SPEED_WANTED, BRAKE_SENSE, BRAKE_QUEUE, SENSE_DISTANCE, SENSE_ANGLE, RADIAL, WANDER_ANGLE,
    LED_SPEED, LED_TURN, LED_SIDE, ELEVATION, STILL_FOR, RIGHTING_FOR, HOLD_FOR, CATCH, CYCLE,
    FALL_TIME, TAIL, STAYED, AWAY_FOR, DRIVES,
) = range(21)  # fmt: skip
# columns of Mind.count
FALLS, RECOVERIES, QUEUE, FALLING, WAYPOINT, COUNTS = range(6)


class BodyState(NamedTuple):
    """Where all of it is, and how it moves."""

    place: np.ndarray  # [3] cm, middle of the thorax
    turn: np.ndarray  # [3, 3] its axes as columns
    velocity: np.ndarray  # [3] cm/s
    spin: np.ndarray  # [3] rad/s, in the world's axes
    pedicel: np.ndarray  # [4] quaternion of the abdomen in the thorax's axes
    pedicel_speed: np.ndarray  # [3] rad/s, in the abdomen's axes
    angle: np.ndarray  # [joint] rad
    speed: np.ndarray  # [joint] rad/s


class Orders(NamedTuple):
    """What the controller wants done in a step."""

    force: np.ndarray  # [3] dyn on the thorax's middle
    torque: np.ndarray  # [3] dyn cm
    goal: np.ndarray  # [joint] rad
    pedicel_goal: np.ndarray  # [4] quaternion
    held: np.ndarray  # [leg] 1 where the foot is anchored
    anchor: np.ndarray  # [leg, 3] cm, in the world or in its host's frame
    host: np.ndarray  # [leg] number of the object that it stands on; -1: the world
    weight: np.ndarray  # [1] share of gravity that acts
    strength: np.ndarray  # [1] of the joints, of what they usually have
    load: np.ndarray  # [leg, 3] dyn that the foot puts on its host


class Felt(NamedTuple):
    """What came of it."""

    pull: np.ndarray  # [leg] dyn, of the anchor
    touch: np.ndarray  # [joint] dyn, of what presses on a segment
    body_touch: np.ndarray  # [2] dyn, on thorax and abdomen
    energy: np.ndarray  # [1] erg, lost in contacts since the start


class Mind(NamedTuple):
    """What the controller remembers."""

    target: np.ndarray  # [leg, 3] cm, where the foot shall be
    foot: np.ndarray  # [leg, 3] cm, where its tip is
    hold: np.ndarray  # [leg, 3] cm, its latest foothold
    hold_normal: np.ndarray  # [leg, 3] of the surface there
    origin: np.ndarray  # [leg, 3] cm, where it would be most comfortable
    start: np.ndarray  # [leg, 3] cm, where its step began
    way: np.ndarray  # [leg, 3] along its step
    rise: np.ndarray  # [leg, 3] up, of its step
    pace: np.ndarray  # [leg, 4] ALONG, HEIGHT, DURATION, DONE
    leg_state: np.ndarray  # [leg]
    wants: np.ndarray  # [leg] bits of errors that ask for a step
    request: np.ndarray  # [leg] s, since when; inf: not
    tries: np.ndarray  # [leg] search steps in a row
    error: np.ndarray  # [leg, 4] how often each kind has come
    searches: np.ndarray  # [leg] search steps begun
    found: np.ndarray  # [leg] of them that found a foothold
    steps: np.ndarray  # [leg] steps begun
    slips: np.ndarray  # [leg] footholds that did not hold
    slipped: np.ndarray  # [leg] 1 if that happened in its present step
    lift_time: np.ndarray  # [leg] s
    land_time: np.ndarray  # [leg] s
    share: np.ndarray  # [leg] of the path at which its last step ended
    slid: np.ndarray  # [leg] cm that the foot has moved since it came down
    strain: np.ndarray  # [leg] dyn, mean pull of its anchor over the last moments
    up: np.ndarray  # [3] wanted, of the thorax
    heading: np.ndarray  # [3] wanted
    drive: np.ndarray  # [DRIVES]
    count: np.ndarray  # type: ignore[assignment]  # [COUNTS] int64
    behaviour: np.ndarray  # [1]
    goal: np.ndarray  # [3] cm, that it seeks or flees
    wish: np.ndarray  # [3] cm/s, velocity that it would have by now
    stay: np.ndarray  # [3] cm, the place that it has not come away from
    frame: np.ndarray  # [3, 3] place cm, x and y of the thorax as its standing legs take them to be
    random: np.ndarray  # [1] uint64


class Traits(NamedTuple):
    """Numbers of a species: Table I of Cenydd 2012, and what we had to add. Angles in rad."""

    mass: float  # g, of all of it
    moved: float  # g, that a push on the thorax counts on
    roll: float  # g cm2, that a torque on the thorax counts on, about its x
    yaw: float  # g cm2, about its y
    pitch: float  # g cm2, about its z
    elevation: float  # cm, of the thorax's middle above its feet
    clearance: float  # cm, that its middle keeps from any surface
    orientation_c1: float  # 1/s2
    orientation_c2: float  # 1/s
    frontal_bias: float  # 0..1
    on_termination: float  # 1: the wanted orientation changes only where a foot comes down
    elevation_stiffness: float  # 1/s2
    elevation_damping: float  # 1/s
    flex: float  # 0..1 of the abdomen
    max_speed: float  # cm/s
    max_acceleration: float  # cm/s2
    acceleration_rate: float  # 1/s
    deceleration_rate: float  # 1/s
    turn_c1: float  # 1/s2
    turn_c2: float  # 1/s
    wander_displacement: float  # cm
    wander_radius: float  # cm
    steering_rate: float  # rad/s
    patience: float  # s
    brake_most: float  # 0..1
    gait_heading: float  # rad, of the way that it goes from the way that it looks
    avoids: float  # 1: it goes around others
    sense_range: float  # cm
    sense_angle: float  # rad below its heading
    sense_fov: float  # rad
    sense_density: int  # rays
    radial_most: float
    radial_least: float
    path: int
    ik_rate: float  # rad/s
    height_most: float  # cm
    height_least: float  # cm
    duration_most: float  # s, of a whole path
    duration_least: float  # s
    sensitivity: float  # 0..1, of its speed that a foot must lose
    stretch: float  # rad
    lead: float  # of the comfort range, that a step goes beyond its origin
    search_growth: float  # of a search step's size, with each try
    search_spread: float  # rad
    anchor_strength: float  # dyn
    hold: float  # grip, of the surface's friction
    grip_full: float  # rad, slope up to which a foot always holds on glass
    grip_none: float  # rad, from which it never does
    heavy: float  # g, from which an object counts as ground
    carries: float  # 1: objects that it walks on carry its weight
    span: float  # cm, of its feet
    body_length: float  # cm


class Solids(NamedTuple):
    """What of a terrain is asked here; every array that is handed on costs time."""

    row: np.ndarray
    link: np.ndarray
    friction: np.ndarray  # [item]
    meshes: MeshArrays


class Surfaces(NamedTuple):
    """Everything that can be stood on."""

    ground: Solids
    barrier: Solids
    blocks: Solids  # one item for each movable object
    block_mass: np.ndarray  # [block] g
    others: np.ndarray  # [ball, 4] cm, of other creatures


class Room(NamedTuple):
    """What kernels work with, and forget."""

    at: np.ndarray  # [joint + 1, 3] of a leg
    axis: np.ndarray  # [joint, 3]
    ahead: np.ndarray  # [joint, 3]
    before: np.ndarray  # [joint]
    before3: np.ndarray  # [3]
    turn: np.ndarray  # [3, 3]


def make_room(joints: int) -> Room:
    """For legs of at most so many joints."""
    return Room(
        np.zeros((joints + 1, 3)), np.zeros((joints, 3)), np.zeros((joints, 3)), np.zeros(joints),
        np.zeros(3), np.eye(3),
    )  # fmt: skip
