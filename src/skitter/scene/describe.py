"""Words for error lines: what was found, where, and which names are near."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from skitter.errors import UserError

Location = tuple[str | int, ...]


def describe(value: Any) -> str:
    """A value as a newcomer would recognise it in the file, never longer than a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**15:
        return "a huge whole number"
    if isinstance(value, int | float):
        return f"{value:.12g}"
    if isinstance(value, str):
        return f"the text {quote(value)}"
    if isinstance(value, dict):
        return f"a mapping of {count(len(value), 'key')}"
    if isinstance(value, list | tuple):
        return f"a list of {count(len(value), 'item')}"
    return f"a {type(value).__name__}"


def quote(text: str, limit: int = 60) -> str:
    """The text in single quotes, cut where it is long."""
    return f"'{text}'" if len(text) <= limit else f"'{text[:limit]}…'"


def count(number: int, noun: str) -> str:
    """As in "1 item", "3 items"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_path(location: Location) -> str:
    """The way to a field, as in `terrain[0].friction`."""
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{cut(step)}" if path else cut(step)
    return path


def cut(text: str, limit: int = 60) -> str:
    """The text, shortened where a key is absurdly long."""
    return text if len(text) <= limit else f"{text[:limit]}…"


def suggest(given: str, names: Iterable[str]) -> str:
    """The words "did you mean 'x'? " where one of the names is near, else nothing."""
    near = get_close_matches(given[:100], list(names), n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'? " if near else ""


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        problem = f"must be a whole number from {low} to {high:,}; found {describe(value)}"
        raise UserError(f"{name} {problem}")
