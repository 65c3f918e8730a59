"""Writes docs/claims.md from the claims that `skitter claims -o docs/claims/claims.json` keeps.

    python tools/claims_page.py [--check]    # --check: 1 if the page is not that of the file

All of the page comes from that file and from what `skitter.claims.facts` says of the papers.
"""

import re
import sys
from pathlib import Path
from typing import Any

from skitter.claims.facts import BASES, Paper, load_papers
from skitter.claims.kept import read_records
from skitter.claims.registry import load_claims

HOME = Path(__file__).resolve().parents[1]
PAGE, KEPT = HOME / "docs" / "claims.md", HOME / "docs" / "claims" / "claims.json"
PLOTS = "claims"  # beside the page
LAST_POINT = re.compile(r"^(.*)\.(?![0-9])([^.]*(?:\.[0-9][^.]*)*)$")  # not that of a number
Claim = dict[str, Any]
HEAD = """# What the papers report, reproduced

Written by `make claims` from `skitter claims --json`. A claim passes where the value measured is
within the tolerance of what is expected; the reason for each tolerance stands beside it, and whose
bound it is: the paper's, of physics, of statistics, or ours. What is `about` some number has no
bound: it is told beside ours, and counted apart. Where claims share their runs, the first of them
bears the seconds.

To see for yourself, `skitter claims -o mine.json`: one process a core (`--jobs N`), what shares
runs in one of them, the longest first, those about speed alone. It may be stopped and gone on
with; what is in the file and was measured by the same sources is not measured again. `skitter
claims ID …` measures some, `--list` names them, `--plots DIR` draws them. Two take data from
outside: the eigenworms from the folder that `SKITTER_WORM_DATA` names, more meshes for climbers
from `SKITTER_MESH_DATA`.

"""


def describe_number(value: float | None) -> str:
    """JSON has no word for what never came about."""
    return "none" if value is None else f"{value:.3g}"


def describe_unit(claim: Claim) -> str:
    return "" if claim["unit"] == "1" else f" {claim['unit']}"


def judge(claim: Claim) -> str:
    if claim["sense"] == "about" and claim["passed"]:
        return "told"
    return "yes" if claim["passed"] else "**no**"


def link(claim: Claim) -> str:
    return f"[`{claim['id']}`](#{claim['id'].replace('/', '')})"


def describe_bound(claim: Claim) -> str:
    bound, slack = f"{claim['sense']} {claim['expected']:g}", claim["tolerance"]
    sign = {"at most": "+", "at least": "-"}.get(claim["sense"], "±")
    return f"{bound} {sign} {slack:g}" if slack else bound


def write_summary(papers: dict[Paper, list[Claim]]) -> str:
    """A row for each paper."""
    rows = ["| paper | claims | pass | do not | told |\n|---|---|---|---|---|\n"]
    for paper, claims in papers.items():
        verdicts = [judge(claim) for claim in claims]
        counts = (str(verdicts.count(word)) for word in ("yes", "**no**", "told"))
        rows.append(f"| {paper.title} | {len(claims)} | {' | '.join(counts)} |\n")
    every = [claim for claims in papers.values() for claim in claims]
    known = [claim["processor_seconds"] for claim in every if "processor_seconds" in claim]
    bases = [BASES[claim["basis"]] for claim in every if claim["basis"] != "none"]
    counts = ", ".join(f"{bases.count(one)} {one}" for one in dict.fromkeys(bases))
    rows.append(f"\nWhose the bounds are: {counts}. ")
    rows.append(
        f"{len(known)} of the {len(every)} claims took {sum(known) / 60:.0f} minutes of one"
    )
    rows.append(" core together.\n")
    return "".join(rows)


def write_table(claims: list[Claim]) -> str:
    rows = "| claim | place | measured | expected | passed |\n|---|---|---|---|---|\n"
    for claim in claims:
        value = describe_number(claim["value"]) + describe_unit(claim)
        bound = describe_bound(claim)
        rows += f"| {link(claim)} | {claim['paper']} | {value} | {bound} | {judge(claim)} |\n"
    return rows


def write_failures(claims: list[Claim]) -> str:
    """What does not hold, and why as far as known."""
    rows = "| claim | the paper | ours | limit | why |\n|---|---|---|---|---|\n"
    for claim in claims:
        if claim["passed"]:
            continue
        value = describe_number(claim["value"]) + describe_unit(claim)
        why = claim.get("trouble") or claim["cause"] or "not known"
        rows += (
            f"| {link(claim)} | {claim['reported']} | {value} | {describe_bound(claim)} | {why} |\n"
        )
    return rows


