"""What is said of claims besides their measures, as data: `facts/*.yaml`, a file for each paper.

Of every claim: what the paper reports in its own words and numbers, what the bound rests on, the
built-in scene whose picture shows it, and what it costs. Of every paper: what of it is not
reproduced, or has no claim, and why.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from skitter.scene.read_yaml import read_yaml

FOLDER = Path(__file__).parent / "facts"
BASES = {
    "paper": "the paper's",
    "physics": "of physics or arithmetic",
    "statistics": "of statistics",
    "ours": "ours",
    "none": "none: it is only told",
}


@dataclass(frozen=True)
class Fact:
    """Of one claim."""

    reported: str = ""  # what the paper says, in its own numbers
    basis: str = "ours"  # what the bound rests on, one of BASES
    fails_if: str = ""  # what would make it fail, where the bound is ours
    cause: str = ""  # of a claim that does not hold, as far as known
    scene: str = ""  # a built-in one, whose picture shows it
    cost: float = 10.0  # s of one core, that of what it shares with others included once
    runs: str = ""  # claims with the same share runs, so that one process measures them
    alone: bool = False  # nothing else may run meanwhile

    def describe(self) -> dict[str, Any]:
        """What readers are told."""
        told = ("reported", "basis", "fails_if", "cause")
        found = {name: getattr(self, name) for name in told}
        return found | {"picture": f"pictures/scenes/{self.scene}.jpg" if self.scene else ""}


@dataclass(frozen=True, eq=False)
class Paper:
    """One of those that claims are of."""

    key: str  # in docs/references.bib, and the beginning of its claims' names
    title: str
    absent: tuple[dict[str, str], ...]  # place, what, why: results that have no claim


@cache
def read_facts() -> dict[str, Any]:
    """All files, by the paper's key."""
    return {path.stem: read_yaml(path) for path in sorted(FOLDER.glob("*.yaml"))}


@cache
def load_facts() -> dict[str, Fact]:
    """By the claim's id."""
    return {
        f"{key}/{name}": Fact(**fact)
        for key, paper in read_facts().items()
        for name, fact in paper["claims"].items()
    }


def find_fact(id: str) -> Fact:
    return load_facts().get(id, Fact())


def load_papers() -> list[Paper]:
    return [
        Paper(key, paper["title"], tuple(paper.get("absent", ())))
        for key, paper in read_facts().items()
    ]
