"""SIGTERM and SIGHUP end commands that leave drafts as Ctrl-C does: nothing half-made stays."""

import signal

import pytest
import yaml

from skitter.cli import main
from skitter.progress import Progress
from skitter.study.sweep import run as running
from skitter.study.tune import evolve

SIGNALS = [
    pytest.param(name, code, id=name)
    for name, code in (("SIGTERM", 143), ("SIGHUP", 129))
    if hasattr(signal, name)
]
SCENE = {
    "title": "t",
    "terrain": [{"shape": "plane", "at": [0, -100, 0]}],
    "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}],
}
SWEPT = {
    "title": "a cube is thrown",
    "scene": SCENE,
    "seconds": 0.05,
    "parameters": [{"path": "creatures.0.velocity.0", "values": [1, 2, 3]}],
    "measures": ["speed"],
}
TUNED = {
    "title": "a cube is thrown",
    "scene": SCENE,
    "seconds": 0.05,
    "parameters": [{"path": "creatures.0.velocity.0", "range": [-10, 10], "start": 1}],
    "objective": [{"measure": "distance", "goal": "smaller"}],
    "population": 4,
    "generations": 1,
}


@pytest.mark.parametrize(("name", "code"), SIGNALS)
@pytest.mark.parametrize("file", ["a.glb", "a.mp4"])
def test_a_draft_is_cleared_away(recorded, monkeypatch, tmp_path, capsys, name, code, file):
    recording, path = recorded("scenes/falling_chain").path, tmp_path / file
    path.write_bytes(b"before")
    number = getattr(signal, name)
    monkeypatch.setattr(Progress, "count", lambda *_: signal.raise_signal(number))
    command = ["export"] if file.endswith("glb") else ["render", "--size", "96x54"]
    assert main([*command, str(recording), "-o", str(path)]) == code
    assert capsys.readouterr().err == "skitter: stopped\n"
    assert [one.name for one in tmp_path.iterdir()] == [file]
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize(("name", "code"), SIGNALS)
@pytest.mark.parametrize(("command", "study"), [("sweep", SWEPT), ("tune", TUNED)])
def test_a_study_says_how_to_go_on(monkeypatch, tmp_path, capsys, name, code, command, study):
    def stop(*_, **__):
        signal.raise_signal(getattr(signal, name))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "make_outcomes", stop)
    monkeypatch.setattr(evolve, "make_trials", stop)
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(study))
    assert main([command, "mine.yaml", "-o", "out"]) == code
    told = capsys.readouterr().err
    assert "are kept in out, and the same command goes on" in told
    assert not list(tmp_path.rglob("*.tmp"))
