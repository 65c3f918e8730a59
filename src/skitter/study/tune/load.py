"""Reading a study: a built-in name, a file or a dict, checked together with its scene."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.catalogue import SCENE_LIBRARY, find_file, list_names, looks_like_path
from skitter.scene.check import check
from skitter.scene.describe import quote, suggest
from skitter.scene.load import make_name
from skitter.scene.overrides import parse_path
from skitter.scene.plain import make_plain
from skitter.scene.read_yaml import read_yaml
from skitter.study.tune.plan import (
    UNCHANGED,
    Plan,
    Values,
    find_unit,
    list_units,
    load_variants,
    read_number,
)
from skitter.study.tune.spec import StudySpec

LIBRARY = Path(__file__).resolve().parents[1] / "library"
Source = str | Path | Mapping[str, Any]


def load_plan(study: Source, **changes: Any) -> Plan:
    """A built-in study, a file or a dict; `changes` are fields of it to be set, if not None."""
    name, label, folder, tree = read_study(study)
    given = {key: value for key, value in changes.items() if value is not None}
    if isinstance(tree, dict):
        tree = {**tree, **given}
    spec = check(StudySpec, tree, lambda location: name_field(label, location, given))
    spec = anchor_changes(spec, folder)
    source = find_scene(label, spec.scene, folder)
    scenes = load_variants(label, spec, source)
    check_settle(label, spec, scenes)
    plan = Plan(name, label, spec, source, find_start(label, spec, scenes[0]), scenes)
    check_measures(plan)
    for variant in range(len(scenes)):
        plan.load(plan.start, variant)  # a path that leads nowhere is told before anything is run
    return plan


def name_field(label: str, location: tuple[Any, ...], given: Mapping[str, Any]) -> str:
    """Where a field came from: the file, or an option."""
    return f"--{location[0]}" if location and location[0] in given else label


def read_study(study: Source) -> tuple[str, str, Path, Any]:
    """Its name, what begins error lines, where its relative paths start, and its tree."""
    if isinstance(study, Mapping):
        return "study", "study", Path(), make_plain(study, "study")
    path = find_file(LIBRARY, str(study), Path(), "study")
    return make_name(path.stem), str(path), path.parent, read_yaml(path)


def find_scene(label: str, given: str | dict[str, Any], folder: Path) -> str | dict[str, Any]:
    """The scene with files that a study names beside itself."""
    if not isinstance(given, str):
        return anchor(given, folder)
    if given in list_names(SCENE_LIBRARY):
        return given
    try:
        return str(find_file(SCENE_LIBRARY, given, folder, "scene"))
    except UserError as error:
        raise UserError(f"{label}: scene: {error}") from None


def anchor(scene: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A scene's tree with species and terrain files named from the root on."""
    tree = dict(scene)
    for key, field in (("creatures", "species"), ("terrain", "file")):
        if isinstance(items := tree.get(key), list):
            tree[key] = [anchor_item(item, field, folder) for item in items]
    return tree


def anchor_item(item: Any, field: str, folder: Path) -> Any:
    given = item.get(field) if isinstance(item, dict) else None
    if not isinstance(given, str) or not looks_like_path(given):
        return item
    return {**item, field: str((folder / given).resolve())}


def anchor_changes(spec: StudySpec, folder: Path) -> StudySpec:
    """A study with the files that it sets named from the root on."""
    own, *variants = [
        {path: anchor_value(path, value, folder) for path, value in one.items()}
        for one in (spec.set_, *spec.variants)
    ]
    if own == spec.set_ and variants == spec.variants:
        return spec
    return spec.model_copy(update={"set_": own, "variants": variants})


def anchor_value(path: str, value: Any, folder: Path) -> Any:
    field = str(parse_path(path)[-1])
    is_file = field in ("species", "file")
    return anchor_item({field: value}, field, folder)[field] if is_file else value


def check_settle(label: str, spec: StudySpec, scenes: list[dict[str, Any]]) -> None:
    shortest = min(float(one["seconds"]) for one in scenes)
    if spec.settle >= shortest:
        raise UserError(
            f"{label}: settle is {spec.settle:g} s of a run of {shortest:g} s; valid: less"
        )


def find_start(label: str, spec: StudySpec, scene: dict[str, Any]) -> Values:
    """Where the search begins: the numbers that are given, else those of the scene."""
    values = []
    for index, one in enumerate(spec.parameters):
        where = f"{label}: parameters[{index}]"
        value = one.start
        if value is None:
            same = UNCHANGED.get(one.apply)
            value = read_number(where, one.path, scene) if same is None else same
        if not one.range[0] <= value <= one.range[1]:
            raise UserError(
                f"{where} has the range {one.range[0]:g} to {one.range[1]:g}, and the scene is at"
                f" {value:g}; valid: a range that holds it, or a start"
            )
        values.append(float(value))
    return tuple(values)


def check_measures(plan: Plan) -> None:
    """Every measure that a study names must be one that its creature can have."""
    names = list(plan.kinds)
    if plan.creature not in names:
        near = suggest(plan.creature, names)
        raise UserError(
            f"{plan.label}: creature {quote(plan.creature)} is not in the scene; {near}valid:"
            f" {', '.join(names)}"
        )
    units, own = list_units(plan), f"{plan.creature}."
    for wanted in plan.measures:
        if find_unit(units, wanted) is None:
            valid = [name_measure(one.removeprefix(own)) for one in units]
            near = suggest(wanted.removeprefix(own), valid)
            raise UserError(
                f"{plan.label}: there is no measure {quote(wanted)}; {near}valid:"
                f" {', '.join(valid)}"
            )


def name_measure(id: str) -> str:
    """A measure as it is told to people: that of parts with a word for the part."""
    return f"{id}PART" if id.endswith("_") else id
