"""States of worlds, taken and gone back to."""

from collections.abc import Mapping

import numpy as np

from skitter.world import World


def same_state(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> bool:
    """Whether two states are the same to the bit."""
    return one.keys() == other.keys() and all(
        one[key].tobytes() == other[key].tobytes() for key in one
    )


def goes_on_alike(world: World, seconds: float = 0.5) -> bool:
    """Whether a world that goes back to its present state goes on to the same bits; closes it."""
    before = world.state()
    world.advance(seconds)
    first = world.state()
    world.restore(before)
    world.advance(seconds)
    again = world.state()
    world.close()
    return same_state(first, again)
