"""What a field of a spec accepts, in words, read off its type: "a number from 0 to 1"."""

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from skitter.spec import Spec

Hint = Any  # a type annotation

TAGS = ("shape", "drive")  # keys that say which model of a union is meant
EXAMPLES = {
    "^#[0-9a-fA-F]{6}$": "a colour such as '#5b6770'",
    "^[a-z][a-z0-9_]*$": "a name of small letters, digits and _ that starts with a letter",
}


def origin_of(hint: Hint) -> Any:
    """`get_origin`, typed so that its result may be compared with anything."""
    return get_origin(hint)


def unwrap(hint: Hint) -> tuple[Hint, list[Any]]:
    """The bare type (without "or None"), and the constraints that were written around it."""
    constraints: list[Any] = []
    while origin_of(hint) is Annotated or (is_union(hint) and not list_options(hint)):
        hint, *extra = get_args(hint)
        constraints += flatten(extra)
    return hint, constraints


def flatten(extra: list[Any]) -> list[Any]:
    """Constraints as `annotated_types` objects, also out of pydantic's `Field(...)`."""
    flat = []
    for item in extra:
        flat += item.metadata if isinstance(item, FieldInfo) else [item]
    return flat


def get_field(model: type[Spec], key: str) -> FieldInfo | None:
    """The field behind a key of the file."""
    for name, field in model.model_fields.items():
        if key == (field.alias or name):
            return field
    return None


def list_keys(model: type[Spec]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def list_options(union: Hint) -> dict[str, type[Spec]]:
    """The models of a union by their `shape` or `drive`; nothing for other unions."""
    tag = find_tag(union)
    fields = [(model, model.model_fields.get(tag)) for model in list_models(union)]
    return {get_args(field.annotation)[0]: model for model, field in fields if field is not None}


def find_tag(union: Hint) -> str:
    """The key by which the models of a union are told apart."""
    names = [name for model in list_models(union) for name in model.model_fields]
    return next((tag for tag in TAGS if tag in names), TAGS[0])


def list_models(union: Hint) -> list[type[Spec]]:
    return [item for item in get_args(union) if isinstance(item, type) and issubclass(item, Spec)]


def is_union(hint: Hint) -> bool:
    return origin_of(hint) in (Union, UnionType)


def expect(hint: Hint, constraints: list[Any]) -> str:
    """What the type accepts, to stand after "must be"."""
    hint, more = unwrap(hint)
    constraints = [*constraints, *more]
    origin = origin_of(hint)
    if is_union(hint):
        return f"a mapping with {find_tag(hint)}: one of {', '.join(list_options(hint))}"
    if origin is Literal:
        names = get_args(hint)
        return f"one of {', '.join(names)}" if len(names) > 1 else f"'{names[0]}'"
    if origin is tuple:
        return expect_tuple(get_args(hint))
    if origin is list:
        return f"a list{expect_length(constraints)}"
    if hint is dict or origin is dict:
        return "a mapping of keys and values"
    if isinstance(hint, type) and issubclass(hint, Spec):
        return f"a mapping with the keys {', '.join(list_keys(hint))}"
    return expect_scalar(hint, constraints)


def expect_tuple(items: tuple[Hint, ...]) -> str:
    """As in "a list of 3 numbers from 0 to 1"; all items of a tuple are of one type."""
    one = expect(items[0], []).removeprefix("a ")
    several = one.replace("number", "numbers", 1).replace("mapping", "mappings", 1)
    return f"a list of {'' if items[-1] is Ellipsis else f'{len(items)} '}{several}"


def expect_scalar(hint: Hint, constraints: list[Any]) -> str:
    if hint is bool:
        return "true or false"
    if hint is float:
        return f"a number{expect_range(constraints)}"
    if hint is int:
        return f"a whole number{expect_range(constraints)}"
    pattern = get_bound(constraints, "pattern")
    return EXAMPLES.get(str(pattern)) or f"text{expect_length(constraints, 'character')}"


def get_bound(constraints: list[Any], name: str) -> Any:
    """A bound such as `ge`, wherever pydantic has put it."""
    values = [getattr(item, name, None) for item in constraints]
    return next((value for value in values if value is not None), None)


def expect_range(constraints: list[Any]) -> str:
    low, high = get_bound(constraints, "ge"), get_bound(constraints, "le")
    above, below = get_bound(constraints, "gt"), get_bound(constraints, "lt")
    if low is not None and high is not None:
        return f" from {low:,.10g} to {high:,.10g}"
    bounds = [("at least", low), ("more than", above), ("less than", below), ("at most", high)]
    words = [f"{word} {bound:,.10g}" for word, bound in bounds if bound is not None]
    return f" {' and '.join(words)}" if words else ""


def expect_length(constraints: list[Any], noun: str = "item") -> str:
    low, high = get_bound(constraints, "min_length"), get_bound(constraints, "max_length")
    if low is not None and high is not None:
        return f" of {low} to {high} {noun}s"
    return f" of at most {high} {noun}s" if high is not None else ""
