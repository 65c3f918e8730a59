"""Steps of single legs: when each was off the ground, or told to be, and who steps after whom.

Frames carry the time of the last event of each kind, so times are exact whatever the frame rate; of
several events of one kind within a frame only the last is seen. A span that is cut off by the
stretch of time is kept, but it is not whole.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.measure.gait import drop_unknown, list_events

Floats = NDArray[np.float64]
CHATTER = 0.005  # s; feet that hop or brush for less than this are taken to stay
EARLY = 0.1  # cycles; that much before the other leg still counts as with it


@dataclass(frozen=True)
class Steps:
    """Spans of time that each leg spent off the ground, or in what it is told to be a step."""

    since: float  # s
    until: float  # s
    spans: list[Floats]  # of each leg [span, 2] s, in order, cut off at the ends of the stretch

    @property
    def leg_count(self) -> int:
        return len(self.spans)

    def lifts(self, leg: int) -> Floats:
        """When steps of a leg began, s; those that began before the stretch are left out."""
        begin = self.spans[leg][:, 0]
        return begin[begin > self.since]

    def lasting(self, leg: int) -> Floats:
        """How long the steps of a leg took that began and ended in the stretch, s."""
        begin, end = self.spans[leg].T
        whole = (begin > self.since) & (end < self.until)
        return np.asarray((end - begin)[whole])

    def strides(self, leg: int) -> Floats:
        """From the beginning of a step to that of the next, s."""
        return np.diff(self.lifts(leg))

    def share(self, leg: int, since: float, until: float) -> float:
        """Of the time between two moments, what the spans take."""
        begin, end = self.spans[leg].T
        inside = np.minimum(end, until) - np.maximum(begin, since)
        return float(inside.clip(0).sum() / (until - since))

    def is_stepping(self, leg: int, moments: Floats, *, slack: float = 0.0) -> NDArray[np.bool_]:
        """Whether a leg is off the ground at some moments; a step ends so much earlier."""
        begin, end = self.spans[leg].T
        before = np.searchsorted(begin, moments, "right")  # spans that began before each
        ends = np.concatenate([[-np.inf], end - slack])[before]
        return np.asarray(moments < ends)


def read_steps(
    lifted: np.ndarray,  # [frame, leg] s, the last time that each left the ground
    landed: np.ndarray,  # [frame, leg] s, the last time that each came down
    is_up: np.ndarray,  # [leg] whether it was off the ground at the beginning
    since: float,
    until: float,
) -> Steps:
    """All spans between two times, the first of which is that of the first frame."""
    after = float(np.nextafter(since, np.inf))  # what came before is told by `is_up`
    up, down = (list_events(one, after, until) for one in (lifted, landed))
    spans = [
        pair_events(drop_unknown(up[leg]), drop_unknown(down[leg]), bool(is_up[leg]), since, until)
        for leg in range(len(up))
    ]
    return Steps(since, until, spans)


def pair_events(up: Floats, down: Floats, is_up: bool, since: float, until: float) -> Floats:
    """Spans [span, 2] from events that should alternate; of a row of equal ones the first counts,
    since what lies between was shorter than a frame."""
    time = np.concatenate([[since], down, up, [until]])
    rises = np.concatenate([[is_up], 0 * down, 0 * up + 1, [False]]).astype(bool)
    order = np.concatenate([[0], 1 + np.argsort(time[1:-1], kind="stable"), [len(time) - 1]])
    time, rises = time[order], rises[order]
    turns = np.flatnonzero(np.diff(rises, prepend=False))
    return np.asarray(time[turns].reshape(-1, 2))


def calm(steps: Steps) -> Steps:
    """The same without what is too short to be a step, or a stance."""
    return Steps(steps.since, steps.until, [calm_spans(spans) for spans in steps.spans])


def calm_spans(spans: Floats) -> Floats:
    spans = spans[spans[:, 1] - spans[:, 0] >= CHATTER]
    if len(spans) == 0:
        return spans
    stands = spans[1:, 0] - spans[:-1, 1] >= CHATTER
    begin = spans[np.concatenate([[True], stands]), 0]
    end = spans[np.concatenate([stands, [True]]), 1]
    return np.stack([begin, end], axis=1)


@dataclass(frozen=True)
class Lags:
    """How much later than another leg a leg began to step, each time."""

    time: Floats  # s, when the later leg began
    seconds: Floats  # after the other began
    phase: Floats  # cycles of the other, from -0.1 to 0.9, so that together is near zero


def find_lags(steps: Steps, pairs: list[tuple[int, int]]) -> Lags:
    """Of pairs of legs (first, second): each step of the second after one of the first."""
    found = [pair_lags(steps.lifts(first), steps.lifts(second)) for first, second in pairs]
    time, seconds, phase = np.concatenate([np.zeros((3, 0)), *found], axis=1)
    return Lags(time, seconds, phase)


def pair_lags(first: Floats, second: Floats) -> Floats:
    """Times, lags in s and in cycles [3, step]; nothing of steps outside the other's strides."""
    if len(first) < 2:
        return np.zeros((3, 0))
    time = second[(second >= first[0]) & (second <= first[-1])]
    cycle = np.interp(time, first, np.arange(len(first)))
    before = np.floor(cycle + EARLY).astype(int)
    return np.stack([time, time - first[before], cycle - before])


def wrap_phase(phase: float) -> float:
    """The same phase from -0.1 to 0.9."""
    return (phase + EARLY) % 1.0 - EARLY


def list_rows(is_so: NDArray[np.bool_]) -> NDArray[np.integer]:
    """Where something is so for a while [row, 2]: the first number of each, and behind the last."""
    edges = np.diff(np.concatenate([[0], np.asarray(is_so, np.int8), [0]]))
    return np.stack([np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)], axis=1)


def list_neighbours(pair: np.ndarray, side: np.ndarray) -> list[tuple[int, int]]:
    """Legs of a side with the next in front of them: (behind, in front)."""
    legs = range(len(pair))
    return [(b, f) for b in legs for f in legs if side[b] == side[f] and pair[b] == pair[f] + 1]


def list_opposites(pair: np.ndarray, side: np.ndarray) -> list[tuple[int, int]]:
    """Legs across the body from each other: (left, right)."""
    legs = range(len(pair))
    return [(a, b) for a in legs for b in legs if pair[a] == pair[b] and side[a] < side[b]]


def list_ends(pair: np.ndarray, side: np.ndarray) -> list[tuple[int, int]]:
    """The first and the last leg of each side: (front, hind)."""
    ends = []
    for one in np.unique(side):
        legs = np.flatnonzero(side == one)
        front, hind = legs[np.argmin(pair[legs])], legs[np.argmax(pair[legs])]
        if front != hind:
            ends.append((int(front), int(hind)))
    return ends


def name_legs(pair: np.ndarray, side: np.ndarray) -> list[str]:
    """As of cockroaches: L1 is the left one of the front pair."""
    return [f"{'L' if s < 0 else 'R'}{p + 1}" for p, s in zip(pair, side, strict=True)]
