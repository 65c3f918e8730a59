"""Named numbers of a recording. Each measure has a stable id and a unit.

A measure of a creature is called `<creature>.<measure>`, that of each of its parts
`<creature>.<measure>_<part>`. A module that is imported here adds the
measures in it to the tables (table.py).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure import (  # noqa: F401  measures
    articulated,
    articulated_balance,
    articulated_effort,
    articulated_steps,
    behaviour,
    body,
    climber_gait,
    climber_way,
    footing,
    stride,
    swim,
    water,
    worm,
)
from skitter.measure.table import CREATURE_MEASURES, PARTS_MEASURES, SCENE_MEASURES

if TYPE_CHECKING:
    from skitter.record import Recording


@dataclass(frozen=True)
class Measure:
    """A number and its unit; "1" where it has none."""

    value: float
    unit: str


def measure(recording: "Recording") -> dict[str, Measure]:
    """All measures of a recording by id; what it does not tell is left out."""
    found = {one.id: Measure(one.compute(recording), one.unit) for one in SCENE_MEASURES}
    for creature in recording.creatures:
        name = creature["name"]
        for spec in CREATURE_MEASURES:
            if spec.holds_for(recording, name, creature["kind"]):
                found[f"{name}.{spec.id}"] = Measure(spec.compute(recording, name), spec.unit)
        for parts in PARTS_MEASURES:
            if parts.holds_for(recording, name, creature["kind"]):
                for part, value in parts.compute(recording, name).items():
                    found[f"{name}.{parts.id}_{part}"] = Measure(value, parts.unit)
    return {id: one for id, one in found.items() if not np.isnan(one.value)}
