"""The body that is built of a species of links: mirrored, weighed, placed, and with limbs removed.

Expected values are McKenna 1990 section 3.4, the geometry of the files by hand, and symmetry.
"""

from math import atan2, cos, degrees, log, pi, radians, sin

import numpy as np
import pytest

from skitter.creatures.articulated.plan import Plan, build_plan
from skitter.creatures.articulated.pose import pose_links
from skitter.scene.load import load_scene
from skitter.species.articulated import ArticulatedSpec

LEGS = ["left_front", "right_front", "left_middle", "right_middle", "left_hind", "right_hind"]
SEGMENTS = ["coxa", "femur", "tibia", "tarsus"]
JOINTS = ["swing", "roll", "lift", "knee", "ankle"]
UNDER_MIDDLE = 0.31  # cm, the thorax's underside below its middle
GRAVITY = 981.0
FLIP = np.array([1.0, 1.0, -1.0])


def load(name: str, **changes) -> Plan:
    species = load_scene({"title": "t", "creatures": [{"species": name, "with": changes}]})
    assert isinstance(species.species[0], ArticulatedSpec)
    return build_plan(species.species[0])


def build(**keys) -> Plan:
    return build_plan(ArticulatedSpec.model_validate({"kind": "articulated", "title": "t", **keys}))


@pytest.fixture(scope="module")
def roach() -> Plan:
    return load("roach")


def pose(plan: Plan, **angles) -> np.ndarray:
    """q with the spring's rest angles changed: names have __ for the dot, angles are in rad."""
    q = plan.rest_q.copy()
    for name, angle in angles.items():
        q[plan.joint_q[plan.joint_name.index(name.replace("__", "."))]] += angle
    return q


def find_feet(plan: Plan, q: np.ndarray) -> dict[str, np.ndarray]:
    origin, axes = pose_links(plan.links, q)
    rows = zip(plan.leg_name, plan.foot_link, plan.foot_at, strict=True)
    return {name: origin[link] + axes[link] @ at for name, link, at in rows}


def find_middles(plan: Plan, q: np.ndarray) -> np.ndarray:
    origin, axes = pose_links(plan.links, q)
    link = plan.body_link
    return origin[link] + np.einsum("bij,bj->bi", axes[link], plan.body_middle)


def find_centre(plan: Plan) -> np.ndarray:
    return plan.body_mass @ find_middles(plan, plan.rest_q) / plan.body_mass.sum()


# -- the roach -------------------------------------------------------------------------------------


def test_it_has_the_size_of_the_paper(roach):
    sizes = {"free": 6, "revolute": 1}
    assert sum(sizes[link.joint] for link in roach.links) == 38
    assert roach.total_mass == pytest.approx(2.1, rel=0.01)
    assert roach.body_mass.sum() == pytest.approx(roach.total_mass, rel=1e-12)
    assert roach.body_mass == pytest.approx(roach.body_size.prod(axis=1), rel=1e-12)  # density 1
    assert roach.body_length == pytest.approx(2.9, rel=0.01)


def test_its_parts_have_their_names_and_order(roach):
    assert roach.leg_name == LEGS
    assert list(roach.leg_pair) == [0, 0, 1, 1, 2, 2]
    assert list(roach.leg_side) == [-1, 1, -1, 1, -1, 1]
    names = [[roach.joint_name[one] for one in row] for row in roach.leg_joint]
    assert names == [[f"{leg}.{joint}" for joint in JOINTS] for leg in LEGS]
    parts = [f"{leg}.{segment}" for leg in LEGS for segment in SEGMENTS]
    assert roach.body_name == ["thorax", "abdomen", "head", *parts]
    assert list(roach.body_segment) == [-1, -2, -3] + 6 * [0, 1, 2, 3]
    assert list(roach.body_leg) == 3 * [-1] + [leg for leg in range(6) for _ in range(4)]
    assert [roach.body_name[one] for one in roach.foot_body] == [f"{leg}.tarsus" for leg in LEGS]
    assert {"abdomen_pitch", "head_pitch"} < {*roach.joint_name}


def test_every_joint_has_a_place_of_its_own(roach):
    """q: place and quaternion of the root, then a number to a joint; v: six, then the same."""
    assert sorted(roach.joint_q) == list(range(7, 39))
    assert sorted(roach.joint_v) == list(range(6, 38))
    assert len(roach.rest_q) == 39
    assert all(link.parent < index for index, link in enumerate(roach.links))


def test_its_feet_stand_level_under_a_raised_body(roach):
    feet = find_feet(roach, roach.rest_q)
    heights = [at[1] for at in feet.values()]
    assert max(heights) - min(heights) < 0.02
    assert 0.45 <= -UNDER_MIDDLE - np.mean(heights) <= 0.55  # unloaded; it sinks by a fifth of a cm


