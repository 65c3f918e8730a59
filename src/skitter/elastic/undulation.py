"""What modes look like along the body: the plane they bend in, and how often they change sides."""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Legendre

from skitter.elastic.modes import RIGID, Modes
from skitter.errors import UserError

DEGREE = 14  # of the polynomials that modes are read from: up to eight half waves
STATIONS = 200  # along the midline
SMALL = 0.05  # of the largest way: less has no sign
MOST = 0.5  # of the motion must be that of the midline to count as bending or stretching


class ModeLook(NamedTuple):
    """A mode in words.

    number: from 1, with the six rigid ones. frequency: Hz. plane: "rigid", "horizontal",
    "vertical", "along" (stretching) or "other" (twisting, bulging). half_waves: how often it bends
    to one side.
    """

    number: int
    frequency: float
    plane: str
    half_waves: int


def fit_midline(nodes: np.ndarray, shape: np.ndarray) -> list[Legendre]:
    """The displacement of the midline along x as smooth functions: its x, y and z."""
    degree = min(DEGREE, len(np.unique(nodes[:, 0])) - 1)
    return [Legendre.fit(nodes[:, 0], shape[:, axis], degree) for axis in range(3)]


def count_half_waves(line: Legendre) -> int:
    """How often a free body bends to one side: one less than how often it crosses its axis.

    Its curvature would say so too, but that of a coarse mesh changes signs of its own.
    """
    away = line(np.linspace(float(line.domain[0]), float(line.domain[1]), STATIONS))
    clear = away[np.abs(away) > SMALL * np.abs(away).max()]
    return max(int(np.sum(clear[1:] * clear[:-1] < 0)) - 1, 0)


def describe_modes(nodes: np.ndarray, modes: Modes) -> list[ModeLook]:
    """All modes in words."""
    return [
        describe(number, float(frequency), nodes, shape)
        for number, (frequency, shape) in enumerate(
            zip(modes.frequency, modes.shapes, strict=True), 1
        )
    ]


def describe(number: int, frequency: float, nodes: np.ndarray, shape: np.ndarray) -> ModeLook:
    if number <= RIGID:
        return ModeLook(number, frequency, "rigid", 0)
    midline = fit_midline(nodes, shape)
    carried = np.stack([line(nodes[:, 0]) for line in midline])
    share = np.sum(carried**2, axis=1) / np.sum(shape**2)
    axis = int(np.argmax(share))
    if share[axis] < MOST:
        return ModeLook(number, frequency, "other", 0)
    plane = ("along", "vertical", "horizontal")[axis]
    return ModeLook(number, frequency, plane, count_half_waves(midline[axis]) if axis else 0)


def find_undulation(nodes: np.ndarray, modes: Modes) -> int:
    """Index of the mode with one full horizontal undulation (Mujika 2018 section 5, fig. 5).

    It bends in the horizontal plane, to one side and then to the other: the second bending mode of
    a free beam.
    """
    for look in describe_modes(nodes, modes):
        if (look.plane, look.half_waves) == ("horizontal", 2):
            return look.number - 1
    raise UserError(
        f"none of the lowest {len(modes.shapes) - RIGID} elastic modes is one full undulation in "
        "the horizontal plane; the body must be long along x, or more modes be asked for"
    )
