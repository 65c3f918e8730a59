"""Planes that stop a climber without rigid bodies, whatever it wants, until its next meeting."""

from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel

STOPS = 8  # planes at most
SWEEPS = 8  # through planes that need not agree


class Stops(NamedTuple):
    """The least speeds of the thorax along some normals."""

    many: np.ndarray  # [1] int64
    plane: np.ndarray  # [STOPS, 4] normal, and the least speed along it, cm/s


def build_stops() -> Stops:
    return Stops(np.zeros(1, np.int64), np.zeros((STOPS, 4)))


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
