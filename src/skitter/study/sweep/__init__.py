"""Sweeps: a scene run with many values and seeds, and measured.

plan = load_sweep("gait.yaml")
sweep(plan, Path("out/gait"), jobs=2)
open_sweep("out/gait")  # an xarray Dataset
"""

from skitter.study.sweep.load import load_sweep
from skitter.study.sweep.plan import Plan
from skitter.study.sweep.point import Outcome, run_point
from skitter.study.sweep.run import Ended, sweep
from skitter.study.sweep.store import open_sweep, read_results

__all__ = [
    "Ended",
    "Outcome",
    "Plan",
    "load_sweep",
    "open_sweep",
    "read_results",
    "run_point",
    "sweep",
]
