"""Records of claims in a file, so that measuring them may be stopped and gone on with.

A record that other sources of Skitter measured stays until its claim is measured again.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import skitter
from skitter.claims.registry import Claim
from skitter.console import make_json
from skitter.errors import UserError
from skitter.study.files import read_json, write_whole

Record = dict[str, Any]
ASKED = ("scene", "sense", "expected", "tolerance", "unit")  # a record of another is of no use
VALID = "valid: a new file, or one that `skitter claims -o` wrote"


@cache
def hash_sources() -> str:
    """Twelve digits that change with any source of Skitter, its scenes, species and claims."""
    home = Path(skitter.__file__).parent
    found = hashlib.sha256()
    for path in sorted(path for path in home.rglob("*") if path.suffix in (".py", ".yaml", ".npz")):
        found.update(f"{path.relative_to(home).as_posix()}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def read_records(path: Path, claims: Sequence[Claim]) -> dict[str, Record]:
    """Those of a file whose claims still ask for the same, with the words of today."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a directory" if path.is_dir() else "has no directory to be in"
        raise UserError(f"{path}: {what}; valid: a file for the claims")
    if not path.exists():
        return {}
    document = read_json(path)
    records = document.get("claims") if isinstance(document, dict) else None
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise UserError(f"{path}: is not a file of claims; {VALID}")
    found = {one.get("id"): one for one in records}
    return {
        one.id: refresh(found[one.id], one)
        for one in claims
        if one.id in found and is_of(found[one.id], one)
    }


def is_of(record: Record, one: Claim) -> bool:
    """Whether a record answers what the claim asks today."""
    said = make_json(one.describe())
    whole = {"passed", "value", "seconds"} <= record.keys()
    return whole and all(record.get(key) == said[key] for key in ASKED)


def refresh(record: Record, one: Claim) -> Record:
    """The record with what is said of its claim today."""
    return record | make_json(one.describe())


def is_fresh(record: Record, plots: Path | None) -> bool:
    """Whether it need not be measured again: by these sources, without trouble, with its plot."""
    has_plot = plots is None or ("plot" in record and (plots / record["plot"]).exists())
    return record.get("sources") == hash_sources() and "trouble" not in record and has_plot


def write_records(path: Path, records: dict[str, Record], claims: Sequence[Claim]) -> None:
    """In the order of the claims, a line each."""
    import json

    rows = [records[one.id] for one in claims if one.id in records]
    lines = (json.dumps(make_json(row), ensure_ascii=False, allow_nan=False) for row in rows)
    write_whole(path, '{"claims": [\n' + ",\n".join(lines) + "\n]}\n")
