"""`skitter tune`: mistakes of a study in one line each, and what the command prints."""

import json
import sys

import pytest
import yaml

from skitter.cli import main
from skitter.study.tune import evolve

STUDY = {
    "title": "a cube is thrown",
    "scene": {
        "title": "t",
        "terrain": [{"shape": "plane", "at": [0, -100, 0]}],  # it does not come so far
        "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}],
    },
    "seconds": 0.05,
    "parameters": [
        {"path": "creatures.0.velocity.0", "range": [-10, 10], "start": 1},
        {"path": "creatures.0.velocity.1", "range": [-100, 100]},
    ],
    "objective": [{"measure": "distance", "goal": "smaller"}],
    "population": 4,
    "generations": 2,
}
FIRST = STUDY["parameters"][0]


def vary(**fields):
    return {"parameters": [{**FIRST, **fields}]}


MISTAKES = [
    ({"sead": 1}, "sead is not a known key; did you mean 'seed'?"),
    ({"scene": 3}, "scene must be the name of a scene, its file or a mapping; found 3"),
    ({"scene": "falling_chan"}, "there is no scene 'falling_chan'; did you mean 'falling_chain'?"),
    ({"seconds": -1}, "seconds must be a number more than 0"),
    ({"settle": 0.05}, "settle is 0.05 s of a run of 0.05 s; valid: less"),
    ({"seeds": []}, "seeds must be a list of 1 to 100 items"),
    ({"population": 3}, "population must be a whole number from 4 to 1,000; found 3"),
    ({"parameters": []}, "parameters must be a list of 1 to 200 items"),
    ({"objective": []}, "objective must be a list of 1 to 100 items"),
    (vary(path="a..b"), "parameters[0].path is 'a..b'; valid: a path such as terrain[0].friction"),
    (vary(range=[3, 2]), "parameters[0] has the range 3 to 2; valid: the lower number first"),
    (vary(range=[2, 3]), "parameters[0] starts at 1; valid: 2 to 3, its range"),
    (vary(range=[-1, 3], scale="log"), "parameters[0] has scale log and a range from -1"),
    (vary(scale="cubic"), "parameters[0].scale must be one of linear, log; found the text 'cubic'"),
    (vary(range=[8, 9], start=None), "has the range 8 to 9, and the scene is at 3; valid"),
    (vary(path="creatures.0.at"), "creatures.0.at=1: creatures[0].at must be a list of 3 numbers"),
    (vary(path="creatures.0.spin", start=None), "the scene has nothing at creatures.0.spin"),
    (vary(path="creatures.0.spin"), "creatures[0].spin is not a known key"),
    (vary(path="creatures.0.spin", apply="add"), "the scene has nothing at creatures.0.spin"),
    (
        vary(apply="multiply", range=[2, 3], start=None),
        "has the range 2 to 3, and the scene is at 1",
    ),
    (vary(path="creatures.3.at.0"), "creatures has 1 item, not '3'; valid: 0 to 0"),
    (vary(also=["creatures.0.velocity.0"]), "names the path 'creatures.0.velocity.0' twice"),
    ({"creature": "cub"}, "creature 'cub' is not in the scene; did you mean 'cube'? valid: cube"),
    (
        {"objective": [{"measure": "sped", "goal": "larger"}]},
        "there is no measure 'cube.sped'; did you mean 'speed'?",
    ),
    (
        {"objective": [{"measure": "speed", "goal": "value"}]},
        "objective[0] has a value or the goal 'value' without the other",
    ),
    ({"limits": [{"measure": "speed"}]}, "limits[0] has neither least nor most"),
    ({"set": {"gravty": 1}}, "gravty=1: gravty is not a known key; did you mean 'gravity'?"),
    ({"variants": [{}, {"gravity": "up"}]}, "gravity must be a number from"),
]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_study(**fields):
        (tmp_path / "mine.yaml").write_text(yaml.safe_dump({**STUDY, **fields}))
        return "mine.yaml"

    return write_study


