"""The list of kernels that are compiled ahead, as text.

A line is either a structure, `=7 module.Name(f8[1] =3)`, which later lines name by its number, or a
kernel, `features | seconds | module.name | types of its arguments`.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from skitter.compiled.signatures import TOKEN, find, read_types

REFERENCE = re.compile(r"=\d+")
HEADING = "# Kernels that are compiled ahead (skitter.compiled.ahead). Written by `make kernels`.\n"


class Entry(NamedTuple):
    """A kernel for one set of argument types."""

    features: frozenset[str]  # what a scene must have to need it
    seconds: float  # of one core, to compile it
    name: str  # module and function
    types: str

    def find_kernel(self) -> Any:
        return find(self.name)

    def find_types(self) -> tuple[Any, ...]:
        return read_types(self.types)


def write_list(entries: Iterable[Entry]) -> str:
    """The list as text, in an order that changes little when kernels do."""
    structures: dict[str, str] = {}  # a structure as text, and its number
    lines = [
        f"{' '.join(sorted(each.features))} | {each.seconds:.1f} | {each.name}"
        f" | {shorten(each.types, structures)}\n"
        for each in sorted(entries, key=lambda each: (each.name, each.types))
    ]
    return "".join([HEADING, *(f"{name} {text}\n" for text, name in structures.items()), *lines])


def shorten(types: str, structures: dict[str, str]) -> str:
    """Replace every structure by its number."""
    open_parts: list[list[str]] = [[]]
    for token in TOKEN.findall(types):
        if token.endswith("("):
            open_parts.append([token])
        elif token == ")":
            head, *inside = open_parts.pop()
            text = f"{head}{' '.join(inside)})"
            if head != "(":
                text = structures.setdefault(text, f"={len(structures)}")
            open_parts[-1].append(text)
        else:
            open_parts[-1].append(token)
    return " ".join(open_parts[0])


def read_list(text: str) -> list[Entry]:
    """The entries of a list that `write_list` wrote."""
    structures: dict[str, str] = {}

    def expand(found: str) -> str:
        return REFERENCE.sub(lambda match: structures[match.group()], found)

    entries = []
    for line in text.splitlines():
        if line.startswith("="):
            name, _, structure = line.partition(" ")
            structures[name] = expand(structure)
        elif line and not line.startswith("#"):
            features, seconds, name, types = (each.strip() for each in line.split("|"))
            entries.append(Entry(frozenset(features.split()), float(seconds), name, expand(types)))
    return entries
