"""A species gets the sizes of a user's own rig."""

import re

import numpy as np
import pytest
from own_rigs import GIANT, load, rename, write_map
from rig_files import build_bones, write_rig, write_usd_rig

import skitter
from skitter.errors import UserError
from skitter.export.clip import plan_clip
from skitter.export.own.animate import animate_rig
from skitter.export.own.calibrate import calibrate_species


@pytest.fixture
def mapping(tmp_path):
    return write_map(tmp_path)


@pytest.mark.parametrize("name", [GIANT, "house_centipede", "millipede", "pauropod", "robot"])
@pytest.mark.parametrize("pose", ["stand", "spread"])
def test_a_rig_made_from_a_species_gives_its_sizes_back(name, pose, tmp_path, mapping):
    species = load(name)
    rig, out = tmp_path / "mine.glb", tmp_path / "mine.yaml"
    write_rig(rig, build_bones(species, pose=pose), rename, armature=0.01)
    found = calibrate_species(rig, out, mapping=mapping, like=name).species
    assert found == load(str(out))
    assert found.segments == species.segments
    for part in ("segment", "head", "tail"):
        ours, theirs = getattr(found, part).size, getattr(species, part).size
        np.testing.assert_allclose(ours, theirs, rtol=0.01)
    near = lambda value: pytest.approx(value, rel=0.01, abs=1e-3)  # noqa: E731
    assert found.joint.length == near(species.joint.length)
    assert found.taper == near(species.taper)
    assert found.leg.links == near(species.leg.links)
    assert found.leg.scale == near(species.leg.scale)
    assert found.leg.root_height == near(species.leg.root_height)
    assert found.antenna.length == near(species.antenna.length)
    if pose == "stand":
        assert found.leg.ankle_deg == near(species.leg.ankle_deg)
        assert found.walk.height == near(species.walk.height)
        assert found.leg.foot == near(species.leg.foot)
        assert found.walk.speed == near(species.walk.speed)
        assert found.material.young == near(species.material.young)


def test_sizes_come_from_the_rig_not_from_the_species_it_is_like(tmp_path, mapping):
    """A robot measured after a giant centipede, modelled in metres but 20 cm long."""
    rig, out = tmp_path / "mine.glb", tmp_path / "mine.yaml"
    robot = load("robot")
    write_rig(rig, build_bones(robot, pose="stand"), rename, unit=0.1)
    made = calibrate_species(rig, out, mapping=mapping, like=GIANT, length=20.0)
    assert made.length == pytest.approx(20.0, rel=1e-3)
    size = made.species.leg.length / robot.leg.length
    np.testing.assert_allclose(
        np.array(made.species.leg.links) / np.mean(made.species.leg.scale),
        size * np.array(robot.leg.links) / np.mean(made.species.leg.scale), rtol=0.01,
    )  # fmt: skip
    assert made.species.walk.height == pytest.approx(size * robot.walk.height, rel=0.05)
    with pytest.raises(UserError, match="--length CM"):
        calibrate_species(rig, tmp_path / "no.yaml", mapping=mapping)
    assert not (tmp_path / "no.yaml").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"like": "eel"}, "is a swimmer; valid: a species of kind myriapod"),
        ({"like": "giant_centipde"}, "did you mean 'giant_centipede'?"),
        ({"length": -1.0}, "valid: 0.5 to 300 cm"),
        ({"output": "mine.glb"}, "must end in .yaml"),
        ({"mapping": None}, "has no joint for seg_00, seg_01, seg_02"),
    ],
)
def test_bad_questions_about_sizes_are_refused(given, words, tmp_path, mapping):
    rig = tmp_path / "rig.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    before = sorted(tmp_path.iterdir())
    given = {"mapping": mapping} | given
    output = tmp_path / given.pop("output", "mine.yaml")
    with pytest.raises(UserError, match=re.escape(words)):
        calibrate_species(rig, output, **given)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_calibrated_species_walks(tmp_path, mapping):
    """Half as large as the one it is like, with longer legs, modelled with spread legs."""
    rig, out = tmp_path / "mine.glb", tmp_path / "mine.yaml"
    changes = {"segments": 12, "leg": {"links": [1.2, 1.0, 1.1]}}
    write_rig(rig, build_bones(load(GIANT, **changes)), rename, unit=0.005)
    species = calibrate_species(rig, out, mapping=mapping, like=GIANT).species
    scene = {
        "title": "t",
        "terrain": [{"shape": "plane"}],
        "creatures": [
            {"species": str(out), "name": "one", "at": [0, 1.2 * species.walk.height, 0]}
        ],
    }
    recording = skitter.run(scene, seconds=3, output=tmp_path / "run")
    bodies = np.asarray(recording["one.body_position"])
    way = bodies[-1].mean(axis=0) - bodies[len(bodies) // 3].mean(axis=0)
    assert np.hypot(way[0], way[2]) > 0.6 * 2 * species.walk.speed
    assert bodies[-1, :, 1].mean() == pytest.approx(species.walk.height, rel=0.15)
    made = animate_rig(
        recording, rig, tmp_path / "walks.glb", mapping=mapping, clip=plan_clip(recording, fps=30)
    )
    assert made.notes == []


def test_a_usd_rig_gives_its_sizes_back(tmp_path, mapping):
    pytest.importorskip("pxr")
    rig, out, species = tmp_path / "mine.usda", tmp_path / "mine.yaml", load(GIANT)
    write_usd_rig(rig, build_bones(species, pose="stand"), rename)
    found = calibrate_species(rig, out, mapping=mapping).species
    assert found == load(str(out))
    assert found.segments == species.segments
    for part in ("segment", "head", "tail"):
        ours, theirs = getattr(found, part).size, getattr(species, part).size
        np.testing.assert_allclose(ours, theirs, rtol=0.01)
    assert found.leg.links == pytest.approx(species.leg.links, rel=0.01)
    assert found.walk.height == pytest.approx(species.walk.height, rel=0.01)
    assert found.antenna.length == pytest.approx(species.antenna.length, rel=0.01)
