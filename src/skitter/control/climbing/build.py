"""The arrays of a climber's controller, from its species and its figure."""

from typing import Any

import numpy as np

from skitter.control.climbing.model import (
    BEZIER,
    COUNTS,
    DRIVES,
    ELLIPSE,
    FIRM,
    FLEE,
    FOLLOW,
    LOOSE,
    RADIAL,
    REST,
    SEEK,
    WANDER,
    BodyState,
    Felt,
    Mind,
    Orders,
    Traits,
)
from skitter.species.climber import ClimberSpec
from skitter.species.climber_manner import SenseSpec, SteeringSpec, SteppingSpec
from skitter.species.climber_parts import ThoraxSpec

BEHAVIOURS = {"rest": REST, "wander": WANDER, "seek": SEEK, "flee": FLEE, "path": FOLLOW}
LEAD = 0.8  # of the comfort range, that steps go beyond their origin
HEAVY = 0.5  # of its own mass, from which an object stops a foot from the side
CLEAR = 0.4  # of the room under the body, that it keeps from edges
LEGS_TURN = 0.5  # of the legs' inertia, that turns with the thorax while they stand
STABLE = 1.2  # of its speed, that a damper may take from the trunk in a step
LONGEST_STEP = 0.002  # s, of rigid bodies


def build_traits(species: ClimberSpec, figure: Any, gravity: float) -> Traits:
    """Numbers for kernels; of a species that has its scale applied."""
    mass = float(figure.total_mass)
    return Traits(
        mass=mass,
        flex=0.0 if species.abdomen is None else species.abdomen.flex,
        hold=species.grip.hold,
        grip_full=float(np.radians(species.grip.full_deg)),
        grip_none=float(np.radians(species.grip.none_deg)),
        heavy=HEAVY * mass,
        carries=float(species.carries_weight),
        span=float(figure.span),
        body_length=float(figure.body_length),
        **weigh_push(species.thorax, figure),
        **list_thorax(species.thorax),
        **list_steering(species.steering),
        **list_sense(species.sense),
        **list_stepping(species.stepping, mass * max(gravity, 1.0)),
    )


def list_thorax(thorax: ThoraxSpec) -> dict[str, Any]:
    """How the body is held."""
    belly = 0.5 * thorax.size[1]
    return {
        "elevation": thorax.elevation,
        "clearance": belly + CLEAR * max(thorax.elevation - belly, 0.0),
        "orientation_c1": thorax.orientation_rate_c1,
        "orientation_c2": thorax.orientation_rate_c2,
        "frontal_bias": thorax.frontal_limb_bias,
        "on_termination": float(thorax.update_on_termination),
        "elevation_stiffness": thorax.elevation_stiffness,
        "elevation_damping": 2 * thorax.elevation_damping * thorax.elevation_stiffness**0.5,
    }


def list_steering(steering: SteeringSpec) -> dict[str, Any]:
    """How it is moved."""
    return {
        "max_speed": steering.max_speed,
        "max_acceleration": steering.max_acceleration,
        "acceleration_rate": steering.acceleration_rate,
        "deceleration_rate": steering.deceleration_rate,
        "turn_c1": steering.turn_rate_c1,
        "turn_c2": steering.turn_rate_c2,
        "wander_displacement": steering.wander_displacement,
        "wander_radius": steering.wander_radius,
        "steering_rate": steering.steering_rate,
        "patience": steering.patience,
        "brake_most": steering.proximity_brake_max,
        "gait_heading": float(np.radians(steering.gait_heading_deg)),
        "avoids": float(steering.avoid),
    }


def list_sense(sense: SenseSpec) -> dict[str, Any]:
    """What it sees."""
    return {
        "sense_range": sense.range,
        "sense_angle": float(np.radians(-sense.angle_deg)),
        "sense_fov": float(np.radians(sense.fov_deg)),
        "sense_density": sense.density,
        "radial_most": sense.max_radial_scale,
        "radial_least": sense.min_radial_scale,
    }


