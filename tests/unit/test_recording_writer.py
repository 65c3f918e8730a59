"""Writing recordings: the same bytes on every way to the end, and nothing lost on a full disk."""

import errno
import os
import subprocess
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.record import Channel, Recording, RecordingWriter, Static, files, store

CHANNELS = [
    Channel("a", ("body", "xyz"), (4, 3), "float32", "cm", "a place"),
    Channel("b", (), (), "float64", "erg", "an energy"),
]
STATICS = [Static("mass", ("body",), np.arange(4.0), "g", "a mass")]


def values_at(frame: int) -> dict[str, Any]:
    return {"a": np.full((4, 3), frame + 0.5, np.float32), "b": frame * 0.1 + 1}


def create(path: Path, *, seconds: float = 3, overwrite: bool = False) -> RecordingWriter:
    attributes = {"seed": 0, "seconds": seconds}
    return RecordingWriter.create(path, CHANNELS, STATICS, attributes, 60, overwrite=overwrite)


def extend(writer: RecordingWriter, stop: int, *, checkpoints: bool = True) -> None:
    for frame in range(writer.frame_count, stop):
        writer.append(frame / 60, values_at(frame))
        if checkpoints and (frame + 1) % 50 == 0:
            writer.save_checkpoint({"frame": np.array(frame), "rng/state": np.arange(frame)})


def finish(writer: RecordingWriter, stop: int) -> None:
    with writer:
        extend(writer, stop)


def abandon(writer: RecordingWriter) -> None:
    """Leave the files as they are, like a process that is killed now."""
    writer._release()


