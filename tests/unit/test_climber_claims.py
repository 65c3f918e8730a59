"""Claims about climbers: how their numbers come about, on cases worked by hand."""

from pathlib import Path

import numpy as np
import pytest

from skitter.claims import cenydd2012_hold as hold
from skitter.claims.cenydd2012_climb import (
    CORNER_SECONDS,
    EDGE,
    ROUND_TRIP,
    Crossing,
    compare,
    find_easing,
    judge,
)
from skitter.claims.cenydd2012_fall import (
    DROP_SPEED,
    DROPS,
    IN_TIME,
    build_drops,
    build_walls,
    draw_turns,
    find_walk,
)
from skitter.claims.cenydd2012_objects import BLOCKS, SMALL, build_lanes, find_rise, find_way
from skitter.claims.cenydd2012_scenes import (
    Track,
    build_room,
    build_scene,
    find_first,
    goes_through,
    is_on,
    list_faces,
    put,
    watch,
)
from skitter.claims.registry import load_claims
from skitter.rotation import matrix_from_turn
from skitter.scene.load import load_scene
from skitter.terrain import build_terrain

IDS = {
    "half-supported", "tetrapod-emerges", "climbs-wall", "rounds-precipice", "searching-steps",
    "slows-before-wall", "falls-and-recovers", "glass-slips", "pushes-light-climbs-heavy",
    "frontal-bias-helps", "radial-scale-helps", "switching-unseen", "stance-holds",
    "nothing-sinks-in",
}  # fmt: skip


def make_track(seconds=4.0, rate=20.0, **channels):
    time = np.arange(round(seconds * rate) + 1) / rate
    return Track("it", time, {name: np.asarray(value) for name, value in channels.items()}, {})


def test_claims_about_climbers_are_listed():
    listed = {one.id.partition("/")[2]: one for one in load_claims() if "cenydd2012/" in one.id}
    assert set(listed) == IDS
    assert all("Cenydd 2012" in one.paper and one.scene and one.why for one in listed.values())
    assert listed["climbs-wall"].bounds == [0.9] and listed["rounds-precipice"].bounds == [0.8]
    assert listed["falls-and-recovers"].bounds == [18]
    assert listed["switching-unseen"].bounds == [0.02]


def test_a_room_is_free_inside_and_solid_outside():
    room = build_terrain(load_scene(build_scene(build_room(EDGE), [put(0)])).spec.terrain)
    inside = np.array([[0, EDGE / 2, 0], [EDGE / 2 - 1, 1, 1 - EDGE / 2]])
    assert room.sample(inside)[0] == pytest.approx([EDGE / 2, 1])
    beyond = np.array([[EDGE, 1, 0], [0, -1, 0], [0, EDGE + 1, 0], [0, 1, EDGE], [0, 1, -EDGE]])
    assert room.is_inside(beyond).all()


def walk_round(gap=1.0):
    """Place and up of one that goes around a room as a hand of a clock does, so far from it."""
    angle = np.radians(np.arange(0, 361, 3))
    up = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    reach = (EDGE / 2 - gap) / np.abs(up).max(axis=1, keepdims=True)
    return [0, EDGE / 2, 0] - reach * up, up


def test_faces_are_told_one_after_the_other():
    place, up = walk_round()
    faces = list_faces(place, up, EDGE)
    assert faces == list(ROUND_TRIP)
    assert goes_through(faces, ROUND_TRIP)
    assert goes_through(["floor", "wall", "floor", *ROUND_TRIP], ROUND_TRIP)
    assert not goes_through(faces[:-1], ROUND_TRIP)
    assert not goes_through(["floor", "ceiling", "floor"], ROUND_TRIP)


def test_a_back_to_the_face_or_a_fall_through_the_room_is_on_none():
    place, up = walk_round()
    assert list_faces(place, -up, EDGE) == []
    assert list_faces(*walk_round(gap=8.0), EDGE) == []
    assert list_faces(*walk_round(gap=3.0), EDGE) == list(ROUND_TRIP)


def test_it_is_on_a_surface_only_where_its_feet_hold_it():
    now = {"it.up": np.array([1.0, 0, 0]), "it.gravity_on": np.uint8(0)}
    assert is_on(now, "it", (1, 0, 0)) and not is_on(now, "it", (0, 1, 0))
    assert not is_on(now | {"it.gravity_on": np.uint8(1)}, "it", (1, 0, 0))


def test_a_try_that_fails_takes_all_the_time():
    fine, fell = make_track(falls=np.zeros(81)), make_track(falls=np.arange(81) > 40)
    assert judge(fine, 1.5, True).seconds == pytest.approx(2.5)
    assert judge(fine, 1.5, False) == Crossing(False, False, CORNER_SECONDS, fine)
    assert judge(fell, 1.5, True)[:3] == (False, True, CORNER_SECONDS)
    found = compare("it", [judge(fine, 2.0, True)], [judge(fine, 0.0, True)])
    assert found.value == pytest.approx(0.5)


def test_first_time_of_what_never_happens_is_infinite():
    time = np.array([0.0, 0.5, 1.0])
    assert find_first(np.array([False, True, True]), time) == 0.5
    assert find_first(np.zeros(3, bool), time) == np.inf


def test_a_brake_may_ease_only_where_nothing_is_nearer():
    distance = np.array([5.0, 4, 3, 4, 3])
    assert find_easing(np.array([0.1, 0.3, 0.7, 0.3, 0.7]), distance) == 0.0
    assert find_easing(np.array([0.1, 0.3, 0.2, 0.3, 0.7]), distance) == pytest.approx(0.1)


