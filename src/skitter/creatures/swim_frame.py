"""What is recorded of muscles and of those who swim by them."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.control.sight import MODE, SPEED, SWIM_MODES
from skitter.control.swim import FREQUENCY, LEVEL, SHIFT, TURN
from skitter.creatures.rows import Row, name_values

if TYPE_CHECKING:
    from skitter.creatures.animal import Animal
    from skitter.creatures.figure import Figure

MUSCLE_ROWS = (
    Row("muscle_length", ("block", "side"), "float32", "1",
        "rest length of the left, right, top and bottom of a soft block, of that as built"),
    Row("swim_level", (), "float64", "1", "how far the muscles are driven, 0 to 1"),
    Row("swim_frequency", (), "float64", "Hz", "of the muscles' wave"),
    Row("swim_shift", (), "float64", "rad", "from one soft block to the next"),
    Row("swim_turn", (), "float64", "1", "positive to the left"),
)  # fmt: skip
MIND_ROWS = (
    Row("swim_mode", (), "uint8", "1", name_values(SWIM_MODES)),
    Row("swim_speed", (), "float64", "cm/s", "that it wants"),
)
FOOD_ROW = Row("food_eaten", (), "int32", "1", "pieces of food eaten so far")


def has_muscles(figure: "Figure") -> bool:
    return len(figure.swim_state.swimmer) > 0


def read_muscles(figure: "Figure") -> dict[str, np.ndarray]:
    """The present values of MUSCLE_ROWS, if it has muscles."""
    if not has_muscles(figure):
        return {}
    items = figure.swim_state.swimmer[0]
    return {
        "muscle_length": figure.swim_state.length.astype(np.float32),
        "swim_level": items[LEVEL],
        "swim_frequency": items[FREQUENCY],
        "swim_shift": items[SHIFT],
        "swim_turn": items[TURN],
    }


def read_mind(one: "Animal") -> dict[str, np.ndarray]:
    """The present values of MIND_ROWS, of a creature that can swim."""
    if not has_muscles(one):
        return {}
    return {"swim_mode": one.memory[MODE].astype(np.uint8), "swim_speed": one.memory[SPEED]}


def list_muscle_arrays(figure: "Figure") -> dict[str, np.ndarray]:
    """Everything that changes about muscles; the arrays themselves."""
    state = figure.swim_state
    return {
        "swimmer": state.swimmer,
        "muscle_active": state.active,
        "muscle_goal": state.goal_active,
        "muscle_length": state.length,
    }


def list_statics(figure: "Figure") -> list[Static]:
    """The length of a swimmer, head to tail."""
    ends = np.array([[p.centre[0] + s * p.size[0] / 2 for s in (-1, 1)] for p in figure.plan.rigid])
    length = np.array(np.ptp(ends))
    return [Static(f"{figure.name}.body_length", (), length, "cm", "head to tail, at rest")]
