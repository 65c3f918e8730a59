"""From a species to the arrays of its controller."""

from functools import cache
from math import atan2, radians, tan
from typing import Any

import numpy as np

from skitter.control.walker import (
    ADJUST,
    ADJUSTMENT,
    HEAD_ITEMS,
    IN_AIR,
    LEFT,
    LOST_SINCE,
    RIGHT,
    SB1,
    SB2,
    SF1,
    SF2,
    STANCE,
    TUCKED,
    AntennaModel,
    BodyGoals,
    LegModel,
    Surroundings,
    WalkerModel,
    WalkerState,
    WalkParams,
)
from skitter.species.myriapod import AIM_DEPTH, MyriapodSpec
from skitter.terrain import build_terrain

STATES = 7
FRONT_MARGIN_DEG = 14.0  # beyond the anterior extreme that a standing leg may be pushed
DOWN_DEG = 84.0  # of the straight leg in the middle down pose, below the horizontal
BELLY = 1.1  # half heights of a body above the ground at which it lies on it
FOLLOWER_SPEED = 0.8  # in SF2, of that of the legs where the wave begins
LATE_SHARE = 0.15  # of the sweep: no foot is set down so near the posterior extreme
FOLLOW_RATE = 60.0  # 1/s
HEIGHT_RATE = 25.0  # 1/s
TURN_GAIN = 25.0  # 1/s
TURN_RATE = 8.0  # rad/s
SETTLE_TIME = 0.004  # s
TUCK_SPEED = 4.0  # rad/s


def build_walker_model(
    species: MyriapodSpec,
    root_offset: np.ndarray,  # [body, 3] cm, from the centres of mass to the middles
    inertia: np.ndarray,  # [body, 6]
    held: np.ndarray,  # [body] bool
) -> WalkerModel:
    """The controller of a myriapod."""
    return WalkerModel(
        build_legs(species, root_offset),
        build_goals(species, inertia, held),
        build_params(species),
        build_antennae(species, root_offset[0]),
    )


