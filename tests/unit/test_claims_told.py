"""What is told of claims: a reason for every bound, a place in a paper, and the page of all."""

import json
import re
import sys
from math import isfinite
from pathlib import Path

import pytest

from skitter.claims.facts import BASES, load_facts, load_papers
from skitter.claims.kept import ASKED
from skitter.claims.pool import list_jobs
from skitter.claims.registry import load_claims
from skitter.console import make_json

HOME = Path(__file__).resolve().parents[2]
DOCS = HOME / "docs"
sys.path.insert(0, str(HOME / "tools"))

import claims_page  # noqa: E402

CLAIMS = load_claims()
FACTS = load_facts()
CITED = re.compile(r"\b([A-Z][A-Za-z-]+)(?: et al\.| and [A-Z][A-Za-z]+)?,? ((?:19|20)\d\d)")
PLACE = re.compile(r"section|figure|equation|appendix|robustness in general")
SENSES = ("at most", "at least", "equals", "about")
CIRCULAR = re.compile(r"measured (value|number) is|what we (measured|found)|as ours", re.IGNORECASE)
each = pytest.mark.parametrize("one", CLAIMS, ids=[one.id for one in CLAIMS])


def read_keys() -> set[str]:
    return set(re.findall(r"@\w+\{(\w+),", (DOCS / "references.bib").read_text()))


@each
def test_bound_is_finite_and_has_a_reason(one):
    """Of substance: a sentence of its own, not one word, and not the result itself."""
    assert isfinite(one.expected) and isfinite(one.tolerance) and one.tolerance >= 0
    assert one.sense in SENSES and one.unit.strip()
    assert len(one.why.split()) >= 6 and not CIRCULAR.search(one.why)
    assert len(one.scene.split()) >= 2 and len(one.statement.split()) >= 6
    fact = FACTS[one.id]
    assert fact.basis in BASES and len(fact.reported) > 3
    assert (one.sense == "about") == (fact.basis == "none"), "only what is told has no bound"
    assert (fact.basis == "ours") == bool(fact.fails_if), "a bound of ours says what would break it"


@each
def test_paper_and_place_are_in_the_references(one):
    if one.id.startswith("world/"):
        assert one.paper == "ours"
        return
    cited = [f"{name.lower().replace('-', '')}{year}" for name, year in CITED.findall(one.paper)]
    assert cited and set(cited) <= read_keys()
    if not one.id.startswith("biology/"):
        paper = one.id.partition("/")[0]
        assert cited[0] in {paper, "fang2013"}, "the first paper named is the one it is of"
        assert PLACE.search(one.paper) or "past" in one.paper


@each
def test_picture_and_cost(one):
    fact = FACTS[one.id]
    assert (DOCS / fact.describe()["picture"]).is_file()
    assert 0 < fact.cost < 1200


def test_facts_are_of_claims():
    assert set(FACTS) == {one.id for one in CLAIMS}
    assert {paper.key for paper in load_papers()} == {one.id.partition("/")[0] for one in CLAIMS}


def test_papers_tell_what_has_no_claim():
    for paper in load_papers():
        for one in paper.absent:
            assert one.keys() == {"place", "what", "why"} and all(map(str.strip, one.values()))
        assert paper.absent or paper.key == "biology"


def test_all_claims_fit_into_forty_minutes_of_two_cores():
    """By what they cost, longest first, each at once on the core that is free."""
    cores = [0.0, 0.0]
    for job in list_jobs([one.id for one in CLAIMS]):
        cores.sort()
        cores[0] += job.cost + 5  # s to begin
    assert max(cores) < 40 * 60


def test_only_speed_is_measured_alone():
    assert {id for id, fact in FACTS.items() if fact.alone} == {"fang2015/speed"}


def test_page_is_that_of_the_claims():
    """Each claim that is registered and none other, as it was asked for, and nothing by hand."""
    kept = json.loads(claims_page.KEPT.read_text())["claims"]
    assert [one["id"] for one in kept] == [one.id for one in CLAIMS]
    for record, one in zip(kept, CLAIMS, strict=True):
        said = make_json(one.describe())
        assert {key: record[key] for key in ASKED} == {key: said[key] for key in ASKED}
        value = float("nan") if record["value"] is None else record["value"]
        assert record["value"] is None or record["passed"] == one.holds(value)
    page = claims_page.PAGE.read_text()
    told = re.findall(r"^### (\S+)$", page, re.MULTILINE)
    assert sorted(told) == sorted(one.id for one in CLAIMS)
    for one in CLAIMS:
        assert one.statement in page and one.why in page and one.scene in page
    assert claims_page.main(check=True) == 0, "run tools/claims_page.py"


def test_readme_names_the_claims_that_fail():
    kept = json.loads(claims_page.KEPT.read_text())["claims"]
    failing = {one["id"].partition("/")[2] for one in kept if not one["passed"]}
    readme = (HOME / "README.md").read_text()
    (told,) = re.findall(r"claims do not hold:(.*?)\. Speed", readme, re.DOTALL)
    assert set(re.findall(r"`([a-z0-9-]+)`", told)) == failing


def test_parts_with_decimal_points_keep_their_names():
    parts = {"mu_h 0.2": 0.1, "mu_h 1.0": 0.2}
    assert "mu_h 0.2 0.1; mu_h 1.0 0.2" in claims_page.describe_parts({"parts": parts})
    table = claims_page.describe_parts({"parts": {"0.5 Hz.tail over head": 2.0}})
    assert "| | tail over head |" in table and "| 0.5 Hz | 2 |" in table


def test_failure_is_told_with_its_cause():
    words = {"id": "a/b", "reported": "r", "unit": "cm", "sense": "at most", "expected": 1.0}
    words |= {"tolerance": 0.0, "value": None, "passed": False, "cause": "because"}
    assert "| none cm | at most 1 | because |" in claims_page.write_failures([words])
    assert "| it died |" in claims_page.write_failures([words | {"trouble": "it died"}])
    assert "because" not in claims_page.write_failures([words | {"passed": True}])
