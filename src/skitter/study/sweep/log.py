"""What a sweep keeps: a line of `points.jsonl` for every finished point.

A line is with the system before its point counts as finished, so that it outlives the sweep, and on
the disk a second later at most. It carries a checksum: one that was cut short or damaged is dropped
and its point run again. No point has two lines.
"""

import json
import os
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skitter.study.files import write_whole
from skitter.study.folder import append_line, read_lines
from skitter.study.sweep.grid import Point
from skitter.study.sweep.point import Outcome

LOG = "points.jsonl"
SYNC_INTERVAL = 1.0  # s


@dataclass(frozen=True)
class Row:
    """A finished point."""

    point: Point
    outcome: Outcome

    def to_line(self) -> str:
        row = {
            "key": self.point.key,
            "values": list(self.point.values),
            "seed": self.point.seed,
            "measures": self.outcome.measures,
            "reason": self.outcome.reason,
        }
        return json.dumps({**row, "crc32": sum_row(row)}, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Row":
        row = json.loads(line)
        if row.pop("crc32") != sum_row(row):
            raise ValueError("the checksum is another")
        point = Point(row["key"], tuple(row["values"]), row["seed"])
        return cls(point, Outcome(row["measures"], row["reason"]))


def sum_row(row: dict[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(row, allow_nan=False).encode()):08x}"


class Log:
    """The finished points of a folder, by key."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOG
        self.rows, self.damaged = read_rows(self.path)
        self._synced = 0.0

    def repair(self) -> None:
        """Write the file without the lines that cannot be read."""
        if self.damaged:
            self._rewrite()

    def forget_failures(self) -> int:
        """Take out the points that failed, so that they are run again; how many."""
        kept = {key: row for key, row in self.rows.items() if not row.outcome.reason}
        dropped, self.rows = len(self.rows) - len(kept), kept
        if dropped:
            self._rewrite()
        return dropped

    def append(self, point: Point, outcome: Outcome) -> bool:
        """Keep a point; the first outcome counts, and another one is dropped."""
        if point.key in self.rows:
            return False
        row = Row(point, outcome)
        now = time.monotonic()
        sync = now - self._synced > SYNC_INTERVAL
        append_line(self.path, row.to_line(), sync=sync)
        self._synced = now if sync else self._synced
        self.rows[point.key] = row
        return True

    def sync(self) -> None:
        """See all lines to the disk."""
        if self.path.exists():
            with self.path.open("ab") as file:
                os.fsync(file.fileno())

    def _rewrite(self) -> None:
        write_whole(self.path, "".join(row.to_line() for row in self.rows.values()))


def read_rows(path: Path, *, cut: bool = True) -> tuple[dict[str, Row], int]:
    """All rows by key, and how many lines are damaged."""
    rows: dict[str, Row] = {}
    damaged = 0
    for line in read_lines(path, cut=cut):
        try:
            row = Row.from_line(line)
            damaged += row.point.key in rows
            rows.setdefault(row.point.key, row)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            damaged += 1
    return rows, damaged
