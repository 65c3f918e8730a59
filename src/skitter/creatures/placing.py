"""What creatures of all kinds do with their place in a scene: find the ground, obey commands."""

from collections.abc import Sequence

import numpy as np

from skitter.scene.spec import Command
from skitter.terrain import Terrain

TRIES = 60  # to find the ground


def find_rise(terrain: Terrain, points: np.ndarray) -> float:
    """How far up a body of points [n, 3] must go to lie on the terrain, cm; down where negative."""
    rise = 0.0
    for _ in range(TRIES):
        gap = float(terrain.sample(points + np.array([0.0, rise, 0.0]))[0].min())
        rise -= gap
        if abs(gap) < 1e-6:
            break
    return rise


def find_due(commands: Sequence[Command], time: float) -> Command | None:
    """The latest of some commands, sorted by time, whose time has come."""
    due = [command for command in commands if command.time <= time + 1e-9]
    return due[-1] if due else None
