"""`skitter sweep`, `plot` and `studies`: mistakes in one line each, what is printed and drawn."""

import json
import sys

import pytest
import yaml
from PIL import Image

from skitter.cli import main
from skitter.study.catalogue import find_command, list_studies
from skitter.study.sweep import Outcome, load_sweep, sweep
from skitter.study.sweep import run as running
from skitter.study.sweep.spec import list_ends
from skitter.study.tune import load_plan

STUDY = {
    "title": "a cube is thrown",
    "scene": {
        "title": "t",
        "terrain": [{"shape": "plane", "at": [0, -100, 0]}],  # it does not come so far
        "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}],
    },
    "seconds": 0.05,
    "parameters": [{"path": "creatures.0.velocity.0", "values": [1, 2, 3]}],
    "measures": ["speed", "distance"],
}
FIRST = STUDY["parameters"][0]
DRAWN = {"path": "gravity", "distribution": "uniform", "range": [1, 2]}
BAND = {"path": "gravity", "range": [1, 2]}


def vary(**fields):
    return {"parameters": [{"path": FIRST["path"], **fields}]}


MISTAKES = [
    ({"sead": 1}, "sead is not a known key; did you mean 'seed'?"),
    ({"scene": 3}, "scene must be the name of a scene, its file or a mapping; found 3"),
    ({"scene": "falling_chan"}, "there is no scene 'falling_chan'; did you mean 'falling_chain'?"),
    ({"seconds": 0}, "seconds must be a number more than 0"),
    ({"settle": 0.05}, "settle is 0.05 s of a run of 0.05 s; valid: less"),
    ({"seeds": 0}, "seeds must be 1 to 10,000 seeds; found 0"),
    ({"seeds": []}, "seeds must be how many, or a list of whole numbers"),
    ({"seeds": [1, 1]}, "seeds must be whole numbers from 0 on, each once"),
    ({"seeds": "many"}, "seeds must be how many, or a list of whole numbers"),
    ({"seeds": [0.5]}, "seeds must be how many, or a list of whole numbers"),
    ({"parameters": []}, "parameters must be a list of 1 to 20 items"),
    (vary(), "parameters[0] needs exactly one of values, a range with a count, or a distribution"),
    (vary(values=[1], count=3), "parameters[0] needs exactly one of values"),
    (vary(values=[]), "parameters[0].values must be a list of 1 to 10000 items"),
    (vary(values=[1, 1]), "parameters[0] has a value twice; valid: every value once"),
    (vary(values=[1, "a"]), "parameters[0] has numbers and other values; valid: one sort"),
    (vary(values=[[1]]), "must be a number, a text or a switch; found a list of 1 item"),
    (vary(values=[1], range=[0, 1]), "is one of values, which takes values alone; found range"),
    (vary(values=["a"], apply="add"), "has apply add and a value that is no number"),
    (vary(range=[3, 2], count=2), "has the range 3 to 2; valid: the lower first"),
    (vary(range=[-1, 2], count=2, scale="log"), "is logarithmic and has a range from -1"),
    (vary(range=[1, 2], count=1), "count must be a whole number from 2 to 10,000; found 1"),
    (vary(count=3), "is one of count, which takes count and range"),
    (vary(values=[1], scale="log"), "has scale log without a count"),
    (vary(distribution="cauchy"), "must be one of uniform, loguniform, normal"),
    (vary(distribution="normal", mean=1), "which takes deviation and distribution and mean"),
    (vary(distribution="normal", mean=1, deviation=0), "deviation must be a number more than 0"),
    ({"parameters": [DRAWN]}, "draws from a distribution; valid: with samples: how many"),
    ({"samples": 3}, "has samples and draws from no distribution"),
    ({"parameters": [FIRST, {**BAND, "count": 2, "name": "seed"}]}, "names a parameter 'seed'"),
    ({"parameters": [FIRST, FIRST]}, "names the path 'creatures.0.velocity.0' twice"),
    (
        {"parameters": [{**FIRST, "name": "a"}, {**BAND, "count": 2, "name": "a"}]},
        "names a parameter 'a', which is taken",
    ),
    (
        {"parameters": [{**FIRST, "values": [*range(5000)]}, {**BAND, "count": 5000}]},
        "has 25,000,000 points; valid: at most 1,000,000",
    ),
    ({"parameters": [{**FIRST, "path": "creatures.0.spin"}]}, "spin is not a known key"),
    ({"parameters": [{**FIRST, "path": "creatures.3.at.0"}]}, "creatures has 1 item, not '3'"),
    ({"parameters": [{"path": "gravity", "values": [1, "up"]}]}, "has numbers and other values"),
    ({"parameters": [{"path": "frame_rate", "values": [60, -60]}]}, "frame_rate must be"),
    ({"creature": "cub"}, "creature 'cub' is not in the scene; did you mean 'cube'?"),
    ({"measures": ["sped"]}, "there is no measure 'cube.sped'; did you mean 'speed'?"),
    ({"set": {"gravty": 1}}, "gravty is not a known key; did you mean 'gravity'?"),
    ({"objective": []}, "is a study of skitter tune, as it has objective; valid: skitter tune"),
    ({"generations": 3}, "is a study of skitter tune, as it has generations"),
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
    assert main([*arguments]) == 2
    output, errors = capsys.readouterr()
    assert output == "" and errors.count("\n") == 1
    return errors


@pytest.mark.parametrize(("fields", "message"), MISTAKES)
def test_mistakes_are_told_in_one_line(write, capsys, tmp_path, fields, message):
    told = refuse(capsys, "sweep", write(**fields), "-o", "out")
    assert message in told and "mine.yaml" in told
    assert not (tmp_path / "out").exists()


def test_mistakes_of_the_command_line(write, capsys, monkeypatch, tmp_path):
    call = ("sweep", write(), "-o", "out")
    assert "valid: centipede_gait, roach_frequency, swim" in refuse(
        capsys, "sweep", "no_such", "-o", "out"
    )
    assert "invalid value for '--jobs'" in refuse(capsys, *call, "--jobs", "0")
    assert "--grid is of sweep swim alone" in refuse(capsys, *call, "--grid", "9x9")
    both = refuse(capsys, *call, "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert "--scheduler and --jobs exclude each other" in both
    swim = refuse(capsys, "sweep", "swim", "-o", "out", "--scheduler", "tcp://127.0.0.1:1")
    assert "takes neither --scheduler nor --retry" in swim
    search = refuse(capsys, "tune", "mine.yaml", "-o", "out")
    assert "is a study of skitter sweep, as it has measures; valid: skitter sweep" in search
    monkeypatch.setitem(sys.modules, "distributed", None)
    cluster = refuse(capsys, *call, "--scheduler", "tcp://127.0.0.1:1")
    assert "pip install 'skitter[study]'" in cluster
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there_is_told(write, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("skitter.study.cluster.PATIENCE", 0.5)
    told = refuse(capsys, "sweep", write(), "-o", "out", "--scheduler", "tcp://127.0.0.1:1")
    assert "--scheduler tcp://127.0.0.1:1: there is no Dask scheduler" in told
    assert not (tmp_path / "out").exists()


def test_an_interrupt_says_how_to_go_on(write, capsys, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "make_outcomes", stop)
    assert main(["sweep", write(), "-o", "out"]) == 130
    told = capsys.readouterr().err
    assert "finished points are kept in out, and the same command goes on" in told
    assert told.count("\n") == 1


def test_table_document_and_pictures(write, capsys, tmp_path):
    """Free flight for 0.05 s: 5 cm/s up and 981 cm/s² down make 0.976 cm down."""
    study = write(seeds=2)
    assert main(["sweep", study, "-o", "out", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if line}
    assert rows["distance"][-1] == "cm" and float(rows["distance"][1]) == pytest.approx(0.98, 0.03)
    assert "6 points, 6 of them run now" in printed
    assert main(["sweep", study, "-o", "out", "--json"]) == 0  # all is there already
    report = json.loads(capsys.readouterr().out)["sweep"]
    assert report["points"] == 6 and report["ran"] == 0 and report["failures"] == {}
    assert report["pictures"] == ["plots/speed.png", "plots/distance.png"]
    assert all((tmp_path / "out" / name).exists() for name in report["pictures"])


def give(packed):
    return Outcome({"cube.speed": float(len(packed) % 7), "cube.distance": 2.0})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    axes = [
        {**FIRST, "values": [1, 2, 3, 4, 5, 6]},
        {**BAND, "count": 5, "scale": "log", "range": [1, 100]},
        {"path": "frame_rate", "values": [60, 120]},
        {"path": "creatures.0.at.1", "distribution": "uniform", "range": [1, 2]},
    ]
    plan = load_sweep({**STUDY, "parameters": axes, "samples": 2, "seeds": 2})
    folder = tmp_path_factory.mktemp("swept")
    sweep(plan, folder / "s", run=give)
    return folder


@pytest.fixture
def swept(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--measure", "distance"],
        ["--x", "gravity", "--y", "frame_rate"],
        ["--x", "creatures.0.velocity.0", "--lines", "frame_rate"],
        ["--x", "at_1"],
        ["--lines", "gravity"],
    ],
)
def test_plots_are_drawn(swept, options):
    assert main(["plot", "s", "-o", "p.png", *options]) == 0
    with Image.open("p.png") as picture:
        assert picture.size == (760, 420) and len(picture.getcolors(10_000)) > 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measure", "sped"], "--measure sped: is not in the sweep; did you mean 'speed'?"),
        (["--x", "gravty"], "--x gravty: is no parameter of the sweep; did you mean 'gravity'?"),
        (["--x", "gravity", "--y", "gravity"], "'gravity' is asked for twice"),
        (["--y", "gravity", "--lines", "frame_rate"], "--y and --lines exclude each other"),
        (["--x", "at_1", "--y", "gravity"], "a heat map needs parameters of the grid"),
        (["--lines", "at_1"], "--lines at_1: is drawn"),
    ],
)
def test_mistakes_of_plots(swept, capsys, options, message):
    assert message in refuse(capsys, "plot", "s", "-o", "p.png", *options)
    assert "is no picture" in refuse(capsys, "plot", "s", "-o", "p.pdf")
    assert "holds no sweep" in refuse(capsys, "plot", ".", "-o", "p.png")


def test_names_are_the_shortest_ends_of_paths():
    assert list_ends("creatures.0.at.1") == ["at_1", "0_at_1", "creatures_0_at_1"][::2]
    assert list_ends("terrain[0].friction")[0] == "friction"


@pytest.mark.parametrize("study", [name for name, _, _ in list_studies() if name != "swim"])
def test_built_in_studies_are_whole(study):
    load = {"sweep": load_sweep, "tune": load_plan}[dict(row[:2] for row in list_studies())[study]]
    assert load(study).spec.title


def test_studies_are_listed(capsys):
    assert main(["studies", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["studies"]
    commands = {row["name"]: row["command"] for row in rows}
    assert {"swim", "centipede_gait", "roach_frequency"} <= {
        name for name, command in commands.items() if command == "sweep"
    }
    assert {"roach_speed", "centipede_hills", "eel_cheap", "spider_edges"} <= {
        name for name, command in commands.items() if command == "tune"
    }
    assert find_command("text") == "" and find_command({"title": "t"}) == ""
