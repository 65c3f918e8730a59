"""What a climber's file leaves out: numbers that follow from its sizes, legs and largest speed.

The rates are such that a tarantula of 6 cm legs that walks 11 cm/s comes out as it was tuned.
"""

from math import pi, radians, sin

import numpy as np

from skitter.species.climber_legs import ClimberLegSpec, fill
from skitter.species.climber_manner import DetailSpec, SenseSpec, SteeringSpec, SteppingSpec
from skitter.species.climber_parts import AbdomenSpec, ThoraxSpec, WeldedPartSpec
from skitter.species.climber_pose import find_origin

SEGMENT_DENSITY = 1.0  # g/cm³, of all parts whose mass is left out


def bound(value: float, least: float, most: float) -> float:
    return float(min(max(value, least), most))


def fill_mass(part: ThoraxSpec | AbdomenSpec | WeldedPartSpec) -> None:
    """An ellipsoid of water."""
    length, height, width = part.size
    fill(part, mass=bound(pi / 6 * length * height * width * SEGMENT_DENSITY, 1e-9, 1e6))


def fill_comfort(leg: ClimberLegSpec) -> None:
    """A fifth of its length, or less where it is nearly stretched at rest."""
    length = leg.length
    spare = length - float(np.linalg.norm(find_origin(leg) - np.array(leg.at)))
    comfort = 0.2 * length if len(leg.segments) < 3 else min(0.2 * length, 0.8 * spare)
    fill(leg, comfort_range=bound(comfort, max(1e-3, 0.05 * length), length / 2))


def fill_thorax(thorax: ThoraxSpec, legs: list[ClimberLegSpec], pace: float) -> None:
    """The elevation of the default pose; turns that are damped critically."""
    fill_mass(thorax)
    height = -float(np.mean([find_origin(leg)[1] for leg in legs]))
    given: float | None = thorax.elevation
    if given is None and height < 1e-3:
        raise ValueError(
            f"has feet {-height:g} cm above the middle of the thorax in the default pose; valid:"
            " rest_deg of joints that lead them below it"
        )
    rate = bound(6 * pace, 6, 60)
    fill(thorax, elevation=height, orientation_rate_c1=rate**2)
    fill(thorax, orientation_rate_c2=2 * thorax.orientation_rate_c1**0.5)


def fill_steering(steering: SteeringSpec, length: float) -> None:
    """Numbers for legs that are so long, cm."""
    fill(steering, max_speed=bound(1.5 * length, 1e-3, 1e4))
    fast = steering.max_speed
    fill(
        steering,
        max_acceleration=bound(5 * fast, 1e-3, 1e6),
        turn_rate_c1=bound(3 * fast / length, 4, 8) ** 2,
        wander_displacement=bound(2 * length, 1e-3, 1e3),
        wander_radius=bound(length, 1e-3, 1e3),
    )
    fill(steering, turn_rate_c2=2 * steering.turn_rate_c1**0.5)


def fill_sense(sense: SenseSpec, thorax: ThoraxSpec, length: float) -> None:
    """It sees beyond the reach of a leg and of where its rays meet level ground."""
    fill(sense, at=(0.5 * thorax.size[0], 0.25 * thorax.size[1], 0.0))
    slope = sin(radians(-sense.angle_deg))
    ground = (thorax.elevation + sense.at[1]) / slope if slope > 0.05 else 0.0
    fill(sense, range=bound(max(1.6 * length, 2 * ground), 1e-3, 1e3))


def fill_stepping(stepping: SteppingSpec, comfort: float, length: float, fast: float) -> None:
    """At full speed a foot is in the air, half a path, a little longer than half as long as it
    stands: a duty of some 0.63, as tarantulas have that walk fast (Biancardi 2011)."""
    quick = bound(2 * comfort / fast, 0.005, 100)
    slow = bound(2.5 * quick, 0.005, 100)
    if stepping.min_step_duration is not None:
        slow = bound(2.5 * stepping.min_step_duration, 0.005, 100)
    if stepping.max_step_duration is not None:
        quick = min(quick, stepping.max_step_duration)
    high, low = 0.2 * length, 0.1 * length
    if stepping.min_step_height is not None:
        high = max(high, stepping.min_step_height)
    if stepping.max_step_height is not None:
        low = min(low, stepping.max_step_height)
    fill(stepping, min_step_duration=quick, max_step_duration=slow)
    fill(stepping, max_step_height=bound(high, 1e-3, 1e3), min_step_height=bound(low, 1e-3, 1e3))
    swing = 2 * pi * comfort / stepping.min_step_duration  # cm/s, of a foot
    fill(stepping, ik_rate=bound(4 * swing / length, 10, 500))


def fill_detail(detail: DetailSpec, fast: float, length: float) -> None:
    """The paper's tarantula switches at 5 of 11 cm/s (Cenydd 2012 figure 9)."""
    fill(detail, switch_speed=bound(0.45 * fast, 1e-3, 1e4))
    fill(detail, object_range=bound(2 * length, 1e-3, 1e3))
