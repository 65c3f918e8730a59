"""Recordings: what goes in comes out, in NumPy, xarray and zarr, and mistakes get one line."""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.record import Channel, Recording, RecordingWriter, Static
from skitter.record.folder import claim_folder, empty_folder

CHANNELS = [
    Channel("ant.position", ("ant.body", "xyz"), (5, 3), "float32", "cm", "centre of each body"),
    Channel("ant.energy", (), (), "float64", "erg", "kinetic energy"),
    Channel("ant.contact", ("foot",), (6,), "bool", "1", "whether a foot stands"),
    Channel("ant.count", ("foot",), (6,), "int32", "1", "steps taken so far"),
    Channel("ant.nothing", ("none", "xyz"), (0, 3), "float32", "cm", "an array of no size"),
]
STATICS = [
    Static("ant.mass", ("ant.body",), np.arange(5.0), "g", "mass of each body"),
    Static("ant.triangles", ("triangle", "xyz"), np.zeros((0, 3), np.int32), "1", "no triangles"),
    Static("gravity", (), np.array(981.0), "cm/s²", "a number without dimensions"),
]
ATTRIBUTES = {
    "seed": 7,
    "scene": {"terrain": [{"shape": "plane"}]},
    "creatures": [{"name": "ant", "kind": "figure"}],
}
FRAMES = 150


def values_at(frame: int) -> dict[str, Any]:
    rng = np.random.default_rng(frame)
    return {
        "ant.position": rng.normal(size=(5, 3)).astype(np.float32),
        "ant.energy": rng.normal(),
        "ant.contact": rng.random(6) < 0.5,
        "ant.count": rng.integers(-9, 9, 6).astype(np.int32),
        "ant.nothing": np.zeros((0, 3), np.float32),
    }


def create(path: Path, **options: Any) -> RecordingWriter:
    return RecordingWriter.create(path, CHANNELS, STATICS, ATTRIBUTES, 60, **options)


def extend(writer: RecordingWriter, stop: int) -> None:
    for frame in range(writer.frame_count, stop):
        writer.append(frame / 60, values_at(frame))


def expected(name: str, count: int = FRAMES) -> np.ndarray:
    return np.array([values_at(frame)[name] for frame in range(count)])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "finished"
    with create(path) as writer:
        extend(writer, FRAMES)
        writer.save_checkpoint({"x": np.arange(3)})
    return path


@pytest.fixture
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_what_was_written_is_read(finished: Path) -> None:
    recording = Recording.open(finished)
    assert recording.frame_count == len(recording) == FRAMES
    assert recording.channels == CHANNELS
    assert np.array_equal(recording.time, np.arange(FRAMES) / 60)
    for channel in CHANNELS:
        assert np.array_equal(recording[channel.name], expected(channel.name))
        assert recording[channel.name][:].dtype == channel.dtype
    for written, read in zip(STATICS, recording.statics, strict=True):
        assert read.channel == written.channel
        assert np.array_equal(recording.static(written.name), written.values)
    for name, values in recording.frame(77).items():
        assert np.array_equal(values, values_at(77)[name])


def test_a_recording_says_what_it_is(finished: Path) -> None:
    recording = Recording.open(finished)
    assert recording.seed == 7
    assert recording.scene == ATTRIBUTES["scene"]
    assert recording.creatures == ATTRIBUTES["creatures"]
    assert recording.frame_rate == 60
    assert recording.attributes["units"]["length"] == "cm"
    assert recording.attributes["axes"]["y"] == "up"
    assert recording.attributes["quaternion"] == ["w", "x", "y", "z"]
    assert recording.attributes["versions"]["numpy"] == np.__version__


