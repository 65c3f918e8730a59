"""Loops: one cycle of a gait, whose end is its beginning."""

import numpy as np
import pytest

import skitter
from skitter.errors import UserError
from skitter.export.clip import bake, calm, close_loop, plan_clip, spread_gap, spread_in_air
from skitter.export.loop import (
    Postures,
    choose_lag,
    compare_lags,
    find_depth,
    find_loop,
    find_steps,
    fit_ends,
)
from skitter.export.write import export_recording
from skitter.look.creature import build_creatures
from skitter.look.rig import Frames, Rig
from skitter.measure import measure
from skitter.rotation import quaternion_to_matrix


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = {
        "title": "Straight on",
        "terrain": [{"shape": "plane"}],
        "creatures": [{"species": "giant_centipede", "commands": [{"time": 0, "speed": 12}]}],
    }
    return skitter.run(scene, seconds=4, output=tmp_path_factory.mktemp("walk") / "rec")


def open_loop(recording, **options):
    rig = Rig(build_creatures(recording)[0].motion)
    clip = plan_clip(recording, fps=60, start=1.0)
    return rig, find_loop(rig, clip, recording.frame_rate)[0]


def test_cycle_of_known_length_is_found():
    time = np.arange(400)
    wave = np.stack([np.sin(2 * np.pi * time / 37 + k) for k in range(6)], axis=1)
    lags = np.arange(5, 200)
    assert choose_lag(lags, compare_lags(wave, lags)) == 37
    still = Postures(wave, np.zeros((400, 0)), np.zeros(400))
    _, lag, apart = fit_ends(still, 36)
    assert lag == 37
    assert apart < 1e-6


def test_noise_has_no_cycle():
    noise = np.random.default_rng(0).normal(size=(400, 30))
    lags = np.arange(5, 200)
    lag = choose_lag(lags, compare_lags(noise, lags))
    still = Postures(noise, np.zeros((400, 0)), np.zeros(400))
    assert lag is None or fit_ends(still, lag)[2] > 0.5


def test_loop_of_a_walk_is_one_stride(walk):
    _, loop = open_loop(walk)
    stride = measure(walk)["giant_centipede.stride_period"].value
    assert loop.times[-1] - loop.times[0] == pytest.approx(stride, rel=0.2)


def test_a_walk_over_hills_has_a_loop(tmp_path):
    """Turning and climbing, with legs that step all the same."""
    recording = skitter.run("centipede", seconds=4, output=tmp_path / "rec")
    told = export_recording(recording, tmp_path / "a.glb", loop=True, in_place=True)
    assert 0.2 < told.seconds < 0.6
    assert told.notes[0].startswith("one cycle, 0.")


def test_lows_lie_between_frames():
    assert find_depth(1.0, 0.5, 0.0) == 0.5  # no low at all
    assert find_depth(1.0, 0.0, 1.0) == 0.0
    assert find_depth(2.25, 0.25, 0.25) == pytest.approx(0.0)  # (x - 1/2) squared


def test_legs_that_stand_do_not_step():
    time = np.arange(100)
    walks = np.sin(2 * np.pi * time / 20)
    assert find_steps(np.stack([walks] * 4, axis=1), 20).all()
    stops = np.where(time < 50, walks, 0.0)
    steps = find_steps(np.stack([stops] * 4, axis=1), 20)
    assert steps[:30].all()
    assert not steps[55:].any()


def test_loop_has_no_seam(walk):
    rig, loop = open_loop(walk)
    (frames,) = bake(rig, loop)
    assert np.allclose(frames.position[0, 1:], frames.position[-1, 1:], atol=1e-9)
    first, last = (quaternion_to_matrix(frames.orientation[k]) for k in (0, -1))
    assert np.allclose(first, last, atol=1e-9)
    # across the seam joints move no faster than elsewhere
    around = np.concatenate([frames.position[:-1], frames.position[:2]])
    speed = np.linalg.norm(np.diff(around, axis=0)[:, 1:], axis=2)
    assert speed[-2:].max() <= 1.5 * speed[:-2].max()


def test_loop_moves_on_as_the_creature_did(walk):
    rig, loop = open_loop(walk)
    (frames,) = bake(rig, loop)
    assert np.abs(lowest_feet(rig, loop)).max() < 0.02  # cm: those that stand stay on the ground
    way = frames.position[-1, 0] - frames.position[0, 0]
    seconds = loop.times[-1] - loop.times[0]
    assert np.linalg.norm(way) / seconds == pytest.approx(12, rel=0.15)
    assert (frames.orientation[:, 0] == frames.orientation[0, 0]).all()


def test_gap_is_spread_evenly():
    rng = np.random.default_rng(2)
    turns = rng.normal(size=(9, 5, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    open_ = Frames(rng.normal(size=(9, 5, 3)), turns)
    share = spread_gap(["root", "seg_00", "seg_01", "seg_02", "seg_03"], 9, np.zeros((9, 0, 3)))
    closed = close_loop(open_, share)
    assert np.allclose(closed.position[0], open_.position[0])
    assert np.allclose(closed.position[-1], closed.position[0])
    same = np.abs(np.sum(closed.orientation[0] * closed.orientation[-1], axis=-1))
    assert np.allclose(same, 1)


def test_a_leg_makes_up_for_its_gap_in_the_air():
    even = np.linspace(0, 1, 9)
    moved = np.array([True, False, False, False, False, True, True, False])
    share = spread_in_air(moved, even)
    assert share[-1] - share[0] == pytest.approx(1)
    assert (share[1:6] == 0).all()
    assert (spread_in_air(np.zeros(8, bool), even) == even).all()


def test_what_does_not_repeat_is_refused(recorded, tmp_path):
    with pytest.raises(UserError, match=r"--loop: the stretch .* valid:"):
        export_recording(recorded("species/cube"), tmp_path / "a.glb", loop=True)
    assert list(tmp_path.iterdir()) == []


def lowest_feet(rig: Rig, loop) -> np.ndarray:
    """How low the lowest foot of a baked walk is, in every frame, cm."""
    (local,) = bake(rig, loop)
    position, turn = local.position.copy(), quaternion_to_matrix(local.orientation)
    for k, parent in enumerate(rig.parents):
        if parent >= 0:
            arm = np.einsum("fij,fj->fi", turn[:, parent], position[:, k])
            position[:, k] = position[:, parent] + arm
            turn[:, k] = turn[:, parent] @ turn[:, k]
    ankle = [rig.number[f"seg_{n // 2 + 1:02d}_leg_{'LR'[n % 2]}_tarsus"] for n in range(38)]
    length = np.linalg.norm(rig.rest.leg_point[:, 3] - rig.rest.leg_point[:, 2], axis=1)
    tips = position[:, ankle] + length[:, None] * turn[:, ankle][..., 1]  # y is along the bone
    return tips[..., 1].min(axis=1)


def test_a_way_keeps_its_ends_and_loses_its_swings():
    time = np.linspace(0, 4, 121)
    way = np.stack([3 * time, np.sin(2 * np.pi * 3 * time)], axis=1)
    smooth = calm(way, 7.5)
    assert np.allclose(smooth[:, 0], way[:, 0])  # even motion stays even
    assert np.abs(smooth[15:-15, 1]).max() < 0.02
    assert np.allclose(smooth[[0, -1]], way[[0, -1]])
    assert (calm(way[:1], 7.5) == way[:1]).all()
