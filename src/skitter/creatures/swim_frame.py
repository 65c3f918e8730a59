"""What is recorded of muscles and of those who swim by them."""

import numpy as np

from skitter.channel import Channel, Static
from skitter.control.sight import MODE, SPEED
from skitter.control.swim import FREQUENCY, LEVEL, SHIFT, TURN
from skitter.creatures.animal import Animal
from skitter.creatures.figure import Figure
from skitter.creatures.swimmer import Swimmer

# name, dimensions after the creature's, type, unit, what it is
MUSCLE_CHANNELS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    ("muscle_length", ("block", "side"), "float32", "1",
     "rest length of the left, right, top and bottom of a soft block, of that as built"),
    ("swim_level", (), "float64", "1", "how far the muscles are driven, 0 to 1"),
    ("swim_frequency", (), "float64", "Hz", "of the muscles' wave"),
    ("swim_shift", (), "float64", "rad", "from one soft block to the next"),
    ("swim_turn", (), "float64", "1", "positive to the left"),
)  # fmt: skip
MIND_CHANNELS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    ("swim_mode", (), "uint8", "1", "0 CRUISE, 1 PREY, 2 AVOID, 3 LED, 4 LAND"),
    ("swim_speed", (), "float64", "cm/s", "that it wants"),
    ("food_eaten", (), "int32", "1", "pieces of food eaten so far"),
)
SIDES = "side"  # the same for all creatures


def has_muscles(figure: Figure) -> bool:
    return len(figure.swim_state.swimmer) > 0


def read_muscles(figure: Figure) -> dict[str, np.ndarray]:
    """The present values of all channels of a creature with muscles."""
    if not has_muscles(figure):
        return {}
    items = figure.swim_state.swimmer[0]
    values = {
        "muscle_length": figure.swim_state.length.astype(np.float32),
        "swim_level": items[LEVEL],
        "swim_frequency": items[FREQUENCY],
        "swim_shift": items[SHIFT],
        "swim_turn": items[TURN],
    }
    if isinstance(figure, Animal):
        values["swim_mode"] = figure.memory[MODE].astype(np.uint8)
        values["swim_speed"] = figure.memory[SPEED]
    if isinstance(figure, Swimmer):
        values["food_eaten"] = np.array(figure.food_count[0], np.int32)
    return values


def list_muscle_channels(figure: Figure) -> list[Channel]:
    values, name = read_muscles(figure), figure.name
    return [
        Channel(
            f"{name}.{label}",
            tuple(dim if dim == SIDES else f"{name}.{dim}" for dim in dims),
            np.shape(values[label]),
            kind,
            unit,
            about,
        )
        for label, dims, kind, unit, about in MUSCLE_CHANNELS + MIND_CHANNELS
        if label in values
    ]


def list_muscle_statics(figure: Figure) -> list[Static]:
    """The length of a swimmer, head to tail."""
    if not isinstance(figure, Swimmer):
        return []
    ends = np.array([[p.centre[0] + s * p.size[0] / 2 for s in (-1, 1)] for p in figure.plan.rigid])
    length = np.array(np.ptp(ends))
    return [Static(f"{figure.name}.body_length", (), length, "cm", "head to tail, at rest")]


def swimmer_arrays(figure: Figure) -> dict[str, np.ndarray]:
    """Everything that changes about muscles and a swimmer's mind; the arrays themselves."""
    state = figure.swim_state
    arrays = {
        "swimmer": state.swimmer,
        "muscle_active": state.active,
        "muscle_goal": state.goal_active,
        "muscle_length": state.length,
    }
    if isinstance(figure, Animal):
        arrays |= {"memory": figure.memory, "food_count": figure.food_count}
    return arrays
