"""The stations at which a worm is driven, and the lag that all its parts have in common."""

import numpy as np

STATIONS = 24
PLACE = (np.arange(STATIONS) + 0.5) / STATIONS  # shares of the length from the head
FINE = 20  # points of a station, to share out ranges that end within one

State = dict[str, np.ndarray]  # all of float64


def blend(seconds: float, time: float) -> float:
    """Share of the way to its goal that a lag of first order goes in some seconds."""
    return 1.0 - float(np.exp(-seconds / time))


def weigh_range(start: float, end: float) -> np.ndarray:
    """Weights [24] of the mean over a part of the body, from start to end; none of an empty one."""
    points = (np.arange(STATIONS * FINE) + 0.5) / (STATIONS * FINE)
    inside = (points >= start) & (points < end)
    return inside.reshape(STATIONS, FINE).sum(axis=1) / max(inside.sum(), 1)
