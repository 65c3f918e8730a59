"""The states of legs over time, for gait panels (Fang 2015 figure 4.4)."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.look.motion import channel_names
from skitter.look.stepping import StepHistory, open_steps

Floats = NDArray[np.floating]
States = NDArray[np.uint8]
STATE_NAMES = ("SF1", "SF2", "SB1", "SB2", "STANCE", "ADJUST", "TUCKED")
STATE_COLOURS = ("#f5b041", "#e2632f", "#8ccbe0", "#3f86c0", "#37434f", "#9a6fc4", "#5fb8a5")
CLIMBING = np.array(  # which of them the states of a climber's legs come nearest to
    [STATE_NAMES.index(name) for name in ("STANCE", "SF1", "ADJUST", "SB1", "TUCKED")], np.uint8
)
NO_STATE = len(STATE_NAMES)  # outside the recording


def records_legs(frames: Any, name: str) -> bool:
    """Whether frames tell what a creature's legs do: stand and swing, or step and touch."""
    return f"{name}.leg_state" in frames or f"{name}.leg_stepping" in frames


def read_states(frame: Mapping[str, NDArray[Any]], name: str) -> States:
    """The states of a creature's legs in a frame [leg]: as recorded, or whether they step."""
    if f"{name}.leg_state" in frame and f"{name}.leg_stepping" in frame:
        return CLIMBING[np.minimum(frame[f"{name}.leg_state"], len(CLIMBING) - 1)]
    if f"{name}.leg_state" in frame:
        return np.asarray(frame[f"{name}.leg_state"], np.uint8)
    stepping = np.asarray(frame[f"{name}.leg_stepping"]) > 0
    return np.where(stepping, STATE_NAMES.index("SF1"), STATE_NAMES.index("STANCE")).astype(
        np.uint8
    )


@dataclass(frozen=True)
class LegHistory:
    """What the legs of one creature did."""

    creature: str
    time: Floats  # [frame] s
    state: Any  # [frame, leg], an index of STATE_NAMES; leg = 2 * segment + side, 0 is left

    @property
    def leg_count(self) -> int:
        return int(self.state.shape[1])

    def sample(self, start: float, end: float, columns: int) -> States:
        """States [leg, column] in equal spans of time; a state holds until the next frame."""
        middle = start + (np.arange(columns) + 0.5) / columns * (end - start)
        frame = np.searchsorted(self.time, middle, side="right") - 1
        known = (frame >= 0) & (middle <= self.time[-1] + self._last_step)
        first, last = int(max(frame.min(), 0)), int(max(frame.max(), 0))
        shown = np.asarray(self.state[first : last + 1])
        drawn = np.minimum(shown[(frame - first).clip(0)], NO_STATE - 1).astype(np.uint8)
        drawn[~known] = NO_STATE
        return drawn.T

    @property
    def _last_step(self) -> float:
        """How long the last frame's state is taken to hold, s."""
        return float(self.time[-1] - self.time[-2]) if len(self.time) > 1 else 0.0


def open_histories(recording: Any, creature: str | None = None) -> list[LegHistory | StepHistory]:
    """All creatures with legs, or the one that is asked for."""
    known, time = channel_names(recording), np.asarray(recording.time, dtype=float)
    names = [one["name"] for one in recording.creatures]
    told = [f"{name}.{key}" for name in names for key in ("leg_state", "leg_stepping")]
    legged = list(dict.fromkeys(one.rpartition(".")[0] for one in told if one in known))
    if len(time) == 0:
        raise UserError("the recording has no frames yet, so there is no gait to show")
    if not legged:
        raise UserError("no creature of the recording has legs, so there is no gait to show")
    if creature is not None and creature not in legged:
        raise UserError(f"--creature {creature}: has no legs here; valid: {', '.join(legged)}")
    chosen = legged if creature is None else [creature]
    return [open_history(recording, name, known, time) for name in chosen]


def open_history(
    recording: Any, name: str, known: Container[str], time: Floats
) -> LegHistory | StepHistory:
    """What the legs of a creature did, in the manner of its kind; a climber tells both."""
    if f"{name}.leg_stepping" in known:
        return open_steps(recording, name, known, time)
    return LegHistory(name, time, recording[f"{name}.leg_state"])
