"""Recordings that somebody changed: nothing outside of them is touched, and each is one line."""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from articulated_recordings import write_roach
from look_recordings import write_myriapod
from skitter.cli import main
from skitter.errors import UserError
from skitter.record import Channel, RecordingWriter, Static
from skitter.record.checkpoint import read_checkpoint
from skitter.recording import Recording
from trees import read_tree

CHANNELS = [Channel("a", ("n",), (3,), "float32", "cm")]
KEPT = Path(__file__).parents[1] / "data" / "recording-2026-11.zip"


def record(path: Path, *, frames: int = 3, overwrite: bool = False, **attributes: Any) -> Path:
    statics = [Static("b", ("m",), np.arange(4.0), "g")]
    with RecordingWriter.create(
        path, CHANNELS, statics, attributes, 60, overwrite=overwrite
    ) as writer:
        for frame in range(frames):
            writer.append(frame / 60, {"a": np.full(3, frame, np.float32)})
        writer.save_checkpoint({"x": np.arange(3.0)})
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return record(tmp_path / "r")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Somebody's own things, which look like an array."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "zarr.json").write_text("mine")
    (victim / "c.7").write_text("mine")
    (victim / "c.0.0").write_bytes(bytes(64 * 12))
    return victim


def edit(folder: Path, change: Callable[[Any], object]) -> None:
    """Change the metadata: `change` gets the whole document."""
    document = json.loads((folder / "zarr.json").read_text())
    change(document)
    (folder / "zarr.json").write_text(json.dumps(document))


def arrays_of(document: Any) -> Any:
    return document["consolidated_metadata"]["metadata"]


def facts_of(document: Any) -> Any:
    return document["attributes"]["skitter"]


def refuse(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as caught:
        call()
    line = str(caught.value)
    assert "\n" not in line and "' object " not in line
    return line


# --- nothing is written, cut or deleted outside -------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../victim", "../../victim", "..", "x/../../victim", "/tmp/v", ""]
)
def test_an_array_may_not_lie_elsewhere(folder: Path, victim: Path, name: str) -> None:
    before = read_tree(victim)
    edit(folder, lambda d: arrays_of(d).update({name: arrays_of(d)["a"]}))
    for call in (Recording.open, RecordingWriter.resume):
        assert "cannot name an array" in refuse(lambda call=call: call(folder))
    assert "cannot name an array" in refuse(lambda: record(folder, overwrite=True))
    assert read_tree(victim) == before


def test_resuming_by_the_command_line_leaves_others_alone(tmp_path: Path, victim: Path) -> None:
    """As it was found: `run --resume` overwrote victim/zarr.json and deleted victim/c.7."""
    scene = tmp_path / "scene.yaml"
    scene.write_text("title: t\nseconds: 0.05\ncreatures: [{species: cube, at: [0, 3, 0]}]\n")
    out = tmp_path / "deep" / "out"
    assert main(["run", str(scene), "-o", str(out)]) == 0
    shutil.move(victim, tmp_path / "deep" / "victim")
    before = read_tree(tmp_path / "deep" / "victim")
    edit(out, lambda d: arrays_of(d).update({"../victim": arrays_of(d)["cube.body_position"]}))
    for option in ("--resume", "--overwrite"):
        assert main(["run", str(scene), "-o", str(out), option]) == 2
    assert read_tree(tmp_path / "deep" / "victim") == before


@pytest.mark.parametrize(
    "link", ["a", "a/c.0.0", "a/zarr.json.tmp", "zarr.json", "zarr.json.tmp", "checkpoint.npz.tmp"]
)
def test_a_link_is_not_followed_out(folder: Path, victim: Path, link: str) -> None:
    target = victim if link == "a" else victim / "c.0.0"
    place, before = folder / link, read_tree(victim)
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.symlink_to(target)

    def go_on() -> None:
        with RecordingWriter.resume(folder)[0] as writer:
            writer.append(0.0, {"a": np.ones(3, np.float32)})
            writer.save_checkpoint({"x": np.arange(3.0)})

    for call in (go_on, lambda: record(folder, overwrite=True)):
        try:
            call()
        except UserError as error:
            assert "link" in str(error)
        assert read_tree(victim) == before


@pytest.mark.parametrize("chunk", ["a/c.0.0", "a/c.1.0"])
def test_a_pipe_in_place_of_a_chunk_is_not_waited_for(folder: Path, chunk: str) -> None:
    (folder / chunk).unlink(missing_ok=True)
    os.mkfifo(folder / chunk)

    def fill() -> None:
        with RecordingWriter.resume(folder)[0] as writer:
            for frame in range(writer.frame_count, 70):
                writer.append(frame / 60, {"a": np.zeros(3, np.float32)})

    refuse(fill)


