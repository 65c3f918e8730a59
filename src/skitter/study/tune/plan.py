"""A study that has been checked against its scene: what a search needs, and processes share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import skitter
from skitter.errors import UserError
from skitter.scene.load import Override, Scene, load_scene
from skitter.study.changes import apply_value, list_changes
from skitter.study.ranges import round_value, squeeze, stretch
from skitter.study.tune.spec import StudySpec
from skitter.study.wanted import find_measure, list_kinds

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
        return list_kinds(self.scenes[0])

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
        return find_measure(given, self.creature)

    def place(self, point: Sequence[float] | np.ndarray) -> Values:
        """The values at a point of the unit cube."""
        return tuple(
            round_value(one.range, one.scale, stretch(one.range, one.scale, float(share)))
            for one, share in zip(self.spec.parameters, point, strict=True)
        )

    def locate(self, values: Values) -> list[float]:
        """The point of the unit cube where values lie."""
        pairs = zip(self.spec.parameters, values, strict=True)
        return [squeeze(one.range, one.scale, x) for one, x in pairs]

    def load(self, values: Values, variant: int = 0) -> Scene:
        """The scene of a variant with these values."""
        changes = list_changes(self.label, self.spec, self.spec.variants[variant])
        changes += self.list_values(values, self.scenes[variant])
        return load_scene(self.source, overrides=changes)

    def list_values(self, values: Values, scene: dict[str, Any]) -> Iterator[Override]:
        """All numbers that go with some values, where the scene is as it is without them."""
        for one, value in zip(self.spec.parameters, values, strict=True):
            yield from apply_value(self.label, one.path, one.also, one.apply, value, scene)

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


def load_variants(label: str, spec: StudySpec, source: Any) -> list[dict[str, Any]]:
    """The scene of each variant, complete, with nothing searched set."""
    return [
        load_scene(source, overrides=list_changes(label, spec, spec.variants[variant])).to_dict()
        for variant in range(len(spec.variants))
    ]
