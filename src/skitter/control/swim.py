"""How muscles are driven: waves for any body, and the F-PS controller of swimmers (Fang 2015 5.4).

Every swimmer has a frequency f and a phase shift ps from one soft block to the next. Block i is at

    theta = 2 pi f t - i ps ,   s_l = |sin(theta/2 + pi/4)| ,   s_r = |cos(theta/2 + pi/4)| ,

so that s_l^2 + s_r^2 = 1 and both sides alternate at f, and its sides become
l_min + s (l_max - l_min) long (eq. 5.5). s is how long a muscle is let be, so what the thesis calls
the weaker side is the shorter one, towards which a body turns: a turn to the left multiplies s_l by
1 - turn. 2 pi f t is summed up, so that f may change; f, ps and turn are taken up over a short
time, and the whole from the straight body over the ramp, in which it flexes into its serpentine
shape.

One model may hold many swimmers, which is how a sweep runs them side by side.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.elastic.muscle import BOTTOM, LEFT, RIGHT, TOP

# items of SwimState.swimmer
(
    PHASE,  # rad, 2 pi f t
    FREQUENCY,  # Hz
    SHIFT,  # rad, ps
    TURN,  # -1 to 1, positive to the left
    PITCH,  # -1 to 1, positive upwards
    LEVEL,  # 0 straight, 1 fully driven
    GOAL_FREQUENCY,
    GOAL_SHIFT,
    GOAL_TURN,
    GOAL_PITCH,
    GOAL_LEVEL,
    SWIM_ITEMS,
) = range(12)
DRIVES = ("strokes", "waves")  # ways to drive muscles, as specs name them: species/swim.py
STROKES, WAVES = range(2)
WAVE_MEAN, WAVE_HEIGHT, WAVE_RATE, WAVE_SHIFT, WAVE_PHASE, WAVE_ITEMS = range(6)
SETTLE_TIME = 0.15  # s in which f, ps and turn are taken up
PITCH_SHARE = 0.5  # of what a side may shorten, at most, to steer up or down


class SwimModel(NamedTuple):
    """Which block belongs to which swimmer, and how its sides are driven."""

    owner: np.ndarray  # [block] int64
    rank: np.ndarray  # [block] 0 behind the head, then 1, 2, ...
    shortest: float  # l_min, of a side's length as built
    longest: float  # l_max
    ramp: float  # s
    drive: int  # of DRIVES
    program: np.ndarray  # [row, item] what it goes by: waves [4, WAVE_ITEMS]; empty for strokes


class SwimState(NamedTuple):
    """What changes. A creature without muscles has no swimmer."""

    swimmer: np.ndarray  # [swimmer, SWIM_ITEMS]
    active: np.ndarray  # [block] 0 passive, 1 driven
    goal_active: np.ndarray  # [block]
    length: np.ndarray  # [block, 4] left, right, top, bottom, of the length as built


@inlined
def approach(items, item, goal, blend):
    items[item] += blend * (items[goal] - items[item])


@inlined
def step_towards(value, goal, most):
    return value + min(max(goal - value, -most), most)


@inlined
def advance_swimmer(items, dt, ramp):
    blend = min(1.0, dt / SETTLE_TIME)
    approach(items, FREQUENCY, GOAL_FREQUENCY, blend)
    approach(items, SHIFT, GOAL_SHIFT, blend)
    approach(items, TURN, GOAL_TURN, blend)
    approach(items, PITCH, GOAL_PITCH, blend)
    items[LEVEL] = step_towards(items[LEVEL], items[GOAL_LEVEL], dt / ramp)
    items[PHASE] += 2.0 * np.pi * items[FREQUENCY] * dt


@inlined
def drive_swimming(model, items, rank, amount, length):
    """Lengths of a block of a swimmer (eq. 5.5)."""
    half = 0.5 * (items[PHASE] - rank * items[SHIFT]) + 0.25 * np.pi
    left = abs(np.sin(half)) * (1.0 - max(items[TURN], 0.0))
    right = abs(np.cos(half)) * (1.0 + min(items[TURN], 0.0))
    span = model.longest - model.shortest
    left = 1.0 + amount * (model.shortest + left * span - 1.0)
    right = 1.0 + amount * (model.shortest + right * span - 1.0)
    rise = 0.5 * amount * PITCH_SHARE * span * items[PITCH]
    length[LEFT], length[RIGHT] = left, right
    length[TOP], length[BOTTOM] = 0.5 * (left + right) - rise, 0.5 * (left + right) + rise


@inlined
def drive_waves(wave, phase, rank, amount, length):
    """Lengths of a block whose four sides follow waves."""
    for side in range(4):
        w = wave[side]
        angle = w[WAVE_RATE] * phase - rank * w[WAVE_SHIFT] + w[WAVE_PHASE]
        length[side] = 1.0 + amount * (w[WAVE_MEAN] + w[WAVE_HEIGHT] * np.sin(angle) - 1.0)


@kernel
def drive_muscles(model, state, dt):
    """One step: the lengths of all sides of all blocks."""
    for k in range(len(state.swimmer)):
        advance_swimmer(state.swimmer[k], dt, model.ramp)
    for b in range(len(model.owner)):
        state.active[b] = step_towards(state.active[b], state.goal_active[b], dt / model.ramp)
        items = state.swimmer[model.owner[b]]
        amount = items[LEVEL] * state.active[b]
        if model.drive == WAVES:
            drive_waves(model.program, items[PHASE], model.rank[b], amount, state.length[b])
        else:
            drive_swimming(model, items, model.rank[b], amount, state.length[b])
