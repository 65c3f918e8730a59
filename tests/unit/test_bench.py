"""Benchmarks: the plain baseline computes the same forces, the counted operations are right, and a
clock inside compiled code tells the time."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import skitter
from skitter.bench import rooms, water
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
from skitter.clock import ANTENNAE, BRAIN, COST, LAST, ROOMS, build_clock, lap, start
from skitter.compiled import kernel

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


@kernel
def work(count, value):
    for _ in range(count):
        value = np.sin(value) + 1.0
    return value


@kernel
def work_in_two_rooms(count, value, clock):
    start(clock)
    value = work(count, value)
    lap(clock, ANTENNAE)
    value = work(3 * count, value)
    lap(clock, BRAIN)
    return value


@pytest.mark.serial
def test_a_clock_gives_each_room_its_time():
    """Three times the work takes three times as long, and together they take all the time."""
    clock, found = build_clock(), []
    work_in_two_rooms(1, 0.5, clock)
    for _ in range(50):
        clock[:LAST] = 0
        first, begun = rooms.read_ticks(), time.perf_counter()
        work_in_two_rooms(20_000, 0.5, clock)
        seconds, ticks = time.perf_counter() - begun, rooms.read_ticks() - first
        found.append((seconds, clock[BRAIN] / clock[ANTENNAE], clock[:LAST].sum() / ticks))
    _, ratio, share = min(found)  # the least disturbed one
    assert ratio == pytest.approx(3.0, rel=0.1)
    assert share == pytest.approx(1.0, abs=0.05)


def test_laps_of_nothing_take_no_time():
    clock = build_clock()
    assert clock[COST] > 0
    least = []
    for _ in range(100):
        clock[:LAST] = 0
        work_in_two_rooms(0, 0.5, clock)
        least.append(clock[:LAST].sum())
    assert min(least) < 4 * clock[COST]


@pytest.mark.skipif("86" not in platform.machine(), reason="the name of the instruction")
def test_without_a_clock_nothing_is_read():
    for clock, is_read in ((None, False), (build_clock(), True)):
        one = kernel(work_in_two_rooms.py_func)
        one(1, 0.5, clock)
        (assembly,) = one.inspect_asm().values()
        assert ("rdtsc" in assembly) == is_read


def test_rooms_are_where_they_are_said_to_be():
    names = [name for name, _ in ROOMS] + [rooms.ENTER, rooms.READ, rooms.WRITE]
    for name in names:
        assert (Path(skitter.__file__).parent / f"{name}.py").is_file(), name


def test_shares_and_what_is_left_over():
    found = rooms.list_rooms("step", 10e-6, {"elastic/tets": 3e-6, "rigid/bodies": 6e-6})
    assert [(one["id"], one["unit"]) for one in found] == [
        ("rooms-rigid/bodies", "us/step"),
        ("rooms-elastic/tets", "us/step"),
        ("rooms-step-unexplained", "us/step"),
    ]
    assert [one["value"] for one in found] == pytest.approx([6, 3, 1])
    assert [one["ratio"] for one in found] == pytest.approx([0.6, 0.3, 0.1])


@pytest.mark.slow
@pytest.mark.serial
def test_rooms_of_the_default_scene_explain_its_step():
    """The elastic forces of 960 tetrahedra are most of a step, and the rooms are nearly all of it;
    no water, no swimming."""
    found = {one["id"]: one for one in rooms.run_rooms(rounds=100)}
    step = [one for one in found.values() if one["unit"] == "us/step"]
    assert step[1]["id"] == "rooms-elastic/tets"
    assert abs(found["rooms-step-unexplained"]["ratio"]) < 0.2
    assert not {"rooms-creatures/wet", "rooms-control/swim"} & set(found)
    assert {"rooms-control/switcher", "rooms-control/brain", "rooms-creatures/frame"} < set(found)
