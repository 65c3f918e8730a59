"""Tables of the keys of scenes and species, read from the typed specs and their sources.

A key's unit and meaning stand in the comment beside its field, and the unit of many in the comment
beside the type that they share; ranges and defaults are those that are checked.
"""

import ast
import inspect
import re
import sys
import types
import typing
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

UNIT = re.compile(  # the longest that fits: `dyn cm s/rad` before `dyn`
    r"(?:drops per second|leg lengths|dyn cm s/rad|dyn cm/rad|dyn cm|g cm²"
    r"|(?:cm|g|s|Hz|rad|degrees|dyn|erg|1)[²³]?(?:/(?:cm|s|rad)[²³]?|/\([^)]*\))?)(?=$|[,;:.( ])"
)
UNITS = {"at": "cm", "seconds": "s"}  # of keys whose types have none, wherever they stand
COLOUR = "^#[0-9a-fA-F]{6}$"


class Key(NamedTuple):
    """One row of a table."""

    name: str
    default: str
    valid: str
    unit: str
    meaning: str


@cache
def read_comments(module: str) -> dict[int, str]:
    """The comment at the end of each line of a module, by line number."""
    lines = inspect.getsource(sys.modules[module]).splitlines()
    found = {}
    for number, line in enumerate(lines, start=1):
        _, mark, comment = line.partition("  # ")
        if mark and "noqa" not in comment and "type:" not in comment:
            found[number] = comment.strip()
    return found


@cache
def read_fields(model: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """For each field that a class itself declares: its comment, and the name of its type."""
    tree = ast.parse(inspect.getsource(sys.modules[model.__module__]))
    comments = read_comments(model.__module__)
    (body,) = [
        node.body
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == model.__name__
    ]
    found = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            words = " ".join(comments[line] for line in lines if line in comments)
            found[node.target.id] = words, name_type(node.annotation)
    return found


def name_type(annotation: ast.expr) -> str:
    """`Length` of `Length | None` and of `Length`; nothing where the type is made on the spot."""
    if isinstance(annotation, ast.BinOp):
        return name_type(annotation.left)
    return annotation.id if isinstance(annotation, ast.Name) else ""


@cache
def read_type_comment(module: str, name: str) -> str:
    """The comment beside the definition of a type, or of the first that it is made of."""
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            home = node.module or ""
            return read_type_comment(home, name) if home.startswith("skitter") else ""
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            comment = read_comments(module).get(node.end_lineno or node.lineno, "")
            inner = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
            within = (read_type_comment(module, one) for one in inner if one != name)
            return comment or next(filter(None, within), "")
    return ""


def find_comment(model: type[BaseModel], field: str) -> tuple[str, str]:
    """A field's comment, and that of its type, from the class that declares it."""
    for base in model.__mro__:
        if base is not BaseModel and issubclass(base, BaseModel) and field in read_fields(base):
            comment, alias = read_fields(base)[field]
            return comment, read_type_comment(base.__module__, alias) if alias else ""
    return "", ""


def split_unit(comment: str) -> tuple[str, str]:
    """The unit with which a comment begins, and what follows it."""
    match = UNIT.match(comment)
    if match is None:
        return "", comment
    return match[0], comment[match.end() :].lstrip(",;: ")


def describe_key(model: type[BaseModel], name: str, field: FieldInfo) -> Key:
    comment, shared = find_comment(model, name)
    unit, meaning = split_unit(comment)
    unit = unit or ("degrees" if "_deg" in name else split_unit(shared)[0]) or UNITS.get(name, "")
    annotation = rebuild(field)
    return Key(
        name=field.alias or name,
        default=describe_default(field),
        valid=describe_type(annotation),
        unit=unit,
        meaning=meaning,
    )


def rebuild(field: FieldInfo) -> Any:
    """The type with what is checked of it; pydantic keeps the two apart."""
    if field.metadata:
        return typing.Annotated[(field.annotation, *field.metadata)]
    return field.annotation


def describe_default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ([], {}, ""):
        return ""
    if isinstance(value, BaseModel):
        return "as below"
    return f"`{format_value(value)}`"


def format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(format_value(one) for one in value)}]"
    return str(value)


def describe_type(annotation: Any, limits: tuple[Any, ...] = ()) -> str:
    """What is valid, in words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return describe_type(inner[0], (*flatten(inner[1:]), *limits))
    if origin in (typing.Union, types.UnionType):
        found = [describe_type(one, limits) for one in inner if one is not type(None)]
        return " or ".join(dict.fromkeys(found))
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin in (list, tuple):
        return describe_row(origin, inner)
    if origin is dict:
        return "mapping"
    return describe_scalar(annotation, limits)


def describe_row(origin: Any, inner: tuple[Any, ...]) -> str:
    rows = dict.fromkeys(describe_type(one) for one in inner if one is not Ellipsis)
    if origin is tuple and Ellipsis not in inner:
        return f"{len(inner)} × {' or '.join(rows)}"
    return f"list of {' or '.join(rows)}"


def describe_scalar(kind: Any, limits: tuple[Any, ...]) -> str:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return f"[{kind.__name__}](#{kind.__name__.lower()})"
    if kind is bool:
        return "`true`, `false`"
    if kind is str:
        is_colour = any(getattr(one, "pattern", None) == COLOUR for one in limits)
        return '`"#rrggbb"`' if is_colour else "text"
    if kind in (int, float):
        return " ".join(filter(None, (describe_range(limits), "whole" if kind is int else "")))
    return "any"


def describe_range(limits: tuple[Any, ...]) -> str:
    """The narrowest of the bounds, as those of a shared type may be narrowed."""
    lows = [(one.ge, "") for one in limits if hasattr(one, "ge")]
    lows += [(one.gt, "above ") for one in limits if hasattr(one, "gt")]
    highs = [(one.le, "") for one in limits if hasattr(one, "le")]
    highs += [(one.lt, "below ") for one in limits if hasattr(one, "lt")]
    low = max(lows, default=None, key=lambda pair: pair[0])
    high = min(highs, default=None, key=lambda pair: pair[0])
    words = [f"{word}{number:g}" for number, word in filter(None, (low, high))]
    return " to ".join(words)


def flatten(limits: tuple[Any, ...]) -> list[Any]:
    """Bounds, also those inside of pydantic's own wrappers."""
    found: list[Any] = []
    for one in limits:
        found += one.metadata if isinstance(one, FieldInfo) else [one]
    return found


def list_models(root: type[BaseModel]) -> list[type[BaseModel]]:
    """A spec and all that it is made of, in the order in which they are met."""
    found: list[type[BaseModel]] = []

    def visit(annotation: Any) -> None:
        is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        if is_model and annotation not in found:
            found.append(annotation)
            for field in annotation.model_fields.values():
                visit(field.annotation)
        for inner in typing.get_args(annotation):
            visit(inner)

    visit(root)
    return found


def write_table(model: type[BaseModel]) -> str:
    """The keys of one spec."""
    doc = inspect.cleandoc(model.__doc__ or "")
    rows = [describe_key(model, name, field) for name, field in model.model_fields.items()]
    lines = ["| key | default | valid | unit | meaning |", "|---|---|---|---|---|"]
    for row in rows:
        cells = [f"`{row.name}`", row.default, row.valid, row.unit, row.meaning]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return f"{doc}\n\n" + "\n".join(lines) + "\n"
