"""Numbers over the last seconds, for the plot: one curve of one creature at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.control.walker import BRAIN_MODES, STANCE

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Series:
    """A number that a frame has."""

    label: str
    unit: str
    channel: str  # without the creature's name
    read: Callable[[NDArray[Any]], Floats]  # from [frame, …] to [frame]

    @property
    def title(self) -> str:
        return f"{self.label}, {self.unit}"


SERIES = (
    Series("speed", "cm/s", "body_velocity", lambda v: np.linalg.norm(v.mean(axis=1), axis=1)),
    Series("speed wanted", "cm/s", "head_speed", np.asarray),
    Series("turn wanted", "deg/s", "head_turn", np.degrees),
    Series("height of the head", "cm", "body_position", lambda p: p[:, 0, 1]),
    Series("height over ground", "cm", "segment_height", lambda h: h.mean(axis=1)),
    Series("legs that stand", "%", "leg_state", lambda s: 100 * (s == STANCE).mean(axis=1)),
    Series("legs that bear a load", "%", "foot_touching", lambda t: 100 * t.mean(axis=1)),
    Series("steps asked for", "Hz", "drive", lambda d: d[:, 0]),
    Series("smell of food", "1/cm²", "antenna_food", lambda f: f.max(axis=1)),
    Series("food eaten", "pieces", "food_eaten", np.asarray),
    Series("kinetic energy", "erg", "energy_kinetic", np.asarray),
    Series("elastic energy", "erg", "energy_elastic", np.asarray),
)


MODE_WORDS = {  # what a brain is about, in words
    "ADJUSTMENT": "finds its feet",
    "RANDOM_WALK": "wanders",
    "AVOIDANCE": "avoids something",
    "TROPHOTROPISM": "follows a smell",
    "CONTROL": "is steered",
    "SWIMMING": "swims",
}


def list_series(frames: Any, creature: str) -> list[Series]:
    """Those that a creature has."""
    return [one for one in SERIES if f"{creature}.{one.channel}" in frames]


def read_series(frames: Any, creature: str, series: Series, span: slice) -> tuple[Floats, Floats]:
    """Time and value over a span of frames."""
    values = np.asarray(frames[f"{creature}.{series.channel}"][span])
    return np.asarray(frames.time[span], float), np.asarray(series.read(values), float)


def describe_mode(frames: Any, creature: str, index: int) -> str | None:
    """What the brain is about; None for a creature without one."""
    name = f"{creature}.brain_mode"
    if name not in frames:
        return None
    mode = BRAIN_MODES[min(int(frames[name][index]), len(BRAIN_MODES) - 1)]
    return MODE_WORDS.get(mode, mode.replace("_", " ").lower())
