"""Reading studies: a built-in name, a file or a dict, and the files that it names beside itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.catalogue import SCENE_LIBRARY, find_file, list_names, looks_like_path
from skitter.scene.load import make_name
from skitter.scene.overrides import parse_path
from skitter.scene.plain import make_plain
from skitter.scene.read_yaml import read_yaml
from skitter.study.catalogue import ONLY_SWEEP, ONLY_TUNE, find_command, find_study
from skitter.study.spec import RunSpec

Source = str | Path | Mapping[str, Any]


def read_study(study: Source, command: str) -> tuple[str, str, Path, Any]:
    """Its name, what begins error lines, where its relative paths start, and its tree."""
    if isinstance(study, Mapping):
        name, label, folder, tree = "study", "study", Path(), make_plain(study, "study")
    else:
        path = find_study(str(study), command)
        name, label, folder, tree = make_name(path.stem), str(path), path.parent, read_yaml(path)
    other = find_command(tree)
    if other and other != command:
        key = next((key for key in (*ONLY_TUNE, *ONLY_SWEEP) if key in tree), "values")
        raise UserError(
            f"{label}: is a study of skitter {other}, as it has {key}; valid: skitter {other}"
            f" {study if isinstance(study, str) else ''} -o DIR, or a study of skitter {command}"
        )
    return name, label, folder, tree


def name_field(label: str, location: tuple[Any, ...], given: Mapping[str, Any]) -> str:
    """Where a field came from: the file, or an option."""
    return f"--{location[0]}" if location and location[0] in given else label


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


def anchor_changes(changes: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Changes of a scene with the files that they set named from the root on."""
    return {path: anchor_value(path, value, folder) for path, value in changes.items()}


def anchor_value(path: str, value: Any, folder: Path) -> Any:
    field = str(parse_path(path)[-1])
    is_file = field in ("species", "file")
    return anchor_item({field: value}, field, folder)[field] if is_file else value


def describe_source(source: Any) -> Any:
    """A scene as a study that is written down names it: a file from the root on."""
    if isinstance(source, str) and looks_like_path(source):
        return str(Path(source).resolve())
    return source


def check_settle(label: str, spec: RunSpec, scenes: list[dict[str, Any]]) -> None:
    shortest = min(float(one["seconds"]) for one in scenes)
    if spec.settle >= shortest:
        raise UserError(
            f"{label}: settle is {spec.settle:g} s of a run of {shortest:g} s; valid: less"
        )
