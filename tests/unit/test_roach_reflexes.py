"""Reflexes of the roach in whole walks: quiet on level ground, and of use where they should be."""

import pytest

from skitter.world import World

ALL_ON = {key: {"on": True} for key in ("step", "load", "elevator")}
LEVEL = {"shape": "plane", "friction": 0.7}
STAIR = {"shape": "box", "size": [20, 0.8, 20], "at": [12, 0, 0], "friction": 0.7}  # 0.4 cm high


def walk(seconds: float, *terrain: dict, **gait):
    """Where its centre of mass gets to along x, cm, and how often reflexes acted [3]."""
    roach = {"species": "roach", "name": "roach", "with": {"gait": gait}}
    world = World.from_scene({"title": "t", "terrain": [*terrain], "creatures": [roach]})
    rate = world.scene.spec.frame_rate
    for _ in range(round(seconds * rate)):
        world.advance(1 / rate)
    read = world.read()
    return float(read["roach.centre_of_mass"][0]), read["roach.reflex"].sum(axis=0)


@pytest.mark.parametrize("hertz", [3.0, 6.0, 10.0])
def test_no_reflex_acts_in_undisturbed_walking(hertz):
    """McKenna 1990 section 4.1: trigger values lie beyond the norm."""
    _, acted = walk(1.5, LEVEL, frequency=hertz, reflexes=ALL_ON)
    assert acted.tolist() == [0, 0, 0]


def test_elevator_reflex_climbs_a_stair_that_stops_it_otherwise():
    """McKenna 1990 section 3.2: a leg that meets an obstacle in its step lifts higher."""
    without, _ = walk(2.5, LEVEL, STAIR, frequency=5.0)
    reached, acted = walk(2.5, LEVEL, STAIR, frequency=5.0, reflexes={"elevator": {"on": True}})
    assert acted[2] > 0
    assert without < 2.0 < reached  # the stair begins at 2 cm