def write_absent(papers: dict[Paper, list[Claim]]) -> str:
    """Results of the papers that have no claim."""
    rows = "| place | what | why |\n|---|---|---|\n"
    for paper in papers:
        for one in paper.absent:
            rows += f"| {name_paper(paper)} {one['place']} | {one['what']} | {one['why']} |\n"
    return rows


def name_paper(paper: Paper) -> str:
    """As claims name it: McKenna 1990."""
    name, year = paper.key[:-4].replace("mck", "mcK"), paper.key[-4:]
    return f"{name[0].upper()}{name[1:]} {year}"


def write_details(claim: Claim) -> str:
    told = f"\n### {claim['id']}\n\n{claim['statement']}.\n\n"
    told += f"- The paper ({claim['paper']}): {claim['reported']}.\n"
    value = describe_number(claim["value"]) + describe_unit(claim)
    told += f"- Ours: **{value}**, expected {describe_bound(claim)}; {describe_verdict(claim)}.\n"
    told += (
        f"- Measured on: {claim['scene']}.\n- Tolerance: {claim['why']}. {describe_basis(claim)}\n"
    )
    told += f"- {describe_seconds(claim)}\n"
    return told + describe_parts(claim) + describe_pictures(claim)


def describe_verdict(claim: Claim) -> str:
    if "trouble" in claim:
        return f"not measured: {claim['trouble']}"
    words = {"yes": "it holds", "**no**": "**it does not hold**", "told": "told only"}
    cause = f". {claim['cause']}" if claim["cause"] and not claim["passed"] else ""
    return words[judge(claim)] + cause


def describe_basis(claim: Claim) -> str:
    fails = f": it fails if {claim['fails_if']}" if claim["fails_if"] else ""
    return f"The bound is {BASES[claim['basis']]}{fails}."


def describe_seconds(claim: Claim) -> str:
    if claim["seconds"] is None:
        return "Measured before seconds were kept."
    spent = claim.get("processor_seconds")
    of_core = f", {spent:.0f} s of a core" if spent is not None else ""
    return f"{claim['seconds']:.0f} s{of_core}."


def describe_parts(claim: Claim) -> str:
    """Names end in what was measured; those that share their beginning make a row of a table."""
    rows: dict[str, dict[str, str]] = {}
    for name, value in claim.get("parts", {}).items():
        found = LAST_POINT.match(name)
        row, column = found.groups() if found else ("", name)
        rows.setdefault(row, {})[column] = describe_number(value)
    if not rows:
        return ""
    if list(rows) == [""]:
        return "\n" + "; ".join(f"{name} {value}" for name, value in rows[""].items()) + ".\n"
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    head = f"\n| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
    return head + "".join(
        f"| {name} | {' | '.join(row.get(column, '') for column in columns)} |\n"
        for name, row in rows.items()
    )


def describe_pictures(claim: Claim) -> str:
    """Its plot, and a picture of its scene where it has one."""
    shown = [("plot", f"{PLOTS}/{claim['plot']}")] if "plot" in claim else []
    shown += [("scene", claim["picture"])] if claim["picture"] else []
    found = [
        f"![{what} of {claim['id']}]({path})"
        for what, path in shown
        if (PAGE.parent / path).exists()
    ]
    return f"\n| {' | '.join(found)} |\n|{'---|' * len(found)}\n" if found else ""


def sort_by_paper(claims: list[Claim]) -> dict[Paper, list[Claim]]:
    """In the order in which claims name their papers."""
    papers = {paper.key: paper for paper in load_papers()}
    found: dict[Paper, list[Claim]] = {}
    for claim in claims:
        found.setdefault(papers[claim["id"].partition("/")[0]], []).append(claim)
    return found


def write_page(claims: list[Claim]) -> str:
    papers = sort_by_paper(claims)
    page = HEAD + write_summary(papers)
    page += "\n## What is not reproduced, and why\n\nClaims that do not hold:\n\n"
    page += write_failures(claims) + "\nResults of the papers that have no claim:\n\n"
    page += write_absent(papers)
    for paper, own in papers.items():
        page += f"\n## {paper.title}\n\n" + write_table(own)
        page += "".join(write_details(claim) for claim in own)
    return page


def main(check: bool) -> int:
    claims = load_claims()
    kept = read_records(KEPT, claims)
    missing = [one.id for one in claims if one.id not in kept]
    if missing:
        print(f"{KEPT}: has no such claims as they are now: {', '.join(missing)}; make claims")
        return 1
    page = write_page([kept[one.id] for one in claims])
    if check:
        return int(not PAGE.exists() or PAGE.read_text() != page)
    PAGE.write_text(page)
    print(f"{PAGE}: {sum(kept[one.id]['passed'] for one in claims)} of {len(claims)} claims pass")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
