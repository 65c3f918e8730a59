"""A climber that forages: how it is led, and what is recorded of it."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.control.behaviour import BEHAVIOURS
from skitter.control.climbing.build import BEHAVIOURS as STEERING
from skitter.control.climbing.model import LED, SEEK
from skitter.control.foraging import (
    BROUGHT,
    CARRIES,
    FELT_LEFT,
    FELT_RIGHT,
    FETCHED,
    MODE,
    Forager,
    forage,
)
from skitter.creatures.creature import Around
from skitter.creatures.rows import Row, name_values
from skitter.species.behaviour import ForageSpec

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber

REACH = 0.5  # of its length, from its mouth: it picks up what is there
STRIDE = 5.0  # spans: how far ahead goals are set
FEELERS = (0.9, 0.35)  # of its body's length, ahead and aside, where a species says nothing
ROWS = (
    Row("behaviour", (), "uint8", "1", name_values(BEHAVIOURS)),
    Row("carries", (), "uint8", "1", "1 while it carries food"),
    Row("fetched", (), "int32", "1", "pieces of food picked up so far"),
    Row("brought", (), "int32", "1", "pieces of food brought to the nest so far"),
    Row("trail_felt", ("side",), "float64", "1/cm2", "pheromone at the left and right antenna"),
)


def decide(one: "Climber", spec: ForageSpec, around: Around) -> None:
    """Go to a goal, or about as its species does; one that is led is not asked."""
    if one.mind.behaviour[0] == LED or around.nest is None:
        return
    goal = forage(spec, one.memory, place(one, spec), around.nest, around.things, around.trails)
    if goal is None:
        one.mind.behaviour[0] = STEERING[one.species.steering.behaviour]
        return
    one.mind.behaviour[0] = SEEK
    one.mind.goal[:] = goal


def place(one: "Climber", spec: ForageSpec) -> Forager:
    """Where it is, with its antennae before it."""
    turn, middle = one.body.turn, one.body.place
    ahead, aside = spec.feelers or tuple(share * one.traits.body_length for share in FEELERS)
    tips = [middle + turn @ np.array([ahead, 0.0, side * aside]) for side in (-1.0, 1.0)]
    stride = STRIDE * float(one.traits.span)
    return Forager(middle.copy(), turn[:, 0].copy(), turn[:, 1].copy(), np.array(tips), stride)


def read(memory: np.ndarray) -> dict[str, np.ndarray]:
    """The present values of ROWS."""
    values = {
        "behaviour": memory[MODE],
        "carries": memory[CARRIES],
        "fetched": memory[FETCHED],
        "brought": memory[BROUGHT],
        "trail_felt": memory[[FELT_LEFT, FELT_RIGHT]],
    }
    types = {row.label: row.dtype for row in ROWS}
    return {label: np.asarray(value, types[label]) for label, value in values.items()}
