"""Mistakes in a species of links: each is refused with one line: what, where, what is valid."""

import copy

import pytest
import yaml

from skitter.errors import UserError
from skitter.scene.load import load_scene
from skitter.species.articulated import ArticulatedSpec


def hinge(name, **changes):
    return {"name": name, "axis": [0, 0, 1], **changes}


def box(name, parent=None, **changes):
    return {"name": name, "parent": parent, "size": [1, 1, 1], **changes}


def pose(**angles):
    return [{"angles_deg": angles}]


LEG = {
    "name": "front",
    "parent": "trunk",
    "at": [0, 0, 0.5],
    "segments": [
        {
            "name": "coxa",
            "length": 0.5,
            "section": [0.1, 0.1],
            "joints": [hinge("swing", axis=[0, 1, 0]), hinge("lift")],
        },
        {"name": "tibia", "length": 0.5, "section": [0.1, 0.1], "joints": [hinge("knee")]},
    ],
}
GAIT = {"programs": {"front": {"step": pose(swing=20), "stance": pose(swing=-20)}}}
SPECIES = {
    "kind": "articulated",
    "title": "A test",
    "links": [box("trunk"), box("tail", "trunk", at=[-0.5, 0, 0], joints=[hinge("wag")])],
    "legs": [LEG],
    "gait": GAIT,
}


def change(path, value):
    """The species with a value put at a path such as `links.0.size`; None takes it away."""
    tree = copy.deepcopy(SPECIES)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    here = tree
    for step in way:
        here = here[step]
    if value is None:
        del here[last]
    else:
        here[last] = value
    return tree


def links(*some):
    return change("links", [box("trunk"), *some])


