"""Prey: it runs from those who hunt its species, or coils until they have gone.

Danger is near when any part of a hunter is within range of any part of it. It takes a moment to
react, drawn at random; being touched makes it the shortest one. Coiled it stays until danger has
been away for some time.
"""

from collections.abc import Sequence

import numpy as np

from skitter.control.behaviour import (
    COIL,
    COILED,
    DEAD,
    FAR,
    FLEE,
    FREE,
    UNCOIL,
    Shown,
    find_gap,
)
from skitter.species.behaviour import DefendSpec

TOUCH = 0.1  # cm, within which it is touched
HARD = 0.7  # of the whole coil, from which it cannot be bitten
RISE_TIME = 0.5  # s, after it has uncoiled, in which its feet find the ground
# items of its memory
MODE, SINCE, REACT_AT, CALM_SINCE, SIDE, TIME_COILED, ATTACKS, DEFEND_ITEMS = range(8)
CURLED = (COIL, COILED, UNCOIL, DEAD)


def find_danger(breed: str, balls: np.ndarray, shown: Sequence[Shown]) -> tuple[float, np.ndarray]:
    """How near the nearest hunter of one's species is, cm, and where."""
    hunters = [one for one in shown if one.is_alive and breed in one.prey]
    gaps = [find_gap(balls, one.balls) for one in hunters]
    return min(gaps, key=lambda gap: gap[0], default=(FAR, np.zeros(3)))


def defend(
    spec: DefendSpec, memory: np.ndarray, gap: float, now: float, rng: np.random.Generator
) -> None:
    """Choose what to do, by how near danger is, cm."""
    mode = memory[MODE]
    alarm = max(spec.flee_range, spec.coil_range)
    if mode == DEAD:
        return
    if gap < alarm:
        memory[CALM_SINCE] = now
    if mode in (FREE, FLEE):
        react(spec, memory, gap, now, rng)
    elif mode == COIL and now - memory[SINCE] >= spec.wind_time:
        change(memory, COILED, now)
    elif mode == COILED and now - memory[CALM_SINCE] >= spec.calm_time:
        change(memory, UNCOIL, now)
    elif mode == UNCOIL and now - memory[SINCE] >= spec.wind_time + RISE_TIME:
        change(memory, FREE, now)


def react(
    spec: DefendSpec, memory: np.ndarray, gap: float, now: float, rng: np.random.Generator
) -> None:
    """Of one that walks: run, coil, or wait until it has noticed."""
    alarm = max(spec.flee_range, spec.coil_range)
    if alarm == 0 or gap >= alarm:
        memory[REACT_AT] = -1.0
        change(memory, FREE, now)
        return
    if memory[REACT_AT] < 0:
        memory[REACT_AT] = now + rng.uniform(*spec.reaction)
        memory[ATTACKS] += 1
    if gap < TOUCH:
        memory[REACT_AT] = min(memory[REACT_AT], now + spec.reaction[0])
    if now < memory[REACT_AT]:
        return
    if 0 < spec.coil_range > gap:
        memory[SIDE] = 1.0 if rng.uniform() < 0.5 else -1.0
        change(memory, COIL, now)
    else:
        change(memory, FLEE, now)


def change(memory: np.ndarray, mode: int, now: float) -> None:
    """Begin something else, if it is."""
    if memory[MODE] != mode:
        memory[MODE], memory[SINCE] = mode, now
        if mode in (FREE, COIL):
            memory[REACT_AT] = -1.0


def is_curled(memory: np.ndarray) -> bool:
    """Whether it keeps a shape instead of walking."""
    return bool(memory[MODE] in CURLED)
