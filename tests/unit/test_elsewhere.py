"""Skitter without what Windows and macOS lack: fork, fcntl, /proc and more, all hidden from it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TESTS = Path(__file__).resolve().parents[1]
SYSTEMS = ("win32", "darwin")
COMMAND = "import sys; from skitter.cli import main; sys.exit(main())"
IMPORT_ALL = """
import importlib, pkgutil, skitter
names = [found.name for found in pkgutil.walk_packages(skitter.__path__, "skitter.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
"""
STUDY = {
    "title": "a cube is thrown",
    "scene": {"title": "t", "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}]},
    "seconds": 0.05,
    "parameters": [{"path": "creatures.0.velocity.0", "values": [1, 2, 3]}],
    "measures": ["speed", "distance"],
}


def run_there(system: str, folder: Path, *command: str) -> str:
    """What a Python says that is like the one of another system."""
    settings = {"ELSEWHERE": system, "PYTHONPATH": str(TESTS / "elsewhere")}
    done = subprocess.run(
        [sys.executable, "-c", *command],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_hidden_is_hidden(tmp_path):
    """From a module of Skitter; without this the tests below would show nothing."""
    (tmp_path / "skitter").mkdir()
    (tmp_path / "skitter" / "__init__.py").write_text("""
import os, signal, sys
from pathlib import Path
try:
    import fcntl
except ImportError:
    print(sys.platform, os.name, hasattr(os, "fork"), hasattr(signal, "SIGKILL"))
print(Path("/proc/self/stat").exists())
""")
    asked = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import skitter"
    assert run_there("win32", tmp_path, asked).split() == ["win32", "nt", *["False"] * 3]


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_module_can_be_imported(system, tmp_path):
    run_there(system, tmp_path, IMPORT_ALL)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_runs_and_sweeps(system, tmp_path):
    """A run is recorded and goes on; a sweep starts processes of its own."""
    run = ("run", "centipede", "-o", "run")
    run_there(system, tmp_path, COMMAND, *run, "--seconds", "0.1")
    run_there(system, tmp_path, COMMAND, *run, "--seconds", "0.2", "--resume")
    assert "distance" in run_there(system, tmp_path, COMMAND, "measure", "run")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    said = run_there(system, tmp_path, COMMAND, "sweep", "study.yaml", "-o", "sweep", "--jobs", "2")
    assert "3 points, 3 of them run now" in said


def test_memory_is_told_or_refused(tmp_path):
    """A claim that looks at memory says why it cannot, where a system does not tell."""
    ask = "from skitter.claims.fang2015_lasting import read_memory as read; print(read())"
    assert float(run_there("darwin", tmp_path, ask)) > 0
    refused = (
        "from skitter.errors import UserError\ntry:\n    read()\nexcept UserError as e: print(e)"
    )
    said = run_there("win32", tmp_path, ask.replace("print(read())", "") + "\n" + refused)
    assert said == "this system does not tell how much memory a process holds\n"
