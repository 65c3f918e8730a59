"""States: everything that changes about a world, as named arrays, to go back to.

A world's state has `owner.name` for every array, the owner a creature or the world itself.
"""

import json
from collections.abc import Mapping

import numpy as np

from skitter.errors import UserError

State = dict[str, np.ndarray]
TEXTS = ("random", "obstacles")  # written as bytes, which may become more or fewer
ADDED = ("led",)  # what states of swimmers did not have in older recordings


def write_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8).copy()


def read_text(values: np.ndarray) -> str:
    return bytes(values).decode()


def take_part(state: Mapping[str, np.ndarray], owner: str) -> State:
    """What of a world's state belongs to one owner, a creature or the world itself."""
    parts = (key.partition(".") for key in state)
    return {name: state[f"{first}.{name}"] for first, _, name in parts if first == owner}


def write_generator(rng: np.random.Generator) -> np.ndarray:
    """The state of a random generator as an array."""
    return write_text(json.dumps(rng.bit_generator.state, sort_keys=True))


def restore_generator(rng: np.random.Generator, values: np.ndarray) -> None:
    rng.bit_generator.state = json.loads(read_text(values))


def name_parts(owner: str, state: Mapping[str, np.ndarray]) -> State:
    """The state of one owner, as it stands in that of the world; `take_part` takes it out."""
    return {f"{owner}.{name}": array for name, array in state.items()}


def check_same_scene(own: Mapping[str, np.ndarray], given: Mapping[str, np.ndarray]) -> None:
    """Refuse a state that does not fit a world whose own state is known."""
    other = "this is the state of another scene"
    for key, array in own.items():
        name = key.rpartition(".")[2]
        if key not in given and name not in ADDED:
            raise UserError(f"{other}: it has no '{key}'")
        if key in given and array.shape != np.shape(given[key]) and name not in TEXTS:
            raise UserError(f"{other}: its '{key}' has another size")
    for key in given:
        if key not in own:
            raise UserError(f"{other}: it has '{key}', which is not here")
