"""Reading YAML from anywhere without harm: plain values only, bounded in size, depth and count.

The tree is built here from the parser's events, because the usual loaders recurse without limit,
follow aliases until memory ends, keep the last of two equal keys, and read `1e-3` as text.
Scalars follow the core schema of YAML 1.2: no dates, no sexagesimals, and `on` is text.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NoReturn

import yaml

from skitter.disk import BadFile, read_regular
from skitter.errors import UserError
from skitter.scene.describe import quote

SIZE_LIMIT = 1 << 20  # bytes
NODE_LIMIT = 100_000  # values, with every alias counted in full
DEPTH_LIMIT = 32

CONSTANTS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
SPECIAL_FLOAT = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", re.ASCII)

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Any:
    """The plain tree of a YAML file; errors name the file."""
    return parse_yaml(decode(read_bytes(path), str(path)), where=str(path))


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file of sensible size."""
    try:
        return read_regular(path, SIZE_LIMIT, valid="a YAML file")
    except BadFile as error:
        raise UserError(f"{path}: {error}") from None


def decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{where}: is not UTF-8 text (byte {error.start}); valid: a YAML text file"
        ) from None


def parse_yaml(text: str, *, where: str) -> Any:
    """The plain tree of one YAML document; `where` begins every error line."""
    try:
        text.encode()
        return Composer(where, text).compose()
    except yaml.YAMLError as error:
        raise UserError(f"{where}: {describe_yaml_error(error)}") from None
    except UnicodeEncodeError:
        raise UserError(f"{where}: is not valid Unicode text; valid: UTF-8 text") from None


def describe_yaml_error(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"is not valid YAML{place}: {problem}"


class Composer:
    """Turns the parser's events into dicts, lists and scalars, counting as it goes."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.events: Iterator[yaml.Event] = yaml.parse(text, Loader=Loader)
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.node_count = 0

    def compose(self) -> Any:
        """The value of the only document."""
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        value = self.read_value(next(self.events), depth=0)
        next(self.events)
        if not isinstance(event := next(self.events), yaml.StreamEndEvent):
            self.refuse(event, "a second YAML document starts here; valid: exactly one")
        return value

    def read_value(self, event: Any, depth: int) -> Any:
        """The value that starts with this event, remembered where it has an anchor."""
        if isinstance(event, yaml.AliasEvent):
            return self.read_alias(event)
        self.check(event, depth)
        before = self.node_count
        self.add_nodes(event, 1)
        if isinstance(event, yaml.ScalarEvent):
            value = read_scalar(event.value) if event.implicit[0] else event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self.read_list(depth)
        else:
            value = self.read_mapping(depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.node_count - before)
        return value

    def read_alias(self, event: Any) -> Any:
        if event.anchor not in self.anchors:
            self.refuse(event, f"alias *{event.anchor} has no anchor &{event.anchor} before it")
        value, size = self.anchors[event.anchor]
        self.add_nodes(event, size)
        return deepcopy(value)

    def read_list(self, depth: int) -> list[Any]:
        items = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.read_value(event, depth + 1))
        return items

    def read_mapping(self, depth: int) -> dict[str, Any]:
        """A mapping; `<<` takes over the keys of another one that are not given here."""
        mapping: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.read_key(event)
            if key in mapping:
                self.refuse(event, f"key {quote(key)} appears twice; valid: once")
            mapping[key] = self.read_value(next(self.events), depth + 1)
        if isinstance(base := mapping.get("<<"), dict):
            return {**base, **{key: mapping[key] for key in mapping if key != "<<"}}
        return mapping

    def read_key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, "a key must be plain text")
        self.check(event, 0)
        self.add_nodes(event, 1)
        return str(event.value)

    def check(self, event: Any, depth: int) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.refuse(event, f"tag {quote(tag)} is not allowed; valid: the plain value")
        if depth > DEPTH_LIMIT:
            self.refuse(event, f"is nested too deeply; valid: at most {DEPTH_LIMIT} levels")

    def add_nodes(self, event: Any, number: int) -> None:
        self.node_count += number
        if self.node_count > NODE_LIMIT:
            self.refuse(event, f"holds too many values; valid: at most {NODE_LIMIT:,}")

    def refuse(self, event: Any, problem: str) -> NoReturn:
        raise UserError(f"{self.where}: line {event.start_mark.line + 1}: {problem}")


def read_scalar(text: str) -> Any:
    """A plain scalar by the core schema of YAML 1.2; long integers become floats."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if INTEGER.fullmatch(text) and len(text) <= 18:
        return int(text)
    if FLOAT.fullmatch(text):
        return float(text)
    if SPECIAL_FLOAT.fullmatch(text):
        return float(text.replace(".", "").lower())
    return text
