"""Movable objects as creatures of a world."""

import numpy as np
import pytest

from skitter.creatures.climber.blocks import Block, build_shape
from skitter.creatures.climber.shapes import BALL, BOX_SHAPE, ROLLER
from skitter.creatures.physics import Physics
from skitter.scene.spec import CreaturePlacement
from skitter.species.object import ObjectSpec

SHAPES = {
    "box": {"size": (4.0, 2.0, 1.0)},
    "sphere": {"radius": 1.5},
    "cylinder": {"radius": 1.0, "length": 5.0},
}


def make_block(shape: str = "box", **placement) -> Block:
    species = ObjectSpec(kind="object", title="t", shape=shape, density=0.5, **SHAPES[shape])
    place = CreaturePlacement(species="t", **placement)
    rng = np.random.default_rng(0)
    return Block("t", species, place, Physics(1 / 500, 981.0, np.float64), rng)


@pytest.mark.parametrize(
    ("shape", "kind", "volume"),
    [
        ("box", BOX_SHAPE, 8.0),
        ("sphere", BALL, 4 / 3 * np.pi * 1.5**3),
        ("cylinder", ROLLER, np.pi * 5),
    ],
)
def test_mass_is_volume_times_density(shape, kind, volume):
    found = build_shape(make_block(shape).species)
    assert found.shape == kind
    assert found.mass == pytest.approx(0.5 * volume)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_balls_fill_the_shape_and_do_not_reach_out_of_it(shape):
    block = make_block(shape, at=(3, 4, 5), turn_deg=(20, 40, 60))
    balls = block.list_balls()
    local = (balls[:, :3] - block.block.place) @ block.block.turn
    half = np.array(block.shape.size) / 2
    reach = np.abs(local).max(axis=0) + balls[:, 3].max()
    assert np.allclose(reach, half)


def test_a_push_at_the_middle_only_shifts_and_one_at_the_end_also_turns():
    block = make_block(at=(0, 0, 0))
    block.push(np.zeros(3), np.array([0, 10.0, 0]))
    assert np.allclose(block.block.velocity, [0, 10, 0])
    assert np.allclose(block.block.spin, 0)
    block.push(np.array([2.0, 0, 0]), np.array([0, 10.0, 0]))
    # an impulse m v at the arm r turns by m v r / I, and I about z is m (4^2 + 2^2) / 12
    assert np.allclose(block.block.spin, [0, 0, 10 * 2 / (20 / 12)])


def test_what_is_recorded_is_declared():
    block = make_block("cylinder", velocity=(1, 2, 3))
    values, channels = block.read(), block.list_channels()
    assert set(values) == {one.name for one in channels}
    for one in channels:
        assert values[one.name].shape == one.shape
        assert values[one.name].dtype == one.dtype
    assert values["t.velocity"].tolist() == [1, 2, 3]
    statics = {one.name: one.values for one in block.list_statics()}
    assert statics["t.body_size"].tolist() == [[5, 2, 2]]


def test_a_state_put_back_is_the_state_kept():
    block = make_block(at=(1, 2, 3), turn_deg=(10, 0, 0))
    kept = block.state()
    block.push(np.ones(3), np.ones(3))
    block.block.place[:] = 7
    block.restore(kept)
    assert all(np.array_equal(value, kept[key]) for key, value in block.state().items())
