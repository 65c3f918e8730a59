"""Climbers as they are shown: closed shapes about bodies, joined at the joints, with a rig."""

from itertools import pairwise

import numpy as np
import pytest
from test_look_articulated import count_open_edges, measure_volume

from climber_recordings import EVERYTHING, PART, TARANTULA, build_bodies, write_climber
from skitter.errors import UserError
from skitter.look.climber_form import COARSE, FINE, LEAST, USUAL, choose_detail
from skitter.look.climber_hair import Hair, grow_hair
from skitter.look.colour import read_colour
from skitter.look.creature import SKIN_TRIANGLES, build_creatures
from skitter.look.gait import open_histories, read_states
from skitter.look.hull import paint
from skitter.look.limb_names import choose_roles
from skitter.look.mesh import build_sphere
from skitter.look.parts import build_actor
from skitter.look.rig import Rig
from skitter.look.skin import build_skin_parts, deform
from skitter.look.stepping import NO_STATE
from skitter.rotation import quaternion_to_matrix
from skitter.species.climber import ClimberSpec
from skitter.view.reins import FASTER, find_reins

STYLES = ("spider", "scorpion", "insect", "beetle", "stick", "crab", "plain")
LIMITS = (200_000, SKIN_TRIANGLES, 8_000, 480)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("climbers")


@pytest.fixture(scope="module")
def spider(folder):
    return write_climber(folder / "tarantula")


@pytest.fixture(scope="module")
def creature(spider):
    return build_creatures(spider)[0]


@pytest.mark.parametrize("style", STYLES)
def test_shapes_of_every_style_are_closed_and_face_outwards(style, folder):
    record = write_climber(folder / style, EVERYTHING, look={"style": style})
    for limit in LIMITS:
        for piece in build_creatures(record, triangle_limit=limit)[0].rigid.pieces:
            assert count_open_edges(piece.mesh) == 0
            assert measure_volume(piece.mesh) > 0
            assert np.isfinite(piece.mesh.points).all()
            assert np.linalg.norm(piece.mesh.normals, axis=1) == pytest.approx(1, abs=1e-6)
            assert piece.colour.min() >= 0
            assert piece.colour.max() <= 1


@pytest.mark.parametrize("style", STYLES)
def test_shapes_fill_their_bodies(style, folder):
    """From joint to joint, and across them no less than half and not far beyond."""
    record = write_climber(folder / f"{style}_full", EVERYTHING, look={"style": style})
    surface = build_creatures(record)[0]
    tree = surface.motion.tree
    for piece in surface.rigid.pieces:
        size, points = tree.size[piece.body], piece.mesh.points
        if tree.leg[piece.body] >= 0:
            assert points[:, 0].min() <= -size[0] / 2 + 1e-9
            assert points[:, 0].max() >= 0.98 * size[0] / 2
            assert points[:, 0].max() <= size[0] / 2 + size[1]
        if piece.body < 2:
            assert (np.ptp(points, axis=0) > 0.8 * size).all()
            assert (np.ptp(points, axis=0) < 1.8 * size).all()


@pytest.mark.parametrize("style", STYLES)
def test_feet_reach_the_ground_that_they_stand_on(style, folder):
    """The end of a leg stays its radius off the ground: what is drawn fills that, and no more."""
    record = write_climber(folder / f"{style}_feet", EVERYTHING, look={"style": style})
    surface = build_creatures(record)[0]
    tree = surface.motion.tree
    for piece in surface.rigid.pieces:
        if tree.leg[piece.body] >= 0 and tree.is_last(piece.body):
            size = tree.size[piece.body]
            beyond = (piece.mesh.points[:, 0].max() - size[0] / 2) / (size[1] / 2)
            assert 0.8 < beyond < 1.1


def test_no_gap_opens_where_a_leg_bends(folder):
    """About every joint both its segments are round, as far out as the thinner one is thick."""
    surface = build_creatures(write_climber(folder / "bald", look={"hairiness": 0.0}))[0]
    tree, pieces = surface.motion.tree, {p.body: p.mesh for p in surface.rigid.pieces}
    for body, parent in enumerate(tree.parent):
        if tree.leg[body] < 0 or tree.segment[body] == 0:
            continue
        own, above = pieces[body].points, pieces[parent].points
        radius = 0.6 * min(tree.size[body, 1], tree.size[parent, 1]) / 2
        assert own[:, 0].min() + tree.size[body, 0] / 2 < -radius
        assert above[:, 0].max() - tree.size[parent, 0] / 2 > radius


