"""A short run of the fuzzer: no changed input may end in anything but one line, or be taken.

`make fuzz` runs 50,000. Here memory is left aside, as the process has run other tests before.
"""

import os
import random
from pathlib import Path

import pytest
from fuzz_inputs import KINDS, Bases, choose_kind
from fuzz_mutations import NASTY, change_bytes, change_tree, list_places
from fuzz_trial import Trials, try_out

from skitter.errors import UserError

SEED, COUNT = 21, 400


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    folder = tmp_path_factory.mktemp("fuzz")
    return Trials(folder, Bases(folder / "bases"), SEED, watches_memory=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_input_is_taken_or_refused_in_one_line(trials: Trials, kind: str) -> None:
    numbers = [n for n in range(COUNT) if choose_kind(SEED, n)[0].name == kind]
    assert numbers
    faults = [result for n in numbers if (result := trials.run(n)).is_fault]
    assert not faults


def test_the_same_numbers_make_the_same_input(tmp_path: Path) -> None:
    texts = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        bases = Bases(folder / "bases")
        mesh = next(n for n in range(COUNT) if choose_kind(SEED, n)[0].name == "mesh")
        kind, rng = choose_kind(SEED, mesh)
        kind.make(rng, bases.get(kind.bases), folder)
        files = [path for path in sorted(folder.iterdir()) if path.is_file()]
        texts.append([path.read_bytes() for path in files])
    assert texts[0] == texts[1] and texts[0]


def test_changes_leave_the_original_alone() -> None:
    tree = {"a": [1, 2, {"b": "text"}], "c": None}
    for number in range(200):
        change_tree(random.Random(number), tree, [{"x": NASTY}])
    assert tree == {"a": [1, 2, {"b": "text"}], "c": None}
    assert len(list_places(tree)) == 6
    assert any(change_bytes(random.Random(n), b"abc") != b"abc" for n in range(5))


def refuse_badly() -> None:
    raise UserError("'NoneType' object has no attribute 'x'")


def raise_key_error() -> None:
    raise KeyError("x")


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [(list, "accepted"), (refuse_badly, "bad line"), (raise_key_error, "traceback KeyError")],
)
def test_faults_are_seen(attempt, outcome: str) -> None:
    assert try_out(attempt)[0].startswith(outcome)


@pytest.mark.parametrize("what", ["write", "delete", "say", "change"])
def test_what_an_input_does_besides_is_seen(trials, tmp_path, monkeypatch, what: str) -> None:
    """A reader that writes elsewhere, deletes, speaks, or changes what lies beside the input."""
    mine = tmp_path / "mine"
    mine.write_text("mine")

    def make(rng, bases, folder: Path):
        return {
            "write": lambda: mine.write_text("yours"),
            "delete": mine.unlink,
            "say": lambda: os.write(2, b"hello"),
            "change": lambda: (folder / "other.txt").write_text("yours"),
        }[what]

    bad = KINDS[0].__class__("bad", 1, "library", make)
    monkeypatch.setattr("fuzz_trial.choose_kind", lambda seed, number: (bad, None))
    outcomes = {"say": "noise", "change": "changed others' files"}
    assert trials.run(0).outcome == outcomes.get(what, "wrote elsewhere")
