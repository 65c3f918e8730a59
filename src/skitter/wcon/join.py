"""Worms of a file, put together from its entries.

A worm may have several entries, and one time of a worm several too: what one of them leaves out the
others may give, before origins are added. Two that say different things are a mistake.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.wcon.file import Floats, Record, Worm, stack, trim


@dataclass
class Moment:
    """One frame of a worm."""

    line: Floats  # [point, xy] mm from the origin
    origin: Floats  # [xy]
    centroid: Floats
    head: str
    ventral: str


def join_records(records: list[Record]) -> list[Worm]:
    """One worm for each id, in the order in which they are named."""
    moments: dict[str, dict[float, Moment]] = {}
    for record in records:
        frames = moments.setdefault(str(record.id), {})
        for k, time in enumerate(record.time):
            if not np.isnan(time):
                add_moment(frames, str(record.id), float(time), read_moment(record, k))
    return [build_worm(id, frames) for id, frames in moments.items()]


def read_moment(record: Record, k: int) -> Moment:
    return Moment(
        trim(record.midline[k]),
        record.origin[k],
        record.centroid[k],
        record.head[k],
        record.ventral[k],
    )


def add_moment(frames: dict[float, Moment], id: str, time: float, one: Moment) -> None:
    """Put a moment beside those that are there already, or into the one of the same time."""
    known = frames.setdefault(time, one)
    if known is one:
        return
    merged = Moment(
        merge(known.line, one.line),
        merge(known.origin, one.origin),
        merge(known.centroid, one.centroid),
        merge_words(known.head, one.head),
        merge_words(known.ventral, one.ventral),
    )
    for name, value in vars(merged).items():
        if value is None:
            raise UserError(
                f"worm {id}: its {name} at {time:g} s is given twice and differs; valid: once"
            )
    frames[time] = merged


def merge(first: Floats, second: Floats) -> Any:
    """What both say; none where they say different things."""
    if not np.isfinite(first).any():
        return second
    if not np.isfinite(second).any():
        return first
    if first.ndim == 2:  # a line may end in points that are not known
        first, second = stack([first, second])
    both = np.isfinite(first) & np.isfinite(second)
    return np.where(np.isfinite(first), first, second) if (first == second)[both].all() else None


def merge_words(first: str, second: str) -> Any:
    """The same for words, of which ? says nothing."""
    return second if first in ("?", second) else first if second == "?" else None


def build_worm(id: str, frames: dict[float, Moment]) -> Worm:
    """Sorted by time, on the plate."""
    times = sorted(frames)
    ordered = [frames[time] for time in times]
    origins = [np.nan_to_num(one.origin) for one in ordered]  # none given: that of the plate
    shift = list(zip(ordered, origins, strict=True))
    return Worm(
        id=id,
        time=np.array(times, float),
        midline=stack([one.line + origin for one, origin in shift]),
        centroid=np.array([one.centroid + origin for one, origin in shift]).reshape(-1, 2),
        head=tuple(one.head for one in ordered),
        ventral=tuple(one.ventral for one in ordered),
    )
