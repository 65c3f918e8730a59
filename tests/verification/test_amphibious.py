"""Into the water and out of it (Fang 2015 section 6.3)."""

import numpy as np
import pytest

from skitter.claims.fang2015_water import enter, leave
from skitter.control.amphibious import choose_body_mode, update_submerged
from skitter.control.targeter import drive_bodies
from skitter.control.walker import (
    AIR_TO_GROUND,
    GROUND_TO_WATER,
    IN_AIR,
    IN_WATER,
    ON_GROUND,
    RANDOM_WALK,
    SPEED,
    STANCE,
    SWIMMING,
    TUCKED,
    WANTS_LAND,
    WATER_TO_GROUND,
)
from skitter.creatures.myriapod import Myriapod
from skitter.world import World
from states import goes_on_alike

SCENE = {
    "title": "A centipede over deep water",
    "terrain": [{"shape": "plane", "at": [0, -20, 0]}],
    "water": {"level": 0, "waves": False},
    "creatures": [{"species": "waterfall_centipede", "at": [0, -0.3, 0], "start": "free"}],
}


@pytest.fixture
def one() -> Myriapod:
    world = World.from_scene(SCENE)
    world.close()
    return world.creatures[0]


def update(one: Myriapod, level: float) -> np.ndarray:
    """Which bodies are submerged with the water at a level."""
    surface = np.full_like(one.wet_scratch.body_surface, level)
    active = one.swim_state.goal_active
    update_submerged(one.walker, one.walker_state, surface, one.body_state, active)
    one.walker_state.body_mode[0] = choose_body_mode(one.walker_state)
    return one.walker_state.submerged.copy()


def lay_ground(one: Myriapod, below: float, bodies=slice(None)) -> None:
    """Let bodies see the ground so far below them."""
    state = one.walker_state
    state.surface[bodies, :3] = one.body_centre[bodies] - [0.0, below, 0.0]
    state.surface[bodies, 3:] = [0.0, 1.0, 0.0]


def test_modes_of_the_table(one):
    state = one.walker_state
    assert choose_body_mode(state) == IN_AIR
    state.supported[3] = 1
    assert choose_body_mode(state) == AIR_TO_GROUND
    state.mode[0] = RANDOM_WALK
    assert choose_body_mode(state) == ON_GROUND
    state.body_mode[0], state.submerged[:3] = ON_GROUND, 1
    assert choose_body_mode(state) == GROUND_TO_WATER
    state.submerged[:] = 1
    assert choose_body_mode(state) == IN_WATER
    state.body_mode[0], state.submerged[0] = IN_WATER, 0
    assert choose_body_mode(state) == WATER_TO_GROUND


@pytest.mark.parametrize("held", [[], ["head"]])
def test_a_held_head_does_not_wade(held):
    placement = SCENE["creatures"][0] | {"held": held}
    one = World.from_scene(SCENE | {"creatures": [placement]}).creatures[0]
    state = one.walker_state
    state.body_mode[0], state.mode[0], state.submerged[:] = GROUND_TO_WATER, RANDOM_WALK, 1
    state.head[SPEED] = 5.0
    drive_bodies(
        one.walker, state, False, 1 / 3000, np.float32(981), one.body_state, one.body_scratch.frame
    )
    assert (one.body_velocity[0] != 0).any() == (not held)


def test_on_the_way_in_a_middle_below_the_surface_is_submerged(one):
    one.walker_state.body_mode[0] = ON_GROUND
    height = one.walker.goal.height[0]
    y = one.body_centre[:, 1].mean()
    assert not update(one, y + 0.05 * height).any()
    assert update(one, y + 0.2 * height).all()
    assert one.swim_state.goal_active.all()


def test_in_water_nobody_comes_out_but_by_the_head_that_wants(one):
    state = one.walker_state
    state.body_mode[0], state.submerged[:] = IN_WATER, 1
    lay_ground(one, 0.5)
    assert update(one, 1.0).all()  # ground in reach, but no wish
    state.head[WANTS_LAND] = 1.0
    assert not update(one, 1.0).any()  # all reach, each after the one before
    assert state.body_mode[0] == WATER_TO_GROUND  # as long as middles are below the surface
    assert not update(one, -5.0).any() and state.body_mode[0] != WATER_TO_GROUND


def test_those_without_ground_stay_in_the_water(one):
    state = one.walker_state
    state.body_mode[0], state.submerged[:], state.head[WANTS_LAND] = IN_WATER, 1, 1.0
    lay_ground(one, 10.0)
    lay_ground(one, 0.5, slice(0, 4))
    assert update(one, 1.0).tolist() == [0] * 4 + [1] * (len(state.submerged) - 4)
    assert one.swim_state.goal_active.tolist()[:5] == [0, 0, 0, 0, 1]


def test_a_swimming_centipede_has_its_legs_tucked():
    world = World.from_scene(SCENE)
    world.advance(2.0)
    state = world.creatures[0].walker_state
    world.close()
    assert (state.leg_state == TUCKED).all() and state.mode[0] == SWIMMING
    assert state.body_mode[0] == IN_WATER and not state.supported.any()


def test_it_walks_in_and_swims_off():
    sequence, swum = enter(30.0)
    assert sequence[:3] == [ON_GROUND, GROUND_TO_WATER, IN_WATER] and swum > 0.5


@pytest.mark.parametrize("shore", ["island", "pillar"])
def test_it_climbs_out(shore):
    assert leave(shore, -36.0, 20.0) == [IN_WATER, WATER_TO_GROUND, ON_GROUND]


def test_in_and_out_is_the_same_from_a_state_in_between():
    """A state taken while half of the body is in water goes on to the last bit."""
    scene = {
        **SCENE,
        "terrain": [
            {
                "shape": "heightfield",
                "at": [0, 1, 0],
                "hills": [{"at": [25, 0], "height": -8, "width": 10}],
            }
        ],
        "creatures": [{"species": "waterfall_centipede", "at": [2, 3, 0]}],
    }
    world = World.from_scene(scene)
    world.advance(1.5)
    assert STANCE in world.creatures[0].walker_state.leg_state
    assert world.creatures[0].walker_state.submerged.any()
    assert goes_on_alike(world)