@pytest.mark.parametrize("limit", LIMITS[:3])
def test_triangles_keep_to_the_limit(spider, limit):
    surface = build_creatures(spider, triangle_limit=limit)[0]
    assert sum(len(piece.mesh.triangles) for piece in surface.rigid.pieces) <= limit


def test_those_of_a_crowd_have_no_hair_and_few_triangles(folder):
    crowd = build_creatures(write_climber(folder / "crowd", count=5), triangle_limit=5 * 480)
    hairless = build_creatures(
        write_climber(folder / "hairless", look={"hairiness": 0.0}), triangle_limit=480
    )[0]
    counts = [sum(len(p.mesh.triangles) for p in one.rigid.pieces) for one in crowd]
    assert counts == [sum(len(p.mesh.triangles) for p in hairless.rigid.pieces)] * 5
    assert counts[0] < 4_500


def test_detail_goes_by_the_triangles_there_are():
    levels = [choose_detail(limit) for limit in (200_000, 24_000, 8_000, 0)]
    assert levels == [FINE, USUAL, COARSE, LEAST]


def test_hair_grows_outwards_and_leans_along():
    ball = paint(build_sphere(1.0), np.zeros(3))
    grown = grow_hair(ball, Hair(500, 0.2, 0.01, np.ones(3)), seed=1)
    points = grown.mesh.points.reshape(500, 4, 3)
    root, tip = points[:, :3].mean(axis=1), points[:, 3]
    assert np.linalg.norm(root, axis=1) == pytest.approx(1.0, abs=0.02)
    assert (np.linalg.norm(tip, axis=1) > 1.0).mean() > 0.99
    beside = np.abs(root[:, 0]) < 0.5
    assert (tip - root)[beside, 0].mean() > 0.02  # along x
    assert count_open_edges(grown.mesh) == 0
    assert measure_volume(grown.mesh) > 0
    again = grow_hair(ball, Hair(500, 0.2, 0.01, np.ones(3)), seed=1)
    assert np.array_equal(again.mesh.points, grown.mesh.points)


def test_knees_and_bands_have_their_colours(folder):
    look = {"knee": "#ff0000", "band": "#00ff00", "hairiness": 0.0}
    surface = build_creatures(write_climber(folder / "banded", look=look))[0]
    tree, motion = surface.motion.tree, surface.motion
    assert tree.role[: 2 + 7][2:] == tuple(choose_roles(7, None))
    red, green = read_colour("#ff0000"), read_colour("#00ff00")
    for piece in surface.rigid.pieces:
        role = motion.tree.role[piece.body]
        is_red, is_green = (
            bool((np.abs(piece.colour - c).max(axis=1) < 0.25).any()) for c in (red, green)
        )
        if piece.leg >= 0:
            assert is_red == (role == "patella")
            assert is_green == (role in ("tibia", "metatarsus"))


def test_left_is_the_mirror_image_of_right(folder):
    surface = build_creatures(write_climber(folder / "pair", look={"hairiness": 0.0}))[0]
    rest = surface.motion.rest
    points = {p.body: p.mesh.points for p in surface.rigid.pieces}
    turn, at = quaternion_to_matrix(rest.body_orientation), rest.body_position
    names = {name: k for k, name in enumerate(Rig(surface.motion).links.names)}
    for name in ("leg_2_{}_tibia", "palp_{}_4", "chelicera_{}_1"):
        left, right = (names[name.format(side)] for side in "LR")
        placed = [points[k] @ turn[k].T + at[k] for k in (left, right)]
        assert placed[0] * [1, 1, -1] == pytest.approx(placed[1], abs=1e-6)


