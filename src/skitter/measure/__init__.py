"""Named numbers of a recording. Each measure has a stable id and a unit.

A measure of a creature is called `<creature>.<measure>`; new ones are added to the table below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure import body, footing, stride, swim, water

if TYPE_CHECKING:
    from skitter.record import Recording


@dataclass(frozen=True)
class Measure:
    value: float
    unit: str


@dataclass(frozen=True)
class MeasureSpec:
    id: str
    unit: str
    about: str
    compute: Callable[["Recording", str], float]  # nan where the recording does not tell
    applies: Callable[["Recording", str], bool] = lambda recording, name: True


CREATURE_MEASURES = (
    MeasureSpec("distance", "cm", "from the first to the last place of its middle", body.distance),
    MeasureSpec("speed", "cm/s", "distance over time", body.speed),
    MeasureSpec(
        "speed_peak", "cm/s", "largest speed of its middle between frames", body.speed_peak
    ),
    MeasureSpec("height_min", "cm", "lowest point of its surface", body.height_min),
    MeasureSpec("penetration", "cm", "deepest point of it inside the terrain", body.penetration),
    MeasureSpec(
        "energy_start", "erg", "kinetic, elastic and of height, first frame", body.energy_start
    ),
    MeasureSpec("energy_end", "erg", "the same, last frame", body.energy_end),
    MeasureSpec("energy_elastic_peak", "erg", "largest elastic energy", body.energy_elastic_peak),
    MeasureSpec(
        "momentum_drift",
        "1",
        "of a creature on which nothing acts: largest change, relative",
        body.momentum_drift,
        body.is_isolated,
    ),
    MeasureSpec(
        "angular_momentum_drift",
        "1",
        "the same for angular momentum",
        body.angular_momentum_drift,
        body.is_isolated,
    ),
)


def spec_of_myriapod(
    id: str, unit: str, about: str, compute: Callable[["Recording", str], float]
) -> MeasureSpec:
    return MeasureSpec(id, unit, about, compute, footing.is_myriapod)


# Unless another word is said, from the moment on which the brain left ADJUSTMENT for good.
MYRIAPOD_MEASURES = tuple(
    spec_of_myriapod(*row)
    for row in (
        ("path_length", "cm", "length of the head's path, from the start", footing.path_length),
        ("path_speed", "cm/s", "path length over time", footing.path_speed),
        ("path_body_lengths", "1", "path length over body length", footing.path_body_lengths),
        ("stance_fraction", "1", "share of all legs' time spent in STANCE", stride.stance_fraction),
        ("stride_period", "s", "mean time from touchdown to touchdown", stride.stride_period),
        ("phase_lag", "cycle", "of a leg after the one in front, circular mean", stride.phase_lag),
        (
            "phase_lag_spread",
            "cycle",
            "circular standard deviation of the same over neighbours and cycles",
            stride.phase_lag_spread,
        ),
        (
            "wave_direction",
            "1",
            "of touchdowns: 1 head to tail, -1 tail to head, 0 neither",
            stride.wave_direction,
        ),
        (
            "left_right_phase",
            "cycle",
            "of a right leg after the left one of its segment, circular mean",
            stride.left_right_phase,
        ),
        (
            "left_right_spread",
            "cycle",
            "circular standard deviation of the same",
            stride.left_right_spread,
        ),
        (
            "regular_cycle_share",
            "1",
            "cycles that are SF1, SF2, STANCE with less than a tenth of other states",
            stride.regular_cycle_share,
        ),
        ("supported_share", "1", "mean share of legs in STANCE", stride.supported_share),
        (
            "supported_variation",
            "1",
            "standard deviation of that share over time, relative to its mean",
            stride.supported_variation,
        ),
        (
            "slip_max",
            "leg length",
            "largest move of a standing tip between frames, from the start",
            footing.slip_max,
        ),
        (
            "tip_penetration",
            "leg length",
            "deepest tip inside the terrain, from the start",
            footing.tip_penetration,
        ),
        (
            "height_error",
            "leg length",
            "largest difference of a segment's height from its target",
            footing.height_error,
        ),
        (
            "height_error_lasting",
            "leg length",
            "largest of them that lasts half a second on one segment",
            footing.height_error_lasting,
        ),
        (
            "body_length_change",
            "1",
            "largest change of the length along the body from the first frame's, relative",
            footing.body_length_change,
        ),
        ("food_eaten", "1", "pieces of food eaten, from the start", footing.food_eaten),
    )
)
# From the second half of the time in which its muscles are fully driven, stroke by stroke.
SWIMMER_MEASURES = tuple(
    MeasureSpec(*row, swim.is_swimmer)
    for row in (
        ("swim_speed", "cm/s", "displacement of a stroke over its time, mean", swim.swim_speed),
        ("food_eaten", "1", "pieces of food eaten, from the start", footing.food_eaten),
        ("stroke_frequency", "Hz", "of the muscles' wave", swim.stroke_frequency),
        ("stride_length", "1", "way of a stroke, of the body's length", swim.stride_length),
        ("wave_ratio", "1", "speed of the body's wave over swimming speed", swim.wave_ratio),
        ("slip", "1", "swimming speed over speed of the body's wave", swim.slip),
        ("body_wavelength", "1", "along the course, of the body's length", swim.body_wavelength),
        ("body_lag", "cycle", "of the sway, from one rigid part to the next", swim.body_lag),
        (
            "amplitude_head",
            "1",
            "half of the sway's width, of the body's length",
            swim.amplitude_head,
        ),
        ("amplitude_tail", "1", "the same of the tail", swim.amplitude_tail),
        (
            "amplitude_growth",
            "1",
            "amplitude of the tail over that of the head",
            swim.amplitude_growth,
        ),
        ("strouhal", "1", "frequency times width of the tail's sway over speed", swim.strouhal),
        ("energy_rate", "erg/s", "work done on the water over time", swim.energy_rate),
        (
            "cost_of_transport",
            "1",
            "work done on the water over distance and weight",
            swim.cost_of_transport,
        ),
        ("yaw_rate", "deg/s", "of its course, positive to the left", swim.yaw_rate),
        ("turning_radius", "cm", "speed over yaw rate", swim.turning_radius),
    )
)
AMPHIBIOUS_MEASURES = tuple(
    MeasureSpec(*row, water.lives_in_both)
    for row in (
        ("body_mode_changes", "1", "from one mode of the body to another", water.body_mode_changes),
        ("water_entries", "1", "times that it came to swim", water.water_entries),
        ("water_exits", "1", "times that it came out of the water", water.water_exits),
        ("water_share", "1", "share of the time that it swam", water.water_share),
    )
)
OBSTACLE_MEASURES = (
    MeasureSpec(
        "obstacle_penetration",
        "1",
        "deepest part of the body inside an obstacle, relative to its width, from the start",
        footing.obstacle_penetration,
        footing.has_obstacles,
    ),
)
ALL_MEASURES = (
    *CREATURE_MEASURES,
    *MYRIAPOD_MEASURES,
    *SWIMMER_MEASURES,
    *AMPHIBIOUS_MEASURES,
    *OBSTACLE_MEASURES,
)


def measure(recording: "Recording") -> dict[str, Measure]:
    """All measures of a recording by id; what it does not tell is left out."""
    found = {"duration": Measure(float(recording.time[-1] - recording.time[0]), "s")}
    if not np.isnan(error := water.volume_error(recording)):
        found["water.volume_error"] = Measure(error, "1")
    for creature in recording.creatures:
        for spec in ALL_MEASURES:
            if spec.applies(recording, creature["name"]):
                value = spec.compute(recording, creature["name"])
                if not np.isnan(value):
                    found[f"{creature['name']}.{spec.id}"] = Measure(value, spec.unit)
    return found
