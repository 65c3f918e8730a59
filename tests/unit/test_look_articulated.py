"""An animal of links as it is shown: shapes about its boxes, joined at the joints, with a rig."""

from itertools import pairwise

import numpy as np
import pytest

from articulated_recordings import LEGS, TRUNK, build_roach, place_bodies, write_roach, write_wire
from skitter.errors import UserError
from skitter.look.articulated import build_rod
from skitter.look.camera_views import find_heading
from skitter.look.creature import SKIN_TRIANGLES, build_creatures
from skitter.look.gait import read_states
from skitter.look.parts import build_actor
from skitter.look.rig import Rig
from skitter.look.skin import build_skin_parts, deform
from skitter.look.terrain import Floor
from skitter.rotation import quaternion_to_matrix
from skitter.view.ground import GRAIN_WIDTH, FloorNodes
from skitter.view.reins import find_reins

LESION = ("left_middle", "right_hind.tibia", "right_front.tarsus")


@pytest.fixture(scope="module")
def roach(tmp_path_factory):
    return write_roach(tmp_path_factory.mktemp("roach") / "whole")


@pytest.fixture(scope="module")
def creature(roach):
    return build_creatures(roach)[0]


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    return write_wire(tmp_path_factory.mktemp("wire") / "five")


def weld(mesh):
    """Triangles by places, without those of no area."""
    scale = np.ptp(mesh.points, axis=0).max()
    _, number = np.unique(np.round(mesh.points / scale, 9), axis=0, return_inverse=True)
    triangles = number.ravel()[mesh.triangles]
    first, second, third = triangles.T
    return triangles[(first != second) & (second != third) & (third != first)]


def count_open_edges(mesh) -> int:
    """Edges that are not walked once each way."""
    triangles = weld(mesh)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there = {tuple(edge) for edge in edges.tolist()}
    return sum((b, a) not in there for a, b in there)


def measure_volume(mesh) -> float:
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ti,ti->", np.cross(a, b), c)) / 6


def test_every_piece_is_closed_and_faces_outwards(creature, wire):
    pieces = [*creature.rigid.pieces, *build_creatures(wire)[0].rigid.pieces]
    for piece in pieces:
        assert count_open_edges(piece.mesh) == 0
        assert measure_volume(piece.mesh) > 0
        assert np.linalg.norm(piece.mesh.normals, axis=1) == pytest.approx(1, abs=1e-6)


def test_shapes_fill_their_boxes(creature):
    """Along a leg from joint to joint; across, no less than half the box and not far beyond it."""
    tree = creature.motion.tree
    for piece in creature.rigid.pieces:
        size, points = tree.size[piece.body], piece.mesh.points
        if tree.leg[piece.body] >= 0:
            assert points[:, 0].min() <= -size[0] / 2
            assert points[:, 0].max() >= size[0] / 2
            inner = np.abs(points[:, 0]) < 0.3 * size[0]
            thick = np.ptp(points[inner], axis=0)[1:]
            assert (thick > 0.5 * size[1:]).all()
        low = points.min(axis=0)[1]
        assert low > -2.5 * size[1]


def test_no_gap_opens_where_a_leg_bends(creature):
    """Round about every joint both its segments have a surface, as far out as the thinner is."""
    tree, pieces = creature.motion.tree, {p.body: p.mesh for p in creature.rigid.pieces}
    for body, parent in enumerate(tree.parent):
        if tree.leg[body] < 0 or tree.segment[body] == 0:
            continue
        own, above = pieces[body].points, pieces[parent].points
        radius = 0.25 * min(tree.size[body, 1:].min(), tree.size[parent, 1:].min())
        assert (own[:, 0].min() + tree.size[body, 0] / 2) < -radius
        assert (above[:, 0].max() - tree.size[parent, 0] / 2) > radius


@pytest.mark.parametrize("limit", [SKIN_TRIANGLES, 200_000])
def test_triangles_keep_to_the_limit(roach, limit):
    surface = build_creatures(roach, triangle_limit=limit)[0]
    assert sum(len(piece.mesh.triangles) for piece in surface.rigid.pieces) < limit


