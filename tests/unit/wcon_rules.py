"""The published rules of WCON files, written down again: an independent judge of what we write.

From the format's description and its JSON schema (openworm/tracker-commons): which keys must be
there, of which types, and which numbers of values fit together.
"""

import json
import re
from typing import Any

KNOWN_UNITS = re.compile(r"(1|%|mm|s|C|h|mm/s|1/mm|1/s|mm\^2)?")


def check_file(path) -> dict[str, Any]:
    """The document of a file that keeps the rules."""
    document = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    check_document(document)
    return document


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def check_document(document) -> None:
    assert isinstance(document, dict)
    assert {"units", "data"} <= set(document)
    units, data = document["units"], document["data"]
    assert isinstance(units, dict) and {"t", "x", "y"} <= set(units)
    assert all(isinstance(unit, str) and KNOWN_UNITS.fullmatch(unit) for unit in units.values())
    if "files" in document:
        check_files(document["files"])
    check_metadata(document.get("metadata", {}))
    for entry in data if isinstance(data, list) else [data]:
        check_entry(entry, units)


def check_files(files) -> None:
    assert set(files) <= {"this", "prev", "next"} and isinstance(files["this"], str)
    for key in ("prev", "next"):
        assert isinstance(files.get(key), str | list | None)


def check_metadata(metadata) -> None:
    assert isinstance(metadata, dict)
    texts = ("timestamp", "food", "media", "strain")
    assert all(isinstance(metadata[key], str) for key in texts if key in metadata)
    numbers = ("temperature", "humidity", "age")
    assert all(is_number(metadata[key]) for key in numbers if key in metadata)
    assert metadata.get("sex", "male") in ("hermaphrodite", "male")
    assert metadata.get("stage", "L1") in ("L1", "L2", "L3", "L4", "adult", "dauer")
    for key in ("who", "protocol"):
        value = metadata.get(key, "")
        assert isinstance(value, str) or all(isinstance(one, str) for one in value)
    arena = metadata.get("arena", {})
    assert isinstance(arena.get("type", ""), str) and isinstance(arena.get("orientation", ""), str)
    software = metadata.get("software", [])
    for one in software if isinstance(software, list) else [software]:
        tracker = one.get("tracker", {})
        for text in (one.get("featureID", ""), tracker.get("name", ""), tracker.get("version", "")):
            assert isinstance(text, str)


def is_number(value, empty=False) -> bool:
    return (empty and value is None) or (
        isinstance(value, int | float) and not isinstance(value, bool)
    )


def check_entry(entry, units) -> None:
    assert {"id", "t", "x", "y"} <= set(entry)
    assert isinstance(entry["id"], str)
    many = isinstance(entry["t"], list)
    count = len(entry["t"]) if many else 1
    for key in ("t", "ox", "oy", "cx", "cy", "ptail"):
        if key in entry:
            assert key in units or key == "ptail"
            values = entry[key] if isinstance(entry[key], list) else [entry[key]]
            assert all(is_number(one, empty=True) for one in values)
            assert key == "t" or not isinstance(entry[key], list) or len(values) == count
    for pair in (("x", "y"), ("px", "py"), ("ox", "oy"), ("cx", "cy")):
        assert (pair[0] in entry) == (pair[1] in entry)
    for pair in (("x", "y"), ("px", "py")):
        if pair[0] in entry:
            check_lines([entry[key] for key in pair], many, count)
    for key, valid in (("head", ("L", "R", "?")), ("ventral", ("CW", "CCW", "?"))):
        if key in entry:
            words = entry[key] if isinstance(entry[key], list) else [entry[key]]
            assert len(words) in (1, count) and all(one in (*valid, None) for one in words)


def check_lines(pair, many, count) -> None:
    frames = [one if many else [one] for one in pair]
    assert len(frames[0]) == len(frames[1]) == count
    for x, y in zip(*frames, strict=True):
        assert isinstance(x, list) == isinstance(y, list)
        x, y = (one if isinstance(one, list) else [one] for one in (x, y))
        assert len(x) == len(y) and all(is_number(one, empty=True) for one in (*x, *y))
