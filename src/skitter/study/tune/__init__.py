"""Tuning: a search for the numbers of a scene with which its creature does best.

plan = load_plan("fastest.yaml")
found = search(plan, folder=Path("out/fastest"), jobs=2)
found.best.values, found.best.measures
"""

from skitter.study.tune.evolve import Found, search
from skitter.study.tune.load import load_plan
from skitter.study.tune.plan import Plan
from skitter.study.tune.result import make_report, tune, write_results
from skitter.study.tune.trial import Outcome, Trial, attempt

__all__ = [
    "Found",
    "Outcome",
    "Plan",
    "Trial",
    "attempt",
    "load_plan",
    "make_report",
    "search",
    "tune",
    "write_results",
]
