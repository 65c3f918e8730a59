"""Mapping files and rigs of users: what is refused, what is told, what is kept."""

import re
from pathlib import Path

import numpy as np
import pytest
from own_rigs import GIANT, MAP, load, rename, write_map
from rig_files import build_bones, write_rig, write_usd_rig

from skitter.errors import UserError
from skitter.export.clip import plan_clip
from skitter.export.own.animate import animate_rig
from skitter.export.own.calibrate import calibrate_species
from skitter.export.own.map import expand, list_all_names, read_map
from skitter.export.own.usd import bounded, read_usd_rig
from skitter.gltf.read import read_gltf
from skitter.gltf.write import GltfWriter


@pytest.fixture
def walk(recorded):
    return recorded("scenes/centipede")


@pytest.fixture
def mapping(tmp_path):
    return write_map(tmp_path)


def test_patterns_are_written_out(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_text(
        "joints:\n  seg_{n:02}: Spine_{n}\n  seg_03: Chest\n"
        "  seg_{n}_leg_{side}_femur: Leg_{n-1:03}_{side}_1\n"
        "  seg_{n}_soft_{m}: S{n+10}_{m}\nsides: {L: Left, R: Right}\n"
    )
    found = {}
    for one in expand(read_map(path), list_all_names(), "map"):
        found.setdefault(one.ours, one.theirs)
    assert found["seg_03"] == "Chest"
    assert found["seg_12"] == "Spine_12"
    assert found["seg_120"] == "Spine_120"
    assert found["seg_07_leg_R_femur"] == "Leg_006_Right_1"
    assert found["seg_01_soft_2"] == "S11_2"
    assert "seg_07_leg_R_tibia" not in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("joints: {seg_00: 5}", ["joints.seg_00 must be the name of a joint", "found 5"]),
        ("joints:\n  seg_00: {side}_x", ["is not valid YAML", "begins with { needs quotes"]),
        ("joints:\n  seg_00: [a", ["is not valid YAML"]),
        ("joints:\n  seg_00_antena_{side}_{n}: x{n}", ["mean 'seg_00_antenna_{side}_{n}'?"]),
        ("joints:\n  seg_{n}_leg_{side}_fumer: x", ["'seg_{n:02}_leg_{side}_femur'?"]),
        ("joints:\n  seg_00: {side: L}", ["in quotes", "begins with {"]),
        ("joints:\n  seg_{k}: S_{k}", ["{k}", "valid: {n}"]),
        ("joints:\n  seg_00: S_{n}", ["{n} on its right side only"]),
        ("joints:\n  seg_{n+1}: S_{n}", ["left side"]),
        ("sides: {left: L}", ["sides must have the keys L and R"]),
        ("jionts: {}", ["did you mean 'joints'?"]),
        ("up: y", ["up must be one of +x"]),
        ("up: +y\nforward: -y", ["forward and up are both along y"]),
        ("unit: 0", ["unit must be a number"]),
        ("joints:\n  seg_00_leg_L_femur: x", ["'seg_00_leg_L_femur', which is no joint of ours"]),
        ("joints:\n  seg_01_leg_L_fumer: x", ["did you mean 'seg_01_leg_L_femur'?"]),
        ("joints:\n  seg_00: Haed", ["'Haed', which is no joint of the rig", "'Head'?"]),
        ("joints:\n  seg_{n:02}: spin_{n}", ["'spin_0', which is no joint of the rig"]),
        ("joints:\n  seg_00: Head\n  seg_01: Head", ["'Head', both for seg_00 and for seg_01"]),
    ],
)
def test_bad_mapping_files_are_refused(text, words, walk, tmp_path):
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    path = tmp_path / "map.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        animate_rig(walk, rig, out, mapping=path, clip=plan_clip(walk, fps=10))
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert str(path) in str(caught.value)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["map.yaml", "mine.glb"]


def test_missing_joints_are_named(walk, tmp_path, mapping):
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT, segments=16)), rename)
    with pytest.raises(UserError) as caught:
        animate_rig(walk, rig, out, mapping=mapping, clip=plan_clip(walk, fps=10))
    message = str(caught.value)
    assert "has no joint for seg_18, seg_19, seg_17_leg_L_femur and 11 more" in message
    assert "of 96 that 'giant_centipede' needs" in message  # 20 bodies, 19 pairs of two links
    with pytest.raises(UserError, match="--map FILE"):
        animate_rig(walk, rig, out, clip=plan_clip(walk, fps=10))
    assert not out.exists()


