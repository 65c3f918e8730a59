"""The kinds of shells: how the plates, heads and tails of centipedes, millipedes and others differ.

A profile is rows of (place, size, reach, zone): the place of a ring from 0 in front to 1 behind,
its size of the box, its share of the rim's overlap, and what it belongs to.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
BODY, RIM, SEAM, INNER = 0.0, 1.0, 2.0, 3.0  # what a ring belongs to


@dataclass(frozen=True)
class Family:
    """How plates of a kind are built."""

    arch: float  # exponents of the superellipse above and below: 2 is round, more is boxy
    belly: float
    pinch: float  # how much narrower the underside is, so that the plate has an edge
    skirt: float  # down to which height the rim reaches back: -1 is all around
    fullness: float  # size, of the box
    plate: Floats  # [ring, 4] a profile
    head: Floats
    tail: Floats
    nod: float = 0.0  # how much lower the front of the head is, of its height
    eye_place: float = 0.27  # of the head's length, from its front


def _rows(*rows: tuple[float, float, float, float]) -> Floats:
    return np.array(rows)


_NECK_RIM = [
    *[(0.82, 0.985, 0.62, BODY), (0.84, 0.985, 0.66, RIM), (0.94, 0.99, 0.92, RIM)],
    *[(0.98, 0.97, 1.0, RIM), (0.97, 0.93, 1.0, INNER), (0.86, 0.88, 0, INNER)],
    (0.86, 0.0, 0, INNER),
]


def _round_head(blunt: float) -> Floats:
    """A shield, rounded to the front; behind, its rim reaches over the neck as a plate's does."""
    angle = np.linspace(0, np.pi / 2, 8)
    place = 0.56 * (1 - np.cos(angle) ** 0.8)
    width = np.sin(angle) ** blunt * (1 - 0.08 * np.cos(angle) ** 2)
    front = [(float(p), float(w), 0.0, BODY) for p, w in zip(place, width, strict=True)]
    return _rows(*front, *_NECK_RIM)


def _collared_head() -> Floats:
    """A blunt face that comes out of a collar as wide as the body, as a millipede's does."""
    angle = np.linspace(0, np.pi / 2, 8)
    place, width = 0.35 * (1 - np.cos(angle) ** 0.9) - 0.01, 0.82 * np.sin(angle) ** 0.32
    face = [(float(p), float(w), 0.0, BODY) for p, w in zip(place, width, strict=True)]
    return _rows(
        *face,
        *[(0.35, 0.81, 0, INNER), (0.355, 0.86, 0, SEAM), (0.37, 0.91, 0, BODY)],
        *[(0.44, 0.95, 0.1, BODY), (0.6, 0.98, 0.35, BODY), *_NECK_RIM],
    )


_TAIL = _rows(
    *[(0.05, 0.0, 0, BODY), (0.05, 0.7, 0, BODY), (0.03, 0.82, 0, BODY), (0.1, 0.92, 0, BODY)],
    *[(0.25, 0.98, 0, BODY), (0.45, 0.96, 0, BODY), (0.65, 0.88, 0, BODY), (0.82, 0.73, 0, BODY)],
    *[(0.93, 0.52, 0, BODY), (0.98, 0.28, 0, BODY), (1.0, 0.0, 0, BODY)],
)
# A last ring, and the two valves that close it.
_VALVED_TAIL = _rows(
    *[(0.05, 0.0, 0, BODY), (0.05, 0.7, 0, BODY), (0.03, 0.86, 0, BODY), (0.1, 0.95, 0, BODY)],
    *[(0.3, 0.97, 0, BODY), (0.42, 0.955, 0, BODY), (0.44, 0.95, 0, RIM), (0.56, 0.91, 0, RIM)],
    *[(0.58, 0.86, 0, RIM), (0.57, 0.76, 0, SEAM), (0.64, 0.72, 0, BODY), (0.78, 0.62, 0, BODY)],
    *[(0.92, 0.48, 0, BODY), (1.02, 0.32, 0, BODY), (1.08, 0.16, 0, BODY), (1.1, 0.0, 0, BODY)],
)
_BOX_END = [(1.0, 0.9, 0, RIM), (1.0, 0.84, 0, INNER), (1.0, 0.0, 0, INNER)]
_BOX_FRONT = [(0.0, 0.0, 0, INNER), (0.0, 0.84, 0, INNER), (0.0, 0.9, 0, RIM), (0.05, 0.95, 0, RIM)]

