"""Movable objects as shapes: boxes, balls and cylinders with mass and friction."""

from typing import NamedTuple

import numpy as np

BOX_SHAPE, BALL, ROLLER = 0, 1, 2  # of BlockShape.shape


class BlockShape(NamedTuple):
    """A movable object."""

    shape: int  # BOX_SHAPE, BALL or ROLLER, a cylinder along its own x
    size: tuple[float, float, float]  # cm, edges of the box around it
    mass: float  # g
    friction: float

    @property
    def inertia(self) -> np.ndarray:
        """About its own axes [3], g cm2."""
        x, y, z = np.square(self.size)
        if self.shape == BOX_SHAPE:
            return self.mass / 12 * np.array([y + z, x + z, x + y])
        if self.shape == BALL:
            return self.mass / 10 * np.array([x, x, x])
        across = self.mass * (x / 12 + y / 16)
        return np.array([self.mass * y / 8, across, across])


class BlockState(NamedTuple):
    """Where an object is, and how it moves."""

    place: np.ndarray  # [3] cm, its middle
    turn: np.ndarray  # [3, 3] its axes as columns
    velocity: np.ndarray  # [3] cm/s
    spin: np.ndarray  # [3] rad/s, in the world's axes
