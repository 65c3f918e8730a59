"""From a plain tree to a typed spec, or to one line: which field is wrong and what is valid."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from skitter.errors import UserError
from skitter.scene.describe import Location, count, describe, format_path, suggest
from skitter.scene.expect import (
    Hint,
    expect,
    find_tag,
    get_field,
    is_union,
    list_keys,
    list_options,
    origin_of,
    unwrap,
)
from skitter.spec import Spec

Model = TypeVar("Model", bound=Spec)
KEY = "[key]"  # pydantic's word for the key of a mapping
Label = Callable[[Location], str]  # says where a field came from: a file, or an option


def check(model: type[Model], tree: Any, label: Label, base: Location = ()) -> Model:
    """The tree as a spec. `base` is the way from the file's root to this tree."""
    if not isinstance(tree, dict):
        keys = ", ".join(list_keys(model))
        raise fail(label, base, f"must be a mapping with the keys {keys}; found {describe(tree)}")
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        raise explain(error, model, label, base) from None


def fail(label: Label, location: Location, problem: str) -> UserError:
    """An error line: where it was written, which field, and the problem."""
    path = format_path(location)
    return UserError(f"{label(location)}: {path + ' ' if path else ''}{problem}")


def explain(error: ValidationError, model: type[Spec], label: Label, base: Location) -> UserError:
    """The most telling of pydantic's complaints; a misspelt key comes before what it leaves out."""
    mistakes = error.errors(include_url=False)
    first = min(mistakes, key=lambda mistake: mistake["type"] != "extra_forbidden")
    place = find_place(model, first["loc"])
    location, problem = describe_mistake(first, place)
    more = f" (and {count(len(mistakes) - 1, 'more mistake')})" if len(mistakes) > 1 else ""
    return fail(label, base + location, problem + more)


@dataclass(frozen=True)
class Place:
    """Where in the spec a mistake sits: the way there, what holds it, and what it should be."""

    path: Location
    owner: Hint
    hint: Hint
    constraints: list[Any]


def find_place(model: type[Spec], location: Location) -> Place:
    """Follow pydantic's location through the types; the tag of a union is no step of the path."""
    path: Location = ()
    owner: Hint = model
    hint: Hint = model
    constraints: list[Any] = []
    for step in location:
        bare, _ = unwrap(hint)
        if is_union(bare) and step in (options := list_options(bare)):
            owner, hint, constraints = bare, options[str(step)], []
            continue
        if step == KEY and origin_of(owner) is dict:  # the key itself is wrong
            hint, constraints = get_args(owner)[0], []
            continue
        owner = bare
        hint, constraints = descend(bare, step)
        path += (step,)
    return Place(path, owner, hint, constraints)


def descend(hint: Hint, step: str | int) -> tuple[Hint, list[Any]]:
    """The type one step further in, with the constraints of the field."""
    if isinstance(hint, type) and issubclass(hint, Spec):
        field = get_field(hint, str(step))
        return (field.annotation, list(field.metadata)) if field else (Any, [])
    if origin_of(hint) in (list, tuple):
        items = get_args(hint)
        return (items[step] if isinstance(step, int) and step < len(items) else items[0]), []
    if origin_of(hint) is dict:
        return get_args(hint)[1], []
    return Any, []


def describe_mistake(mistake: Any, place: Place) -> tuple[Location, str]:
    """Where the mistake is, and the problem in words."""
    kind, found = mistake["type"], mistake["input"]
    if kind == "extra_forbidden":
        return place.path, describe_unknown_key(str(place.path[-1]), place.owner)
    if kind == "value_error":
        return place.path, str(mistake["ctx"]["error"])
    if kind in ("union_tag_invalid", "union_tag_not_found") and isinstance(found, dict):
        tag = find_tag(unwrap(place.hint)[0])
        return (*place.path, tag), describe_wrong_tag(found.get(tag), place.hint)
    if kind == "missing" and origin_of(place.owner) is tuple:
        return place.path[:-1], f"must be {expect(place.owner, [])}; found {describe(found)}"
    expected = expect(place.hint, place.constraints)
    if kind == "missing":
        return place.path, f"is missing; valid: {expected}"
    return place.path, f"must be {expected}; found {describe(found)}"


def describe_unknown_key(key: str, owner: Hint) -> str:
    if not (isinstance(owner, type) and issubclass(owner, Spec)):
        return "is not a known key; valid: a plain value"
    keys = list_keys(owner)
    return f"is not a known key; {suggest(key, keys)}valid keys: {', '.join(keys)}"


def describe_wrong_tag(found: Any, hint: Hint) -> str:
    options = list(list_options(unwrap(hint)[0]))
    valid = f"one of {', '.join(options)}"
    if found is None:
        return f"is missing; valid: {valid}"
    return f"must be {valid}; {suggest(str(found), options)}found {describe(found)}"
