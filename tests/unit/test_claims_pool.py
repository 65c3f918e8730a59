"""Claims side by side: their order, their processes, what becomes of one that dies."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skitter.claims import pool, registry
from skitter.claims.facts import Fact
from skitter.claims.pool import Job, Running, has_room, list_jobs, run_jobs
from skitter.cli import main
from skitter.errors import UserError
from skitter.world import World
from skitter.world.threads import THREADS, count_threads

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def made_up(monkeypatch):
    """Only those of made_up_claims.py are known, here and in every process."""
    monkeypatch.syspath_prepend(str(TESTS))
    monkeypatch.delitem(sys.modules, "made_up_claims", raising=False)
    monkeypatch.setattr(registry, "PAPERS", ("made_up_claims",))
    monkeypatch.setattr(registry, "CLAIMS", {})


@pytest.fixture
def facts(monkeypatch):
    """What claims cost and share, as the test says."""
    told: dict[str, Fact] = {}
    monkeypatch.setattr(pool, "find_fact", lambda id: told.get(id, Fact()))
    return told


def test_longest_first_but_those_alone_before(facts):
    facts["short"] = Fact(cost=1)
    facts["long"] = Fact(cost=60)
    facts["speed"] = Fact(cost=5, alone=True)
    facts["left"] = facts["right"] = Fact(cost=20, runs="same")
    jobs = list_jobs(["short", "left", "long", "speed", "right"])
    assert [job.ids for job in jobs] == [("speed",), ("long",), ("left", "right"), ("short",)]
    assert [job.cost for job in jobs] == [5, 60, 40, 1]


def test_nothing_runs_beside_one_alone():
    alone, other = Job(("a",), 1.0, alone=True), Job(("b",), 1.0)
    assert has_room(alone, [], 2) and has_room(other, [], 1)
    assert not has_room(alone, [Running(other, None)], 8)
    assert not has_room(other, [Running(alone, None)], 8)
    assert has_room(other, [Running(other, None)], 2)
    assert not has_room(other, [Running(other, None)], 1)


def test_one_that_dies_takes_no_other_along(made_up):
    """One process is killed from within; what shares its job is measured in another."""
    jobs = [
        Job(("made/holds", "made/dies", "made/after"), 3.0),
        Job(("made/breaks", "made/flies", "made/threads"), 1.0),
    ]
    records = {one["id"]: one for one in run_jobs(jobs, 2)}
    assert set(records) == {id for job in jobs for id in job.ids}
    assert records["made/holds"]["passed"] and records["made/after"]["value"] == 0.25
    assert records["made/dies"]["trouble"] == "its process was ended by SIGKILL"
    assert "ZeroDivisionError('by nothing')" in records["made/breaks"]["trouble"]
    assert records["made/flies"]["trouble"] == "it flew apart"
    for id in ("dies", "breaks", "flies"):
        assert not records[f"made/{id}"]["passed"]
    assert records["made/threads"]["value"] == max(1, count_threads() // 2)  # its share


def test_stopping_ends_all_processes(made_up):
    started: list[Running] = []
    begin = pool.start

    def note(*given):
        found = begin(*given)
        started.append(found[1])
        return found

    pool.start, records = note, run_jobs([Job(("made/waits",), 9.0), Job(("made/holds",), 1.0)], 2)
    try:
        assert next(records)["id"] == "made/holds"
    finally:
        pool.start = begin
        records.close()
    assert len(started) == 2 and not any(one.process.is_alive() for one in started)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals")
def test_interrupt_ends_the_command_and_keeps_what_is_done(tmp_path):
    """Ctrl-C while one is measured: those that are done are in the file, and no process is left."""
    code = (
        # what a shell runs in the background ignores Ctrl-C, and so do its children
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys; from skitter.claims import registry; registry.PAPERS = ('made_up_claims',)\n"
        "from skitter.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    given = ["claims", "made/waits", "made/holds", "-o", str(tmp_path / "c.json"), "--jobs", "2"]
    path = os.pathsep.join([str(TESTS), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", code, *given],
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (tmp_path / "c.json").exists():
        assert process.poll() is None
        time.sleep(0.1)
    children = list_children(process.pid)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert children
    wait_for_end(children)
    (record,) = json.loads((tmp_path / "c.json").read_text())["claims"]
    assert record["id"] == "made/holds" and record["passed"]


def list_children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in tasks.read_text().split()] if tasks.exists() else []


def wait_for_end(processes: list[int], seconds: float = 5.0) -> None:
    """Those that the command started see a moment later that it has ended."""
    last = time.monotonic() + seconds
    while any(is_alive(one) for one in processes):
        assert time.monotonic() < last, "a child goes on"
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2][:3]


def test_what_is_kept_is_not_measured_again(made_up, tmp_path, capsys, monkeypatch):
    kept = tmp_path / "c.json"
    assert main(["claims", "made/holds", "-o", str(kept), "--json"]) == 0
    (first,) = json.loads(capsys.readouterr().out)["claims"]
    assert json.loads(kept.read_text())["claims"] == [first]
    assert first["seconds"] >= 0 and first["processor_seconds"] >= 0
    monkeypatch.setattr(registry, "run_claims", lambda *a, **k: pytest.fail("measured again"))
    assert main(["claims", "made/holds", "-o", str(kept), "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["claims"] == [first]
    assert "1 of 1 claims are in" in found.err


def change(path: Path, **words) -> None:
    document = json.loads(path.read_text())
    document["claims"] = [one | words for one in document["claims"]]
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    "words",
    [{"sources": "others"}, {"trouble": "it died"}, {"expected": 7.0}, {"scene": "another"}],
)
def test_what_others_measured_is_measured_again(made_up, tmp_path, capsys, words):
    kept = tmp_path / "c.json"
    assert main(["claims", "made/holds", "-o", str(kept)]) == 0
    change(kept, value=0.9, **words)
    assert main(["claims", "made/holds", "-o", str(kept)]) == 0
    assert json.loads(kept.read_text())["claims"][0]["value"] == 0.5


def test_claims_that_are_not_asked_for_stay(made_up, tmp_path, capsys):
    kept = tmp_path / "c.json"
    assert main(["claims", "made/holds", "-o", str(kept)]) == 0
    change(kept, sources="others")
    assert main(["claims", "made/after", "-o", str(kept)]) == 0
    ids = [one["id"] for one in json.loads(kept.read_text())["claims"]]
    assert ids == ["made/holds", "made/after"]  # in the order of the claims


@pytest.mark.parametrize("text", ["[]", "{", '{"claims": 3}', '{"claims": [3]}'])
def test_a_file_of_something_else_is_left_alone(made_up, tmp_path, capsys, text):
    kept = tmp_path / "c.json"
    kept.write_text(text)
    assert main(["claims", "made/holds", "-o", str(kept)]) == 2
    assert str(kept) in capsys.readouterr().err and kept.read_text() == text


def test_a_file_needs_a_directory(made_up, tmp_path, capsys):
    assert main(["claims", "made/holds", "-o", str(tmp_path)]) == 2
    assert main(["claims", "made/holds", "-o", str(tmp_path / "no" / "c.json")]) == 2
    assert "valid: a file for the claims" in capsys.readouterr().err


def test_threads_of_the_environment(monkeypatch):
    monkeypatch.setenv(THREADS, "3")
    scene = {"title": "empty", "creatures": [{"species": "cube"}], "gravity": 0}
    assert count_threads() == 3 and World.from_scene(scene).threads == 3
    assert World.from_scene(scene, threads=1).threads == 1
    for given in ("0", "x", "1025", "-1"):
        monkeypatch.setenv(THREADS, given)
        with pytest.raises(UserError, match="valid: a whole number from 1 to 1024"):
            count_threads()
