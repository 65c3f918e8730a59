"""Every mistake in a scene gives one line: the file, the field, what was found, what is valid."""

import copy
import os
from pathlib import Path

import pytest
import yaml

from skitter.errors import UserError
from skitter.scene.load import Scene, load_scene

SCENE = {
    "title": "A test",
    "seconds": 1,
    "terrain": [{"shape": "plane", "friction": 0.5}],
    "creatures": [{"species": "chain", "at": [0, 3, 0]}],
}
SCENE_KEYS = (
    "valid keys: title, source, seconds, frame_rate, time_step, gravity, precision,"
    " terrain, creatures, obstacles, food, water, nest, trails, crowd, camera"
)
BOX = {"name": "box", "shape": "box", "size": [1, 1, 1]}
FIGURE = {"kind": "figure", "title": "A box", "parts": [BOX]}


def refuse(source, *overrides) -> str:
    """The line with which the scene is refused."""
    with pytest.raises(UserError) as caught:
        load_scene(source, overrides=overrides)
    line = str(caught.value)
    assert "\n" not in line and line.isprintable()
    return line


def write(path: Path, content: object) -> Path:
    """A file with these bytes, this text, or this tree as YAML."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def change(tree, path: str, value):
    """A copy of the tree with the value put at a path such as `terrain.0.friction`."""
    tree = copy.deepcopy(tree)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    here = tree
    for step in way:
        here = here[step]
    here[last] = value
    return tree


FIELD_MISTAKES = [
    ("gravty", 9.8, f"gravty is not a known key; did you mean 'gravity'? {SCENE_KEYS}"),
    ("zzz", 1, f"zzz is not a known key; {SCENE_KEYS}"),
    (
        "terrain.0.fricton",
        1,
        "terrain[0].fricton is not a known key; did you mean 'friction'?"
        " valid keys: friction, restitution, colour, shape, at, normal",
    ),
    ("title", None, "title must be text of 1 to 200 characters; found nothing"),
    ("seconds", "4", "seconds must be a number more than 0 and at most 1,000,000; found the text"),
    ("seconds", True, "seconds must be a number more than 0 and at most 1,000,000; found true"),
    ("seconds", [4], "at most 1,000,000; found a list of 1 item"),
    ("seconds", 0, "at most 1,000,000; found 0"),
    ("seconds", 10**30, "at most 1,000,000; found 1e+30"),
    ("time_step", "1/0", "time_step must be a number from 1e-07 to 0.1; found the text '1/0'"),
    ("terrain.0.friction", -1, "terrain[0].friction must be a number from 0 to 100; found -1"),
    ("terrain.0.friction", float("nan"), "terrain[0].friction must be a number from 0 to 100; fo"),
    ("terrain.0.friction", float("inf"), "found inf"),
    ("terrain.0.colour", "red", "terrain[0].colour must be a colour such as '#5b6770'; found the"),
    ("terrain.0.normal", [0, 0, 0], "terrain[0].normal must point somewhere, as [0, 1, 0] poi"),
    (
        "terrain.0.shape",
        "plan",
        "terrain[0].shape must be one of plane, box, sphere, cylinder, logs, heightfield, mesh;"
        " did you mean 'plane'? found the text 'plan'",
    ),
    ("terrain.0", {}, "terrain[0].shape is missing; valid: one of plane, box, sphere, cylinder"),
    ("terrain.0", 3, "terrain[0] must be a mapping with shape: one of plane, box, sphere, cyl"),
    ("terrain", {}, "terrain must be a list of at most 1000 items; found a mapping of 0 keys"),
    (
        "terrain.0",
        {"shape": "box", "at": [0, 0, 0]},
        "terrain[0].size is missing; valid: a list of 3 numbers from 0.0001 to 100,000",
    ),
    (
        "creatures.0.at",
        [1, 2],
        "creatures[0].at must be a list of 3 numbers from -1,000,000 to 1,000,000;"
        " found a list of 2 items",
    ),
    ("creatures.0.at", [1, 2, 3, 4], "found a list of 4 items"),
    ("creatures.0.at", ["a", 2, 3], "creatures[0].at[0] must be a number from -1,000,000 to"),
    ("creatures.0.name", "A b", "creatures[0].name must be a name of small letters, digits and _"),
    ("creatures", [], "creatures must be a list of 1 to 256 items; found a list of 0 items"),
    ("creatures.0", "chain", "creatures[0] must be a mapping with the keys species, name, at,"),
    ("camera", {"follow": "yes"}, "camera.follow must be true or false; found the text 'yes'"),
    ("precision", "float16", "precision must be one of float32, float64; found the text 'float16'"),
    (
        "creatures.0.species",
        "chian",
        "creatures[0].species: there is no species 'chian'; did you mean 'chain'?"
        " valid: ant, beetle, block, c_elegans, c_elegans_muscles, c_elegans_reflex,"
        " ceiling_light, centipede18, chain, crab, cube, eel, giant_centipede, house_centipede,"
        " house_spider, huntsman, jelly_cube, log, millipede, muscle_chain, pauropod, pebble,"
        " plank, roach, robot, scorpion, skitterling, stick_insect, tarantula,"
        " waterfall_centipede, wire, or the path of a .yaml file",
    ),
    ("creatures.0.species", "/dev/zero", "creatures[0].species: /dev/zero: is not a regular file"),
    ("creatures.0.species", "a.yaml", "a.yaml: cannot be read: there is no such file"),
    (
        "creatures.0.with",
        {"material": {"yung": 1}},
        "creatures[0].with.material.yung is not a known key; did you mean 'young'?"
        " valid keys: young, poisson, density, damping",
    ),
    (
        "creatures.0.with",
        {"parts": {"0": {"joint": {"cells": [2, 2, 2.5]}}}},
        "creatures[0].with.parts[0].joint.cells[2] must be a whole number from 1 to 64; found 2.5",
    ),
    (
        "creatures.0.with",
        {"parts": {"tail": {"repeat": 2}}},
        "creatures[0].with names the list item 'tail', which the species does not have;"
        " valid: an index from 0, or a part's name",
    ),
    ("time_step", 0.1, "time_step must be at most 0.0166667, the length of a frame"),
    ("seconds", 1e6, "seconds asks for 60,000,000 frames (seconds × frame_rate); valid: at most"),
]


@pytest.mark.parametrize(("path", "value", "expected"), FIELD_MISTAKES)
def test_field_mistake(tmp_path, path, value, expected):
    file = write(tmp_path / "scene.yaml", change(SCENE, path, value))
    line = refuse(file)
    assert line.startswith(f"{file}: ")
    assert expected in line


def test_missing_key(tmp_path):
    tree = {key: value for key, value in SCENE.items() if key != "creatures"}
    file = write(tmp_path / "scene.yaml", tree)
    assert refuse(file) == f"{file}: creatures is missing; valid: a list of 1 to 256 items"


def test_misspelt_key_is_named_before_what_it_leaves_out(tmp_path):
    tree = {"creatres" if key == "creatures" else key: SCENE[key] for key in SCENE}
    line = refuse(write(tmp_path / "scene.yaml", tree))
    assert "creatres is not a known key; did you mean 'creatures'?" in line
    assert line.endswith("(and 1 more mistake)")


FILE_MISTAKES = [
    ("title: [1\nb: 2\n", "is not valid YAML in line 2, column 2: did not find expected"),
    ("title: a\ntitle: b\n", "line 2: key 'title' appears twice; valid: once"),
    ("", "must be a mapping with the keys title, source,"),
    ("just text", "found the text 'just text'"),
    ("a: 1\n---\nb: 2\n", "line 2: a second YAML document starts here; valid: exactly one"),
    ("title: \x01\n", "is not valid YAML: control characters are not allowed"),
    (b"title: \xff\xfe\n", "is not UTF-8 text (byte 7); valid: a YAML text file"),
    (os.urandom(3000) + b"\xff", "is not UTF-8 text"),
    ("title: " + "[" * 100_000, "is nested too deeply; valid: at most 32 levels"),
    ("- " * 50_000, "is nested too deeply"),
    ("a: [" + "1," * 200_000 + "]", "holds too many values; valid: at most 100,000"),
    ("a: *b\n", "line 1: alias *b has no anchor &b before it"),
    ("a: &a [*a]\n", "alias *a has no anchor &a before it"),
    ("? [a, b]\n: 1\n", "line 1: a key must be plain text"),
    (
        "a: !!python/object/apply:os.system ['echo no']\n",
        "line 1: tag '!!python/object/apply:os.system' is not allowed; valid: the plain value",
    ),
    ("seconds: .nan\ntitle: a\ncreatures: [{species: chain}]\n", "found nan"),
    ("seconds: -.inf\ntitle: a\ncreatures: [{species: chain}]\n", "found -inf"),
    ("seconds: " + "9" * 9000 + "\ntitle: a\ncreatures: [{species: chain}]\n", "found inf"),
]


@pytest.mark.parametrize(("content", "expected"), FILE_MISTAKES)
def test_file_mistake(tmp_path, content, expected):
    file = write(tmp_path / "scene.yaml", content)
    line = refuse(file)
    assert line.startswith(f"{file}: ")
    assert expected in line


def test_yaml_bomb_is_refused_at_once(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    line = refuse(write(tmp_path / "scene.yaml", "\n".join(lines)))
    assert "holds too many values; valid: at most 100,000" in line


def test_huge_file_is_not_read(tmp_path):
    file = tmp_path / "scene.yaml"
    with file.open("wb") as handle:
        handle.truncate(1 << 30)
    assert refuse(file) == f"{file}: is too large (1,073,741,824 bytes); valid: at most 1,048,576"


def test_missing_file_directory_and_pipe(tmp_path):
    missing = tmp_path / "no.yaml"
    assert refuse(missing) == f"{missing}: cannot be read: there is no such file"
    assert refuse(tmp_path) == f"{tmp_path}: is a directory; valid: a YAML file"
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert refuse(pipe) == f"{pipe}: is not a regular file; valid: a YAML file"


def test_unknown_scene_lists_the_names():
    expected = "there is no scene 'faling_chain'; did you mean 'falling_chain'? valid: amphibious"
    assert expected in refuse("faling_chain")
    assert refuse("x" * 9000).startswith(f"there is no scene '{'x' * 60}…'; valid: ")


def test_names_cannot_break_the_line(tmp_path):
    line = refuse(write(tmp_path / "a\nb\x1b[31m.yaml", "tit\x85le: 1"))
    assert "a b\\x1b[31m.yaml" in line


OVERRIDE_MISTAKES = [
    ("terrain.0.friction=-1", "terrain[0].friction must be a number from 0 to 100; found -1"),
    ("terrain[0].friction=x", "terrain[0].friction must be a number from 0 to 100; found the text"),
    ("terain.0.friction=1", "terain is not a known key; did you mean 'terrain'? valid keys: title"),
    ("terrain.3.friction=1", "terrain has 1 item, not '3'; valid: 0 to 0"),
    ("seconds.0=1", "seconds is 1, without any fields"),
    ("seconds=", "seconds must be a number more than 0 and at most 1,000,000; found nothing"),
    ("seconds=[1", "is not valid YAML"),
    ("seconds", "is not understood; valid: path=value, for example terrain.0.friction=0.2"),
    ("a..b=1", "is not understood; valid: path=value, for example terrain.0.friction=0.2"),
    ("creatures.0.with.material.young=-1", "creatures[0].with.material.young must be a number"),
    ("creatures.0.species=chian", "creatures[0].species: there is no species 'chian'; did you"),
    ("creatures.0.with.parts.0.joint.cells=[24,24,24]", "creatures[0] asks for 13,824 cells in a"),
    ("time_step=1e-7", "time_step asks for 166,667 time steps in a frame; valid: at most 100,000"),
    ("seconds=\ud800", "is not valid Unicode text"),
]


@pytest.mark.parametrize(("override", "expected"), OVERRIDE_MISTAKES)
def test_override_mistake(override, expected):
    line = refuse(SCENE, override)
    assert line.startswith(f"--set {override}: ".replace("\ud800", "\\ud800"))
    assert expected in line


def test_the_wrong_one_of_several_overrides_is_blamed():
    line = refuse(SCENE, "seconds=2", "gravty=3", "frame_rate=30")
    assert line.startswith("--set gravty=3: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("head={threshold: 0.9}", "head.threshold is not a known key; valid keys: step, stance"),
        ("head=3", "head must be a mapping with the keys step, stance; found 3"),
        ("head={step: [], stance: 1}", "head.step must be a list of mappings with the keys share"),
        ("={A B: {}}", "programs.A B must be a name of small letters"),
    ],
)
def test_mistakes_within_a_mapping_of_names_are_told(change, words):
    """As it was found: motor programs, by the names of legs, ended in a traceback."""
    path = "creatures.0.with.gait.programs" + ("" if change.startswith("=") else ".")
    assert words in refuse("roach_tripod", f"{path}{change}")


def test_overrides_reach_defaults_lists_and_species():
    overrides = ["creatures.0.velocity.1=5", "terrain.0.friction=1/4", "camera.zoom=2"]
    overrides += ["creatures.0.with.material.young=8000", "creatures.0.with.parts.segment.repeat=3"]
    scene = load_scene(SCENE, overrides=overrides)
    assert scene.spec.creatures[0].velocity == (0, 5, 0)
    assert scene.spec.terrain[0].friction == 0.25
    assert scene.spec.camera.zoom == 2
    assert scene.species[0].material.young == 8000
    assert scene.species[0].parts[0].repeat == 3


def test_overrides_name_list_items():
    scene = load_scene("jelly_drop", overrides=["creatures.softest.at.0=7"])
    assert scene.spec.creatures[0].at[0] == 7
    line = refuse("jelly_drop", "creatures.softst.at.0=7")
    assert "creatures has 5 items, not 'softst'; did you mean 'softest'? valid: 0 to 4" in line


def test_species_file_is_found_beside_the_scene(tmp_path):
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine" / "brick.yaml", FIGURE)
    file = write(tmp_path / "scene.yaml", change(SCENE, "creatures.0.species", "mine/brick.yaml"))
    scene = load_scene(file)
    assert scene.creature_names == ["brick"]
    assert scene.species[0].parts[0].size == (1, 1, 1)


SPECIES_MISTAKES = [
    (
        "kind",
        "snail",
        "kind must be one of articulated, climber, figure, myriapod, object, swimmer, worm;"
        " found the text 'snail'",
    ),
    ("parts.0.size", [1, -1, 1], "parts[0].size[1] must be a number from 0.001 to 1,000; found"),
    ("parts.0.face", "x", "parts[0].face must be one of +x, -x, +y, -y, +z, -z; found the text"),
    ("parts", [BOX, BOX], "has two parts called 'box'; names must differ"),
    ("parts", [BOX, {**BOX, "name": "b"}], "has a part 'b' with no parent; valid: parent: one of"),
    (
        "parts",
        [BOX, {**BOX, "name": "b", "parent": "c"}],
        "has a part 'b' that hangs on 'c', which is not before it; parts before it: box",
    ),
]


@pytest.mark.parametrize(("path", "value", "expected"), SPECIES_MISTAKES)
def test_species_mistake(tmp_path, path, value, expected):
    species = write(tmp_path / "brick.yaml", change(FIGURE, path, value))
    line = refuse(change(SCENE, "creatures.0.species", str(species)))
    assert line.startswith(f"{species}: ")
    assert expected in line


def test_dict_with_foreign_or_endless_values():
    assert refuse(change(SCENE, "seconds", object())).startswith(
        "scene: seconds is a object; valid"
    )
    endless = copy.deepcopy(SCENE)
    endless["camera"] = endless
    assert "is too large or nested too deeply" in refuse(endless)
    assert "found inf" in refuse(change(SCENE, "seconds", 10**400))


def test_same_name_twice():
    twice = [{"species": "chain", "name": "a"}, {"species": "chain", "name": "a"}]
    line = refuse(change(SCENE, "creatures", twice))
    assert line == "scene: creatures[1].name is 'a' a second time; names must differ"


def test_names_are_numbered_where_they_are_taken():
    creatures = [{"species": "chain"}, {"species": "chain"}, {"species": "chain", "name": "chain"}]
    scene = load_scene(change(SCENE, "creatures", creatures))
    assert scene.creature_names == ["chain_2", "chain_3", "chain"]


def test_numbers_as_people_write_them(tmp_path):
    text = "title: t\ntime_step: 1/3000\nseconds: 1e-1\ngravity: 9.8\ncreatures: [{species: chain}]"
    scene = load_scene(write(tmp_path / "scene.yaml", text))
    assert (scene.spec.time_step, scene.spec.seconds) == (1 / 3000, 0.1)
    assert (scene.steps_per_frame, scene.frame_count) == (50, 6)


def test_step_is_a_whole_part_of_a_frame():
    scene = load_scene({**SCENE, "time_step": 1 / 1000})
    assert scene.steps_per_frame == 17
    assert scene.step == pytest.approx(1 / 1020)


@pytest.mark.parametrize("name", ["falling_chain", "ceiling_light", "jelly_drop"])
def test_a_scene_survives_as_a_dict(name):
    scene = load_scene(name)
    assert Scene.from_dict(scene.to_dict()) == scene
