"""Recordings that were changed on the disk: their metadata, their files, what their files are.

Others' files lie beside the recording and in it; none of them may change, whatever is tried.
"""

import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_mutations import change_bytes, change_tree, write_json

from articulated_recordings import write_roach
from climber_recordings import write_climber
from look_recordings import write_myriapod
from skitter.measure.files import measure_source
from skitter.record import Channel, RecordingWriter
from skitter.record.checkpoint import read_checkpoint
from skitter.recording import Recording
from skitter.scene.load import Scene
from worm_recordings import write_worm

Attempt = Callable[[], object]
KEPT = Path(__file__).parents[1] / "data" / "recording-2026-11.zip"
NEW = [Channel("a", ("n",), (3,), "float32", "cm")]


def write_bases(folder: Path) -> list[Path]:
    """One recording of each family, by formula, and one that a run left."""
    write_myriapod(folder / "walker", seconds=0.5, segments=6, food=[(1, 0, 0)])
    write_climber(folder / "climber")
    write_roach(folder / "roach")
    write_worm(folder / "worm", seconds=0.5)
    with zipfile.ZipFile(KEPT) as kept:
        kept.extractall(folder / "kept")
    return sorted(path for path in folder.iterdir() if path.is_dir())


def add_victims(folder: Path, recording: Path) -> list[Path]:
    """Others' things: beside the recording, and in it; those must stay as they are."""
    victim, inside = folder / "victim", [recording / name for name in ("empty", "notes")]
    for place in (victim, *inside):
        place.mkdir()
    for place in (victim, inside[1]):
        (place / "c.7").write_text("not yours")
    (victim / "zarr.json").write_text("{}")
    (victim / "zarr.json.tmp").write_text("")
    (folder / "victim.txt").write_text("not yours")
    return [victim, *inside, folder / "victim.txt"]


def make_recording(rng: random.Random, bases: list[Path], folder: Path) -> Attempt:
    """A changed copy of a recording, and something to do with it."""
    path = folder / "recording"
    shutil.copytree(rng.choice(bases), path)
    for change in rng.choices((change_document, change_file, change_values), (8, 3, 2)):
        change(rng, path, folder)
    return choose_attempt(rng, path, folder)


def choose_attempt(rng: random.Random, path: Path, folder: Path) -> Attempt:
    attempts: list[tuple[Attempt, int]] = [
        (lambda: read_all(path), 3),
        (lambda: measure_source(path), 4),
        (lambda: Recording.open(path).export(folder / "out.glb", scenery=False, end=0.05), 2),
        (lambda: Recording.open(path).export(folder / "out.wcon"), 1),
        (lambda: Scene.from_dict(Recording.open(path).scene), 1),
        (lambda: go_on(path), 3),
        (lambda: replace(path), 3),
        (lambda: read_checkpoint(path), 1),
    ]
    return rng.choices([one for one, _ in attempts], [weight for _, weight in attempts])[0]


def read_all(path: Path) -> None:
    """Everything that a recording says it holds."""
    recording = Recording.open(path)
    _ = recording.time, recording.seed, recording.frame_rate, recording.statics
    for channel in recording.channels:
        _ = recording[channel.name][:4], recording[channel.name][-1:]


def go_on(path: Path) -> None:
    """What `run --resume` does to the files, a frame that comes out differently among it."""
    writer, _ = RecordingWriter.resume(path, {"seed": 1})
    with writer:
        channels = Recording.open(path).channels
        values = {one.name: np.zeros(one.shape, one.dtype) for one in channels}
        writer.append(0.0, values)
        writer.save_checkpoint({"a": np.zeros(3)})


def replace(path: Path) -> None:
    """What `run --overwrite` does to them."""
    with RecordingWriter.create(path, NEW, [], {}, 60, overwrite=True) as writer:
        writer.append(0.0, {"a": np.zeros(3, np.float32)})


