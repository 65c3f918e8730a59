"""The random numbers of kernels are those of the published generators."""

import numpy as np
import pytest

from skitter.control.random import draw, next_random
from skitter.water.rain import next_random as next_of_rain

SEED = 1234567
# what the generators' authors' code gives for this seed; rosettacode.org has it in many languages
XORSHIFT_STAR = [3540625527, 2750739987, 4037983143, 1993361440, 3809424708]  # the upper 32 bits
SPLITMIX = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]


def test_creatures_draw_from_xorshift_star():
    """Vigna 2016"""
    state = np.array([SEED], np.uint64)
    assert [int(next_random(state) * 2**32) for _ in XORSHIFT_STAR] == XORSHIFT_STAR


def test_rain_draws_from_splitmix():
    """Steele 2014; the upper 53 bits of each are the number."""
    state = np.array([SEED], np.uint64)
    assert [next_of_rain(state) for _ in SPLITMIX] == [(x >> 11) / 2**53 for x in SPLITMIX]


def test_draws_fill_their_span():
    state = np.array([SEED], np.uint64)
    drawn = np.array([draw(state, -3.0, 5.0) for _ in range(2000)])
    assert -3.0 <= drawn.min() < -2.9 and 4.9 < drawn.max() < 5.0
    assert drawn.mean() == pytest.approx(1.0, abs=4 * 8 / np.sqrt(12 * 2000))  # of four sigma
