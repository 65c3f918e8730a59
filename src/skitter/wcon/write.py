"""Writing WCON: s and mm, null for what is not known, and the same bytes for the same tracks."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from skitter.wcon.file import Floats, Record, Wcon, trim

UNITS = {"t": "s", "x": "mm", "y": "mm"}


def write_wcon(path: str | Path, wcon: Wcon) -> None:
    """A file as the format's rules want it, one entry of the data in each line."""
    Path(path).write_text(format_wcon(wcon), encoding="utf-8", newline="\n")


def format_wcon(wcon: Wcon) -> str:
    """The text of a file."""
    records = [build_entry(record) for record in wcon.records]
    used = {key for record in records for key in record}
    places = {key: "mm" for key in ("ox", "oy", "cx", "cy", "px", "py") if key in used}
    head: dict[str, Any] = {"files": wcon.files} if wcon.files else {}
    head["units"] = UNITS | places | {k: v for k, v in wcon.units.items() if k not in places}
    head |= {"metadata": wcon.metadata} if wcon.metadata else {}
    head |= wcon.custom | wcon.other
    lines = [f"  {dump(key)}: {dump(value)}," for key, value in head.items()]
    data = ",\n".join(f"    {dump(record)}" for record in records)
    body = f'  "data": [\n{data}\n  ]' if records else '  "data": []'
    return "\n".join(["{", *lines, body, "}", ""])


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def build_entry(record: Record) -> dict[str, Any]:
    """An entry of the data, everything for each time."""
    entry: dict[str, Any] = {"id": record.id, "t": list_numbers(record.time)}
    add_points(entry, ("ox", "oy"), record.origin)
    add_points(entry, ("cx", "cy"), record.centroid)
    add_lines(entry, ("x", "y"), record.midline)
    if record.outline.shape[1]:
        add_lines(entry, ("px", "py"), record.outline)
    for key, words in (("head", record.head), ("ventral", record.ventral)):
        if any(word != "?" for word in words):
            entry[key] = words[0] if len(set(words)) == 1 else list(words)
    return entry | record.custom | record.other


def list_numbers(values: Floats) -> list[float | None]:
    """Numbers of Python, null where one is not known."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def add_points(entry: dict[str, Any], names: tuple[str, str], points: Floats) -> None:
    if np.isfinite(points).any():
        for name, column in zip(names, points.T, strict=True):
            entry[name] = list_numbers(column)


def add_lines(entry: dict[str, Any], names: tuple[str, str], lines: Floats) -> None:
    kept = [trim(line) for line in lines]
    for k, name in enumerate(names):
        entry[name] = [list_numbers(line[:, k]) for line in kept]
