"""A run gives the same bits in a process that compiles, one that does not, and a busy one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skitter

PROGRAM = """
import hashlib, skitter
for scene in ("falling_chain", "jelly_drop"):
    world = skitter.World.from_scene(scene)
    world.advance(1 / 3)
    values = {**world.state(), **world.read()}
    print(hashlib.sha256(b"".join(values[key].tobytes() for key in sorted(values))).hexdigest())
"""

# Kernels that the run uses inside its own, called by themselves before it.
EARLIER = """
from skitter.bench.elastic import lane_arguments
from skitter.elastic.tets import update_elastic_forces
from skitter.world import World
figure = World.from_scene("falling_chain").creatures[0]
update_elastic_forces(*lane_arguments(figure))
"""


@pytest.mark.anew
def test_first_run_after_installation_equals_the_second(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(skitter.__file__).parents[1]),
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    command = [sys.executable, "-c", PROGRAM]
    first, second = (subprocess.check_output(command, env=environment) for _ in range(2))
    assert any(tmp_path.rglob("*.kernel"))
    assert first == second
    busy = [sys.executable, "-c", EARLIER + PROGRAM]
    assert subprocess.check_output(busy, env=environment) == first
