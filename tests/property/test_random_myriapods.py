"""Any myriapod that a species file may describe walks without a number that is none."""

from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from skitter.errors import UserError
from walkers import build_world

legs = st.fixed_dictionaries(
    {
        "links": st.lists(st.floats(0.4, 1.2), min_size=3, max_size=3),
        "ankle_deg": st.floats(0, 60),
        "foot": st.floats(0.5, 0.8),
        "back_deg": st.floats(-45, -10),
        "front_deg": st.floats(10, 45),
        "lift_deg": st.floats(10, 60),
        "swing": st.floats(0.08, 0.4),
        "adjust_deg": st.floats(-10, 20),
        "wave": st.sampled_from(["backward", "forward"]),
        "sides": st.sampled_from(["together", "apart", "free"]),
        "scale": st.lists(st.floats(0.8, 1.2), min_size=2, max_size=2),
    }
)


@settings(max_examples=25, deadline=timedelta(seconds=60), suppress_health_check=list(HealthCheck))
@given(legs, st.integers(3, 30), st.floats(0.5, 1.2), st.floats(0.5, 6), st.integers(0, 2**32))
def test_random_species_walk(leg, segments, height, speed, seed):
    changes = {
        "segments": segments,
        "leg": leg,
        "walk": {"height": height, "speed": speed},
        "joint": {"length": 0.5, "cells": [1, 1, 1]},
    }
    try:
        world = build_world(seed=seed, **{"with": changes})
    except UserError as error:  # legs that cannot stand, or are too slow, are refused
        assert "cannot stand" in str(error) or "walk.speed" in str(error)
        assume(False)
    world.advance(2.0)
    values = world.read()
    assert all(np.isfinite(each).all() for each in values.values())
    assert values["one.leg_point"][:, 3, 1].min() > -0.02 * sum(leg["links"])
