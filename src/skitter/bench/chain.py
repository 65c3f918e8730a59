"""`skitter bench chain`: the body of 18 boxes and 17 soft blocks, all of a step, on a plane."""

import time

import numpy as np

from skitter.bench import Record, make_record
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.scene.spec import CreaturePlacement, PlaneTerrain
from skitter.species.spec import FigureSpec
from skitter.terrain import build_terrain

STEP_RATES = (3000, 600)  # steps per simulated second
CHAIN = {
    "kind": "figure",
    "title": "18 boxes joined by 17 soft blocks of 3 x 3 x 3 nodes",
    "parts": [
        {
            "name": "box",
            "shape": "box",
            "size": [0.6, 0.5, 0.8],
            "repeat": 18,
            "joint": {"length": 1.0, "cells": [2, 2, 2]},
        }
    ],
}


def build_chain(real: type, rate: float = 3000.0, gravity: float = 9.8) -> Figure:
    """The benchmark body, a centimetre above the ground."""
    placement = CreaturePlacement(species="chain", at=(0.0, 1.25, 0.0))
    physics = Physics(1 / rate, gravity, real)
    return Figure(
        "chain", FigureSpec.model_validate(CHAIN), placement, physics, np.random.default_rng(0)
    )


def run_chain() -> list[Record]:
    """Steps per second, on one core; the baseline is real time, so the ratio is the real-time
    factor."""
    return [measure_chain(real, rate) for real in (np.float32, np.float64) for rate in STEP_RATES]


def measure_chain(real: type, rate: float) -> Record:
    ground = build_terrain([PlaneTerrain(shape="plane")])
    figure = build_chain(real, rate)
    figure.advance(round(2 * rate), ground)  # let it fall and settle
    best = np.inf
    for _ in range(25):
        start = time.perf_counter()
        figure.advance(400, ground)
        best = min(best, (time.perf_counter() - start) / 400)
    return make_record(f"chain-{np.dtype(real).name}-{rate:g}", 1 / best, "steps/s", rate)
