"""Steps and stances of legs over time, what their feet and oscillators do, for gait panels
(McKenna 1990 figures 4 and 5)."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
STANDS, STEPS, UNKNOWN = range(3)
NO_STATE = 255


@dataclass(frozen=True)
class Rows:
    """What is drawn of the legs, column by column of a panel."""

    told: NDArray[np.uint8]  # [leg, column] STANDS, STEPS or UNKNOWN: what a leg is told
    foot: NDArray[np.uint8]  # [leg, column] the same of its foot: on the ground or off it
    activity: Floats  # [leg, column] of its oscillator, 1 where it makes the leg step; nan unknown
    state: NDArray[np.uint8] | None = None  # [leg, column] of a climber, one of its leg_state


@dataclass(frozen=True)
class StepHistory:
    """What the legs of one creature did. Channels are read where they are asked for."""

    creature: str
    time: Floats  # [frame] s
    names: list[str]  # of its legs: L1 is the left one of the front pair
    told: tuple[Any, Any, Any]  # [frame, leg] steps, last beginning and last end of a step, s
    feet: tuple[Any, Any, Any] | None  # [frame, leg] touches, last leaving and last touching, s
    phase: Any | None  # [frame, leg] cycles; a leg steps at whole numbers
    state: Any | None = None  # [frame, leg] of a climber: stance, step, search, waiting or loose

    @property
    def leg_count(self) -> int:
        return len(self.names)

    def sample(self, start: float, end: float, columns: int) -> Rows:
        """In equal spans of time, by their middles."""
        moments = start + (np.arange(columns) + 0.5) / columns * (end - start)
        before = np.searchsorted(self.time, moments, side="right") - 1
        known = (before >= 0) & (moments <= self.time[-1])
        frames = slice(int(before.clip(0).min()), int(before.clip(0).max()) + 2)
        told = self._resolve(self.told, frames, moments)
        unknown = np.full_like(told, UNKNOWN)
        foot = self._resolve(self.feet, frames, moments, inverted=True) if self.feet else unknown
        return Rows(
            told=np.where(known, told, unknown),
            foot=np.where(known, foot, unknown),
            activity=np.where(known, self._find_activity(frames, moments), np.nan),
            state=self._find_states(before, known),
        )

    def _find_states(
        self, before: NDArray[np.integer], known: NDArray[np.bool_]
    ) -> NDArray[np.uint8] | None:
        """What a climber's legs do, which holds until the next frame [leg, moment]."""
        if self.state is None:
            return None
        first = int(before.clip(0).min())
        shown = np.asarray(self.state[first : int(before.clip(0).max()) + 1])[
            before.clip(0) - first
        ]
        return np.where(known[:, None], shown, NO_STATE).astype(np.uint8).T

    def _resolve(
        self, channels: tuple[Any, Any, Any], frames: slice, moments: Floats, inverted: bool = False
    ) -> NDArray[np.uint8]:
        """The state of each leg at each moment [leg, moment]: that of the frame before, but for an
        event since then, whose time the frame after tells."""
        time = self.time[frames]
        state, begun, ended = (np.asarray(one[frames]) for one in channels)
        before = (np.searchsorted(time, moments, side="right") - 1).clip(0)
        after = (before + 1).clip(max=len(time) - 1)
        was = (state[before] > 0) != inverted
        up, down = begun[after], ended[after]
        since, until = time[before][:, None], moments[:, None]
        rose, fell = ((since < one) & (one <= until) for one in (up, down))
        is_up = np.where(rose & fell, up > down, np.where(rose, True, ~fell & was))
        return np.where(is_up, STEPS, STANDS).astype(np.uint8).T

    def _find_activity(self, frames: slice, moments: Floats) -> Floats:
        """A wave whose peaks are at whole numbers of cycles, from 0 to 1 [leg, moment]."""
        if self.phase is None:
            return np.full((self.leg_count, len(moments)), np.nan)
        time, phase = self.time[frames], np.asarray(self.phase[frames], float)
        turns = np.stack([np.interp(moments, time, one) for one in phase.T])
        return np.asarray((1 + np.cos(2 * np.pi * turns)) / 2)


def open_steps(recording: Any, name: str, known: Container[str], time: Floats) -> StepHistory:
    """Of a creature whose legs step and stand."""

    def take(*keys: str) -> Any:
        found = [recording[f"{name}.{key}"] for key in keys if f"{name}.{key}" in known]
        return tuple(found) if len(found) == len(keys) else None

    pair, side = (recording.static(f"{name}.leg_{key}") for key in ("pair", "side"))
    phase, state = take("phase"), take("leg_state")
    held = take("foot_held", "lift_time", "land_time")  # a foot that is put down holds at once
    return StepHistory(
        creature=name,
        time=time,
        names=[f"{'L' if s < 0 else 'R'}{p + 1}" for p, s in zip(pair, side, strict=True)],
        told=take("leg_stepping", "lift_time", "land_time"),
        feet=take("foot_touching", "leave_time", "touch_time") or held,
        phase=phase[0] if phase else None,
        state=state[0] if state else None,
    )
