"""Who is lost, fallen or stuck, on tracks worked out by hand, and in runs that end badly."""

import json
import warnings

import numpy as np
import pytest
from fake_recordings import FakeRecording, quaternion

import skitter
from corpus import CORPUS
from skitter import SkitterWarning
from skitter.cli import main
from skitter.measure.behaviour import BEHAVIOURS
from skitter.measure.fate import find_fates
from skitter.scene.load import load_scene
from skitter.terrain import build_terrain

RATE, SECONDS = 60, 12
TIME = np.arange(RATE * SECONDS + 1) / RATE
LENGTH = 2.0  # cm, of all animals here
PLANE = [{"shape": "plane"}]
PLATE = [{"shape": "box", "at": [0, -1, 0], "size": [20, 2, 20]}]
G = 981.0


def tell(path, terrain=PLANE, *, kind="figure", turn=0.0, statics=None, scene=None, **channels):
    """The fate of one box on a path [frame, 3], turned about x by an angle [frame], in words."""
    recording = FakeRecording(RATE, len(path), terrain)
    spec = {"title": "one", "terrain": terrain, "creatures": [{"species": "chain"}]}
    recording.scene |= {"gravity": G, "water": None} | (scene or {})
    places = np.asarray(path, float)[:, None]
    turned = quaternion([1.0, 0, 0], np.broadcast_to(turn, len(path)).astype(float))[:, None]
    shape = {"body_length": LENGTH, "body_mass": np.ones(1)}
    values = {"body_position": places, "body_orientation": turned, **channels}
    recording.add_creature("one", {}, values, shape | (statics or {}))
    recording.creatures[0]["kind"] = kind
    ground = build_terrain(load_scene(spec).spec.terrain)
    return [str(fate) for fate in find_fates(recording, ground)]


def rest(at=(0.0, 1.0, 0.0)):
    return np.tile(np.asarray(at, float), (len(TIME), 1))


def along(speed):
    return rest() + speed * TIME[:, None] * [1.0, 0, 0]


def since(moment, before, after):
    """One value until a moment, another from then on [frame]."""
    return np.where(moment > TIME, before, after)


# --- lost ------------------------------------------------------------------------------------


def walk_off(speed=5.0):
    """Over the edge of the plate at 2 s, and then as a stone falls."""
    path = along(speed)
    path[:, 1] -= G / 2 * np.maximum(TIME - 10 / speed, 0) ** 2
    return path


def test_one_that_fell_off_a_plate_is_lost():
    """Three lengths below the plate, 9 cm down, it is out of reach: after 0.14 s."""
    (line,) = tell(walk_off(), PLATE)
    assert line == "one: lost, falling since 2.2 s (nothing is below it)"


def test_one_that_falls_to_something_is_not_lost():
    path = rest()
    path[:, 1] = 150 - TIME * 10  # slowly, all the time
    assert tell(path) == []
    assert tell(path, PLATE) == []
    assert tell(path + np.array([30.0, 0, 0]), PLATE) == [
        "one: lost, falling since 0 s (nothing is below it)"
    ]


def test_nothing_at_all_to_stand_on():
    path = rest()
    path[:, 1] -= G / 2 * TIME**2
    assert tell(path, []) == ["one: lost, falling since 0 s (nothing is below it)"]
    assert tell(path, [], scene={"gravity": 0.0}) == []
    assert tell(rest(), []) == []  # it hangs somewhere
    assert tell(path, [], statics={"body_fixed": np.ones(1)}) == []


def test_one_that_sinks_swims_until_it_is_below_the_water():
    path = rest()
    path[:, 1] = -TIME
    water = {"water": {"level": 0.0, "depth": 8.0}}
    assert tell(path, [], scene=water) == []
    path[:, 1] = -10 * TIME
    assert tell(path, [], scene=water) == ["one: lost, falling since 2 s (nothing is below it)"]


def test_one_that_went_through_the_ground_is_lost():
    path = rest()
    path[:, 1] = since(3.0, 1.0, -5.0)
    assert tell(path) == ["one: lost, inside the terrain since 3 s"]
    path[:, 1] = since(3.0, 1.0, -1.5)  # less than its length
    assert tell(path) == []


def test_one_that_was_flung_away_is_lost():
    path = rest()
    path[:, 1] = 1 + 100 * TIME
    (line,) = tell(path)
    assert line.startswith("one: lost, 1,201 cm from everything")
    path[:, 1] = 1 + 10 * TIME
    assert tell(path) == []