def change_document(rng: random.Random, path: Path, folder: Path) -> None:
    """Something else in `zarr.json`, often where a name or a shape stands."""
    document = json.loads((path / "zarr.json").read_text())
    facts, arrays = (
        document["attributes"]["skitter"],
        document["consolidated_metadata"]["metadata"],
    )
    donors = [document["attributes"], arrays]
    what = rng.random()
    if what < 0.1:
        name = rng.choice(["../../victim", "../victim", "..", "/tmp/x", "a/b", "notes", "", "c.0"])
        arrays[name] = dict(arrays[rng.choice(list(arrays))])
    elif what < 0.2:
        grow_array(rng, path, arrays)
    else:
        parts: list[Any] = [document, facts, facts["creatures"], facts["scene"], arrays]
        index = rng.randrange(len(parts))
        changed = change_tree(rng, parts[index], donors)
        if index == 0:
            document = changed
        elif index == 1:
            document["attributes"]["skitter"] = changed
        elif index == 4:
            document["consolidated_metadata"]["metadata"] = changed
        else:
            facts[("creatures", "scene")[index - 2]] = changed
    (path / "zarr.json").write_bytes(write_json(document))


def grow_array(rng: random.Random, path: Path, arrays: dict[str, Any]) -> None:
    """An array that claims to be huge, in a file of holes that is as long."""
    name = rng.choice(list(arrays))
    array = arrays[name]
    size = rng.choice([10**4, 10**6, 10**9, 2**40])
    array["shape"] = [*array["shape"][:1], size, 3] if rng.random() < 0.5 else [size, 3]
    moving = array["dimension_names"][:1] == ["time"]
    array["dimension_names"] = (["time"] if moving else []) + ["n", "m", "k"][: 3 - moving]
    array["dimension_names"] = array["dimension_names"][: len(array["shape"])]
    chunk = [64 if moving and k == 0 else max(1, n) for k, n in enumerate(array["shape"])]
    array["chunk_grid"]["configuration"]["chunk_shape"] = chunk
    count = int(np.prod([float(n) for n in chunk]))
    item = np.dtype(array["data_type"]).itemsize if isinstance(array["data_type"], str) else 8
    dots = "0" + ".0" * (len(chunk) - 1)
    file = path / name / f"c.{dots}"
    if count * item < 1 << 43:
        for old in (path / name).glob("c*"):
            old.unlink()
        with file.open("wb") as holes:
            holes.truncate(count * item)


def change_file(rng: random.Random, path: Path, folder: Path) -> None:
    """A file that is missing, cut, a folder, a link, a pipe, a device."""
    files = [one for one in path.rglob("*") if one.is_file()]
    one, what = rng.choice([*files, path / "zarr.json", path / "checkpoint.npz"]), rng.random()
    if not one.exists():
        one.write_bytes(rng.randbytes(100))
    size = one.stat().st_size
    if what < 0.15:
        os.truncate(one, rng.choice([0, 1, max(size - 1, 0), size * 2]))
        return
    if what < 0.25:
        shutil.rmtree(one.parent) if one.parent != path else one.unlink()
        return
    if what < 0.35 and one.parent != path:
        shutil.rmtree(one.parent)
        one.parent.symlink_to(folder / "victim")
        return
    if what < 0.45:
        (one.parent / f"{one.name}.tmp").symlink_to(folder / "victim.txt")
        return
    one.unlink()
    if what < 0.55:
        one.mkdir()
    elif what < 0.75:
        targets = [folder / "victim.txt", Path("/dev/zero"), Path("/nonexistent"), one, Path("/")]
        one.symlink_to(rng.choice(targets))
    elif what < 0.9:
        os.mkfifo(one)
    else:
        (one.parent / "c.x").write_text("not a number")


def change_values(rng: random.Random, path: Path, folder: Path) -> None:
    """Other bytes in a file that keeps its length."""
    files = [*path.glob("*/c*"), path / "zarr.json", path / "checkpoint.npz"]
    one = rng.choice([file for file in files if file.is_file()])
    data = one.read_bytes()
    changed = change_bytes(rng, data)
    if one.name != "zarr.json" and rng.random() < 0.9:
        changed = changed[: len(data)].ljust(len(data), rng.choice([b"\0", b"\xff"]))
    one.write_bytes(changed)