def test_it_stands_as_a_cockroach_does(roach):
    """Front legs point forward and out, middle ones out, hind ones back; knees are highest."""
    feet = find_feet(roach, roach.rest_q)
    origin, axes = pose_links(roach.links, roach.rest_q)
    root = {name: origin[roach.joint_link[roach.leg_joint[k, 0]]] for k, name in enumerate(LEGS)}
    way = {name: feet[name] - root[name] for name in LEGS}
    angle = {name: degrees(atan2(way[name][2], way[name][0])) for name in LEGS}
    assert 30 < angle["right_front"] < 65
    assert 80 < angle["right_middle"] < 120
    assert 125 < angle["right_hind"] < 160
    slope = {}
    for name, link, turn in zip(roach.body_name, roach.body_link, roach.body_turn, strict=True):
        slope[name] = (axes[link] @ turn)[1, 0]
    for leg in LEGS:
        assert slope[f"{leg}.coxa"] < 0 < slope[f"{leg}.femur"]
        assert slope[f"{leg}.tibia"] < 0 and slope[f"{leg}.tarsus"] < 0
    lengths = [roach.body_size[roach.body_leg == leg, 0] for leg in (1, 3, 5)]
    assert (lengths[0] < lengths[1]).all() and (lengths[1] < lengths[2]).all()


def test_each_tripod_carries_it(roach):
    """The centre of mass lies over the triangle of either tripod; loads by the lever rule."""
    feet, centre = find_feet(roach, roach.rest_q), find_centre(roach)
    for tripod in (
        ("left_front", "right_middle", "left_hind"),
        ("right_front", "left_middle", "right_hind"),
    ):
        points = np.array([feet[name] for name in tripod])
        share = np.linalg.solve([np.ones(3), points[:, 0], points[:, 2]], [1, centre[0], centre[2]])
        assert (share > 0.15).all()
        load = share * roach.total_mass * GRAVITY
        assert load.max() < 1000


@pytest.mark.parametrize("joint", ["lift", "knee", "ankle"])
@pytest.mark.parametrize("leg", [1, 3, 5])
def test_springs_bear_a_foot(roach, leg, joint):
    """1000 dyn straight up at the tip bend no joint by more than 0.15 rad, nor is any rigid."""
    index = roach.leg_joint[leg, JOINTS.index(joint)]
    origin, axes = pose_links(roach.links, roach.rest_q)
    link = roach.joint_link[index]
    arm = find_feet(roach, roach.rest_q)[LEGS[leg]] - origin[link]
    axis = axes[link] @ roach.links[link].axis
    torque = abs(axis @ np.cross(arm, [0, 1000, 0]))
    kind, alpha, beta, damping, rest = roach.spring[index]
    assert kind == 1 and damping > 0
    yields = log(1 + torque / alpha) / beta
    assert 0.01 < yields < 0.15
    assert roach.rest_q[roach.joint_q[index]] == rest


@pytest.mark.parametrize("pair", ["front", "middle", "hind"])
@pytest.mark.parametrize(
    ("joint", "way"),
    [("swing", (1, 0, 0)), ("lift", (0, 1, 0))],
)
def test_positive_angles_mean_forward_and_up_on_both_sides(roach, pair, joint, way):
    before = find_feet(roach, roach.rest_q)
    for side in ("left", "right"):
        after = find_feet(roach, pose(roach, **{f"{side}_{pair}__{joint}": 0.05}))
        moved = {name: after[name] - before[name] for name in LEGS}
        assert moved[f"{side}_{pair}"] @ way > 0.02
        del moved[f"{side}_{pair}"]
        assert all(np.allclose(one, 0) for one in moved.values())


def test_a_knee_stretches_with_a_positive_angle(roach):
    for leg in LEGS:
        reach = []
        for angle in (0, 0.05):
            q = pose(roach, **{f"{leg}__knee": angle})
            origin, _ = pose_links(roach.links, q)
            hip = origin[roach.joint_link[roach.joint_name.index(f"{leg}.lift")]]
            reach.append(np.linalg.norm(find_feet(roach, q)[leg] - hip))
        assert reach[1] > reach[0]


def test_equal_angles_of_left_and_right_are_mirrored_poses(roach):
    rng = np.random.default_rng(4)
    turns = {f"{leg}__{joint}": rng.uniform(-1, 1) for leg in LEGS for joint in JOINTS}
    for name in turns:
        turns[name] = turns[name.replace("left", "right")]
    q = pose(roach, **turns)
    middles = find_middles(roach, q)
    index = {name: k for k, name in enumerate(roach.body_name)}
    for name in roach.body_name:
        if name.startswith("right"):
            continue
        other = name.replace("left", "right")
        assert middles[index[name]] * FLIP == pytest.approx(middles[index[other]], abs=1e-12)
        assert roach.body_mass[index[name]] == roach.body_mass[index[other]]
    feet = find_feet(roach, q)
    assert feet["left_hind"] * FLIP == pytest.approx(feet["right_hind"], abs=1e-12)


