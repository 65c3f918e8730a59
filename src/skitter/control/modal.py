"""A body bent by one of its own vibration modes, now one way and now the other.

Mujika 2018 eq. 1: for a sixth of each half cycle the forces that hold the mode's shape rise and
fall as sin², the rest of the time there are none.
"""

import numpy as np

ACTIVE = 1 / 6  # of a cycle, each way


def find_level(phase: float) -> float:
    """How strongly the mode is driven at a phase in cycles: 0 to 1, or 0 to -1 the other way."""
    phase %= 1.0
    way = 1.0 if phase < 0.5 else -1.0
    since = phase % 0.5
    return way * float(np.sin(6 * np.pi * since) ** 2) if since < ACTIVE else 0.0
