"""Entries of observations and actions: what stands at each place of a flat array."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gymnasium import spaces


@dataclass(frozen=True)
class Entry:
    """One number of an observation or an action."""

    name: str
    unit: str
    low: float  # what is beyond is shown as this
    high: float
    about: str


def list_many(
    names: Sequence[str],
    prefix: str,
    unit: str,
    most: float,
    about: str,
    least: float | None = None,
) -> tuple[Entry, ...]:
    """Entries of one kind, from -most to most unless `least` is given."""
    low = -most if least is None else least
    return tuple(Entry(f"{prefix}_{name}", unit, low, most, about) for name in names)


def build_space(entries: Sequence[Entry]) -> spaces.Box:
    """The space of flat float32 arrays that entries describe."""
    low, high = (np.array([getattr(one, key) for one in entries]) for key in ("low", "high"))
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def fit(values: np.ndarray, space: spaces.Box) -> np.ndarray:
    """Numbers [n, entry] as an observation shows them: within their ranges, and float32."""
    return np.clip(values, space.low, space.high).astype(np.float32)


# What the observations of all families begin with; `ahead`, `up` and `right` are axes of the body.
COMMON = (
    Entry("velocity_ahead", "body length/s", -20, 20, "of the whole body, along its own axis"),
    Entry("velocity_up", "body length/s", -20, 20, "likewise, towards its back"),
    Entry("velocity_right", "body length/s", -20, 20, "likewise, to its right"),
    Entry("heading_cos", "1", -1, 1, "of the angle from +x, where it shall go, to where it points"),
    Entry("heading_sin", "1", -1, 1, "likewise; positive while it points to the left of +x"),
    Entry("up_ahead", "1", -1, 1, "the world's up along its own axis: the sine of its pitch"),
    Entry("up_up", "1", -1, 1, "the world's up towards its back: 1 level, -1 on its back"),
    Entry("up_right", "1", -1, 1, "the world's up to its right"),
    Entry("height", "body length", -10, 10, "of its middle above the ground, or the water's level"),
)
