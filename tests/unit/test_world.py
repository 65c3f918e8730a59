"""The world as Python sees it: what is refused, and what a failure leaves behind."""

import gc

import numpy as np
import pytest

import skitter
from skitter.errors import SimulationError, UserError


def test_wrong_numbers_are_refused_in_one_line():
    for options in ({"seed": -1}, {"threads": 0}):
        with pytest.raises(UserError, match="must be a whole number"):
            skitter.World.from_scene("falling_chain", **options)
    world = skitter.World.from_scene("falling_chain", overrides="gravity=3")
    assert world.scene.spec.gravity == 3
    for seconds in (float("nan"), float("inf"), -1, 0, 1e-9):
        with pytest.raises(UserError, match="cannot advance"):
            world.advance(seconds)


def test_state_of_another_scene_changes_nothing():
    world, other = (skitter.World.from_scene(name) for name in ("falling_chain", "jelly_drop"))
    before = world.state()
    other.advance()
    with pytest.raises(UserError, match="another scene"):
        world.restore(other.state())
    assert all(np.array_equal(before[key], value) for key, value in world.state().items())


def test_after_a_failure_nobody_moves_on():
    world = skitter.World.from_scene("jelly_drop", overrides=["frame_rate=5"], threads=2)
    state = world.state()
    world.creatures[0].soft_state.velocity[:] = 1e9
    with pytest.raises(SimulationError, match="softest"):
        world.advance()
    world.restore(state)
    assert all(np.array_equal(state[key], value) for key, value in world.state().items())


def test_dataset_of_a_temporary_recording_outlives_it():
    pytest.importorskip("xarray")
    dataset = skitter.run("falling_chain", seconds=0.05).dataset()
    gc.collect()
    assert np.isfinite(dataset["chain.body_position"].values).all()
