"""Changes to a scene from outside its file: `--set terrain.0.friction=0.2`.

A change is made in the plain tree before it is checked, so it meets the same checks as the file.
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.scene.describe import Location, count, cut, describe, format_path, quote, suggest
from skitter.scene.read_yaml import parse_yaml

EXAMPLE = "valid: path=value, for example terrain.0.friction=0.2"


@dataclass(frozen=True)
class Override:
    """One field set from outside; `label` is how the user wrote it."""

    label: str
    path: Location
    value: Any


def parse_override(text: str) -> Override:
    """`terrain.0.friction=0.2` or `terrain[0].friction=0.2`; the value is YAML."""
    label = f"--set {cut(text)}"
    path, equals, value = text.partition("=")
    location = parse_path(path)
    if not equals or not location:
        raise UserError(f"{label}: is not understood; {EXAMPLE}")
    return Override(label, location, parse_yaml(value, where=label))


def parse_path(path: str) -> Location:
    """The steps of `terrain.0.friction` or `terrain[0].friction`; none where one is empty."""
    steps = re.sub(r"\[(\d+)\]", r".\1", path.strip()).split(".")
    return tuple(int(step) if is_index(step) else step for step in steps) if all(steps) else ()


def is_index(step: str) -> bool:
    return re.fullmatch(r"[0-9]{1,6}", step) is not None


@dataclass(frozen=True)
class Origin:
    """Where a scene came from: its file, and the changes made from outside."""

    label: str  # begins error lines: the file, as the user named it
    folder: Path  # where relative species files start
    changes: Sequence[Override] = ()

    def find_change(self, location: Location) -> Override | None:
        """The last change that touched this field."""
        touched = [change for change in self.changes if overlaps(change.path, location)]
        return touched[-1] if touched else None

    def label_of(self, location: Location) -> str:
        change = self.find_change(location)
        return change.label if change else self.label

    def folder_of(self, location: Location) -> Path:
        return Path() if self.find_change(location) else self.folder


def overlaps(one: Location, other: Location) -> bool:
    """Whether one of the two lies on the way to the other."""
    return all(str(a) == str(b) for a, b in zip(one, other, strict=False))


def apply_override(tree: Any, full: Any, override: Override) -> Override:
    """Make the change in the tree; what the file left out starts from its default in `full`.

    Returns the change with names of list items replaced by their indices.
    """
    path: Location = ()
    for step in override.path:
        step = find_step(tree, step, override.label, path)
        path += (step,)
        if len(path) == len(override.path):
            tree[step] = deepcopy(override.value)
        else:
            full = get_child(full, step)
            tree = enter(tree, step, full)
    return replace(override, path=path)


def enter(tree: Any, step: str | int, fallback: Any) -> Any:
    """The part of the tree one step further in, made where it is missing."""
    if isinstance(tree, dict) and tree.get(step) is None:
        tree[step] = {} if fallback is None else deepcopy(fallback)
    return tree[step]


def get_child(tree: Any, step: str | int) -> Any:
    if isinstance(tree, dict):
        return tree.get(str(step))
    if isinstance(tree, list) and isinstance(step, int) and step < len(tree):
        return tree[step]
    return None


def find_step(tree: Any, step: str | int, label: str, path: Location) -> Any:
    """The key or index to use in this part of the tree, or an error that says what it has."""
    if isinstance(tree, dict):
        return str(step)
    if not isinstance(tree, list):
        raise UserError(f"{label}: {format_path(path)} is {describe(tree)}, without any fields")
    names = [item.get("name") for item in tree if isinstance(item, dict)]
    if step in names and isinstance(step, str):
        return names.index(step)
    if isinstance(step, int) and step < len(tree):
        return step
    last = len(tree) - 1
    valid = f"valid: 0 to {last}" if tree else "the list is empty"
    raise UserError(
        f"{label}: {format_path(path)} has {count(len(tree), 'item')}, not {quote(str(step))};"
        f" {suggest(str(step), filter(None, names))}{valid}"
    )


def merge(base: Any, changes: Any) -> Any:
    """The base with the changes of a `with:`, key by key; in a list by index or by name.

    Another drive takes the place of the old one with all its numbers.
    """
    if isinstance(base, list) and isinstance(changes, dict):
        return merge_list(base, changes)
    if not isinstance(base, dict) or not isinstance(changes, dict):
        return deepcopy(changes)
    if "drive" in base and changes.get("drive", base["drive"]) != base["drive"]:
        return deepcopy(changes)
    merged = dict(base)
    for key, value in changes.items():
        merged[key] = merge(base[key], value) if key in base else deepcopy(value)
    return merged


def merge_list(base: list[Any], changes: dict[str, Any]) -> Any:
    names = [item.get("name") if isinstance(item, dict) else None for item in base]
    merged = list(base)
    for key, value in changes.items():
        index = int(key) if is_index(key) else names.index(key) if key in names else len(base)
        if index >= len(base):
            raise KeyError(key)
        merged[index] = merge(base[index], value)
    return merged
