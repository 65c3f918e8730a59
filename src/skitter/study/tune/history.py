"""What a search keeps: every finished generation as a line of `history.jsonl`.

A line is on the disk before the search goes on. One that was cut short is dropped and its
generation made again; a search that goes on tells the lines to the method anew, which so comes to
the same state to the last bit.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from skitter.errors import UserError
from skitter.record.files import FolderBusyError, lock_folder, unlock_folder
from skitter.scene.catalogue import looks_like_path
from skitter.study.files import read_json, write_json, write_whole
from skitter.study.tune.plan import Plan
from skitter.study.tune.trial import Trial

HISTORY, PLAN, STUDY = "history.jsonl", "plan.json", "study.yaml"


@dataclass(frozen=True)
class Generation:
    """All trials of a generation; the first, number 0, is the start alone."""

    number: int
    sigma: float  # spread of the generation, of the ranges
    trials: Sequence[Trial]

    @property
    def best(self) -> Trial:
        return min(self.trials, key=lambda trial: trial.cost)

    def to_line(self) -> str:
        trials = [trial.to_dict() for trial in self.trials]
        row = {"generation": self.number, "sigma": self.sigma, "trials": trials}
        return json.dumps(row, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "Generation":
        row = json.loads(line)
        trials = [Trial.from_dict(one) for one in row["trials"]]
        return cls(int(row["generation"]), float(row["sigma"]), trials)


class History:
    """The generations of a search so far; with a folder they are kept there."""

    def __init__(self, generations: list[Generation], path: Path | None) -> None:
        self.generations, self._path = generations, path

    def append(self, generation: Generation) -> None:
        """Keep a generation; when this returns, it survives the end of the process."""
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(generation.to_line().encode())
                file.flush()
                os.fsync(file.fileno())
        self.generations.append(generation)


@contextmanager
def open_history(plan: Plan, folder: Path | None) -> Iterator[History]:
    """The history of a folder, which must hold this search or nothing; nobody else may write."""
    if folder is None:
        yield History([], None)
        return
    check_folder(plan, folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = lock_folder(folder)
    except FolderBusyError:
        raise UserError(f"{folder}: is being written by another search right now") from None
    try:
        generations = read_history(folder / HISTORY)
        check_length(plan, folder, generations)
        write_plan(plan, folder)
        yield History(generations, folder / HISTORY)
    finally:
        unlock_folder(lock)


def check_folder(plan: Plan, folder: Path) -> None:
    """Refuse a folder with anything else in it."""
    path = folder / PLAN
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; valid: a directory for the search")
    if not path.exists():
        if folder.exists() and any(not is_draft(one) for one in folder.iterdir()):
            raise UserError(f"{folder}: holds something else; valid: a new directory")
        return
    before, now = read_json(path), json.loads(json.dumps(plan.describe()))
    keys = [key for key in now if not isinstance(before, dict) or before.get(key) != now[key]]
    if keys:
        raise UserError(
            f"{folder}: holds a search with another {', '.join(keys)}; valid: the same study, or a"
            " new directory"
        )


def is_draft(path: Path) -> bool:
    """Whether a file was left by a search that ended before it began."""
    return path.name.endswith(".part")


def check_length(plan: Plan, folder: Path, generations: Sequence[Generation]) -> None:
    if len(generations) - 1 > plan.spec.generations:
        raise UserError(
            f"{folder}: holds {len(generations) - 1} generations already; valid: at least so many,"
            f" found {plan.spec.generations}"
        )


def write_plan(plan: Plan, folder: Path) -> None:
    """The study as it was understood, to be read and run again, and all that decides the result.

    The plan comes last: with it, the folder is one of a search.
    """
    tree = plan.spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    tree["scene"] = plan.source
    if isinstance(plan.source, str) and looks_like_path(plan.source):
        tree["scene"] = str(Path(plan.source).resolve())
    write_whole(folder / STUDY, write_yaml(tree))
    write_json(folder / PLAN, plan.describe())


def write_yaml(tree: Any) -> str:
    """Plain values as YAML, short lists in one line."""
    text = yaml.safe_dump(
        tree, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )
    return str(text)


def read_history(path: Path) -> list[Generation]:
    """All generations that are there; a last line that was cut short is taken off the file."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return [read_line(path, number, line) for number, line in enumerate(whole.splitlines())]


def read_line(path: Path, number: int, line: Any) -> Generation:
    """A line, which must be the generation of its number."""
    try:
        found = Generation.from_line(line)
    except (ValueError, KeyError, TypeError):
        found = None
    if found is None or found.number != number:
        raise UserError(
            f"{path}: line {number + 1} is not generation {number} of a search; valid: the file"
            " as it was written, or a new directory"
        )
    return found
