"""Puts worms of a recording beside a real one: the table that docs and claims quote.

    python tools/real_worm.py DIR CURVATURE TIMES EIGENWORMS

DIR is a recording, CURVATURE a table with a row for each moment and a column for each segment,
TIMES the moments in s, EIGENWORMS rows of 48 angles. Exit code 1 if one is not alike.
"""

import sys
from pathlib import Path

from skitter.console import format_number, print_rows
from skitter.errors import UserError
from skitter.measure.eigenworms import load_eigenworms
from skitter.measure.real import Likeness, compare, load_real_worm
from skitter.measure.table import CRAWLING
from skitter.measure.worm import read_track
from skitter.record import Recording

HEAD = ("measure", "unit", "real", "asked", "this", "")


def describe(one: Likeness) -> tuple[str, ...]:
    """A row of the table."""
    asked = f"{format_number(one.low)} to {format_number(one.high)}"
    verdict = ("holds" if one.holds else "FAILS") if one.is_asked else "told"
    real = "" if one.real != one.real else format_number(float(one.real))
    return (one.name, one.unit, real, asked, format_number(float(one.found)), verdict)


def main(folder: str, curvature: str, times: str, eigenworms: str) -> int:
    recording = Recording.open(folder)
    real = load_real_worm(Path(curvature), Path(times))
    modes = load_eigenworms(Path(eigenworms))
    names = [one["name"] for one in recording.creatures if one["kind"] in CRAWLING]
    if not names:
        raise UserError(f"{folder}: has no worm")
    alike = True
    for name in names:
        rows = compare(read_track(recording, name), real, modes)
        print(name)
        print_rows([HEAD, *(describe(one) for one in rows)])
        alike &= all(one.holds for one in rows if one.is_asked)
    return 0 if alike else 1


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except UserError as mistake:
        sys.exit(f"real_worm: {mistake}")
