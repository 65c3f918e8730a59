"""Writes docs/claims.md from what `skitter claims --json` prints on standard input.

Claims that were not measured this time stay as they are on the page.
"""

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


def read_page(page: str) -> dict[str, tuple[str, str]]:
    """The row and the details of every claim that is on the page already, by id."""
    rows = {line.split("`")[1]: line + "\n" for line in page.splitlines() if line[:3] == "| `"}
    details = {text.partition("\n")[0]: f"\n## {text}" for text in page.split("\n## ")[1:]}
    return {id: (row, details.get(id, "")) for id, row in rows.items()}


if __name__ == "__main__":
    claims = json.load(sys.stdin)["claims"]
    found = read_page(PAGE.read_text()) if PAGE.exists() else {}
    found |= {claim["id"]: (describe_row(claim), describe_details(claim)) for claim in claims}
    page = HEAD + "".join(row for row, _ in found.values())
    PAGE.write_text(page + "".join(more.rstrip("\n") + "\n" for _, more in found.values()))
    print(f"{PAGE}: {sum(c['passed'] for c in claims)} of {len(claims)} claims measured pass")
