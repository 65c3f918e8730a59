"""Random numbers inside kernels: one small generator per creature, kept in its state."""

import numpy as np

from skitter.compiled import kernel


@kernel
def next_random(state):
    """A number from 0 to 1 (xorshift64*, Vigna 2016); state holds one uint64 that is not 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.float64((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@kernel
def draw(state, low, high):
    return low + (high - low) * next_random(state)
