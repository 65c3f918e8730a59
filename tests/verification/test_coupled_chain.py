"""The coupled chain keeps its momentum and never gains energy."""

import numpy as np
import pytest

from bodies import NO_TERRAIN, chain, figure
from skitter.creatures.measures import compute_energies, compute_momentum

THROWN = {"velocity": (1, 2, 3), "spin_deg": (20, 30, 40), "velocity_noise": 3.0, "at": (2, 1, -3)}
LIGHT = [
    {"name": "hub", "shape": "box", "size": [0.6, 0.6, 0.6]},
    {
        "name": "rod",
        "shape": "capsule",
        "radius": 0.3,
        "length": 0.5,
        "parent": "hub",
        "face": "+x",
    },
    {
        "name": "arm",
        "shape": "box",
        "size": [0.5, 0.4, 0.3],
        "parent": "hub",
        "face": "+z",
        "repeat": 2,
    },
    {
        "name": "leg",
        "shape": "box",
        "size": [0.5, 0.9, 0.3],
        "parent": "hub",
        "face": "-y",
        "joint": {"length": 0.7, "section": [0.4, 0.3], "cells": [3, 2, 1]},
    },
]


def drift(values, first):
    return np.abs(np.array(values) - first).max() / np.linalg.norm(first)


@pytest.mark.parametrize("damping", [0.0, 50.0])
@pytest.mark.parametrize("build", [chain, lambda **k: figure(LIGHT, **k)])
def test_momentum_is_kept(build, damping):
    body = build(material={"damping": damping}, **THROWN)
    linear, angular = compute_momentum(body)
    history = []
    for _ in range(20):
        body.advance(500, NO_TERRAIN)
        history.append(compute_momentum(body))
    assert drift([h[0] for h in history], linear) < 1e-6
    assert drift([h[1] for h in history], angular) < 1e-6


def test_damping_leaves_a_spinning_body_alone():
    """Fang 2015 eq. A.23 taken literally would stop the spin within a tenth of a second."""
    body = chain(4, spin_deg=(0, 60, 0), material={"damping": 50.0})
    body.advance(3000, NO_TERRAIN)  # let it stretch
    before = sum(compute_energies(body))
    body.advance(6000, NO_TERRAIN)
    assert sum(compute_energies(body)) == pytest.approx(before, rel=0.02)


@pytest.mark.slow
def test_energy_falls_and_never_grows():
    """Averaged over the slowest vibration, the energy of a damped chain falls all the way, over
    100,000 steps."""
    body = chain(6, material={"damping": 50.0}, **THROWN)
    energy = []
    for _ in range(1000):
        body.advance(100, NO_TERRAIN)
        energy.append(sum(compute_energies(body)))
    averaged = np.array(energy).reshape(20, 50).mean(axis=1)  # 50 samples are 1.67 s
    assert (np.diff(averaged) <= 1e-9 * averaged[0]).all()
    assert max(energy) <= energy[0]


def test_undamped_energy_stays_bounded():
    """Without damping the symplectic step keeps the energy, give or take its oscillation."""
    body = chain(6, material={"damping": 0.0}, **THROWN)
    start = sum(compute_energies(body))
    energy = []
    for _ in range(100):
        body.advance(300, NO_TERRAIN)
        energy.append(sum(compute_energies(body)))
    assert max(energy) < 1.05 * start
    assert np.mean(energy[50:]) == pytest.approx(np.mean(energy[:50]), rel=0.02)
