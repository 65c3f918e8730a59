"""Small parts of the studio, each on a case worked by hand."""

import json
import struct
import time

import numpy as np
import pytest

import skitter
from skitter.control.walker import BRAIN_MODES
from skitter.errors import UserError
from skitter.look.camera import Camera
from skitter.look.creature import build_creatures
from skitter.look.mesh import build_rounded_box
from skitter.look.motion import stack_poses
from skitter.look.parts import build_actor
from skitter.record.memory import FrameWindow
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix
from skitter.scene.catalogue import list_species
from skitter.terrain import build_terrain
from skitter.view.camera import Target, walks_around
from skitter.view.glb import write_glb
from skitter.view.keep import check_name, free_path, list_recordings
from skitter.view.pace import Pace
from skitter.view.parameters import PARAMETERS, read_value
from skitter.view.replay import ReplaySession
from skitter.view.series import MODE_WORDS, describe_mode
from skitter.view.touch import Ray, build_event, build_obstacle
from skitter.world import World


@pytest.fixture(scope="module")
def recording() -> skitter.Recording:
    return skitter.run("puppet", seconds=0.5)


def test_quaternions_of_many_matrices() -> None:
    rng = np.random.default_rng(1)
    given = rng.normal(size=(5, 40, 4))
    given /= np.linalg.norm(given, axis=2, keepdims=True)
    half_turns = np.eye(4)[None]  # where three of the four components are zero
    for values in (given, half_turns):
        found = matrices_to_quaternions(quaternion_to_matrix(values))
        assert np.allclose(np.abs(np.sum(found * values, axis=-1)), 1, atol=1e-12)


