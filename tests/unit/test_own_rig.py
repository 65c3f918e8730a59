"""A user's own rig: it moves as the recording does, and a species gets its sizes."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rig_files import FACES_MINUS_Z, UP_IS_Z, build_bones, write_rig, write_usd_rig

import skitter
from skitter.errors import UserError
from skitter.export.clip import plan_clip
from skitter.export.own.animate import animate_rig
from skitter.export.own.calibrate import calibrate_species
from skitter.export.own.gltf import build_source
from skitter.export.own.map import expand, list_all_names, read_map
from skitter.export.write import export_recording
from skitter.gltf.read import read_accessor, read_gltf
from skitter.gltf.write import GltfWriter
from skitter.look.motion import open_motions
from skitter.look.rig import Rig
from skitter.rotation import quaternion_to_matrix
from skitter.scene.load import load_scene
from skitter.species.myriapod import MyriapodSpec

GIANT = "giant_centipede"
MAP = """
joints:
  seg_00: Head
  seg_{n:02}: Spine.{n-1:03}
  seg_{n:02}_leg_{side}_femur: "{side}_Leg_{n}_a"
  seg_{n:02}_leg_{side}_tibia: "{side}_Leg_{n}_b"
  seg_{n:02}_leg_{side}_tarsus: "{side}_Leg_{n}_c"
  seg_{n:02}_leg_{side}_tip: "{side}_Leg_{n}_end"
  seg_00_antenna_{side}_{n}: Feeler{side}{n}
