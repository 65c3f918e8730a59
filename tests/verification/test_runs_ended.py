"""Runs that the system ends, by SIGTERM at any moment or by closing the terminal."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import skitter
from skitter.cli import main
from skitter.record import Recording
from trees import Tree, read_tree

SOURCE = Path(skitter.__file__).parents[1]
COMMAND = ["run", "falling_chain", "--seconds", "12", "-o"]
FRAMES = 721
ENDINGS = int(os.environ.get("SKITTER_ENDINGS", "4"))  # how many random moments
PROGRAM = "import sys; from skitter.cli import main; sys.exit(main())"
STOPPED = re.compile(
    r"skitter: stopped at frame (\d+) of 720; what was recorded is kept in .*, and --resume"
    r" continues it"
)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has other signals")


def start_run(folder: Path, **options) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", PROGRAM, *COMMAND, str(folder)]
    return subprocess.Popen(command, env=environment, **options)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> tuple[Tree, float]:
    """The files of a run that nobody ended, and how long its process took, s."""
    folder, since = tmp_path_factory.mktemp("unbroken") / "out", time.monotonic()
    assert start_run(folder).wait(300) == 0
    return read_tree(folder), time.monotonic() - since


def judge(folder: Path, code: int, errors: str) -> None:
    """What a run left that was told to end, whatever it was at."""
    lines = [line for line in errors.splitlines() if "real time" not in line]
    assert not [path for path in folder.rglob("*") if path.suffix == ".tmp"]
    if lines and (found := STOPPED.fullmatch(lines[-1])):
        assert code == 143 and len(lines) == 1
        assert Recording.open(folder).frame_count == int(found[1]) + 1
        assert (folder / "checkpoint.npz").exists()
    elif folder.exists():  # it was through with its work
        assert code in (0, 143, -signal.SIGTERM)
        assert Recording.open(folder).frame_count == FRAMES
    else:  # it had not begun: Python was loading, or a scene was
        assert (code, lines) in [(143, ["skitter: stopped"]), (-signal.SIGTERM, [])]


@pytest.mark.parametrize("number", range(ENDINGS))
def test_ended_by_sigterm_at_a_random_moment(tmp_path, unbroken, number):
    whole, seconds = unbroken
    moment = seconds * random.Random(number).random()
    process = start_run(tmp_path / "out", stderr=subprocess.PIPE)
    time.sleep(moment)
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=120)[1].decode()
    judge(tmp_path / "out", process.returncode, errors)
    assert main([*COMMAND, str(tmp_path / "out"), "--resume"]) == 0
    assert read_tree(tmp_path / "out") == whole


def test_a_closed_terminal_ends_a_run_as_ctrl_c_does(tmp_path, unbroken):
    """The terminal is gone for good: nothing can be said, and nothing is lost."""
    import pty

    whole, _ = unbroken
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm"}
    child = os.fork()
    if child == 0:  # it leads a session whose terminal this is
        os.close(ours)
        os.login_tty(theirs)
        arguments = [sys.executable, "-c", PROGRAM, *COMMAND, str(tmp_path / "out")]
        os.execve(sys.executable, arguments, environment)
    os.close(theirs)
    while not (tmp_path / "out" / "zarr.json").exists():
        time.sleep(0.01)
    os.close(ours)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    kept = Recording.open(tmp_path / "out").frame_count
    assert 2 <= kept < FRAMES
    assert (tmp_path / "out" / "checkpoint.npz").exists()
    assert not [path for path in (tmp_path / "out").rglob("*") if path.suffix == ".tmp"]
    assert main([*COMMAND, str(tmp_path / "out"), "--resume"]) == 0
    assert read_tree(tmp_path / "out") == whole
