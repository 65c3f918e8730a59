"""What is wrong with a limb, and asks for a step (Cenydd 2012 section 5.3).

Imbalance: the foot is too far from its origin node, or will be by the time that a neighbour which
steps now has come down; the paper does not look ahead, and feet of fast animals drag. Stretching:
the leg is nearly straight.
Restriction: the leg has struck something with another part than its foot, or a joint is bent beyond
its comfort range. Limbo: a path ended without a foothold; only that concerns legs in the air.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.limbs import find_bent, place_leg
from skitter.control.climbing.model import (
    IMBALANCE,
    LIMBO,
    LOOSE,
    LOST,
    RESTRICTION,
    STANCE,
    STRETCH,
)
from skitter.control.climbing.sense import widen
from skitter.control.climbing.steps import find_drift, find_duration
from skitter.control.climbing.surface import ask
from skitter.control.climbing.vectors import add, along, minus, norm, outward, put, take, take1

STRUCK = 0.05  # of its weight: a force on a segment that counts as having struck something
PATIENCE = 0.5  # s, that a leg must stand before a restriction counts again


@kernel
def place_origins(figure, traits, body, mind):
    """Most comfortable places of all feet, as the body now is."""
    for leg in range(len(figure.hip)):
        at = widen(traits, mind, take(figure.origin, leg))
        put(mind.origin, leg, add(take1(body.place), outward(body.turn, at)))


@kernel
def is_bent_much(figure, leg, angle):
    """Whether a joint is beyond its comfort range."""
    for j in range(figure.leg_first[leg], figure.leg_first[leg + 1]):
        if angle[j] < figure.limit[j, 2] or angle[j] > figure.limit[j, 3]:
            return True
    return False


@kernel
def has_struck(figure, traits, body, surfaces, leg, angle, felt, free, room):
    """Whether another part of a leg than its foot is in something."""
    first, last = figure.leg_first[leg], figure.leg_first[leg + 1]
    if not free:
        for j in range(first, last - 1):  # noqa: SIM110 - a kernel has no any()
            if felt.touch[j] > STRUCK * traits.mass * 981.0:
                return True
        return False
    n = place_leg(figure, leg, angle, room.at, room.axis, room.ahead)
    for k in range(1, n):
        p = add(take1(body.place), outward(body.turn, take(room.at, k)))
        if ask(surfaces, p[0], p[1], p[2])[0] < 0.5 * figure.radius[first + k]:
            return True
    return False


@kernel
def find_errors(figure, traits, body, mind, surfaces, felt, leg, now, free, room):
    """Bits of all that is wrong with a standing leg."""
    bits = 0
    later = 0.5 * find_duration(traits, body, mind, leg)
    soon = along(take(mind.origin, leg), find_drift(traits, body, mind, leg), later)
    if norm(minus(take(mind.foot, leg), soon)) > figure.comfort[leg]:
        bits |= 1 << IMBALANCE
    joints = figure.leg_first[leg + 1] - figure.leg_first[leg]
    if joints > 1 and find_bent(figure, leg, body.angle) < traits.stretch:
        bits |= 1 << STRETCH
    if now - mind.land_time[leg] > PATIENCE and (
        is_bent_much(figure, leg, body.angle)
        or has_struck(figure, traits, body, surfaces, leg, body.angle, felt, free, room)
    ):
        bits |= 1 << RESTRICTION
    return bits


@kernel
def regulate(figure, traits, body, mind, surfaces, felt, now, free, room):
    """Raise the flags of all limbs, and note since when they ask for a step."""
    for leg in range(len(figure.hip)):
        state = mind.leg_state[leg]
        if state == STANCE:
            bits = find_errors(figure, traits, body, mind, surfaces, felt, leg, now, free, room)
            for kind in range(3):
                if bits & ~mind.wants[leg] & (1 << kind):
                    mind.error[leg, kind] += 1
            mind.wants[leg] = bits
        elif state in (LIMBO, LOOSE):
            mind.wants[leg] = 1 << LOST
        else:
            continue
        if mind.wants[leg] == 0:
            mind.request[leg] = np.inf
        elif mind.request[leg] == np.inf:
            mind.request[leg] = now
