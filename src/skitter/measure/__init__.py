"""Named numbers of a recording. Each measure has a stable id and a unit.

A measure of a creature is called `<creature>.<measure>`; new ones are added to the table below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skitter.measure import body

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
    compute: Callable[["Recording", str], float]
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


def measure(recording: "Recording") -> dict[str, Measure]:
    """All measures of a recording by id."""
    found = {"duration": Measure(float(recording.time[-1] - recording.time[0]), "s")}
    for creature in recording.creatures:
        for spec in CREATURE_MEASURES:
            if spec.applies(recording, creature["name"]):
                value = spec.compute(recording, creature["name"])
                found[f"{creature['name']}.{spec.id}"] = Measure(value, spec.unit)
    return found
