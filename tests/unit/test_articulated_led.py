"""How a walker of links is led: how often it steps, and how far on either side."""

import numpy as np
import pytest

from skitter.creatures.articulated.articulated import Articulated
from skitter.creatures.physics import Physics
from skitter.scene.load import load_scene
from skitter.scene.spec import CreaturePlacement


@pytest.fixture(scope="module")
def roach():
    species = load_scene("roach_tripod").species[0]
    placement = CreaturePlacement(species="roach")
    physics = Physics(1 / 3000, 981.0, np.float64)
    return Articulated("roach", species, placement, physics, np.random.default_rng(0))


@pytest.mark.parametrize("turn", [0.3, -0.8, 1.2])
def test_turning_on_the_spot_takes_the_steps_that_it_needs(roach, turn):
    """Strides that differ by 2 turn it by `gait.turn` at the full frequency, else by less."""
    gait = roach.species.gait
    roach.lead(0.0, turn)
    frequency, left, right, walks = roach.drive
    assert walks == 1 and left == pytest.approx(-right)
    assert (right - left) / 2 * frequency / gait.master * gait.turn == pytest.approx(turn)


@pytest.mark.parametrize("speed", [0.2, 3.0, 6.0, -4.0])
def test_speed_is_frequency_times_stride(roach, speed):
    gait = roach.species.gait
    roach.lead(speed, 0.0)
    frequency, left, right, _ = roach.drive
    assert left == right and abs(left) <= 1
    assert left * frequency / gait.master * gait.pace == pytest.approx(speed)


def test_it_stands_if_told_neither(roach):
    roach.lead(0.0, 0.0)
    assert roach.drive[3] == 0