# -- lesions ---------------------------------------------------------------------------------------


def test_a_leg_that_is_removed_is_not_there():
    whole, hurt = load("roach"), load("roach", remove=["left_middle"])
    assert hurt.leg_name == [name for name in LEGS if name != "left_middle"]
    assert len(hurt.joint_name) == 32 - 5 and len(hurt.links) == len(whole.links) - 5
    lost = [name.startswith("left_middle") for name in whole.body_name]
    assert sum(lost) == 4
    assert whole.total_mass - hurt.total_mass == pytest.approx(whole.body_mass[lost].sum())
    assert not any(name.startswith("left_middle") for name in hurt.body_name + hurt.joint_name)


def test_a_leg_that_is_cut_ends_where_it_was_cut():
    whole, hurt = load("roach"), load("roach", remove=["right_hind.tibia"])
    leg = hurt.leg_name.index("right_hind")
    assert hurt.leg_name == LEGS
    assert list(hurt.leg_joint[leg, 3:]) == [-1, -1] and (hurt.leg_joint[leg, :3] >= 0).all()
    assert hurt.body_name[hurt.foot_body[leg]] == "right_hind.femur"
    origin, _ = pose_links(whole.links, whole.rest_q)
    knee = origin[whole.joint_link[whole.joint_name.index("right_hind.knee")]]
    assert find_feet(hurt, hurt.rest_q)["right_hind"] == pytest.approx(knee, abs=1e-12)


def test_sides_and_the_first_segment_take_a_whole_leg():
    by_side = load("roach", legs={"front": {"sides": ["right"]}})
    by_coxa = load("roach", remove=["left_front.coxa"])
    assert by_side.leg_name == by_coxa.leg_name == LEGS[1:]
    assert list(by_side.leg_pair) == [0, 1, 1, 2, 2]


def test_a_closure_goes_with_its_limb():
    loop = {"name": "loop", "link": "left_front.tarsus", "to": "head"}
    assert load("roach", closures=[loop]).closure_name == ["loop"]
    assert load("roach", closures=[loop], remove=["left_front.tibia"]).closure_name == []


# -- other bodies ----------------------------------------------------------------------------------


def test_the_wire_hangs_slack_between_its_ends():
    wire = load("wire")
    origin, axes = pose_links(wire.links, wire.rest_q)
    assert [link.joint for link in wire.links] == ["ball"] + 26 * ["revolute"]
    assert wire.ball_name == ["hold"] and len(wire.rest_q) == 4 + 26
    assert list(wire.joint_q) == list(range(4, 30)) and list(wire.joint_v) == list(range(3, 29))
    assert wire.joint_name[:2] == ["bend_1", "sway_1"]
    end = origin[wire.closure_link[0]] + axes[wire.closure_link[0]] @ wire.closure_at[0]
    assert wire.closure_to[0] == -1
    assert end == pytest.approx(wire.closure_to_at[0], abs=0.01)
    # an arc of fourteen chords of 0.5 cm, 5 degrees to each
    chord = 0.5 * sin(radians(35)) / sin(radians(2.5))
    assert end == pytest.approx([chord, 0, 0], abs=1e-9)
    assert wire.total_mass == pytest.approx(14 * 0.5 * 0.06**2 * 1.2)
    assert 200 <= wire.closure_spring[0, 2] <= 5000


def hinge(name, **changes):
    return {"name": name, "axis": [0, 0, 1], **changes}


def test_a_row_of_links_bends_as_a_chain():
    """Three rods of 2 cm, each turned by a further 30 degrees: ends by trigonometry."""
    spring = {"rest_deg": 30}
    plan = build(
        links=[
            {
                "name": "rod",
                "size": [2, 0.1, 0.1],
                "middle": [1, 0, 0],
                "repeat": 3,
                "joints": [hinge("bend", spring=spring)],
            }
        ]
    )
    assert plan.joint_name == ["bend_1", "bend_2", "bend_3"]
    assert [link.parent for link in plan.links] == [-1, 0, 1]
    origin, _ = pose_links(plan.links, plan.rest_q)
    assert origin[2] == pytest.approx([2 * cos(pi / 6) + 2 * cos(pi / 3), 3**0.5 + 1, 0])


