"""The run that compiles the kernels gives the same bits as those that find them compiled."""

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


@pytest.mark.slow
def test_first_run_after_installation_equals_the_second(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(skitter.__file__).parents[1]),
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    command = [sys.executable, "-c", PROGRAM]
    first, second = (subprocess.check_output(command, env=environment) for _ in range(2))
    assert any(tmp_path.rglob("*.nbi"))
    assert first == second
