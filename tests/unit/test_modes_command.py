"""`skitter modes`: a table of modes, or JSON, and a picture."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from skitter.cli import main
from skitter.creatures.worm.anatomy import build_body
from skitter.elastic.block import build_nodes, build_topology
from skitter.elastic.mesh_files import write_mesh
from skitter.elastic.tet_mesh import TetMesh


@pytest.fixture
def worm_file(tmp_path: Path) -> Path:
    path = tmp_path / "worm.msh"
    write_mesh(build_body(length=0.1, radius=0.004, slabs=22, around=8), path)
    return path


def test_table(worm_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["modes", str(worm_file), "--count", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 6 + 8
    (chosen,) = [line for line in lines if "chosen" in line]
    assert "horizontal" in chosen
    assert sum("rigid" in line for line in lines) == 6


def test_json_and_picture(worm_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = worm_file.with_suffix(".png")
    assert main(["modes", str(worm_file), "--json", "-o", str(picture)]) == 0
    modes = json.loads(capsys.readouterr().out)["modes"]
    assert [mode["number"] for mode in modes] == list(range(1, 23))
    elastic = [mode["frequency"] for mode in modes[6:]]
    assert elastic == sorted(elastic)
    (chosen,) = [mode for mode in modes if mode["chosen"]]
    assert (chosen["plane"], chosen["half_waves"]) == ("horizontal", 2)
    pixels = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    drawn = np.abs(pixels[:, 400:-40] - pixels[-1, -1]).sum(axis=2) > 60  # beside the words
    rows = np.array_split(drawn, 8)
    assert all(0.02 < row.mean() < 0.6 for row in rows)  # a body in each


def test_a_body_that_does_not_undulate_has_modes_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = (2, 2, 2)
    tets = build_topology(cells).tets
    nothing = np.zeros(len(tets), int), ("all",), np.zeros((len(tets), 3))
    write_mesh(TetMesh(build_nodes(cells, np.ones(3)), tets, *nothing), tmp_path / "cube.mesh")
    assert main(["modes", str(tmp_path / "cube.mesh"), "--count", "4"]) == 0
    assert "chosen" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["modes", "missing.msh"], "cannot be read"),
        (["modes", "eel"], "kind worm"),
        (["modes", "no_such_worm"], "no_such_worm"),
        (["modes", "a.msh", "-o", "a.gif"], "must end in"),
        (["modes", "a.msh", "--count", "0"], "count"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert message in told
    assert len(told.splitlines()) == 1