def test_what_is_welded_weighs_on_its_carrier():
    """Two bricks end to end, the second turned by a right angle, are one long brick."""
    second = {
        "name": "b", "parent": "a", "at": [2, 0, 0], "turn_deg": [0, 0, 90], "size": [1, 2, 3],
    }  # fmt: skip
    plan = build(links=[{"name": "a", "size": [2, 1, 3], "density": 2}, {**second, "density": 2}])
    (link,) = plan.links
    assert link.joint == "free" and link.mass == pytest.approx(4 * 1 * 3 * 2)
    assert link.centre == pytest.approx([1, 0, 0])
    squares = np.array([1 + 9, 16 + 9, 16 + 1])
    assert link.inertia == pytest.approx(24 / 12 * np.diag(squares))
    assert list(plan.body_link) == [0, 0]
    assert plan.body_middle[1] == pytest.approx([2, 0, 0])


def test_mass_and_inertia_may_be_given():
    plan = build(links=[{"name": "a", "size": [1, 1, 1], "mass": 3, "inertia": [1, 2, 3]}])
    assert plan.links[0].mass == 3
    assert plan.links[0].inertia == pytest.approx(np.diag([1, 2, 3]))
    bare = build(links=[{"name": "a", "size": [1, 2, 3], "mass": 12}])
    assert bare.links[0].inertia == pytest.approx(np.diag([13, 10, 5]))


def test_a_fixed_root_is_the_world():
    post = {"name": "post", "fixed": True, "size": [1, 4, 1]}
    door = {"name": "door", "parent": "post", "at": [0.5, 0, 0], "size": [3, 4, 0.2]}
    plan = build(links=[post, {**door, "joints": [hinge("open", axis=[0, 2, 0])]}])
    assert list(plan.body_link) == [-1, 0]
    assert len(plan.links) == 1 and plan.links[0].parent == -1
    assert plan.links[0].place == pytest.approx([0.5, 0, 0])
    assert plan.links[0].axis == pytest.approx([0, 1, 0])
    assert plan.total_mass == pytest.approx(2.4)


def test_several_joints_of_a_link_are_a_row_of_massless_links():
    joints = [
        hinge("out", type="prismatic", axis=[1, 0, 0], range=[-1, 2], stop=7,
              spring={"rest": 0.5, "kind": "linear", "alpha": 3}),
        hinge("up", axis=[0, 1, 0], range_deg=[-90, 180]),
        hinge("drive", type="screw", pitch=0.2),
    ]  # fmt: skip
    plan = build(links=[{"name": "a", "size": [1, 1, 1], "joints": joints}])
    assert [link.joint for link in plan.links] == ["prismatic", "revolute", "screw"]
    assert [link.mass for link in plan.links] == [0, 0, 1]
    assert [link.pitch for link in plan.links] == [0, 0, 0.2]
    assert plan.spring[0] == pytest.approx([0, 3, 5, 0, 0.5])
    assert plan.limit[0] == pytest.approx([-1, 2, 7])
    assert plan.limit[1, :2] == pytest.approx([-pi / 2, pi])
    assert list(plan.limit[2, :2]) == [-np.inf, np.inf]
    # slides 0.5 + 1 along x, turns x to -z, then 0.2 pi along z, which by then points along x
    origin, axes = pose_links(plan.links, np.array([1.5, pi / 2, pi]))
    assert origin[2] == pytest.approx([1.5 + 0.2 * pi, 0, 0])
    assert axes[2] @ [1, 0, 0] == pytest.approx([0, 0, 1], abs=1e-12)


@pytest.mark.parametrize(
    "joint",
    [
        hinge("j", type="prismatic", axis=[1, 2, 3]),
        hinge("j", type="screw", axis=[1, 2, 3], pitch=0.3),
        hinge("j", axis=[1, 2, 3]),
    ],
    ids=["prismatic", "screw", "revolute"],
)
def test_every_type_of_joint_is_mirrored(joint):
    segment = {"length": 1, "section": [0.1, 0.1]}
    joint = {**joint, "turn_deg": [10, 20, 30]}
    plan = build(
        links=[{"name": "trunk", "size": [1, 1, 1]}],
        legs=[
            {
                "name": "only",
                "parent": "trunk",
                "at": [0.1, 0.2, 0.3],
                "turn_deg": [5, -60, 7],
                "segments": [
                    {"name": "first", **segment, "joints": [joint]},
                    {"name": "last", **segment, "joints": [hinge("end", axis=[3, 1, 2])]},
                ],
            }
        ],
    )
    angles = {f"{side}_only__{name}": 0.7 for side in ("left", "right") for name in ("j", "end")}
    feet = find_feet(plan, pose(plan, **angles))
    assert feet["left_only"] * FLIP == pytest.approx(feet["right_only"], abs=1e-12)
    still = find_feet(plan, plan.rest_q)
    assert np.linalg.norm(feet["left_only"] - still["left_only"]) > 0.1
