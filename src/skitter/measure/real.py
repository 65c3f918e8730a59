"""A worm beside a real one, by the same measures.

The real one is a table of curvature: a row for each moment, a column for each of many segments of
even length, head first, and a file of the times, s. Its unit is taken to be rad of turning from
segment to segment, so that curvature times length is the value times the number of segments. For
the worm of wenlab.org (100 segments) that gives an amplitude of 9.8, and so directions that sway by
9.8 / (2 pi 1.67) = 0.93 rad: 53 degrees, what a worm on agar shows.

What is asked: frequency and waves per body within the quartiles of the real worm over its cycles,
the amplitude of the curvature within 30 %, and four eigenworms of the strain N2 that hold at least
85 % of the variance of its shapes. Which end of those eigenworms is the head makes no difference:
turned round they hold as much of the real worm (96.2 % instead of 96.1 %). They are taken head
first, as their source has them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skitter.errors import UserError
from skitter.measure.eigenworms import find_share, integrate_shapes, load_table
from skitter.measure.midline import Floats
from skitter.measure.wave import Wave, cut, find_wave
from skitter.measure.worm import Track, crawl_speed

NEAR = 0.3  # of the amplitude
LEAST_SHARE = 0.85
SPEED = (0.01, 0.03)  # cm/s, of worms that crawl on agar; told, not asked


@dataclass(frozen=True)
class RealWorm:
    """What was recorded of one."""

    wave: Wave
    shapes: Floats  # [moment, 48] directions about their mean, rad


@dataclass(frozen=True)
class Likeness:
    """One number of both."""

    name: str
    unit: str
    real: float  # nan where the real one does not tell
    low: float  # within which the other should be
    high: float
    found: float
    is_asked: bool = True

    @property
    def holds(self) -> bool:
        return self.low <= self.found <= self.high


def load_real_worm(curvature: Path, times: Path) -> RealWorm:
    """From a table of curvature and its times, with commas or one number in each line."""
    table, time = (load_table(path, "numbers and commas") for path in (curvature, times))
    time = time.ravel()
    if len(table) != len(time):
        found = f"{len(table)} moments and {times} has {len(time)}"
        raise UserError(f"{curvature}: has {found}; valid: as many")
    segments = table.shape[1]
    bent = table * segments
    wave = find_wave(time, bent, (np.arange(segments) + 0.5) / segments)
    if wave is None or not wave.exists:
        raise UserError(f"{curvature}: has no wave; valid: a worm that crawls, in rad per segment")
    return RealWorm(wave, integrate_shapes(cut(bent)))


def compare(track: Track, real: RealWorm, modes: np.ndarray) -> list[Likeness]:
    """The numbers of a worm beside those of the real one, and what is asked of them."""
    wave, theirs = track.wave, real.wave
    hertz, waves = theirs.frequencies, theirs.lengths
    size = theirs.amplitude
    own = (wave.frequency, float(wave.lengths[1]), wave.amplitude) if wave else (np.nan,) * 3
    shares = find_share(real.shapes, modes), find_share(track.shapes, modes)
    return [
        Likeness("frequency", "Hz", hertz[1], hertz[0], hertz[2], own[0]),
        Likeness("waves per body", "1", waves[1], waves[0], waves[2], own[1]),
        Likeness("curvature amplitude", "1", size, (1 - NEAR) * size, (1 + NEAR) * size, own[2]),
        Likeness("share of four eigenworms", "1", shares[0], LEAST_SHARE, 1.0, shares[1]),
        Likeness("speed", "cm/s", np.nan, *SPEED, crawl_speed(track), is_asked=False),
    ]
