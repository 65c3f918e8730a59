"""Writes docs/claims.md from what `skitter claims --json` prints on standard input."""

import json
import sys
from pathlib import Path

PAGE, PLOTS = Path("docs/claims.md"), "claims"  # plots are linked where docs/claims holds them
HEAD = """# What the papers report, reproduced

Written by `make claims` from `skitter claims --json`. A claim passes where the value measured is
within the tolerance of what is expected; the reason for each tolerance stands beside it. What is
`about` some number is only told beside it.

| claim | paper | measured | expected | tolerance | passed |
|---|---|---|---|---|---|
"""


def describe_number(value: float | None) -> str:
    """JSON has no word for what never came about."""
    return "none" if value is None else f"{value:.3g}"


def describe_row(claim: dict) -> str:
    passed = "yes" if claim["passed"] else "**no**"
    if claim["sense"] == "about" and claim["passed"]:
        passed = "told"
    return (
        f"| `{claim['id']}` | {claim['paper']} | {describe_number(claim['value'])} {claim['unit']} "
        f"| {claim['sense']} {claim['expected']:g} | {claim['tolerance']:g} | {passed} |\n"
    )


def describe_details(claim: dict) -> str:
    return (
        f"\n## {claim['id']}\n\n{claim['statement']}.\n\nMeasured on: {claim['scene']}."
        f" Tolerance: {claim['why']}.\n{describe_parts(claim)}{describe_plot(claim)}"
    )


def describe_parts(claim: dict) -> str:
    """Names end in what was measured; those that share their beginning make a row of a table."""
    parts = claim.get("parts", {})
    rows: dict[str, dict[str, str]] = {}
    for name, value in parts.items():
        row, _, column = name.rpartition(".")
        rows.setdefault(row, {})[column] = describe_number(value)
    if not parts:
        return ""
    if list(rows) == [""]:
        return "\n" + "; ".join(f"{name} {value}" for name, value in rows[""].items()) + ".\n"
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    head = f"\n| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
    return head + "".join(
        f"| {name} | {' | '.join(row.get(column, '') for column in columns)} |\n"
        for name, row in rows.items()
    )


def describe_plot(claim: dict) -> str:
    path = f"{PLOTS}/{claim['id'].replace('/', '-')}.png"
    return f"\n![{claim['id']}]({path})\n" if (PAGE.parent / path).exists() else ""


if __name__ == "__main__":
    claims = json.load(sys.stdin)["claims"]
    page = HEAD + "".join(map(describe_row, claims)) + "".join(map(describe_details, claims))
    PAGE.write_text(page)
    print(f"{PAGE}: {sum(c['passed'] for c in claims)} of {len(claims)} claims pass")
