"""The wave that runs along a bending body, from its curvature at many places and moments.

At every moment the curvature of the middle of the body (a tenth is left out at either end) is
fitted with one sine of free length, size and phase, by least squares. Its length gives waves per
body, and how its phase moves on to the next moment, the frequency: positive from head to tail.
Quartiles and medians are over cycles, each moment counting as much as its phase moves on: a body
that rests now and then tells nothing meanwhile. A wave that partly stands moves on an ellipse
instead of a circle, which is undone before its frequency is taken. One that stands only changes
size: its frequency is that at which its sign changes, and moments count by their energy.

Before the fit the curvature is put on even times, cut where it is more than five times its spread
(from the median of its size, so that single bad values do not count), smoothed (a Gaussian of
0.1 s and of 2 % of the body) and taken about its mean over whole cycles at each place, so that a
body that always bends to one side has the wave of one that does not. The amplitude is √2 times the
root mean square, over whole cycles, of the curvature that is cut but not smoothed.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MIDDLE = (0.1, 0.9)  # of the body, from the head, where the wave is looked at
SPREADS = 5.0  # beyond which a value is not believed
BRIEF = 1e-4  # s between moments, less than which nobody records
UNEVEN = 100  # as many times as long as their steps may moments last
SMOOTH_TIME, SMOOTH_BODY = 0.1, 0.02  # s, of the length
WAVES = np.arange(0.3, 4.001, 0.05)  # per body, that are tried
PASSES = 3  # until its whole cycles are found
STILL = 0.1  # curvature times length below which a body rests
LEAST_SHARE = 0.5  # of the curvature's variance that a sine must hold to be a wave
QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Wave:
    """A sine at each moment but the last."""

    step: float  # s between moments
    rate: Floats  # [moment] Hz, positive from head to tail
    steady_rate: Floats  # [moment] Hz, as if nothing of it stood
    swing: Floats  # [moment] 1/s, how fast its size changes, of the size
    waves: Floats  # [moment] per body
    size: NDArray[np.complex128]  # [moment] curvature times length, with the phase at the middle
    energy: Floats  # [moment] mean square of the curvature times length
    share: float  # of the variance of the curvature in time and space that the sines hold
    amplitude: float  # of curvature times length

    @cached_property
    def exists(self) -> bool:
        """Whether there is one: neither rest nor noise."""
        return self.amplitude > STILL and self.share > LEAST_SHARE

    @cached_property
    def travels(self) -> bool:
        """Whether it runs more than it stands."""
        return self.exists and _balance(self.energy, np.abs(self.rate), np.abs(self.swing)) > 0.5

    @cached_property
    def direction(self) -> float:
        """1 where it always runs from head to tail, -1 where from tail to head; about 0 where it
        stands or goes to and fro."""
        return _balance(self.energy, self.rate, self.swing) if self.exists else np.nan

    @cached_property
    def frequencies(self) -> Floats:
        """Quartiles over cycles, Hz; nan where there is no whole cycle."""
        if not self.exists:
            return np.full(3, np.nan)
        if not self.travels:
            return find_quartiles(find_turns(self.size, self.step))
        speed = np.abs(self.steady_rate)
        whole = speed.sum() * self.step >= 1
        return find_quartiles(speed, speed) if whole else np.full(3, np.nan)

    @cached_property
    def frequency(self) -> float:
        """The median over cycles, Hz."""
        return float(self.frequencies[1])

    @cached_property
    def lengths(self) -> Floats:
        """Quartiles over cycles of the waves per body."""
        if not self.exists:
            return np.full(3, np.nan)
        return find_quartiles(self.waves, np.abs(self.rate) if self.travels else self.energy)


def _balance(energy: Floats, rate: Floats, swing: Floats) -> float:
    """How much of all change is the running on of the phase."""
    turning = 2 * np.pi * rate
    whole = float((energy * np.hypot(turning, swing)).sum())
    return float((energy * turning).sum()) / whole if whole > 0 else 0.0


def find_wave(time: np.ndarray, curvature: np.ndarray, places: np.ndarray) -> Wave | None:
    """The wave of a curvature times length [moment, place] at some times, s, and places, of the
    length from the head; none where there are too few moments that are known."""
    time, curvature = fill_gaps(np.asarray(time, float), np.asarray(curvature, float))
    if len(time) < 8 or not can_be_even(time):
        return None
    even = find_step(time)
    bent = cut(np.stack([np.interp(even, time, column) for column in curvature.T], axis=1))
    step, apart = float(even[1] - even[0]), float(places[1] - places[0])
    middle = (places >= MIDDLE[0]) & (places <= MIDDLE[1])
    smoothed = smooth(smooth(bent, SMOOTH_TIME / step).T, SMOOTH_BODY / apart).T[:, middle]
    bent, places = bent[:, middle], places[middle]
    # the mean of some cycles and a part of one is not the middle: again, about whole cycles
    whole = len(bent)
    for _ in range(PASSES):
        wave = fit_sines(smoothed - smoothed[-whole:].mean(axis=0), places, step, whole)
        whole = count_whole(wave, len(bent))
    swaying = (bent - bent[-whole:].mean(axis=0))[-whole:]
    return replace(wave, amplitude=float(np.sqrt(2 * (swaying**2).mean())))


def count_whole(wave: Wave, count: int) -> int:
    """How many of so many moments make whole cycles; all of them where there is not one."""
    cycles = count * wave.step * wave.frequency
    return round(int(cycles) / cycles * count) if cycles >= 1 else count


def fill_gaps(time: Floats, curvature: Floats) -> tuple[Floats, Floats]:
    """Only the moments that are known, in order, each once."""
    known = np.isfinite(curvature).all(axis=1) & np.isfinite(time)
    moments, first = np.unique(time[known], return_index=True)
    return moments, curvature[known][first]


def can_be_even(time: Floats) -> bool:
    """Whether even times as dense as these mostly are would not be far too many of them."""
    step = float(np.median(np.diff(time)))
    return step > BRIEF and float(time[-1] - time[0]) < UNEVEN * len(time) * step


def find_step(time: Floats) -> Floats:
    """Even times as dense as those given mostly are."""
    count = max(2, round((time[-1] - time[0]) / float(np.median(np.diff(time)))) + 1)
    return np.linspace(time[0], time[-1], count)


def cut(values: Floats) -> Floats:
    """Values that are far beyond the spread of most become the largest that are believed."""
    middle = np.median(values)
    limit = SPREADS * 1.4826 * float(np.median(np.abs(values - middle)))
    return np.clip(values, middle - limit, middle + limit) if limit > 0 else values


def smooth(values: Floats, width: float) -> Floats:
    """By a Gaussian of so many steps along the first axis; the ends go on as they are."""
    if width < 0.3:
        return values
    reach = int(np.ceil(4 * width))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    weights /= weights.sum()
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, weights, "valid") for column in padded.T], axis=1)


def fit_sines(bent: Floats, places: Floats, step: float, whole: int) -> Wave:
    """One sine for each moment, of a curvature about its mean; the last so many moments are whole
    cycles."""
    at = places - 0.5
    power = np.empty((len(WAVES), len(bent)))
    size = np.empty((len(WAVES), len(bent)), complex)
    for k, waves in enumerate(WAVES):
        basis = np.stack([np.cos(2 * np.pi * waves * at), np.sin(2 * np.pi * waves * at)], axis=1)
        fit = np.linalg.pinv(basis) @ bent.T
        power[k] = ((basis @ fit) ** 2).sum(axis=0)
        size[k] = fit[0] + 1j * fit[1]
    best, moment = power.argmax(axis=0), np.arange(len(bent))
    now, then = size[best[:-1], moment[:-1]], size[best[:-1], moment[1:]]
    energy = (bent**2).mean(axis=1)
    total = float((bent**2).sum())
    return Wave(
        step=step,
        rate=np.angle(np.conj(now) * then) / (2 * np.pi * step),
        steady_rate=find_steady_rate(now, then, step, whole),
        swing=2 * (np.abs(then) - np.abs(now)) / (np.abs(then) + np.abs(now) + 1e-300) / step,
        waves=refine(power, best)[:-1],
        size=now,
        energy=(energy[1:] + energy[:-1]) / 2,
        share=float(power[best, moment].sum()) / total if total > 0 else 0.0,
        amplitude=float(np.sqrt(2 * (bent**2).mean())),
    )


def find_steady_rate(
    now: NDArray[np.complex128], then: NDArray[np.complex128], step: float, whole: int
) -> Floats:
    """How fast the phase moves on [moment], Hz, once the ellipse on which a wave moves that partly
    stands is made a circle; on the ellipse it hurries twice a cycle."""
    parts = np.stack([now.real, now.imag])[:, -whole:]  # part of a cycle would bias it
    spread, axes = np.linalg.eigh(parts @ parts.T)
    if spread[0] <= 1e-12 * spread[1]:
        return np.zeros(len(now))
    before, after = (
        (axes[0] * one.real[:, None] + axes[1] * one.imag[:, None]) / np.sqrt(spread)
        for one in (now, then)
    )
    turned = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    along = (before * after).sum(axis=1)
    return np.asarray(np.arctan2(turned, along) * np.linalg.det(axes) / (2 * np.pi * step))


def refine(power: Floats, best: NDArray[np.int64]) -> Floats:
    """Waves per body at the top of a parabola through the best of those tried and two more."""
    inner, moment = np.clip(best, 1, len(WAVES) - 2), np.arange(len(best))
    below, top, above = (power[inner + k, moment] for k in (-1, 0, 1))
    bend = below - 2 * top + above
    shift = np.divide(0.5 * (below - above), bend, out=np.zeros_like(bend), where=bend < 0)
    tried = WAVES[inner] + np.clip(shift, -1, 1) * (WAVES[1] - WAVES[0])
    return np.asarray(np.where(best == inner, tried, WAVES[best]))


def find_turns(size: NDArray[np.complex128], step: float) -> Floats:
    """Frequencies of a wave that stands, Hz, one for each cycle between changes of its sign."""
    # the size goes to and fro along one line of the complex plane
    line = np.angle((size**2).sum()) / 2
    height = (size * np.exp(-1j * line)).real
    height = height - (height.max() + height.min()) / 2
    before = np.flatnonzero((height[:-1] < 0) != (height[1:] < 0))
    crossings = before + height[before] / (height[before] - height[before + 1])
    return np.asarray(1 / (step * (crossings[2:] - crossings[:-2])))


def find_quartiles(values: Floats, weights: Floats | None = None) -> Floats:
    """Where a quarter, half and three quarters of the weight lie below."""
    if len(values) == 0:
        return np.full(3, np.nan)
    weights = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values)
    share = np.cumsum(weights[order]) - weights[order] / 2
    return np.asarray(np.interp(QUARTILES, share / weights.sum(), values[order]))