def test_a_recording_of_two_frames_is_enough():
    path = rest()[:2]
    assert tell(path) == []
    assert tell(path - [[0.0, 9.0, 0.0]]) == ["one: lost, inside the terrain since 0 s"]


# --- fallen ----------------------------------------------------------------------------------


LEGS = {"leg_state": np.zeros((len(TIME), 6))}


def test_one_on_its_back_or_side_is_fallen_after_three_seconds():
    on_back = since(7.0, 0.0, np.pi)
    assert tell(rest(), turn=on_back, **LEGS) == ["one: fallen, on its back since 7 s"]
    on_side = since(7.0, 0.0, np.radians(90))
    assert tell(rest(), turn=on_side, **LEGS) == ["one: fallen, on its side since 7 s"]
    assert tell(rest(), turn=since(7.0, 0.0, np.radians(70)), **LEGS) == []
    assert tell(rest(), turn=since(10.0, 0.0, np.pi), **LEGS) == []  # it may get up yet
    assert tell(rest(), turn=since(7.0, np.pi, 0.0), **LEGS) == []  # it has got up
    assert tell(rest(), turn=on_back) == []  # without legs there is no up


def test_one_below_a_ceiling_hangs_as_it_should():
    ceiling = [{"shape": "box", "at": [0, 7, 0], "size": [50, 2, 50]}]
    below = rest((0.0, 5.0, 0.0))
    assert tell(below, ceiling, turn=np.pi, **LEGS) == []
    assert tell(below, ceiling, turn=0.0, **LEGS) == ["one: fallen, on its back since 0 s"]


@pytest.mark.parametrize("kind", ["COILED", "DEAD"])
def test_one_that_is_coiled_or_dead_lies_as_it_should(kind):
    behaviour = np.full(len(TIME), BEHAVIOURS.index(kind))
    assert tell(rest(), turn=np.pi, behaviour=behaviour, **LEGS) == []


def want_nothing():
    return dict.fromkeys(("speed_wanted", "brake_sense", "brake_queue"), 0 * TIME)


def test_a_climber_that_lies_is_down():
    lies = {"gravity_on": since(5.0, 0, 1), **want_nothing(), **LEGS}
    assert tell(rest(), kind="climber", **lies) == ["one: fallen, down since 5 s"]
    lies["gravity_on"] = since(10.0, 0, 1)
    assert tell(rest(), kind="climber", **lies) == []


# --- stuck -----------------------------------------------------------------------------------


def want(kind, speed):
    """Channels of one that wants to go so fast [frame], cm/s."""
    return {
        "climber": {  # a brake leaves it a tenth of that
            "gravity_on": 0 * TIME,
            "speed_wanted": 0.1 * speed,
            "brake_sense": np.full(len(TIME), 0.9),
            "brake_queue": 0 * TIME,
        },
        "myriapod": {"head_speed": speed},
        "swimmer": {"swim_speed": speed, "swim_level": np.ones(len(TIME))},
    }[kind]


def halt(moment, speed=4.0):
    """It goes, and no more from a moment on."""
    return rest() + speed * np.minimum(TIME, moment)[:, None] * [1.0, 0, 0]


@pytest.mark.parametrize("kind", ["climber", "myriapod", "swimmer"])
def test_one_that_wants_to_go_and_does_not_is_stuck(kind):
    """A quarter of its length, 0.5 cm, before the place it is stuck at, it was there already."""
    wants = want(kind, np.full(len(TIME), 4.0))
    (line,) = tell(halt(4.0), kind=kind, **wants)
    assert line == "one: stuck, it wants to go, but has stayed within 0.5 cm since 3.9 s"
    assert tell(halt(8.0), kind=kind, **wants) == []  # for four seconds only
    assert tell(along(4.0), kind=kind, **wants) == []


@pytest.mark.parametrize("kind", ["climber", "myriapod", "swimmer"])
def test_one_that_rests_is_not_stuck(kind):
    assert tell(halt(4.0), kind=kind, **want(kind, since(4.0, 4.0, 0.0))) == []
    assert tell(halt(4.0), kind=kind, **want(kind, since(9.0, 0.0, 4.0))) == []  # until lately
    slow = want(kind, np.full(len(TIME), 0.5))  # 4 cm in 8 s: two lengths
    assert tell(halt(4.0), kind=kind, **slow) == []