def test_overwriting_deletes_only_what_the_recording_names(folder: Path) -> None:
    """As it was found: an empty folder, or one whose files all begin with c., was deleted."""
    (folder / "empty").mkdir()
    (folder / "notes").mkdir()
    mine = ["notes/c.7", "notes/c.8.0", "a/mine.txt", "a/c.x", "mine.txt"]
    for name in mine:
        (folder / name).write_text("mine")
    edit(folder, lambda d: arrays_of(d).update({"notes": arrays_of(d)["b"]}))  # it says so itself
    record(folder, frames=5, overwrite=True)
    assert (folder / "empty").is_dir()
    assert all((folder / name).read_text() == "mine" for name in mine)
    assert Recording.open(folder).frame_count == 5


def test_a_new_array_takes_nobodys_place(folder: Path) -> None:
    (folder / "c").mkdir()
    (folder / "c" / "c.7").write_text("mine")
    before = read_tree(folder)
    other = [Channel("c", ("n",), (3,), "float32", "cm")]
    line = refuse(lambda: RecordingWriter.create(folder, other, [], {}, 60, overwrite=True))
    assert "would have an array c" in line
    assert read_tree(folder) == before


def test_closing_takes_only_its_own_chunks_and_drafts(folder: Path) -> None:
    (folder / "notes").mkdir()
    mine = ["a/c.x", "a/c.9.0.0", "a/c.00x", "notes/zarr.json.tmp", "notes/c.9"]
    for name in mine:
        (folder / name).write_text("mine")
    (folder / "a/c.9.0").write_bytes(b"left by a run that was killed")
    RecordingWriter.resume(folder)[0].close()
    assert all((folder / name).read_text() == "mine" for name in mine)
    assert not (folder / "a/c.9.0").exists()


# --- one line for each ------------------------------------------------------------------------


def test_what_is_no_file_is_not_read(folder: Path) -> None:
    root = folder / "zarr.json"
    root.unlink()
    os.mkfifo(root)
    assert "is not a regular file" in refuse(lambda: Recording.open(folder))
    root.unlink()
    root.symlink_to("/dev/zero")
    assert "is a link" in refuse(lambda: Recording.open(folder))
    root.unlink()
    with root.open("wb") as file:
        file.truncate(1 << 40)
    assert "is too large" in refuse(lambda: Recording.open(folder))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: facts_of(d).update(frame_rate="60"), "frame_rate is the text '60'"),
        (lambda d: facts_of(d).update(frame_rate=0), "frame_rate is 0"),
        (lambda d: facts_of(d).pop("frame_rate"), "frame_rate is nothing"),
        (lambda d: facts_of(d).update(seed=-1), "seed is -1"),
        (lambda d: facts_of(d).update(creatures={}), "creatures is a mapping"),
        (lambda d: facts_of(d).update(creatures=[3]), "creatures[0] is 3"),
        (lambda d: facts_of(d).update(creatures=[{"name": "x"}]), "creatures[0].kind"),
        (lambda d: facts_of(d).update(creatures=[{"name": "../x", "kind": ""}]), "'../x'"),
        (
            lambda d: facts_of(d).update(
                creatures=[{"name": "x", "kind": "figure", "look": {"soft": "blue"}}]
            ),
            "creatures[0]: look.soft must be a colour",
        ),
        (lambda d: facts_of(d).update(scene=[]), "scene is a list"),
        (lambda d: facts_of(d).update(scene={"terrain": 5}), "scene: terrain must be a list"),
        (lambda d: facts_of(d).update(scene={"gravity": "x"}), "scene: gravity must be a number"),
        (lambda d: facts_of(d).update(obstacles=[{"shape": "cone"}]), "obstacles[0].shape"),
        (lambda d: facts_of(d).update(obstacles=[{"shape": "box"}]), "obstacles[0].at is missing"),
        (lambda d: d.update(attributes=[]), "not a Skitter recording"),
        (lambda d: arrays_of(d)["a"].update(shape=[3, "x"]), "shape must be a list of whole"),
        (lambda d: arrays_of(d)["a"].update(shape=[3, -3]), "shape must be a list of whole"),
        (lambda d: arrays_of(d)["a"].update(data_type="object"), "data_type is not one of"),
        (lambda d: arrays_of(d)["a"].update(data_type=["f4"]), "data_type is not one of"),
        (lambda d: arrays_of(d)["a"].update(dimension_names=["time", 3]), "dimension_names"),
        (lambda d: arrays_of(d)["a"]["attributes"].update(units=5), "units and long_name"),
        (lambda d: arrays_of(d).update(a=None), "not as the format has it"),
        (lambda d: arrays_of(d)["time"].update(data_type="float32"), "time is not stored"),
        (lambda d: arrays_of(d).pop("time"), "'time' is missing"),
    ],
)
def test_damaged_metadata_is_one_line(folder: Path, change: Any, words: str) -> None:
    edit(folder, change)
    assert words in refuse(lambda: Recording.open(folder))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 200_000, "200,000 levels deep"),
        ('{"attributes": {"skitter": {"format": 1, "frame_rate": NaN}}}', "NaN"),
        ('{"attributes": ' + "9" * 5000 + "}", "too many digits"),
        ('"text"', "a JSON object was expected"),
    ],
)
def test_damaged_json_is_one_line(folder: Path, text: str, words: str) -> None:
    (folder / "zarr.json").write_text(text)
    assert words in refuse(lambda: Recording.open(folder))