def test_glb_holds_what_was_given() -> None:
    mesh = build_rounded_box(np.array([1.0, 2.0, 3.0]), 0.1)
    colours = np.random.default_rng(0).random((len(mesh.points), 3))
    data = write_glb(mesh, colours, unlit=True)
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size = struct.unpack("<I", data[12:16])[0]
    document, blob = json.loads(data[20 : 20 + size]), data[28 + size :]
    accessors, views = document["accessors"], document["bufferViews"]

    def read(index: int, kind: str) -> np.ndarray:
        view = views[accessors[index]["bufferView"]]
        raw = blob[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        return np.frombuffer(raw, kind)

    primitive = document["meshes"][0]["primitives"][0]
    places = primitive["attributes"]
    assert np.allclose(read(places["POSITION"], "<f4").reshape(-1, 3), mesh.points, atol=1e-6)
    assert np.allclose(read(places["COLOR_0"], "<f4").reshape(-1, 3), colours, atol=1e-6)
    assert (read(primitive["indices"], "<u4").reshape(-1, 3) == mesh.triangles).all()
    assert "KHR_materials_unlit" in document["extensionsUsed"]


def test_instances_are_where_pictures_have_the_surface(recording: skitter.Recording) -> None:
    creature = build_creatures(recording)[0]
    pose = creature.motion.pose(0.3)
    actor = build_actor(creature)
    drawn = []
    for part, places in zip(actor.parts, actor.place(pose), strict=True):
        if part.kind == "body":
            turn = quaternion_to_matrix(places.orientation)
            scaled = part.mesh.points * places.scale[:, None]
            drawn.append(np.einsum("nij,npj->npi", turn, scaled) + places.position[:, None])
    points = np.concatenate([one.reshape(-1, 3) for one in drawn])
    assert creature.rigid is not None
    expected = creature.rigid.at(pose).points
    assert len(points) == len(expected)
    order, wanted = (np.lexsort(np.round(one, 5).T) for one in (points, expected))
    assert np.abs(points[order] - expected[wanted]).max() < 2e-4


def test_many_alike_are_placed_like_each_alone(recording: skitter.Recording) -> None:
    creature = build_creatures(recording)[0]
    poses = [creature.motion.pose(time) for time in (0.1, 0.2, 0.4)]
    actor = build_actor(creature)
    together = actor.place(stack_poses(poses))
    alone = [actor.place(pose) for pose in poses]
    for number, places in enumerate(together):
        for key in ("position", "orientation", "scale"):
            expected = np.concatenate([getattr(one[number], key) for one in alone])
            assert getattr(places, key) == pytest.approx(expected, abs=1e-12)


def test_few_parts_for_many_legs(recording: skitter.Recording) -> None:
    actor = build_actor(build_creatures(recording)[0])
    kinds = [part.kind for part in actor.parts]
    assert kinds.count("leg") == 3
    assert kinds.count("body") < 12
    assert kinds.count("antenna") <= 5


def test_pace_waits_for_the_clock_and_forgives_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pace = Pace()
    assert pace.wait(0.1, 1.0) == 0
    assert pace.wait(0.1, 1.0) == pytest.approx(0.1)
    now[0] = 105.0  # far behind: nothing is made up for but a little
    assert pace.wait(0.1, 1.0) == 0
    assert [pace.wait(0.1, 1.0) for _ in range(3)] == pytest.approx([0, 0.1, 0.2], abs=1e-9)


def test_real_time_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pace = Pace()
    assert pace.factor is None
    for k in range(50):
        now[0] = 0.05 * k
        pace.mark(0.025 * k)
    assert pace.factor == pytest.approx(0.5)


def test_replay_runs_with_the_clock(recording: skitter.Recording) -> None:
    now = [0.0]
    replay = ReplaySession(recording, clock=lambda: now[0])
    now[0] = 0.2
    assert replay.now() == pytest.approx(0.2)
    replay.set_speed(0.5)
    now[0] = 0.4
    assert replay.now() == pytest.approx(0.3)
    now[0] = 0.9  # 0.55 of 0.5: around the loop
    assert replay.now() == pytest.approx(0.05)
    replay.pause()
    now[0] = 5.0
    assert replay.now() == pytest.approx(0.05)
    replay.seek(99)
    assert replay.now() == replay.end
    replay.seek(0.1)
    replay.step()
    assert replay.now() == pytest.approx(0.1 + 1 / 60)


def test_replay_without_a_loop_ends_and_begins_again(recording: skitter.Recording) -> None:
    now = [0.0]
    replay = ReplaySession(recording, clock=lambda: now[0])
    replay.loop = False
    now[0] = 3.0
    assert replay.now() == replay.end
    replay.go()
    assert replay.now() == replay.start


def test_window_keeps_the_last_frames() -> None:
    world = World.from_scene("jelly_drop")
    window = FrameWindow(world.attributes(), world.channels(), world.statics(), limit=3)
    for _ in range(5):
        world.advance()
        window.append(world.time, world.read())
    frames = window.snapshot()
    assert frames.time == pytest.approx(np.array([3, 4, 5]) / 60)
    name = world.channels()[0].name
    assert frames[name].shape[0] == 3
    assert (frames[name][-1] == world.read()[name]).all()
    window.append(world.time, world.read())  # the same moment again
    assert len(window.snapshot()) == 3


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/b", "", ".", "..", "a\\b", "x\0", "é"])
def test_names_cannot_lead_out_of_the_folder(name: str) -> None:
    with pytest.raises(UserError, match="valid"):
        check_name(name)


def test_names_are_made_free(tmp_path) -> None:
    assert check_name(" My Walk ") == "my_walk"
    (tmp_path / "walk.png").touch()
    assert free_path(tmp_path, "walk", ".png").name == "walk_2.png"
    assert list_recordings(tmp_path) == []
    assert list_recordings(tmp_path / "nowhere") == []


def test_a_ray_meets_the_ground_and_becomes_food() -> None:
    from skitter.scene.spec import PlaneTerrain

    ground = build_terrain([PlaneTerrain(shape="plane")])
    ray = Ray([0.0, 20.0, 0.0], [0.0, -2.0, 1.0], scale=2.0)  # the view has two units to a cm
    event = build_event("food", 0.4, "chain", ray, ground, 1.0)
    assert event is not None
    assert event.at == pytest.approx((0.0, 0.0, 5.0))
    up = Ray([0.0, 20.0, 0.0], [0.0, 1.0, 0.0], scale=2.0)
    assert build_event("food", 0.4, "chain", up, ground, 1.0) is None


@pytest.mark.parametrize("tool", ["post", "ball", "box"])
def test_obstacles_stand_on_the_ground(tool: str) -> None:
    obstacle = build_obstacle(tool, 1.0, np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0]))
    barrier = build_terrain([obstacle])
    below, inside, above = barrier.sample([[3, 0.3, 2], [3, 1.1, 2], [3, 6.0, 2]])[0]
    assert below < 1 and inside < 0 and above > 0


