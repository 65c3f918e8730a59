"""Claims about worms: what their numbers are made of, on cases worked by hand."""

import numpy as np
import pytest
from fake_worms import crawl

from skitter.claims.mujika2018 import tell_gain
from skitter.claims.mujika2018_muscles import find_yaw_rate, tell_change
from skitter.measure.worm import follow


def test_smallest_gain_decides():
    assert tell_gain({"a": 1.0, "b": 3.0, "c": 3.5}, "").value == 0.5
    assert tell_gain({"a": 1.0, "b": 3.0, "c": 2.5}, "").value == -0.5
    assert np.isnan(tell_gain({"a": 1.0, "b": np.nan, "c": 2.5}, "").value)


def test_largest_change_decides():
    assert tell_change({"default": 0.5, "half": 0.4, "twice": 0.55}).value == pytest.approx(0.2)
    assert np.isnan(tell_change({"default": 0.5, "half": np.nan, "twice": 0.5}).value)


@pytest.mark.parametrize("rate", [0.0, 4.0, -4.0])
def test_yaw_rate_is_positive_to_the_left(rate):
    """A crawl that is turned as a whole about the vertical, from ahead (x) to the left (-z)."""
    time, line = crawl()
    angle = np.radians(rate) * np.asarray(time)[:, None]
    x, z = line[..., 0], line[..., 2]
    turned = np.stack(
        [
            x * np.cos(angle) + z * np.sin(angle),
            line[..., 1],
            z * np.cos(angle) - x * np.sin(angle),
        ],
        axis=-1,
    )
    straight = find_yaw_rate(follow(time, line))
    assert find_yaw_rate(follow(time, turned)) - straight == pytest.approx(rate, abs=0.3)
