"""Loops: one cycle of a gait, whose end is its beginning."""

import numpy as np
import pytest

import skitter
from skitter.errors import UserError
from skitter.export.clip import bake, close_loop, plan_clip
from skitter.export.loop import choose_lag, compare_lags, find_loop, fit_ends
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
    return rig, find_loop(rig, clip, recording.frame_rate)


def test_cycle_of_known_length_is_found():
    time = np.arange(400)
    wave = np.stack([np.sin(2 * np.pi * time / 37 + k) for k in range(6)], axis=1)
    lags = np.arange(5, 200)
    assert choose_lag(lags, compare_lags(wave, lags)) == 37
    assert fit_ends(wave, 36)[1] == 37


def test_noise_has_no_cycle():
    noise = np.random.default_rng(0).normal(size=(400, 30))
    lags = np.arange(5, 200)
    assert choose_lag(lags, compare_lags(noise, lags)) is None


def test_loop_of_a_walk_is_one_stride(walk):
    _, loop = open_loop(walk)
    stride = measure(walk)["giant_centipede.stride_period"].value
    assert loop.times[-1] - loop.times[0] == pytest.approx(stride, rel=0.15)


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
    way = frames.position[-1, 0] - frames.position[0, 0]
    seconds = loop.times[-1] - loop.times[0]
    assert np.linalg.norm(way) / seconds == pytest.approx(12, rel=0.15)
    assert (frames.orientation[:, 0] == frames.orientation[0, 0]).all()


def test_gap_is_spread_evenly():
    rng = np.random.default_rng(2)
    turns = rng.normal(size=(9, 5, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    open_ = Frames(rng.normal(size=(9, 5, 3)), turns)
    closed = close_loop(open_, np.linspace(0, 1, 9))
    assert np.allclose(closed.position[0], open_.position[0])
    assert np.allclose(closed.position[-1], closed.position[0])
    same = np.abs(np.sum(closed.orientation[0] * closed.orientation[-1], axis=-1))
    assert np.allclose(same, 1)


def test_what_does_not_repeat_is_refused(recorded, tmp_path):
    with pytest.raises(UserError, match=r"--loop: the stretch .* valid:"):
        export_recording(recorded("species/jelly_cube"), tmp_path / "a.glb", loop=True)
    assert list(tmp_path.iterdir()) == []
