"""Planes that stop the parts of a walker, whatever its Targeter wants of them."""

from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel
from skitter.control.bodies import read_velocity, write_vector
from skitter.control.targeter import DRIVEN
from skitter.rigid.bodies import VELOCITY

STOPS = 6  # planes of a part at most
SWEEPS = 8  # through the planes of a part, which need not agree


class Stops(NamedTuple):
    """Planes that stop driven parts, until the next meeting."""

    many: np.ndarray  # [body] int64
    plane: np.ndarray  # [body, STOPS, 4] normal, and the least speed along it, cm/s


def build_stops(bodies: int) -> Stops:
    return Stops(np.zeros(bodies, np.int64), np.zeros((bodies, STOPS, 4)))


@kernel
def stop_bodies(stops, walker, bodies):
    """Keep driven bodies from moving into what stops them; those that have been stopped begin
    anew from there."""
    for b in range(len(stops.many)):
        if stops.many[b] == 0:
            continue
        vx, vy, vz = read_velocity(bodies, b)
        for _ in range(SWEEPS if stops.many[b] > 1 else 1):
            for k in range(stops.many[b]):
                n = stops.plane[b, k]
                short = max(n[3] - (n[0] * vx + n[1] * vy + n[2] * vz), 0.0)
                vx, vy, vz = vx + short * n[0], vy + short * n[1], vz + short * n[2]
        write_vector(bodies.rows, VELOCITY, b, vx, vy, vz)
        if walker.drive[b, DRIVEN] != 0.0:
            walker.drive[b, 0], walker.drive[b, 1], walker.drive[b, 2] = vx, vy, vz
