"""Writes docs/claims.md from what `skitter claims --json` prints on standard input."""

import json
import sys
from pathlib import Path

HEAD = """# What the papers report, reproduced

Written by `make claims` from `skitter claims --json`. A claim passes where the value measured is
within the tolerance of what is expected; the reason for each tolerance stands beside it.

| claim | paper | measured | expected | tolerance | passed |
|---|---|---|---|---|---|
"""


def describe_row(claim: dict) -> str:
    passed = "yes" if claim["passed"] else "**no**"
    return (
        f"| `{claim['id']}` | {claim['paper']} | {claim['value']:.3g} {claim['unit']} "
        f"| {claim['sense']} {claim['expected']:g} | {claim['tolerance']:g} | {passed} |\n"
    )


def describe_details(claim: dict) -> str:
    return (
        f"\n## {claim['id']}\n\n{claim['statement']}.\n\nMeasured on: {claim['scene']}."
        f" Tolerance: {claim['why']}.\n"
    )


if __name__ == "__main__":
    claims = json.load(sys.stdin)["claims"]
    page = HEAD + "".join(map(describe_row, claims)) + "".join(map(describe_details, claims))
    Path("docs/claims.md").write_text(page)
    print(f"docs/claims.md: {sum(c['passed'] for c in claims)} of {len(claims)} claims pass")
