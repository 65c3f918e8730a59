"""Measures of crawling worms, from their midlines.

Waves are found in wave.py. The measures of a recording leave out its first half, in which the wave
gets under way, but for the net drift and the momentum residual, which are of all of it. Ways are
those of the middle of the midline over one cycle, seen from each moment, so that its sway does not
count. What a recording is too short for, or a worm at rest does not have, is nan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.eigenworms import find_eigenworms, find_shapes
from skitter.measure.eigenworms import find_share as find_share_of
from skitter.measure.midline import (
    Floats,
    drop_gaps,
    find_axis,
    find_curvature,
    lay_flat,
    measure_lengths,
    resample,
)
from skitter.measure.table import CRAWLING, has, measured
from skitter.measure.wave import Wave, can_be_even, find_wave

if TYPE_CHECKING:
    from skitter.record import Recording

SETTLED = 0.5  # of a recording, after which its wave is measured
MANY = 8  # frames that are enough for a shape


@dataclass(frozen=True)
class Track:
    """The midline of a worm over time."""

    time: Floats  # [frame] s
    line: Floats  # [frame, point, xyz] cm, head first, points at even distances
    middle: Floats  # [frame, xyz] cm, known also where the shape is not
    begin: int = 0  # frame at which it moves steadily

    @cached_property
    def length(self) -> float:
        """Of the body, cm."""
        lengths = measure_lengths(self.line[self.begin :])
        known = lengths[lengths > 0]
        return float(np.median(known)) if len(known) else np.nan

    @cached_property
    def curvature(self) -> tuple[Floats, Floats]:
        """Curvature times length [frame, place], and the places, of the length from the head."""
        return find_curvature(lay_flat(self.line))

    @cached_property
    def wave(self) -> Wave | None:
        """Of the time in which it moves steadily."""
        curvature, places = self.curvature
        return find_wave(self.time[self.begin :], curvature[self.begin :], places)

    @cached_property
    def frequency(self) -> float:
        """Hz."""
        return self.wave.frequency if self.wave else np.nan

    @cached_property
    def shapes(self) -> Floats:
        """Directions about their mean [frame, 48], rad."""
        return find_shapes(lay_flat(self.line[self.begin :]))

    @cached_property
    def even(self) -> tuple[Floats, Floats]:
        """Even times, s, and the lines then, of the steady time; what is not known is bridged."""
        time, line = self.time[self.begin :], self.line[self.begin :]
        known = np.isfinite(line).all(axis=(1, 2))
        time, line = time[known], line[known]
        if len(time) < MANY or not can_be_even(time):
            return np.zeros(0), np.zeros((0, *line.shape[1:]))
        step = float(np.median(np.diff(time)))
        at = time[0] + step * np.arange(int((time[-1] - time[0]) / step + 1e-6) + 1)
        columns = line.reshape(len(line), -1).T
        lines = np.stack([np.interp(at, time, one) for one in columns], axis=1)
        return at, lines.reshape(len(at), *line.shape[1:])

    @cached_property
    def cycles(self) -> "Cycles | None":
        """All stretches of one cycle; none where there is not one."""
        time, line = self.even
        step = time[1] - time[0] if len(time) else 1.0
        if not self.frequency > 0 or len(time) * step <= 1 / self.frequency:
            return None
        count = max(1, round(1 / self.frequency / step))
        middle, axis = line.mean(axis=1), find_axis(line)
        halfway = line[count // 2 : count // 2 + len(line) - count]
        whole = len(halfway) // count * count or len(halfway)  # so that no phase counts twice
        return Cycles(
            seconds=count * step,
            moves=(middle[count:] - middle[:-count])[-whole:],
            axes=average(axis, count)[-whole:],
            middles=average(middle, count)[-whole:],
            lines=halfway[-whole:],
        )


@dataclass(frozen=True)
class Cycles:
    """Stretches of one cycle, one beginning at each moment but those of the last."""

    seconds: float
    moves: Floats  # [moment, xyz] cm, of the middle of the body
    axes: Floats  # [moment, xyz] mean direction of the body, tail to head, not of length 1
    middles: Floats  # [moment, xyz] cm, mean place of the middle of the body
    lines: Floats  # [moment, point, xyz] cm, halfway

    @property
    def headings(self) -> Floats:
        """The mean directions, of length 1."""
        return np.asarray(self.axes / np.linalg.norm(self.axes, axis=1, keepdims=True))


def average(values: Floats, count: int) -> Floats:
    """Means over so many steps from each on [moment, d], trapezoids, but for the last."""
    middles = (values[1:] + values[:-1]) / 2
    sums = np.concatenate([np.zeros((1, values.shape[1])), middles.cumsum(axis=0)])
    return np.asarray((sums[count:] - sums[:-count]) / count)


def follow(time: np.ndarray, midline: np.ndarray, *, settled: float = 0.0) -> Track:
    """The track of a midline [frame, point, xyz], cm, head first; its steady part begins after a
    share of the time."""
    time = np.asarray(time, float)
    begin = int(np.searchsorted(time, time[0] + settled * (time[-1] - time[0])))
    line = resample(midline)
    return Track(time, line, find_middles(midline, line), begin)


def find_middles(midline: np.ndarray, even: Floats) -> Floats:
    """Middles of lines [frame, xyz], of their even points, or of the few that are known."""
    middles = even.mean(axis=1)
    for k in np.flatnonzero(np.isnan(middles[:, 0])):
        known = drop_gaps(np.asarray(midline[k], float))
        middles[k] = known.mean(axis=0) if len(known) else np.nan
    return middles


def read_track(recording: "Recording", name: str) -> Track:
    """The track of a worm of a recording."""
    line = np.asarray(recording[f"{name}.midline"][:], float)
    return follow(recording.time, line, settled=SETTLED)


OfTrack = Callable[[Track], float]
TRACK_MEASURES: dict[str, tuple[str, OfTrack]] = {}  # unit and function, by id


def tracked(unit: str, about: str) -> Callable[[OfTrack], OfTrack]:
    """Makes a function of a track the measure of its name, of worms in recordings too."""

    def register(compute: OfTrack) -> OfTrack:
        def of_recording(recording: "Recording", name: str) -> float:
            return compute(read_track(recording, name))

        of_recording.__name__ = compute.__name__
        measured(unit, about, kinds=CRAWLING, where=has("midline"))(of_recording)
        TRACK_MEASURES[compute.__name__] = (unit, compute)
        return compute

    return register


@tracked("cm/s", "way of a cycle over its time, mean; without a wave: net way over time")
def crawl_speed(track: Track) -> float:
    if track.cycles is not None:
        ways = np.linalg.norm(track.cycles.moves, axis=1)
        return float(ways.mean() / track.cycles.seconds)
    known = track.begin + np.flatnonzero(np.isfinite(track.middle[track.begin :]).all(axis=1))
    if len(known) < 2:
        return np.nan
    first, last = known[0], known[-1]
    way = np.linalg.norm(track.middle[last] - track.middle[first])
    return float(way / (track.time[last] - track.time[first]))


@tracked("Hz", "of the body's wave, median over cycles")
def crawl_frequency(track: Track) -> float:
    return track.frequency


@tracked("1", "waves on the body by arc length, median over cycles")
def waves_per_body(track: Track) -> float:
    return float(track.wave.lengths[1]) if track.wave else np.nan


@tracked("1", "1: the wave runs from head to tail, -1: tail to head, 0: it stands")
def wave_direction(track: Track) -> float:
    return track.wave.direction if track.wave else np.nan


@tracked("1", "curvature times length, √2 of its root mean square in the middle 80 % of the body")
def curvature_amplitude(track: Track) -> float:
    return track.wave.amplitude if track.wave else np.nan


@tracked("1", "sway across the way of the body, √2 of its root mean square, of the body's length")
def wave_amplitude(track: Track) -> float:
    """About the mean place and heading of the cycle around each moment, so that a path that curves
    adds nothing; of a wave that runs, its amplitude."""
    if track.cycles is None:
        return np.nan
    x, z = track.cycles.headings[:, None, [0, 2]].T.swapaxes(1, 2)
    about = track.cycles.lines - track.cycles.middles[:, None]
    sway = about[..., 2] * x - about[..., 0] * z
    return float(np.sqrt(2 * (sway**2).mean()) / track.length)


@tracked("1", "way along the body in a cycle, of its length, positive forwards")
def way_per_cycle(track: Track) -> float:
    if track.cycles is None:
        return np.nan
    ahead = (track.cycles.moves * track.cycles.headings).sum(axis=1)
    return float(ahead.mean() / track.length)


@tracked("cm", "of the middle of the body, from the first frame to the last")
def net_drift(track: Track) -> float:
    known = track.middle[np.isfinite(track.middle).all(axis=1)]
    return float(np.linalg.norm(known[-1] - known[0])) if len(known) else np.nan


@tracked("1", "of the variance of its shapes, what four eigenworms of its own hold")
def eigenworm_share_own(track: Track) -> float:
    if len(track.shapes) < MANY:
        return np.nan
    return find_share_of(track.shapes, find_eigenworms(track.shapes))


def eigenworm_share(track: Track, modes: np.ndarray) -> float:
    """Of the variance of its shapes, what the first four of some eigenworms hold."""
    return find_share_of(track.shapes, modes)


@measured(
    "1",
    "largest net force or torque of the forces inside, of the sum of their sizes",
    kinds=CRAWLING,
    where=has("internal_force", "internal_torque"),
)
def momentum_residual(recording: "Recording", name: str) -> float:
    parts = [
        np.asarray(recording[f"{name}.{one}"][:]) for one in ("internal_force", "internal_torque")
    ]
    return float(np.abs(np.concatenate(parts)).max())
