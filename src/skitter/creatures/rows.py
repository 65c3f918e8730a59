"""Tables of what is recorded of a creature, and the channels that follow from them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from skitter.channel import Channel

REAL = "real"  # for a type: that of the creature's numbers
SHARED_DIMS = ("xyz", "wxyz", "angle", "joint", "state", "antenna", "side")  # of all creatures


class Row(NamedTuple):
    """A channel of any creature that has a value for it."""

    label: str
    dims: tuple[str, ...]
    dtype: str
    unit: str
    about: str


def name_values(names: Sequence[str]) -> str:
    """What the values of a channel mean that counts something: "0 FIRST, 1 SECOND"."""
    return ", ".join(f"{value} {name}" for value, name in enumerate(names))


def describe_rows(
    name: str, real: type, rows: Sequence[Row], values: Mapping[str, np.ndarray]
) -> list[Channel]:
    """The channels of a creature: those rows that it has a value for."""
    return [
        Channel(
            f"{name}.{row.label}",
            tuple(dim if dim in SHARED_DIMS else f"{name}.{dim}" for dim in row.dims),
            np.shape(values[row.label]),
            np.dtype(real).name if row.dtype == REAL else row.dtype,
            row.unit,
            row.about,
        )
        for row in rows
        if row.label in values
    ]
