"""Benchmarks: the plain baseline computes the same forces, and the counted operations are right."""

import os
import subprocess
import sys

import numpy as np
import pytest

from skitter.bench import water
from skitter.bench.chain import build_chain
from skitter.bench.elastic import (
    IMPROVE_FLOPS,
    TET_FLOPS,
    lane_arguments,
    plain_arguments,
    repeat_lane_forces,
    shake,
)
from skitter.bench.plain import repeat_plain_forces

COUNT = """
import numpy as np
from skitter.elastic import tets
from skitter.compiled import CELL_LANES

class Counted:
    total = 0
    def __init__(self, value): self.value = float(getattr(value, 'value', value))
    def _do(self, other, value):
        Counted.total += 1
        return Counted(value)
    def __add__(self, o): return self._do(o, self.value + Counted(o).value)
    def __sub__(self, o): return self._do(o, self.value - Counted(o).value)
    def __mul__(self, o): return self._do(o, self.value * Counted(o).value)
    def __truediv__(self, o): return self._do(o, self.value / Counted(o).value)
    __radd__ = __add__
    def __rsub__(self, o): return Counted(o) - self
    def __rmul__(self, o): return self * o
    def __rtruediv__(self, o): return Counted(o) / self
    def __neg__(self): return Counted(-self.value)
    def __abs__(self): return Counted(abs(self.value))
    def __gt__(self, o): return self.value > Counted(o).value
    def sqrt(self): return self._do(self, np.sqrt(self.value))

rng = np.random.default_rng(0)
number = lambda: Counted(rng.uniform(0.5, 1.5))
tets.improve_rotation(Counted(1), *(number() for _ in range(13)))
print(Counted.total)
"""


def test_lane_and_plain_forces_agree():
    figure = build_chain(np.float64)
    shake(figure)
    lanes, plain = lane_arguments(figure), plain_arguments(figure, np.float64)
    repeat_lane_forces(20, *lanes)
    repeat_plain_forces(40, *plain)
    assert figure.read_nodes(lanes[-1]) == pytest.approx(plain[-1], abs=1e-8)


def test_operations_are_counted_right():
    """One improvement, by running its source with numbers that count; the rest by its formulae:
    9 + 45 for F, 24 for R, 27 + 5 for cofactors and J, 3 + 36 for P, 63 for the forces."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) + 15 == IMPROVE_FLOPS  # 15 in the branch not taken here
    assert TET_FLOPS == 9 + 45 + 24 + 27 + 5 + 3 + 36 + 63


def test_plain_water_moves_as_ours_does():
    """A low wave is the same in both schemes, but for their errors."""
    plain, pool = water.PlainWater(np.float64), water.make_pool(np.float64)
    for _ in range(60):
        plain.advance(water.PLAIN_STEP)
    pool.advance(60 * water.PLAIN_STEP)
    moved = pool.surface.max() - pool.surface.min()
    assert abs(plain.h - water.DEPTH - pool.surface).max() < 0.1 * moved
