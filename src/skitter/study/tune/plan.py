"""A study that has been checked against its scene: what a search needs, and processes share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from math import floor, log10
from typing import Any

import numpy as np

import skitter
from skitter.errors import UserError
from skitter.measure.table import CREATURE_MEASURES, PARTS_MEASURES, SCENE_MEASURES
from skitter.scene.describe import describe
from skitter.scene.load import Override, Scene, load_scene
from skitter.scene.overrides import find_step, parse_path
from skitter.study.tune.spec import ParameterSpec, StudySpec

DIGITS = 5  # of a range: no finer, so that what is found is short enough to be pasted
UNCHANGED = {"add": 0.0, "multiply": 1.0}  # the values that leave a scene as it is
Values = tuple[float, ...]  # one for each parameter, in its own unit


@dataclass(frozen=True)
class Plan:
    """A study and its scene; picklable."""

    name: str
    label: str  # begins error lines
    spec: StudySpec
    source: str | dict[str, Any]  # of the scene: a name, a path or a tree
    start: Values
    scenes: list[dict[str, Any]]  # of each variant as they are before anything is changed

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Variant and seed of every run of a trial."""
        variants = range(len(self.spec.variants))
        return [(variant, seed) for variant in variants for seed in self.spec.seeds]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every creature, by its name."""
        scene = self.scenes[0]
        pairs = zip(scene["creature_names"], scene["species"], strict=True)
        return {str(name): str(species["kind"]) for name, species in pairs}

    @property
    def creature(self) -> str:
        """The name of the creature that is measured."""
        return self.spec.creature or next(iter(self.kinds))

    @property
    def measures(self) -> list[str]:
        """The full ids of all measures that count, each once."""
        named = [one.measure for one in self.spec.objective]
        named += [one.measure for one in self.spec.limits]
        return list(dict.fromkeys(self.find_measure(one) for one in named))

    def find_measure(self, given: str) -> str:
        """The full id of a measure that may be one of the creature."""
        alone = any(one.id == given for one in SCENE_MEASURES)
        return given if alone or "." in given else f"{self.creature}.{given}"

    def place(self, point: Sequence[float] | np.ndarray) -> Values:
        """The values at a point of the unit cube."""
        return tuple(
            round_value(one, stretch(one, float(share)))
            for one, share in zip(self.spec.parameters, point, strict=True)
        )

    def locate(self, values: Values) -> list[float]:
        """The point of the unit cube where values lie."""
        return [squeeze(one, x) for one, x in zip(self.spec.parameters, values, strict=True)]

    def load(self, values: Values, variant: int = 0) -> Scene:
        """The scene of a variant with these values."""
        changes = list_changes(self.label, self.spec, variant)
        changes += self.list_values(values, self.scenes[variant])
        return load_scene(self.source, overrides=changes)

    def list_values(self, values: Values, scene: dict[str, Any]) -> Iterator[Override]:
        """All numbers that go with some values, where the scene is as it is without them."""
        for one, value in zip(self.spec.parameters, values, strict=True):
            for path, factor in [(one.path, 1.0), *((tie.path, tie.factor) for tie in one.also)]:
                number = value * factor
                if one.apply != "set":
                    own = read_number(self.label, path, scene)
                    number = own + number if one.apply == "add" else own * number
                    number = float(f"{number:.{DIGITS + 1}g}")
                yield make_override(self.label, path, number)

    def describe(self) -> dict[str, Any]:
        """All that decides the result but for how long it is searched, for a file."""
        unseen = {"title", "source", "generations", "scene"}
        return {
            **self.spec.model_dump(mode="json", by_alias=True, exclude=unseen),
            "scene": self.scenes,
            "version": list_versions(),
        }

    def check_unchanged(self) -> None:
        """The scene and its species must stay as they are while they are searched."""
        if load_variants(self.label, self.spec, self.source) != self.scenes:
            raise UserError(
                f"{self.label}: its scene or a species has changed during the search; valid: the"
                " same files until the end, or a new directory"
            )


def list_versions() -> dict[str, str]:
    """Of what makes the numbers."""
    try:
        found = version("cma")
    except PackageNotFoundError:
        found = "none"
    return {"skitter": skitter.__version__, "cma": found}


def list_changes(label: str, spec: StudySpec, variant: int) -> list[Override]:
    """What a study sets in its scene besides what it searches."""
    fields = {**spec.set_, **spec.variants[variant]}
    if spec.seconds is not None:
        fields["seconds"] = spec.seconds
    return [make_override(label, path, value) for path, value in fields.items()]


def make_override(label: str, path: str, value: Any) -> Override:
    return Override(f"{label}: {path}={describe(value)}", parse_path(path), value)


def load_variants(label: str, spec: StudySpec, source: Any) -> list[dict[str, Any]]:
    """The scene of each variant, complete, with nothing searched set."""
    return [
        load_scene(source, overrides=list_changes(label, spec, variant)).to_dict()
        for variant in range(len(spec.variants))
    ]


def read_number(where: str, path: str, scene: dict[str, Any]) -> float:
    """The number that a scene has at a path; below `with`, that of the species."""
    steps = parse_path(path)
    tree: Any = scene
    if len(steps) > 3 and steps[0] == "creatures" and steps[2] == "with":
        index = find_step(scene["creatures"], steps[1], where, ("creatures",))
        steps, tree = steps[3:], scene["species"][index]
    for step in steps:
        key = find_step(tree, step, where, ())
        tree = tree.get(key) if isinstance(tree, dict) else tree[key]
    if isinstance(tree, bool) or not isinstance(tree, int | float):
        raise UserError(
            f"{where}: the scene has {describe(tree)} at {path}; valid: the path of a number, or"
            " a start"
        )
    return float(tree)


def list_units(plan: Plan) -> dict[str, str]:
    """The unit of every measure that the scene can have, by full id; of parts, by `<id>_`."""
    units = {one.id: one.unit for one in SCENE_MEASURES}
    for name, kind in plan.kinds.items():
        own = [one for one in CREATURE_MEASURES if not one.kinds or kind in one.kinds]
        parts = [one for one in PARTS_MEASURES if not one.kinds or kind in one.kinds]
        units |= {f"{name}.{one.id}": one.unit for one in own}
        units |= {f"{name}.{one.id}_": one.unit for one in parts}
    return units


def find_unit(units: dict[str, str], id: str) -> str | None:
    """The unit of a measure, also of that of a part, whose name only a recording knows."""
    if id in units and not id.endswith("_"):
        return units[id]
    parts = (one for one in units if one.endswith("_") and id.startswith(one) and id != one)
    return units.get(next(parts, ""))


def stretch(parameter: ParameterSpec, share: float) -> float:
    """The value at a share of the range, evenly or evenly in its logarithm."""
    low, high = parameter.range
    if parameter.scale == "log":
        return float(low * (high / low) ** share)
    return low + (high - low) * share


def squeeze(parameter: ParameterSpec, value: float) -> float:
    """The share of the range at which a value lies."""
    low, high = parameter.range
    if parameter.scale == "log":
        return log10(value / low) / log10(high / low)
    return (value - low) / (high - low)


def round_value(parameter: ParameterSpec, value: float) -> float:
    """The value with as many digits as its range is worth, inside of it."""
    low, high = parameter.range
    size = value if parameter.scale == "log" else high - low
    rounded = round(value, DIGITS - floor(log10(size)))
    return min(max(rounded, low), high) + 0.0  # no negative zero
