"""What a search keeps: every finished generation as a line of `history.jsonl`.

A line is on the disk before the search goes on. One that was cut short is dropped and its
generation made again; a search that goes on tells the lines to the method anew, which so comes to
the same state to the last bit.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.study.files import write_json, write_whole
from skitter.study.folder import (
    PLAN,
    STUDY,
    append_line,
    check_folder,
    locked,
    read_lines,
    write_yaml,
)
from skitter.study.source import describe_source
from skitter.study.tune.plan import Plan
from skitter.study.tune.trial import Trial

HISTORY = "history.jsonl"


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
            append_line(self._path, generation.to_line())
        self.generations.append(generation)


@contextmanager
def open_history(plan: Plan, folder: Path | None) -> Iterator[History]:
    """The history of a folder, which must hold this search or nothing; nobody else may write."""
    if folder is None:
        yield History([], None)
        return
    check_folder(plan.describe(), folder, "search")
    with locked(folder, "search"):
        generations = read_history(folder / HISTORY)
        check_length(plan, folder, generations)
        write_plan(plan, folder)
        yield History(generations, folder / HISTORY)


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
    tree["scene"] = describe_source(plan.source)
    write_whole(folder / STUDY, write_yaml(tree))
    write_json(folder / PLAN, plan.describe())


def read_history(path: Path) -> list[Generation]:
    """All generations that are there."""
    return [read_line(path, number, line) for number, line in enumerate(read_lines(path))]


def read_line(path: Path, number: int, line: Any) -> Generation:
    """A line, which must be the generation of its number."""
    try:
        found = Generation.from_line(line)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        found = None
    if found is None or found.number != number:
        raise UserError(
            f"{path}: line {number + 1} is not generation {number} of a search; valid: the file"
            " as it was written, or a new directory"
        )
    return found
