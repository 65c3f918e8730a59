"""What a study is: which numbers of a scene are searched, and what a good run of it is."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from skitter.scene.describe import describe, quote
from skitter.scene.overrides import parse_path
from skitter.spec import Finite, Name, Number, Positive, Source, Spec, Title


def check_path(path: str) -> str:
    if not parse_path(path):
        raise ValueError(f"is {quote(path)}; valid: a path such as terrain[0].friction")
    return path


def check_changes(changes: dict[str, Any]) -> dict[str, Any]:
    for path in changes:
        check_path(path)
    return changes


def check_scene(scene: Any) -> Any:
    if not isinstance(scene, dict) and not (isinstance(scene, str) and scene):
        raise ValueError(
            f"must be the name of a scene, its file or a mapping; found {describe(scene)}"
        )
    return scene


Path = Annotated[str, Field(max_length=400), AfterValidator(check_path)]  # as `--set` takes it
Changes = Annotated[dict[str, Any], AfterValidator(check_changes)]  # values by path
SceneSource = Annotated[Any, AfterValidator(check_scene)]
MeasureId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)*$", max_length=120)]
Weight = Annotated[Number, Field(ge=0, le=1e6)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Scale = Annotated[Number, Field(ge=1e-9, le=1e9)]


def begin_variants() -> list[dict[str, Any]]:
    """The scene as it is, alone."""
    return [{}]


def read_tie(given: Any) -> Any:
    """A path alone stands for one with the factor 1."""
    return {"path": given} if isinstance(given, str) else given


class Tie(Spec):
    """A number that goes with a parameter, so many times as large."""

    path: Path
    factor: Finite = 1.0  # of the parameter; -1: mirrored


class ParameterSpec(Spec):
    """One number that is searched: that of a path itself, or what is done to those of the scene."""

    path: Path
    range: Annotated[tuple[Finite, Finite], Field(strict=False)]
    start: Finite | None = None  # where left out: as the scene has it
    apply: Literal["set", "add", "multiply"] = "set"  # to what the scene has at each path
    scale: Literal["linear", "log"] = "linear"
    also: list[Annotated[Tie, BeforeValidator(read_tie)]] = Field(
        max_length=100, default_factory=list
    )

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


class StudySpec(Spec):
    """A whole study. What a trial costs is the mean over all variants and seeds."""

    title: Title
    source: Source = ""
    scene: SceneSource
    set_: Changes = Field(alias="set", default_factory=dict)  # of the scene, in all runs
    variants: list[Changes] = Field(min_length=1, max_length=100, default_factory=begin_variants)
    seeds: list[Seed] = Field(min_length=1, max_length=100, default_factory=lambda: [0])
    seconds: Annotated[Number, Field(gt=0, le=1e6)] | None = None  # those of the scene if left out
    settle: Annotated[Number, Field(ge=0, le=1e6)] = 0.0  # s that measures leave out
    creature: Name | None = None  # whose measures; the first if left out
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
        paths = [path for one in self.parameters for path in (one.path, *list_ties(one))]
        twice = next((path for path in paths if paths.count(path) > 1), None)
        if twice is not None:
            raise ValueError(f"names the path '{twice}' twice; valid: every path once")
        return self


def list_ties(parameter: ParameterSpec) -> list[str]:
    return [tie.path for tie in parameter.also]