FAMILIES = {
    "centipede": Family(
        arch=2.7,
        belly=3.0,
        pinch=0.13,
        skirt=-0.1,
        fullness=1.02,
        plate=_rows(
            *[(0.04, 0.0, 0, BODY), (0.04, 0.72, 0, BODY), (0.02, 0.82, 0, BODY)],
            *[(0.07, 0.865, 0, BODY), (0.3, 0.915, 0.2, BODY), (0.62, 0.95, 0.52, BODY)],
            *[(0.80, 0.96, 0.77, BODY), (0.82, 0.975, 0.80, RIM), (0.92, 1.0, 0.92, RIM)],
            *[(0.99, 0.985, 1.0, RIM), (0.98, 0.94, 1.0, INNER), (0.86, 0.89, 0, INNER)],
            (0.86, 0.0, 0, INNER),
        ),
        head=_round_head(0.55),
        tail=_TAIL,
    ),
    "millipede": Family(
        arch=2.15,
        belly=2.15,
        pinch=0.0,
        skirt=-1.4,
        fullness=1.06,
        plate=_rows(
            *[(0.02, 0.0, 0, SEAM), (0.02, 0.8, 0, SEAM), (0.0, 0.9, 0, SEAM)],
            *[(0.2, 0.93, 0.1, SEAM), (0.26, 0.985, 0.16, BODY), (0.5, 1.0, 0.45, BODY)],
            *[(0.74, 1.0, 0.76, BODY), (0.76, 1.0, 0.78, RIM), (0.94, 0.99, 0.95, RIM)],
            *[(1.0, 0.965, 1.0, RIM), (0.99, 0.93, 1.0, INNER), (0.85, 0.88, 0, INNER)],
            (0.85, 0.0, 0, INNER),
        ),
        head=_collared_head(),
        tail=_VALVED_TAIL,
        nod=0.03,
        eye_place=0.19,
    ),
    "shield": Family(
        arch=2.4,
        belly=2.8,
        pinch=0.1,
        skirt=-0.2,
        fullness=1.06,
        plate=_rows(
            *[(0.05, 0.0, 0, BODY), (0.05, 0.6, 0, BODY), (0.02, 0.8, 0, BODY)],
            *[(0.1, 0.9, 0.05, BODY), (0.3, 0.97, 0.2, BODY), (0.5, 1.0, 0.45, BODY)],
            *[(0.7, 1.0, 0.7, BODY), (0.84, 0.985, 0.86, RIM), (0.95, 0.95, 0.97, RIM)],
            *[(0.99, 0.91, 1.0, RIM), (0.97, 0.88, 0.98, INNER), (0.86, 0.86, 0, INNER)],
            (0.86, 0.0, 0, INNER),
        ),
        head=_round_head(0.6),
        tail=_TAIL,
    ),
    "machine": Family(
        arch=6.0,
        belly=6.0,
        pinch=0.04,
        skirt=-1.4,
        fullness=1.0,
        plate=_rows(
            *_BOX_FRONT,
            *[(0.17, 0.95, 0, RIM), (0.18, 0.915, 0, SEAM), (0.205, 0.915, 0, SEAM)],
            *[(0.215, 0.985, 0, BODY), (0.25, 1.0, 0, BODY), (0.75, 1.0, 0, BODY)],
            *[(0.785, 0.985, 0, BODY), (0.795, 0.915, 0, SEAM), (0.82, 0.915, 0, SEAM)],
            *[(0.83, 0.95, 0, RIM), (0.95, 0.95, 0, RIM), *_BOX_END],
        ),
        head=_rows(
            *[(0.0, 0.0, 0, BODY), (0.0, 0.5, 0, BODY), (0.02, 0.58, 0, BODY)],
            *[(0.3, 0.96, 0, BODY), (0.36, 1.0, 0, BODY), (0.74, 1.0, 0, BODY)],
            *[(0.76, 0.985, 0, BODY), (0.77, 0.93, 0, SEAM), (0.8, 0.93, 0, SEAM)],
            *[(0.81, 0.97, 0, RIM), (0.95, 0.96, 0, RIM), *_BOX_END],
        ),
        tail=_rows(
            *_BOX_FRONT,
            *[(0.2, 0.96, 0, RIM), (0.21, 0.92, 0, SEAM), (0.235, 0.92, 0, SEAM)],
            *[(0.245, 0.985, 0, BODY), (0.3, 1.0, 0, BODY), (0.65, 1.0, 0, BODY)],
            *[(0.97, 0.68, 0, BODY), (1.0, 0.62, 0, RIM), (1.0, 0.0, 0, RIM)],
        ),
    ),
}