def test_swapped_sides_and_a_body_on_end_are_refused(walk, tmp_path, mapping):
    rig, clip = tmp_path / "mine.glb", plan_clip(walk, fps=10)
    write_rig(rig, build_bones(load(GIANT)), rename)
    swapped = tmp_path / "swapped.yaml"
    swapped.write_text(MAP.replace("{L: Left, R: Right}", "{L: Right, R: Left}"))
    with pytest.raises(UserError, match="left and right are swapped"):
        animate_rig(walk, rig, tmp_path / "out.glb", mapping=swapped, clip=clip)
    swapped.write_text(MAP + 'up: "+z"\n')
    with pytest.raises(UserError, match=r"stands on end, with up along \+z"):
        animate_rig(walk, rig, tmp_path / "out.glb", mapping=swapped, clip=clip)


@pytest.mark.parametrize(
    ("rig", "out", "words"),
    [
        ("mine.glb", "mine.glb", "is the rig itself"),
        ("mine.glb", "out.usdc", "must end in .glb, because the rig"),
        ("text.usda", "out.glb", "must end in .usdc or .usda or .usd, because the rig"),
        ("mine.fbx", "out.glb", "--rig"),
        ("none.glb", "out.glb", "cannot be read"),
        ("none.usdc", "out.usdc", "there is no such file"),
        ("text.glb", "out.glb", "is not a glTF 2.0 file"),
        ("text.usda", "out.usda", "cannot be read as USD"),
    ],
)
def test_bad_files_are_refused(rig, out, words, walk, tmp_path):
    write_rig(tmp_path / "mine.glb", build_bones(load(GIANT)))
    for name in ("text.glb", "text.usda"):
        (tmp_path / name).write_text("hello")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=re.escape(words)):
        animate_rig(walk, tmp_path / rig, tmp_path / out, clip=plan_clip(walk, fps=10))
    assert sorted(tmp_path.iterdir()) == before


def set_key(table: str, key: str, value, which: int = 3):
    """Changes one item of a document."""
    return lambda document: document[table][which].update({key: value})


def flatten(document) -> None:
    """All joints at one point."""
    for node in document["nodes"][:-2]:
        node["translation"] = [0.0, 0.0, 0.0]


FOUL = {
    "three of four": (set_key("nodes", "rotation", [0, 0, 1]), "is not 4 numbers"),
    "text": (set_key("nodes", "translation", ["a", 0, 0]), "'Spine.001' has what is no number"),
    "vast": (set_key("nodes", "translation", [1e39, 0, 0]), "too large"),
    "vaster": (set_key("nodes", "translation", [10**400, 0, 0]), "too large"),
    "no size": (set_key("nodes", "scale", [1, 0, 1]), "'Spine.001' is scaled to nothing"),
    "no matrix": (set_key("nodes", "matrix", [0] * 16), "'Spine.001' is scaled to nothing"),
    "one point": (flatten, "its joints all lie at one point"),
    "no parent": (set_key("nodes", "children", [-1]), "names number -1 of its nodes"),
    "far child": (set_key("nodes", "children", [10**6]), "names number 1000000 of its nodes"),
    "half child": (set_key("nodes", "children", [4.0]), "names number 4.0 of its nodes"),
    "two parents": (set_key("nodes", "children", [1]), "'Head' has two parents"),
    "no list": (set_key("nodes", "children", 5), "are no list"),
    "no mesh": (set_key("nodes", "mesh", "x"), "of its meshes, and there are 1"),
    "far joint": (set_key("skins", "joints", [10**6], 0), "of its nodes"),
    "few joints": (set_key("skins", "joints", [1], 0), "joints that their skin has not"),
    "no parts": (set_key("meshes", "primitives", [5], 0), "no list of objects"),
    "no points": (set_key("meshes", "primitives", [{}], 0), "lacks 'attributes'"),
    "vast count": (set_key("accessors", "count", 10**12, 0), "reaches beyond its buffer"),
    "flat points": (set_key("accessors", "type", "VEC2", 0), "too many or too few numbers"),
}


@pytest.mark.parametrize("kind", FOUL)
def test_unsound_rigs_are_refused(kind, walk, tmp_path, mapping):
    """In one line, by both commands, and without a word of Python's."""
    spoil, words = FOUL[kind]
    rig = tmp_path / "mine.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    change(rig, spoil)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=re.escape(words)):
        animate_rig(walk, rig, tmp_path / "o.glb", mapping=mapping, clip=plan_clip(walk, fps=10))
    with pytest.raises(UserError, match=re.escape(words)):
        calibrate_species(rig, tmp_path / "o.yaml", mapping=mapping)
    assert sorted(tmp_path.iterdir()) == before


