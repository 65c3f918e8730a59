"""A sweep that has been checked against its scene: its axes, its points, what decides a point.

A point is known by a hash of all that decides its result: the scene before anything is changed,
what the study sets, the versions, the values and the seed. So a sweep may grow: points that it
had before are not run again.
"""

import hashlib
import json
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import skitter
from skitter.scene.load import Scene, load_scene
from skitter.study.changes import apply_value, list_changes
from skitter.study.ranges import round_number, round_value, stretch
from skitter.study.sweep.grid import Axis, Grid
from skitter.study.sweep.spec import AxisSpec, SweepSpec, name_axes
from skitter.study.wanted import find_measure, list_kinds, list_units


@dataclass(frozen=True)
class Plan:
    """A study and its scene."""

    name: str
    label: str  # begins error lines
    spec: SweepSpec
    source: str | dict[str, Any]  # of the scene: a name, a path or a tree
    scene: dict[str, Any]  # as it is before a parameter is set

    @cached_property
    def grid(self) -> Grid:
        names = name_axes(self.spec.parameters)
        axes = [
            Axis(name, one.path, list_values(one, self.spec), bool(one.distribution), is_log(one))
            for name, one in zip(names, self.spec.parameters, strict=True)
        ]
        text = json.dumps(self.describe(), sort_keys=True)
        base = hashlib.sha256(text.encode()).hexdigest()
        return Grid(axes, self.spec.samples, list(self.spec.seeds), base)

    @property
    def creature(self) -> str:
        """The name of the creature that is measured."""
        return self.spec.creature or next(iter(list_kinds(self.scene)), "")

    @property
    def measures(self) -> list[str]:
        """The full ids of the measures that are named; none: all of the creature."""
        named = (find_measure(one, self.creature) for one in self.spec.measures)
        return list(dict.fromkeys(named))

    def describe(self) -> dict[str, Any]:
        """What decides a point besides its values and its seed, for a file."""
        ways = {
            one.path: {"apply": one.apply, "also": [tie.model_dump() for tie in one.also]}
            for one in self.spec.parameters
        }
        return {
            "scene": self.scene,
            "settle": self.spec.settle,
            "creature": self.creature,
            "measures": self.measures,
            "parameters": dict(sorted(ways.items())),
            "version": {"skitter": skitter.__version__},
        }

    def describe_store(self) -> dict[str, Any]:
        """What else is needed to read the results, for a file."""
        return {
            "study": self.name,
            "title": self.spec.title,
            "source": self.spec.source,
            "grid": self.grid.to_dict(),
            "units": list_units(list_kinds(self.scene)),
        }

    def load(self, values: tuple[Any, ...]) -> Scene:
        """The scene of a point."""
        changes = list_changes(self.label, self.spec, {})
        for one, value in zip(self.spec.parameters, values, strict=True):
            changes += apply_value(self.label, one.path, one.also, one.apply, value, self.scene)
        return load_scene(self.source, overrides=changes)


def is_log(one: AxisSpec) -> bool:
    return one.scale == "log" or one.distribution == "loguniform"


def list_values(one: AxisSpec, spec: SweepSpec) -> tuple[Any, ...]:
    """The values of a parameter, rounded so that those one reads are those that were run."""
    if one.values is not None:
        return tuple(one.values)
    if one.count is not None and one.range is not None:
        shares = [k / (one.count - 1) for k in range(one.count)]
        ends = one.range
        return tuple(round_value(ends, one.scale, stretch(ends, one.scale, k)) for k in shares)
    rng = np.random.default_rng([spec.seed, zlib.crc32(one.path.encode())])  # each path its own
    return tuple(draw(one, rng) for _ in range(spec.samples or 0))


def draw(one: AxisSpec, rng: np.random.Generator) -> float:
    if one.range is None:
        return round_number(float(one.mean or 0.0) + float(one.deviation or 0.0) * rng.normal())
    scale = "log" if one.distribution == "loguniform" else "linear"
    return round_value(one.range, scale, stretch(one.range, scale, rng.random()))
