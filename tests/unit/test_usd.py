"""USD exports: sound by all checks, joints and surfaces where the recording has them."""

from dataclasses import replace

import numpy as np
import pytest

from corpus import CORPUS

pytest.importorskip("pxr")

from pxr import Sdf, Usd, UsdGeom, UsdSkel, Vt
from usd_exports import FPS, UsdExports

from orders import make_order
from skitter.export.clip import Clip, plan_clip
from skitter.export.loop import find_loop
from skitter.export.props import Prop, Track
from skitter.export.usd import scene as usd_scene
from skitter.export.usd.scenery import define_props, mark_keys
from skitter.export.usd.stage import UsdFile
from skitter.export.usd.write import export_usd
from skitter.look.creature import build_creatures
from skitter.look.mesh import Mesh
from skitter.look.rig import Rig
from skitter.look.skin import build_skin_parts, deform
from usd_check import check_usd

STEP = 2  # recorded frames for each frame of a file
NAMES = [
    "scenes/centipede",  # things around
    "scenes/coil",  # several creatures, soft blocks that bend far
    "scenes/floating_cubes",  # rigid only and soft only, in a pool
    "scenes/wading",  # water without walls
    "scenes/amphibious",  # water with a shore
    "scenes/swimmer",  # one skin over all
    "species/millipede",  # many joints
]


@pytest.fixture(scope="module")
def exported(recorded, tmp_path_factory):
    return UsdExports(recorded, tmp_path_factory.mktemp("usd"))


@pytest.mark.parametrize("name", CORPUS)
def test_file_is_sound(exported, name):
    _, path, _ = exported(name)
    assert check_usd(path) == []


def test_stage_says_its_units_and_length(exported):
    recording, path, summary = exported("scenes/centipede")
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 0.01
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == FPS
    assert stage.GetStartTimeCode() == 0
    assert stage.GetEndTimeCode() == (len(recording) - 1) // STEP == summary.frames - 1
    assert str(stage.GetDefaultPrim().GetPath()) == "/World"
    assert {p.GetName() for p in stage.GetDefaultPrim().GetChildren()} == {
        "giant_centipede",
        "scenery",
        "camera",
        "lights",
    }


