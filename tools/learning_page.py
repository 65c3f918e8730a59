"""Write the tables of docs/learning.md: every entry of every environment, from the sources.

    python tools/learning_page.py [--check]

What stands between the marks is replaced; `--check` only tells whether it would change.
"""

import sys
from pathlib import Path

import skitter.learn
from skitter.learn.entry import Entry
from skitter.learn.families import build_herd

PAGE = Path(__file__).resolve().parents[1] / "docs" / "learning.md"
BEGIN, END = "<!-- entries, written by tools/learning_page.py -->\n", "<!-- end of entries -->\n"


def write_rows(entries: tuple[Entry, ...]) -> list[str]:
    """A table with a row for each entry."""
    rows = ["| | entry | unit | from | to | what it is |", "|---|---|---|---|---|---|"]
    for k, one in enumerate(entries):
        rows.append(
            f"| {k} | `{one.name}` | {one.unit} | {one.low:g} | {one.high:g} | {one.about} |"
        )
    return rows


def write_family(family: str) -> list[str]:
    """The section of a family."""
    herd = build_herd(family, 1)
    herd.close()
    return [
        f"### skitter/{family}-v0",
        "",
        f"{herd.rate:g} actions a second, {skitter.learn.FAMILIES[family].steps} to an episode; a"
        f" body length is {herd.length:.3g} cm.",
        "",
        f"Actions ({len(herd.actions)}); the unit is that of an action of 1:",
        "",
        *write_rows(herd.actions),
        "",
        f"Observations ({len(herd.observations)}):",
        "",
        *write_rows(herd.observations),
        "",
    ]


def write_page(text: str) -> str:
    """The page with tables as of now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    tables = [line for family in skitter.learn.FAMILIES for line in write_family(family)]
    return before + BEGIN + "\n" + "\n".join(tables) + "\n" + END + after


if __name__ == "__main__":
    found = write_page(PAGE.read_text())
    if "--check" in sys.argv:
        sys.exit(found != PAGE.read_text())
    PAGE.write_text(found)
