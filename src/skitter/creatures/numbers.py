"""Numbers of a species that may change while a creature lives; NUMBERS are those of walkers.

They change the model and leave the state as it is, so only numbers may change that leave all arrays
as large as they are.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from skitter.species.myriapod import LegSpec, WalkSpec
from skitter.species.spec import Species

Numbered = TypeVar("Numbered", bound=Species)

NUMBERS = tuple(  # the thickness of legs is only looked at
    f"{group}.{key}"
    for group, spec in (("walk", WalkSpec), ("leg", LegSpec))
    for key, field in spec.model_fields.items()
    if field.annotation is float and key != "thickness"
)


def read_numbers(species: Numbered, paths: Sequence[str] = NUMBERS) -> np.ndarray:
    """The values of some numbers, in the units of a species file."""
    parts = (path.partition(".") for path in paths)
    return np.array([getattr(getattr(species, group), key) for group, _, key in parts], float)


def change_numbers(
    species: Numbered, values: np.ndarray, paths: Sequence[str] = NUMBERS
) -> Numbered:
    """The species with other values of them."""
    tree = species.model_dump(mode="json", by_alias=True)
    for path, value in zip(paths, values.tolist(), strict=True):
        group, _, key = path.partition(".")
        tree[group][key] = value
    return type(species).model_validate(tree)
