"""Rigs: joints are where the recording has them, and the skin at rest is the body at rest."""

import numpy as np
import pytest

from corpus import CORPUS
from skitter.look.creature import build_creatures
from skitter.look.motion import Pose
from skitter.look.rig import LEVELS, Frames, Rig, fit_turns, keep_signs, localise, sort_joints
from skitter.look.skin import build_skin_parts, deform, exact_points
from skitter.rotation import matrix_from_turn, matrix_to_quaternion, quaternion_to_matrix

NEAR = 0.01  # of a body's length: how close joints alone come to a soft surface
FREE = ("species/jelly_cube", "scenes/jelly_drop")  # deform more than joints can follow


def compose(local: Frames, parents: np.ndarray) -> Frames:
    """Back from what parents see to the world, joint by joint."""
    position, turn = local.position.copy(), quaternion_to_matrix(local.orientation)
    for k, parent in enumerate(parents):
        if parent >= 0:
            position[k] = position[parent] + turn[parent] @ position[k]
            turn[k] = turn[parent] @ turn[k]
    return Frames(position, turn)


@pytest.mark.parametrize("name", CORPUS)
def test_rig_and_skin_of(name, recorded):
    recording = recorded(name)
    for creature in build_creatures(recording)[:2]:
        rig = Rig(creature.motion)
        check_tree(rig)
        parts = build_skin_parts(creature, rig)
        for part in parts:
            check_weights(part)
            still = deform(part, rig.bind, rig.bind)
            assert np.abs(still - part.mesh.points).max() < 1e-12 * max(rig.length, 1)
            assert np.allclose(part.mesh.points, exact_points(creature, part.kind, rig.rest))
        for time in (0.1, float(recording.time[-1])):
            pose = creature.motion.pose(time)
            frames = rig.place(pose)
            check_bodies(rig, frames.position, pose)
            for part in parts:
                if name in FREE:
                    continue
                gap = deform(part, rig.bind, frames) - exact_points(creature, part.kind, pose)
                assert np.linalg.norm(gap, axis=1).max() < NEAR * rig.length, part.kind


def check_bodies(rig: Rig, position: np.ndarray, pose: Pose) -> None:
    """Stiff parts have their joints in their middles; links where they are joined to others."""
    if rig.motion.tree is None:
        bodies = [rig.number[f"seg_{k:02d}"] for k in range(len(pose.body_position))]
        assert np.abs(position[bodies] - pose.body_position).max(initial=0) == 0
        return
    arm = position[[rig.number[name] for name in rig.links.names]] - pose.body_position
    seen = np.einsum("bji,bj->bi", quaternion_to_matrix(pose.body_orientation), arm)
    assert np.abs(seen - rig.motion.static("body_joint")).max() < 1e-6 * rig.length


def check_tree(rig: Rig) -> None:
    assert len(set(rig.names)) == len(rig.names)
    assert rig.names[0] == "root"
    assert rig.parents[0] == -1
    assert (rig.parents[1:] >= 0).all()
    assert (rig.parents < np.arange(len(rig.names))).all()
    local = localise(rig.bind, rig.parents)
    world = compose(local, rig.parents)
    assert np.allclose(world.position, rig.bind.position, atol=1e-12)
    assert np.allclose(world.orientation, quaternion_to_matrix(rig.bind.orientation), atol=1e-12)


def check_weights(part) -> None:
    assert part.weights.shape[1] == 4
    assert (part.weights >= 0).all()
    assert np.allclose(part.weights.sum(axis=1), 1, atol=1e-12)
    assert (part.joints[part.weights == 0] == 0).all()


def test_legs_and_antennae_have_joints_at_their_links(recorded):
    recording = recorded("species/giant_centipede")
    rig = Rig(build_creatures(recording)[0].motion)
    pose = rig.motion.pose(0.2)
    position = rig.place(pose).position
    for leg in (0, 1, 17, 37):
        stem = f"seg_{leg // 2 + 1:02d}_leg_{'LR'[leg % 2]}"
        for joint, link in enumerate(("femur", "tibia", "tarsus")):
            assert (position[rig.number[f"{stem}_{link}"]] == pose.leg_point[leg, joint]).all()
    for link in (1, 9):
        here = position[rig.number[f"seg_00_antenna_R_{link}"]]
        assert (here == pose.antenna_point[1, link - 1]).all()