def change(rig: Path, spoil) -> None:
    document, blob = read_gltf(rig)
    spoil(document)
    with rig.open("wb") as file:
        GltfWriter(document, blob).write(file)


def test_a_leg_of_no_length_has_no_sizes(tmp_path, mapping):
    bones = build_bones(load(GIANT))
    for name in bones.position:
        if name.endswith("_tibia"):
            bones.position[name] = bones.position[name.replace("tibia", "femur")]
    write_rig(tmp_path / "mine.glb", bones, rename)
    with pytest.raises(UserError, match="femora begin and end at one point"):
        calibrate_species(tmp_path / "mine.glb", tmp_path / "mine.yaml", mapping=mapping)


@pytest.mark.parametrize(
    ("value", "words"),
    [(np.nan, "not finite"), (0.0, "cannot be undone")],
)
def test_unsound_usd_rigs_are_refused(value, words, tmp_path, mapping):
    usd = pytest.importorskip("pxr.Usd")
    from pxr import Gf, Vt

    rig = tmp_path / "mine.usda"
    write_usd_rig(rig, build_bones(load(GIANT)), rename)
    stage = usd.Stage.Open(str(rig))
    bind = stage.GetPrimAtPath("/Asset/Rig").GetAttribute("bindTransforms")
    bind.Set(Vt.Matrix4dArray([*bind.Get()[:3], Gf.Matrix4d(value), *bind.Get()[4:]]))
    stage.Save()
    with pytest.raises(UserError, match=words):
        calibrate_species(rig, tmp_path / "mine.yaml", mapping=mapping)


def test_a_spine_off_by_one_is_told(walk, tmp_path, mapping):
    rig = tmp_path / "mine.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    mapping.write_text(MAP.replace("{n-1:03}", "{n:03}"))
    clip = plan_clip(walk, fps=10)
    notes = animate_rig(walk, rig, tmp_path / "o.glb", mapping=mapping, clip=clip).notes
    words = "'Left_Leg_1_a' is mapped as seg_01_leg_L_femur, but hangs below 'Head', which is"
    assert words + " mapped as seg_00 (and 37 more legs)" in notes[0]
    made = calibrate_species(rig, tmp_path / "mine.yaml", mapping=mapping)
    assert any(words in note for note in made.notes)


def test_parts_of_the_rig_that_stay_still_are_told(walk, tmp_path, mapping):
    """Three segments more than the creature has: the first of them stands for its tail."""
    rig, clip = tmp_path / "mine.glb", plan_clip(walk, fps=10)
    write_rig(rig, build_bones(load(GIANT, segments=22)), rename)
    notes = animate_rig(walk, rig, tmp_path / "o.glb", mapping=mapping, clip=clip).notes
    assert "3 segments and 6 legs of the rig stay still: the creature has no such" in notes


def test_lines_for_joints_that_need_not_be_are_passed_over(walk, tmp_path, mapping):
    rig, clip = tmp_path / "mine.glb", plan_clip(walk, fps=10)
    write_rig(rig, build_bones(load(GIANT)), rename)
    mapping.write_text(MAP.replace("Feeler{side}", "Felers{side}").replace("_end", "_nub"))
    notes = animate_rig(walk, rig, tmp_path / "o.glb", mapping=mapping, clip=clip).notes
    assert len(notes) == 2
    assert "'seg_{n:02}_leg_{side}_tip' says, such as 'Left_Leg_1_nub'; the line is" in notes[0]
    assert "did you mean 'FeelerLeft1'?" in notes[1]
    mapping.write_text(MAP.replace("_b", "_bb"))
    with pytest.raises(UserError, match="'Left_Leg_1_bb', which is no joint of the rig"):
        animate_rig(walk, rig, tmp_path / "o.glb", mapping=mapping, clip=clip)


def test_numbers_below_nought_name_no_joint(tmp_path):
    """seg_00 is not the joint called Spine_1, which minus signs between words would make it."""
    path = tmp_path / "map.yaml"
    path.write_text("joints:\n  seg_{n:02}: Spine_{n-1}\n")
    found = {one.ours: one.theirs for one in expand(read_map(path), ["seg_00", "seg_01"], "map")}
    assert found == {"seg_01": "Spine_0"}


