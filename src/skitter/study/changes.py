"""What a study changes in its scene, and the numbers that the scene has before that."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skitter.errors import UserError
from skitter.scene.describe import describe
from skitter.scene.overrides import Override, find_step, parse_path
from skitter.study.ranges import round_number
from skitter.study.spec import RunSpec, Tie


def make_override(label: str, path: str, value: Any) -> Override:
    return Override(f"{label}: {path}={describe(value)}", parse_path(path), value)


def list_changes(label: str, spec: RunSpec, more: Mapping[str, Any]) -> list[Override]:
    """What a study sets in its scene besides its parameters."""
    fields = {**spec.set_, **more}
    if spec.seconds is not None:
        fields["seconds"] = spec.seconds
    return [make_override(label, path, value) for path, value in fields.items()]


def apply_value(
    label: str, path: str, also: Iterable[Tie], apply: str, value: Any, scene: dict[str, Any]
) -> Iterator[Override]:
    """All changes that one value of a parameter makes, where the scene is as it is without them.

    A word or a switch is set as it is wherever it goes."""
    for place, factor in [(path, 1.0), *((tie.path, tie.factor) for tie in also)]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield make_override(label, place, value)
            continue
        number = value if factor == 1.0 else value * factor
        if apply != "set":
            own = read_number(label, place, scene)
            number = round_number(own + number if apply == "add" else own * number)
        yield make_override(label, place, number)


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
