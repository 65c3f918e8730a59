"""Attribute files of climbers and things: what is missing, wrong or absurd gives one clear line."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from skitter.errors import UserError
from skitter.scene.catalogue import list_species
from skitter.scene.load import load_scene
from skitter.scene.species import check_species
from skitter.species.climber import ClimberSpec
from skitter.species.kinds import KINDS
from skitter.species.object import ObjectSpec

HOME = Path(__file__).resolve().parents[2]


def load(name, **changes):
    placed = {"species": name, "with": changes}
    return load_scene({"title": "t", "creatures": [placed]}).species[0]


CLIMBERS = [name for name, _ in list_species() if isinstance(load(name), ClimberSpec)]


def hinge(**changes):
    return {"axis": [0, 0, 1], **changes}


def segment(name, length=1.0, **joint):
    return {"name": name, "length": length, "radius": 0.05, "joint": hinge(**joint)}


def leg(name="front", x=0.5, **changes):
    """Two upright bends: the foot is 1 cm below the hip."""
    segments = [
        segment("coxa", 0.4, axis=[0, 1, 0]),
        segment("femur", rest_deg=30),
        segment("tibia", 1.5, rest_deg=-120),
    ]
    return {"name": name, "at": [x, 0, 0.4], "segments": segments, **changes}


SMALL = {  # the least that walks
    "kind": "climber",
    "title": "A test",
    "thorax": {"size": [1.5, 0.6, 1.0]},
    "legs": [leg("front", 0.5), leg("hind", -0.5)],
}
FULL = {  # one of everything
    **SMALL,
    "source": "ours",
    "scale": 1.0,
    "friction": 1.0,
    "forage": {},
    "limb_seg_mass": 0.01,
    "parts": [{"name": "head", "at": [1, 0, 0], "size": [0.5, 0.4, 0.4], "mass": 0.05}],
    "abdomen": {"at": [-0.7, 0, 0], "size": [1, 0.6, 0.6], "mass": 0.2},
    "appendages": [
        {
            "name": "palp",
            "parent": "head",
            "at": [0.2, 0, 0.1],
            "sides": ["left", "right"],
            "turn_deg": [0, 0, 0],
            "segments": [
                {"name": "tip", "length": 0.3, "radius": 0.03, "axis": [0, 0, 1], "rest_deg": 5}
            ],
            "sequence": {
                "period": 1,
                "keys": [{"time": 0, "angles_deg": [5]}, {"time": 0.5, "angles_deg": [25]}],
                "walking": True,
                "phase_left": 0.5,
            },
        }
    ],
    "steering": {"behaviour": "seek", "target": [1, 2, 3], "path": [[1, 2, 3]], "max_speed": 4},
    "carries_weight": False,
}


def complete(tree):
    """With every field written out, those that are optional too."""
    full = ClimberSpec.model_validate(tree).model_dump(mode="json")
    for one in full["legs"]:
        one["segment_mass"] = 0.01
        for part in one["segments"]:
            part["joint"]["stiffness"] = 100.0
    del full["look"]
    return full


def list_leaves(node, path=()):
    """All fields; of a list its first item."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from list_leaves(value, (*path, key))
    elif isinstance(node, list):
        yield from list_leaves(node[0], (*path, 0))
    else:
        yield path, node


def put(tree, path, value=None, *, away=False):
    """The tree with a value at a path, or without it."""
    changed = copy.deepcopy(tree)
    here = changed
    for step in path[:-1]:
        here = here[step]
    if away:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return changed


def way(text):
    return tuple(int(step) if step.isdigit() else step for step in text.split("."))


def find_mistake(folder, tree):
    """The line that refuses a species, without the name of its file; None: it loads."""
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(tree))
    try:
        load_scene({"title": "t", "creatures": [{"species": str(file)}]})
    except UserError as error:
        line = str(error)
        assert line.startswith(f"{file}: ") and "\n" not in line and line.isprintable()
        return line.removeprefix(f"{file}: ")
    return None


def find_quickly(tree):
    """The same without a file."""
    try:
        check_species(tree, lambda _: "mine")
    except UserError as error:
        return str(error).removeprefix("mine: ")
    return None


