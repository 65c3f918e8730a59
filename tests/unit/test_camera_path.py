"""Camera files and named views: is the camera where it was told to be?"""

from pathlib import Path

import numpy as np
import pytest
from fake_recordings import FLOOR, FakeRecording, block_grid, block_statics, make_chain

from skitter.errors import UserError
from skitter.look.camera_path import plan_path, read_camera_path, weigh_keys
from skitter.look.camera_views import NAMES, plan_wish, read_camera
from skitter.look.creature import build_creatures
from skitter.look.mesh import build_capsule
from skitter.look.motion import EMPTY, Pose
from skitter.look.rigid import Piece, RigidSurface
from skitter.look.shots import outline_at
from skitter.render.plan import choose_camera, plan_scene

TWO_KEYS = """
keys:
  - {time: 0, from: [20, 10, 20], at: [0, 1, 0]}
  - {time: 1, from: [-20, 12, 20], at: [2, 1, 0], fov_deg: 40}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "path.yaml"
    path.write_text(text)
    return path


def still_jelly(at=(0.0, 1.0, 0.0), frames=11) -> FakeRecording:
    recording = FakeRecording(10.0, frames, [FLOOR])
    points = np.repeat((block_grid() / 2 + np.array(at))[None], frames, axis=0)
    recording.add_creature("jelly", {}, {"node_position": points}, block_statics(1))
    return recording


def plan(recording, folder, text, times):
    creatures = build_creatures(recording)
    names = [one["name"] for one in recording.creatures]
    path = read_camera_path(write(folder, text), names)
    return plan_path(path, creatures, np.array(times, float), aspect=16 / 9)


def looks_at(camera, point) -> bool:
    """Whether a point is in the middle of the picture."""
    return bool(np.allclose(camera.project(np.array([point], float)), 0.0, atol=1e-9))


def test_at_its_keys_the_camera_is_where_they_say(tmp_path):
    first, last = plan(still_jelly(), tmp_path, TWO_KEYS, [0.0, 1.0])
    assert np.allclose(first.eye, [20, 10, 20]) and looks_at(first, [0, 1, 0])
    assert np.allclose(last.eye, [-20, 12, 20]) and looks_at(last, [2, 1, 0])
    assert first.angle == pytest.approx(np.radians(26))
    assert last.angle == pytest.approx(np.radians(40))


def test_the_camera_is_held_before_the_first_and_after_the_last_key(tmp_path):
    text = TWO_KEYS.replace("time: 0", "time: 0.3").replace("time: 1", "time: 0.6")
    cameras = plan(still_jelly(), tmp_path, text, [0.0, 0.3, 0.6, 1.0])
    assert np.allclose(cameras[0].eye, cameras[1].eye)
    assert np.allclose(cameras[2].eye, cameras[3].eye)


def test_one_key_is_a_fixed_camera(tmp_path):
    cameras = plan(
        still_jelly(), tmp_path, "keys: [{time: 5, from: [9, 9, 9], at: [0, 0, 0]}]", [0, 1]
    )
    assert all(np.allclose(one.eye, [9, 9, 9]) for one in cameras)


def test_the_path_is_smooth_and_between_two_keys_halfway(tmp_path):
    times = np.linspace(0, 1, 201)
    eye = np.array([one.eye for one in plan(still_jelly(), tmp_path, TWO_KEYS, times)])
    assert np.allclose(eye[100], [0, 11, 20])
    speed = np.diff(eye, axis=0)
    assert np.abs(speed[[0, -1]]).max() < 0.01 * np.abs(speed).max()  # from rest, to rest
    assert np.abs(np.diff(speed, axis=0)).max() < 0.04 * np.abs(speed).max()  # no kink


def test_weights_of_unequal_steps_keep_an_even_motion_even(tmp_path):
    """Inside of keys on a line, at their times, the speed is that of the line."""
    text = "keys:\n" + "".join(
        f"  - {{time: {t}, from: [{10 * t}, 9, 9], at: [{10 * t}, 0, 0]}}\n"
        for t in (0, 1, 1.5, 4, 5)
    )
    path = read_camera_path(write(tmp_path, text), [])
    times = np.array([1.2, 1.5, 2.0, 3.9])
    weights = weigh_keys(path.keys, times)
    assert np.allclose(weights.sum(axis=1), 1.0)
    assert np.allclose(weights @ [key.time for key in path.keys], times)


def test_a_key_given_twice_is_held(tmp_path):
    text = TWO_KEYS + "  - {time: 2, from: [-20, 12, 20], at: [2, 1, 0], fov_deg: 40}\n"
    text += "  - {time: 3, from: [0, 30, 5], at: [0, 1, 0]}\n"
    eye = np.array([one.eye for one in plan(still_jelly(), tmp_path, text, [1.0, 1.3, 1.7, 2.0])])
    assert np.allclose(eye, eye[0])


def test_a_camera_that_follows_counts_from_the_creature(tmp_path):
    text = "keys: [{time: 0, from: [5, 5, 5], at: [0, 0, 0], follow: jelly}]"
    (camera,) = plan(still_jelly(at=(30.0, 2.0, -4.0)), tmp_path, text, [0.5])
    assert np.allclose(camera.eye, [35, 7, 1]) and looks_at(camera, [30, 2, -4])
    recording = make_chain(frames=60, speed=12.0)
    text = "keys: [{time: 0, from: [0, 8, 20], at: [0, 0, 0], follow: chain}]"
    times = np.linspace(0, recording.time[-1], 40)
    cameras = plan(recording, tmp_path, text, times)
    way = cameras[-1].eye - cameras[0].eye
    assert way[0] == pytest.approx(12.0 * times[-1], rel=0.1)


def test_straight_down_shows_x_to_the_right(tmp_path):
    text = "keys: [{time: 0, from: [0, 30, 0], at: [0, 0, 0]}]"
    (camera,) = plan(still_jelly(), tmp_path, text, [0.0])
    assert np.allclose(camera.eye, [0, 30, 0], atol=1e-9)
    x, y = camera.project(np.array([[3.0, 0.0, -1.0]]))[0]
    assert x > 0 and y > 0


MISTAKES = [
    ("keys: []", "keys must be"),
    ("keys: [{time: 0, from: [1, 2, 3]}]", "keys[0].at is missing; valid: a list of 3 numbers"),
    ("keys: [{time: 0, from: [1, 2], at: [0, 0, 0]}]", "keys[0].from must be a list of 3 numbers"),
    ("keys: [{time: soon, from: [1, 2, 3], at: [0, 0, 0]}]", "keys[0].time must be a number"),
    ("keys: [{time: 0, from: [1, 2, .nan], at: [0, 0, 0]}]", "keys[0].from[2] must be a number"),
    ("keys: [{time: 0, from: [1, 2, 3], at: [0, 0, 0], fov: 3}]", "keys[0].fov is not a known key"),
    (
        "keys: [{time: 0, from: [1, 2, 3], at: [1, 2, 3]}]",
        "keys[0] has `from` and `at` at one point",
    ),
    ("keys: [{time: 0, from: [1, 2, 3], at: [0, 0, 0], fov_deg: 0}]", "keys[0].fov_deg must be"),
    (
        TWO_KEYS.replace("time: 1", "time: 0"),
        "keys[1].time must be at least 0.001, 0.001 s after the key before; found 0",
    ),
    (TWO_KEYS.replace("time: 1", "time: 1e-310"), "keys[1].time must be at least 0.001"),
    (TWO_KEYS.replace("time: 1", "time: 1e+300"), "keys[1].time must be a number from"),
    (TWO_KEYS.replace("[20,", "[1e+300,"), "keys[0].from[0] must be a number from"),
    (
        "keys: [{time: 0, from: [1, 2, 3], at: [0, 0, 0], follow: jely}]",
        "keys[0].follow is 'jely', which is not in the recording; did you mean 'jelly'?",
    ),
    ("[1, 2]", "must be a mapping with the keys keys; found a list of 2 items"),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_a_mistake_in_a_camera_file(tmp_path, text, expected):
    path = write(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_camera(path, ["jelly"])
    line = str(caught.value)
    assert line.startswith(f"{path}: ") and expected in line and "\n" not in line


EXTREMES = [
    TWO_KEYS.replace("time: 1", "time: 0.001"),
    TWO_KEYS.replace("time: 0", "time: -1000000").replace("time: 1", "time: 1000000"),
    TWO_KEYS.replace("[20, 10, 20]", "[1000000, 1000000, 1000000]").replace("40", "150"),
    TWO_KEYS.replace("[20, 10, 20]", "[0, 1.002, 0]").replace("40", "1"),
]


@pytest.mark.parametrize("text", EXTREMES)
def test_extreme_values_still_make_cameras(tmp_path, text):
    for camera in plan(still_jelly(), tmp_path, text, [0.0, 0.5, 1.0]):
        assert np.isfinite([*camera.eye, *camera.target, camera.distance]).all()
        assert camera.distance > 0 and 0 < camera.angle < np.pi


def test_a_camera_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"no\.yaml: cannot be read: there is no such file"):
        read_camera(tmp_path / "no.yaml", [])
    with pytest.raises(
        UserError, match=r"--camera sid: is not known; did you mean 'side'\? valid: "
    ):
        read_camera("sid", [])


@pytest.mark.parametrize("name", NAMES)
def test_a_named_view_shows_all_of_the_creatures(name):
    recording = make_chain(frames=30, speed=10.0)
    creatures, times = build_creatures(recording), recording.time[::3]
    wish = choose_camera(recording, name)
    shots = plan_scene(recording, creatures, times, (160, 90), wish)
    for shot in shots:
        seen = shot.camera.project(outline_at(creatures, shot.time))
        assert np.abs(seen).max() < 1.0


def test_a_view_holds_what_a_body_carries():
    horn = build_capsule(0.1, 0.0).moved(np.array([-4.0, 0.0, 0.0]), np.eye(3))
    surface = RigidSurface([Piece(1, horn, np.ones(3))], np.ones((2, 3)))
    turn = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # x becomes y
    bodies = {"body_position": np.zeros((2, 3))}
    bodies["body_orientation"] = np.array([[1.0, 0.0, 0.0, 0.0], turn])
    pose = Pose(**(EMPTY | bodies))
    points = surface.outline(pose)
    assert len(points) == 16
    assert points[:8].min() == -1.0 and points[:8].max() == 1.0
    assert np.allclose(points[8:].min(axis=0), [-1.0, -4.1, -1.0])
    assert np.allclose(points[8:].max(axis=0), 1.0)


def test_named_views_are_from_where_they_say():
    recording = make_chain(frames=1)  # along x: forward
    creatures = build_creatures(recording)

    def backward(name):
        wish = read_camera(name, [])
        (shot,) = plan_wish(wish, creatures, np.zeros(1), aspect=1.6, scene=recording.scene)
        return shot.camera.backward

    assert backward("side")[2] > 0.9  # from the right: the creature walks to the right
    assert backward("top")[1] > 0.99
    assert backward("front")[0] > 0.8
    assert backward("behind")[0] < -0.8


def test_a_turntable_goes_once_around():
    recording = make_chain(frames=41)
    creatures = build_creatures(recording)
    wish = read_camera("turntable", [])
    shots = plan_wish(wish, creatures, recording.time[:-1], aspect=1.6, scene=recording.scene)
    backward = np.array([shot.camera.backward for shot in shots])
    turn = np.degrees(np.unwrap(np.arctan2(backward[:, 0], backward[:, 2])))
    assert np.allclose(np.diff(turn), 9.0)
    assert np.allclose(backward[:, 1], backward[0, 1])