sides: {L: Left, R: Right}
"""
PART = {"femur": "a", "tibia": "b", "tarsus": "c", "tip": "end"}
SIDE = {"L": "Left", "R": "Right"}


def rename(name: str) -> str:
    """As MAP has it."""
    if leg := re.fullmatch(r"seg_(\d+)_leg_([LR])_(\w+)", name):
        return f"{SIDE[leg[2]]}_Leg_{int(leg[1])}_{PART[leg[3]]}"
    if feeler := re.fullmatch(r"seg_00_antenna_([LR])_(\d+)", name):
        return f"Feeler{SIDE[feeler[1]]}{feeler[2]}"
    if body := re.fullmatch(r"seg_(\d+)", name):
        return f"Spine.{int(body[1]) - 1:03d}" if int(body[1]) else "Head"
    return "Armature|top" if name == "root" else f"Other_{name}"


@pytest.fixture
def walk(recorded):
    return recorded("scenes/centipede")


@pytest.fixture
def mapping(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_text(MAP)
    return path


def load(name: str, **changes) -> MyriapodSpec:
    scene = load_scene({"title": "t", "creatures": [{"species": name, "with": changes}]})
    species = scene.species[0]
    assert isinstance(species, MyriapodSpec)
    return species


def play(path: Path, frame: int, animation: int = 0):
    """The rig in a GLB at a frame, read without what wrote it."""
    document, blob = read_gltf(path)
    clip = document["animations"][animation]
    for channel in clip["channels"]:
        values = read_accessor(document, blob, clip["samplers"][channel["sampler"]]["output"])
        node = document["nodes"][channel["target"]["node"]]
        assert "matrix" not in node
        node[channel["target"]["path"]] = [float(one) for one in values[frame]]
    return build_source(path, document, blob)


def place_ours(recording, clip):
    """Names and positions [frame, joint, 3] of our joints, cm, and the tips of legs."""
    motion = open_motions(recording)[0]
    rig, pose = Rig(motion), motion.poses(clip.times)
    return rig, rig.place(pose), pose


# mapping files


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


# files that are not sound


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


# what is told


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


# motion

RIGS = {
    "spread legs": {},
    "standing, up is z": {"pose": "stand", "turn": UP_IS_Z},
    "armature of 0.01": {"armature": 0.01},
    "ten times as large": {"unit": 0.1},
    "joints as matrices": {"as_matrix": True},
    "joints in front": {"pivot": 0.5},
    "no skin": {"skin": False},
}


@pytest.mark.parametrize("kind", RIGS)
def test_a_rig_moves_as_the_recording(kind, walk, tmp_path, mapping):
    """Joints lie where ours are, links point where ours point, and the skin goes along."""
    given = dict(RIGS[kind])
    bones = build_bones(load(GIANT), pose=given.pop("pose", "spread"), pivot=given.pop("pivot", 0))
    rig_file, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig_file, bones, rename, **given)
    turn, unit = given.get("turn", FACES_MINUS_Z), given.get("unit", 0.01)
    if turn is UP_IS_Z:
        mapping.write_text(MAP + 'up: "+z"\n')
    clip = plan_clip(walk, fps=10)
    summary = animate_rig(walk, rig_file, out, mapping=mapping, clip=clip)
    assert summary.notes == []
    rig, frames, pose = place_ours(walk, clip)
    legs = [name for name in rig.names if "_leg_" in name]
    bodies = [name for name in rig.names if re.fullmatch(r"seg_\d+", name)]
    placed = legs + ([] if "front" in kind else bodies)
    for frame in range(len(clip.times)):
        source = play(out, frame)
        number = {name: k for k, name in enumerate(source.names)}
        at = {name: source.position[number[rename(name)]] @ turn / unit for name in rig.names[1:]
              if rename(name) in number}  # fmt: skip
        ours = dict(zip(rig.names, frames.position[frame], strict=True))
        for name in placed:
            np.testing.assert_allclose(at[name], ours[name], atol=2e-5 * rig.length / 20)
        for n, leg in enumerate(pose.leg_point[frame]):
            stem = f"seg_{n // 2 + 1:02d}_leg_{'LR'[n % 2]}"
            theirs = np.array([at[f"{stem}_{link}"] for link in ("femur", "tibia", "tarsus")])
            ways = np.diff(theirs, axis=0), np.diff(leg, axis=0)[:2]
            ways = [way / np.linalg.norm(way, axis=1, keepdims=True) for way in ways]
            np.testing.assert_allclose(ways[0], ways[1], atol=1e-5)
            tip = source.position[number[rename(f"{stem}_tip")]] @ turn / unit
            np.testing.assert_allclose(tip, leg[-1], atol=1e-4)
        if given.get("skin", True):
            check_boxes(source, number, bodies, pose, frame, rig, turn, unit)


def check_boxes(source, number, bodies, pose, frame, rig, turn, unit):
    """The corners of every segment are where its box is."""
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
    for k, body in enumerate(sorted(bodies)):
        own = source.surface.points[source.surface.owner == number[rename(body)]] @ turn / unit
        axes = quaternion_to_matrix(pose.body_orientation[frame, k])
        box = pose.body_position[frame, k] + corners * rig.plan.rigid[k].size @ axes.T
        np.testing.assert_allclose(own, box, atol=1e-4)


def test_other_things_in_the_file_stay(walk, tmp_path, mapping):
    rig, out, again = tmp_path / "mine.glb", tmp_path / "out.glb", tmp_path / "again.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    clip = plan_clip(walk, fps=10)
    animate_rig(walk, rig, out, mapping=mapping, clip=clip)
    animate_rig(walk, out, again, mapping=mapping, clip=clip)
    first, second, third = (read_gltf(path)[0] for path in (rig, out, again))
    for key in ("nodes", "meshes", "materials", "skins", "scenes", "extras"):
        assert json.dumps(first[key]) == json.dumps(second[key])
    assert [one["name"] for one in third["animations"]] == ["again", "out"]


def test_kept_animations_are_told_and_dropped_whole(walk, tmp_path, mapping):
    rig, out, again = tmp_path / "mine.glb", tmp_path / "two.glb", tmp_path / "again.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    clip = plan_clip(walk, fps=10)
    assert animate_rig(walk, rig, out, mapping=mapping, clip=clip).notes == []
    (note,) = animate_rig(walk, out, again, mapping=mapping, clip=clip).notes
    assert note == "your rig's animation 'two' is kept behind it; --replace drops it"
    made = animate_rig(walk, out, again, mapping=mapping, clip=clip, replace=True)
    assert made.notes == []
    assert [one["name"] for one in read_gltf(again)[0]["animations"]] == ["again"]
    assert again.stat().st_size == pytest.approx(out.stat().st_size, abs=8)


def test_sizes_that_differ_are_told(walk, tmp_path, mapping):
    """Legs longer by a fifth: told, and joints are still where ours are."""
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT, leg={"links": [1.08, 0.8, 0.9]})), rename)
    clip = plan_clip(walk, fps=10)
    (note,) = animate_rig(walk, rig, out, mapping=mapping, clip=clip).notes
    assert "skitter rig" in note
    assert 10 < float(re.search(r"by (\d+) % at", note)[1]) < 20  # part of it is taken for size
    ours, frames, _ = place_ours(walk, clip)
    source = play(out, 2)
    at = source.position[source.names.index(rename("seg_05_leg_L_tibia"))] @ FACES_MINUS_Z
    size = 0.01 * sum_lengths([1.08, 0.8, 0.9]) / sum_lengths([0.9, 0.8, 0.9])
    seen = frames.position[2, ours.number["seg_05_leg_L_tibia"]]
    np.testing.assert_allclose(at / size, seen, rtol=1e-4, atol=1e-4)


def sum_lengths(links) -> float:
    """Of all bones between mapped joints of a giant centipede, cm: by how much sizes are fitted."""
    species = load(GIANT)
    legs = 2 * sum(links) * sum(species.leg_scale_of(k) for k in range(19))
    widths = sum(0.92 * 1.7 * species.scale_of(k) for k in range(19))
    return 18 * 1.05 + widths + legs


def test_without_a_tarsus_the_rod_from_knee_to_tip_is_followed(walk, tmp_path, mapping):
    """One bone for tibia and tarsus: its end is where our leg ends."""
    bones = build_bones(load(GIANT), pose="stand", tips=False)
    for name in [name for name in bones.position if name.endswith("tarsus")]:
        del bones.position[name], bones.parent[name]
    bones.owners = [name.replace("tarsus", "tibia") for name in bones.owners]
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, bones, rename)
    mapping.write_text(
        "\n".join(line for line in MAP.splitlines() if not re.search("tarsus|tip", line))
    )
    clip = plan_clip(walk, fps=10)
    assert animate_rig(walk, rig, out, mapping=mapping, clip=clip).notes == []
    _, _, pose = place_ours(walk, clip)
    source = play(out, 3)
    for n, leg in enumerate(pose.leg_point[3]):
        name = rename(f"seg_{n // 2 + 1:02d}_leg_{'LR'[n % 2]}_tibia")
        own = source.surface.owner == source.names.index(name)
        points = source.surface.points[own] @ FACES_MINUS_Z / 0.01
        np.testing.assert_allclose(points[-1], leg[-1], atol=1e-4)


def test_in_place_a_rig_stays_where_it_is(walk, tmp_path, mapping):
    rig, out = tmp_path / "mine.glb", tmp_path / "out.glb"
    write_rig(rig, build_bones(load(GIANT)), rename)
    clip = replace(plan_clip(walk, fps=10), in_place=True)
    animate_rig(walk, rig, out, mapping=mapping, clip=clip)
    middles = [
        np.mean([s.position[k] for k, n in enumerate(s.names) if n.startswith("Spine")], axis=0)
        for s in (play(out, frame) for frame in range(len(clip.times)))
    ]
    assert np.ptp(middles, axis=0).max() < 0.005  # it sways, and does not get on
    assert np.linalg.norm(middles[-1] - middles[0]) < 0.001


@pytest.mark.parametrize("scene", ["centipede", "swimmer", "two_millipedes", "jelly_drop"])
def test_our_own_export_with_other_names_comes_back(scene, recorded, tmp_path):
    """The same joints and the same skin in every frame, through a mapping file."""
    recording = recorded(f"scenes/{scene}")
    name = open_motions(recording)[0].name
    first, other, out = (tmp_path / f"{one}.glb" for one in ("first", "other", "out"))
    export_recording(recording, first, fps=10, creature=name, scenery=False)
    document, blob = read_gltf(first)
    clip = plan_clip(recording, fps=10)
    rig, frames, _ = place_ours(recording, clip)
    lines = []
    for node in document["nodes"]:
        theirs = "J " + node["name"][::-1]
        if node["name"] in rig.number:
            lines.append(f"  {node['name']}: {theirs}")
        node["name"] = theirs
    document.pop("animations")
    with other.open("wb") as file:
        GltfWriter(document, blob).write(file)
    table = tmp_path / "map.yaml"
    table.write_text("joints:\n" + "\n".join(lines))
    made = animate_rig(recording, other, out, mapping=table, clip=clip, creature=name)
    assert made.notes == []
    drawn = [part for mesh in document["meshes"] for part in mesh["primitives"]]
    corners = [document["accessors"][part["indices"]]["count"] for part in drawn]
    assert made.creatures[0].triangles == sum(corners) // 3
    for frame in range(len(clip.times)):
        here, there = play(first, frame), play(out, frame)
        size = np.ptp(here.surface.points, axis=0).max()
        np.testing.assert_allclose(there.position, here.position, atol=1e-4 * size)
        np.testing.assert_allclose(there.surface.points, here.surface.points, atol=1e-4 * size)
        found = dict(zip(there.names, there.position, strict=True))
        for joint, place in zip(rig.names, frames.position[frame], strict=True):
            np.testing.assert_allclose(found[f"J {joint[::-1]}"], place / 100, atol=2e-6 * size)


# sizes


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


def test_a_usd_rig_moves_as_the_recording(walk, tmp_path, mapping):
    """Another unit, z up, below a turned root; read back with USD's own queries."""
    usd_skel = pytest.importorskip("pxr.UsdSkel")
    from pxr import Usd, UsdGeom

    rig_file, out = tmp_path / "mine.usda", tmp_path / "out.usdc"
    write_usd_rig(rig_file, build_bones(load(GIANT)), rename)
    clip = plan_clip(walk, fps=10)
    made = animate_rig(walk, rig_file, out, mapping=mapping, clip=clip)
    assert made.notes == []
    assert made.creatures[0].triangles == 3  # a square and a triangle
    stage = Usd.Stage.Open(str(out))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == pytest.approx(0.001)
    skeleton = usd_skel.Skeleton(stage.GetPrimAtPath("/Asset/Rig"))
    cache = usd_skel.Cache()
    cache.Populate(usd_skel.Root(stage.GetPrimAtPath("/Asset")), Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(skeleton)
    leaves = [str(name).split("/")[-1] for name in query.GetJointOrder()]
    rig, frames, _ = place_ours(walk, clip)
    for frame in range(len(clip.times)):
        xforms = UsdGeom.XformCache(Usd.TimeCode(frame))
        seen = np.array(query.ComputeJointWorldTransforms(xforms))[:, 3, :3] @ UP_IS_Z / 10
        for name, place in zip(rig.names, frames.position[frame], strict=True):
            if "_leg_" in name or re.fullmatch(r"seg_\d+", name):
                at = seen[leaves.index(rename(name).replace(".", "_"))]
                np.testing.assert_allclose(at, place, atol=1e-4)


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


def test_the_animation_of_a_usd_rig_is_kept_or_dropped(walk, tmp_path, mapping):
    """A second one of the same name does not mix with the first."""
    usd = pytest.importorskip("pxr.Usd")
    rig, first = tmp_path / "mine.usda", tmp_path / "walk.usda"
    write_usd_rig(rig, build_bones(load(GIANT)), rename)
    clip = plan_clip(walk, fps=10)
    animate_rig(walk, rig, first, mapping=mapping, clip=clip)
    for drop, names in ((False, ["walk", "walk_2"]), (True, ["walk"])):
        out = tmp_path / str(drop) / "walk.usda"
        out.parent.mkdir()
        notes = animate_rig(walk, first, out, mapping=mapping, clip=clip, replace=drop).notes
        assert drop or "your rig's animation 'walk' is kept" in notes[0]
        assert len(notes) == (not drop)
        stage = usd.Stage.Open(str(out))
        children = stage.GetPrimAtPath("/Asset/Rig").GetChildren()
        assert [prim.GetName() for prim in children] == names
