"""What is probably not meant gets a warning, what cannot be meant is refused."""

import json
import warnings

import pytest

import skitter
from skitter import SkitterWarning
from skitter.cli import main
from skitter.control.crawl import FASTEST
from skitter.creatures.climber import company, engine
from skitter.errors import UserError
from skitter.scene.load import load_scene
from skitter.species.facts import ENGINE_STEP, WORM_FASTEST
from skitter.start import list_doubts
from skitter.world import World

PLANE = [{"shape": "plane"}]
STUMP = [  # too thin for eight feet, and 60 cm above the floor
    {"shape": "plane", "at": [0, -60, 0]},
    {"shape": "cylinder", "at": [0, -0.5, 0], "radius": 0.6, "length": 1},
]


def scene(species, terrain=PLANE, *, also=(), keys=None, **placement):
    return {
        "title": "one",
        "seconds": 0.1,
        "terrain": terrain,
        "creatures": [{"species": species, "name": "one", **placement}, *also],
        **(keys or {}),
    }


def build(source, seed=0) -> list[str]:
    """The warnings of a world."""
    world = World(load_scene(source), seed=seed)
    world.close()
    return world.warnings


def led(*commands):
    return {"commands": [dict(zip(("time", "speed"), one, strict=True)) for one in commands]}


DOUBTS = [
    (
        scene("giant_centipede", []),
        "there is no terrain, so 'one' will fall without end;"
        " valid: terrain: [{shape: plane}], water, or gravity: 0",
    ),
    (
        scene("tarantula", **led((0, 4)), **{"with": {"steering": {"path": [[9, 0, 0]]}}}),
        "creatures[0] has commands, which lead 'one', so its steering (path) does nothing;"
        " valid: one of them",
    ),
    (
        scene("giant_centipede", **led((0, 4), (1, 5000))),
        "creatures[0].commands[1] asks 5000 cm/s of 'one', which goes",
    ),
    (scene("tarantula", **led((0, 900))), "creatures[0].commands[0] asks 900 cm/s of 'one'"),
    (scene("roach", **led((0, 900))), "creatures[0].commands[0] asks 900 cm/s of 'one'"),
    (scene("c_elegans", **led((0, 900))), "creatures[0].commands[0] asks 900 cm/s of 'one'"),
    (
        scene("roach", keys={"time_step": 0.001}),
        "time_step 0.001 changes nothing: 'one' takes steps of 0.00025 s, its own;"
        " valid: creatures[0].with.solver.time_step, or no time_step",
    ),
    (
        scene("tarantula", keys={"time_step": 0.001}),
        "time_step 0.001 changes nothing: 'one' takes steps of 0.002 s, its own;"
        " valid: no time_step",
    ),
    (
        scene("c_elegans", keys={"time_step": 0.001}),
        "valid: creatures[0].with.time_step, or no time_step",
    ),
]


@pytest.mark.parametrize(("source", "expected"), DOUBTS)
def test_doubts(source, expected):
    (line,) = list_doubts(load_scene(source))
    assert expected in line


MEANT = [
    scene("giant_centipede", [], keys={"gravity": 0}),  # in space
    scene("eel", [], keys={"water": {"waves": False}}),
    scene("ceiling_light", []),  # its top is fixed
    scene("wire", []),  # it hangs on the world
    scene("chain", [], held=["link_1"]),
    scene("giant_centipede", **led((0, 4), (1, 8))),
    scene("tarantula", **led((0, 4))),
    scene("tarantula", keys={"time_step": 0.002}),  # as it is anyhow
    scene("roach", keys={"time_step": 0.001}, also=[{"species": "chain", "at": [0, 9, 9]}]),
]


@pytest.mark.parametrize("source", MEANT)
def test_what_can_well_be_meant_is_no_doubt(source):
    if source["creatures"][0].get("held"):
        part = load_scene(source | {"creatures": [{"species": "chain"}]}).species[0].parts[0].name
        source["creatures"][0]["held"] = [part]
    assert list_doubts(load_scene(source)) == []


