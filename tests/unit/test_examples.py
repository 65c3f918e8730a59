"""The scripts to learn from run, each ends in a check of its own, and each is short."""

import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((HOME / "examples").glob("0*.py"))
LIMIT = 80  # lines


def test_there_are_five():
    assert [path.stem[3:] for path in SCRIPTS] == [
        *("first_creature", "own_species", "own_terrain", "measure_gait", "run_a_sweep")
    ]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_it_is_short_and_checks_itself(path):
    text = path.read_text()
    assert len(text.splitlines()) < LIMIT
    assert "    assert " in text and "# What must be true" in text


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    done = subprocess.run([sys.executable, path, tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2
    assert any((tmp_path / "out").iterdir())
