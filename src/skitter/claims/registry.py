"""What the papers report, reproduced and measured: the registry of claims.

A claim carries the paper and place, what it says, the tolerance and why, and how it is measured.
Claims of a paper live in modules of their own, which add them to CLAIMS; what else is told of them,
and what they cost, stands in `facts/`. One number decides; where it is made of several, the finding
names them.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from skitter.claims.facts import find_fact
from skitter.errors import SimulationError
from skitter.measure.plot import Plot, write_bars

PAPERS: tuple[str, ...] = (
    "skitter.claims.fang2015",
    "skitter.claims.fang2015_gait",
    "skitter.claims.fang2015_ground",
    "skitter.claims.fang2015_brain",
    "skitter.claims.fang2015_lasting",
    "skitter.claims.fang2015_swim",
    "skitter.claims.fang2015_optimum",
    "skitter.claims.fang2015_water",
    "skitter.claims.mujika2018",
    "skitter.claims.mujika2018_friction",
    "skitter.claims.mujika2018_muscles",
    "skitter.claims.mujika2018_real",
    "skitter.claims.mckenna1990",
    "skitter.claims.mckenna1990_walk",
    "skitter.claims.mckenna1990_drop",
    "skitter.claims.mckenna1990_reflexes",
    "skitter.claims.mckenna1990_wires",
    "skitter.claims.cenydd2012",
    "skitter.claims.cenydd2012_climb",
    "skitter.claims.cenydd2012_fall",
    "skitter.claims.cenydd2012_objects",
    "skitter.claims.cenydd2012_hold",
    "skitter.claims.world",
)
CLAIMS: dict[str, "Claim"] = {}
HOMES: dict[str, str] = {}  # modules of the claims, by id


@dataclass(frozen=True)
class Finding:
    """What a measure found."""

    value: float  # decides whether the claim holds
    parts: dict[str, float] = field(default_factory=dict)  # what the value is made of
    plot: Plot | None = None  # the value beside its bound where left out


Measurement = Callable[[], float | Finding]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim. `measure` finds the value; it passes where value <= expected + tolerance
    ('at most'), >= expected - tolerance ('at least') or within tolerance of it ('equals'). What
    is 'about' some value is reported beside it and passes where it can be measured at all."""

    id: str
    paper: str  # which paper, and where in it
    statement: str
    scene: str
    sense: str  # 'at most', 'at least', 'equals', 'about'
    expected: float
    tolerance: float = 0.0
    unit: str = "1"
    why: str  # of the bound
    measure: Measurement
    quick: bool = False  # a matter of seconds: tests measure it every time

    def holds(self, value: float) -> bool:
        match self.sense:
            case "at most":
                return value <= self.expected + self.tolerance
            case "at least":
                return value >= self.expected - self.tolerance
            case "about":
                return bool(np.isfinite(value))
            case _:
                return abs(value - self.expected) <= self.tolerance

    @property
    def bounds(self) -> list[float]:
        low, high = self.expected - self.tolerance, self.expected + self.tolerance
        return {"at most": [high], "at least": [low]}.get(self.sense, [low, high])

    def describe(self) -> dict[str, Any]:
        """All that is said of it, without a measurement."""
        hidden = ("measure", "quick")
        said = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in hidden}
        return said | find_fact(self.id).describe()

    def record(self, value: float, seconds: float) -> dict[str, Any]:
        """The same with what was measured, in so many seconds."""
        found = {"passed": self.holds(value), "value": value, "seconds": round(seconds, 3)}
        return self.describe() | found

    def find(self) -> Finding:
        """Measure it; a bare number gets a plot of itself."""
        found = self.measure()
        if not isinstance(found, Finding):
            found = Finding(float(found))
        if found.plot is not None:
            return found
        bars = found.parts or {"measured": found.value}
        draw = partial(write_bars, values=bars, label=self.unit, bounds=self.bounds)
        return Finding(found.value, found.parts, draw)


def claim(**words: Any) -> Callable[[Measurement], Measurement]:
    """Register the decorated function as the measure of a claim."""
    home = str(sys._getframe(1).f_globals["__name__"])

    def register(measure: Measurement) -> Measurement:
        one = Claim(measure=measure, **words)
        if one.id in CLAIMS:
            raise ValueError(f"two claims are called {one.id}")
        CLAIMS[one.id], HOMES[one.id] = one, home
        return measure

    return register


def find_worst(
    parts: Mapping[str, float],
    *,
    at_most: Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
) -> Finding:
    """The part that is nearest to its limit, or farthest beyond: part / limit, or limit / part
    where it must be at least so much. The limit of `robot.slip` is that of `slip`; a part without
    one is only reported. What could not be measured is beyond any limit."""
    shares = {}
    for name, value in parts.items():
        kind = name.rpartition(".")[2]
        if kind in (at_most or {}):
            shares[name] = value / (at_most or {})[kind]
        elif kind in (at_least or {}):
            shares[name] = (at_least or {})[kind] / value if value > 0 else np.inf
    shares = {name: np.inf if np.isnan(x) else float(x) for name, x in shares.items()}
    draw = partial(write_bars, values=shares, label="share of the limit", bounds=[1.0])
    return Finding(max(shares.values()), dict(parts), draw)


def load_claims() -> list[Claim]:
    """All claims of all papers."""
    for paper in PAPERS:
        import_module(paper)
    # some modules may have been imported before, in another order
    place = {paper: k for k, paper in enumerate(PAPERS)}
    return sorted(CLAIMS.values(), key=lambda one: place.get(HOMES.get(one.id, ""), len(place)))


def list_claims() -> list[dict[str, Any]]:
    """What each claim says, without a measurement."""
    return [one.describe() for one in load_claims()]


def run_claims(ids: list[str] | None = None, *, plots: Path | None = None) -> list[dict[str, Any]]:
    """Measure the claims with these ids, or all, in this process; a plot of each in a folder."""
    chosen = [one for one in load_claims() if not ids or one.id in ids]
    return [run_claim(one, plots) for one in chosen]


def run_claim(one: Claim, plots: Path | None) -> dict[str, Any]:
    """Measure a claim; the record has the value, whether it holds, and the seconds it took by the
    clock and by the processor."""
    start, spent = time.perf_counter(), read_processor()
    try:
        found = one.find()
    except SimulationError as error:  # what flies apart holds no claim; the others go on
        return fail_claim(one, str(error), time.perf_counter() - start)
    record = one.record(float(found.value), time.perf_counter() - start)
    record["processor_seconds"] = round(read_processor() - spent, 3)
    if found.parts:
        record["parts"] = {name: float(part) for name, part in found.parts.items()}
    if plots is not None and found.plot is not None:
        record["plot"] = f"{one.id.replace('/', '-')}.png"
        found.plot(plots / record["plot"], title=one.id)
    return record


def fail_claim(one: Claim, trouble: str, seconds: float) -> dict[str, Any]:
    """The record of a claim that could not be measured, and why."""
    return one.record(np.nan, seconds) | {"trouble": trouble}


def read_processor() -> float:
    """Seconds that processors have spent on this process and those that it waited for."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system
