"""`skitter export` and `skitter rig` as users call them: what they say, and what mistakes leave."""

import json
import os
import shutil

import pytest
import yaml

from corpus import Recorded
from skitter.cli import main
from skitter.errors import UserError
from skitter.export import formats
from skitter.export.formats import FORMATS, SUFFIXES, Format
from skitter.export.order import Order
from skitter.export.summary import Summary
from skitter.export.write import export_recording

ENDINGS = [one.suffixes[0].removeprefix(".") for one in FORMATS]
OF_WORMS = ("wcon",)  # of creatures with a midline alone: test_wcon_export.py


@pytest.fixture
def walk(recorded: Recorded) -> str:
    return str(recorded("species/robot").path)


def complain(capsys, *arguments: str) -> str:
    """The one line that a mistake gets."""
    assert main([str(one) for one in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skitter: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("suffix", [one for one in ENDINGS if one not in OF_WORMS])
def test_every_format_is_written_and_told(walk, tmp_path, capsys, suffix):
    output = tmp_path / f"a.{suffix}"
    assert main(["export", walk, "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["export"]
    assert output.stat().st_size > 1000
    assert told["file"] == str(output)
    assert told["fps"] == 30
    assert told["frames"] == (12 if suffix == "pov" else 13)  # a film ends before its last moment
    if suffix != "pov":
        assert [(one["name"], one["joints"]) for one in told["creatures"]] == [("one", 133)]


def test_it_says_how_many_joints(walk, tmp_path, capsys):
    assert main(["export", walk, "-o", str(tmp_path / "a.glb"), "--lod", "2"]) == 0
    out = capsys.readouterr().out
    assert "13 frames at 30 per second" in out
    assert "one: 41 joints" in out


def test_help_names_every_ending(capsys):
    assert main(["export", "--help"]) == 0
    words = {word.rstrip(".,") for word in capsys.readouterr().out.split()}
    assert {".glb", ".usdc", ".usda", ".mel", ".pov"} <= set(SUFFIXES) <= words


def write_names(order: Order) -> Summary:
    """A format of its own: who is there."""
    order.output.write_text(" ".join(order.names))
    return Summary(order.output, "names", order.clip.fps, len(order.clip.times), [])


def test_a_row_of_the_table_makes_a_format(recorded, tmp_path, monkeypatch):
    row = Format((".txt",), f"{__name__}:write_names", unused=("lod",), takes_surfaces=False)
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, row))
    monkeypatch.setattr("skitter.export.write.SUFFIXES", (*SUFFIXES, ".txt"))
    recording = recorded("scenes/coil")
    names = [one["name"] for one in recording.creatures]
    assert export_recording(recording, tmp_path / "a.txt", fps=10).format == "names"
    assert (tmp_path / "a.txt").read_text().split() == names
    export_recording(recording, tmp_path / "b.txt", creature=names[1])
    assert (tmp_path / "b.txt").read_text() == names[1]
    with pytest.raises(UserError, match=r"--lod does not apply to \.txt files"):
        export_recording(recording, tmp_path / "c.txt", lod=1)


def test_formats_that_there_are_not(walk, tmp_path, capsys):
    for name in ("a.fbx", "a", ".glb/"):
        line = complain(capsys, "export", walk, "-o", tmp_path / name)
        assert all(suffix in line for suffix in SUFFIXES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ENDINGS)
def test_places_that_cannot_be_written_to(walk, tmp_path, capsys, suffix):
    complain(capsys, "export", walk, "-o", tmp_path / "missing" / f"a.{suffix}")
    (tmp_path / f"a.{suffix}").mkdir()
    complain(capsys, "export", walk, "-o", tmp_path / f"a.{suffix}")
    complain(capsys, "export", walk, "-o", f"/proc/a.{suffix}")  # even root cannot
    assert [one.name for one in tmp_path.iterdir()] == [f"a.{suffix}"]


@pytest.mark.parametrize("suffix", ENDINGS)
def test_a_recording_cut_short(walk, tmp_path, capsys, suffix):
    folder = tmp_path / "rec"
    shutil.copytree(walk, folder)
    chunk = max((one for one in folder.rglob("*") if one.is_file() and "c" in one.parts), key=size)
    os.truncate(chunk, chunk.stat().st_size // 2)
    line = complain(capsys, "export", folder, "-o", tmp_path / f"a.{suffix}")
    assert "rec" in line
    assert [one.name for one in tmp_path.iterdir()] == ["rec"]


def size(path) -> int:
    return path.stat().st_size


def test_no_recording(tmp_path, capsys):
    complain(capsys, "export", tmp_path / "none", "-o", tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []


def test_own_rig_all_the_way(walk, tmp_path, capsys):
    """Exported, measured, and moved by its own motion again."""
    asset, species, moved = (str(tmp_path / name) for name in ("a.glb", "s.yaml", "b.glb"))
    assert main(["export", walk, "-o", asset, "--no-scenery"]) == 0
    assert main(["rig", asset, "-o", species, "--like", "robot"]) == 0
    assert "12 segments" in capsys.readouterr().out
    assert yaml.safe_load((tmp_path / "s.yaml").read_text())["segments"] == 12
    assert main(["export", walk, "-o", moved, "--rig", asset, "--replace"]) == 0
    assert "one: 133 joints" in capsys.readouterr().out


def test_own_rig_mistakes(walk, recorded, tmp_path, capsys):
    asset, output = tmp_path / "a.glb", tmp_path / "b.glb"
    assert main(["export", str(recorded("species/eel").path), "-o", str(asset)]) == 0
    capsys.readouterr()
    line = complain(capsys, "export", walk, "-o", output, "--rig", asset)
    assert "has no joint for" in line
    assert "--map" in complain(capsys, "export", walk, "-o", output, "--map", "m.yaml")
    assert "--scale" in complain(
        capsys, "export", walk, "-o", output, "--rig", asset, "--scale", "2"
    )
    complain(capsys, "export", walk, "-o", output, "--rig", tmp_path / "none.glb")
    complain(capsys, "rig", asset, "-o", tmp_path / "s.yaml")
    complain(capsys, "rig", tmp_path / "none.glb", "-o", tmp_path / "s.yaml")
    assert [one.name for one in tmp_path.iterdir()] == ["a.glb"]
