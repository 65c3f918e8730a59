"""Leaving a place where it is stuck. Cenydd 2012 has nothing for this.

Legs that search where there is nothing can hold each other up for good: half of them must stand,
and those that stand may not step. A climber that goes where it wants to, and stays within half a
span of one place for longer than its patience, lets go, falls for a moment, and goes another way.
One that is led by hand stays as long as it is told to.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.fall import lose_hold
from skitter.control.climbing.model import (
    AWAY_FOR,
    BRAKE_QUEUE,
    BRAKE_SENSE,
    HOLD_FOR,
    LED,
    SPEED_WANTED,
    STAYED,
)
from skitter.control.climbing.vectors import minus, norm, put1, take1
from skitter.control.random import draw

STAY = 0.5  # spans, that count as one place
RESTING = 0.1  # of its largest speed, below which it wants to stay
LET_GO = 0.3  # s, that it does not hold on again
ABOUT = 3.0  # rad, that it turns away


@kernel
def wants_to_go(traits, mind):
    """Whether it would walk if nothing braked it."""
    drive = mind.drive
    free = 1.0 - max(drive[BRAKE_SENSE], drive[BRAKE_QUEUE])
    speed = drive[SPEED_WANTED] / max(free, 1e-6)
    return mind.behaviour[0] != LED and speed > RESTING * traits.max_speed


@kernel
def lose_patience(traits, body, mind, orders, now, seconds):
    """Let go of everything where it has been stuck for too long."""
    drive, place = mind.drive, take1(body.place)
    if not wants_to_go(traits, mind) or norm(minus(place, take1(mind.stay))) > STAY * traits.span:
        put1(mind.stay, place)
        drive[STAYED] = 0.0
        return
    drive[STAYED] += seconds
    if drive[STAYED] > traits.patience:
        drive[STAYED] = 0.0
        lose_hold(mind, orders, now)
        drive[HOLD_FOR] = -LET_GO
        # a critically damped turn goes at c1/c2 = sqrt(c1)/2 for each rad that is wanted
        side = 1.0 if draw(mind.random, -1.0, 1.0) > 0.0 else -1.0
        drive[AWAY_FOR] = side * ABOUT / np.sqrt(traits.turn_c1)