def test_compressed_meshes_are_kept_and_told(walk, tmp_path, mapping):
    """Draco's points are not read: what the skin would tell is in proportion."""
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT), pose="stand"), rename)
    name = "KHR_draco_mesh_compression"

    def compress(document) -> None:
        part = document["meshes"][0]["primitives"][0]
        part["extensions"] = {name: {"bufferView": 0, "attributes": {"POSITION": 0}}}
        for number in part["attributes"].values():
            del document["accessors"][number]["bufferView"]
        document["extensionsUsed"] = document["extensionsRequired"] = [name]

    change(rig, compress)
    (note,) = animate_rig(walk, rig, out, mapping=mapping, clip=plan_clip(walk, fps=10)).notes
    assert f"the meshes are compressed ({name})" in note
    (old, a), (new, b) = read_gltf(rig), read_gltf(out)
    assert b.startswith(a)
    assert new["meshes"] == old["meshes"]
    assert new["bufferViews"][: len(old["bufferViews"])] == old["bufferViews"]
    made = calibrate_species(rig, tmp_path / "mine.yaml", mapping=mapping)
    assert note in made.notes
    assert any("height of segments is in proportion" in note for note in made.notes)
    assert made.species.leg.links == pytest.approx(load(GIANT).leg.links, rel=0.01)


def test_a_skin_with_compressed_matrices_is_not_measured(tmp_path, mapping):
    """Points would be bent wrongly without them."""
    rig, name = tmp_path / "mine.glb", "EXT_meshopt_compression"
    write_rig(rig, build_bones(load(GIANT), pose="stand"), rename)

    def compress(document) -> None:
        number = document["skins"][0]["inverseBindMatrices"]
        view = document["bufferViews"][document["accessors"][number]["bufferView"]]
        view["extensions"] = {name: {"buffer": 0, "byteLength": 10}}
        document["extensionsUsed"] = document["extensionsRequired"] = [name]

    change(rig, compress)
    made = calibrate_species(rig, tmp_path / "mine.yaml", mapping=mapping)
    assert f"the meshes are compressed ({name})" in made.notes[0]
    assert made.species.leg.links == pytest.approx(load(GIANT).leg.links, rel=0.01)


def test_pictures_beside_the_rig_go_into_the_file(walk, tmp_path, mapping):
    folder = tmp_path / "rig"
    folder.mkdir()
    rig, out = folder / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    picture = b"\x89PNG\r\n\x1a\nwhatever"
    (folder / "a b.png").write_bytes(picture)
    (folder / "text.png").write_text("hello")
    (tmp_path / "out.png").write_bytes(picture)
    uris = ["a%20b.png", "none.png", "../out.png", "text.png", "http://x/y.png"]
    change(rig, lambda document: document.update(images=[{"uri": uri} for uri in uris]))
    notes = animate_rig(walk, rig, out, mapping=mapping, clip=plan_clip(walk, fps=10)).notes
    document, blob = read_gltf(out)
    first, *others = document["images"]
    assert first.keys() == {"mimeType", "bufferView"}
    assert first["mimeType"] == "image/png"
    view = document["bufferViews"][first["bufferView"]]
    assert blob[view["byteOffset"] :][: view["byteLength"]] == picture
    assert [image["uri"] for image in others] == uris[1:]
    assert all(uri in note for uri, note in zip(uris[1:], notes, strict=True))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory cannot be bounded here")
def test_memory_is_bounded_while_a_rig_is_opened():
    """A damaged .usdc of 32 kB made USD's library take 4 GB before it was refused."""
    with bounded(1 << 28), pytest.raises(MemoryError):
        bytearray(1 << 30)
    assert len(bytearray(1 << 29)) == 1 << 29


def test_names_that_are_no_text_are_refused_in_one_line(tmp_path):
    """Values of a .usdc are unpacked when they are asked for, long after it was opened."""
    from pxr import Usd, UsdSkel

    path = tmp_path / "rig.usdc"
    stage = Usd.Stage.CreateNew(str(path))
    UsdSkel.Skeleton.Define(stage, "/Rig").CreateJointsAttr(["qzwxkvjb"])
    stage.GetRootLayer().Save()
    del stage  # or the file is not read again
    content = path.read_bytes()
    assert content.count(b"qzwxkvjb") == 1
    path.write_bytes(content.replace(b"qzwxkvjb", b"qz\xbf\xbf\xbfvjb"))
    with pytest.raises(UserError, match="cannot be read as USD"):
        read_usd_rig(path)
