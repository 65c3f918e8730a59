"""Named numbers of a recording. Each measure has a stable id and a unit.

A measure of a creature is called `<creature>.<measure>`, that of each of its parts
`<creature>.<measure>_<part>`. A module that is imported here adds the
measures in it to the tables (table.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
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
    fate,
    footing,
    meeting,
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


def measure(
    recording: "Recording", *, failures: dict[str, str] | None = None
) -> dict[str, Measure]:
    """All measures of a recording by id; what it does not tell is left out.

    With `failures`, a measure that raises is left out too, and why is written there by its id; of
    parts by `<id>_`."""
    found: dict[str, Measure] = {}

    def add(id: str, unit: str, compute: Callable[[], float | Mapping[str, float]]) -> None:
        try:
            told = compute()
        except Exception as error:
            if failures is None:
                raise
            failures[id] = f"{type(error).__name__}: {error}"
            return
        if isinstance(told, Mapping):
            found.update({f"{id}{part}": Measure(value, unit) for part, value in told.items()})
        else:
            found[id] = Measure(told, unit)

    for scene in SCENE_MEASURES:
        add(scene.id, scene.unit, partial(scene.compute, recording))
    for creature in recording.creatures:
        name, kind = creature["name"], creature["kind"]
        for one in CREATURE_MEASURES:
            if one.holds_for(recording, name, kind):
                add(f"{name}.{one.id}", one.unit, partial(one.compute, recording, name))
        for parts in PARTS_MEASURES:
            if parts.holds_for(recording, name, kind):
                add(f"{name}.{parts.id}_", parts.unit, partial(parts.compute, recording, name))
    return {id: one for id, one in found.items() if not np.isnan(one.value)}
