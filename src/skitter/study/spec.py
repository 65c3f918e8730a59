"""What studies of sweeps and of searches share: a scene, how long it runs, whose measures."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from skitter.scene.describe import describe, quote
from skitter.scene.overrides import parse_path
from skitter.spec import Finite, Name, Number, Source, Spec, Title


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


def read_tie(given: Any) -> Any:
    """A path alone stands for one with the factor 1."""
    return {"path": given} if isinstance(given, str) else given


Path = Annotated[str, Field(max_length=400), AfterValidator(check_path)]  # as `--set` takes it
Changes = Annotated[dict[str, Any], AfterValidator(check_changes)]  # values by path
SceneSource = Annotated[Any, AfterValidator(check_scene)]
MeasureId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)*$", max_length=120)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]


class Tie(Spec):
    """A number that goes with a parameter, so many times as large."""

    path: Path
    factor: Finite = 1.0  # of the parameter; -1: mirrored


Ties = Annotated[list[Annotated[Tie, BeforeValidator(read_tie)]], Field(max_length=100)]


class RunSpec(Spec):
    """What is run and measured."""

    title: Title
    source: Source = ""
    scene: SceneSource
    set_: Changes = Field(alias="set", default_factory=dict)  # of the scene, in all runs
    seconds: Annotated[Number, Field(gt=0, le=1e6)] | None = None  # those of the scene if left out
    settle: Annotated[Number, Field(ge=0, le=1e6)] = 0.0  # s that measures leave out
    creature: Name | None = None  # whose measures; the first if left out


def check_once(paths: list[str]) -> None:
    """Refuse a path that two parameters, or their ties, would set."""
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise ValueError(f"names the path '{twice}' twice; valid: every path once")