def test_the_target_is_calm() -> None:
    target = Target(np.zeros(3), threshold=0.5)
    path = []
    for k in range(240):  # walks at 6 cm/s and sways by 0.3 cm at 3 Hz
        centre = np.array([k / 10, 0.0, 0.3 * np.sin(2 * np.pi * 3 * k / 60)])
        target.follow(centre, None, 1 / 60)
        path.append(target.point.copy())
    late = np.array(path)[120:]
    assert np.ptp(late[:, 2]) < 0.15, "the sway does not reach the camera"
    speed = np.diff(late[:, 0]) * 60
    assert speed == pytest.approx(6.0, rel=0.05), "and the walk does, evenly"


def test_the_target_turns_with_the_back() -> None:
    target = Target(np.zeros(3), threshold=0.1)
    turn = np.eye(3)
    for _ in range(600):
        turn = target.follow(np.zeros(3), np.array([1.0, 0.0, 0.0]), 1 / 60) @ turn
    assert turn @ [0.0, 1.0, 0.0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)


def test_walking_around_needs_a_closed_ground() -> None:
    assert walks_around([{"shape": "mesh"}])
    assert not walks_around([{"shape": "mesh"}, {"shape": "plane"}])
    assert not walks_around([])


def test_parameters_of_every_walker_fit_their_sliders() -> None:
    from skitter.scene.load import load_scene
    from skitter.species.kinds import KINDS

    assert {"myriapod"} <= set(PARAMETERS) <= set(KINDS)
    for name, _ in list_species():
        species = load_scene({"title": "x", "creatures": [{"species": name}]}).species[0]
        for parameter in PARAMETERS.get(species.kind, ()):
            value = read_value(species, parameter.path)
            low, high = parameter.range_about(value)
            assert low <= value <= high and low < high, (name, parameter.path)


def test_camera_frames_what_it_should() -> None:
    from skitter.view.camera import frame_view

    points = np.array([[x, y, z] for x in (-5, 15) for y in (0, 2) for z in (-1, 3)], float)
    camera = frame_view(points, {"camera": {"azimuth_deg": 20, "elevation_deg": 30}})
    assert isinstance(camera, Camera)
    assert np.abs(camera.project(points)).max() < 0.8


@pytest.mark.parametrize("name", [name for name, _ in list_species()])
def test_every_species_can_be_drawn_in_parts(name: str) -> None:
    scene = {"title": "x", "gravity": 0, "creatures": [{"species": name, "start": "free"}]}
    world = World.from_scene(scene)
    window = FrameWindow(world.attributes(), world.channels(), world.statics(), limit=2)
    window.append(world.time, world.read())
    creature = build_creatures(window.snapshot())[0]
    actor = build_actor(creature)
    places = actor.place(creature.motion.pose(0.0))
    assert len(places) == len(actor.parts)
    assert all(np.isfinite(one.position).all() and (one.scale > 0).all() for one in places)
    assert actor.parts or actor.skin is not None


@pytest.mark.parametrize("mode", range(len(BRAIN_MODES)))
def test_every_mode_of_a_brain_is_told_in_words(mode: int) -> None:
    told = describe_mode({"one.brain_mode": [mode]}, "one", 0)
    assert told == MODE_WORDS[BRAIN_MODES[mode]]
