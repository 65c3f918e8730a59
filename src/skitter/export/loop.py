"""One cycle of a gait, found in a recording: the stretch whose end is most like its beginning.

A creature that walks or swims comes back to the same posture after a cycle. For one with legs the
posture is where its knees and feet are, seen from the parts that carry them, so that it may turn or
climb meanwhile; for others, where all joints are, seen from the root. How unlike two postures are
that are a lag apart, on the whole, falls to a low at the cycle; the first low that is nearly as low
as any is taken. Near that, the very start and lag are those where posture and its rate meet best,
while the body is as straight as may be. In a loop of a walk nearly every leg takes its step.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from skitter.errors import UserError
from skitter.export.clip import Clip
from skitter.look.motion import Pose
from skitter.look.rig import Rig
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]
SHORTEST, LONGEST = 0.08, 6.0  # s, of a cycle
MOST_SECONDS = 30.0  # that are searched
NEARLY = 1.6  # how much less like the first low may be than the lowest
ABOUT = 0.2  # of a cycle, by which it is made to fit
APART = 0.35  # how unlike the ends may be; 1 for postures that have nothing to do with each other
BEND, BEND_COST = 0.15, 0.3  # of the length: off straight by that counts as so much unlikeness
STEP_SHARE, STEPPING = 0.5, 0.85  # of its usual reach makes a step; share of legs that take one
FINE = 24  # frames of a cycle, below which there are put more between
CLOSE = 0.05  # lows below this are as low as any
STILL = 1e-12  # cm², what spreads less does not move
FEW = 8  # keys of a loop, below which more frames a second are advised


@dataclass(frozen=True)
class Postures:
    """A creature in every frame of a stretch."""

    shape: Floats  # [frame, value] cm
    reach: Floats  # [frame, leg] cm, how far forward feet are, of those that have legs
    bend: Floats  # [frame] how far from straight, 0 is as at rest


def find_loop(rig: Rig, clip: Clip, rate: float) -> tuple[Clip, list[str]]:
    """A clip of one cycle, out of the recorded frames (so many a second) that a clip spans.

    Also says what a user should know of it.
    """
    first = float(clip.times[0])
    last = min(float(clip.times[-1]), first + MOST_SECONDS)
    times = np.arange(first, last + 1e-9, 1 / rate)
    lags = np.arange(int(SHORTEST * rate), min(int(LONGEST * rate), len(times) // 2) + 1)
    if len(lags) < 3:
        raise refuse(first, last, "is too short for a cycle")
    postures = measure_postures(rig, times)
    lag = choose_lag(lags, compare_lags(postures.shape, lags))
    if lag is None:
        raise refuse(first, last, "has no cycle that comes back")
    finer = -(-FINE // lag)  # a short cycle may lie between two frames
    times, postures = refine(times, postures, finer)
    start, lag, apart = fit_ends(postures, finer * lag)
    rate *= finer
    if apart > APART:
        raise refuse(first, last, "has no cycle that comes back closely enough")
    return cut_clip(clip, float(times[start]), lag / rate)


def refine(times: Floats, postures: Postures, finer: int) -> tuple[Floats, Postures]:
    """The same stretch with so many times as many frames, on smooth curves."""
    if finer == 1:
        return times, postures
    many = np.linspace(times[0], times[-1], finer * (len(times) - 1) + 1)
    curves = (postures.shape, postures.reach, postures.bend)
    return many, Postures(*(CubicSpline(times, one)(many) for one in curves))


def refuse(first: float, last: float, why: str) -> UserError:
    """Why a stretch, s, cannot be a loop."""
    return UserError(
        f"--loop: the stretch from {first:g} to {last:g} s {why};"
        " valid: a second or more of steady walking or swimming, chosen with --start and --end"
    )


def cut_clip(clip: Clip, start: float, seconds: float) -> tuple[Clip, list[str]]:
    """The cycle in as many whole frames as fit best."""
    count = max(round(seconds * clip.fps), 2)
    notes = [f"one cycle, {seconds:.3g} s from {start:.3g} s on, in {count + 1} keys"]
    if count < FEW:
        notes[0] += "; a higher --fps has more"
    at = start + np.linspace(0, seconds, count + 1)
    return replace(clip, times=at, is_loop=True), notes


def measure_postures(rig: Rig, times: Floats) -> Postures:
    """What the creature looks like to its own root at some times [frame], s."""
    found = []
    for some in np.array_split(times, max(len(times) // 128, 1)):
        pose = rig.motion.poses(some)
        frames = rig.place(pose)
        turn = quaternion_to_matrix(frames.orientation[:, 0])
        seen = np.einsum("fji,fkj->fki", turn, frames.position - frames.position[:, :1])
        bodies = [k for k, name in enumerate(rig.names) if name.count("_") == 1 and k]
        rest = rig.bind.position[bodies] - rig.bind.position[0]
        off = np.linalg.norm(seen[:, bodies] - rest, axis=2).sum(axis=1) / max(len(bodies), 1)
        has_legs = rig.motion.has_legs
        shape, reach = see_legs(pose) if has_legs else (seen[:, 1:], np.zeros((len(some), 0)))
        found.append((shape.reshape(len(some), -1), reach, off / (BEND * rig.length)))
    return Postures(*(np.concatenate(column) for column in zip(*found, strict=True)))


def see_legs(pose: Pose) -> tuple[Floats, Floats]:
    """Knees and tips as the parts see them, and how far forward the tips are [frame, leg]."""
    legs = pose.leg_point
    body = np.arange(legs.shape[1]) // 2 + 1
    turn = quaternion_to_matrix(pose.body_orientation[:, body])
    arms = legs[:, :, [1, 3]] - legs[:, :, :1]
    seen = np.einsum("flji,flkj->flki", turn, arms)
    return seen, seen[:, :, 1, 0]


def compare_lags(shape: Floats, lags: Ints) -> Floats:
    """How unlike postures are that are a lag apart; 1 if they had nothing to do with each other."""
    spread = 2 * shape.var(axis=0).sum()
    if spread <= STILL:
        return np.ones(len(lags))
    total = [((shape[lag:] - shape[:-lag]) ** 2).sum(axis=1).mean() for lag in lags]
    return np.asarray(total) / spread


def choose_lag(lags: Ints, unlike: Floats) -> int | None:
    """The first low that is nearly as low as any; None if there is none."""
    inner = range(1, len(lags) - 1)
    lows = [k for k in inner if unlike[k] <= min(unlike[k - 1], unlike[k + 1])]
    depth = {k: find_depth(*unlike[k - 1 : k + 2]) for k in lows}
    lows = [k for k in lows if depth[k] < 0.9 * unlike[:k].max()]
    if not lows:
        return None
    lowest = max(min(depth[k] for k in lows), CLOSE)
    return int(next(lags[k] for k in lows if depth[k] <= NEARLY * lowest))


def find_depth(before: float, here: float, behind: float) -> float:
    """How low a low is between samples: the least of a parabola through three."""
    curve = before - 2 * here + behind
    return here - (before - behind) ** 2 / (8 * curve) if curve > 0 else here


def fit_ends(postures: Postures, lag: int) -> tuple[int, int, float]:
    """The start and the lag, near a given one, for which the ends meet best, and how unlike."""
    rates = lag / (2 * np.pi) * np.gradient(postures.shape, axis=0)
    both = np.concatenate([postures.shape, rates], axis=1)
    spread = 2 * both.var(axis=0).sum()
    best, chosen = np.inf, (0, lag, np.inf)
    for near in range(max(round((1 - ABOUT) * lag), 2), round((1 + ABOUT) * lag) + 1):
        if near >= len(both):
            break
        apart = ((both[near:] - both[:-near]) ** 2).sum(axis=1) / spread
        bent = np.convolve(postures.bend**2, np.ones(near + 1) / (near + 1), "valid")
        cost = np.where(find_steps(postures.reach, near), apart, np.inf) + BEND_COST * bent
        start = int(np.argmin(cost))
        if cost[start] < best:
            best, chosen = float(cost[start]), (start, near, float(apart[start]))
    return chosen


def find_steps(reach: Floats, lag: int) -> NDArray[np.bool_]:
    """From which frames on nearly all legs take a step within a lag [frame]."""
    count = len(reach) - lag
    if reach.shape[1] == 0:
        return np.ones(count, bool)
    usual = np.median(np.ptp(np.percentile(reach, (5, 95), axis=0), axis=0))
    size, shift = lag + 1, -((lag + 1) // 2)
    high = maximum_filter1d(reach, size, axis=0, origin=shift)[:count]
    low = minimum_filter1d(reach, size, axis=0, origin=shift)[:count]
    return np.asarray((high - low > STEP_SHARE * usual).mean(axis=1) >= STEPPING)
