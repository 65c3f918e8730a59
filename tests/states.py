"""States of worlds, taken and gone back to."""

from skitter.world import World


def goes_on_alike(world: World, seconds: float = 0.5) -> bool:
    """Whether a world that goes back to its present state goes on to the same bits; closes it."""
    before = world.state()
    world.advance(seconds)
    first = world.state()
    world.restore(before)
    world.advance(seconds)
    again = world.state()
    world.close()
    return all(first[key].tobytes() == again[key].tobytes() for key in first)
