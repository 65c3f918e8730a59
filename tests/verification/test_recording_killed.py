"""A recorder that is killed loses no finished frame, and resumed it ends as if nothing happened.

The process that records is forked, and killed in two ways: by SIGKILL at random moments, and at
every single call that changes the disk, where a write is also cut in half.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.record import Channel, Recording, RecordingWriter, Static, chunks, metadata, store
from trees import read_tree

CHANNELS = [
    Channel("worm.node", ("node", "xyz"), (200, 3), "float32", "cm", "position of each node"),
    Channel("worm.spin", ("body", "wxyz"), (6, 4), "float64", "1", "orientation of each body"),
    Channel("worm.energy", (), (), "float64", "erg", "kinetic energy"),
    Channel("worm.contact", ("body",), (6,), "bool", "1", "whether a body touches the ground"),
]
STATICS = [Static("worm.mass", ("body",), np.arange(6.0), "g", "mass of each body")]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

FRAMES = 800
CHECKPOINT_FRAMES = 90
KILLS = 20


def step(state: np.ndarray) -> np.ndarray:
    """A little world: exact in floating point, never the same twice."""
    return (state * 5 + np.arange(1.0, 5.0)) % 8191


def values_of(state: np.ndarray) -> dict[str, Any]:
    return {
        "worm.node": (np.arange(600.0).reshape(200, 3) + state[0]).astype(np.float32),
        "worm.spin": np.arange(24.0).reshape(6, 4) * state[1],
        "worm.energy": state[2],
        "worm.contact": (np.arange(6) + state[3]) % 2 == 0,
    }


def open_writer(path: Path, *, overwrite: bool) -> tuple[RecordingWriter, np.ndarray]:
    """The writer of a run that starts or goes on, with the world's state at its last frame."""
    if (path / "zarr.json").exists() and not overwrite:
        writer, state = RecordingWriter.resume(path)
        return writer, np.ones(4) if state is None else state["world"]
    attributes = {"seed": 0, "scene": {"note": "x" * 2000}}
    writer = RecordingWriter.create(path, CHANNELS, STATICS, attributes, 60, overwrite=overwrite)
    return writer, np.ones(4)


def run(
    path: Path,
    frames: int,
    checkpoint_frames: int,
    report: Callable[[int], object] = lambda count: None,
    *,
    overwrite: bool = False,
) -> None:
    """Record to the end, and report the number of finished frames after each."""
    writer, state = open_writer(path, overwrite=overwrite)
    report(writer.safe_count)
    with writer:
        for frame in range(writer.frame_count, frames):
            state = step(state)
            writer.append(frame / 60, values_of(state))
            report(writer.safe_count)
            if (frame + 1) % checkpoint_frames == 0:
                writer.save_checkpoint({"world": state})
        writer.save_checkpoint({"world": state})


def expected_values(frames: int) -> dict[str, np.ndarray]:
    state, every = np.ones(4), []
    for _ in range(frames):
        state = step(state)
        every.append(values_of(state))
    return {c.name: np.array([values[c.name] for values in every]) for c in CHANNELS}


def check_killed(path: Path, reported: int | None, expected: dict[str, np.ndarray]) -> int:
    """What was reported must be there and right; None means that not even `create` returned."""
    if reported is None and not (path / "zarr.json").exists():
        with pytest.raises(UserError, match="is not a recording"):
            Recording.open(path)
        return -1
    recording = Recording.open(path)
    count = recording.frame_count
    assert count >= (reported or 0)
    assert np.array_equal(recording.time, np.arange(count) / 60)
    for name, values in expected.items():
        assert np.array_equal(recording[name], values[:count].reshape(recording[name].shape))
    assert np.array_equal(recording.static("worm.mass"), STATICS[0].values)
    return count


# --- a process to kill -------------------------------------------------------------------------


