"""A predator: it smells prey, runs after it, bites, and eats; of a coiled one it lets go.

CHASE ends at the prey's body. What is soft it BITEs, and once its jaws have held on long enough the
prey is dead and it EATs. At what is hard it PROBEs for a while; then it leaves that one alone and
looks for another. A chase that takes too long, or loses the smell, ends likewise.
"""

from collections.abc import Sequence

import numpy as np

from skitter.control.behaviour import (
    BITE,
    CHASE,
    EAT,
    FREE,
    PROBE,
    Aim,
    Shown,
    find_named,
    find_nearest,
    name_number,
)
from skitter.species.behaviour import HuntSpec

LOST = 1.3  # ranges, from where it smells prey no more that it is after
REACH = 1.5  # bites, within which jaws that hold on stay on
REFUSED = 8  # of those that it leaves alone, the latest are kept
# items of a hunter's memory
MODE, SINCE, TARGET, SATED_UNTIL, HELD, CHASES, CATCHES, ESCAPES, REFUSALS = range(9)
HUNT_ITEMS = REFUSALS + 2 * REFUSED  # pairs: who, and until when


def hunt(
    spec: HuntSpec,
    memory: np.ndarray,
    mouth: np.ndarray,
    bite: float,
    fast: float,
    shown: Sequence[Shown],
    now: float,
    seconds: float,
) -> Aim | None:
    """What it is after during the next frame, so `fast`, cm/s; none: its own brain leads."""
    if memory[MODE] == EAT:
        if now - memory[SINCE] < spec.meal_time:
            return Aim(mouth, 0.0)
        memory[SATED_UNTIL] = now + spec.rest_time
        change(memory, FREE, now)
    prey = choose_prey(spec, memory, mouth, shown, now)
    if prey is None:
        if memory[TARGET]:
            memory[ESCAPES] += 1
        memory[TARGET] = 0
        change(memory, FREE, now)
        return None
    far, point = find_nearest(mouth, prey.balls)
    holds = memory[MODE] in (BITE, PROBE)
    if far > bite * (REACH if holds else 1.0):
        if holds or memory[MODE] == FREE:
            change(memory, CHASE, now)
        if now - memory[SINCE] > spec.stamina:
            refuse(spec, memory, now)
            return None
        return Aim(point, fast)
    change(memory, PROBE if prey.is_hard else BITE, now)
    if memory[MODE] == BITE:
        memory[HELD] += seconds
    elif now - memory[SINCE] >= spec.probe_time:
        refuse(spec, memory, now)
        return None
    return Aim(point, 0.0)


def change(memory: np.ndarray, mode: int, now: float) -> None:
    """Begin something else, if it is."""
    if memory[MODE] != mode:
        memory[MODE], memory[SINCE], memory[HELD] = mode, now, 0.0


def choose_prey(
    spec: HuntSpec, memory: np.ndarray, mouth: np.ndarray, shown: Sequence[Shown], now: float
) -> Shown | None:
    """The one that it is after, as long as it smells that, or the nearest."""
    if now < memory[SATED_UNTIL]:
        return None
    alive = [one for one in shown if one.is_alive and one.breed in spec.prey]
    kept = find_named(alive, int(memory[TARGET])) if memory[TARGET] else None
    if kept is not None and find_nearest(mouth, kept.balls)[0] < LOST * spec.range:
        return kept
    near = [
        (find_nearest(mouth, one.balls)[0], one)
        for one in alive
        if not is_refused(memory, one.name, now)
    ]
    far, best = min(near, key=lambda pair: pair[0], default=(np.inf, None))
    if best is None or far > spec.range:
        return None
    memory[ESCAPES] += bool(memory[TARGET])  # the one that it has lost
    memory[TARGET] = name_number(best.name)
    memory[CHASES] += 1
    memory[MODE] = FREE
    change(memory, CHASE, now)
    return best


def is_refused(memory: np.ndarray, name: str, now: float) -> bool:
    pairs = memory[REFUSALS:].reshape(REFUSED, 2)
    return bool(((pairs[:, 0] == name_number(name)) & (pairs[:, 1] > now)).any())


def refuse(spec: HuntSpec, memory: np.ndarray, now: float) -> None:
    """Give up the one that it is after."""
    pairs = memory[REFUSALS:].reshape(REFUSED, 2)
    pairs[1:] = pairs[:-1].copy()
    pairs[0] = memory[TARGET], now + spec.forget_time
    memory[ESCAPES] += 1
    memory[TARGET] = 0
    change(memory, FREE, now)


def has_bitten(spec: HuntSpec, memory: np.ndarray) -> bool:
    """Whether its jaws have held on long enough."""
    return bool(memory[MODE] == BITE and memory[HELD] >= spec.bite_time)


def start_meal(memory: np.ndarray, now: float) -> None:
    memory[CATCHES] += 1
    memory[TARGET] = 0
    change(memory, EAT, now)
