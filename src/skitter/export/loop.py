"""One cycle of a gait, found in a recording: the stretch whose end is most like its beginning.

Seen from the root, a creature that walks or swims steadily comes back to the same posture after a
cycle. How unlike two postures are that are a lag apart, on the whole, falls to a low at the cycle;
the first low that is nearly as low as any is taken. Within some tenths of that, the very start and
lag are those where posture and its rate meet best. Antennae wander as they like, and are left out.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.clip import Clip
from skitter.look.rig import Rig
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
SHORTEST, LONGEST = 0.08, 6.0  # s, of a cycle
MOST_SECONDS = 20.0  # that are searched
UNLIKE = 0.4  # of two postures that have nothing to do with each other, on the whole: no cycle
NEARLY = 1.6  # how much less like the first low may be than the lowest
ABOUT = 0.15  # of a cycle, by which it is made to fit


def find_loop(rig: Rig, clip: Clip, rate: float) -> Clip:
    """A clip of one cycle, from the recorded frames (so many a second) that a clip spans."""
    first, last = float(clip.times[0]), float(clip.times[-1])
    last = min(last, first + MOST_SECONDS)
    times = np.arange(first, last + 1e-9, 1 / rate)
    postures = measure_postures(rig, times)
    lags = np.arange(int(SHORTEST * rate), min(int(LONGEST * rate), len(times) // 2) + 1)
    if len(lags) < 3:
        raise refuse(first, last, "is too short for a cycle")
    unlike = compare_lags(postures, lags)
    lag = choose_lag(lags, unlike)
    if lag is None:
        raise refuse(first, last, "has no cycle that comes back")
    start, lag = fit_ends(postures, lag)
    seconds = lag / rate
    count = max(round(seconds * clip.fps), 2)
    at = times[start] + np.linspace(0, seconds, count + 1)
    return replace(clip, times=at, is_loop=True)


def refuse(first: float, last: float, why: str) -> UserError:
    return UserError(
        f"--loop: the stretch from {first:g} to {last:g} s {why};"
        " valid: some seconds of steady walking or swimming, chosen with --start and --end"
    )


def measure_postures(rig: Rig, times: Floats) -> Floats:
    """Where joints are, as the root sees them, in every frame [frame, value]."""
    chosen = [k for k, name in enumerate(rig.names) if "antenna" not in name and k]
    found = []
    for some in np.array_split(times, max(len(times) // 128, 1)):
        frames = rig.place(rig.motion.poses(some))
        turn = quaternion_to_matrix(frames.orientation[:, 0])
        arm = frames.position[:, chosen] - frames.position[:, :1]
        found.append(np.einsum("fji,fkj->fki", turn, arm).reshape(len(some), -1))
    return np.concatenate(found).astype(np.float32)


def compare_lags(postures: Floats, lags: NDArray[np.integer]) -> Floats:
    """How unlike postures are that are a lag apart; 1 if they had nothing to do with each other."""
    spread = 2 * postures.var(axis=0).sum()
    if spread <= 0:
        return np.ones(len(lags))
    total = [((postures[lag:] - postures[:-lag]) ** 2).sum(axis=1).mean() for lag in lags]
    return np.asarray(total) / spread


def choose_lag(lags: NDArray[np.integer], unlike: Floats) -> int | None:
    """The first low that is nearly as low as any; None if there is none."""
    lows = [
        k
        for k in range(1, len(lags) - 1)
        if unlike[k] <= min(unlike[k - 1], unlike[k + 1]) and unlike[k] < UNLIKE
    ]
    if not lows:
        return None
    lowest = min(unlike[k] for k in lows)
    return int(next(lags[k] for k in lows if unlike[k] <= NEARLY * lowest))


def fit_ends(postures: Floats, lag: int) -> tuple[int, int]:
    """The start and the lag, near a given one, for which the ends meet best."""
    rates = np.gradient(postures, axis=0)
    both = np.concatenate([postures, lag / (2 * np.pi) * rates], axis=1)
    best, chosen = np.inf, (0, lag)
    for near in range(max(round((1 - ABOUT) * lag), 2), round((1 + ABOUT) * lag) + 1):
        if near >= len(both):
            break
        gap = ((both[near:] - both[:-near]) ** 2).sum(axis=1)
        start = int(np.argmin(gap))
        if gap[start] < best:
            best, chosen = float(gap[start]), (start, near)
    return chosen
