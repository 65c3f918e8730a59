"""Water in a running world: it moves beside the creatures, and everything can be gone on from."""

import numpy as np
import pytest

import skitter
from skitter.errors import UserError
from skitter.events import MoveThing, PlaceObstacle, SetGravity, SetRain

SCENE = {
    "title": "A chain falls into a pond",
    "seconds": 0.25,
    "terrain": [{"shape": "plane", "at": [0, -4, 0]}],
    "creatures": [{"species": "chain", "at": [0, 1.5, 0], "velocity": [40, 0, 0]}],
    "water": {"area": [24, 24], "cell": 0.4, "edges": "open", "follow": "chain", "rain": 60},
}
POST = {"shape": "cylinder", "at": [3, 0, 4], "radius": 1.5, "length": 4}


def make_world(**options):
    return skitter.World.from_scene(SCENE, seed=3, **options)


def assert_same(first, second):
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[key], second[key], equal_nan=True) for key in first)


def is_flat(world):
    return bool(np.nanmax(abs(world.read()["water_surface"])) < 1e-4)


def test_threads_and_order_change_nothing():
    worlds = [make_world(threads=threads) for threads in (1, 3)]
    for world in worlds:
        world.advance(0.2)
        world.close()
    assert_same(worlds[0].state(), worlds[1].state())
    assert not is_flat(worlds[0]) and worlds[0].water.moved[0] > 0


def test_a_state_is_enough_to_go_on_from():
    world, other = make_world(spare=2), make_world(spare=2)
    world.advance(0.1)
    world.apply(PlaceObstacle(POST))
    world.apply(SetRain(500))
    other.restore(world.state())
    for one in (world, other):
        one.advance(0.1)
        one.apply(MoveThing("obstacle", 0, (4, 0, 4)))
        one.advance(0.05)
    assert_same(world.state(), other.state())
    assert_same(world.read(), other.read())
    assert other.scene.spec.water.rain == 500


def test_a_body_makes_waves_and_none_come_from_nowhere():
    """Without a body in it, and without rain, water is still; what falls in splashes."""
    world = skitter.World.from_scene(SCENE, overrides=["water.rain=0", "creatures.0.at.1=30"])
    world.advance(0.1)
    assert is_flat(world)
    world = skitter.World.from_scene(SCENE, overrides=["water.rain=0"])
    world.advance(0.25)
    assert not is_flat(world)


def test_rain_is_set_while_the_world_runs():
    world = skitter.World.from_scene(SCENE, overrides=["water.rain=0", "creatures.0.at.1=30"])
    world.apply(SetRain(300))
    world.advance(0.1)
    assert not is_flat(world) and world.scene.to_dict()["water"]["rain"] == 300
    with pytest.raises(UserError, match=r"set rain: water\.rain must be a number from 0 to 10,000"):
        world.apply(SetRain(-1))
    dry = skitter.World.from_scene("falling_chain")
    with pytest.raises(UserError, match="set rain: there is no water with waves"):
        dry.apply(SetRain(1))


def test_gravity_may_change_with_water():
    world = make_world()
    for gravity in (0.0, -500.0, 300.0):
        world.apply(SetGravity(gravity))
        world.advance(0.05)
    assert world.water.pool.numbers.gravity == 300
    assert np.isfinite(world.water.pool.surface).all()


def test_water_is_recorded_and_a_run_is_resumed(tmp_path):
    whole = skitter.run(SCENE, seed=3)
    skitter.run(SCENE, seed=3, seconds=0.1, output=tmp_path / "out")
    resumed = skitter.run(SCENE, seed=3, output=tmp_path / "out", resume=True)
    for name in ("water_surface", "water_origin", "water_volume", "chain.body_position"):
        assert np.array_equal(whole[name], resumed[name], equal_nan=True)
    assert whole["water_surface"].shape == (whole.frame_count, 60, 60)
    assert whole.static("water_cell") == pytest.approx(0.4)
    assert whole.scene["water"]["follow"] == "chain"


OFF = ["water.waves=false", "water.rain=0", "water.follow=null"]


def test_flat_water_records_nothing():
    world = skitter.World.from_scene(SCENE, overrides=OFF)
    world.advance(0.1)
    assert not [name for name in world.read() if name.startswith("water")]
    state = world.state()
    world.restore(state)