@pytest.mark.parametrize("count", [0, 1, 64, 65])
def test_xarray_and_zarr_open_the_directory(tmp_path: Path, count: int, no_warnings: None) -> None:
    xarray, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr")
    with create(tmp_path / "r") as writer:
        extend(writer, count)
    group = zarr.open_group(tmp_path / "r", mode="r")
    opened = [xarray.open_zarr(tmp_path / "r"), Recording.open(tmp_path / "r").dataset()]
    opened.append(xarray.open_zarr(tmp_path / "r", consolidated=False))
    for dataset in opened:
        assert dataset.sizes["time"] == count
        assert np.array_equal(dataset["time"], np.arange(count) / 60)
        for channel in CHANNELS:
            values = expected(channel.name, count).reshape(count, *channel.shape)
            assert dataset[channel.name].dims == ("time", *channel.dims)
            assert dataset[channel.name].attrs["units"] == channel.unit
            assert np.array_equal(dataset[channel.name], values)
            assert np.array_equal(group[channel.name][:], values)
        for static in STATICS:
            assert np.array_equal(dataset[static.name], static.values)
        assert dataset.attrs["skitter"]["seed"] == 7


KEYS: list[Any] = [
    *(0, -1, 149, np.int64(64)),
    *(slice(None), slice(10, 20), slice(60, 70), slice(None, None, -7), slice(200, 300)),
    *((slice(3, 90), 2), (5, ..., 1), (slice(None), [0, 2], 1), ([3, 70, 3], [0, 1, 2])),
    *([], [5, 149, 2], np.array([[1, 2], [100, -1]]), np.arange(150) % 50 == 3),
    *((..., 0), (None, 3), (), expected("ant.position") > 0, True),
]


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_indexing_is_that_of_numpy(finished: Path, key: Any) -> None:
    found = Recording.open(finished)["ant.position"][key]
    wanted = expected("ant.position")[key]
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)


def test_a_frame_that_is_not_there_is_an_index_error(finished: Path) -> None:
    for frame in (FRAMES, -FRAMES - 1, [FRAMES]):
        with pytest.raises(IndexError):
            Recording.open(finished)["ant.energy"][frame]


def test_only_the_chunks_that_are_needed_are_read(tmp_path: Path) -> None:
    with create(tmp_path / "r") as writer:
        extend(writer, 192)
    energy = Recording.open(tmp_path / "r")["ant.energy"]
    (tmp_path / "r/ant.energy/c.0").unlink()
    (tmp_path / "r/ant.energy/c.2").unlink()
    assert np.array_equal(energy[64:128], expected("ant.energy", 128)[64:])
    with pytest.raises(UserError, match=r"cannot read ant\.energy"):
        energy[0]


def test_an_unknown_name_is_answered_with_the_known_ones(finished: Path) -> None:
    recording = Recording.open(finished)
    assert "ant.energy" in recording
    assert "ant.mass" not in recording
    with pytest.raises(UserError, match=r"no channel 'x'.*ant\.energy"):
        recording["x"]
    with pytest.raises(UserError, match=r"no static 'x'.*ant\.mass"):
        recording.static("x")


