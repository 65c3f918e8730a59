"""What a myriapod looks like: shells, limbs, food, obstacles, the camera. No renderer is needed."""

from dataclasses import replace

import numpy as np
import pytest

import look_recordings as made
from look_recordings import Track, write_myriapod
from skitter.look.camera import FILL, follow_path
from skitter.look.carapace import build_head, build_plate, build_tail
from skitter.look.creature import build_creatures
from skitter.look.limb import build_antennae, build_curve, build_legs
from skitter.look.orbit import carry_frames, least_turn
from skitter.look.scenery import list_obstacles, open_food, outline_scenery
from skitter.look.shots import outline_at, plan_shots

SIZE = np.array([0.6, 0.5, 0.8])


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look") / "walker"
    food = [(3.0, 0.35, 0.0), (5.0, 0.35, 2.0)]
    stone = {"shape": "sphere", "at": [30, 0, 0], "radius": 1.0}
    return write_myriapod(folder, segments=4, seconds=1.0, food=food, obstacles=[stone])


@pytest.fixture(scope="module")
def climber(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look") / "climber"
    return write_myriapod(folder, segments=3, seconds=6.0, frame_rate=15, track=Track(4.0))


def volume(mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def is_closed(mesh) -> bool:
    """Whether every edge is passed once in each direction, points at the same place being one."""
    _, point = np.unique(mesh.points.round(9), axis=0, return_inverse=True)
    corner = point.ravel()[mesh.triangles]
    flat = (np.diff(np.sort(corner, axis=1), axis=1) == 0).any(axis=1)
    sides = np.concatenate([corner[~flat][:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    ways, counts = np.unique(sides, axis=0, return_counts=True)
    back = np.unique(sides[:, ::-1], axis=0)
    return bool((counts == 1).all() and np.array_equal(ways, back))


@pytest.mark.parametrize("build", [build_plate, build_head, build_tail])
def test_shells_are_closed_and_keep_to_their_boxes(build):
    shell = build(SIZE, around=24)
    assert is_closed(shell)
    assert np.ptp(shell.points, axis=0) == pytest.approx(SIZE, rel=0.1)
    assert 0.5 < volume(shell) / SIZE.prod() < 1.0  # outward, and no crate
    assert np.linalg.norm(shell.normals, axis=1) == pytest.approx(np.ones(len(shell.points)))


def test_plates_reach_backwards_and_the_tail_gets_thin():
    plate, tail = build_plate(SIZE, around=24), build_tail(SIZE, around=24)
    assert plate.points[:, 0].min() < -0.3 and plate.points[:, 0].max() <= 0.3
    behind, before = (abs(tail.points[side, 2]).max() for side in (
        tail.points[:, 0] < -0.25, tail.points[:, 0] > 0.0))  # fmt: skip
    assert behind < 0.75 * before


def test_legs_have_the_volume_of_tapered_tubes():
    legs = build_legs(np.array([0.1]), triangle_limit=10_000)
    straight = np.array([[[0.0, 0, 0], [10, 0, 0], [20, 0, 0], [30, 0, 0]]])
    mesh = legs.at(straight)
    r = 0.1 * np.array([1.0, 0.82, 0.52, 0.10])
    cones = np.pi / 3 * 10 * (r[:-1] ** 2 + r[:-1] * r[1:] + r[1:] ** 2).sum()
    assert volume(mesh) == pytest.approx(cones, rel=0.04)
    assert np.abs(mesh.points[:, 1]).max() == pytest.approx(0.1, rel=0.02)
    assert is_closed(legs.at(np.random.default_rng(3).normal(size=(1, 4, 3))))


def test_a_thousand_links_are_quick_and_within_their_triangles():
    legs = build_legs(np.full(400, 0.05), triangle_limit=200_000)
    joints = np.random.default_rng(0).normal(size=(400, 4, 3))
    mesh = legs.at(joints)
    assert len(mesh.triangles) <= 200_000
    assert np.isfinite(mesh.points).all()
    assert mesh.points[-1] == pytest.approx(joints[-1, -1], abs=0.01)  # the tip is where it is


def test_folded_and_shrunken_links_do_no_harm():
    mesh = build_legs(np.array([0.1]), triangle_limit=1000).at(np.zeros((1, 4, 3)))
    assert np.isfinite(mesh.points).all() and np.isfinite(mesh.normals).all()


def test_antennae_pass_through_their_joints_and_bend_smoothly():
    joints = np.random.default_rng(1).normal(size=(5, 3))
    curve = build_curve(5, 4)
    assert (curve @ joints)[::4] == pytest.approx(joints)
    assert curve.sum(axis=1) == pytest.approx(np.ones(17))
    line = np.linspace(0, 1, 5)[:, None] * np.ones(3)
    assert np.diff(curve @ line, axis=0) == pytest.approx(np.full((16, 3), 1 / 16))
    mesh = build_antennae(2, 5, 0.03, triangle_limit=5000).at(np.stack([joints, joints + 9]))
    assert is_closed(mesh)


def test_feet_that_stand_do_not_swim_between_frames(walker):
    motion = build_creatures(walker)[0].motion
    frame = 20
    standing = (walker["centipede.leg_state"][frame : frame + 2] == made.STANCE).all(axis=0)
    tips = [motion.pose((frame + share) / 60).leg_point[:, 3] for share in (0, 0.3, 0.7, 1)]
    assert standing.any() and not standing.all()
    for tip in tips:
        assert tip[standing] == pytest.approx(tips[0][standing], abs=1e-12)
    assert np.abs(tips[1] - tips[0])[~standing].max() > 0.01


def test_a_myriapod_has_all_its_surfaces_and_colours(walker):
    creature = build_creatures(walker)[0]
    pose = creature.motion.pose(0.5)
    mesh = creature.solid_at(pose)
    assert len(mesh.points) == len(creature.solid_colours)
    feet = mesh.points[:, 1].min()
    assert -0.02 < feet < 0.001  # tips touch the ground
    outline = creature.outline(pose)
    assert np.all(mesh.points.max(axis=0) < outline.max(axis=0) + 0.15)
    assert (creature.solid_colours.max(axis=1) < 0.02).any()  # eyes


def test_shells_only_for_myriapods(walker):
    motion = build_creatures(walker)[0].motion
    boxes = np.zeros(6, int), made.body_sizes(4)
    from skitter.look.creature import build_rigid

    shell = build_rigid(motion, *boxes, triangle_limit=10_000)
    motion.kind = "figure"
    crate = build_rigid(motion, *boxes, triangle_limit=10_000)
    pose = motion.pose(0.0)
    assert volume(crate.at(pose)) > 1.2 * volume(shell.at(pose))


def test_food_disappears_when_it_is_eaten(walker):
    food = open_food(walker)
    before, after = food.at(0.74), food.at(0.76)
    ball = 4 / 3 * np.pi * 0.35**3
    assert volume(before) == pytest.approx(2 * ball, rel=0.05)
    assert volume(after) == pytest.approx(ball, rel=0.05)
    assert np.array_equal(before.triangles, after.triangles)
    assert food.left_at(99.0).tolist() == [False, True]


def test_obstacles_have_a_colour_of_their_own(walker):
    (stone,) = list_obstacles(walker)
    assert stone["colour"].startswith("#")
    walker.attributes["obstacles"][0]["colour"] = "#123456"
    assert list_obstacles(walker)[0]["colour"] == "#123456"


def test_a_camera_that_stays_shows_the_scenery_too(walker):
    creatures, scenery = build_creatures(walker), outline_scenery(walker)
    assert scenery[:, 0].max() == pytest.approx(31, abs=0.01)

    def seen(follow):
        scene = {"terrain": [], "camera": {"follow": follow}}
        (shot,) = plan_shots(
            creatures, np.array([0.5]), aspect=16 / 9, scene=scene, scenery=scenery
        )
        return np.abs(shot.camera.project(scenery)).max()

    assert seen(False) <= FILL + 1e-6 < seen(True)


def test_around_a_ball_the_camera_stays_outside_and_calm(climber):
    creatures = build_creatures(climber)
    scene = climber.attributes["scene"]
    shots = plan_shots(creatures, climber.time, aspect=16 / 9, scene=scene)
    eyes = np.array([shot.camera.eye for shot in shots])
    assert np.linalg.norm(eyes, axis=1).min() > 4.0
    assert eyes[:, 1].min() < -5 and eyes[:, 1].max() > 5  # it has been below and above
    turns = [float(a.camera.backward @ b.camera.backward) for a, b in zip(shots, shots[1:])]  # noqa: B905, RUF007
    assert min(turns) > np.cos(0.25)
    for shot in shots:
        points = outline_at(creatures, shot.time)
        assert np.abs(shot.camera.project(points)).max() <= FILL + 1e-6
        backs = made.turn_of(climber, round(shot.time * 15))[:, :, 1].mean(axis=0)
        assert backs @ shot.camera.backward > 0.3


def test_on_a_plane_the_camera_does_not_turn(climber):
    creatures = build_creatures(climber)
    scene = {"terrain": [{"shape": "plane"}]}
    shots = plan_shots(creatures, climber.time[:20], aspect=16 / 9, scene=scene)
    assert len({tuple(shot.camera.backward) for shot in shots}) == 1
    assert shots[0].camera.up == pytest.approx([0, 1, 0])


def test_a_camera_keeps_up_from_the_first_frame_to_the_last():
    centre = np.outer(np.arange(200) / 30, [4.0, 0.0, 1.0])
    path = follow_path(centre, 1 / 30, 0.01)
    assert np.abs(path - centre).max() < 0.1
    assert follow_path(centre[:1], 1.0, 0.01) == pytest.approx(centre[:1])
    assert follow_path(centre[:2], 1 / 30, 0.01).shape == (2, 3)


def test_least_turns():
    rng = np.random.default_rng(2)
    up = rng.normal(size=(20, 3))
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    frames = carry_frames(up)
    assert frames @ [0.0, 1.0, 0.0] == pytest.approx(up)
    assert np.linalg.det(frames) == pytest.approx(np.ones(20))
    half = least_turn(np.array([0.0, 1, 0]), np.array([0.0, -1, 0]))
    assert half @ [0.0, 1, 0] == pytest.approx([0, -1, 0])


def test_pictures_may_be_turned():
    from skitter.look.camera import Camera, view_direction

    camera = Camera(np.zeros(3), view_direction(0, 0), 10.0, 1.0)
    point = np.array([[0.0, 1.0, 0.0]])
    upright, rolled = camera, replace(camera, up=np.array([1.0, 0.0, 0.0]))
    assert upright.project(point)[0, 1] > 0.1
    assert rolled.project(point)[0] == pytest.approx([-upright.project(point)[0, 1], 0])