def read_joints(stage, name: str, frame: int) -> dict[str, np.ndarray]:
    """Where USD itself has the joints, in the world."""
    root = UsdSkel.Root(stage.GetPrimAtPath(f"/World/{name}"))
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath(f"/World/{name}/{name}_rig")))
    places = np.array(query.ComputeJointWorldTransforms(UsdGeom.XformCache(frame)))[:, 3, :3]
    names = [str(joint).rsplit("/", 1)[-1] for joint in query.GetJointOrder()]
    return dict(zip(names, places, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_joints_are_where_they_were_recorded(exported, name):
    recording, path, summary = exported(name)
    stage = Usd.Stage.Open(str(path))
    for one in recording.creatures:
        label = one["name"]
        for frame in (0, 5, summary.frames - 1):
            joints = read_joints(stage, label, frame)
            if f"{label}.body_position" not in recording:
                continue
            bodies = recording[f"{label}.body_position"][STEP * frame]
            found = np.array([joints[f"seg_{k:02d}"] for k in range(len(bodies))])
            length = max(float(np.ptp(bodies, axis=0).max()), 1.0)
            assert np.abs(found - bodies).max() < 1e-5 * length
            if f"{label}.leg_point" in recording:
                knees = recording[f"{label}.leg_point"][STEP * frame][:, 1]
                found = [joints[f"seg_{n // 2 + 1:02d}_leg_{'LR'[n % 2]}_tibia"] for n in range(4)]
                assert np.abs(np.array(found) - knees[:4]).max() < 1e-5 * length


def read_points(stage, path: str, frame: int) -> np.ndarray:
    return np.array(UsdGeom.Mesh(stage.GetPrimAtPath(path)).GetPointsAttr().Get(frame), float)


@pytest.mark.parametrize("name", ["scenes/centipede", "scenes/coil", "scenes/swimmer"])
def test_cached_surface_is_exact_and_skinned_one_is_what_joints_make(exported, name):
    recording, path, _ = exported(name)
    stage = Usd.Stage.Open(str(path))
    for creature in build_creatures(recording):
        label = creature.motion.name
        kind = "soft" if creature.soft is not None else "skin"
        mesh = f"/World/{label}/{label}_{kind}"
        surface = creature.soft or creature.skin
        pose = creature.motion.pose(float(recording.time[STEP * 7]))
        seen = surface.at(pose).points
        assert np.abs(read_points(stage, mesh, 7) - seen).max() < 1e-5 * np.abs(seen).max()
        assert not stage.GetPrimAtPath(mesh).HasAPI(UsdSkel.BindingAPI)

        select(stage, label, "skinned")
        rig = Rig(creature.motion)
        part = next(one for one in build_skin_parts(creature, rig) if one.kind == kind)
        expected = deform(part, rig.bind, rig.place(pose))
        found = skin(stage, label, mesh, 7)
        assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def select(stage, label: str, variant: str) -> None:
    stage.SetEditTarget(stage.GetSessionLayer())
    root = stage.GetPrimAtPath(f"/World/{label}")
    root.GetVariantSet("soft").SetVariantSelection(variant)


def skin(stage, label: str, mesh: str, frame: int) -> np.ndarray:
    """The points that USD makes of a skinned mesh."""
    root = UsdSkel.Root(stage.GetPrimAtPath(f"/World/{label}"))
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(f"/World/{label}/{label}_rig"))
    turns = cache.GetSkelQuery(skeleton).ComputeSkinningTransforms(frame)
    prim = stage.GetPrimAtPath(mesh)
    points = Vt.Vec3fArray(UsdGeom.Mesh(prim).GetPointsAttr().Get())
    assert cache.GetSkinningQuery(prim).ComputeSkinnedPoints(turns, points, frame)
    return np.array(points, float)


def test_scale_multiplies_all_lengths(exported, recorded, tmp_path):
    recording, path, _ = exported("scenes/wading")
    large = tmp_path / "large.usdc"
    export_usd(make_order(recording, large, clip=plan_clip(recording, fps=FPS), scale=10.0))
    one, ten = (Usd.Stage.Open(str(file)) for file in (path, large))
    label = recording.creatures[0]["name"]
    small, big = (read_joints(stage, label, 4) for stage in (one, ten))
    for joint in small:
        assert big[joint] == pytest.approx(10 * small[joint], rel=1e-4, abs=1e-3)
    paths = [str(p.GetPath()) for p in one.Traverse() if p.IsA(UsdGeom.Mesh)]
    for mesh in paths:
        assert read_points(ten, mesh, 4) == pytest.approx(10 * read_points(one, mesh, 4), abs=1e-2)
    eyes = [
        UsdGeom.XformCache(4).GetLocalToWorldTransform(stage.GetPrimAtPath("/World/camera"))
        for stage in (one, ten)
    ]
    assert list(eyes[1].ExtractTranslation()) == pytest.approx(
        [10 * x for x in eyes[0].ExtractTranslation()], rel=1e-5
    )
    assert check_usd(large) == []


def test_camera_sees_what_a_film_shows(exported):
    _, path, summary = exported("scenes/centipede")
    stage = Usd.Stage.Open(str(path))
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/World/camera"))
    for frame in (0, summary.frames - 1):
        frustum = camera.GetCamera(frame).frustum
        for place in read_joints(stage, "giant_centipede", frame).values():
            assert frustum.Intersects(tuple(float(x) for x in place))


@pytest.mark.parametrize("suffix", [".usda", ".usd", ".usdz", ".USDC"])
def test_other_kinds_of_file(recorded, tmp_path, suffix):
    recording = recorded("scenes/coil")
    clip = plan_clip(recording, fps=10)
    path = tmp_path / f"clip{suffix}"
    export_usd(make_order(recording, path, clip=clip))
    assert check_usd(path) == []
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    stage = Usd.Stage.Open(str(path))
    assert stage.GetEndTimeCode() == len(clip.times) - 1
    assert read_joints(stage, "coil", 1)


def test_skinned_alone_has_no_caches(recorded, tmp_path):
    recording = recorded("scenes/coil")
    path = tmp_path / "clip.usdc"
    export_usd(make_order(recording, path, clip=plan_clip(recording, fps=FPS), soft="skinned"))
    stage = Usd.Stage.Open(str(path))
    for prim in stage.Traverse():
        assert not prim.GetVariantSets().GetNames()
        if prim.IsA(UsdGeom.Mesh):
            assert UsdGeom.Mesh(prim).GetPointsAttr().GetNumTimeSamples() == 0
    assert check_usd(path) == []


def test_long_clips_have_coarser_caches(recorded, tmp_path, monkeypatch):
    recording = recorded("scenes/coil")
    clip = plan_clip(recording, fps=FPS)
    full = export_usd(make_order(recording, tmp_path / "full.usdc", clip=clip))
    monkeypatch.setattr(usd_scene, "CACHE_LIMIT", 300_000)
    small = export_usd(make_order(recording, tmp_path / "small.usdc", clip=clip))
    assert full.notes == []
    assert "points instead of" in small.notes[0]
    assert small.file.stat().st_size < full.file.stat().st_size / 2
    assert check_usd(small.file) == []


def test_frames_are_the_same_however_they_are_batched(exported, recorded, tmp_path, monkeypatch):
    recording, path, summary = exported("scenes/coil")
    monkeypatch.setattr("skitter.export.clip.BATCH", 4)
    monkeypatch.setattr(usd_scene, "BATCH", 4)
    again = tmp_path / "again.usdc"
    export_usd(make_order(recording, again, clip=plan_clip(recording, fps=FPS)))
    one, other = (Sdf.Layer.FindOrOpen(str(file)) for file in (path, again))
    assert one.ExportToString() == other.ExportToString()
    assert summary.frames > 8


def test_in_place_stays_where_it_is_at_rest(recorded, tmp_path):
    recording = recorded("scenes/swimmer")
    clip = replace(plan_clip(recording, fps=FPS), in_place=True)
    path = tmp_path / "clip.usdc"
    summary = export_usd(make_order(recording, path, clip=clip))
    assert "in place" in summary.notes[0]
    stage = Usd.Stage.Open(str(path))
    creature = build_creatures(recording)[0]
    rig = Rig(creature.motion)
    for frame in (0, summary.frames - 1):
        root = read_joints(stage, "eel", frame)["root"]
        assert root == pytest.approx(rig.bind.position[0], abs=1e-4)
        near = cached_near_joints(stage, "eel", "skin", frame)
        assert near < 0.1 * rig.length
    assert check_usd(path) == []


def cached_near_joints(stage, label: str, kind: str, frame: int) -> float:
    """How far the middle of a cached surface is from that of the joints."""
    joints = np.array([*read_joints(stage, label, frame).values()])
    points = read_points(stage, f"/World/{label}/{label}_{kind}", frame)
    return float(np.linalg.norm(joints.mean(axis=0) - points.mean(axis=0)))


def test_loop_ends_as_it_began(tmp_path):
    import skitter

    recording = skitter.run("swimmer", seconds=2.5, threads=1, output=tmp_path / "run")
    rig = Rig(build_creatures(recording)[0].motion)
    whole = replace(plan_clip(recording, fps=FPS, start=1.0), in_place=True)
    clip, _ = find_loop(rig, whole, recording.frame_rate)
    path = tmp_path / "clip.usdc"
    export_usd(make_order(recording, path, clip=clip))
    stage, last = Usd.Stage.Open(str(path)), len(clip.times) - 1
    first, end = (read_joints(stage, "eel", frame) for frame in (0, last))
    assert max(np.abs(first[joint] - end[joint]).max() for joint in first) < 1e-4 * rig.length
    points = [read_points(stage, "/World/eel/eel_skin", frame) for frame in (0, last)]
    assert np.abs(points[0] - points[1]).max() < 1e-4 * rig.length


def test_things_move_and_vanish(tmp_path):
    clip = Clip(np.arange(6) / FPS, FPS)
    ball = Mesh(np.eye(3), np.eye(3), np.array([[0, 1, 2]]))
    position = np.zeros((6, 3))
    position[3:, 0] = [1.0, 2.0, 2.0]
    half = np.sqrt(0.5)
    orientation = np.array([[1.0, 0, 0, 0]] * 4 + [[half, 0, half, 0]] * 2)
    there = np.array([True, True, True, True, True, False])
    prop = Prop("ball", "food", ball, np.ones(3), Track(position, orientation, there))
    file = UsdFile(tmp_path / "clip.usdc", clip, 10.0)
    define_props(file, "/World/scenery", [prop, replace(prop, track=None)])
    file.flush()
    stage = Usd.Stage.Open(str(tmp_path / "clip.usdc"))
    made = UsdGeom.Xformable(stage.GetPrimAtPath("/World/scenery/ball"))
    for frame in (0, 1, 2, 3, 3.5, 4, 5):
        place = made.GetLocalTransformation(frame)
        expected = 10 * np.interp(frame, np.arange(6), position[:, 0])
        assert list(place.ExtractTranslation()) == pytest.approx([expected, 0, 0])
    assert list(made.GetLocalTransformation(5).Transform((0, 0, 1))) == pytest.approx(
        [21, 0, 0], abs=1e-5
    )
    shown = [UsdGeom.Imageable(made).ComputeVisibility(frame) for frame in (0, 4, 4.5, 5)]
    assert shown == ["inherited", "inherited", "inherited", "invisible"]
    assert check_usd(tmp_path / "clip.usdc") == []


def test_keys_where_things_change():
    values = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [2.0], [2.0]])
    assert np.flatnonzero(mark_keys(values)).tolist() == [2, 3, 4]
