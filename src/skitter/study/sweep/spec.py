"""What a study of a sweep is: which values of a scene are tried, and what is measured."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from skitter.scene.describe import describe
from skitter.spec import Finite, Name, Positive, Spec
from skitter.study.spec import MeasureId, Path, RunSpec, Seed, Ties, check_once

VALUES_MOST, POINTS_MOST = 10_000, 1_000_000
SAMPLE, SEED, REASON = "sample", "seed", "reason"  # names that a store has for itself
RESERVED = (SAMPLE, SEED, REASON)
WHAT = "values, a range with a count, or a distribution"


def check_value(value: Any) -> Any:
    if isinstance(value, dict | list) or value is None:
        raise ValueError(f"must be a number, a text or a switch; found {describe(value)}")
    if isinstance(value, float) and not abs(value) <= 1e12:
        raise ValueError("must be a finite number")
    return value


def check_seeds(seeds: Any) -> Any:
    """How many, or which."""
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if not 1 <= seeds <= VALUES_MOST:
            raise ValueError(f"must be 1 to {VALUES_MOST:,} seeds; found {seeds}")
        return list(range(seeds))
    is_list = isinstance(seeds, list) and seeds and len(seeds) <= VALUES_MOST
    if not is_list or not all(isinstance(n, int) and not isinstance(n, bool) for n in seeds):
        raise ValueError(f"must be how many, or a list of whole numbers; found {describe(seeds)}")
    if min(seeds) < 0 or max(seeds) >= 2**63 or len({*seeds}) < len(seeds):
        raise ValueError("must be whole numbers from 0 on, each once")
    return seeds


Value = Annotated[Any, AfterValidator(check_value)]


class AxisSpec(Spec):
    """A parameter: an axis of a grid, or numbers that are drawn."""

    path: Path
    name: Name | None = None  # in tables and pictures; from the path if left out
    values: Annotated[list[Value], Field(min_length=1, max_length=VALUES_MOST)] | None = None
    range: Annotated[tuple[Finite, Finite], Field(strict=False)] | None = None
    count: Annotated[int, Field(ge=2, le=VALUES_MOST)] | None = None  # values of a range
    scale: Literal["linear", "log"] = "linear"  # of a range
    distribution: Literal["uniform", "loguniform", "normal"] | None = None
    mean: Finite | None = None  # of a normal distribution
    deviation: Positive | None = None
    apply: Literal["set", "add", "multiply"] = "set"  # to what the scene has at each path
    also: Ties = Field(default_factory=list)

    @model_validator(mode="after")
    def check_kind(self) -> "AxisSpec":
        ways = [self.values is not None, self.count is not None, self.distribution is not None]
        if sum(ways) != 1:
            raise ValueError(f"needs exactly one of {WHAT}")
        needed = {
            "values": set[str](),
            "count": {"range", "count"},
            "uniform": {"range", "distribution"},
            "loguniform": {"range", "distribution"},
            "normal": {"mean", "deviation", "distribution"},
        }[self.kind]
        fields = ("range", "count", "mean", "deviation", "distribution")
        given = {key for key in fields if getattr(self, key) is not None}
        if given != needed:
            wanted, found = " and ".join(sorted(needed)) or "values alone", sorted(given - needed)
            too = f"; found {', '.join(found)}" if found else ""
            raise ValueError(f"is one of {self.kind}, which takes {wanted}{too}")
        self.check_numbers()
        return self

    @property
    def kind(self) -> str:
        return self.distribution or ("count" if self.values is None else "values")

    def check_numbers(self) -> None:
        if self.range is not None:
            low, high = self.range
            if low >= high:
                raise ValueError(f"has the range {low:g} to {high:g}; valid: the lower first")
            if low <= 0 and (self.scale == "log" or self.distribution == "loguniform"):
                raise ValueError(f"is logarithmic and has a range from {low:g}; valid: above 0")
        if self.scale == "log" and self.count is None:
            raise ValueError("has scale log without a count; valid: with a range and a count")
        if self.values is None:
            return
        if len({repr(value) for value in self.values}) < len(self.values):
            raise ValueError("has a value twice; valid: every value once")
        numbers = [is_number(value) for value in self.values]
        if self.apply != "set" and not all(numbers):
            raise ValueError(f"has apply {self.apply} and a value that is no number")
        if any(numbers) and not all(numbers):
            raise ValueError("has numbers and other values; valid: one sort")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class SweepSpec(RunSpec):
    """A whole sweep: all points of the grid, with every sample and every seed."""

    seeds: Annotated[Any, AfterValidator(check_seeds)] = Field(default_factory=lambda: [0])
    parameters: Annotated[list[AxisSpec], Field(min_length=1, max_length=20)]
    samples: Annotated[int, Field(ge=1, le=VALUES_MOST)] | None = None  # of those that are drawn
    seed: Seed = 0  # of what is drawn
    measures: list[MeasureId] = Field(max_length=500, default_factory=list)  # all if left out

    @model_validator(mode="after")
    def check_axes(self) -> "SweepSpec":
        ties = [tie.path for one in self.parameters for tie in one.also]
        check_once([*(one.path for one in self.parameters), *ties])
        drawn = any(one.distribution for one in self.parameters)
        if drawn and self.samples is None:
            raise ValueError("draws from a distribution; valid: with samples: how many")
        if self.samples is not None and not drawn:
            raise ValueError("has samples and draws from no distribution; valid: one of both")
        names = name_axes(self.parameters)
        wrong = next((name for name in names if names.count(name) > 1 or name in RESERVED), None)
        if wrong is not None:
            raise ValueError(
                f"names a parameter '{wrong}', which is taken; valid: other names than"
                f" {', '.join(RESERVED)}, each once"
            )
        return self


def name_axes(parameters: list[AxisSpec]) -> list[str]:
    """A short name for each: its own, or the shortest end of its path that no other has."""
    ends = [[one.name] if one.name else list_ends(one.path) for one in parameters]
    found = []
    for own in ends:
        others = [name for other in ends if other is not own for name in other]
        free = [name for name in own if name not in others and name not in RESERVED]
        found.append(str(free[0] if free else own[-1]))
    return found


def list_ends(path: str) -> list[str]:
    """Names that a path may have, the shortest first: `friction`, then `terrain_0_friction`."""
    steps = re.sub(r"\[(\d+)\]", r".\1", path.strip()).split(".")
    names = ["_".join(steps[k:]) for k in range(len(steps) - 1, -1, -1)]
    return [name for name in names if not name[0].isdigit()]
