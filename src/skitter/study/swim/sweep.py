"""The sweep over frequency and phase shift of a swimmer (Fang 2015 appendix C, figures C.2-C.4).

A row of the grid has one frequency; its phase shifts are tried a few at a time, in order, each
school beginning at the speed of the one before. Rows do not know each other: they may be made in
any order, by any number of processes, and stopped and gone on with, and come out the same.
"""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.species.swimmer import SwimmerSpec
from skitter.study.files import read_json, write_json
from skitter.study.swim.trial import Protocol, try_strokes

# Hz. Slower strokes take minutes to come to a speed worth having; above, the phase shifts of the
# thesis's optimum, 0.28 to 0.33 pi, give no more speed: the muscles do not follow.
FREQUENCIES = (0.5, 2.5)
DEGREES = (18.0, 108.0)  # 0.1 pi, the least of the thesis, to 0.6 pi
SCHOOL = 4  # swimmers tried at once: more is not faster
PLAN, RESULT, ROWS = "sweep.json", "sweep.npz", "rows"
# of a species, what makes no difference here
UNSEEN: Any = {
    **dict.fromkeys(("look", "title", "source", "eyes"), True),
    "swim": {"frequency", "phase_deg", "turn_deg", "most_turn", "optimum", "speed", "bout"},
}
Told = Callable[[int, int], None]  # rows done, rows in all


@dataclass(frozen=True)
class Plan:
    """What is to be tried of a species."""

    species: SwimmerSpec
    frequency: tuple[float, ...]  # Hz
    phase_deg: tuple[float, ...]
    protocol: Protocol = field(default_factory=Protocol)

    def describe(self) -> dict[str, Any]:
        """All that decides the result, for a file."""
        return {
            "species": self.species.model_dump(mode="json", exclude=UNSEEN),
            "frequency": list(self.frequency),
            "phase_deg": list(self.phase_deg),
            "protocol": asdict(self.protocol),
        }


@dataclass(frozen=True)
class Sweep:
    """Stable speeds and powers over a grid; arrays are [frequency, phase]."""

    frequency: np.ndarray  # Hz
    phase_deg: np.ndarray
    speed: np.ndarray  # cm/s
    power: np.ndarray  # erg/s
    stable: np.ndarray  # bool
    seconds: np.ndarray  # s that were simulated

    def save(self, path: Path) -> None:
        np.savez(path, **asdict(self))

    @classmethod
    def load(cls, path: Path) -> "Sweep":
        with np.load(path) as arrays:
            return cls(**{name: arrays[name] for name in arrays.files})


def build_plan(
    species: SwimmerSpec,
    grid: tuple[int, int],
    frequency: tuple[float, float],
    phase_deg: tuple[float, float],
) -> Plan:
    """An even grid between the ends of two ranges."""
    axes = (
        np.linspace(*ends, count) for ends, count in zip((frequency, phase_deg), grid, strict=True)
    )
    hertz, degrees = (tuple(float(x) for x in np.round(axis, 9)) for axis in axes)
    return Plan(species, hertz, degrees)


def try_row(plan: Plan, row: int) -> dict[str, list[Any]]:
    """All phase shifts at one frequency: speed, power, whether it was stable, seconds."""
    found: dict[str, list[Any]] = {"speed": [], "power": [], "stable": [], "seconds": []}
    shifts, guess = np.radians(plan.phase_deg), 0.0
    for start in range(0, len(shifts), SCHOOL):
        some = shifts[start : start + SCHOOL]
        trial = try_strokes(
            plan.species, plan.frequency[row], some, guess=guess, protocol=plan.protocol
        )
        guess = max(0.0, float(trial.speed[-1]))
        found["speed"] += trial.speed.tolist()
        found["power"] += trial.power.tolist()
        found["stable"] += trial.stable.tolist()
        found["seconds"] += [trial.seconds] * len(some)
    return found


def run_sweep(
    plan: Plan, folder: Path | None = None, *, processes: int = 1, tell: Told | None = None
) -> Sweep:
    """Try the whole grid; with a folder, rows are kept there and those that are there are used."""
    rows = {} if folder is None else open_rows(plan, folder)
    total = len(plan.frequency)
    missing = [row for row in range(total) if row not in rows]
    for row, found in make_rows(plan, missing, processes):
        rows[row] = found
        if folder is not None:
            write_json(folder / ROWS / f"{row:04d}.json", found)
        if tell is not None:
            tell(len(rows), total)
    sweep = join_rows(plan, rows)
    if folder is not None:
        sweep.save(folder / RESULT)
    return sweep


def make_rows(plan: Plan, missing: list[int], processes: int) -> Iterator[tuple[int, Any]]:
    """Rows as they are ready."""
    if processes == 1 or len(missing) < 2:
        yield from ((row, try_row(plan, row)) for row in missing)
        return
    pool = ProcessPoolExecutor(min(processes, len(missing)), mp_context=get_context("spawn"))
    try:
        jobs = {pool.submit(try_row, plan, row): row for row in missing}
        for job in as_completed(jobs):
            yield jobs[job], job.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def join_rows(plan: Plan, rows: dict[int, Any]) -> Sweep:
    """The rows, one for each frequency, as one."""
    arrays = {
        key: np.array([rows[row][key] for row in range(len(plan.frequency))])
        for key in ("speed", "power", "stable", "seconds")
    }
    return Sweep(np.array(plan.frequency), np.array(plan.phase_deg), **arrays)


def open_rows(plan: Plan, folder: Path) -> dict[int, Any]:
    """The rows that a folder holds already; it must hold this sweep, or nothing."""
    described, path = plan.describe(), folder / PLAN
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; valid: a directory for the sweep")
    if path.exists():
        if read_json(path) != json.loads(json.dumps(described)):
            raise UserError(
                f"{folder}: holds another sweep; valid: the same one, or a new directory"
            )
    elif folder.exists() and any(one.name != ROWS for one in folder.iterdir()):
        raise UserError(f"{folder}: holds something else; valid: a new directory")
    (folder / ROWS).mkdir(parents=True, exist_ok=True)
    write_json(path, described)
    rows = {file.stem: read_json(file) for file in sorted((folder / ROWS).glob("*.json"))}
    return {int(stem): row for stem, row in rows.items() if stem.isdigit() and is_row(plan, row)}


def is_row(plan: Plan, row: Any) -> bool:
    """Whether something is a whole row of results; else the row is swum again."""
    keys, count = ("speed", "power", "stable", "seconds"), len(plan.phase_deg)
    return isinstance(row, dict) and all(len(row.get(key, [])) == count for key in keys)
