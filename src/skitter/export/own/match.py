"""Finds the joints of a user's rig that stand for ours."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skitter.errors import UserError
from skitter.export.own.map import (
    BRACES,
    RigMap,
    Wanted,
    compile_line,
    describe_missing,
    expand,
    list_all_names,
    list_patterns,
    refuse_name,
    simplify,
)
from skitter.export.own.source import RigSource
from skitter.scene.describe import quote, suggest

NEEDED = re.compile(r"seg_\d+(_leg_[LR](_femur|_tibia)?)?|soft_\d+_\d+")


@dataclass(frozen=True)
class Match:
    """Joints of a rig by our names, and what is worth telling."""

    joint: dict[str, int]
    notes: list[str]


class Names:
    """The names of a rig, exactly or nearly."""

    def __init__(self, source: RigSource) -> None:
        self._source = source
        self._exact: dict[str, list[int]] = {}
        self._near: dict[str, list[int]] = {}
        for k, name in enumerate(source.names):
            self._exact.setdefault(name, []).append(k)
            self._near.setdefault(simplify(name), []).append(k)

    def find(self, name: str) -> int | None:
        """The joint of a name; joints of a skin come before other nodes."""
        found = self._exact.get(name) or self._near.get(simplify(name)) or []
        found = [k for k in found if self._source.is_bound[k]] or found
        if len(found) > 1:
            raise UserError(
                f"{self._source.file}: has {len(found)} joints called {quote(name)};"
                " valid: names that differ"
            )
        return found[0] if found else None

    def has(self, name: str) -> bool:
        return name in self._exact or simplify(name) in self._near

    def suggest(self, name: str) -> str:
        return suggest(name, self._source.names) or f"valid: {self._some()}"

    def _some(self) -> str:
        names = [n for n, b in zip(self._source.names, self._source.is_bound, strict=True) if b]
        return describe_missing(names or self._source.names, 4)


def match_joints(
    source: RigSource, mapping: RigMap | None, ours: Iterable[str], map_file: Path | None
) -> Match:
    """Which joints of the rig stand for which of ours: as a file says, and else by name."""
    names, label, ours = Names(source), str(map_file), sorted(ours)
    found: dict[str, int] = {}
    notes: list[str] = []
    if mapping is not None:
        notes = check_ours(mapping, ours, label)
        found = follow_map(expand(mapping, ours, label), names, label, notes)
    for name in ours:
        joint = None if name in found else names.find(name)
        if joint is not None and joint not in found.values():
            found[name] = joint
    return Match(found, notes)


def check_ours(mapping: RigMap, ours: list[str], label: str) -> list[str]:
    """Every line must be about joints that there can be; some may not be this creature's."""
    own, possible, without = set(ours), list_all_names(), []
    for line in mapping.joints:
        pattern = compile_line(line, label)
        if not any(pattern.fullmatch(name) for name in possible):
            known = list_patterns() if BRACES.search(line) else ours
            near = suggest(line, known) or f"valid: {describe_missing(known, 4)}"
            raise refuse_name(label, line, f"which is no joint of ours; {near}")
        if not any(pattern.fullmatch(name) for name in own):
            without.append(line)
    if not without:
        return []
    return [f"{label}: this creature has no {describe_missing(without)}"]


def follow_map(
    wanted: Iterable[Wanted], names: Names, label: str, notes: list[str]
) -> dict[str, int]:
    """The joints that a mapping file names; what is passed over goes to the notes."""
    found: dict[str, int] = {}
    missed: dict[str, Wanted] = {}
    hit: set[str] = set()
    for one in wanted:
        joint = names.find(one.theirs)
        if joint is None:
            missed.setdefault(one.line, one)
            continue
        hit.add(one.line)
        if one.ours in found:
            continue
        taken = next((name for name, number in found.items() if number == joint), None)
        if taken is not None:
            problem = f"both for {taken} and for {one.ours}; valid: a joint for each"
            raise refuse_name(label, one.theirs, problem)
        found[one.ours] = joint
    for one in (missed[line] for line in missed if line not in hit):
        near = names.suggest(one.theirs)
        if not one.is_pattern or NEEDED.fullmatch(one.ours):
            raise refuse_name(label, one.theirs, f"which is no joint of the rig; {near}")
        passed = f"no joint of the rig is as {quote(one.line)} says, such as {quote(one.theirs)}"
        notes.append(f"{label}: {passed}; the line is passed over; {near.strip()}")
    return found


def check_needed(
    match: Match, needed: list[str], source: RigSource, map_file: Path | None, whose: str
) -> None:
    """All joints without which nothing can be done must be there."""
    missing = [name for name in needed if name not in match.joint]
    if missing:
        way = f"lines for them in {map_file}" if map_file else "joints called so, or --map FILE"
        raise UserError(
            f"{source.file}: has no joint for {describe_missing(missing)}, of"
            f" {len(needed)} that {whose} needs; valid: {way}"
        )


def list_needed(names: list[str], *, has_legs: bool) -> list[str]:
    """Stiff parts and the links of legs but the last; a myriapod may lack a tail."""
    needed = [name for name in names if NEEDED.fullmatch(name)]
    needed.sort(key=lambda name: ("_leg_" in name, int(name.split("_")[1]), name))
    bodies = [name for name in needed if re.fullmatch(r"seg_\d+", name)]
    return [name for name in needed if not (has_legs and name == bodies[-1])]


def read_positions(source: RigSource, match: Match) -> dict[str, np.ndarray]:
    """Where the joints that were found are, in the rig's own space."""
    return {name: source.position[joint] for name, joint in match.joint.items()}
