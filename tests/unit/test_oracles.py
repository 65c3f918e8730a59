"""Whether the programs that judge our exports are there and tell good files from bad ones."""

import shutil
import struct

import numpy as np
import pytest

from corpus import CORPUS, build_source
from oracles import check_glb, validate_glb
from skitter.look.mesh import build_sphere
from skitter.scene.load import load_scene
from skitter.view.glb import write_glb


@pytest.fixture
def ball():
    mesh = build_sphere(1.0)
    return write_glb(mesh, np.full((len(mesh.points), 3), 0.5))


def test_validator_passes_a_good_file(tmp_path, ball):
    (tmp_path / "good.glb").write_bytes(ball)
    check_glb(tmp_path / "good.glb")


def test_validator_sees_an_index_beyond_the_points(tmp_path, ball):
    good, bad = tmp_path / "good.glb", tmp_path / "bad.glb"
    good.write_bytes(ball)
    bad.write_bytes(ball[:-4] + struct.pack("<I", 10**6))  # indices are last
    report = validate_glb(good, bad)
    assert report[str(good)]["errors"] == 0
    assert [one["code"] for one in report[str(bad)]["messages"]] == ["ACCESSOR_INDEX_OOB"]
    with pytest.raises(AssertionError, match="ACCESSOR_INDEX_OOB"):
        check_glb(good, bad)


def test_povray_is_there():
    assert shutil.which("povray"), "sh tools/prepare_oracles.sh povray installs it"


@pytest.mark.parametrize("name", CORPUS)
def test_corpus_has_animals(name):
    scene = load_scene(build_source(name))
    assert len(scene.species) == len(scene.creature_names) > 0
