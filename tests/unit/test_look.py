"""What a body looks like: meshes, skins, colours, terrain, cameras. No renderer is needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from fake_recordings import (
    FLOOR,
    FakeRecording,
    block_grid,
    block_triangles,
    make_chain,
    make_jellies,
    make_lamp,
    quaternion,
    spin,
)

from skitter.errors import UserError
from skitter.look.camera import (
    FILL,
    Camera,
    calm_distance,
    follow_path,
    frame_reach,
    measure_reach,
    obey,
    plan_cameras,
    view_direction,
)
from skitter.look.colour import read_colour
from skitter.look.creature import build_creatures
from skitter.look.mesh import build_capsule, build_cylinder, build_rounded_box, build_sphere
from skitter.look.motion import Motion, Pose, open_motions
from skitter.look.shots import choose_moment, outline_at, plan_shots
from skitter.look.slots import read_obstacles
from skitter.look.subdivide import build_skin
from skitter.look.terrain import build_floors, build_solids


def volume(mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def test_colours_are_linear_light():
    assert read_colour("#ffffff") == pytest.approx([1, 1, 1])
    assert read_colour("#000080")[2] == pytest.approx(0.2158605, abs=1e-6)  # sRGB standard


def test_rounded_box_has_the_size_and_volume_of_one():
    size, r = np.array([3.0, 2.0, 1.0]), 0.2
    box = build_rounded_box(size, r, steps=12)
    a, b, c = size - 2 * r
    exact = a * b * c + 2 * r * (a * b + b * c + c * a) + np.pi * r * r * (a + b + c)
    exact += 4 / 3 * np.pi * r**3
    assert np.ptp(box.points, axis=0) == pytest.approx(size)
    assert volume(box) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(
    ("mesh", "exact"),
    [
        (build_capsule(0.5, 2.0), np.pi * 0.25 * 2 + 4 / 3 * np.pi * 0.125),
        (build_sphere(2.0), 4 / 3 * np.pi * 8),
        (build_cylinder(1.0, 3.0, 1e-4), np.pi * 3),
    ],
)
def test_round_meshes_wind_outwards_and_have_their_volume(mesh, exact):
    assert volume(mesh) == pytest.approx(exact, rel=0.02)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(np.ones(len(mesh.points)))


def test_normals_agree_with_the_triangles():
    mesh = build_rounded_box(np.array([2.0, 1.0, 1.0]), 0.2)
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert np.all(np.einsum("ij,ij->i", facing, mesh.normals[mesh.triangles[:, 0]]) > -1e-12)


def test_subdivision_keeps_places_affine():
    """Rows that sum to one: the skin moves with its points under any translation."""
    points, triangles = block_grid(), block_triangles()
    outside = np.unique(triangles)
    faces = np.searchsorted(outside, triangles)
    skin, fine = build_skin(points[outside], faces, levels=2, crease_levels=1)
    assert np.asarray(skin.sum(axis=1)).ravel() == pytest.approx(np.ones(skin.shape[0]))
    assert len(fine) == 16 * len(triangles)


def test_skin_of_a_block_is_a_block_with_round_edges():
    points, triangles = block_grid(), block_triangles()
    outside = np.unique(triangles)
    faces = np.searchsorted(outside, triangles)
    skin, _ = build_skin(points[outside], faces, levels=2, crease_levels=1)
    smooth = skin @ points[outside]
    assert np.ptp(smooth, axis=0) == pytest.approx([2, 2, 2], rel=0.05)  # faces stay in place
    assert np.linalg.norm(smooth, axis=1).max() < 0.97 * np.sqrt(3)  # corners do not


def test_surfaces_move_with_the_body():
    """Turning a pose turns the skin and nothing else."""
    creature = build_creatures(make_chain(frames=3))[0]
    pose = creature.motion.pose(0.05)
    axis, angle, shift = (0.6, 0.8, 0.0), 1.1, np.array([3.0, -2.0, 5.0])
    a, b = quaternion(axis, angle), pose.body_orientation
    product = np.stack([_quaternion_product(a, one) for one in b])
    moved = Pose(
        spin(axis, angle, pose.body_position) + shift,
        product,
        spin(axis, angle, pose.node_position) + shift,
    )
    for surface in (creature.rigid, creature.soft):
        before, after = surface.at(pose), surface.at(moved)
        assert after.points == pytest.approx(spin(axis, angle, before.points) + shift, abs=1e-6)
        assert after.normals == pytest.approx(spin(axis, angle, before.normals), abs=1e-6)


def _quaternion_product(a, b):
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def test_jelly_is_closed_and_faces_outwards():
    creature = build_creatures(make_jellies(frames=2))[0]
    mesh = creature.soft.at(creature.motion.pose(0.0))
    assert volume(mesh) == pytest.approx(1.5**3, rel=0.08)
    assert np.einsum("ij,ij->i", mesh.normals, mesh.points - mesh.points.mean(axis=0)).min() > 0


def test_skins_keep_to_their_number_of_triangles():
    recording = make_jellies(frames=1)
    for limit in (2_000, 5_000, 20_000):
        creatures = build_creatures(recording, triangle_limit=limit)
        assert sum(len(one.soft.triangles) for one in creatures) <= limit


def test_glued_ends_of_jelly_are_hidden_in_the_stiff_part():
    creature = build_creatures(make_chain(frames=1, boxes=2))[0]
    pose = creature.motion.pose(0.0)
    turn = 2 * np.arcsin(pose.body_orientation[0, 2])
    forward = spin((0, 1, 0), turn, np.array([1.0, 0, 0]))
    depth = (creature.soft.at(pose).points - pose.body_position[0]) @ forward
    assert depth.min() < 0.5 - 0.11  # the face is at 0.5 cm, its bevel 0.11 cm deep


def test_moments_between_frames():
    recording = FakeRecording(10.0, 2, [])
    half_turn = [[quaternion((0, 1, 0), 0.0)], [-quaternion((0, 1, 0), 1.0)]]  # the other sign
    channels = {"body_position": [[[0, 0, 0]], [[2, 0, 0]]], "body_orientation": half_turn}
    recording.add_creature("one", {}, channels, {})
    pose = Motion(recording, recording.creatures[0]).pose(0.05)
    assert pose.body_position == pytest.approx(np.array([[1, 0, 0]]))
    assert pose.body_orientation[0] == pytest.approx(quaternion((0, 1, 0), 0.5), abs=1e-6)


def test_empty_and_broken_recordings_are_refused():
    with pytest.raises(UserError, match="no frames"):
        open_motions(make_chain(frames=0))
    broken = make_chain(frames=2)
    broken["chain.node_position"][1, 3] = np.nan
    with pytest.raises(UserError, match="not numbers"):
        open_motions(broken)[0].pose(1 / 30)


def test_terrain_shapes_stand_where_the_scene_puts_them():
    cylinder, box = build_solids(
        [
            {"shape": "cylinder", "at": (1, 2, 3), "radius": 0.5, "length": 4},
            {"shape": "box", "at": (0, 0, 0), "size": (2, 1, 1), "turn_deg": (0, 0, 90)},
        ]
    )
    assert np.ptp(cylinder.mesh.points, axis=0) == pytest.approx([1, 4, 1], rel=0.01)
    assert (cylinder.mesh.points.max(axis=0) + cylinder.mesh.points.min(axis=0)) / 2 == (
        pytest.approx([1, 2, 3], abs=1e-6)
    )
    assert np.ptp(box.mesh.points, axis=0) == pytest.approx([1, 2, 1])


def test_the_flattest_plane_is_the_floor():
    wall = {"shape": "plane", "at": (0, 0, -5), "normal": (0, 0, 2)}
    floors = build_floors([wall, FLOOR])
    assert floors[0].normal == pytest.approx([0, 1, 0])
    u, v = floors[1].axes()
    assert np.cross(u, floors[1].normal) == pytest.approx(v)


def test_unknown_terrain_is_named():
    with pytest.raises(UserError, match="torus"):
        build_solids([{"shape": "torus", "at": (0, 0, 0)}])


@pytest.mark.parametrize("azimuth", [0, 35, 200])
def test_framing_is_tight_and_complete(azimuth):
    points = np.random.default_rng(1).normal(size=(200, 3)) * [5, 1, 2] + [10, 3, -4]
    camera = Camera(np.zeros(3), view_direction(azimuth, 18), 1.0, 16 / 9)
    framed = frame_reach(camera, measure_reach(camera, points))
    seen = np.abs(framed.project(points)).max(axis=0)
    assert seen.max() == pytest.approx(FILL)
    assert np.all(seen < FILL + 1e-9)


def test_azimuth_and_elevation_as_the_scene_defines_them():
    assert view_direction(0, 0) == pytest.approx([0, 0, 1])  # looks along -z
    assert view_direction(90, 0) == pytest.approx([1, 0, 0])
    assert view_direction(0, 90) == pytest.approx([0, 1, 0], abs=1e-12)


def test_following_is_calm_and_does_not_lag():
    time = np.arange(300) / 30
    shake = 0.05 * np.sin(40 * time)
    centre = np.stack([4 * time, shake, shake], axis=1)
    path = follow_path(centre, 1 / 30, 0.2)
    assert np.abs(np.diff(path[:, 1])).max() < 0.1 * np.abs(np.diff(shake)).max()
    middle = slice(90, 210)
    assert path[middle, 0] == pytest.approx(centre[middle, 0], abs=0.35)


def test_distance_changes_slowly_and_is_never_too_small():
    needed = np.where(np.arange(300) == 150, 30.0, 10.0)
    distance = calm_distance(needed, 1 / 30)
    assert np.all(distance >= needed - 1e-9)
    assert np.abs(np.diff(distance)).max() < 1.5
    assert distance[0] == pytest.approx(10)


def test_a_creature_that_runs_away_is_followed_and_stays_in_view():
    recording = make_chain(frames=90, speed=30.0)
    creatures = build_creatures(recording)
    shots = plan_shots(creatures, recording.time, aspect=16 / 9, scene=recording.scene)
    assert shots[-1].camera.target[0] - shots[0].camera.target[0] > 60
    for shot in shots:
        seen = np.abs(shot.camera.project(outline_at(creatures, shot.time)))
        assert seen.max() <= FILL + 1e-6


def test_a_creature_that_stays_is_seen_by_a_camera_that_stays():
    recording = make_lamp(frames=40)
    creatures = build_creatures(recording)
    shots = plan_shots(creatures, recording.time, aspect=16 / 9, scene=recording.scene)
    assert len({tuple(shot.camera.eye) for shot in shots}) == 1


def test_follow_can_be_turned_off():
    reach = np.array([[1.0, 1, 1, 1], [101, -99, 1, 1]])
    centre = np.array([[0.0, 0, 0], [100, 0, 0]])
    camera = Camera(np.zeros(3), view_direction(0, 0), 1.0, 1.0)
    cameras = plan_cameras(reach, centre, 1.0, camera=camera, follow=False, zoom=2.0)
    assert cameras[0] is cameras[1]


def test_the_moment_of_a_picture_is_amid_the_motion():
    recording = make_jellies(frames=100, colours=("#ffffff",))
    nodes = recording["cube0.node_position"]
    nodes[:] = nodes[0]
    nodes[:20, :, 1] += np.linspace(5, 0, 20)[:, None] ** 2  # falls for 20 frames, then lies
    moment = choose_moment(build_creatures(recording))
    assert 0 < moment < 20 / 30


def test_a_row_of_a_slot_says_what_the_scene_said():
    pieces = [
        {"shape": "box", "at": [1.0, 2, 3], "size": [4.0, 5, 6], "turn_deg": [10.0, 20, 30]},
        {"shape": "sphere", "at": [0.0, 1, 0], "radius": 0.5, "colour": "#102030"},
        {
            "shape": "cylinder",
            "at": [0.0, 0, 7],
            "radius": 1.5,
            "length": 8.0,
            "turn_deg": [0, 0, 90],
        },
    ]
    recording = SimpleNamespace(channels=[], attributes={"obstacles": pieces})
    found = read_obstacles(recording, 0).pieces()
    assert [one["shape"] for one in found] == ["box", "sphere", "cylinder"]
    assert found[1]["colour"] == "#102030"
    for given, one in zip(pieces, found, strict=True):
        for key in {*given} - {"shape", "colour"}:
            assert one[key] == pytest.approx(given[key], abs=1e-9)
    assert read_obstacles(SimpleNamespace(channels=[], attributes={}), 0).pieces() == []


def test_a_scene_may_say_what_its_camera_looks_at():
    camera = Camera(np.ones(3), view_direction(30, 40), 5.0, 16 / 9)
    seen = obey(camera, {"at": [4, 0, 1], "width": 24})
    sides = np.array([4.0, 0.0, 1.0]) + np.outer([-12, 0, 12], seen.axes()[0])
    assert np.allclose(seen.project(sides), [[-1, 0], [0, 0], [1, 0]])
    assert obey(camera, {}) == camera


def test_such_a_camera_follows_nobody():
    recording = make_chain()
    scene = recording.scene | {"camera": {"at": [4, 0, 1], "width": 24}}
    shots = plan_shots(build_creatures(recording), recording.time, aspect=16 / 9, scene=scene)
    assert all(np.array_equal(shot.camera.target, [4, 0, 1]) for shot in shots)
    assert len({shot.camera.distance for shot in shots}) == 1