def list_stepping(stepping: SteppingSpec, weight: float) -> dict[str, Any]:
    """How legs step; the weight in dyn."""
    return {
        "path": BEZIER if stepping.path == "bezier" else ELLIPSE,
        "ik_rate": stepping.ik_rate,
        "height_most": stepping.max_step_height,
        "height_least": stepping.min_step_height,
        "duration_most": stepping.max_step_duration,
        "duration_least": stepping.min_step_duration,
        "sensitivity": stepping.termination_sensitivity,
        "stretch": float(np.radians(stepping.stretch_deg)),
        "lead": LEAD,
        "search_growth": stepping.search_growth,
        "search_spread": float(np.radians(stepping.search_spread_deg)),
        "anchor_strength": stepping.anchor_strength * weight,
    }


def weigh_push(thorax: ThoraxSpec, figure: Any) -> dict[str, Any]:
    """Mass and inertia that pushes and torques on the thorax count on.

    All of the animal has to come along, but at once only the trunk does: legs and abdomen hang on
    it by springs. A push that counted on all of a light body with heavy legs would throw its trunk
    to and fro from step to step, so it counts on no more than the trunk's share allows.
    """
    damping = 2 * thorax.elevation_damping * thorax.elevation_stiffness**0.5
    trunk = np.diag(figure.trunk_inertia)
    all_of = trunk.copy()
    if figure.has_abdomen:
        arm = float(np.linalg.norm(figure.pedicel + figure.abdomen_middle))
        all_of[1:] += float(figure.abdomen_mass) * arm**2
    all_of += LEGS_TURN * float(figure.seg_mass.sum()) * (float(figure.span) / 4) ** 2
    most = STABLE / (FIRM * thorax.orientation_rate_c2 * LONGEST_STEP + 1e-9)
    roll, yaw, pitch = np.minimum(all_of, trunk * max(most, 1.0)).tolist()
    most = STABLE / (FIRM * damping * LONGEST_STEP + 1e-9)
    moved = min(float(figure.total_mass), float(figure.trunk_mass) * max(most, 1.0))
    return {"moved": moved, "roll": roll, "yaw": yaw, "pitch": pitch}


def make_body(figure: Any, place: np.ndarray, turn: np.ndarray) -> BodyState:
    joints = len(figure.rest)
    return BodyState(
        np.array(place, float), np.ascontiguousarray(turn, float), np.zeros(3), np.zeros(3),
        np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), figure.rest.copy(), np.zeros(joints),
    )  # fmt: skip


def make_orders(figure: Any) -> Orders:
    legs = len(figure.hip)
    return Orders(
        np.zeros(3), np.zeros(3), figure.rest.copy(), np.array([1.0, 0.0, 0.0, 0.0]),
        np.zeros(legs, np.int64), np.zeros((legs, 3)), np.full(legs, -1, np.int64), np.zeros(1),
        np.ones(1), np.zeros((legs, 3)),
    )  # fmt: skip


def make_felt(figure: Any) -> Felt:
    return Felt(np.zeros(len(figure.hip)), np.zeros(len(figure.rest)), np.zeros(2), np.zeros(1))


def make_mind(species: ClimberSpec, figure: Any, rng: np.random.Generator) -> Mind:
    """All that a controller remembers, before it has looked around."""
    legs = len(figure.hip)

    def points() -> np.ndarray:
        return np.zeros((legs, 3))

    def whole() -> np.ndarray:
        return np.zeros(legs, np.int64)

    drive = np.zeros(DRIVES)
    drive[RADIAL] = 1.0
    return Mind(
        target=points(), foot=points(), hold=points(), hold_normal=points(), origin=points(),
        start=points(), way=points(), rise=points(), pace=np.ones((legs, 4)),
        leg_state=np.full(legs, LOOSE, np.int64), wants=whole(), request=np.full(legs, np.inf),
        tries=whole(), error=np.zeros((legs, 4), np.int64), searches=whole(), found=whole(),
        steps=whole(), slips=whole(),
        slipped=whole(), lift_time=np.zeros(legs), land_time=np.zeros(legs),
        share=np.zeros(legs), slid=np.zeros(legs), strain=np.zeros(legs),
        up=np.array([0.0, 1.0, 0.0]), heading=np.array([1.0, 0.0, 0.0]), drive=drive,
        count=np.zeros(COUNTS, np.int64),
        behaviour=np.array([BEHAVIOURS[species.steering.behaviour]], np.int64),
        goal=np.zeros(3), wish=np.zeros(3), stay=np.zeros(3),
        frame=np.zeros((3, 3)),
        random=rng.integers(1, 2**63, 1, dtype=np.uint64),
    )  # fmt: skip
