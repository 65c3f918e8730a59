"""A user's own rig moves as the recording does."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from own_rigs import GIANT, MAP, load, place_ours, play, rename, write_map
from rig_files import FACES_MINUS_Z, UP_IS_Z, build_bones, write_rig, write_usd_rig

from skitter.export.clip import plan_clip
from skitter.export.own.animate import animate_rig
from skitter.export.write import export_recording
from skitter.gltf.read import read_gltf
from skitter.gltf.write import GltfWriter
from skitter.look.motion import open_motions
from skitter.rotation import quaternion_to_matrix


@pytest.fixture
def walk(recorded):
    return recorded("scenes/centipede")


@pytest.fixture
def mapping(tmp_path):
    return write_map(tmp_path)


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