def refuse(capsys, *arguments):
    """The line of a user's mistake."""
    assert main(["tune", *arguments, "-o", "out"]) == 2
    output, errors = capsys.readouterr()
    assert output == "" and errors.count("\n") == 1
    return errors


@pytest.mark.parametrize(("fields", "message"), MISTAKES)
def test_mistakes_are_told_in_one_line(write, capsys, tmp_path, fields, message):
    told = refuse(capsys, write(**fields))
    assert message in told and "mine.yaml" in told
    assert not (tmp_path / "out").exists()


def test_mistakes_of_the_command_line(write, capsys, monkeypatch):
    study = write()
    assert "there is no study 'no_such'" in refuse(capsys, "no_such")
    assert "there is no such file" in refuse(capsys, "no_such.yaml")
    assert "invalid value for '--seed'" in refuse(capsys, study, "--seed", "-1")
    assert "invalid value for '--jobs'" in refuse(capsys, study, "--jobs", "0")
    many = refuse(capsys, study, "--generations", "1000000")
    assert "--generations: generations must be a whole number from 1 to 100,000" in many
    monkeypatch.setitem(sys.modules, "cma", None)
    assert "pip install 'skitter[study]'" in refuse(capsys, study)


def test_a_scene_beside_the_study_is_found(tmp_path, capsys, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "own.yaml").write_text(yaml.safe_dump(STUDY["scene"]))
    study = tmp_path / "deep" / "mine.yaml"
    study.write_text(yaml.safe_dump({**STUDY, "scene": "own.yaml", "generations": 1}))
    monkeypatch.chdir(tmp_path)
    assert main(["tune", "deep/mine.yaml", "-o", "out", "--jobs", "1"]) == 0
    monkeypatch.chdir(tmp_path / "deep")
    assert main(["tune", "../out/study.yaml", "-o", "../again", "--jobs", "1"]) == 0
    first, again = (tmp_path / name / "history.jsonl" for name in ("out", "again"))
    assert first.read_bytes() == again.read_bytes()


def test_tables_and_one_document(write, capsys, tmp_path):
    study = write()
    assert main(["tune", study, "-o", "out", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if line}
    assert rows["creatures.0.velocity.0"][1] == "1"
    assert rows["creatures.0.velocity.0"][3:] == ["-10", "to", "10"]
    assert rows["creatures.0.velocity.1"][1] == "5", "the scene's own"
    assert rows["cube.distance"][-1] == "cm"
    assert main(["tune", study, "-o", "out", "--json"]) == 0  # all is there already
    report = json.loads(capsys.readouterr().out)["tune"]
    assert report["trials"] == 9 and report["generations"] == 2 and report["failures"] == {}
    assert [one["start"] for one in report["parameters"]] == [1.0, 5.0]
    measured = report["measures"]["cube.distance"]
    assert measured["best"] == report["cost"]["best"] < report["cost"]["start"]
    assert report["source"] in printed
    for name in ("best.yaml", "history.jsonl", "history.png", "study.yaml"):
        assert (tmp_path / "out" / name).stat().st_size > 0


def test_options_take_the_place_of_fields(write, capsys):
    study = write()
    options = ["--generations", "1", "--seed", "3", "--jobs", "1", "--json"]
    assert main(["tune", study, "-o", "out", *options]) == 0
    report = json.loads(capsys.readouterr().out)["tune"]
    assert report["generations"] == 1 and report["seed"] == 3


def test_a_search_in_which_all_fails_says_why(write, capsys):
    far = {"frame_rate": 10, "time_step": 0.1}  # so long a step flies apart
    soft = {"title": "t", "creatures": [{"species": "jelly_cube"}], **far}
    study = write(scene=soft, seconds=0.2)
    assert main(["tune", study, "-o", "out", "--jobs", "1"]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "none of 5 trials came to a good end" in told and "valid: other ranges" in told


def test_an_interrupt_says_how_to_go_on(write, capsys, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(evolve, "make_trials", stop)
    assert main(["tune", write(), "-o", "out", "--jobs", "1"]) == 130
    told = capsys.readouterr().err
    assert "finished generations are kept in out, and the same command goes on" in told
    assert told.count("\n") == 1
