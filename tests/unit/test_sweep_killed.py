"""Sweeps and searches whose processes are killed: nothing is lost, nothing counts twice."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import yaml

from local_cluster import LocalCluster
from skitter.study.crew import Crew
from skitter.study.sweep import load_sweep, read_results, sweep
from skitter.study.sweep.log import LOG
from skitter.study.sweep.run import prepare
from skitter.study.tune import load_plan, tune

import counted  # isort: skip

HERE = Path(__file__).parent
KILLING = float(os.environ.get("SWEEP_TEST_SECONDS", "2"))  # s from one kill to the next
KILLS = int(os.environ.get("SWEEP_TEST_KILLS", "6"))  # and then it is left alone
LIVES = 8  # points that a worker has begun before it may be killed, or on a busy machine none ends
ROUNDS = int(os.environ.get("SWEEP_TEST_ROUNDS", "1"))
THROWN = {
    "title": "cubes are thrown",
    "scene": {"title": "t", "creatures": [{"species": "cube", "velocity": [3.0, 5.0, 0.0]}]},
    "seconds": 0.1,
    "measures": ["speed", "distance", "energy_end"],
}
BROAD = {"path": "creatures.0.velocity.0", "range": [-10, 10], "count": 20}
STEEP = {"path": "creatures.0.velocity.1", "range": [-40, 50], "count": 10}


def make_study(**fields):
    return {**THROWN, "parameters": [BROAD, STEEP], **fields}


def read_lines(path):
    return path.read_text().splitlines() if path.exists() else []


def compare_with_serial(plan, folder, tmp_path):
    """The same points as those of this process alone, each once, to the last bit."""
    sweep(plan, tmp_path / "serial")
    for name in ("points.csv", "study.yaml", "plan.json"):
        assert (folder / name).read_bytes() == (tmp_path / "serial" / name).read_bytes()
    lines = read_lines(folder / LOG)
    assert sorted(lines) == sorted(read_lines(tmp_path / "serial" / LOG))
    assert len(lines) == len({*lines}) == plan.grid.size


@pytest.mark.slow
@pytest.mark.parametrize("number", range(ROUNDS))
def test_workers_of_a_cluster_are_killed_all_the_while(tmp_path, monkeypatch, number):
    """Two hundred points on three workers, of which one is killed every few seconds."""
    runs = tmp_path / "runs"
    monkeypatch.setenv("COUNTED_RUNS", str(runs))
    plan = load_sweep(make_study())
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    # a fast machine would be through before anybody is killed
    environment = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "COUNTED_PAUSE": "0.2"}
    with LocalCluster(tmp_path, environment) as cluster:

        def has_worked(pid):
            own = [line for line in read_lines(runs) if line.split()[0] == str(pid)]
            return len(own) >= LIVES

        cluster.kill_every(KILLING, KILLS, has_worked)
        ended = sweep(plan, tmp_path / "s", scheduler=cluster.address, run=counted.run)
    assert ended.points == ended.ran == 200 and not ended.failures
    assert len(cluster.killed) >= 3, "or there was nothing to survive"
    ran = Counter(line.split()[1] for line in read_lines(runs))
    assert len(ran) == 200
    print(f"{len(cluster.killed)} workers killed, {sum(ran.values())} runs of 200 points")
    compare_with_serial(plan, tmp_path / "s", tmp_path)


def start(command, study, folder, runs):
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "COUNTED_RUNS": str(runs), "PYTHONPATH": path}
    call = [sys.executable, str(HERE / "counted.py"), command, str(study), str(folder), "2"]
    return subprocess.Popen(call, env=environment)


def kill_after(process, path, count):
    """End a process at once as soon as a file has so many lines."""
    while len(read_lines(path)) < count:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_killed_sweep_goes_on_and_runs_nothing_again(tmp_path):
    study, folder, runs = tmp_path / "thrown.yaml", tmp_path / "s", tmp_path / "runs"
    study.write_text(yaml.safe_dump(make_study(parameters=[{**BROAD, "count": 40}])))
    plan = load_sweep(study)
    jobs = {counted.name_job(prepare(plan, one, None)): one for one in plan.grid.list_points()}
    finished, seen = set(), 0
    for count in (8, 20):
        kill_after(start("sweep", study, folder, runs), folder / LOG, count)
        ran = [jobs[line.split()[1]].key for line in read_lines(runs)[seen:]]
        assert not finished & {*ran}, "a finished point was run again"
        seen += len(ran)
        finished = {*read_results(folder).rows}
        assert len(finished) >= count
    assert start("sweep", study, folder, runs).wait() == 0
    ran = [jobs[line.split()[1]].key for line in read_lines(runs)]
    assert not finished & {*ran[seen:]} and len({*ran}) == 40
    assert len(ran) <= 40 + 2 * 2, "of each kill, what was under way in two processes"
    compare_with_serial(plan, folder, tmp_path)


@pytest.mark.slow
def test_a_killed_search_goes_on_to_the_same_bytes(tmp_path):
    study, runs = tmp_path / "thrown.yaml", tmp_path / "runs"
    search = {
        **{key: value for key, value in THROWN.items() if key != "measures"},
        "parameters": [
            {"path": "creatures.0.velocity.0", "range": [-10, 10]},
            {"path": "creatures.0.velocity.1", "range": [-100, 100]},
        ],
        "objective": [{"measure": "distance", "goal": "smaller"}],
        "population": 4,
        "generations": 5,
    }
    study.write_text(yaml.safe_dump(search))
    tune(load_plan(study), tmp_path / "whole")
    for count in (2, 4):
        process = start("tune", study, tmp_path / "killed", runs)
        kill_after(process, tmp_path / "killed" / "history.jsonl", count)
    assert start("tune", study, tmp_path / "killed", runs).wait() == 0
    for name in ("history.jsonl", "best.yaml", "study.yaml", "plan.json", "history.png"):
        whole, killed = (tmp_path / one / name for one in ("whole", "killed"))
        assert killed.read_bytes() == whole.read_bytes(), name
    assert len(read_lines(runs)) < 21 + 2 * 5, "finished generations are not tried again"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    path = tmp_path / "runs"
    monkeypatch.setenv("COUNTED_RUNS", str(path))
    return path


def test_a_killed_process_of_a_sweep_is_replaced(tmp_path, runs):
    plan = load_sweep(make_study(parameters=[{**BROAD, "count": 6}]))
    ended = sweep(plan, tmp_path / "s", jobs=2, run=counted.die_once)
    assert ended.ran == 6 and not ended.failures
    assert sorted(Counter(read_lines(runs)).values()) == [1, 1, 1, 1, 1, 2]


def test_a_point_that_ends_every_process_is_recorded(tmp_path, runs, monkeypatch):
    plan = load_sweep(make_study(parameters=[{**BROAD, "count": 4}]))
    deadly = list(plan.grid.list_points())[1]
    monkeypatch.setenv("COUNTED_DEADLY", counted.name_job(prepare(plan, deadly, None)))
    ended = sweep(plan, tmp_path / "s", jobs=2, run=counted.die_always)
    assert ended.failures == {"it ended its process, 5 times": 1}
    rows = read_results(tmp_path / "s").rows
    assert len(rows) == 4 and rows[deadly.key].outcome.reason


def test_errors_of_a_crew_are_raised():
    with Crew(1) as crew, pytest.raises(Exception, match="invalid literal for int"):
        list(crew.map(int, [("a", ("3",)), ("b", ("x",))]))