def tree(path: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with the bytes of the files."""
    every = sorted(path.rglob("*"))
    return {str(p.relative_to(path)): p.read_bytes() if p.is_file() else None for p in every}


def assert_holds(path: Path, count: int) -> None:
    recording = Recording.open(path)
    assert recording.frame_count == count
    for name in ("a", "b"):
        wanted = [values_at(frame)[name] for frame in range(count)]
        assert np.array_equal(recording[name], np.array(wanted).reshape(recording[name].shape))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | None]:
    """All files of a run of 180 frames that nothing disturbed."""
    path = tmp_path_factory.mktemp("whole") / "r"
    finish(create(path), 180)
    return tree(path)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path, whole: dict[str, bytes]) -> None:
    finish(create(tmp_path / "elsewhere" / "r"), 180)
    assert tree(tmp_path / "elsewhere" / "r") == whole
    assert not [name for name in whole if name.endswith(".tmp")]


@pytest.mark.parametrize("killed_at", [0, 1, 49, 50, 64, 65, 128, 179, 180])
def test_a_resumed_run_ends_as_an_undisturbed_one(
    tmp_path: Path, killed_at: int, whole: dict[str, bytes]
) -> None:
    writer = create(tmp_path / "r")
    extend(writer, killed_at)
    # Half of the next frame is there, and at 64 and 128 a chunk without any frame.
    writer._store._tracks["a"].write(killed_at, np.full(48, 255, np.uint8))
    abandon(writer)
    assert_holds(tmp_path / "r", killed_at)
    writer, state = RecordingWriter.resume(tmp_path / "r")
    assert writer.safe_count == killed_at
    assert writer.frame_count == killed_at // 50 * 50
    if state is not None:
        assert state["frame"] == writer.frame_count - 1
        assert np.array_equal(state["rng/state"], np.arange(writer.frame_count - 1))
    assert (state is None) == (killed_at < 50)
    finish(writer, 180)
    assert writer.diverged_at is None
    assert tree(tmp_path / "r") == whole


def test_a_frame_that_was_begun_leaves_no_trace_when_the_run_ends_before_it(
    tmp_path: Path,
) -> None:
    for name in ("disturbed", "calm"):
        writer = create(tmp_path / name)
        extend(writer, 64)
        if name == "disturbed":
            writer._store._tracks["a"].write(64, np.full(48, 255, np.uint8))
        writer.close()
    assert tree(tmp_path / "disturbed") == tree(tmp_path / "calm")


def test_frames_behind_the_checkpoint_stay_readable_while_they_are_run_again(
    tmp_path: Path,
) -> None:
    writer = create(tmp_path / "r")
    extend(writer, 90)
    abandon(writer)
    writer, _ = RecordingWriter.resume(tmp_path / "r")
    extend(writer, 60)
    abandon(writer)
    assert_holds(tmp_path / "r", 90)


@pytest.mark.parametrize("trouble", ["damaged", "ahead"])
def test_a_checkpoint_that_cannot_be_used_means_starting_again(
    tmp_path: Path, trouble: str, whole: dict[str, bytes]
) -> None:
    writer = create(tmp_path / "r")
    extend(writer, 60)
    if trouble == "ahead":
        writer.frame_count = 61
        writer.save_checkpoint({"frame": np.array(60)})
    abandon(writer)
    if trouble == "damaged":
        (tmp_path / "r/checkpoint.npz").write_bytes(b"PK\x03\x04 and nothing more")
    writer, state = RecordingWriter.resume(tmp_path / "r")
    assert (state, writer.frame_count, writer.safe_count) == (None, 0, 60)
    finish(writer, 180)
    assert tree(tmp_path / "r") == whole


def test_two_histories_are_never_mixed(tmp_path: Path) -> None:
    finish(create(tmp_path / "r"), 140)
    writer, _ = RecordingWriter.resume(tmp_path / "r")
    extend(writer, 110)
    writer.append(0.0, {"a": np.zeros((4, 3)), "b": -1.0})
    assert writer.diverged_at == 110
    abandon(writer)
    recording = Recording.open(tmp_path / "r")
    assert recording.frame_count == 111
    assert recording["b"][110] == -1
    assert not (tmp_path / "r/b/c.2").exists()


def test_a_longer_run_continues_a_finished_one(tmp_path: Path) -> None:
    finish(create(tmp_path / "long", seconds=3), 180)
    finish(create(tmp_path / "r", seconds=2), 120)
    writer, _ = RecordingWriter.resume(tmp_path / "r", {"seconds": 3})
    finish(writer, 180)
    assert tree(tmp_path / "r") == tree(tmp_path / "long")


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with create(tmp_path / "r"):
        with pytest.raises(UserError, match="being written by another run"):
            RecordingWriter.resume(tmp_path / "r")
        with pytest.raises(UserError, match="being written by another run"):
            create(tmp_path / "r", overwrite=True)
    finish(RecordingWriter.resume(tmp_path / "r")[0], 3)
    assert_holds(tmp_path / "r", 3)


def test_only_a_recording_is_replaced_and_only_on_request(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.tex").write_text("x")
    finish(create(tmp_path / "r"), 70)
    for name, words in [("file", "a file"), ("other", "other things"), ("r", "of 70 frames")]:
        with pytest.raises(UserError, match=words):
            create(tmp_path / name)
    with pytest.raises(UserError, match="other things"):
        create(tmp_path / "other", overwrite=True)
    (tmp_path / "r/film.mp4").write_text("x")
    finish(create(tmp_path / "r", overwrite=True), 180)
    assert tree(tmp_path / "r") == {**whole, "film.mp4": b"x"}


def test_a_replaced_recording_leaves_no_checkpoint(tmp_path: Path) -> None:
    finish(create(tmp_path / "r"), 60)
    writer = create(tmp_path / "r", overwrite=True)
    extend(writer, 60, checkpoints=False)
    abandon(writer)
    writer, state = RecordingWriter.resume(tmp_path / "r")
    assert (state, writer.frame_count) == (None, 0)
    writer.close()


def fill_disk(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the disk be full after so many writes; the last one takes only a part."""
    count = 0

    def write_part(file: FileIO, view: memoryview) -> int:
        nonlocal count
        count += 1
        if count > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return file.write(view[: max(1, len(view) // 2)] if count == after else view)

    monkeypatch.setattr(files, "write_part", write_part)


@pytest.mark.parametrize("after", [*range(1, 12), 25, 26])
def test_a_full_disk_costs_no_finished_frame(
    tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch, whole: dict[str, bytes]
) -> None:
    writer = create(tmp_path / "r")
    extend(writer, 45)
    with monkeypatch.context() as patch:
        fill_disk(patch, after)
        with pytest.raises(UserError, match="No space left on device") as caught, writer:
            extend(writer, 180)
    count = writer.safe_count
    assert str(tmp_path / "r") in str(caught.value)
    assert f"its first {count} frames are safe" in str(caught.value)
    assert_holds(tmp_path / "r", count)
    finish(RecordingWriter.resume(tmp_path / "r")[0], 180)
    assert tree(tmp_path / "r") == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(path)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small file system needs root")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    big = [Channel("big", ("n",), (300,), "float64", "cm")]
    writer = RecordingWriter.create(small_disk / "r", big, [], {}, 60)
    words = r"No space left on device; its first \d+ frames are safe"
    with pytest.raises(UserError, match=words), writer:
        for frame in range(500):
            writer.append(frame, {"big": np.full(300, frame)})
    recording = Recording.open(small_disk / "r")
    assert 20 < recording.frame_count == writer.safe_count < 500
    assert np.array_equal(recording["big"][:, 0], np.arange(recording.frame_count))
    with pytest.raises(UserError, match=r"cannot make the recording .*No space left on device"):
        RecordingWriter.create(small_disk / "second", big, [], {"x": "y" * 300_000}, 60)


def test_a_system_that_writes_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: dict[str, bytes]
) -> None:
    monkeypatch.setattr(files, "write_part", lambda file, view: file.write(view[:100]))
    finish(create(tmp_path / "r"), 180)
    assert tree(tmp_path / "r") == whole


@pytest.mark.parametrize("lacks", ["renameat2", "open files", "locks"])
def test_a_system_that_offers_less(
    tmp_path: Path, lacks: str, monkeypatch: pytest.MonkeyPatch, whole: dict[str, bytes]
) -> None:
    if lacks == "renameat2":
        monkeypatch.setattr(files, "_renameat2", None)
    elif lacks == "open files":
        monkeypatch.setattr(store, "count_allowed_files", lambda: 4)  # two stay open
    else:
        monkeypatch.setattr("fcntl.flock", _cannot_lock)
    finish(create(tmp_path / "r"), 180)
    assert tree(tmp_path / "r") == whole


def _cannot_lock(handle: int, how: int) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_a_checkpoint_holds_numbers_only(tmp_path: Path) -> None:
    with create(tmp_path / "r") as writer, pytest.raises(ValueError, match="not objects"):
        writer.save_checkpoint({"x": np.array([{}])})


def test_a_closed_writer_writes_no_more(tmp_path: Path) -> None:
    writer = create(tmp_path / "r")
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.append(0, values_at(0))
    with pytest.raises(ValueError, match="closed"):
        writer.save_checkpoint({})
