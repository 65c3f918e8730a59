"""Numbers of a walker's species that may change while it lives.

They change the model and leave the state as it is, so only numbers may change that leave all arrays
as large as they are.
"""

import numpy as np

from skitter.species.myriapod import LegSpec, MyriapodSpec, WalkSpec

NUMBERS = tuple(  # the thickness of legs is only looked at
    f"{group}.{key}"
    for group, spec in (("walk", WalkSpec), ("leg", LegSpec))
    for key, field in spec.model_fields.items()
    if field.annotation is float and key != "thickness"
)


def read_numbers(species: MyriapodSpec) -> np.ndarray:
    """The values of NUMBERS, in the units of a species file."""
    paths = (path.partition(".") for path in NUMBERS)
    return np.array([getattr(getattr(species, group), key) for group, _, key in paths], float)


def change_numbers(species: MyriapodSpec, values: np.ndarray) -> MyriapodSpec:
    """The species with other values of NUMBERS."""
    tree = species.model_dump(mode="json", by_alias=True)
    for path, value in zip(NUMBERS, values.tolist(), strict=True):
        group, _, key = path.partition(".")
        tree[group][key] = value
    return MyriapodSpec.model_validate(tree)
