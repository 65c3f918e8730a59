"""Argument types as text and back: `f8[2]`, `(f8 f8)`, `skitter.rigid.bodies.BodyState(f4[2])`.

Texts are part of the names of compiled kernels, and of the list of kernels to compile ahead.
"""

# What is used of Numba here is not in its type stubs.
# mypy: disable-error-code="attr-defined,name-defined,arg-type"

import re
from ast import literal_eval
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
from numba import from_dtype
from numba.core import types
from numba.np.numpy_support import as_dtype

NONE = "none"
ARRAY = re.compile(r"(\w+)\[(\d+)([CFA]?)(r?)\]")
OMITTED = "omitted:"
FUNCTION = "@"
TOKEN = re.compile(r"\)|[\w.]*\(|[^\s()]+")


def write_types(found: Iterable[Any]) -> str:
    return " ".join(map(write_type, found))


def write_type(found: Any) -> str:
    """A type as text; ValueError for one that has none."""
    if isinstance(found, types.BaseTuple):
        kind = getattr(found, "instance_class", None)
        name = "" if kind is None else f"{kind.__module__}.{kind.__qualname__}"
        return f"{name}({write_types(found)})"
    if isinstance(found, types.Array):
        layout = "" if found.layout == "C" else found.layout
        return f"{write_scalar(found.dtype)}[{found.ndim}{layout}{'' if found.mutable else 'r'}]"
    if isinstance(found, types.NoneType):
        return NONE
    if isinstance(found, types.Omitted):
        return f"{OMITTED}{found.value!r}".replace(" ", "")
    if isinstance(found, types.Dispatcher):
        function = found.dispatcher.py_func
        return f"{FUNCTION}{function.__module__}.{function.__qualname__}"
    return write_scalar(found)


def write_scalar(found: Any) -> str:
    if not isinstance(found, types.Number | types.Boolean) or isinstance(found, types.Literal):
        raise ValueError(f"{found} is no type of an argument")
    return as_dtype(found).str[1:]


def read_types(text: str) -> tuple[Any, ...]:
    """The types that `write_types` wrote."""
    words = TOKEN.findall(text)
    found: list[Any] = []
    while words:
        found.append(read_next(words))
    return tuple(found)


def read_next(words: list[str]) -> Any:
    """The type that begins with the first word; takes its words away."""
    word = words.pop(0)
    if word.endswith("("):
        inside = []
        while words[0] != ")":
            inside.append(read_next(words))
        words.pop(0)
        return types.BaseTuple.from_types(inside, find(word[:-1]) if word != "(" else None)
    if word == NONE:
        return types.none
    if word.startswith(OMITTED):
        return types.Omitted(literal_eval(word.removeprefix(OMITTED)))
    if word.startswith(FUNCTION):
        return types.Dispatcher(find(word.removeprefix(FUNCTION)))
    match = ARRAY.fullmatch(word)
    if match is None:
        return from_dtype(np.dtype(word))
    scalar, dimensions, layout, constant = match.groups()
    kind = from_dtype(np.dtype(scalar))
    return types.Array(kind, int(dimensions), layout or "C", readonly=bool(constant))


def find(name: str) -> Any:
    """What a module of the package calls by this name."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)