def fork_run(work: Callable[[Callable[[int], object]], None]) -> tuple[int, int]:
    """Do the work in a new process; returns its number and the pipe with its reports."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(lambda count: os.write(writer, count.to_bytes(4)))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    return child, reader


def wait_for(child: int, pipe: int) -> tuple[bool, int | None]:
    """Whether the process came to its end, and the last number that it reported, if any."""
    with os.fdopen(pipe, "rb") as reports:
        numbers = reports.read()
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL)
    return status == 0, int.from_bytes(numbers[-4:]) if numbers else None


# --- SIGKILL at random moments -----------------------------------------------------------------


def kill_run(path: Path, after: int, delay: float) -> int | None:
    """Run until `after` frames are reported and for `delay` seconds more, kill; last report."""
    child, pipe = fork_run(lambda report: run(path, FRAMES, CHECKPOINT_FRAMES, report))
    reported = None
    while after > (reported or 0) and (number := os.read(pipe, 4)):
        reported = int.from_bytes(number)
    end = time.perf_counter() + delay
    while time.perf_counter() < end:
        pass
    os.kill(child, signal.SIGKILL)
    last = wait_for(child, pipe)[1]
    return reported if last is None else last


def choose_moments() -> list[tuple[int, float]]:
    """A third of the kills in the first milliseconds, the others over the whole run."""
    rng, early = random.Random(1), KILLS // 3
    moments = [(0, 0.04 * rng.random() ** 2) for _ in range(early)]
    late = [(rng.randrange(FRAMES), rng.uniform(0, 0.001)) for _ in range(KILLS - early)]
    return moments + late


def check_in_xarray(path: Path, count: int, expected: dict[str, np.ndarray]) -> None:
    xarray = pytest.importorskip("xarray")
    dataset = xarray.open_zarr(path)
    assert dataset.sizes["time"] == count
    for name, values in expected.items():
        found = dataset[name].values
        assert np.array_equal(found, values[:count].reshape(found.shape))


def test_killed_at_random_moments(tmp_path: Path) -> None:
    run(tmp_path / "whole", FRAMES, CHECKPOINT_FRAMES)
    whole, expected = read_tree(tmp_path / "whole"), expected_values(FRAMES)
    moments = choose_moments()
    paths = [tmp_path / str(number) for number in range(KILLS)]
    reports = [kill_run(path, *moment) for path, moment in zip(paths, moments, strict=True)]
    counts = [check_killed(path, r, expected) for path, r in zip(paths, reports, strict=True)]
    for number, (path, count) in enumerate(zip(paths, counts, strict=True)):
        if count >= 0:
            check_in_xarray(path, count, expected)
        if number % 3 == 0:  # killed once more, on the way to the end
            again = check_killed(path, kill_run(path, *moments[-number]), expected)
            assert again >= count
        run(path, FRAMES, CHECKPOINT_FRAMES)
        assert read_tree(path) == whole
    assert len({count for count in counts if 0 < count < FRAMES}) > KILLS // 4, counts


# --- killed at every call that changes the disk ------------------------------------------------

OS_CALLS = {"open", "fstat", "unlink", "mkdir", "rmdir", "replace"}
FILE_CALLS = {"write", "truncate"}
SHORT_FRAMES = 6
SHORT_CHECKPOINT = 3


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four frames to a chunk, so that a run of few frames has everything a long one has."""
    for module in (chunks, metadata, store):
        monkeypatch.setattr(module, "CHUNK_FRAMES", 4)


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: thousands of files are made and deleted."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as path:
        yield Path(path)


def changes_disk(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    return function.__name__ in (FILE_CALLS if isinstance(owner, FileIO) else OS_CALLS)


def die_at(call: int) -> None:
    """End this process at the `call`-th call that changes the disk; a write is half done."""
    count = 0

    def watch(frame: FrameType, event: str, function: Any) -> None:
        nonlocal count
        if event != "c_call" or not changes_disk(function):
            return
        count += 1
        if count == call:
            sys.setprofile(None)
            view = frame.f_locals.get("view")
            if function.__name__ == "write" and view is not None:
                function(view[: len(view) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def fatal_run(path: Path, call: int, *, overwrite: bool) -> tuple[bool, int | None]:
    """A short run that dies at a call: whether it ended, and its last report."""

    def work(report: Callable[[int], object]) -> None:
        die_at(call)
        run(path, SHORT_FRAMES, SHORT_CHECKPOINT, report, overwrite=overwrite)

    return wait_for(*fork_run(work))


def prepare_folder(path: Path, start: str) -> None:
    """What the run finds: nothing, a run killed after five frames, or a recording to replace."""
    if start == "killed":
        writer, state = open_writer(path, overwrite=False)
        for frame in range(5):
            state = step(state)
            writer.append(frame / 60, values_of(state))
            if frame == 2:
                writer.save_checkpoint({"world": state})
        writer._store._tracks["worm.node"].write(5, np.full(2400, 255, np.uint8))
        writer._release()
    elif start == "other":
        channels = [Channel("worm.node", ("node",), (3,), "int32", "1"), CHANNELS[2]]
        with RecordingWriter.create(path, channels, [], {}, 30) as writer:
            for frame in range(6):
                writer.append(frame, {"worm.node": [7, 7, 7], "worm.energy": 1.0})
            writer.save_checkpoint({"world": np.zeros(4)})


def is_other(path: Path) -> bool:
    """Whether the recording that was to be replaced is still the one that is there."""
    return (path / "zarr.json").exists() and Recording.open(path).frame_rate == 30


@pytest.mark.parametrize("start", ["nothing", "killed", "other"])
@pytest.mark.usefixtures("short_chunks")
def test_killed_at_every_call(quick_path: Path, start: str) -> None:
    run(quick_path / "whole", SHORT_FRAMES, SHORT_CHECKPOINT)
    whole, expected = read_tree(quick_path / "whole"), expected_values(SHORT_FRAMES)
    prepare_folder(quick_path / "start", start)
    ended, call = False, 0
    while not ended:
        call += 1
        path = quick_path / "r"
        if start != "nothing":
            shutil.copytree(quick_path / "start", path)
        ended, reported = fatal_run(path, call, overwrite=start == "other")
        if is_other(path):
            assert Recording.open(path).frame_count == 6
            run(path, SHORT_FRAMES, SHORT_CHECKPOINT, overwrite=True)
        else:
            count = check_killed(path, reported, expected)
            assert start != "killed" or count >= 5
            run(path, SHORT_FRAMES, SHORT_CHECKPOINT)
        assert read_tree(path) == whole, call
        shutil.rmtree(path)
    assert call > 40