def test_antennae_and_plates_follow_the_look(tmp_path, creature):
    short = write_roach(tmp_path / "short", look={"antennae": 0, "cerci": 0, "back": "#ff0000"})
    surface = build_creatures(short)[0]
    reach = [np.ptp(one.rigid.pieces[2].mesh.points, axis=0)[0] for one in (creature, surface)]
    assert reach[0] > 1.5  # more than half of the body
    assert reach[1] < 2 * TRUNK["head"][0][0]
    back = surface.rigid.pieces[0].colour
    assert (np.abs(back - [1, 0, 0]).max(axis=1) < 0.01).any()


def test_shield_covers_the_head_from_above(creature):
    pose = creature.motion.rest
    head = TRUNK["head"]
    shield = creature.rigid.pieces[0].mesh.points + pose.body_position[0]
    front = pose.body_position[2, 0]
    assert shield[:, 0].max() > front
    assert shield[:, 0].max() < front + head[0][0]


def test_lesions_leave_the_rest_as_it_was(creature, tmp_path):
    hurt = build_creatures(write_roach(tmp_path / "hurt", missing=LESION))[0]
    whole, left = (
        dict(zip(Rig(one.motion).links.names, one.rigid.pieces, strict=True))
        for one in (creature, hurt)
    )
    gone = {f"leg_2_L_{s}" for s in ("coxa", "femur", "tibia", "tarsus")}
    gone |= {"leg_3_R_tibia", "leg_3_R_tarsus", "leg_1_R_tarsus"}
    assert set(left) == set(whole) - gone
    for name in left:
        assert left[name].mesh.points == pytest.approx(whole[name].mesh.points)


def test_rig_has_a_joint_for_each_link_where_it_bends(roach, creature):
    rig = Rig(creature.motion)
    body = build_roach()
    assert len(rig.names) == len(body.size) + 1
    chain = ["leg_3_R_tarsus", "leg_3_R_tibia", "leg_3_R_femur", "leg_3_R_coxa", "trunk", "root"]
    for name, above in pairwise(chain):
        assert rig.names[rig.parents[rig.number[name]]] == above
    for time in (0.0, 0.2):
        places, turns = place_bodies(body, time)
        frames = rig.place(creature.motion.pose(time))
        for k, name in enumerate(rig.links.names):
            joint = places[k] + turns[k] @ body.joint[k]
            assert frames.position[rig.number[name]] == pytest.approx(joint, abs=1e-5)


def test_joints_point_along_their_links(creature):
    rig = Rig(creature.motion)
    axes = quaternion_to_matrix(rig.bind.orientation)
    for pair, (_, _, lengths) in zip("123", LEGS.values(), strict=True):
        femur, tibia = (rig.number[f"leg_{pair}_R_{name}"] for name in ("femur", "tibia"))
        end = rig.bind.position[femur] + lengths[1] * axes[femur][:, 1]
        assert end == pytest.approx(rig.bind.position[tibia], abs=1e-5)


def test_rest_is_level_on_the_ground_whatever_the_heading(creature):
    rest = creature.motion.rest
    solid = creature.solid_at(rest)
    assert quaternion_to_matrix(rest.body_orientation)[0] == pytest.approx(np.eye(3), abs=1e-6)
    assert abs(solid.points[:, 1].min()) < 0.05
    assert rest.body_position[:3, [0, 2]].mean(axis=0) == pytest.approx([0, 0], abs=1e-6)


def test_skin_follows_its_joints_exactly(creature):
    rig = Rig(creature.motion)
    (part,) = build_skin_parts(creature, rig)
    for time in (0.1, 0.3):
        pose = creature.motion.pose(time)
        off = deform(part, rig.bind, rig.place(pose)) - creature.rigid.at(pose).points
        assert np.abs(off).max() < 1e-5


def test_statics_that_are_missing_are_filled_in(tmp_path):
    """The joints of legs are at the ends of their boxes: so they are found again."""
    bare = write_roach(tmp_path / "bare", without=("body_joint",))
    rig = Rig(build_creatures(bare)[0].motion)
    assert rig.motion.tree.joint == pytest.approx(np.array(build_roach().joint))


def test_heading_is_that_of_the_trunk(creature):
    """Hind legs point back, and there are more bodies in legs than in the trunk."""
    heading = find_heading([creature], 0.0)
    assert heading == pytest.approx([1, 0, 0], abs=0.05)


