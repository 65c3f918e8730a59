"""The measures that a study names: their full ids, their units, and whether there are such."""

from collections.abc import Iterable, Mapping
from typing import Any

from skitter.errors import UserError
from skitter.measure.table import CREATURE_MEASURES, PARTS_MEASURES, SCENE_MEASURES
from skitter.scene.describe import quote, suggest

Units = Mapping[str, str]  # by full id; of parts, by `<id>_`


def list_kinds(scene: Mapping[str, Any]) -> dict[str, str]:
    """The kind of every creature of a complete scene, by its name."""
    pairs = zip(scene["creature_names"], scene["species"], strict=True)
    return {str(name): str(species["kind"]) for name, species in pairs}


def find_measure(given: str, creature: str) -> str:
    """The full id of a measure that may be one of the creature."""
    alone = any(one.id == given for one in SCENE_MEASURES)
    return given if alone or "." in given else f"{creature}.{given}"


def list_units(kinds: Mapping[str, str]) -> dict[str, str]:
    """The unit of every measure that such creatures can have, by full id; of parts, by `<id>_`."""
    units = {one.id: one.unit for one in SCENE_MEASURES}
    for name, kind in kinds.items():
        own = [one for one in CREATURE_MEASURES if not one.kinds or kind in one.kinds]
        parts = [one for one in PARTS_MEASURES if not one.kinds or kind in one.kinds]
        units |= {f"{name}.{one.id}": one.unit for one in own}
        units |= {f"{name}.{one.id}_": one.unit for one in parts}
    return units


def find_unit(units: Units, id: str) -> str | None:
    """The unit of a measure, also of that of a part, whose name only a recording knows."""
    if id in units and not id.endswith("_"):
        return units[id]
    parts = (one for one in units if one.endswith("_") and id.startswith(one) and id != one)
    return units.get(next(parts, ""))


def check_measures(
    label: str, creature: str, kinds: Mapping[str, str], measures: Iterable[str]
) -> None:
    """Every measure that a study names must be one that its creatures can have."""
    if creature not in kinds:
        near = suggest(creature, kinds)
        raise UserError(
            f"{label}: creature {quote(creature)} is not in the scene; {near}valid:"
            f" {', '.join(kinds)}"
        )
    units, own = list_units(kinds), f"{creature}."
    for wanted in measures:
        if find_unit(units, wanted) is None:
            valid = [name_measure(one.removeprefix(own)) for one in units]
            near = suggest(wanted.removeprefix(own), valid)
            raise UserError(
                f"{label}: there is no measure {quote(wanted)}; {near}valid: {', '.join(valid)}"
            )


def name_measure(id: str) -> str:
    """A measure as it is told to people: that of parts with a word for the part."""
    return f"{id}PART" if id.endswith("_") else id
