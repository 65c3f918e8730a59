"""Which bodies of a pack are looked at for contact."""

import numpy as np

from bodies import plane
from skitter.compiled import LANES
from skitter.rigid.bodies import FRAME_ROWS, POSITION, STATE_ROWS, VELOCITY
from skitter.rigid.contact import find_near_lanes


def test_those_that_legs_carry_and_those_without_probes_are_left_alone():
    """All just above the ground but the last, which is high up."""
    state, frame = np.zeros(STATE_ROWS), np.zeros(FRAME_ROWS)
    state[POSITION + LANES : POSITION + 2 * LANES] = 0.4
    state[VELOCITY + LANES : VELOCITY + 2 * LANES] = -1.0
    state[POSITION + 2 * LANES - 1] = 40.0
    reach, carried = np.full(LANES, 0.5), np.zeros(LANES, bool)
    carried[0], reach[1] = True, -1.0
    clear, near = np.zeros(LANES), np.zeros(LANES, bool)
    assert find_near_lanes(plane().arrays, state, frame, reach, carried, 1e-3, clear, near)
    assert near.tolist() == [False, False, *[True] * (LANES - 3), False]
    carried[:] = True
    assert not find_near_lanes(plane().arrays, state, frame, reach, carried, 1e-3, clear, near)
    assert not near.any()
