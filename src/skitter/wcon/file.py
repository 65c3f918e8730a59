"""What a WCON file holds, in s and mm."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError

Floats = NDArray[np.float64]
MOST_POINTS = 1 << 22  # of all lines together, each as long as the longest


@dataclass(frozen=True)
class Record:
    """One entry of the data: a worm at some times. What is not known is nan."""

    id: str | float
    time: Floats  # [frame] s
    midline: Floats  # [frame, point, xy] mm from the origin, as long as the longest
    origin: Floats  # [frame, xy] mm, nan where none is given
    centroid: Floats  # [frame, xy] mm from the origin, nan where none is given
    outline: Floats  # [frame, point, xy] mm from the origin: the perimeter; no points if not given
    head: tuple[str, ...]  # [frame] L: the first point, R: the last, ?: not known
    ventral: tuple[str, ...]  # [frame] CW or CCW from the first point, ?: not known
    custom: dict[str, Any] = field(default_factory=dict)  # tags with @, and the `walk`
    other: dict[str, Any] = field(default_factory=dict)  # keys that the format does not know


@dataclass(frozen=True)
class Worm:
    """All that a file says of one worm, in the order of time."""

    id: str
    time: Floats  # [frame] s
    midline: Floats  # [frame, point, xy] mm on the plate, as in the file; nan where not known
    centroid: Floats  # [frame, xy] mm on the plate
    head: tuple[str, ...]  # [frame]
    ventral: tuple[str, ...]  # [frame]

    def list_midlines(self) -> Iterator[Floats]:
        """Of each frame the points that are known [point, xy], mm, head first where it is known
        which end that is."""
        for line, head in zip(self.midline, self.head, strict=True):
            known = line[np.isfinite(line).all(axis=1)]
            yield known[::-1] if head == "R" else known

    @property
    def lies_on_left(self) -> bool:
        """Whether its ventral side is to the right of where it heads, as seen in the file; also
        where its head or ventral side is not known, false."""
        told = [
            (head, ventral)
            for head, ventral in zip(self.head, self.ventral, strict=True)
            if ventral != "?"
        ]
        # from a head that looks to the right, clockwise goes below
        return sum(1 if (v == "CW") == (h != "R") else -1 for h, v in told) > 0


@dataclass(frozen=True)
class Wcon:
    """A file."""

    records: list[Record]
    units: dict[str, str] = field(default_factory=dict)  # of all that is not t, x, y: as it is here
    metadata: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)  # its neighbours in a series
    custom: dict[str, Any] = field(default_factory=dict)  # tags with @
    other: dict[str, Any] = field(default_factory=dict)

    @property
    def worms(self) -> list[Worm]:
        """Each worm once; what a file says twice of a time must agree (see join.py)."""
        from skitter.wcon.join import join_records

        return join_records(self.records)


def stack(rows: list[Floats]) -> Floats:
    """Lines of several lengths [point, xy] as one array [line, point, xy], nan at their ends."""
    longest = max((len(row) for row in rows), default=0)
    if len(rows) * longest > MOST_POINTS:
        found = f"{len(rows):,} lines of up to {longest:,} points"
        raise UserError(f"holds {found}; valid: at most {MOST_POINTS:,} points in all")
    whole = np.full((len(rows), longest, 2), np.nan)
    for k, row in enumerate(rows):
        whole[k, : len(row)] = row
    return whole


def trim(line: Floats) -> Floats:
    """A line without what is not known at its end."""
    known = np.flatnonzero(np.isfinite(line).any(axis=1))
    return line[: known[-1] + 1] if len(known) else line[:0]
