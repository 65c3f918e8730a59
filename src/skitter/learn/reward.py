"""Rewards: how fast a creature goes where it shall, less what it asks for, less falling.

    reward = FORWARD v - CONTROL mean(action^2) - FALL (if it has fallen or flown apart)

with v its velocity along the world's +x during the step, in body lengths a second: how far the
middle of its body has come, over the step's time.
"""

from typing import NamedTuple

import numpy as np

FORWARD = 1.0  # for a body length a second
CONTROL = 0.05
FALL = 5.0


class Reward(NamedTuple):
    """The parts of rewards [creature]."""

    forward: np.ndarray
    control: np.ndarray
    fall: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return np.asarray(self.forward + self.control + self.fall)


def judge(
    way: np.ndarray, length: float, seconds: float, actions: np.ndarray, down: np.ndarray
) -> Reward:
    """Rewards for a way [creature] along +x, cm, with some actions; `down` are those that fell."""
    forward = FORWARD * way / (length * seconds)
    control = -CONTROL * (actions**2).mean(axis=1)
    return Reward(np.where(down, 0.0, forward), control, np.where(down, -FALL, 0.0))