@pytest.mark.parametrize("size", [(0.8, 0.06, 0.1), (0.06, 0.8, 0.1), (0.1, 0.06, 0.8)])
def test_rod_lies_along_the_longest_edge_and_is_round_beyond_it(size):
    rod = build_rod(np.array(size), 16)
    low, high = rod.points.min(axis=0), rod.points.max(axis=0)
    axis = int(np.argmax(size))
    across = [k for k in range(3) if k != axis]
    radius = np.mean([size[k] for k in across]) / 2
    assert high[axis] == pytest.approx(0.4 + radius)
    assert low == pytest.approx(-high)
    assert high[across] == pytest.approx([size[k] / 2 for k in across], rel=0.02)
    assert measure_volume(rod) > 0


def test_wire_is_in_its_colour_and_a_chain(wire):
    creature = build_creatures(wire)[0]
    assert np.ptp(creature.rigid.colours, axis=0) == pytest.approx(0)
    rig = Rig(creature.motion)
    assert rig.names == ["root", *(f"link_0{k}" for k in range(5))]
    assert rig.parents.tolist() == [-1, 0, 1, 2, 3, 4]


def test_plain_links_are_boxes(tmp_path):
    plain = build_creatures(write_roach(tmp_path / "plain", look={"style": "plain"}))[0]
    for piece, size in zip(plain.rigid.pieces, build_roach().size, strict=True):
        assert np.ptp(piece.mesh.points, axis=0) == pytest.approx(size)


def test_look_that_is_not_known_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"look\.style must be one of"):
        build_creatures(write_roach(tmp_path / "bad", look={"style": "ant"}))


def test_studio_draws_the_same_points_and_knows_the_legs(creature):
    actor = build_actor(creature)
    pose = creature.motion.pose(0.2)
    drawn = []
    for part, places in zip(actor.parts, actor.place(pose), strict=True):
        for at, turn, scale in zip(
            places.position, quaternion_to_matrix(places.orientation), places.scale, strict=True
        ):
            drawn.append((part.mesh.points * scale) @ turn.T + at)
    points = np.concatenate(drawn)
    exact = creature.rigid.at(pose).points
    assert len(points) == len(exact)
    assert np.sort(points, axis=0) == pytest.approx(np.sort(exact, axis=0), abs=1e-4)
    owners = np.concatenate([part.owner for part in actor.parts if part.kind == "leg"])
    assert sorted(owners.tolist()) == sorted(list(range(6)) * 4)


def test_floor_of_the_studio_goes_along_by_whole_grains():
    """So that its picture lies where it was, and nobody who is followed walks off its edge."""

    class Node:
        position = (0.0, 0.0, 0.0)

    floor, soil = Floor.level(1.0), Node()
    nodes = FloorNodes(floor, [(soil, 0.0)], 2.0)
    nodes.follow(np.array([1.0, 3.0, 0.5]))
    assert soil.position == (0.0, 0.0, 0.0)
    nodes.follow(np.array([100.0, 3.0, -40.0]))
    x, y, z = soil.position
    assert y == pytest.approx(2.0)
    assert np.array([x, z]) == pytest.approx([200, -80], abs=3 * GRAIN_WIDTH)
    assert np.array([x, z]) / GRAIN_WIDTH == pytest.approx(
        np.rint([x / GRAIN_WIDTH, z / GRAIN_WIDTH])
    )


def test_legs_that_step_are_told_from_those_that_stand():
    frame = {"roach.leg_stepping": np.array([1, 0, 0, 1], np.uint8)}
    assert read_states(frame, "roach").tolist() == [0, 4, 4, 0]


def test_reins_suit_how_fast_a_creature_is():
    class Slow:
        can_be_led, pace = True, 0.02

    class Walker:
        can_be_led = takes_commands = True

    class Wire:
        can_be_led, takes_commands = True, False

    slow, walker = find_reins(Slow()), find_reins(Walker())
    assert slow.limit == pytest.approx(0.032)
    assert 20 <= slow.limit / slow.step <= 1000
    assert 3 < walker.speed < 10
    assert 20 <= walker.limit / walker.step <= 1000
    assert find_reins(Wire()) is None
    assert find_reins(None) is None
