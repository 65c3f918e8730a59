"""The skin of a swimmer: closed, smooth, and where its parts are. No renderer is needed."""

import numpy as np
import pytest
from fake_recordings import make_chain, quaternion, spin
from scipy.spatial import cKDTree

from skitter.look.colour import read_colour
from skitter.look.creature import build_creatures
from skitter.look.motion import Pose, stack_poses
from skitter.look.parts import build_actor
from skitter.look.swimmer import SwimmerSkin
from skitter.rotation import quaternion_to_matrix


def make_eel(**look):
    """The chain of boxes with its head ahead, as a swimmer."""
    recording = make_chain(frames=4, boxes=8, look=look)
    recording.creatures[0]["kind"] = "swimmer"
    for key in ("body_position", "body_orientation"):
        recording._channels[f"chain.{key}"] = recording[f"chain.{key}"][:, ::-1]
    return recording


@pytest.fixture(scope="module")
def eel():
    return build_creatures(make_eel())[0]


def edges_of(triangles):
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return {tuple(pair) for pair in pairs}


def test_the_skin_is_closed_and_faces_outwards(eel):
    mesh = eel.skin.at(eel.motion.pose(0.05))
    around = len(eel.skin.angles)
    # the rings at both ends are one point each
    one = mesh.triangles.copy()
    one[one < around] = 0
    one[one >= len(mesh.points) - around] = len(mesh.points) - 1
    one = one[(one[:, 0] != one[:, 1]) & (one[:, 1] != one[:, 2]) & (one[:, 2] != one[:, 0])]
    edges = edges_of(one)
    assert all((b, a) in edges for a, b in edges)
    for end in (mesh.points[:around], mesh.points[-around:]):
        assert np.ptp(end, axis=0).max() < 1e-6
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert 3.0 < volume < 13.6  # cm³: eight boxes of 1 and seven blocks of 0.8, all tapered
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0)


def test_it_has_the_size_of_its_parts(eel):
    """Somewhere as high and wide as a box; a snout and a tail beyond the first and the last."""
    pose = eel.motion.pose(0.05)
    mesh = eel.skin.at(pose)
    assert 0.9 < np.ptp(mesh.points[:, 1]) < 2.0
    ahead = pose.body_position[0] - pose.body_position[1]
    assert ((mesh.points - pose.body_position[0]) @ ahead).max() > 0.5 * np.linalg.norm(ahead)
    for place in pose.body_position[1:-1]:  # the middle of a part is inside
        assert 0.1 < np.linalg.norm(mesh.points - place, axis=1).min() < 0.6


def test_it_moves_with_its_parts_and_nodes(eel):
    pose = eel.motion.pose(0.05)
    axis, angle, shift = (0.0, 1.0, 0.0), 1.1, np.array([3.0, -2.0, 5.0])
    w, y = quaternion(axis, angle)[[0, 2]]
    a, b, c, d = pose.body_orientation.T
    turned = np.stack([w * a - y * c, w * b + y * d, w * c + y * a, w * d - y * b], axis=1)
    moved = Pose(
        spin(axis, angle, pose.body_position) + shift,
        turned,
        spin(axis, angle, pose.node_position) + shift,
    )
    before, after = eel.skin.at(pose), eel.skin.at(moved)
    assert after.points == pytest.approx(spin(axis, angle, before.points) + shift, abs=1e-6)
    assert after.normals == pytest.approx(spin(axis, angle, before.normals), abs=1e-5)


def test_a_block_that_swells_is_seen(eel):
    pose = eel.motion.pose(0.0)
    nodes = pose.node_position.copy()
    swollen = slice(27 * 3, 27 * 4)
    middle = nodes[swollen].mean(axis=0)
    nodes[swollen] = middle + 1.4 * (nodes[swollen] - middle)
    wide = Pose(pose.body_position, pose.body_orientation, nodes)
    shift = np.linalg.norm(eel.skin.at(wide).points - eel.skin.at(pose).points, axis=1)
    near = np.linalg.norm(eel.skin.at(pose).points - middle, axis=1)
    assert 0.05 < shift.max() < 0.3
    assert near[np.argmax(shift)] < 1.0


def test_back_belly_and_eyes_have_their_colours():
    look = {"back": "#203010", "belly": "#f0e8d0", "pattern": "plain", "eye": "#ff0000"}
    eel = build_creatures(make_eel(**look))[0]
    pose = eel.motion.pose(0.0)
    mesh, colours = eel.skin.at(pose), eel.skin.colours
    is_front = eel.skin.shape.fin.ravel() == 0
    up, down = mesh.normals[:, 1] > 0.8, mesh.normals[:, 1] < -0.9
    assert colours[is_front & up].mean() < 0.5 * colours[is_front & down].mean()
    assert colours[is_front & down][0] == pytest.approx(read_colour("#f0e8d0"), abs=0.05)
    face, is_eye = eel.rigid.at(pose).points, (eel.rigid.colours == [1.0, 0, 0]).all(axis=1)
    assert np.linalg.norm(face[is_eye] - pose.body_position[0], axis=1).max() < 1.0


def test_the_face_is_the_same_on_both_sides_with_its_mouth_below_the_eyes():
    eel = build_creatures(make_eel(eye="#ff0000"))[0]
    rest = eel.motion.rest
    turn = quaternion_to_matrix(rest.body_orientation[0])
    face = (eel.rigid.at(rest).points - rest.body_position[0]) @ turn
    is_eye = (eel.rigid.colours == [1.0, 0, 0]).all(axis=1)
    for some in (face[is_eye], face[~is_eye]):
        away, _ = cKDTree(some).query(some * [1, 1, -1])
        assert away.max() < 1e-6
    assert face[~is_eye, 1].max() < face[is_eye, 1].min()


def test_colours_follow_those_of_the_body():
    rigid = build_creatures(make_eel(rigid="#2c3f6e", pattern="plain"))[0].skin.hide.back
    assert rigid == pytest.approx(read_colour("#2c3f6e"))


def test_without_a_skin_boxes_and_blocks_are_shown():
    eel = build_creatures(make_eel(skin=False))[0]
    assert eel.skin is None
    assert eel.soft is not None
    assert len(eel.rigid.pieces) == 8


def test_slices_lie_on_the_skin(eel):
    """What the studio shows of a bent eel is near to what pictures show."""
    pose = eel.motion.pose(0.05)
    mesh = eel.skin.at(pose)
    actor = build_actor(eel)
    assert actor.skin is None
    found = actor.place(stack_poses([pose, pose]))
    slices = [p for part, p in zip(actor.parts, found, strict=True) if part.kind == "slice"]
    whole = np.concatenate([one.position for one in slices])
    assert len(whole) > 60
    far = np.linalg.norm(whole[:, None] - mesh.points[None], axis=2).min(axis=1)
    assert far.max() < 0.6
    for part, places in zip(actor.parts, found, strict=True):
        assert len(places.position) == 2 * len(part.owner)
        assert np.isfinite(places.scale).all()


def test_a_skin_keeps_to_its_triangles(eel):
    few = SwimmerSkin(eel.skin.spine, eel.skin.hide, triangle_limit=3000)
    assert len(few.at(eel.motion.pose(0.0)).triangles) <= 3000