def test_soft_joints_lie_between_their_parts(recorded):
    rig = Rig(build_creatures(recorded("species/giant_centipede"))[0].motion)
    position = rig.bind.position
    chain = ["seg_03", "seg_03_soft_1", "seg_03_soft_2", "seg_04"]
    x = [position[rig.number[name], 0] for name in chain]
    assert x == sorted(x, reverse=True)
    parent = [rig.names[rig.parents[rig.number[name]]] for name in chain[:-1]]
    assert parent == chain[1:]  # the tree begins in the middle
    behind = ["seg_15", "seg_15_soft_1", "seg_15_soft_2", "seg_16"]
    assert [rig.names[rig.parents[rig.number[name]]] for name in behind[1:]] == behind[:-1]
    assert rig.names[rig.parents[rig.number["seg_10"]]] == "root"


@pytest.mark.parametrize("level", range(1, LEVELS))
def test_levels_of_detail_have_fewer_joints(level, recorded):
    creature = build_creatures(recorded("species/giant_centipede"))[0]
    finer, coarser = Rig(creature.motion, level=level - 1), Rig(creature.motion, level=level)
    assert len(coarser.names) < 0.65 * len(finer.names)
    check_tree(coarser)
    pose = creature.motion.pose(0.3)
    for part in build_skin_parts(creature, coarser):
        check_weights(part)
        gap = deform(part, coarser.bind, coarser.place(pose)) - exact_points(
            creature, part.kind, pose
        )
        # a leg in one piece cannot bend its knee: its tip is right, and its knee is off
        limit = {"leg": 0.06, "antenna": 0.06}.get(part.kind, 0.01)
        assert np.linalg.norm(gap, axis=1).max() < limit * coarser.length, part.kind


def test_root_follows_the_whole_body(recorded):
    """A body moved as one takes its root along exactly."""
    rig = Rig(build_creatures(recorded("species/giant_centipede"))[0].motion)
    turn, shift = matrix_from_turn((20, -130, 60)), np.array([3.0, -2.0, 7.0])
    rest = rig.rest
    moved = type(rest)(
        rest.body_position @ turn.T + shift,
        np.tile(matrix_to_quaternion(turn), (len(rest.body_position), 1)),
        rest.node_position @ turn.T + shift,
        rest.leg_point @ turn.T + shift,
        rest.antenna_point @ turn.T + shift,
    )
    frames = rig.place(moved)
    assert np.allclose(frames.position, rig.bind.position @ turn.T + shift, atol=1e-9)
    back = quaternion_to_matrix(frames.orientation)
    assert np.allclose(back, turn @ quaternion_to_matrix(rig.bind.orientation), atol=1e-7)


def test_rest_is_of_the_species_alone(recorded):
    """Two recordings of one species have one rig."""
    one = Rig(build_creatures(recorded("species/giant_centipede"))[0].motion)
    other = Rig(build_creatures(recorded("scenes/hills"))[0].motion)
    assert one.names == other.names
    assert np.allclose(one.bind.position, other.bind.position, atol=1e-4)
    assert one.rest.leg_point[..., 1].min() == pytest.approx(0, abs=1e-9)
    left, right = one.rest.leg_point[0::2], one.rest.leg_point[1::2]
    assert np.allclose(left, right * [1, 1, -1], atol=1e-4)


def test_poses_of_many_moments_are_those_of_each(recorded):
    motion = build_creatures(recorded("scenes/centipede"))[0].motion
    times = np.array([0.0, 0.013, 0.1, 0.3999])
    together = motion.poses(times)
    for k, time in enumerate(times):
        alone = motion.pose(float(time))
        assert np.allclose(together.body_position[k], alone.body_position, atol=1e-12)
        assert np.allclose(together.body_orientation[k], alone.body_orientation, atol=1e-12)
        assert np.allclose(together.leg_point[k], alone.leg_point, atol=1e-12)


def test_turns_fit_flat_layers_and_mirrored_points():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(9, 3)) * [0, 1, 1]
    turn = matrix_from_turn((10, 70, -40))
    assert np.allclose(fit_turns(flat @ turn.T + 2, flat), turn, atol=1e-12)
    solid = rng.normal(size=(5, 3))
    assert np.linalg.det(fit_turns(solid * [1, 1, -1], solid)) == pytest.approx(1)


def test_signs_do_not_jump():
    angle = np.linspace(0, 4 * np.pi, 60)
    turning = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    jumping = turning * np.random.default_rng(1).choice([-1, 1], (60, 1))
    first = keep_signs(jumping[:30, None], None)
    second = keep_signs(jumping[30:, None], first[-1])
    steady = np.concatenate([first, second])[:, 0]
    assert (np.sum(steady[1:] * steady[:-1], axis=1) > 0.9).all()


def test_joints_come_after_their_parents():
    assert sort_joints(["c", "a", "b"], ["b", "", "a"]) == [1, 2, 0]