def test_dropped_ones_lie_every_way_up_and_apart():
    ups = np.array([matrix_from_turn(tuple(turn))[:, 1] for turn in draw_turns(DROPS)])
    assert np.linalg.norm(ups.mean(axis=0)) < 0.3  # no way up is preferred
    assert (ups[:, 1] < -0.5).sum() == DROPS / 4  # of even heights a quarter
    places = np.array([one.at for one in load_scene(build_drops()).spec.creatures])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(DROPS)
    assert apart.min() > 40


def test_walking_again_lasts():
    frames = 81
    speed = np.full(frames, DROP_SPEED)
    speed[:20], speed[30] = 0.0, 0.0  # a stumble at 1.5 s
    up, on = np.tile([0.0, 1, 0], (frames, 1)), np.zeros(frames)
    assert find_walk(make_track(up=up, speed=speed, gravity_on=on)) == pytest.approx(1.0)
    speed[28] = 0.0  # now it walks for less than half a second before
    assert find_walk(make_track(up=up, speed=speed, gravity_on=on)) == pytest.approx(1.55)
    assert find_walk(make_track(up=-up, speed=speed, gravity_on=on)) == np.inf
    assert find_walk(make_track(up=up, speed=speed, gravity_on=on + 1)) == np.inf
    assert IN_TIME == 5


def test_ramps_go_through_where_climbers_start():
    scene = load_scene(build_walls())
    ground = build_terrain(scene.spec.terrain)
    starts = np.array([one.at for one in scene.spec.creatures])
    distance, normal, _ = ground.sample(starts)
    assert (distance > 0.5).all() and (distance <= 4.0 + 1e-6).all()
    lean = np.radians(40)
    assert normal[2:] == pytest.approx(np.tile([-np.sin(lean), np.cos(lean), 0], (2, 1)), abs=1e-9)
    ahead, hit, _ = ground.cast(starts[:2], np.tile([1.0, 0, 0], (2, 1)))
    assert ahead == pytest.approx([16, 16]) and hit[:, 0] == pytest.approx([-1, -1])
    assert ground.arrays.friction[1:].tolist() == [2.0, 0.05, 2.0, 0.05]


def test_light_blocks_are_many_and_small():
    scene = load_scene(build_lanes())
    light = [one for one in scene.creature_names if one.startswith("light")]
    assert len(light) == BLOCKS
    masses = dict(zip(scene.creature_names, (one for one in scene.species), strict=True))
    assert masses["light"].weight == pytest.approx(0.1 * SMALL**3)
    assert masses["bar"].weight > 1000


def test_ways_and_rises_count_from_when_all_is_still():
    place = np.zeros((81, 1, 3))
    place[5:, 0, 1] = -1.0  # it falls a little at first
    place[:5, 0, 0] = 3.0
    place[40:, 0, 1] += 2.0
    place[50:, 0, 2] = 0.7
    track = make_track(body_position=place)
    assert find_rise(track) == pytest.approx(2.0)
    assert find_way(track) == pytest.approx(0.7)


def test_meshes_are_those_of_a_folder_that_is_named_or_lies_beside_a_checkout(
    tmp_path, monkeypatch
):
    monkeypatch.delenv(hold.MESH_DATA, raising=False)
    monkeypatch.setattr(hold, "OUTSIDE", tmp_path / "beside")
    assert hold.list_meshes() == []
    for folder, name in (("beside", "stone"), ("named", "rock")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.obj").touch()
        (tmp_path / folder / "notes.txt").touch()
    assert [path.name for path in hold.list_meshes()] == ["stone.obj"]
    monkeypatch.setenv(hold.MESH_DATA, str(tmp_path / "named"))
    assert [path.name for path in hold.list_meshes()] == ["rock.obj"]


def test_meshes_from_outside_are_measured_as_scenes_are(monkeypatch):
    asked = []
    monkeypatch.setattr(hold, "list_meshes", lambda: [Path("/outside/rock.obj")])
    monkeypatch.setattr(hold, "tell", lambda scene: asked.append(scene) or {"slip": 0.0})
    assert hold.tell_all().keys() == {*hold.SCENES, "rock"}
    assert "/outside/rock.obj" in asked


def test_what_is_unknown_breaks_an_invariant(monkeypatch):
    told = {"a": {"slip": 0.002}, "b": {"slip": 0.02}}
    monkeypatch.setattr(hold, "tell_all", lambda: told)
    assert hold.find_most("slip", hold.SLIP, "").value == 0.02
    told["c"] = {"slip": np.nan}
    assert hold.find_most("slip", hold.SLIP, "").value == np.inf


def test_a_run_is_watched_until_it_is_over():
    cube = {"species": "cube", "name": "it", "at": [0, 30, 0]}
    scene = {"title": "t", "creatures": [cube]}

    def is_low(now):
        return now["it.body_position"][0, 1] < 29

    (track,) = watch(scene, ["body_position"], seconds=2.0, until=is_low).values()
    assert track.time[-1] == pytest.approx(np.sqrt(2 / 981), abs=1 / 60)  # it falls 1 cm
    assert len(track.time) == len(track.read("body_position"))
    (track,) = watch(scene, ["body_position"], seconds=0.1).values()
    assert track.time[-1] == pytest.approx(0.1)
    assert track.static("body_mass").shape == (1,)