def build_legs(species: MyriapodSpec, offset: np.ndarray) -> LegModel:
    """Every leg of every segment, left and right mirrored."""
    leg, count = species.leg, 2 * species.segments
    segment = np.arange(count) // 2
    side = np.where(np.arange(count) % 2 == 0, -1.0, 1.0)
    scales = np.array([species.leg_scale_of(k) for k in range(species.segments)])
    shapes = [leg.shape(scales[k]) for k in segment]
    back, front = radians(leg.back_deg), radians(leg.front_deg)
    poses = np.array([build_poses(species, k) for k in range(species.segments)])[segment]
    return LegModel(
        root=np.array([place_root(species, n // 2, side[n]) for n in range(count)])
        + offset[segment + 1],
        side=side,
        upper=np.array([shape.upper for shape in shapes]),
        rod=np.array([shape.rod for shape in shapes]),
        psi=np.array([shape.psi for shape in shapes]),
        nearest=np.array([(1.02 * (shape.upper - shape.rod)) ** 2 for shape in shapes]),
        farthest=np.array([(0.999 * shape.straight) ** 2 for shape in shapes]),
        length=leg.length * scales[segment],
        slope_back=np.full(count, tan(back)),
        slope_front=np.full(count, tan(min(front + radians(FRONT_MARGIN_DEG), 1.5))),
        slope_late=np.full(count, tan(back + LATE_SHARE * (front - back))),
        pose=poses,
        pose_speed=slow_followers(
            measure_speeds(poses, leg.swing, leg.adjust_haste), link_legs(species)
        ),
        follower=link_legs(species),
        partner=pair_legs(species, "together"),
        relief=pair_legs(species, "apart"),
    )


def place_root(species: MyriapodSpec, segment: int, side: float) -> np.ndarray:
    """Where a leg begins, from the middle of its segment, cm."""
    _, height, width = np.array(species.segment.size) * species.scale_of(segment)
    return np.array([0.0, species.leg.root_height * height / 2, side * 0.92 * width / 2])


def build_poses(species: MyriapodSpec, segment: int) -> np.ndarray:
    """The pose that each state moves towards [state, 3], rad (Fang 2015 section 4.3.1).

    The extremes put the foot a little below the ground, so that it lands on the way. ADJUST lies on
    the way of SF2, where theta has the species' value.
    """
    leg, scale = species.leg, species.leg_scale_of(segment)
    shape, length = leg.shape(scale), leg.length * scale
    down = species.root_height(segment) + AIM_DEPTH * length
    bent = shape.bend_to(leg.foot * length, -down)
    if bent is None:
        raise ValueError(f"the legs of segment {segment + 1} cannot stand")  # checked by the spec
    anterior = np.array([radians(leg.front_deg), *bent])
    posterior = np.array([radians(leg.back_deg), *bent])
    up = np.array([0.0, radians(leg.lift_deg), radians(leg.lift_bend_deg)])
    # the straight leg nearly under its root: on a narrow ridge a foot finds its flank
    tilt = atan2(*reversed(shape.place_tip(0.0, 0.0)))
    middle_down = np.array([0.0, radians(-DOWN_DEG) - tilt, 0.0])
    poses = np.zeros((STATES, 3))
    poses[SF1], poses[SF2], poses[SB1], poses[SB2] = up, anterior, middle_down, posterior
    poses[ADJUST] = blend_swing(posterior, up, anterior, radians(leg.adjust_deg))
    poses[STANCE] = posterior
    poses[TUCKED] = np.radians(leg.tuck_deg)
    return poses


def blend_swing(
    posterior: np.ndarray, up: np.ndarray, anterior: np.ndarray, theta: float
) -> np.ndarray:
    """The pose on the way of the swing that has this theta."""
    start, end = (posterior, up) if theta < 0 else (up, anterior)
    share = np.clip((theta - start[0]) / (end[0] - start[0]), 0.0, 1.0)
    return start + share * (end - start)


def measure_speeds(poses: np.ndarray, swing: float, haste: float) -> np.ndarray:
    """Speed of the joint that has farthest to go, so that each half of a swing takes half of it."""
    speeds = np.ones((len(poses), STATES))
    for state, start in ((SF1, SB2), (SF2, SF1), (SB1, SF2), (SB2, SB1)):
        far = np.abs(poses[:, state] - poses[:, start]).max(axis=1)
        speeds[:, state] = far / (swing / 2)
    speeds[:, ADJUST] = haste * speeds[:, SF1]
    speeds[:, TUCKED] = TUCK_SPEED
    return speeds


def slow_followers(speeds: np.ndarray, follower: np.ndarray) -> np.ndarray:
    """Let legs that follow another come down a little more slowly than the first of the wave, so
    that they are called before they land: a foot that lands and is called at once would be lifted
    again, and a second wave would run behind the first."""
    speeds[follower[follower >= 0], SF2] *= FOLLOWER_SPEED
    return speeds


def link_legs(species: MyriapodSpec) -> np.ndarray:
    """The leg that each leg calls: the next behind on its side, or the next ahead."""
    legs = np.arange(2 * species.segments)
    other = legs + (2 if species.leg.wave == "backward" else -2)
    return np.where((other >= 0) & (other < len(legs)), other, -1)


def pair_legs(species: MyriapodSpec, sides: str) -> np.ndarray:
    """The right leg that keeps time with the left one, on the segment where the wave begins."""
    partner = np.full(2 * species.segments, -1)
    if species.leg.sides == sides:
        first = 0 if species.leg.wave == "backward" else 2 * (species.segments - 1)
        partner[first + LEFT] = first + RIGHT
    return partner


def build_goals(species: MyriapodSpec, inertia: np.ndarray, held: np.ndarray) -> BodyGoals:
    sizes = np.array([part.size for part in species.figure.parts if part.shape == "box"])
    links = species.joint.length + (sizes[1:, 0] + sizes[:-1, 0]) / 2
    return BodyGoals(
        height=np.full(len(sizes), species.walk.height),
        link=np.concatenate([[0.0], links]),
        half_width=sizes[:, 2] / 2,
        belly=BELLY * sizes[:, 1] / 2,
        inertia=inertia,
        free=(~held).astype(np.uint8),
    )


def build_params(species: MyriapodSpec) -> WalkParams:
    walk = species.walk
    return WalkParams(
        follow_rate=FOLLOW_RATE,
        height_rate=HEIGHT_RATE,
        turn_rate=TURN_RATE,
        turn_gain=TURN_GAIN,
        flex=radians(species.flex_deg),
        settle_time=SETTLE_TIME,
        speed=walk.speed,
        speed_limit=species.speed_limit,
        head_turn=radians(walk.turn_deg),
        foot=species.segment.size[2] / 2 + species.leg.foot * species.leg.length,
        wander=radians(walk.wander_deg),
        avoid_speed=walk.avoid_speed,
        clear_time=walk.clear_time,
        food_threshold=walk.food_threshold,
        preferred=LEFT if walk.preferred == "left" else RIGHT,
        swims=species.swim is not None,
    )


def build_antennae(species: MyriapodSpec, offset: np.ndarray) -> AntennaModel:
    antenna, (x, y, z) = species.antenna, species.head.size
    root = np.array([[0.48 * x, 0.2 * y, side * 0.28 * z] for side in (-1, 1)])
    return AntennaModel(
        root=root + offset,
        link=antenna.length / antenna.links,
        radius=antenna.thickness,
        theta=np.radians(antenna.theta_deg),
        phi=np.radians(antenna.phi_deg),
        speed=radians(antenna.speed_deg),
        wave=radians(antenna.wave_deg),
        curl=radians(antenna.curl_deg),
        rate=2 * np.pi * antenna.wave_rate,
        shift=2 * np.pi * antenna.waves / antenna.links,
    )


def build_walker_state(model: WalkerModel, joints: int, rng: np.random.Generator) -> WalkerState:
    """A creature in the air, every leg and antenna somewhere on its way."""
    legs, bodies = len(model.leg.side), len(model.goal.height)
    head = np.zeros(HEAD_ITEMS)
    head[LOST_SINCE] = -1.0
    state = WalkerState(
        clock=np.zeros(1),
        random=rng.integers(1, 2**63, 1, dtype=np.uint64),
        leg_state=rng.choice([SF1, SF2, SB1, SB2], legs).astype(np.int64),
        leg_angle=np.zeros((legs, 3)),
        leg_tip=np.zeros((legs, 3)),
        leg_clear=np.zeros(legs),
        leg_armed=np.ones(legs, np.uint8),
        leg_called=np.zeros(legs, np.uint8),
        leg_blocked=np.zeros(legs, np.uint8),
        leg_stance_start=np.full(legs, -1.0),
        leg_swing_start=np.full(legs, -1.0),
        leg_time=np.zeros((legs, STATES)),
        supported=np.zeros(bodies, np.uint8),
        submerged=np.zeros(bodies, np.uint8),
        body_mode=np.array([IN_AIR]),
        drive=np.zeros((bodies, 7)),
        surface=np.tile([0.0, -1e3, 0.0, 0.0, 1.0, 0.0], (bodies, 1)),
        normal=np.tile([0.0, 1.0, 0.0], (bodies, 1)),
        barrier=np.tile([0.0, -1e6, 0.0, 0.0, 1.0, 0.0], (bodies, 1)),
        antenna_root=draw_antennae(model.antenna, rng),
        antenna_goal=draw_antennae(model.antenna, rng),
        antenna_haste=np.ones(2),
        antenna_point=np.zeros((2, joints, 3)),
        antenna_touch=np.zeros(2, np.uint8),
        antenna_food=np.zeros(2),
        mode=np.array([ADJUSTMENT]),
        head=head,
    )
    set_random_poses(model.leg, state, rng)
    return state


def draw_antennae(model: AntennaModel, rng: np.random.Generator) -> np.ndarray:
    low, high = np.stack([model.theta, model.phi], axis=1)
    return rng.uniform(low, high, (2, 2))


def set_random_poses(legs: LegModel, state: WalkerState, rng: np.random.Generator) -> None:
    """Each leg somewhere between the poses where its state begins and ends."""
    begin = {SF1: SB2, SF2: SF1, SB1: SF2, SB2: SB1}
    for k, phase in enumerate(state.leg_state):
        start, end = legs.pose[k, begin[int(phase)]], legs.pose[k, phase]
        state.leg_angle[k] = start + rng.uniform() * (end - start)


def build_no_walker() -> tuple[WalkerModel, WalkerState]:
    """The controller of a creature without legs: nothing of everything."""
    none, flat = np.zeros(0), np.zeros((0, 3))
    whole, flags = np.zeros(0, np.int64), np.zeros(0, np.uint8)
    floats = dict.fromkeys(LegModel._fields, none)
    tables = {"root": flat, "pose": np.zeros((0, STATES, 3)), "pose_speed": np.zeros((0, STATES))}
    legs = LegModel(**floats | tables | dict.fromkeys(("follower", "partner", "relief"), whole))
    goals = BodyGoals(none, none, none, none, np.zeros((0, 6)), flags)
    params: dict[str, Any] = dict.fromkeys(WalkParams._fields, 0.0)
    params |= {"preferred": LEFT, "swims": False}
    antenna = AntennaModel(np.zeros((2, 3)), 0.0, 0.0, np.zeros(2), np.zeros(2), *[0.0] * 5)
    model = WalkerModel(legs, goals, WalkParams(**params), antenna)
    return model, build_walker_state(model, 1, np.random.default_rng(0))


@cache
def build_surroundings() -> Surroundings:
    """Nothing around."""
    return Surroundings(build_terrain([]).arrays, np.zeros((0, 4)), np.zeros((0, 5)), False)
