"""What the papers report, reproduced and measured: the registry of claims.

A claim carries the paper and place, what it says, the tolerance and why, and how it is measured.
Claims of a paper live in a module of their own, which adds them to CLAIMS.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

PAPERS = ("skitter.measure.fang2015",)
CLAIMS: dict[str, "Claim"] = {}


@dataclass(frozen=True)
class Claim:
    """One claim. `measure` returns the value; it passes where value <= expected + tolerance
    ('at most'), >= expected - tolerance ('at least') or within tolerance of it ('equals')."""

    id: str
    paper: str  # which paper, and where in it
    statement: str
    scene: str
    sense: str  # 'at most', 'at least', 'equals'
    expected: float
    tolerance: float
    unit: str
    why: str  # of the tolerance
    measure: Callable[[], float]

    def holds(self, value: float) -> bool:
        match self.sense:
            case "at most":
                return value <= self.expected + self.tolerance
            case "at least":
                return value >= self.expected - self.tolerance
            case _:
                return abs(value - self.expected) <= self.tolerance

    def describe(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "paper": self.paper,
            "statement": self.statement,
            "scene": self.scene,
            "sense": self.sense,
            "expected": self.expected,
            "tolerance": self.tolerance,
            "unit": self.unit,
            "why": self.why,
        }


def claim(**fields: Any) -> Callable[[Callable[[], float]], Callable[[], float]]:
    """Register the decorated function as the measure of a claim."""

    def register(measure: Callable[[], float]) -> Callable[[], float]:
        one = Claim(measure=measure, **fields)
        if one.id in CLAIMS:
            raise ValueError(f"two claims are called {one.id}")
        CLAIMS[one.id] = one
        return measure

    return register


def load_claims() -> list[Claim]:
    for paper in PAPERS:
        import_module(paper)
    return list(CLAIMS.values())


def list_claims() -> list[dict[str, Any]]:
    return [one.describe() for one in load_claims()]


def run_claims(ids: list[str] | None = None) -> list[dict[str, Any]]:
    """Measure the claims with these ids, or all."""
    records = []
    for one in load_claims():
        if ids and one.id not in ids:
            continue
        start = time.perf_counter()
        value = float(one.measure())
        seconds = round(time.perf_counter() - start, 3)
        records.append(
            one.describe() | {"passed": one.holds(value), "value": value, "seconds": seconds}
        )
    return records
