"""What keeps a climber without rigid bodies out of others, whatever it wants.

Planes stop its thorax until its next meeting. Legs that are pushed are shifted aside, and come back
once nobody pushes them; one that stands steps.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel

STOPS = 8  # planes at most
COMES_BACK = 8.0  # 1/s, of a leg's shift
SWEEPS = 8  # through planes that need not agree


class Stops(NamedTuple):
    """The least speeds of the thorax along some normals."""

    many: np.ndarray  # [1] int64
    plane: np.ndarray  # [STOPS, 4] normal, and the least speed along it, cm/s
    pushed: np.ndarray  # [leg] int64, 1: others push it
    shift: np.ndarray  # [leg, 3] cm, how far aside its foot is


def build_stops(legs: int) -> Stops:
    return Stops(
        np.zeros(1, np.int64), np.zeros((STOPS, 4)), np.zeros(legs, np.int64), np.zeros((legs, 3))
    )


@kernel
def come_back(stops, seconds):
    """Let legs that nobody pushes come back, and forget who pushes."""
    stops.many[0] = 0
    for leg in range(len(stops.pushed)):
        if not stops.pushed[leg]:
            for k in range(3):
                stops.shift[leg, k] *= max(1.0 - COMES_BACK * seconds, 0.0)
        stops.pushed[leg] = 0


@kernel
def stop_body(stops, velocity):
    """Keep a thorax from moving into what stops it."""
    many = stops.many[0]
    for _ in range(SWEEPS if many > 1 else many):
        for k in range(many):
            n = stops.plane[k]
            speed = n[0] * velocity[0] + n[1] * velocity[1] + n[2] * velocity[2]
            short = max(n[3] - speed, 0.0)
            for i in range(3):
                velocity[i] += short * n[i]