def test_a_dataset_without_xarray_names_the_package(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(UserError, match=r"xarray.*pip install 'skitter\[tables\]'"):
        Recording.open(finished).dataset()


def test_a_frame_that_does_not_fit_is_refused_before_it_is_written(tmp_path: Path) -> None:
    with create(tmp_path / "r") as writer:
        extend(writer, 2)
        good = values_at(2)
        wrong: list[dict[str, Any]] = [
            {**good, "ant.energy": np.zeros(2)},
            {**good, "other": 1.0},
            {name: good[name] for name in good if name != "ant.energy"},
        ]
        for values in wrong:
            with pytest.raises(ValueError, match=r"ant\.energy|other"):
                writer.append(0.0, values)
        with pytest.raises(TypeError):
            writer.append(0.0, {**good, "ant.count": np.full(6, 0.5)})
        extend(writer, 3)
    assert np.array_equal(Recording.open(tmp_path / "r")["ant.count"], expected("ant.count", 3))


BODY: dict[str, Any] = {"dims": ("body",), "shape": (2,), "dtype": "float32", "unit": "cm"}
BAD_CHANNELS = [
    ([Channel("../up", **BODY)], "cannot name an array"),
    ([Channel("__x", **BODY)], "cannot name an array"),
    ([Channel("time", **BODY)], "cannot name an array"),
    ([Channel("a", **BODY), Channel("a", **BODY)], "more than once: a"),
    ([Channel("a", ("body", "body"), (2, 2), "float32", "cm")], "must be distinct"),
    ([Channel("a", ("body", "xyz"), (2,), "float32", "cm")], "do not fit shape"),
    ([Channel("a", ("body",), (2,), "complex64", "cm")], "valid are bool, int8"),
    ([Channel("a", **BODY), Channel("b", ("body",), (3,), "float32", "cm")], "is 3 here and 2"),
    ([Channel("a", **BODY), Channel("body", **BODY)], "another array's name"),
    ([Channel("a", ("time",), (2,), "float32", "cm")], "not 'time'"),
]


@pytest.mark.parametrize(("channels", "words"), BAD_CHANNELS, ids=range(len(BAD_CHANNELS)))
def test_arrays_that_xarray_could_not_open_are_refused(
    tmp_path: Path, channels: list[Channel], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        RecordingWriter.create(tmp_path / "r", channels, [], {}, 60)
    assert not (tmp_path / "r").exists()


def edit_root(path: Path, **facts: Any) -> None:
    document = json.loads((path / "zarr.json").read_text())
    document["attributes"]["skitter"] |= facts
    (path / "zarr.json").write_text(json.dumps(document))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


DAMAGES = {
    "truncated zarr.json": (lambda p: truncate(p / "zarr.json"), "is damaged: zarr.json"),
    "empty zarr.json": (lambda p: (p / "zarr.json").write_text(""), "is damaged: zarr.json"),
    "a list": (lambda p: (p / "zarr.json").write_text("[]"), "is damaged: zarr.json"),
    "no metadata": (
        lambda p: (p / "zarr.json").write_text('{"attributes": {"skitter": {"format": 1}}}'),
        "is damaged: zarr.json: 'consolidated_metadata' is missing",
    ),
    "missing chunk": (
        lambda p: (p / "ant.energy/c.1").unlink(),
        "is damaged: ant.energy/c.1 is missing",
    ),
    "short chunk": (
        lambda p: truncate(p / "ant.energy/c.1"),
        "is damaged: ant.energy/c.1 has 412 bytes instead of 512",
    ),
    "missing static": (lambda p: (p / "gravity/c").unlink(), "is damaged: gravity/c is missing"),
    "newer format": (lambda p: edit_root(p, format=2), "format 2.*upgrade Skitter"),
    "other Zarr": (lambda p: (p / "zarr.json").write_text("{}"), "not a Skitter recording"),
    "no zarr.json": (lambda p: (p / "zarr.json").unlink(), "not a recording: it has no zarr.json"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_in_one_line(tmp_path: Path, damage: str) -> None:
    with create(tmp_path / "r") as writer:
        extend(writer, 70)
    break_it, words = DAMAGES[damage]
    break_it(tmp_path / "r")
    for open_it in (Recording.open, RecordingWriter.resume):
        with pytest.raises(UserError, match=words) as caught:
            open_it(tmp_path / "r")
        assert "\n" not in str(caught.value)
        assert str(tmp_path / "r") in str(caught.value)


def test_what_is_no_recording_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name, words in [
        ("nowhere", "nothing at that path"),
        ("file", "a recording is a directory"),
    ]:
        with pytest.raises(UserError, match=words):
            Recording.open(tmp_path / name)


def test_statics_are_known_by_name(finished):
    recording = Recording.open(finished)
    assert all(recording.has_static(static.name) for static in STATICS)
    assert not recording.has_static("ant.position") and not recording.has_static("ant")


def test_the_seed_is_0_where_none_was_written(tmp_path):
    with RecordingWriter.create(tmp_path / "plain", CHANNELS, STATICS, {}, 60) as writer:
        extend(writer, 1)
    assert Recording.open(tmp_path / "plain").seed == 0


def test_a_folder_that_was_begun_may_be_begun_again(tmp_path):
    """Killed after its arrays were made and before its root was: the folder is known to be ours."""
    claim_folder(tmp_path / "begun")
    empty_folder(tmp_path / "begun", overwrite=False)
    (tmp_path / "begun" / "time").mkdir()
    (tmp_path / "begun" / "time" / "zarr.json").write_text("{}")
    with create(tmp_path / "begun") as writer:
        extend(writer, 3)
    assert len(Recording.open(tmp_path / "begun")) == 3
