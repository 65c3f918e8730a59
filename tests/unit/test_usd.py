"""USD exports: sound by all checks, joints and surfaces where the recording has them."""

import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpus import CORPUS

pytest.importorskip("pxr")

from pxr import Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt

from orders import make_order
from skitter.errors import UserError
from skitter.export.clip import Clip, plan_clip
from skitter.export.loop import find_loop
from skitter.export.props import Prop, Track
from skitter.export.usd import scene as usd_scene
from skitter.export.usd.file import pack
from skitter.export.usd.scenery import define_props, mark_keys
from skitter.export.usd.stage import UsdFile
from skitter.export.usd.water import MOST, WaterShape, choose_most
from skitter.export.usd.write import export_usd
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures
from skitter.look.mesh import Mesh
from skitter.look.rig import Rig
from skitter.look.skin import build_skin_parts, deform
from skitter.look.water import FADE_LINES, open_water
from usd_check import check_usd

FPS, STEP = 30, 2  # and recorded frames for each frame
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
    """A function from a name of the corpus to its recording and the path of its export."""
    known = {}
    folder = tmp_path_factory.mktemp("usd")

    def export(name: str):
        if name not in known:
            recording = recorded(name)
            path = folder / f"{name.replace('/', '_')}.usdc"
            summary = export_usd(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))
            known[name] = recording, path, summary
        return known[name]

    return export


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


# --- water


@pytest.mark.parametrize("name", ["scenes/amphibious", "scenes/floating_cubes", "scenes/swimmer"])
def test_water_keeps_its_triangles(recorded, name):
    recording = recorded(name)
    water = open_water(recording)
    terrain = recording.attributes["scene"].get("terrain") or []
    shape = WaterShape(water, terrain, middle=np.zeros(3), reach=50.0)
    meshes = [shape.at(float(t)) for t in recording.time[[0, 10, -1]]]
    for mesh in meshes[1:]:
        assert np.array_equal(mesh.triangles, meshes[0].triangles)
        assert mesh.points.shape == meshes[0].points.shape
        assert np.isfinite(mesh.points).all()


