"""From a species to the arrays that drive its muscles."""

import numpy as np

from skitter.control.swim import (
    DRIVES,
    FREQUENCY,
    GOAL_FREQUENCY,
    GOAL_LEVEL,
    GOAL_PITCH,
    GOAL_SHIFT,
    GOAL_TURN,
    SHIFT,
    STROKES,
    SWIM_ITEMS,
    WAVE_ITEMS,
    SwimModel,
    SwimState,
)
from skitter.species.kinds import FiguredSpec
from skitter.species.spec import FigureSpec
from skitter.species.swim import AnyProgram, SwimSpec


def build_swim(species: FiguredSpec, blocks: int) -> tuple[SwimModel, SwimState]:
    """What drives the muscles in so many soft blocks; nothing where the species has none."""
    rank = np.arange(blocks, dtype=float)
    if isinstance(species, FigureSpec):
        return build_program(species.muscles, rank) if species.muscles else build_no_swim()
    return build_swimmer(species.swim, rank) if species.swim else build_no_swim()


def build_swimmer(spec: SwimSpec, rank: np.ndarray) -> tuple[SwimModel, SwimState]:
    """One swimmer, straight and at its first stroke."""
    owner = np.zeros(len(rank), np.int64)
    model = SwimModel(owner, rank, *spec.length, spec.ramp, STROKES, np.zeros((0, WAVE_ITEMS)))
    state = build_state(1, len(rank))
    items = state.swimmer[0]
    items[FREQUENCY] = items[GOAL_FREQUENCY] = spec.frequency
    items[SHIFT] = items[GOAL_SHIFT] = np.radians(spec.phase_deg)
    items[GOAL_TURN], items[GOAL_PITCH] = spec.turn * spec.most_turn, spec.pitch
    items[GOAL_LEVEL] = 1.0
    return model, state


def build_program(spec: AnyProgram, rank: np.ndarray) -> tuple[SwimModel, SwimState]:
    """A body whose sides follow a program; time runs as a frequency of 1 / 2 pi."""
    owner = np.zeros(len(rank), np.int64)
    drive, program = DRIVES.index(spec.drive), np.array(spec.list_rows(), float)
    model = SwimModel(owner, rank, 1.0, 1.0, spec.ramp, drive, program)
    state = build_state(1, len(rank))
    state.swimmer[0, [FREQUENCY, GOAL_FREQUENCY]] = 1 / (2 * np.pi)
    state.swimmer[0, GOAL_LEVEL] = 1.0
    return model, state


def build_state(swimmers: int, blocks: int) -> SwimState:
    return SwimState(
        np.zeros((swimmers, SWIM_ITEMS)), np.ones(blocks), np.ones(blocks), np.ones((blocks, 4))
    )


def build_no_swim() -> tuple[SwimModel, SwimState]:
    """Of a creature without muscles."""
    waves = np.zeros((0, WAVE_ITEMS))
    model = SwimModel(np.zeros(0, np.int64), np.zeros(0), 1.0, 1.0, 1.0, STROKES, waves)
    return model, build_state(0, 0)
