"""Measures of bodies that meet: how deep one gets into another, and for how long."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.table import has, measured

if TYPE_CHECKING:
    from skitter.record import Recording

DEEP = 0.1  # of half the width of the smaller body


@measured(
    "1",
    "deepest overlap with others and obstacles, of half the width of the smaller body",
    where=has("overlap"),
)
def overlap_max(recording: "Recording", name: str) -> float:
    return float(np.max(recording[f"{name}.overlap"][:], initial=0.0))


@measured(
    "s",
    "longest time without a break in which it is deeper than a tenth in others or obstacles",
    where=has("overlap"),
)
def overlap_time(recording: "Recording", name: str) -> float:
    deep = np.asarray(recording[f"{name}.overlap"][:]) > DEEP
    edges = np.flatnonzero(np.diff(np.concatenate([[0], deep.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return float(lengths.max(initial=0)) / recording.frame_rate