def name_field(path):
    """As in legs[0].at[0]; what is wrong in a target is told of all of it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text.removesuffix("[0]") if text.startswith("steering.target") else text


COMPLETE = complete(FULL)
FIELDS = list(list_leaves(COMPLETE))
TEXTS = {"title", "source"}


def test_the_full_file_loads_and_has_every_field(tmp_path):
    assert find_mistake(tmp_path, COMPLETE) is None
    assert len(FIELDS) > 90


@pytest.mark.parametrize(("path", "value"), FIELDS, ids=lambda one: str(one))
def test_every_field_wrong_or_absurd_is_told_with_what_is_valid(path, value):
    number = isinstance(value, int | float) and not isinstance(value, bool)  # true is an int
    wrong = ["some text", [], 1e30, -1e30, float("nan")] if number else [1e30, [], {"a": 1}]
    if isinstance(value, str) and path[-1] not in TEXTS:
        wrong.append("Not this one!")
    for bad in wrong:
        line = find_quickly(put(COMPLETE, path, bad))
        assert line is not None, bad
        assert line.startswith(f"{name_field(path)} must be "), line
        assert re.search(r"number.* from \S+ to ", line) or not number, line


NEEDED = [
    *("title", "thorax", "thorax.size", "legs", "legs.0.name", "legs.0.at", "legs.0.segments"),
    *("legs.0.segments.0.name", "legs.0.segments.0.length", "legs.0.segments.0.radius"),
    *("legs.0.segments.0.joint", "legs.0.segments.0.joint.axis", "abdomen.at", "abdomen.size"),
    *("parts.0.name", "parts.0.at", "parts.0.size", "appendages.0.name", "appendages.0.at"),
    *("appendages.0.segments", "appendages.0.segments.0.length", "appendages.0.segments.0.radius"),
    *("appendages.0.sequence.keys", "appendages.0.sequence.keys.0.time"),
]


@pytest.mark.parametrize("path", NEEDED)
def test_what_is_missing_is_named(tmp_path, path):
    line = find_mistake(tmp_path, put(FULL, way(path), away=True))
    assert line is not None and line.startswith(f"{name_field(way(path))} is missing; valid: ")


def test_what_is_not_needed_may_be_left_out():
    """Every key of the full file that was not listed above, one after the other."""
    tree = put(COMPLETE, way("appendages.0.parent"), "thorax")
    needed = {*map(way, NEEDED), ("kind",), ("steering", "target")}
    for path in {way for full, _ in FIELDS for way in list_ways(full)} - needed:
        if not isinstance(path[-1], int) and path[-1] not in ("name", "angles_deg"):
            assert find_quickly(put(tree, path, away=True)) is None, path


def list_ways(path):
    return [path[: end + 1] for end in range(len(path))]


def test_a_misspelt_key_is_told(tmp_path):
    line = find_mistake(tmp_path, put(FULL, way("steering.max_sped"), 3))
    assert "steering.max_sped is not a known key; did you mean 'max_speed'?" in line


FEET = "feet 1 cm below the thorax in the default pose; valid: from"
MISTAKES = [
    ("legs", [leg()], "legs must be a list of 2 to 16 items; found a list of 1 item"),
    ("legs.1.name", "front", "has two legs called 'front'; names must differ"),
    ("legs.0.segments", [], "legs[0].segments must be a list of 1 to 7 items; found a list of 0"),
    (
        "legs.0.segments",
        [segment(f"s{k}", 0.3) for k in range(8)],
        "legs[0].segments must be a list of 1 to 7 items; found a list of 8 items",
    ),
    ("legs.0.segments.1.name", "coxa", "has two segments of leg 'front' called 'coxa'; names"),
    ("legs.0.segments.0.joint.axis", [0, 0, 0], "must point somewhere, as [0, 0, 1]"),
    ("legs.0.segments.0.joint.min_deg", 90, "has a min_deg of 90 and a max_deg of 60; valid: min"),
    ("legs.0.segments.1.joint.max_deg", 10, "has angles out of order: min_deg -30, min_range_deg"),
    ("legs.0.segments.1.joint.min_range_deg", 40, "valid: each at least the one before"),
    ("legs.0.segments.0.radius", 5, "with a radius of 5 cm; valid: up to 2.9, the length of leg"),
    ("legs.0.comfort_range", 2, "has a comfort_range of 2 cm, and a leg 'front' of 2.9 cm; valid"),
    ("legs.0.at", [0, 0, 90], "has leg 'front' at 90 cm from the thorax; valid: within 4.5, 3 tim"),
    ("legs.0.stance", [9, 0, 0], "whose stance asks it to reach 9"),
    ("thorax.elevation", 4, f"has a thorax.elevation of 4 cm, and {FEET} 0.42 to 1.58, by the com"),
    ("thorax.mass", 500, "has a mass of the thorax of 500 g, and 0.471 cm³ of it; valid: from 0.0"),
    ("abdomen.mass", 1e-6, "has a mass of the abdomen of 1e-06 g, and 0.188 cm³ of it; valid: fro"),
    ("limb_seg_mass", 9, "has a limb_seg_mass of 9 g, and 0.00759 cm³ of it; valid: from 7.59"),
    ("legs.0.segment_mass", 9, "has a segment_mass of leg 'front' of 9 g"),
    ("parts.0.name", "thorax", "has two parts called 'thorax'; names must differ"),
    ("parts.0.at", [0, 70, 0], "has part 'head' at 70 cm from the thorax; valid: within 4.5"),
    ("appendages.0.parent", "tail", "has an appendage 'palp' on 'tail', which it does not have; v"),
    ("appendages.0.sides", ["middle", "left"], "valid: sides: [middle], or of left and right"),
    ("appendages.0.sides", ["left", "left"], "has two sides of 'palp' called 'left'; names must"),
    ("appendages.0.sequence.keys.1.time", 0, "has keys at 0, 0; valid: times that rise"),
    ("appendages.0.sequence.keys.1.angles_deg", [1, 2], "valid: as many as 'palp' has segments, 1"),
    ("steering.behaviour", "path", None),  # a path is there
    ("steering", {"behaviour": "path"}, "has behaviour path and no path; valid: path: [[x, y, z]"),
    ("steering", {"behaviour": "flee"}, "has behaviour flee and no target; valid: target: [x, y,"),
    ("steering.target", "food_1", None),
    ("steering.target", [1, 2], "steering.target must be a place [x, y, z] of numbers from"),
    ("steering.max_speed", 2000, "legs of 2.9 cm; valid: up to 580, 200 leg lengths per second"),
    ("stepping", {"min_step_height": 2, "max_step_height": 1}, "valid: a min_step_height up to 1"),
    ("stepping", {"min_step_duration": 2, "max_step_duration": 1}, "a min_step_duration up to 1"),
    ("stepping", {"max_step_height": 9}, "valid: up to 2.9, the mean length of its legs"),
    ("stepping", {"bezier": [[0, 0], [0.5, -1], [1, 0]]}, "never lifts it; valid: [[0, 0], ...] w"),
    ("grip", {"full_deg": 100}, "has a full_deg of 100 and a none_deg of 90; valid: a full_deg up"),
    ("scale", 0.001, "has a scale of 0.001, which makes legs of 0.0029 cm; valid: from 0.0069"),
]


@pytest.mark.parametrize(("path", "value", "expected"), MISTAKES)
def test_numbers_that_do_not_fit_together(tmp_path, path, value, expected):
    line = find_mistake(tmp_path, put(FULL, way(path), value))
    assert (line is None) if expected is None else (line is not None and expected in line), line


def test_feet_above_the_thorax_are_refused(tmp_path):
    up = [segment("only", 2, rest_deg=40)]
    line = find_mistake(tmp_path, {**SMALL, "legs": [leg("a", segments=up), leg("b", segments=up)]})
    assert "cm above the middle of the thorax in the default pose; valid: rest_deg of" in line


@pytest.mark.parametrize("name", CLIMBERS)
def test_a_species_comes_back_from_a_recording(name):
    species = load(name)
    again = KINDS["climber"].model_validate(species.model_dump(mode="json", by_alias=True))
    assert again == species


@pytest.mark.parametrize("name", CLIMBERS)
def test_legs_can_keep_up_with_the_speed(name):
    """While a foot is in the air, half of its path, the body goes no farther than the leg is
    comfortable with."""
    species = load(name)
    comfort = min(one.comfort_range for one in species.legs)
    most = comfort / species.steering.max_speed
    assert 0.5 * species.stepping.min_step_duration <= most * (1 + 1e-9)


def test_what_is_left_out_follows_from_legs_and_speed():
    species = ClimberSpec.model_validate(SMALL)
    assert species.thorax.elevation == pytest.approx(1.0)  # 1 sin 30 - 1.5 sin 90
    assert species.thorax.mass == pytest.approx(3.141592653589793 / 6 * 1.5 * 0.6 * 1.0)
    assert species.steering.max_speed == pytest.approx(1.5 * 2.9)
    assert species.thorax.orientation_rate_c2**2 == pytest.approx(
        4 * species.thorax.orientation_rate_c1  # critical
    )
    fast = ClimberSpec.model_validate({**SMALL, "steering": {"max_speed": 20}})
    assert fast.stepping.min_step_duration < species.stepping.min_step_duration
    assert fast.detail.switch_speed == pytest.approx(9)


TABLE = """Scale Initial_position Initial_orientation Thorax_mass Abdomen_mass Limb_seg_mass
Max_speed
Max_acceleration Acceleration_rate Deceleration_rate Turn_rate_c1 Turn_rate_c2 Wander_displacement
Wander_radius Steering_rate Proximity_brake_max Sense_range Sense_angle Sense_fov Sense_density
Max_radial_scale Min_radial_scale IK_rate Max_step_height Min_step_height Max_step_duration
Min_step_duration Termination_sensitivity Thorax_elevation Orientation_rate_c1 Orientation_rate_c2
Frontal_limb_bias Update_on_termination Stance Comfort_range"""  # Cenydd 2012 table I, but joints


def test_the_page_tells_of_every_field_and_its_example_walks(tmp_path):
    page = (HOME / "docs" / "climbers.md").read_text()
    for path, _ in FIELDS:
        name = [step for step in path if isinstance(step, str)][-1]
        assert re.search(rf"\b{name}\b", page), path
    for name in TABLE.split():
        assert re.search(rf"\b{name}\b", page), name
    own = page[page.index("## The attribute file") :]
    example = re.search(r"```yaml\n(.*?)```", own, re.DOTALL)[1]
    (tmp_path / "walker.yaml").write_text(example)
    species = load(str(tmp_path / "walker.yaml"))
    assert species.thorax.elevation == pytest.approx(1.0)


THING = {"kind": "object", "title": "A thing", "shape": "cylinder", "radius": 1, "length": 4}
THING_MISTAKES = [
    ("shape", "cone", "shape must be one of box, sphere, cylinder; found the text 'cone'"),
    ("radius", -1, "radius must be a number from 0.001 to 1,000; found -1"),
    ("size", [1, 1, 1], "is a cylinder with a size; valid: radius and length"),
    ("length", None, "is a cylinder with no length; valid: radius and length"),
    ("mass", 1e5, "has a mass of 1e+05 g, and 12.6 cm³ of it; valid: from 0.126 to 377 g"),
    ("density", 99, "density must be a number from 0.01 to 30; found 99"),
    ("friction", "much", "friction must be a number from 0 to 100; found the text 'much'"),
]


@pytest.mark.parametrize(("path", "value", "expected"), THING_MISTAKES)
def test_mistakes_of_things(tmp_path, path, value, expected):
    assert expected in find_mistake(tmp_path, {**THING, path: value})


def test_things_weigh_by_their_shapes():
    box = ObjectSpec(kind="object", title="t", shape="box", size=(1, 2, 3), density=2)
    ball = ObjectSpec(kind="object", title="t", shape="sphere", radius=1.0, density=1)
    log = ObjectSpec.model_validate({**THING, "density": 0.5})
    assert box.weight == pytest.approx(12) and box.box == (1, 2, 3)
    assert ball.weight == pytest.approx(4 / 3 * 3.14159265) and ball.box == (2, 2, 2)
    assert log.weight == pytest.approx(0.5 * 3.14159265 * 4) and log.box == (4, 2, 2)
    assert isinstance(load("block"), ObjectSpec) and load("pebble").weight < load("block").weight
