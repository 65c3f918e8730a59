"""A worm as it is shown: a skin where its nodes are, organs inside, joints on its midline."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import cKDTree

from skitter.look.camera_views import find_heading
from skitter.look.creature import build_creatures
from skitter.look.embed import embed, embed_smoothly
from skitter.look.habitat import choose_angles
from skitter.look.rig import Rig
from skitter.look.shots import plan_shots
from skitter.look.skin import INFLUENCES, build_skin_parts, deform, measure_fit
from skitter.look.terrain import Floor
from skitter.render import render_picture, render_video
from skitter.render.trail import cut_groove, thin_path
from worm_recordings import (
    BEND,
    LENGTH,
    MUSCLES,
    POINTS,
    RADIUS,
    SPEED,
    Track,
    build_tube,
    midline_at_rest,
    write_worm,
)

RED, GREEN, BLUE = range(3)


@pytest.fixture(scope="module")
def worm(tmp_path_factory):
    return write_worm(tmp_path_factory.mktemp("worm") / "plain")


@pytest.fixture(scope="module")
def strong(tmp_path_factory):
    return write_worm(tmp_path_factory.mktemp("worm") / "muscles", look={"muscles": True})


@pytest.fixture(scope="module")
def creature(worm):
    return build_creatures(worm)[0]


@pytest.fixture(scope="module")
def muscled(strong):
    return build_creatures(strong)[0]


def measure_volume(mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ti,ti->", np.cross(a, b), c)) / 6


def count_open_edges(points, triangles) -> int:
    """Edges that do not have a triangle on either side, once points at one place are one."""
    _, one = np.unique(np.round(points / (1e-6 * LENGTH)), axis=0, return_inverse=True)
    corners = one.ravel()[triangles]
    corners = corners[[len(set(row)) == 3 for row in corners.tolist()]]
    edges = np.concatenate([corners[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    return int((counts != 2).sum())


def test_points_inside_move_with_the_body():
    """An affine motion of the nodes moves any point, inside or out, exactly."""
    body, rng = build_tube(), np.random.default_rng(1)
    points = build_tube().nodes[rng.integers(0, len(body.nodes), 40)] * [0.97, 0.6, 0.6]
    points[0] *= 3.0  # far outside
    turn, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    along = np.array([1.0, 0.0, 0.0])
    for matrix in (
        embed(points, body.nodes, body.tets),
        embed_smoothly(points, body.nodes, body.tets, along),
    ):
        assert np.allclose(matrix @ (body.nodes @ turn.T + shift), points @ turn.T + shift)
    inside = embed(points[1:], body.nodes, body.tets)
    assert inside.min() > -1e-9
    assert inside.getnnz(axis=1).max() <= 4


def test_skin_has_the_size_and_the_place_of_the_body(creature):
    """A tube of twelve sides becomes a round one, as thick as its nodes, closed at both ends."""
    skin = creature.soft.at(creature.motion.rest)
    assert count_open_edges(skin.points, skin.triangles) == 0
    centre = creature.motion.rest.midline[POINTS // 2]
    off = skin.points - centre
    middle = np.abs(off[:, 0]) < 0.05 * LENGTH
    radius = np.hypot(off[middle, 1], off[middle, 2])
    assert radius.min() > 0.985 * RADIUS
    assert radius.max() < 1.005 * RADIUS
    body = build_tube()
    # the tets fill a twelve-sided tube, which has 0.955 of a round one's section
    assert measure_volume(skin) == pytest.approx(body.volumes.sum() / 0.955, rel=0.02)
    assert LENGTH < np.ptp(skin.points[:, 0]) < 1.05 * LENGTH  # a dome and a point beyond the cuts


def test_skin_stays_at_the_nodes_when_bent(creature):
    pose = creature.motion.pose(0.5)
    skin = creature.soft.at(pose)
    outer = np.unique(build_tube().surface)
    rest = creature.motion.rest.node_position[outer, 0]
    along = outer[(rest < rest.max() - 0.01 * LENGTH) & (rest > rest.min() + 0.01 * LENGTH)]
    gap = cKDTree(skin.points).query(pose.node_position[along])[0]
    assert gap.max() < 0.02 * RADIUS
    assert np.allclose(np.linalg.norm(skin.normals, axis=1), 1)


@pytest.mark.parametrize("kind", ["pharynx", "gut", "eggs", "muscles"])
def test_organs_are_closed_and_inside(kind, creature, muscled):
    one = muscled if kind == "muscles" else creature
    organ = next(organ for organ in one.organs if organ.kind == kind)
    for pose in (one.motion.rest, one.motion.pose(0.7)):
        mesh = organ.at(pose)
        assert count_open_edges(mesh.points, mesh.triangles) == 0
        assert measure_volume(mesh) > 0  # seen from outside
        line = cKDTree(np.concatenate([np.linspace(*ends, 9) for ends in pairwise(pose.midline)]))
        assert line.query(mesh.points)[0].max() < 0.97 * RADIUS


def test_pharynx_has_two_bulbs(creature):
    """Wide, narrow, wide, along its axis from the mouth."""
    organ = next(one for one in creature.organs if one.kind == "pharynx")
    points = organ.at(creature.motion.rest).points - creature.motion.rest.midline[0]
    place, wide = -points[:, 0] / LENGTH, np.hypot(points[:, 1], points[:, 2])
    most = [wide[(place > a) & (place < b)].max() for a, b in ((0.07, 0.09), (0.11, 0.12))]
    second = wide[(place > 0.145) & (place < 0.16)].max()
    assert most[0] > 2 * most[1]
    assert second > most[0]


def test_muscles_are_coloured_by_what_they_do(strong, muscled):
    muscles = muscled.organs[0]
    time = 0.44
    pose = muscled.motion.pose(time)
    active = np.asarray(strong["worm.muscle_activation"][round(time * 50)])
    tints = muscles.tints(pose)
    assert tints.shape == (len(MUSCLES), 3) == (95, 3)
    redness = tints[:, RED] / tints[:, BLUE]
    assert active.max() > 0.9 and active.min() == 0
    order = np.argsort(active)
    assert (np.diff(redness[order]) > -1e-9).all()
    assert redness[order[-1]] > 5 * redness[order[0]]
    assert (muscles.colours_at(pose) == tints[muscles.owner]).all()


def test_muscles_lie_in_their_own_part_of_the_wall(muscled):
    muscles, body = muscled.organs[0], build_tube()
    points = muscles.at(muscled.motion.rest).points
    shift = muscled.motion.rest.node_position[0] - body.nodes[0]
    middles = body.nodes[body.tets].mean(axis=1) + shift
    for number in (0, 30, 60, 94):
        own = points[muscles.owner == number]
        inside = middles[body.region == body.region_names.index(MUSCLES[number].name)]
        assert np.abs(own.mean(axis=0) - inside.mean(axis=0)).max() < 0.15 * RADIUS + 0.005 * LENGTH
        low, high = inside[:, 0].min(), inside[:, 0].max()
        assert own[:, 0].min() > low - 0.02 * LENGTH
        assert own[:, 0].max() < high + 0.02 * LENGTH


@pytest.mark.parametrize(("level", "count"), [(0, 24), (1, 12), (2, 6)])
def test_joints_lie_on_the_midline(level, count, worm, creature):
    rig = Rig(creature.motion, level=level)
    assert rig.names[0] == "root"
    spine = [rig.number[f"spine_{k:02d}"] for k in range(count)]
    assert len(rig.names) == count + 1
    track = Track.draw(1.0)
    stations = (np.arange(count) + 0.5) / count
    for time in (0.0, 0.5, 1.0):
        found = rig.place(creature.motion.pose(time)).position[spine]
        line = midline_at_rest()
        line = np.stack([np.interp(stations, np.linspace(0, 1, POINTS), c) for c in line.T], axis=1)
        assert np.abs(found - track.carry(line, time)).max() < 1e-9 * LENGTH
    # the tree begins in the middle
    above = [rig.parents[k] for k in spine]
    middle = count // 2
    assert above[middle] == 0
    assert above[:middle] == spine[1 : middle + 1]
    assert above[middle + 1 :] == spine[middle:-1]


def test_skin_follows_joints(creature):
    """At most four weights; at rest the body at rest; bent, near the simulated surface."""
    rig = Rig(creature.motion)
    for part in build_skin_parts(creature, rig):
        assert part.joints.shape[1] == part.weights.shape[1] == INFLUENCES
        assert (part.weights >= 0).all()
        assert np.allclose(part.weights.sum(axis=1), 1)
        assert (part.joints[part.weights == 0] == 0).all()
        still = deform(part, rig.bind, rig.bind)
        assert np.abs(still - part.mesh.points).max() < 1e-9 * LENGTH
        fit = measure_fit(creature, rig, part, np.linspace(0, 1, 6))
        # a spline of joints h apart is off by bend h²/8, which is 5 % of the radius here; a stiff
        # end that reaches d beyond the last joint by bend d²/2
        last = LENGTH / 2 - LENGTH / 48
        beyond = max(-(part.mesh.points[:, 0] + last).min(), 0.0)
        assert fit.rms < 0.05 * RADIUS, part.kind
        assert fit.most < 0.15 * RADIUS + BEND / LENGTH * beyond**2 / 2, part.kind


def test_root_carries_the_whole_body(creature):
    rig = Rig(creature.motion)
    first, last = (rig.place_root(creature.motion.pose(t)) for t in (0.0, 1.0))
    way = np.linalg.norm(last.position - first.position)
    assert 0.5 * SPEED < way < 1.2 * SPEED  # along the wave, the way is shorter
    assert rig.bind.position[0] == pytest.approx(np.zeros(3), abs=1e-9)
    assert rig.bind.position[1:, 1] == pytest.approx(RADIUS, rel=1e-3)


def test_worm_is_seen_from_above(worm, creature):
    assert choose_angles(worm.scene)[1] > 45
    assert choose_angles(worm.scene | {"camera": {"elevation_deg": 10.0}})[1] == 10
    assert choose_angles({"species": [{"kind": "worm"}, {"kind": "myriapod"}]}) == (35.0, 18.0)
    shot = plan_shots([creature], np.array([0.5]), aspect=1.5, scene=worm.scene)[0]
    assert 1.5 * LENGTH < shot.camera.distance < 8 * LENGTH
    heading = find_heading([creature], 0.5)
    assert heading[0] > 0.9


def test_pictures_and_films_at_its_size(worm, strong, tmp_path):
    from PIL import Image

    for name, recording in (("plain", worm), ("muscles", strong)):
        path = tmp_path / f"{name}.png"
        render_picture(recording, path, size=(320, 180), supersample=1, time=0.5)
        image = np.asarray(Image.open(path), float)
        corner, middle = image[:20, :20], image[60:120, 90:230]
        assert corner.std(axis=(0, 1)).max() < 6  # agar, without lines
        assert corner.mean() > 150
        assert middle.std() > 12
        red = (image[..., RED] - image[..., GREEN]).max()
        assert (red > 90) == (name == "muscles")
    render_video(worm, tmp_path / "film.gif", size=(160, 90), fps=10, end=0.3)


def test_colours_of_muscles_change_in_a_film(strong, tmp_path):
    from PIL import Image

    where = []
    for time in (0.2, 0.6):
        path = tmp_path / f"{time}.png"
        view = {"camera": "top", "size": (320, 180), "supersample": 1}
        render_picture(strong, path, time=time, **view)
        image = np.asarray(Image.open(path), float)
        where.append(image[..., RED] - image[..., GREEN] > 70)
    assert all(one.sum() > 100 for one in where)
    assert (where[0] & where[1]).sum() < 0.7 * min(one.sum() for one in where)


def test_several_worms_are_shown_side_by_side(tmp_path):
    recording = write_worm(tmp_path / "two", seconds=0.1, names=("a", "b"), slabs=24)
    first, second = build_creatures(recording)
    gap = second.motion.pose(0.1).midline - first.motion.pose(0.1).midline
    assert gap == pytest.approx(np.tile([0, 0, 0.04], (POINTS, 1)), abs=1e-9)
    assert [one.soft is not None for one in (first, second)] == [True, True]


def test_track_on_agar(creature):
    """A groove where the tail has been: the wall that faces the light is bright, the other dark."""
    key, body = np.array([0.0, 0.6, 0.8]), {"radius": RADIUS, "length": LENGTH}
    path = thin_path(creature.motion.tail_path(1.0), 0.25 * RADIUS)
    assert np.linalg.norm(np.diff(path[:, -1], axis=0), axis=1).sum() > 0.8 * SPEED
    points, colours = cut_groove(path, key, Floor.level(0.0), **body)
    assert np.abs(points[..., 1]).max() < 1e-12
    off = np.linalg.norm((points - path[:, -1:])[..., [0, 2]], axis=2)
    assert off.max() < RADIUS
    middle = len(path) // 2
    near, far = np.argsort(points[middle, :, 2])[[-2, 1]]  # z points to the light
    assert colours[middle, far, 0] == 1.0  # the far wall faces it
    assert colours[middle, near, 0] == 0.0
    assert colours[middle, [far, near], 3].min() > 0.05
    assert colours[:, [0, 4, 8], 3].max() < 1e-9  # edges and bottom are level
    assert colours[[0, -1], :, 3].max() < 1e-9
    wagged = path.copy()
    wagged[:, 0] = path[:, 1] + np.cross(np.gradient(path[:, 1], axis=0), [0.0, 1.0, 0.0])
    assert cut_groove(wagged, key, Floor.level(0.0), **body)[1][..., 3].max() < 1e-9
