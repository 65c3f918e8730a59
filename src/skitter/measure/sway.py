"""How something sways about its mean course while legs stride."""

from dataclasses import dataclass

import numpy as np

from skitter.measure.steps import Floats
from skitter.measure.wave import can_be_even

AROUND = 1.0  # strides to each side of a moment, over which its mean is taken
BAND = 0.15  # of the frequency of strides, to each side
FEWEST = 4  # strides in which a frequency can be told from its neighbours
FINE = 8  # times finer than its length tells, a spectrum is sampled
NOTHING = 1e-9  # of the largest value: rounding, not sway


@dataclass(frozen=True)
class Sway:
    """A motion to and fro."""

    amplitude: float  # √2 of its root mean square, in its unit: the amplitude, of a sine
    frequency: float  # Hz, at which its spectrum is largest; nan where it does not sway
    stride_share: float  # of its power, what lies around the frequency of strides


def find_course(time: Floats, path: Floats, period: float) -> tuple[Floats, Floats] | None:
    """Even times, s, and the mean of the path [moment, d] over a stride before and after each. None
    without three strides.

    Over whole strides all that repeats with them averages out; the path is taken for straight
    between frames, and integrated exactly.
    """
    around = AROUND * period
    if not period > 0 or time[-1] - time[0] < 3 * period:
        return None
    step = float(np.median(np.diff(time)))
    if not can_be_even(time):
        return None
    first, last = time[0] + around, time[-1] - around
    moments = first + step * np.arange(int((last - first) / step + 1e-6) + 1)
    ends = [integrate(time, path, moments + side * around) for side in (-1, 1)]
    return moments, (ends[1] - ends[0]) / (2 * around)


def integrate(time: Floats, path: Floats, moments: Floats) -> Floats:
    """Of straight lines between the points of a path, from its first to some moments."""
    steps = np.diff(time)[:, None]
    sums = np.concatenate(
        [np.zeros((1, path.shape[1])), ((path[1:] + path[:-1]) / 2 * steps).cumsum(axis=0)]
    )
    before = (np.searchsorted(time, moments, "right") - 1).clip(0, len(time) - 2)
    since = (moments - time[before])[:, None]
    slope = (path[before + 1] - path[before]) / steps[before]
    return np.asarray(sums[before] + since * (path[before] + slope * since / 2))


def find_sway(time: Floats, values: Floats, period: float) -> Sway | None:
    """Of values at even times; none where they last for too few strides to tell a frequency."""
    if len(time) < 3 or time[-1] - time[0] < FEWEST * period:
        return None
    about = values - np.polyval(np.polyfit(time - time[0], values, 1), time - time[0])
    amplitude = float(np.sqrt(2 * (about**2).mean()))
    window = np.hanning(len(about) + 2)[1:-1]
    count = FINE * len(about)
    step = (time[-1] - time[0]) / (len(time) - 1)
    power = np.abs(np.fft.rfft(about * window, count)) ** 2
    hertz = np.fft.rfftfreq(count, step)
    if not amplitude > NOTHING * max(np.abs(values).max(), NOTHING):
        return Sway(amplitude, np.nan, np.nan)
    band = max(BAND / period, 2 / (len(about) * step))
    near = np.abs(hertz - 1 / period) <= band
    return Sway(amplitude, float(hertz[np.argmax(power)]), float(power[near].sum() / power.sum()))