def test_a_climber_before_a_precipice_is_not_stuck():
    wants = {"gravity_on": 0 * TIME, "speed_wanted": 0 * TIME, "brake_queue": 0 * TIME}
    assert tell(rest(), kind="climber", brake_sense=np.ones(len(TIME)), **wants) == []


def test_one_that_is_held_or_eats_is_not_stuck():
    wants = want("myriapod", np.full(len(TIME), 4.0))
    assert tell(rest(), kind="myriapod", statics={"body_fixed": np.ones(1)}, **wants) == []
    eating = np.full(len(TIME), BEHAVIOURS.index("EAT"))
    assert tell(rest(), kind="myriapod", behaviour=eating, **wants) == []


def test_a_roach_wants_what_its_drive_says():
    """Its pace at the master frequency, which without a number is that of its lag: 10 Hz."""
    species = {"gait": {"pace": 4.0, "lag": 0.05, "frequency": None}}
    scene = {"species": [species], "creature_names": ["one"]}
    legs = {"leg_stepping": np.zeros((len(TIME), 6))}
    drive = np.tile([10.0, 1.0, 1.0, 1.0], (len(TIME), 1))
    (line,) = tell(halt(4.0), kind="articulated", scene=scene, drive=drive, **legs)
    assert line.startswith("one: stuck")
    stands = drive * [1, 1, 1, 0]
    assert tell(halt(4.0), kind="articulated", scene=scene, drive=stands, **legs) == []
    slow = drive * [0.1, 1, 1, 1]
    assert tell(halt(4.0), kind="articulated", scene=scene, drive=slow, **legs) == []


def test_a_worm_wants_its_pace_while_its_drive_goes_on():
    scene = {"species": [{"pace": 4.0}], "creature_names": ["one"]}
    (line,) = tell(halt(4.0), kind="worm", scene=scene, drive_phase=TIME)
    assert line.startswith("one: stuck")
    assert tell(halt(4.0), kind="worm", scene=scene, drive_phase=np.minimum(TIME, 4)) == []


# --- real runs -------------------------------------------------------------------------------

BESIDE = {
    "title": "A centipede beside the plate that it should stand on",
    "seconds": 1,
    "terrain": PLATE,
    "creatures": [
        {"species": "giant_centipede", "name": "one", "at": [60, 9, 0], "start": "free"},
        {"species": "pauropod", "name": "other"},
    ],
}


def test_a_run_and_its_measures_tell_who_is_lost(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.json").write_text(json.dumps(BESIDE))
    assert main(["run", "beside.json", "-o", "out", "--json"]) == 0
    output, errors = capsys.readouterr()
    (line,) = json.loads(output)["warnings"]
    assert line.startswith("one: lost, falling since ")
    assert f"skitter: warning: {line}\n" in errors
    assert main(["measure", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["warnings"] == [line]
    moment = found["measures"]["one.lost_since"]["value"]
    assert line == f"one: lost, falling since {moment:.3g} s (nothing is below it)"
    assert "other.lost_since" not in found["measures"]
    assert main(["measure", "out"]) == 0
    output, errors = capsys.readouterr()
    assert "one.lost_since" in output and errors == f"skitter: warning: {line}\n"


def test_a_roach_on_its_back_is_told():
    upside_down = {"species": "roach", "name": "one", "at": [0, 2, 0], "start": "free"}
    scene = {
        "title": "A roach on its back",
        "terrain": PLANE,
        "creatures": [upside_down | {"turn_deg": [180, 0, 0], "commands": [{"speed": 0}]}],
    }
    with pytest.warns(SkitterWarning, match="one: fallen, on its back since 0 s"):
        recording = skitter.run(scene, seconds=3.2)
    assert recording.measure()["one.fallen_since"].value == 0


@pytest.mark.slow
def test_a_tarantula_at_a_glass_wall_is_stuck():
    with pytest.warns(SkitterWarning, match="tarantula: stuck, it wants to go, but has stayed"):
        skitter.run("glass_wall", seconds=12)


@pytest.mark.parametrize("name", CORPUS)
def test_no_built_in_scene_or_species_begins_with_an_alarm(recorded, name):
    assert find_fates(recorded(name)) == []


def test_no_built_in_scene_is_in_doubt():
    from skitter.scene.catalogue import list_scenes
    from skitter.start import list_doubts

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [name for name, _ in list_scenes() if list_doubts(load_scene(name))] == []
