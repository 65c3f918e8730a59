"""What the check of USD files finds, on files that were spoilt."""

from pathlib import Path

import pytest

pytest.importorskip("pxr")

from pxr import Sdf, Usd, UsdGeom, UsdSkel
from usd_exports import UsdExports

from usd_check import check_usd


@pytest.fixture(scope="module")
def exported(recorded, tmp_path_factory):
    return UsdExports(recorded, tmp_path_factory.mktemp("usd"))


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
