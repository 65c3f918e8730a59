"""A search without any simulation; apart from the tests, so that processes load it quickly."""

import numpy as np

from skitter.study.tune import Outcome

LOWEST = (4.0, 0.1, 12.0)  # the values at which a bowl is lowest
BOWL = {
    "title": "a bowl",
    "scene": "falling_chain",
    "seconds": 0.1,
    "parameters": [
        {"path": "gravity", "range": [0, 20]},
        {"path": "terrain[0].friction", "range": [0.001, 1], "scale": "log"},
        {"path": "creatures.0.at.1", "range": [8, 16]},
    ],
    "objective": [{"measure": "speed", "goal": "larger"}],
    "population": 6,
    "generations": 5,
    "seed": 7,
}


def bowl(plan, values, run):
    """A shifted quadratic over the unit cube, a tenth as steep along each next axis."""
    away = np.subtract(plan.locate(values), plan.locate(LOWEST[: len(values)]))
    cost = sum(0.1**k * x**2 for k, x in enumerate(away))
    return Outcome(float(cost), {"chain.speed": -float(cost)})