def test_rig_names_every_body_and_puts_joints_where_they_bend(spider, creature):
    rig = Rig(creature.motion)
    bodies = build_bodies(TARANTULA, creature.motion.time)
    assert len(rig.names) == len(bodies.size) + 1
    chain = ["leg_3_R_tarsus", "leg_3_R_metatarsus", "leg_3_R_tibia", "leg_3_R_patella"]
    chain += ["leg_3_R_femur", "leg_3_R_trochanter", "leg_3_R_coxa", "thorax", "root"]
    chain += ["palp_L_3", "palp_L_2", "palp_L_1", "thorax"]
    for name, above in pairwise(chain):
        if name != "root":
            assert rig.names[rig.parents[rig.number[name]]] == above
    for frame in (0, 12):
        frames = rig.place(creature.motion.pose(float(creature.motion.time[frame])))
        for k, name in enumerate(rig.links.names):
            joint = bodies.places[k][frame] + bodies.turns[k][frame] @ bodies.joint[k]
            assert frames.position[rig.number[name]] == pytest.approx(joint, abs=1e-5)


def test_skin_follows_its_joints_exactly(creature):
    rig = Rig(creature.motion)
    (part,) = build_skin_parts(creature, rig)
    pose = creature.motion.pose(0.3)
    off = deform(part, rig.bind, rig.place(pose)) - creature.rigid.at(pose).points
    assert np.abs(off).max() < 1e-5
    assert part.roughness > 0.7  # fur


def test_parts_that_are_not_told_are_guessed(folder):
    bare = build_creatures(write_climber(folder / "bare", without=("body_part",)))[0]
    assert len(bare.rigid.pieces) == len(build_bodies(TARANTULA, np.zeros(1)).size)
    assert sum(piece.leg >= 0 for piece in bare.rigid.pieces) == 8 * 7


@pytest.mark.parametrize("count", range(1, 8))
def test_legs_of_one_to_seven_segments_have_names(count):
    roles = choose_roles(count, None)
    assert len(roles) == count == len(set(roles))
    assert roles[-1] == "tarsus"
    assert choose_roles(2, ["hip_coxa", "first_metatarsus"]) == ["coxa", "metatarsus"]
    assert choose_roles(2, ["one", "two"]) == ["femur", "tarsus"]


def test_look_that_is_not_known_is_refused(folder):
    with pytest.raises(UserError, match=r"look\.style must be one of"):
        build_creatures(write_climber(folder / "bad", look={"style": "whale"}))


def test_studio_draws_the_same_points_and_knows_the_legs(creature):
    actor, pose = build_actor(creature), creature.motion.pose(0.2)
    drawn = [
        (part.mesh.points * scale) @ turn.T + at
        for part, places in zip(actor.parts, actor.place(pose), strict=True)
        for at, turn, scale in zip(
            places.position, quaternion_to_matrix(places.orientation), places.scale, strict=True
        )
    ]
    points, exact = np.concatenate(drawn), creature.rigid.at(pose).points
    assert len(points) == len(exact)
    assert np.sort(points, axis=0) == pytest.approx(np.sort(exact, axis=0), abs=1e-4)
    owners = np.concatenate([part.owner for part in actor.parts if part.kind == "leg"])
    assert sorted(owners.tolist()) == sorted(list(range(8)) * 7)


def test_states_of_legs_are_shown_in_the_nearest_colours():
    frame = {
        "one.leg_state": np.arange(5, dtype=np.uint8),
        "one.leg_stepping": np.array([0, 1, 1, 0, 0], np.uint8),
    }
    assert read_states(frame, "one").tolist() == [4, 0, 5, 2, 6]


def test_history_knows_steps_states_and_holding_feet(spider):
    (history,) = open_histories(spider)
    assert history.names == ["L1", "R1", "L2", "R2", "L3", "R3", "L4", "R4"]
    rows = history.sample(0.1, 0.2, 10)
    assert rows.state.tolist() == rows.told.tolist() == rows.foot.tolist()
    assert set(rows.state[:, 0].tolist()) == {0, 1}
    assert (history.sample(-1.0, -0.5, 4).state == NO_STATE).all()


def test_reins_go_up_to_its_greatest_speed():
    class Steering:
        max_speed = 11.0

    class Climber:
        can_be_led = takes_commands = ClimberSpec.can_be_led
        steering = Steering

    reins = find_reins(Climber())
    assert reins.limit == pytest.approx(11.0)
    assert reins.speed * FASTER == pytest.approx(11.0)


def test_parts_are_numbered_as_climbers_record_them():
    from skitter.creatures.climber.record import PARTS as RECORDED
    from skitter.look.limb_names import PARTS

    assert tuple(PART) == PARTS == RECORDED
