"""The state of a creature, taken and given back: enough to go on from there to the last bit."""

import json
from collections.abc import Mapping

import numpy as np

from skitter.creatures.figure import Figure
from skitter.creatures.frame import state_arrays
from skitter.errors import UserError

State = dict[str, np.ndarray]
TEXTS = ("random", "obstacles")  # written as bytes, which may become more or fewer


def write_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8).copy()


def read_text(values: np.ndarray) -> str:
    return bytes(values).decode()


def take_part(state: Mapping[str, np.ndarray], owner: str) -> State:
    """What of a world's state belongs to one owner, a creature or the world itself."""
    parts = (key.partition(".") for key in state)
    return {name: state[f"{first}.{name}"] for first, _, name in parts if first == owner}


def copy_state(one: Figure) -> State:
    """Everything that changes about a creature, as copies."""
    values = {name: array.copy() for name, array in state_arrays(one).items()}
    generator = json.dumps(one.rng.bit_generator.state, sort_keys=True)
    return values | {"random": write_text(generator)}


def restore_state(one: Figure, state: Mapping[str, np.ndarray]) -> None:
    """Bring a creature back to a state."""
    for name, array in state_arrays(one).items():
        array[...] = state[name]
    one.rng.bit_generator.state = json.loads(read_text(state["random"]))
    # how far it was from the terrain is not true any more
    one.body_scratch.clear[:] = 0.0
    one.soft_scratch.clear[:] = 0.0


def check_same_scene(own: Mapping[str, np.ndarray], given: Mapping[str, np.ndarray]) -> None:
    """Refuse a state that does not fit a world whose own state is known."""
    other = "this is the state of another scene"
    for key, array in own.items():
        if key not in given:
            raise UserError(f"{other}: it has no '{key}'")
        is_text = key.rpartition(".")[2] in TEXTS
        if array.shape != np.shape(given[key]) and not is_text:
            raise UserError(f"{other}: its '{key}' has another size")
    for key in given:
        if key not in own:
            raise UserError(f"{other}: it has '{key}', which is not here")
