"""Scenes that could only fly apart are refused before anything is simulated, with a way out."""

import re

import numpy as np
import pytest

from skitter.errors import SimulationError, UserError
from skitter.scene.load import load_scene
from skitter.start.blame import explain_failure
from skitter.world import World

PLANE = {"shape": "plane"}


def build(terrain, *creatures, **fields):
    scene = {"title": "t", "gravity": 9.8, "terrain": terrain, "creatures": creatures, **fields}
    return World(load_scene(scene), threads=1)


def refuse(terrain, *creatures, **fields) -> str:
    with pytest.raises(UserError) as caught:
        build(terrain, *creatures, **fields)
    return str(caught.value)


def test_a_body_inside_a_hill_is_refused():
    line = refuse([PLANE], {"species": "chain", "at": [0, -1, 0]})
    # a segment is 0.5 high, so its lower face lies 1 + 0.25 deep
    assert line == (
        "creatures[0].at puts part 'segment_1' of 'chain' 1.25 cm deep into terrain[0], a plane;"
        " valid: at most 0.25 cm, half its smallest size, as with at: [0, 0.2625, 0]"
    )


def test_the_creature_and_the_shape_are_named():
    hill = {"shape": "sphere", "at": [10, 0, 0], "radius": 2}
    safe, inside = {"species": "jelly_cube", "at": [0, 2, 0]}, {"species": "jelly_cube"}
    line = refuse([PLANE, hill], safe, {**inside, "name": "lost", "at": [10, 1, 0]})
    # the node at (10, 0.5, 0) is nearest to the centre of the ball
    assert (
        "creatures[1].at puts part 'cube' of 'lost' 1.5 cm deep into terrain[1], a sphere" in line
    )


def test_the_proposed_place_is_accepted():
    hills = [PLANE, {"shape": "box", "at": [0, 0, 0], "size": [4, 6, 4], "turn_deg": [0, 0, 20]}]
    creature = {"species": "chain", "turn_deg": [10, 20, 30]}
    line = refuse(hills, creature)
    place = [float(x) for x in re.search(r"as with at: \[(.*)\]", line)[1].split(",")]
    build(hills, {**creature, "at": place})


@pytest.mark.parametrize("at", [[0, 0, 0], [0, 0.3, 0]])
def test_a_little_overlap_is_let_through(at):
    build([PLANE], {"species": "jelly_cube", "at": at})


def test_fixed_parts_may_be_inside():
    """They touch nothing: a plate may be set into a wall."""
    wall = {"shape": "box", "at": [0, 6, 0], "size": [4, 2, 4]}
    build([wall], {"species": "ceiling_light", "at": [0, 4.95, 0]})
    parts = {"plate": {"fixed": False}}
    line = refuse([wall], {"species": "ceiling_light", "at": [0, 5.1, 0], "with": {"parts": parts}})
    assert "part 'plate'" in line


def test_a_capsule_is_as_deep_as_its_round_side():
    parts = [{"name": "rod", "shape": "capsule", "radius": 0.5, "length": 2}]
    creature = {"species": "chain", "with": {"parts": parts}}
    build([PLANE], {**creature, "at": [0, 0, 0]})
    assert "'rod' of 'chain' 0.7 cm deep" in refuse([PLANE], {**creature, "at": [0, -0.2, 0]})


def test_too_far_out_for_single_precision():
    far = {"species": "chain", "at": [1e6, 2, 0]}
    line = refuse([], far)
    assert "1e+06 cm from the origin, where numbers of float32 are too coarse" in line
    assert line.endswith("valid: within 4.2e+04 cm or precision: float64")
    build([], far, precision="float64")


def test_too_long_a_step_is_refused_by_the_world():
    stiff = {"species": "chain", "with": {"material": {"young": 1e9}}}
    assert "time_step must be at most" in refuse([], stiff)
    damped = {"species": "chain", "with": {"material": {"damping": 1e5}}}
    assert "material.damping of 'chain' must be at most" in refuse([], damped)


FLYING = [
    ({"velocity_noise": 3000}, {}, "creatures[1].velocity_noise of 3e+03 cm/s makes 'b' fly apart"),
    ({"velocity": [0, 0, 8000]}, {}, "creatures[1].velocity of 8e+03 cm/s makes 'b' fly apart"),
    ({}, {"gravity": -9e4}, "gravity of -9e+04 cm/s² makes 'b' fly apart in the first frame"),
]


@pytest.mark.parametrize(("placement", "fields", "expected"), FLYING)
def test_the_cause_of_a_failure_is_named(placement, fields, expected):
    still = {"species": "jelly_cube", "name": "a"}
    flying = {"species": "ceiling_light", "name": "b", "at": [0, 9, 0], **placement}
    world = build([], still, flying, **fields, time_step=1 / 1000)
    with pytest.raises(SimulationError):
        world.advance()
    line = explain_failure(world.scene, world.creatures, "it failed")
    assert line.startswith(expected)
    assert line.endswith("valid: less, a stiffer material or a shorter time_step")


def test_a_failure_without_a_visible_cause_is_said_to_be_one():
    world = build([], {"species": "chain"})
    world.creatures[0].body_state.rows[:] = np.nan
    line = explain_failure(world.scene, world.creatures, "it failed")
    assert line.startswith(
        "'chain' flies apart in the first frame; valid: a shorter time_step than"
    )


def test_nobody_is_blamed_where_nobody_flew_apart():
    """Water, or a creature of another physics, may fail with all creatures whole."""
    world = build([], {"species": "chain"})
    told = "frame 1: the water is no longer finite"
    assert explain_failure(world.scene, world.creatures, told) == told
