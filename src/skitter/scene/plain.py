"""A scene given as a Python dict, brought to the same plain values that a YAML file holds."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from skitter.errors import UserError
from skitter.scene.describe import Location, format_path
from skitter.scene.read_yaml import DEPTH_LIMIT, NODE_LIMIT


def make_plain(value: Any, label: str) -> Any:
    """Mappings, lists, text, numbers and None; NumPy values by their `tolist`."""
    return PlainCopy(label).copy(value, ())


class PlainCopy:
    """Copies a tree, counting as it goes: a dict may hold itself."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.node_count = 0

    def copy(self, value: Any, path: Location) -> Any:
        self.check_size(path)
        if value is None or isinstance(value, bool | float | str):
            return value
        if isinstance(value, int):
            return value if abs(value) < 2**63 else float("inf")
        if isinstance(value, PurePath):
            return str(value)
        if isinstance(value, Mapping):
            return {str(key): self.copy(item, (*path, str(key))) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.copy(item, (*path, index)) for index, item in enumerate(value)]
        if hasattr(value, "tolist"):
            return self.copy(value.tolist(), path)
        raise UserError(
            f"{self.label}: {format_path(path)} is a {type(value).__name__};"
            " valid: dict, list, str, int, float, bool or None"
        )

    def check_size(self, path: Location) -> None:
        self.node_count += 1
        if self.node_count > NODE_LIMIT or len(path) > DEPTH_LIMIT:
            raise UserError(
                f"{self.label}: is too large or nested too deeply;"
                f" valid: at most {NODE_LIMIT:,} values in {DEPTH_LIMIT} levels"
            )
