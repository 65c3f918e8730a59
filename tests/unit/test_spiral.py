"""The coil as geometry: turns keep apart, bends stay within the skin, the belly is inside."""

import numpy as np
import pytest
from scipy.optimize import minimize

from skitter.control.spiral import (
    bend_joints,
    blend_joints,
    find_bends,
    find_joints,
    place_chain,
    roll_joints,
    roll_parts,
)
from skitter.rotation import quaternion_to_matrix

COUNT, LENGTH, BLOCK, HEIGHT = 60, 0.3, 0.29, 1.75


def build(tightness=0.7, spacing=1.2):
    lengths, blocks = np.full(COUNT, LENGTH), np.full(COUNT - 1, BLOCK)
    links = np.full(COUNT - 1, LENGTH + BLOCK)
    heights = np.full(COUNT, HEIGHT)
    return lengths, blocks, find_bends(links, heights, blocks, tightness, spacing)


def measure_gap(one, other) -> float:
    """Distance between two boxes in the plane of the coil, cm; 0 where they overlap."""
    (p, x, y), (q, u, v) = one, other

    def square(s):
        a = p + s[0] * LENGTH / 2 * x + s[1] * HEIGHT / 2 * y
        b = q + s[2] * LENGTH / 2 * u + s[3] * HEIGHT / 2 * v
        return ((a - b) ** 2).sum()

    return float(np.sqrt(minimize(square, np.zeros(4), bounds=[(-1, 1)] * 4).fun))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85, 1.0])
def test_no_part_meets_another_on_the_way(share):
    lengths, blocks, bends = build()
    straight = np.tile([1.0, 0, 0, 0], (COUNT - 1, 1))
    joints = blend_joints(straight, bend_joints(bends), share)
    places, turns = place_chain(joints, lengths, blocks)
    axes = quaternion_to_matrix(turns)
    assert np.abs(places[:, 2]).max() < 1e-9  # flat
    boxes = [(p[:2], a[:2, 0], a[:2, 1]) for p, a in zip(places, axes, strict=True)]
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = [(i, j) for i, j in np.argwhere(far < 2.2) if j > i + 4]  # beyond neighbours
    gaps = [measure_gap(boxes[i], boxes[j]) for i, j in near[:: max(1, len(near) // 60)]]
    assert all(gap > 0.1 for gap in gaps)


def test_turns_are_as_far_apart_as_asked():
    _, _, bends = build(spacing=1.3)
    lengths, blocks = np.full(COUNT, LENGTH), np.full(COUNT - 1, BLOCK)
    places, turns = place_chain(bend_joints(bends), lengths, blocks)
    out = quaternion_to_matrix(turns)[:, :, 1]  # backs look outward
    assert np.abs(bends).sum() > 2 * np.pi  # more than one turn
    # from the innermost parts straight outward to the next turn
    for i in range(3):
        away = places[i + 20 :] - places[i]
        across = away - (away @ out[i])[:, None] * out[i]
        facing = (away @ out[i]) > 0
        k = np.argmin(np.where(facing, np.linalg.norm(across, axis=1), np.inf))
        assert away[k] @ out[i] == pytest.approx(1.3 * HEIGHT, rel=0.03)


def test_belly_inside_and_head_in_the_middle():
    lengths, blocks, bends = build()
    places, turns = place_chain(bend_joints(bends), lengths, blocks)
    up = quaternion_to_matrix(turns)[:, :, 1]
    middle = places.mean(axis=0)
    away = places - middle
    assert ((away * up).sum(axis=1) > 0).all()
    far = np.linalg.norm(away, axis=1)
    assert far[:10].mean() < 0.7 * far[-10:].mean()
    assert (np.diff(bends) < 0).all()


def test_skin_on_the_belly_keeps_its_share():
    _, _, bends = build(tightness=0.7)
    belly = BLOCK - bends * HEIGHT / 2
    assert 0.3 * BLOCK <= belly.min() < 0.33 * BLOCK


def test_joints_are_those_of_a_body_as_it_lies():
    rng = np.random.default_rng(3)
    bends = rng.normal(0, 0.2, (COUNT - 1, 3))
    joints = np.column_stack([np.ones(COUNT - 1), bends / 2])
    joints /= np.linalg.norm(joints, axis=1, keepdims=True)
    lengths, blocks, _ = build()
    places, turns = place_chain(joints, lengths, blocks)
    found = find_joints(turns)
    assert np.abs(np.abs((found * joints).sum(axis=1)) - 1).max() < 1e-12
    # neighbours hang together: the block's ends are a half length from both middles
    axes = quaternion_to_matrix(turns)
    rear = places[:-1] - axes[:-1, :, 0] * (LENGTH + BLOCK) / 2
    front = places[1:] + axes[1:, :, 0] * (LENGTH + BLOCK) / 2
    assert np.abs(rear - front).max() < 1e-9


@pytest.mark.parametrize("angle", [0.5, np.pi / 2, -np.pi / 2])
def test_rolled_parts_keep_their_middle_line(angle):
    """Every part turns about its own axis, and none of them moves."""
    lengths, blocks, _ = build()
    rng = np.random.default_rng(3)
    joints = rng.normal([1, 0, 0, 0], 0.05, (COUNT - 1, 4))
    joints /= np.linalg.norm(joints, axis=1, keepdims=True)
    before, turns = place_chain(joints, lengths, blocks)
    after, rolled = place_chain(roll_joints(joints, angle), lengths, blocks)
    turn = quaternion_to_matrix(roll_parts(np.array([1.0, 0, 0, 0]), angle))  # of the middle part
    assert after @ turn.T == pytest.approx(before, abs=1e-12)
    ahead = quaternion_to_matrix(turns)[:, :, 0]
    assert turn @ quaternion_to_matrix(rolled)[:, :, 0].T == pytest.approx(ahead.T, abs=1e-12)
    back = quaternion_to_matrix(roll_parts(rolled, -angle))
    assert turn @ back == pytest.approx(quaternion_to_matrix(turns), abs=1e-12)