def test_dry_points_lie_below_the_ground(recorded):
    recording = recorded("scenes/amphibious")
    water = open_water(recording)
    grid = water.grid_at(float(recording.time[-1]))
    assert not grid.is_wet.all()
    terrain = recording.attributes["scene"]["terrain"]
    shape = WaterShape(water, terrain, middle=np.zeros(3), reach=50.0)
    points = shape.at(float(recording.time[-1])).points
    from skitter.look.water import open_bed

    far = np.flatnonzero(~grow(grid.is_wet, 8))
    across = np.meshgrid(grid.x, grid.z, indexing="ij")
    bed = open_bed(terrain, water).under(grid, grid).ravel()
    for k in far[:: max(len(far) // 50, 1)]:
        x, z = across[0].ravel()[k], across[1].ravel()[k]
        nearest = np.argmin(np.hypot(points[:, 0] - x, points[:, 2] - z))
        assert points[nearest, 1] < bed[k]


def grow(mask: np.ndarray, cells: int) -> np.ndarray:
    from scipy import ndimage

    return ndimage.binary_dilation(mask, np.ones((3, 3), bool), iterations=cells)


def test_points_of_water_keep_to_a_size():
    assert choose_most((200, 160), 100, 1e9, 12) == MOST
    most = choose_most((200, 160), 18_000, 1e9, 12)
    assert most < MOST and most**2 * 18_000 * 12 <= 1e9


def test_water_is_finest_around_the_creatures(recorded):
    recording = recorded("scenes/amphibious")
    terrain, middle = recording.attributes["scene"]["terrain"], np.array([40.0, 0.0, 10.0])
    water = open_water(recording)
    shape = WaterShape(water, terrain, middle=middle, reach=50.0)
    lines = np.unique(shape.at(float(recording.time[0])).points[:, 0])
    assert len(lines) <= MOST + 2 * FADE_LINES
    near = np.abs(lines[:-1] - middle[0]) < 5.0
    cell = float(recording.static("water_cell"))
    assert np.diff(lines)[near].max() < 1.01 * cell < np.diff(lines).max()


def test_water_has_a_bed_as_wide_as_it_is(recorded):
    recording = recorded("scenes/swimmer")
    water, middle = open_water(recording), np.array([3.0, 0.0, 1.0])
    for terrain in (recording.attributes["scene"]["terrain"], []):
        (bed,) = usd_scene.lay_bed([], terrain, water, middle, 10.0)
        assert np.allclose(bed.mesh.points[:, 1], water.level - water.depth)
        assert np.ptp(bed.mesh.points[:, 0]) == pytest.approx(20.0 * usd_scene.WATER_REACH)


@pytest.mark.skipif(os.name != "posix", reason="files have no limit of size")
@pytest.mark.parametrize("suffix", [".usdc", ".usda", ".usdz"])
def test_what_cannot_be_written_is_told_in_plain_words(recorded, suffix, tmp_path):
    recording = recorded("scenes/swimmer")
    path, clip = tmp_path / f"out{suffix}", plan_clip(recording, fps=FPS, end=0.2)
    creatures = build_creatures(recording)
    with small_files(200_000), pytest.raises(UserError) as caught:
        export_usd(make_order(recording, path, clip=clip, creatures=creatures))
    assert str(caught.value) == f"{path}: cannot be written: File too large"
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_cut_off_is_no_package(tmp_path, monkeypatch):
    binary, draft = tmp_path / "a.usdc", tmp_path / "a.usdz"
    binary.write_bytes(bytes(1000))
    draft.write_bytes(bytes(500))
    monkeypatch.setattr(UsdUtils, "CreateNewUsdzPackage", lambda *_: True)
    with pytest.raises(OSError, match="USD could not write it"):
        pack(binary, draft)


@contextmanager
def small_files(size: int):
    """No file may grow beyond a size, as on a full disk."""
    import resource

    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


# --- what the checks find


def spoil(source: Path, target: Path, change) -> list[str]:
    """What is found in a copy with one thing changed."""
    layer = Sdf.Layer.OpenAsAnonymous(str(source))
    stage = Usd.Stage.Open(layer)
    change(stage)
    layer.Export(str(target))
    return check_usd(target)


def test_a_face_out_of_range_is_found(exported, tmp_path):
    _, path, _ = exported("scenes/coil")

    def change(stage):
        faces = UsdGeom.Mesh(stage.GetPrimAtPath("/World/coil/coil_body"))
        indices = list(faces.GetFaceVertexIndicesAttr().Get())
        indices[7] = 1_000_000
        faces.GetFaceVertexIndicesAttr().Set(indices)

    found = spoil(path, tmp_path / "bad.usdc", change)
    assert any("coil_body: has a face with point 1000000" in one for one in found)


def set_all(stage, name: str, value: float) -> None:
    attribute = stage.GetPrimAtPath("/World/coil/coil_body").GetAttribute(name)
    attribute.Set([value] * len(attribute.Get()))


def reverse_joints(stage) -> None:
    joints = UsdSkel.Skeleton(stage.GetPrimAtPath("/World/coil/coil_rig")).GetJointsAttr()
    joints.Set(list(joints.Get())[::-1])


SPOILERS = {
    "weights that do not sum": lambda stage: set_all(stage, "primvars:skel:jointWeights", 0.7),
    "follows joint 999": lambda stage: set_all(stage, "primvars:skel:jointIndices", 999),
    "scales that are not one": lambda stage: (
        UsdSkel.Animation(stage.GetPrimAtPath("/World/coil/coil_motion"))
        .GetScalesAttr()
        .Set([(2, 2, 2)] * 29)
    ),
    "is not finite": lambda stage: (
        UsdSkel.Animation(stage.GetPrimAtPath("/World/coil/coil_motion"))
        .GetTranslationsAttr()
        .Set([(float("nan"), 0, 0)] * 29, 3)
    ),
    "before its parent": reverse_joints,
}


@pytest.mark.parametrize("what", SPOILERS)
def test_what_else_is_found(exported, tmp_path, what):
    _, path, _ = exported("scenes/coil")
    found = spoil(path, tmp_path / "bad.usdc", SPOILERS[what])
    assert any(what in one for one in found), found


def test_points_that_change_in_number_are_found(exported, tmp_path):
    _, path, _ = exported("scenes/floating_cubes")

    def change(stage):
        points = UsdGeom.Mesh(stage.GetPrimAtPath("/World/scenery/water")).GetPointsAttr()
        points.Set(list(points.Get(3))[:-1], 3)

    found = spoil(path, tmp_path / "bad.usdc", change)
    assert any("points at different times" in one for one in found)


def test_a_file_that_is_none(tmp_path):
    bad = tmp_path / "bad.usdc"
    bad.write_bytes(b"not a stage")
    assert "cannot be opened" in check_usd(bad)[0]


# --- mistakes


def test_mistakes_are_told(recorded, tmp_path):
    recording = recorded("scenes/coil")
    for name, options, words in (
        ("clip.fbx", {}, r"must end in \.glb or \.usdc or \.usda or \.usd or \.usdz or"),
        ("clip.usdc", {"soft": "melted"}, "valid: cache, skinned"),
        ("none/clip.usdc", {}, "does not exist"),
    ):
        with pytest.raises(UserError, match=words):
            export_recording(recording, tmp_path / name, fps=FPS, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that takes no files")
@pytest.mark.parametrize("suffix", ["usdc", "usda"])
def test_a_file_that_cannot_be_written(recorded, suffix):
    recording = recorded("scenes/coil")
    path = Path(f"/proc/self/clip.{suffix}")
    with pytest.raises(UserError, match="cannot be written"):
        export_usd(make_order(recording, path, clip=plan_clip(recording, fps=FPS)))


def test_nothing_is_left_of_an_export_that_fails(recorded, tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("no")

    monkeypatch.setattr(usd_scene, "define_lights", fail)
    recording = recorded("scenes/coil")
    for suffix in ("usdc", "usda"):
        with pytest.raises(UserError):
            export_usd(
                make_order(recording, tmp_path / f"a.{suffix}", clip=plan_clip(recording, fps=FPS))
            )
    assert list(tmp_path.iterdir()) == []


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
