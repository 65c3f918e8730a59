"""The same scene, seed and version give the same bytes: whatever the threads, kills and pauses."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import skitter
from skitter.cli import main
from skitter.record import Recording
from skitter.world import World
from trees import Tree, read_tree

SOURCE = Path(skitter.__file__).parents[1]
CHAIN = ["falling_chain", "--seconds", "1", "--set", "creatures.0.velocity_noise=2"]
JELLIES = ["jelly_drop", "--seconds", "0.5", "--set", "creatures.2.velocity_noise=2"]
LEGS = {
    "title": "Two that walk, meet and eat",
    "seconds": 1,
    "terrain": [{"shape": "plane"}],
    "creatures": [
        {"species": "pauropod", "name": "a"},
        {"species": "pauropod", "name": "b", "at": [7, 0, 0.5], "turn_deg": [0, 180, 0]},
    ],
    "obstacles": [{"shape": "scatter", "count": 3, "area": [30, 30], "gap": 3}],
    "food": [{"at": [2, 0, 0.3]}, {"count": 4, "area": [20, 20]}],
}
LONG = ["falling_chain", "--seconds", "12"]  # as long as it takes to be killed on the way
KILLS = 4


def run(folder: Path, *arguments: str) -> Tree:
    """The files of a run in this process."""
    assert main(["run", *arguments, "-o", str(folder)]) == 0
    return read_tree(folder)


@pytest.mark.parametrize(("scene", "noisy"), [(CHAIN, "chain"), (JELLIES, "middle")])
def test_seed_decides_and_threads_do_not(tmp_path, scene, noisy):
    """Another seed changes what is noisy, and the other creatures not at all."""
    first = run(tmp_path / "first", *scene, "--seed", "3", "--threads", "1")
    assert len(first) > 10
    assert run(tmp_path / "again", *scene, "--seed", "3", "--threads", "1") == first
    assert run(tmp_path / "two", *scene, "--seed", "3", "--threads", "2") == first
    assert run(tmp_path / "free", *scene, "--seed", "3") == first
    other = run(tmp_path / "other", *scene, "--seed", "4")
    changed = {name.split(".")[0] for name in first if other[name] != first[name]}
    assert changed == {noisy, "zarr", "checkpoint"}


def test_extended_run_equals_a_straight_one(tmp_path):
    straight = run(tmp_path / "straight", *CHAIN)
    short = [*CHAIN, "--seconds", "0.37"]
    run(tmp_path / "extended", *short)
    assert run(tmp_path / "extended", *CHAIN, "--resume") == straight
    assert run(tmp_path / "extended", *CHAIN, "--resume") == straight


@pytest.fixture
def legs(tmp_path) -> str:
    (tmp_path / "legs.yaml").write_text(yaml.safe_dump(LEGS))
    return str(tmp_path / "legs.yaml")


def test_walkers_meet_and_eat_alike_whatever_the_threads_and_pauses(tmp_path, legs):
    first = run(tmp_path / "first", legs, "--seed", "3", "--threads", "1")
    assert run(tmp_path / "two", legs, "--seed", "3", "--threads", "2") == first
    run(tmp_path / "extended", legs, "--seed", "3", "--seconds", "0.6")
    assert run(tmp_path / "extended", legs, "--seed", "3", "--resume") == first
    assert run(tmp_path / "other", legs, "--seed", "4") != first
    left = Recording.open(tmp_path / "first")["food_left"]
    assert left[0].all() and not left[-1][0]


def test_a_restored_world_goes_on_to_the_last_bit():
    world, other = World.from_scene(LEGS, seed=5), World.from_scene(LEGS, seed=5)
    world.advance(0.5)
    state = world.state()
    world.advance(0.5)
    other.restore(state)
    other.advance(0.5)
    ends = world.state(), other.state()
    assert all(ends[0][name].tobytes() == ends[1][name].tobytes() for name in ends[0])


# --- real processes, stopped on the way --------------------------------------------------------

PROGRAM = """
import sys, skitter.runner
from skitter.cli import main
skitter.runner.CHECKPOINT_INTERVAL = float(sys.argv.pop(1))
sys.exit(main())
"""


def start_process(folder: Path, interval: float) -> subprocess.Popen[bytes]:
    """`skitter run` in a process of its own that keeps a checkpoint every so many seconds."""
    arguments = [str(interval), "run", *LONG, "-o", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], env=environment, stderr=subprocess.PIPE
    )


def count_frames(folder: Path) -> int:
    """Frames recorded so far; -1 before there is a recording."""
    try:
        document = json.loads((folder / "zarr.json").read_bytes())
    except FileNotFoundError:
        return -1
    return int(document["consolidated_metadata"]["metadata"]["time"]["shape"][0])


def stop_process(folder: Path, number: int, frame: int, interval: float = 2.0) -> tuple[int, str]:
    """Send a signal once so many frames are there; exit code and standard error."""
    process = start_process(folder, interval)
    end = time.monotonic() + 120
    while count_frames(folder) < frame and process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors.decode()


@pytest.fixture(scope="module")
def straight(tmp_path_factory) -> Tree:
    return run(tmp_path_factory.mktemp("straight") / "out", *LONG)


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
@pytest.mark.parametrize("kill", range(KILLS))
def test_killed_run_resumes_to_the_same_bytes(tmp_path, straight, kill):
    """Killed as soon as there is a recording, or at a random frame, with a checkpoint or none."""
    frame = 0 if kill == 0 else random.Random(kill).randrange(1, 300)
    interval = 0.05 if kill % 2 else 60.0
    code, _ = stop_process(tmp_path / "out", signal.SIGKILL, frame, interval)
    assert code == -signal.SIGKILL
    kept = Recording.open(tmp_path / "out").frame_count
    assert frame <= kept < 721
    assert run(tmp_path / "out", *LONG, "--resume") == straight


@pytest.mark.skipif(sys.platform == "win32", reason="has other signals")
def test_interrupted_run_keeps_its_frames_and_resumes(tmp_path, straight):
    code, errors = stop_process(tmp_path / "out", signal.SIGINT, 40)
    assert code == 130
    kept = Recording.open(tmp_path / "out").frame_count
    assert 40 <= kept < 721
    assert f"stopped at frame {kept - 1} of 720; what was recorded is kept in " in errors
    assert run(tmp_path / "out", *LONG, "--resume") == straight
