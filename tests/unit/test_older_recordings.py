"""What was recorded before still opens: a recording of version 0.1 as it was in November 2026.

It has a walker, a swimmer in water and a jelly, food, an obstacle, logs, and a checkpoint whose
state does not say yet whether a swimmer is led.
"""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import skitter
from skitter.look.creature import build_creatures
from skitter.scene.load import Scene
from skitter.world import World
from trees import read_tree

KEPT = Path(__file__).parents[1] / "data" / "recording-2026-11.zip"
SCENE = """
title: A walker, a swimmer and a jelly, for opening later
seconds: 0.1
terrain: [{shape: plane}, {shape: logs, count: 3, at: [-60, 0, 0]}]
water: {level: 2, at: [60, 0], area: [24, 12], cell: 0.5}
creatures:
  - {species: pauropod, name: walker}
  - {species: eel, name: swimmer, at: [64, 1.5, 0]}
  - {species: jelly_cube, name: jelly, at: [0, 4, 20]}
food: [{at: [5, 0, 0]}]
obstacles: [{shape: box, at: [0, 0.5, 8], size: [1, 1, 1]}]
"""
SPECIES = {"walker": "myriapod", "swimmer": "swimmer", "jelly": "figure"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("older") / "recording"
    with zipfile.ZipFile(KEPT) as kept:
        kept.extractall(folder)
    return folder


def test_it_opens(folder):
    recording = skitter.Recording.open(folder)
    assert {one["name"]: one["kind"] for one in recording.creatures} == SPECIES
    assert recording.time == pytest.approx(np.arange(7) / 60)
    assert np.asarray(recording["walker.leg_point"][:]).shape == (7, 18, 4, 3)
    for channel in recording.channels:
        values = np.asarray(recording[channel.name][:], float)
        assert np.isfinite(values).all() or channel.name == "water_surface", channel.name


def test_it_is_measured(folder):
    measures = skitter.Recording.open(folder).measure()
    assert measures["duration"].value == pytest.approx(0.1)
    assert {name.partition(".")[0] for name in measures} >= {*SPECIES}
    # the jelly falls its 3.5 cm onto the ground within 0.085 s, and is squeezed a little by then
    assert 3.5 < measures["jelly.distance"].value < 4.0


def test_it_is_shown(folder):
    for one in build_creatures(skitter.Recording.open(folder)):
        outline = one.outline(one.motion.pose(0.05))
        assert np.isfinite(outline).all() and np.ptp(outline, axis=0).min() > 0.1


def test_its_scene_can_be_run_again(folder):
    recording = skitter.Recording.open(folder)
    world = World(Scene.from_dict(recording.scene), seed=recording.seed)
    for name in SPECIES:
        one = next(one for one in world.creatures if one.name == name)
        label = "node_position" if name == "jelly" else "body_position"
        assert getattr(one, label) == pytest.approx(recording[f"{name}.{label}"][0], abs=1e-5)


def test_it_is_not_continued_by_other_physics(folder, tmp_path):
    """Bodies meet now; it would go on otherwise than it began."""
    scene, copy = tmp_path / "old.yaml", tmp_path / "recording"
    scene.write_text(SCENE)
    shutil.copytree(folder, copy)
    with pytest.raises(skitter.errors.UserError, match=r"was recorded by physics 1.*--overwrite"):
        skitter.run(scene, seconds=0.2, seed=5, output=copy, resume=True)
    assert read_tree(copy) == read_tree(folder)
