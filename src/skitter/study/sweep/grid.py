"""The points of a sweep, in order, and where each stands among the others.

A point is known by a hash of all that decides its result. So a sweep may grow, or its parameters
change their order: points that it had before are not run again.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from skitter.study.sweep.spec import SAMPLE, SEED

KEY = 16  # characters of a point's hash


@dataclass(frozen=True)
class Axis:
    """A parameter and its values: along an axis of its own, or along the samples."""

    name: str
    path: str
    values: tuple[Any, ...]
    drawn: bool
    log: bool

    @property
    def numeric(self) -> bool:
        return all(isinstance(x, int | float) and not isinstance(x, bool) for x in self.values)


@dataclass(frozen=True)
class Point:
    """One run: the values of all parameters, in their order, and a seed."""

    key: str
    values: tuple[Any, ...]
    seed: int


@dataclass(frozen=True)
class Grid:
    """All parameters, how many samples of those that are drawn, and the seeds."""

    axes: list[Axis]
    samples: int | None  # none where nothing is drawn
    seeds: list[int]
    base: str  # a hash of what decides all points alike

    @property
    def dims(self) -> list[str]:
        """Names of the dimensions: the grid, the samples, the seeds."""
        own = [axis.name for axis in self.axes if not axis.drawn]
        return [*own, *([SAMPLE] if self.samples else []), SEED]

    @property
    def shape(self) -> tuple[int, ...]:
        own = [len(axis.values) for axis in self.axes if not axis.drawn]
        return (*own, *([self.samples] if self.samples else []), len(self.seeds))

    @property
    def size(self) -> int:
        return prod(self.shape)

    def list_points(self) -> Iterator[Point]:
        """All points in the order of the dimensions, the last of them fastest."""
        rows = [range(1 if axis.drawn else len(axis.values)) for axis in self.axes]
        for *place, sample, seed in itertools.product(*rows, range(self.samples or 1), self.seeds):
            values = tuple(
                axis.values[sample if axis.drawn else k]
                for axis, k in zip(self.axes, place, strict=True)
            )
            yield Point(self.make_key(values, seed), values, seed)

    def make_key(self, values: tuple[Any, ...], seed: int) -> str:
        named = {axis.path: value for axis, value in zip(self.axes, values, strict=True)}
        text = json.dumps([self.base, named, seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> "Grid":
        axes = [Axis(**{**one, "values": tuple(one["values"])}) for one in row["axes"]]
        return cls(axes, row["samples"], list(row["seeds"]), str(row["base"]))
