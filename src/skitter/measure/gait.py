"""The gait of a creature on legs: when each leg touched down and lifted off, and its cycles.

The times of touchdowns and liftoffs are exact to the step of the simulation, whatever the frame
rate: frames carry the time of the last one, and a new value is a new event. Of several events of a
leg within one frame, only the last is seen. Legs are numbered 2 * segment + side, the left first.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from skitter.measure.circular import spread_of_resultant, wrap

if TYPE_CHECKING:
    from skitter.record import Recording

SF1, SF2, SB1, SB2, STANCE, ADJUST = range(6)  # leg states, as recordings number them
ADJUSTMENT = 0  # the brain's mode before the creature stands


@dataclass(frozen=True)
class Gait:
    """What the legs did in a stretch of time."""

    time: np.ndarray  # [frame] s
    state: np.ndarray  # [frame, leg]
    state_time: np.ndarray  # [frame, leg, state] s spent in each state since the run began
    touchdown: np.ndarray  # [leg, event] s, entries into STANCE; nan behind a leg's last
    liftoff: np.ndarray  # [leg, event] s, exits from STANCE; nan behind a leg's last

    @property
    def strides(self) -> np.ndarray:
        """Times between successive touchdowns of the same leg, of all legs [stride] s."""
        return np.asarray(drop_unknown(np.diff(self.touchdown, axis=1)))

    @property
    def period(self) -> float:
        """The median stride, s; nan where no leg touched down twice."""
        return float(np.median(self.strides)) if len(self.strides) else np.nan


@dataclass(frozen=True)
class Lags:
    """How much later than its partner each leg of a pair touched down, [pair, touchdown]."""

    time: np.ndarray  # s, when the later leg of the pair touched down
    lag: np.ndarray  # cycles of its partner, in (-0.5, 0.5]; nan outside the partner's cycles


@dataclass(frozen=True)
class Cycles:
    """Legs going round: off the ground, through the air, down again and until they leave it."""

    leg: np.ndarray  # [cycle]
    start: np.ndarray  # [cycle] s, a liftoff
    end: np.ndarray  # [cycle] s, the leg's next liftoff
    state_time: np.ndarray  # [cycle, state] s


@dataclass(frozen=True)
class LagSpread:
    """How well neighbouring legs agree on their lag, cycle after cycle."""

    time: np.ndarray  # [window] s, the middle of each
    spread: np.ndarray  # [window] cycles, circular standard deviation; nan of fewer than two lags
    count: np.ndarray  # [window] lags


_settled: "WeakKeyDictionary[Recording, dict[str, Gait]]" = WeakKeyDictionary()


def find_settled(recording: "Recording", name: str) -> float:
    """When the brain left ADJUSTMENT for good, s; the start where it never did."""
    unsettled = np.flatnonzero(recording[f"{name}.brain_mode"][:] == ADJUSTMENT)
    first = unsettled[-1] + 1 if len(unsettled) else 0
    return float(recording.time[first if first < recording.frame_count else 0])


def read_settled_gait(recording: "Recording", name: str) -> Gait:
    """The gait from the moment the creature stands. Kept as long as the recording: many ask."""
    kept = _settled.setdefault(recording, {})
    if name not in kept:
        kept[name] = read_gait(recording, name, since=find_settled(recording, name))
    return kept[name]


def read_gait(
    recording: "Recording", name: str, *, since: float = 0.0, until: float = np.inf
) -> Gait:
    """The gait between two times, with the frame at or before the first of them."""
    start, stop = (int(np.searchsorted(recording.time, t, "right")) for t in (since, until))
    frames = slice(max(start - 1, 0), stop)
    state, state_time, entered, left = (
        recording[f"{name}.leg_{key}"][frames]
        for key in ("state", "time", "stance_start", "swing_start")
    )
    return Gait(
        time=recording.time[frames],
        state=state,
        state_time=state_time,
        touchdown=list_events(entered, since, until),
        liftoff=list_events(left, since, until),
    )


def list_events(latest: np.ndarray, since: float, until: float) -> np.ndarray:
    """All events [leg, event] from the time of the latest in every frame [frame, leg]."""
    is_new = np.diff(latest, axis=0, prepend=-1.0) != 0
    is_new &= (latest >= max(since, 0.0)) & (latest <= until)  # -1: there was none yet
    count = is_new.sum(axis=0)
    events = np.full((latest.shape[1], count.max(initial=0)), np.nan)
    events[np.arange(events.shape[1]) < count[:, None]] = latest.T[is_new.T]
    return events


def drop_unknown(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def phase_lags(gait: Gait) -> Lags:
    """Each leg after the one in front of it on the same side; a pair is numbered by the latter."""
    front = np.arange(max(len(gait.touchdown) - 2, 0))
    return compute_lags(gait, front, front + 2)


def side_lags(gait: Gait) -> Lags:
    """The right leg of each segment after the left; a pair is numbered by the segment."""
    left = np.arange(0, len(gait.touchdown), 2)
    return compute_lags(gait, left, left + 1)


def compute_lags(gait: Gait, first: np.ndarray, second: np.ndarray) -> Lags:
    """Where within the cycle of its partner, from touchdown to touchdown, each leg comes down.

    The cycle at that very time counts, so a gait that speeds up keeps its lag.
    """
    time, lag = gait.touchdown[second], np.full(gait.touchdown[second].shape, np.nan)
    for pair, partner in enumerate(gait.touchdown[first]):
        known = drop_unknown(partner)
        if len(known) >= 2:
            cycle = np.arange(len(known))
            lag[pair] = np.interp(time[pair], known, cycle, left=np.nan, right=np.nan)
    return Lags(time, wrap(lag))


def list_cycles(gait: Gait) -> Cycles:
    """All cycles that began and ended."""
    leg, event = np.nonzero(np.isfinite(gait.liftoff[:, 1:]))
    start, end = gait.liftoff[leg, event], gait.liftoff[leg, event + 1]
    # The leg stands from the frame before a liftoff until the liftoff itself, so that the time
    # spent in all other states is exact; that in STANCE is exact to a frame.
    before, last = (np.searchsorted(gait.time, t, "right") - 1 for t in (start, end))
    spent = gait.state_time[last, leg] - gait.state_time[np.maximum(before, 0), leg]
    return Cycles(leg, start, end, spent)


def lag_spread_by_cycle(gait: Gait) -> LagSpread:
    """The spread of the lags of all neighbours, in windows of one median period."""
    count = int((gait.time[-1] - gait.time[0]) / gait.period) if gait.period > 0 else 0
    lags = phase_lags(gait)
    known = np.isfinite(lags.lag)
    window = ((lags.time[known] - gait.time[0]) / gait.period).astype(int)
    lag = lags.lag[known][window < count]
    window = window[window < count]
    found = np.bincount(window, minlength=count)
    east, north = (
        np.bincount(window, f(2 * np.pi * lag), minlength=count) for f in (np.cos, np.sin)
    )
    length = np.divide(np.hypot(east, north), found, out=np.full(count, np.nan), where=found > 1)
    middle = gait.time[0] + (np.arange(count) + 0.5) * gait.period
    return LagSpread(middle, spread_of_resultant(length), found)
