"""How long a creature stayed in one place, on paths worked out by hand."""

import sys
from pathlib import Path

import numpy as np
import pytest

from skitter.measure.body import find_stay

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import soak

TIMES = np.arange(0.0, 100.5, 0.5)


def walk(speed):
    """Along x at so many cm/s."""
    return np.outer(speed * TIMES, [1.0, 0.0, 0.0])


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_a_walker_stays_as_long_as_it_takes_to_go_the_radius(speed):
    assert find_stay(walk(speed), TIMES, 2.0) == pytest.approx(2.0 / speed, abs=0.5)


def test_one_that_stands_stays_all_the_time():
    assert find_stay(np.zeros((len(TIMES), 3)), TIMES, 1.0) == 100.0


def test_a_rest_on_the_way_is_found():
    path = walk(1.0)
    path[60:120] = path[60]  # from 30 s on it stands for 29.5 s
    path[120:] -= path[120] - path[60]
    # and the radius to come away from there
    assert find_stay(path, TIMES, 2.0) == pytest.approx(29.5 + 2.0, abs=0.5)


def test_going_around_a_place_counts_as_staying_and_going_there_and_back_does_not():
    angle = 2 * np.pi * TIMES / 5
    ring = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
    assert find_stay(ring, TIMES, 2.1) == 100.0
    assert find_stay(5 * ring, TIMES, 2.1) < 1.0


def test_memory_that_grows_is_told_and_that_which_settles_is_not():
    assert soak.find_growth([100.0, 150.0, *[160.0] * 8]) == 0.0
    assert soak.find_growth([100.0 + 10 * k for k in range(10)]) == pytest.approx(60.0)


def test_a_short_soak_happens_again_and_what_is_not_well_is_told(tmp_path):
    scene = {
        "title": "a cube that glides",
        "seconds": 1,
        "creatures": [{"species": "cube", "at": [0, 1, 0], "velocity": [3, 0, 0]}],
    }
    found = soak.soak(scene, 1 / 60, 0, tmp_path / "recording")
    assert found["same_again"]
    assert found["simulated_s"] == pytest.approx(1.0)
    assert not soak.judge(found | {"longest_stay_s": {"cube": 61.0}})
    assert not soak.judge(found | {"memory_growth_mib": 100.0})
    assert not soak.judge(found | {"same_again": False})


@pytest.mark.slow
def test_the_zoo_lives_for_a_while_and_happens_again(tmp_path):
    """The short form of `make soak`."""
    found = soak.soak("zoo", 4 / 60, 0, tmp_path / "recording")
    assert found["same_again"]
    ants = [stay for name, stay in found["longest_stay_s"].items() if name.startswith("ant")]
    assert len(ants) == 6
    assert max(ants) < 2.0, "each goes half its length in less"
