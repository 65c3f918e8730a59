"""What a creature is about beyond its next step: names, what it is told of others, its memory.

Behaviours decide once a frame, in Python. They give a goal and a speed, or leave an animal to its
own brain; what moves it is what moves it anyway.
"""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np

# what it does, as recorded
(
    FREE, CHASE, BITE, PROBE, EAT, FLEE, COIL, COILED, UNCOIL, DEAD, SEARCH, FETCH, HOME, FOLLOW,
) = range(14)  # fmt: skip
BEHAVIOURS = (
    "FREE", "CHASE", "BITE", "PROBE", "EAT", "FLEE", "COIL", "COILED", "UNCOIL", "DEAD", "SEARCH",
    "FETCH", "HOME", "FOLLOW",
)  # fmt: skip
FAR = 1e9  # cm, from nobody


class Shown(NamedTuple):
    """What others can tell of a creature, as of the start of a frame."""

    name: str
    breed: str  # the name of its species
    balls: np.ndarray  # [n, 4] cm, middles and radii
    is_alive: bool = True
    is_hard: bool = False  # coiled, so that jaws find nothing but shell
    prey: tuple[str, ...] = ()  # species that it hunts


class Aim(NamedTuple):
    """Where to go, and how fast."""

    goal: np.ndarray  # [3] cm
    speed: float  # cm/s


def find_nearest(point: np.ndarray, balls: np.ndarray) -> tuple[float, np.ndarray]:
    """How far a point is from the nearest of some balls, cm, and the middle of that one."""
    if len(balls) == 0:
        return FAR, point
    far = np.linalg.norm(balls[:, :3] - point, axis=1) - balls[:, 3]
    k = int(far.argmin())
    return float(far[k]), balls[k, :3]


def find_gap(own: np.ndarray, others: np.ndarray) -> tuple[float, np.ndarray]:
    """How far two sets of balls are apart, cm, and the nearest middle among the others."""
    if len(own) == 0 or len(others) == 0:
        return FAR, np.zeros(3)
    away = np.linalg.norm(own[:, None, :3] - others[None, :, :3], axis=2)
    away -= own[:, None, 3] + others[None, :, 3]
    k = int(away.min(axis=0).argmin())
    return float(away.min()), others[k, :3]


def name_number(name: str) -> int:
    """A creature's name as a number that an array can keep; 0 is nobody."""
    return crc32(name.encode()) or 1


def find_named(shown: Sequence[Shown], number: int) -> Shown | None:
    """The creature with such a name."""
    return next((one for one in shown if name_number(one.name) == number), None)
