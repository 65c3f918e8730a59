"""An eel with eyes that comes to a wall turns before it is there; one that backs off gets away."""

import numpy as np
import pytest

from skitter.control.sight import BACK_TIME
from skitter.creatures.swimmer import Swimmer
from skitter.species.swim import EyesSpec
from skitter.world import World

ALERT = EyesSpec().alert_range
FAR = 30.0  # cm, of the wall


def face_wall(preferred: str) -> World:
    """An eel that swims straight at a wall."""
    eyes = {"wander_deg": 0, "preferred": preferred}
    return World.from_scene(
        {
            "title": "A wall",
            "time_step": 1 / 2000,
            "water": {"level": 0, "waves": False},
            "terrain": [
                {"shape": "plane", "at": [0, -6, 0]},
                {"shape": "box", "at": [FAR + 1, 0, 0], "size": [2, 8, 400]},
            ],
            "creatures": [{"species": "eel", "at": [0, -0.3, 0], "with": {"eyes": eyes}}],
        }
    )


def follow_head(world: World, seconds: float) -> np.ndarray:
    """How far along x the head is [cm], ten times a second."""
    eel = world.creatures[0]
    assert isinstance(eel, Swimmer)
    along = []
    for _ in range(round(10 * seconds)):
        world.advance(0.1)
        along.append(float(eel.body_position[0, 0]))
    return np.array(along)


@pytest.mark.parametrize("preferred", ["left", "right"])
def test_it_turns_before_it_comes_to_a_wall(preferred):
    """Its tightest circle, of 8 cm, has room in the alert field."""
    world = face_wall(preferred)
    gaps = FAR - follow_head(world, 12.0)
    world.close()
    assert ALERT / 4 < gaps.min() < ALERT and gaps[-1] > gaps.min()


@pytest.mark.parametrize(("turn", "gets_away"), [(0.0, True), (1.0, False)])
def test_only_a_straight_body_backs_off(turn, gets_away):
    """Why it does not bend when it backs off: so it gains the room of its circle, else nothing."""
    world = face_wall("left")
    eel = world.creatures[0]
    assert isinstance(eel, Swimmer)
    eel.command(-8.0, turn * np.radians(eel.species.swim.turn_deg))
    back = -follow_head(world, BACK_TIME + 1.0)[-1]
    world.close()
    assert (back > 8.0) == gets_away