MISTAKES = [
    # the tree
    (
        links(box("a", "b", joints=[hinge("i")]), box("b", "a", joints=[hinge("k")])),
        "has links that hang on each other in a circle: a -> b -> a; valid: a tree, and closures",
    ),
    (links(box("a", "a")), "has links that hang on each other in a circle: a -> a; valid: a tree"),
    (
        links(box("c", "a"), box("a", "b"), box("b", "a")),
        "has links that hang on each other in a circle: a -> b -> a;",
    ),
    (
        links(box("a", "b"), box("b", "trunk")),
        "has a link 'a' that hangs on 'b', which is not before it; links before it: trunk",
    ),
    (
        links(box("a", "trnk")),
        "has a link 'a' that hangs on 'trnk', which is not before it; links before it: trunk",
    ),
    (links(box("trunk")), "has two links called 'trunk'; names must differ"),
    (
        links(
            box("rope", "trunk", repeat=3, joints=[hinge("bend")]),
            box("rope_2", "rope", joints=[hinge("other")]),
        ),
        "has two links called 'rope_2'; names must differ",
    ),
    (
        links(box("a", "trunk", joints=[hinge("wag")]), box("b", "a", joints=[hinge("wag")])),
        "has two joints called 'wag'; names must differ",
    ),
    (
        links(box("rope", "trunk", repeat=512, joints=[hinge("i"), hinge("k")])),
        "has 1,031 links, where each joint counts as one; valid: at most 512",
    ),
    (links(box("a", "trunk", repeat=4)), "has a row of links 'a' without joints; valid: joints:"),
    (links(box("a", "trunk", fixed=True)), "has a link 'a' that is fixed and has joints or a par"),
    (
        {"kind": "articulated", "title": "t", "links": [box("a", fixed=True), box("b", "a")]},
        "has only links that never move; valid: some joint, or a free root",
    ),
    (change("links", []), "links must be a list of 1 to 512 items; found a list of 0 items"),
    # masses and sizes
    (change("links.0.size", [1, 0, 1]), "links[0].size[1] must be a number from 0.001 to 1,000; f"),
    (change("links.0.size", [1, -1, 1]), "links[0].size[1] must be a number from 0.001 to 1,000"),
    (
        change("links.0.size", None),
        "links[0].size is missing; valid: a list of 3 numbers from 0.00",
    ),
    (
        change("links.0.density", 0),
        "links[0].density must be a number from 0.001 to 1,000; found 0",
    ),
    (
        change("links.0.mass", 0),
        "links[0].mass must be a number from 1e-09 to 1,000,000,000; found",
    ),
    (
        change("links.0.mass", -2),
        "links[0].mass must be a number from 1e-09 to 1,000,000,000; foun",
    ),
    (change("links.0.mass", float("nan")), "links[0].mass must be a number from 1e-09"),
    (change("links.0", box("trunk", mass=1, density=1)), "links[0] has both a density and a mass"),
    (change("links.0.inertia", [1, 1, 1]), "links[0] has an inertia and no mass; valid: both, or"),
    (
        change("links.0", box("trunk", mass=1, inertia=[1, 1, 3])),
        "links[0] has an inertia that no body can have: the largest of the three is at most the",
    ),
    (
        change("legs.0.segments.1.length", 0),
        "legs[0].segments[1].length must be a number from 0.00",
    ),
    # joints
    (
        change("links.1.joints.0.axis", [0, 0, 0]),
        "links[1].joints[0].axis must point somewhere, as [0, 1, 0] points up",
    ),
    (
        change("links.1.joints.0.axis", None),
        "links[1].joints[0] is a revolute joint 'wag' without an axis; valid: axis: such as [0, 0,",
    ),
    (change("links.1.joints.0.axis", [0, float("inf"), 0]), "joints[0].axis[1] must be a number f"),
    (change("links.1.joints.0.type", "hinge"), "must be one of revolute, prismatic, screw, ball; "),
    (change("links.1.joints.0.type", "screw"), "is a screw joint 'wag' without a pitch; valid: pi"),
    (change("links.1.joints.0.pitch", 1), "is a revolute joint 'wag' with a pitch, which only a s"),
    (change("links.1.joints.0.range", [0, 1]), "'wag' with a range; valid: range_deg"),
    (change("links.1.joints.0.range_deg", [9, 1]), "range_deg must be a low and a high number, in"),
    (
        change("links.1.joints.0", hinge("wag", type="prismatic", range_deg=[0, 1])),
        "is a prismatic joint 'wag' with a range_deg; valid: range",
    ),
    (change("links.1.joints.0.type", "ball"), "is a ball joint 'wag' with an axis, a range or a r"),
    (
        change("links.1.joints.0.spring", {"rest_deg": float("nan")}),
        "links[1].joints[0].spring.rest_deg must be a number from -360 to 360; found nan",
    ),
    (change("links.1.joints.0.spring", {"alpha": -1}), "spring.alpha must be a number from 0 to 1"),
    # legs, and what names them
    (
        change("legs.0.parent", "trnk"),
        "has a leg 'front' on 'trnk', which is no link of the trunk; valid: trunk, tail",
    ),
    (change("legs", [LEG, LEG]), "has two legs called 'front'; names must differ"),
    (change("legs.0.segments.1.name", "coxa"), "has two segments of leg 'front' called 'coxa'; na"),
    (
        change("legs.0.segments.1.joints.0.name", "lift"),
        "has two joints of leg 'front' called 'lift'; names must differ",
    ),
    (change("legs.0.sides", []), "legs[0].sides must be a list of 1 to 2 items; found a list of 0"),
    (change("legs.0.sides", ["left", "left"]), "has two sides of leg 'front' called 'left'"),
    (change("legs.0.sides", ["top"]), "legs[0].sides[0] must be one of left, right; found the tex"),
    (
        change("legs.0.segments.1.joints", [{"name": "knee", "type": "ball"}]),
        "has a leg 'front' with a ball joint 'knee'; valid: joints of one degree of freedom in a r",
    ),
    (
        change("remove", ["left_hind"]),
        "has nothing called 'left_hind' to remove; valid: left_front, right_front, or a segment su",
    ),
    (change("remove", ["left_front.femur"]), "has nothing called 'left_front.femur' to remove; va"),
    (
        change("closures", [{"name": "loop", "link": "tale"}]),
        "has a closure 'loop' at 'tale', which is no link; valid: trunk, tail, left_front.coxa",
    ),
    (
        change("closures", [{"name": "loop", "link": "tail", "to": "right_front"}]),
        "has a closure 'loop' at 'right_front', which is no link",
    ),
    (
        change("closures", [{"name": "loop", "link": "tail"}, {"name": "loop", "link": "trunk"}]),
        "has two closures called 'loop'; names must differ",
    ),
    (
        change("closures", [{"name": "loop", "link": "tail", "breaks": 0}]),
        "closures[0].breaks must be a number more than 0 and at most 1,000,000,000; found 0",
    ),
    # the gait
    (change("gait", {}), "gait.programs has none for the legs 'front'"),
    (change("gait.programs.front.step", pose(nee=9)), "gait.programs.front moves the joint 'nee'"),
    (change("legs", []), "has a gait and no legs; valid: both, or no gait"),
    (change("solver", {"method": "euler"}), "solver.method must be one of implicit, runge_kutta;"),
]


@pytest.mark.parametrize(("species", "expected"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistake(tmp_path, species, expected):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(species))
    with pytest.raises(UserError) as caught:
        load_scene({"title": "t", "creatures": [{"species": str(file)}]})
    line = str(caught.value)
    assert "\n" not in line and line.isprintable()
    assert line.startswith(f"{file}: ")
    assert expected in line


def load(tmp_path, species, **placement):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(species))
    return load_scene({"title": "t", "creatures": [{"species": str(file), **placement}]}).species[0]


def test_without_mistakes_it_loads_and_comes_back(tmp_path):
    species = load(tmp_path, SPECIES)
    assert isinstance(species, ArticulatedSpec)
    again = ArticulatedSpec.model_validate(species.model_dump(mode="json", by_alias=True))
    assert again == species


def test_a_scene_changes_a_segment_by_name_and_takes_a_leg_away(tmp_path):
    changes = {
        "legs": {"front": {"segments": {"tibia": {"length": 0.7}}}},
        "remove": ["left_front"],
    }
    species = load(tmp_path, SPECIES, **{"with": changes})
    assert species.legs[0].segments[1].length == 0.7
    assert species.remove == ["left_front"]


def test_commands_are_for_those_who_have_a_gait(tmp_path):
    walks = {"commands": [{"speed": 1}]}
    assert load(tmp_path, SPECIES, **walks).takes_commands
    limp = {key: value for key, value in SPECIES.items() if key != "gait"}
    with pytest.raises(UserError, match="are for creatures that walk, swim or crawl"):
        load(tmp_path, limp, **walks)
