"""What a study of a search is: which numbers of a scene are searched, and what a good run is."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from skitter.spec import Finite, Number, Positive, Spec
from skitter.study.spec import Changes, MeasureId, Path, RunSpec, Seed, Ties, check_once

Weight = Annotated[Number, Field(ge=0, le=1e6)]
Scale = Annotated[Number, Field(ge=1e-9, le=1e9)]


def begin_variants() -> list[dict[str, Any]]:
    """The scene as it is, alone."""
    return [{}]


class ParameterSpec(Spec):
    """One number that is searched: that of a path itself, or what is done to those of the scene."""

    path: Path
    range: Annotated[tuple[Finite, Finite], Field(strict=False)]
    start: Finite | None = None  # where left out: as the scene has it
    apply: Literal["set", "add", "multiply"] = "set"  # to what the scene has at each path
    scale: Literal["linear", "log"] = "linear"
    also: Ties = Field(default_factory=list)

    @model_validator(mode="after")
    def check_range(self) -> "ParameterSpec":
        low, high = self.range
        if low >= high:
            raise ValueError(f"has the range {low:g} to {high:g}; valid: the lower number first")
        if self.scale == "log" and low <= 0:
            raise ValueError(f"has scale log and a range from {low:g}; valid: one above 0")
        if self.start is not None and not low <= self.start <= high:
            raise ValueError(f"starts at {self.start:g}; valid: {low:g} to {high:g}, its range")
        return self


class TermSpec(Spec):
    """A part of the cost: weight × measure / scale, with the sign of its goal."""

    measure: MeasureId  # of the creature, or `<creature>.<measure>`, or of the whole scene
    goal: Literal["larger", "smaller", "value"]
    value: Finite | None = None  # the one to come near, where that is the goal
    weight: Weight = 1.0  # 0: only told
    scale: Scale = 1.0  # in the unit of the measure: what counts as one

    @model_validator(mode="after")
    def check_goal(self) -> "TermSpec":
        if (self.goal == "value") != (self.value is not None):
            raise ValueError(
                "has a value or the goal 'value' without the other;"
                " valid: goal: value with value: a number, or neither"
            )
        return self


class LimitSpec(Spec):
    """Where a measure should stay; beyond, the cost grows by weight × excess / scale."""

    measure: MeasureId
    least: Finite | None = None
    most: Finite | None = None
    weight: Weight = 10.0
    scale: Scale = 1.0

    @model_validator(mode="after")
    def check_ends(self) -> "LimitSpec":
        if self.least is None and self.most is None:
            raise ValueError("has neither least nor most; valid: one of them, or both")
        return self


class StudySpec(RunSpec):
    """A whole study. What a trial costs is the mean over all variants and seeds."""

    variants: list[Changes] = Field(min_length=1, max_length=100, default_factory=begin_variants)
    seeds: list[Seed] = Field(min_length=1, max_length=100, default_factory=lambda: [0])
    parameters: Annotated[list[ParameterSpec], Field(min_length=1, max_length=200)]
    objective: Annotated[list[TermSpec], Field(min_length=1, max_length=100)]
    limits: list[LimitSpec] = Field(max_length=100, default_factory=list)
    failure: Positive = 1000.0  # cost of a run that ends early or does not tell a measure
    population: Annotated[int, Field(ge=4, le=1000)] | None = None  # pycma's if left out
    generations: Annotated[int, Field(ge=1, le=100_000)] = 20
    sigma: Annotated[Number, Field(gt=0, le=1)] = 0.25  # first spread, of the ranges
    seed: Seed = 0  # of the search itself

    @model_validator(mode="after")
    def check_paths(self) -> "StudySpec":
        ties = [tie.path for one in self.parameters for tie in one.also]
        check_once([*(one.path for one in self.parameters), *ties])
        return self
