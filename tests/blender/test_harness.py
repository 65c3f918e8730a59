"""Whether the way we ask Blender is right: on files made by hand, with places known on paper."""

import numpy as np
import pytest
from findings import inspect
from handmade import build_rod, rod_at
from handmade_usd import build_rod_usd, patch_at
from surfaces import distance_to

from oracles import check_glb
from skitter.look.mesh import build_rounded_box

pytestmark = pytest.mark.blender
FRAMES = [0, 1, 7, 20]
NEAR = 1e-6  # m; Blender counts in single precision


@pytest.mark.parametrize("fps", [24, 30])
def test_frames_of_gltf_begin_at_zero(tmp_path, fps):
    path = tmp_path / "rod.glb"
    path.write_bytes(build_rod(frames=21, fps=fps))
    check_glb(path)
    found = inspect(path, fps=fps, frames=FRAMES)
    check_rod(found, fps)
    assert found.about["actions"] == {"clip": [0.0, 20.0]}


@pytest.mark.parametrize("fps", [24, 30])
def test_frames_of_usd_are_time_codes(tmp_path, fps):
    path = tmp_path / "rod.usda"
    path.write_text(build_rod_usd(frames=21, fps=fps))
    found = inspect(path, fps=fps, frames=FRAMES)
    check_rod(found, fps)
    for row, frame in enumerate(FRAMES):
        np.testing.assert_allclose(found.points("patch")[row], patch_at(frame / fps), atol=NEAR)
    assert found.about["meshes"]["patch"]["modifiers"] == ["MESH_SEQUENCE_CACHE"]


def check_rod(found, fps):
    armature = found.find_armature("rod")
    assert found.find_meshes("rod") == ["rod_skin"]
    assert found.about["armatures"][armature]["bones"] == 2
    for row, frame in enumerate(FRAMES):
        bones, points = rod_at(frame / fps)
        heads = found.bones(armature)
        np.testing.assert_allclose(heads["root"][row], bones[0], atol=NEAR)
        np.testing.assert_allclose(heads["seg_00"][row], bones[1], atol=NEAR)
        np.testing.assert_allclose(found.points("rod_skin")[row], points, atol=NEAR)


def test_distance_to_a_box():
    """From points above the middle of a face, inside and off an edge."""
    box = build_rounded_box(np.array([2.0, 2.0, 2.0]), 1e-6)
    points = np.array([[0, 1.5, 0], [0.3, 0.9, -0.2], [1.3, 1.4, 0.0], [1.0, 0.2, 0.1]])
    np.testing.assert_allclose(distance_to(box, points), [0.5, 0.1, 0.5, 0.0], atol=1e-4)