@pytest.mark.parametrize("sizes", [[10**9, 3], [2**40, 2**40], [2**32, 2**31, 2]])
def test_a_huge_array_in_a_file_of_holes_is_not_read(folder: Path, sizes: list[int]) -> None:
    """The last one's size is 0 where numbers of 64 bits overflow."""
    names = ["m", "k", "l"][: len(sizes)]

    def grow(document: Any) -> None:
        arrays_of(document)["b"].update(shape=sizes, dimension_names=names)
        arrays_of(document)["b"]["chunk_grid"]["configuration"]["chunk_shape"] = sizes

    edit(folder, grow)
    (folder / "b/c.0").unlink()
    with (folder / f"b/c{'.0' * len(sizes)}").open("wb") as file:
        file.truncate(min(8 * int(np.prod(np.array(sizes, float))), 1 << 43))
    assert "b has" in refuse(lambda: Recording.open(folder))


def test_much_memory_is_not_filled_from_holes(tmp_path: Path) -> None:
    channels = [Channel("a", ("n",), (1 << 20,), "float64", "cm")]
    with RecordingWriter.create(tmp_path / "r", channels, [], {}, 60) as writer:
        writer.append(0.0, {"a": np.zeros(1 << 20)})
    edit(
        tmp_path / "r",
        lambda d: [a.update(shape=[64, *a["shape"][1:]]) for a in arrays_of(d).values()],
    )
    recording = Recording.open(tmp_path / "r")
    assert recording["a"][0].shape == (1 << 20,)
    os.truncate(tmp_path / "r/a/c.0.0", 0)
    os.truncate(tmp_path / "r/a/c.0.0", 64 << 23)
    assert "would take 536,870,912 bytes" in refuse(lambda: recording["a"][:])


@pytest.mark.parametrize("value", [np.nan, np.inf, -5.0, 1e6])
def test_times_must_be_times(folder: Path, value: float) -> None:
    with (folder / "time/c.0").open("r+b") as file:
        file.seek(8)
        file.write(np.float64(value).tobytes())
    assert f"the time of frame 1 is {value:g}" in refuse(lambda: Recording.open(folder).time)


def test_a_checkpoint_that_is_strange_counts_as_none(folder: Path) -> None:
    path = folder / "checkpoint.npz"
    assert read_checkpoint(folder) is not None
    for count in (-1, [1, 2], "x", 1.5):
        np.savez(path, frame_count=count)
        assert read_checkpoint(folder) is None
    path.unlink()
    os.mkfifo(path)
    assert read_checkpoint(folder) is None
    path.unlink()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"state/{number}.npy", bytes(200_000_000))
    assert read_checkpoint(folder) is None


def test_a_recording_of_other_channels_is_not_continued(folder: Path) -> None:
    other = [Channel("a", ("n",), (4,), "float32", "cm"), *CHANNELS[1:]]
    assert "holds another a" in refuse(lambda: RecordingWriter.resume(folder, {}, other))


def test_numbers_that_do_not_fit_together_are_one_line(tmp_path: Path, capsys: Any) -> None:
    """As it was found: an index out of its range, somewhere in the looks of a creature."""
    write_myriapod(tmp_path / "r", seconds=0.2, segments=4)
    path = next((tmp_path / "r/centipede.soft_triangles").glob("c*.0"))
    path.write_bytes(b"\x7f" * path.stat().st_size)
    assert main(["export", str(tmp_path / "r"), "-o", str(tmp_path / "a.glb")]) == 2
    line = capsys.readouterr().err
    assert "does not fit together (IndexError in " in line and line.count("\n") == 1
    assert not (tmp_path / "a.glb").exists()


def test_a_leg_that_is_not_there_fills_no_memory(tmp_path: Path) -> None:
    """A body that says it is of leg two thousand million: as many were laid out."""
    write_roach(tmp_path / "r", seconds=0.1)
    path = tmp_path / "r/roach.body_leg/c.0"
    path.write_bytes(b"\x7f" * path.stat().st_size)
    recording = Recording.open(tmp_path / "r")
    line = refuse(lambda: recording.export(tmp_path / "a.glb", scenery=False))
    assert "does not fit together (ValueError in look/tree.py" in line


def test_what_was_kept_is_still_measured(tmp_path: Path) -> None:
    with zipfile.ZipFile(KEPT) as kept:
        kept.extractall(tmp_path / "r")
    assert Recording.open(tmp_path / "r").measure()