def test_a_seed_is_for_what_is_random():
    line = "seed 5 changes nothing: nothing in this scene is random; valid: no seed"
    assert list_doubts(load_scene(scene("roach")), 5) == [line]
    assert list_doubts(load_scene(scene("chain", start="free")), 5) == [line]
    assert list_doubts(load_scene(scene("roach")), 0) == []
    for source in [
        scene("giant_centipede"),
        scene("tarantula"),
        scene("chain", velocity_noise=1),
        scene("roach", keys={"food": [{"count": 3, "area": [9, 9]}]}),
        scene("roach", keys={"obstacles": [{"shape": "scatter", "count": 2, "area": [30, 30]}]}),
        scene("roach", keys={"water": {"rain": 3, "level": -5}}),
    ]:
        assert list_doubts(load_scene(source), 5) == []


def test_the_steps_and_speeds_that_are_told_are_those_that_are_taken():
    assert ENGINE_STEP == company.STEP == engine.STEP
    assert WORM_FASTEST == FASTEST


@pytest.mark.parametrize(
    "species", ["giant_centipede", "tarantula", "roach", "c_elegans", "pebble"]
)
def test_a_start_deep_under_ground(species):
    (line,) = build(scene(species, at=[0, -40, 0]))
    assert (
        "creatures[0].at is 40 cm inside terrain[0], a plane; 'one' begins on its surface" in line
    )
    assert "valid: a place outside" in line
    assert build(scene(species, at=[0, 40, 0])) == []


@pytest.mark.parametrize("species", ["tarantula", "roach", "c_elegans", "pebble"])
def test_a_free_start_under_ground_is_refused(species):
    with pytest.raises(UserError, match="puts all of 'one' inside the terrain, up to 4"):
        build(scene(species, at=[0, -40, 0], start="free"))
    assert build(scene(species, at=[0, 9, 0], start="free")) == []


def test_a_climber_that_cannot_stand_is_told_and_has_fallen():
    with pytest.warns(SkitterWarning, match="'one' cannot stand there and falls: fewer than half"):
        recording = skitter.run(scene("tarantula", STUMP), seconds=0.2)
    assert recording["one.gravity_on"][0]
    assert recording.measure()["one.falls"].value == 1
    dropped = skitter.run(scene("tarantula", at=[0, 9, 0], start="free"), seconds=0.2)
    assert dropped.measure()["one.falls"].value == 0  # it had no hold to lose


ERRORS = [
    (
        scene("tarantula", **{"with": {"steering": {"behaviour": "seek", "target": "ghost"}}}),
        "creatures[0] has the target 'ghost', which names no other creature of this scene;"
        " valid: a place",
    ),
    (
        scene(
            "tarantula",
            also=[{"species": "ant", "name": "guest", "at": [9, 0, 0]}],
            **{"with": {"steering": {"behaviour": "flee", "target": "gest"}}},
        ),
        "did you mean 'guest'? valid: guest, or a place",
    ),
    (
        scene("tarantula", **{"with": {"steering": {"behaviour": "seek", "target": "one"}}}),
        "names no other creature",
    ),
    (
        scene("giant_centipede", **led((0, 4), (3, 2), (1, 4))),
        "creatures[0].commands[2].time must be later than that of the command before it, 3;"
        " found 1",
    ),
    (scene("giant_centipede", **led((1, 4), (1, 2))), "commands[1].time must be later"),
]


@pytest.mark.parametrize(("source", "expected"), ERRORS)
def test_what_cannot_be_meant_is_refused(source, expected):
    with pytest.raises(UserError) as caught:
        load_scene(source)
    assert expected in str(caught.value)


def test_the_command_line_tells_each_warning_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = ["run", "roach_tripod", "--seed", "5", "--seconds", "0.05", "--set", "time_step=0.001"]
    expected = [
        "time_step 0.001 changes nothing: 'roach' takes steps of 0.00025 s, its own;"
        " valid: creatures[0].with.solver.time_step, or no time_step",
        "seed 5 changes nothing: nothing in this scene is random; valid: no seed",
    ]
    assert main([*run, "-o", "a", "--json"]) == 0
    output, errors = capsys.readouterr()
    assert json.loads(output)["warnings"] == expected
    assert errors == "".join(f"skitter: warning: {line}\n" for line in expected)
    assert main(["run", "roach_tripod", "--seconds", "0.05", "-o", "b", "--json"]) == 0
    output, errors = capsys.readouterr()
    assert json.loads(output)["warnings"] == [] and errors == ""


def test_python_gets_warnings_of_its_own_kind():
    with pytest.warns(SkitterWarning, match="there is no terrain"):
        World.from_scene(scene("chain", [])).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World.from_scene(scene("chain", at=[0, 9, 0])).close()
