"""The bench of the hexapod: its tree, its count of operations, and what it does without peers."""

import os
import subprocess
import sys

import numpy as np
import pytest

from skitter.bench import hexapod
from skitter.bench.hexapod import Batch, Ready, build_links, load_roach
from skitter.console import make_json

COUNT = """
import numpy as np
from skitter.bench.hexapod import GRAVITY, Ready, build_links
from skitter.rigid.tree.forward import accelerate

class Counted:
    total = 0
    def __init__(self, value): self.value = float(getattr(value, 'value', value))
    def _do(self, value):
        Counted.total += 1
        return Counted(value)
    def __add__(self, o): return self._do(self.value + Counted(o).value)
    def __sub__(self, o): return self._do(self.value - Counted(o).value)
    def __mul__(self, o): return self._do(self.value * Counted(o).value)
    def __truediv__(self, o): return self._do(self.value / Counted(o).value)
    __radd__, __rmul__ = __add__, __mul__
    def __rsub__(self, o): return Counted(o) - self
    def __rtruediv__(self, o): return Counted(o) / self
    def __neg__(self): return Counted(-self.value)
    def cos(self): return self._do(np.cos(self.value))
    def sin(self): return self._do(np.sin(self.value))

def count(array):
    return np.array([Counted(x) for x in array.flat], object).reshape(array.shape)

one = Ready(build_links())
given = [one.tree.number, one.q, one.v, one.torque, GRAVITY, one.extra, one.work, one.gain]
accelerate(one.tree.index, *map(count, given))
print(Counted.total)
"""


@pytest.mark.parametrize("build", [build_links, load_roach])
def test_both_trees_have_38_degrees_of_freedom(build):
    links = build()
    assert Ready(links).tree.v_size == 38
    assert [link.joint for link in links] == ["free"] + ["revolute"] * 32


def test_operations_of_one_evaluation_are_counted_right():
    """By running the source with numbers that count."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert pytest.approx(int(done.stdout), rel=0.01) == hexapod.TREE_FLOPS


def test_a_batch_is_its_single_evaluations():
    batch = Batch(Ready(build_links()))
    tree = batch.ready.tree
    batch.advance(slice(0, 7))
    batch.advance(slice(7, 20))
    true = [tree.accelerate(*row) for row in zip(batch.q, batch.v, batch.torque, strict=True)]
    assert batch.gain[:20] == pytest.approx(np.array(true[:20]), rel=1e-9, abs=1e-9)


def test_calls_are_compared_with_both_peers(monkeypatch):
    monkeypatch.setattr(hexapod, "ROUNDS", 2)
    found = hexapod.run_calls("tree", Ready(build_links()), judged=True)
    assert [one["id"] for one in found] == ["hexapod/tree-pinocchio", "hexapod/tree-mujoco"]
    assert all(one["ratio"] == pytest.approx(one["baseline_us"] / one["us"]) for one in found)


def test_without_peers_it_says_so_and_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(hexapod, "ROUNDS", 2)
    monkeypatch.setattr(hexapod, "find_spec", lambda name: None)
    assert not hexapod.has_peers()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "pip install 'skitter[dev]'" in said
    found = make_json(hexapod.run_calls("tree", Ready(build_links()), judged=False))
    assert [(one["value"] > 0, one["baseline"], one["ratio"]) for one in found] == [
        (True, None, None),
        (True, None, None),
    ]
