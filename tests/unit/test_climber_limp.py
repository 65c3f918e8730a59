"""One for whom a step of the engine does not work out: it falls, and the world goes on."""

import numpy as np
import pytest

from skitter.control.climbing.model import FALLS
from skitter.errors import SimulationError
from skitter.world import World

SCENE = {
    "title": "t",
    "terrain": [{"shape": "plane"}],
    "creatures": [
        {"species": "ant", "at": [4 * k, 1, 0], "with": {"detail": {"level": "full"}}}
        for k in range(2)
    ],
}


def build() -> World:
    world = World.from_scene(SCENE, seed=2, threads=1)
    for _ in range(30):
        world.advance()
    return world


def spoil(world: World, steps: int, speed: float = np.nan) -> None:
    """Have the first one's next steps come out with such a speed of a joint, rad/s."""
    engine = world.creatures[0].rig.engine
    plain, left = engine.advance, [None] * steps

    def advance(model, data):
        plain(model, data)
        if left:
            left.pop()
            data.qvel[20] = speed

    engine.advance = advance


@pytest.mark.parametrize("speed", [np.nan, 5e3])  # the second: one that is about to
def test_one_that_flies_apart_falls_and_gets_up(speed):
    world = build()
    first, second = world.creatures
    before = first.body.place.copy()
    spoil(world, 1, speed)
    world.advance()
    assert first.mind.count[FALLS] == 1 and second.mind.count[FALLS] == 0
    assert np.linalg.norm(first.body.place - before) < 0.1
    for _ in range(240):
        world.advance()
    assert first.mind.count[FALLS] == 1
    assert np.linalg.norm(first.body.place - before) > 0.5  # it has walked on


def test_it_goes_on_the_same_from_a_state():
    ends = []
    for again in (False, True):
        world = build()
        spoil(world, 1)
        world.advance()
        if again:
            kept, world = world.state(), build()
            world.restore(kept)
        for _ in range(20):
            world.advance()
        ends.append(world.read())
    assert all(np.array_equal(ends[0][name], ends[1][name]) for name in ends[0])


@pytest.mark.parametrize("later", [False, True])
def test_one_that_fails_at_once_again_is_told(later):
    world = build()
    spoil(world, 1 if later else 2)
    if later:
        world.advance()
        spoil(world, 1)
    with pytest.raises(SimulationError, match=r"'ant' flies apart; try"):
        world.advance()
