"""Which legs may step, and when (Cenydd 2012 section 6.2).

Legs that ask for a step wait in a queue, the first to ask first. One may step while its neighbours
stand: those before and behind it on its side, where the first and the last are neighbours too, and
the one across. With more requests than half of the legs the animal brakes until it has caught up;
ours brakes too, by degrees, while a foot that stands is left far behind.

Neighbours that stand at one moment are not enough where the four of one group come down and lift
again one by one, as on a log where they find no ease: the other group would wait for good. So a leg
leaves the turn to a neighbour that has asked before it, and for longer than a quick step.

The ring of neighbours holds for an even number of pairs. With three pairs the first and the last
would never be up together, and the tripod that the paper asks of insects could not come about; so
with an odd number the ring is open.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.climbing.model import (
    BRAKE_QUEUE,
    LIMBO,
    LOOSE,
    QUEUE,
    RESTRICTION,
    SEARCH,
    STANCE,
    STEP,
)
from skitter.control.climbing.steps import begin_search, begin_step
from skitter.control.climbing.vectors import clip, minus, norm, take

BRAKE_RATE = 12.0  # 1/s, how fast the brake for an overflowing queue comes and goes
OUT, FAR_OUT = 1.15, 1.7  # comfort ranges from its origin, where a standing foot asks for a brake
BRAKE = 0.88  # the most: an animal that stood still would change nothing about its feet
VAIN = 3  # searches, after which neighbours no longer wait for a leg
SEARCH_PAUSE = 0.02  # s, between a search step that found nothing and the next


@kernel
def is_free_to_step(figure, traits, mind, leg, now):
    """Whether all neighbours of a leg stand, and none of them has waited too long."""
    legs = len(figure.hip)
    pairs = legs // 2
    for step in (-2, 2):
        other = leg + step
        if other < 0 or other >= legs:
            if pairs % 2 or pairs < 3:
                continue
            other %= legs
        if not stands(mind, other) or starves(traits, mind, other, leg, now):
            return False
    return stands(mind, leg ^ 1) and not starves(traits, mind, leg ^ 1, leg, now)


@inlined
def stands(mind, leg):
    """Whether a leg lets its neighbours step: it stands, or has searched in vain for long."""
    return mind.leg_state[leg] == STANCE or mind.tries[leg] > VAIN


@inlined
def starves(traits, mind, leg, other, now):
    """Whether a standing leg has asked before another one, and for longer than a quick step."""
    asked = mind.request[leg]
    waits = asked < mind.request[other] and now - asked > traits.duration_least
    return waits and mind.leg_state[leg] == STANCE


@kernel
def count_standing(mind):
    standing = 0
    for leg in range(len(mind.leg_state)):
        if mind.leg_state[leg] == STANCE:
            standing += 1
    return standing


@kernel
def find_next(figure, traits, mind, now):
    """The leg that has waited longest of those that may step now, or -1."""
    legs = len(figure.hip)
    best, since = -1, np.inf
    up = legs - count_standing(mind)
    for leg in range(legs):
        if mind.request[leg] >= since:
            continue
        state = mind.leg_state[leg]
        if state == STANCE:
            if up >= legs // 2 or not is_free_to_step(figure, traits, mind, leg, now):
                continue
        elif state in (LIMBO, LOOSE) and now < mind.request[leg] + SEARCH_PAUSE:
            continue
        best, since = leg, mind.request[leg]
    return best


@kernel
def advance_gait(figure, traits, body, mind, orders, surfaces, now, seconds):
    """Let legs step that may; brake if too many wait."""
    legs = len(figure.hip)
    for _ in range(legs):
        leg = find_next(figure, traits, mind, now)
        if leg < 0:
            break
        if mind.leg_state[leg] == STANCE:
            begin_step(traits, figure, body, mind, orders, leg, now)
        else:
            begin_search(traits, figure, body, mind, orders, surfaces, leg, now)
    waiting, worst = 0, 0.0
    for leg in range(legs):
        if mind.leg_state[leg] == STANCE:
            off = norm(minus(take(mind.foot, leg), take(mind.origin, leg)))
            worst = max(worst, off / figure.comfort[leg])
        presses = mind.wants[leg] & ~(1 << RESTRICTION)
        if presses or mind.leg_state[leg] == SEARCH:
            waiting += 1
    mind.count[QUEUE] = waiting
    wanted = (
        BRAKE if waiting > legs // 2 else BRAKE * clip((worst - OUT) / (FAR_OUT - OUT), 0.0, 1.0)
    )
    brake = mind.drive[BRAKE_QUEUE]
    mind.drive[BRAKE_QUEUE] = brake + (wanted - brake) * min(BRAKE_RATE * seconds, 1.0)


@kernel
def is_stepping(mind, leg):
    return mind.leg_state[leg] == STEP or mind.leg_state[leg] == SEARCH
