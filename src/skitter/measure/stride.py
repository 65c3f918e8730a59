"""Measures of the gait of a myriapod, from the moment it stands: strides, the wave of its legs,
and how steadily they carry it. What a recording is too short for is nan."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.circular import compute_mean, compute_resultant, compute_spread
from skitter.measure.gait import (
    ADJUST,
    SB1,
    SB2,
    SF1,
    SF2,
    STANCE,
    Gait,
    list_cycles,
    phase_lags,
    read_settled_gait,
    side_lags,
)
from skitter.measure.table import LEGGED, measured

if TYPE_CHECKING:
    from skitter.record import Recording

SHORT_SHARE = 0.1  # of a cycle: what counts as a short appearance of a state
DIRECTION_LAG_MIN = 0.01  # cycles from 0 and from 0.5, where a wave has no direction
DIRECTION_RESULTANT_MIN = 0.5  # below, the lags are too different to speak of a wave


@measured("1", "share of all legs' time spent in STANCE", kinds=LEGGED)
def stance_fraction(recording: "Recording", name: str) -> float:
    gait = read_settled_gait(recording, name)
    spent = (gait.state_time[-1] - gait.state_time[0]).sum(axis=0)
    return float(spent[STANCE] / spent.sum()) if spent.sum() > 0 else np.nan


@measured("s", "mean time from touchdown to touchdown", kinds=LEGGED)
def stride_period(recording: "Recording", name: str) -> float:
    strides = read_settled_gait(recording, name).strides
    return float(strides.mean()) if len(strides) else np.nan


@measured("cycle", "of a leg after the one in front, circular mean", kinds=LEGGED)
def phase_lag(recording: "Recording", name: str) -> float:
    return compute_mean(phase_lags(read_settled_gait(recording, name)).lag)


@measured(
    "cycle", "circular standard deviation of the same over neighbours and cycles", kinds=LEGGED
)
def phase_lag_spread(recording: "Recording", name: str) -> float:
    return compute_spread(phase_lags(read_settled_gait(recording, name)).lag)


@measured("1", "of touchdowns: 1 head to tail, -1 tail to head, 0 neither", kinds=LEGGED)
def wave_direction(recording: "Recording", name: str) -> float:
    lag = phase_lags(read_settled_gait(recording, name)).lag
    mean = compute_mean(lag)
    has_wave = np.abs(compute_resultant(lag)) >= DIRECTION_RESULTANT_MIN
    has_sign = DIRECTION_LAG_MIN < abs(mean) < 0.5 - DIRECTION_LAG_MIN
    return float(np.sign(mean)) if has_wave and has_sign else 0.0


@measured("cycle", "of a right leg after the left one of its segment, circular mean", kinds=LEGGED)
def left_right_phase(recording: "Recording", name: str) -> float:
    return compute_mean(side_lags(read_settled_gait(recording, name)).lag)


@measured("cycle", "circular standard deviation of the same", kinds=LEGGED)
def left_right_spread(recording: "Recording", name: str) -> float:
    return compute_spread(side_lags(read_settled_gait(recording, name)).lag)


@measured(
    "1", "cycles that are SF1, SF2, STANCE with less than a tenth of other states", kinds=LEGGED
)
def regular_cycle_share(recording: "Recording", name: str) -> float:
    return share_regular(read_settled_gait(recording, name))


def share_regular(gait: Gait) -> float:
    """Fang 2015 section 4.3.2: a walking leg goes SF1, SF2, STANCE, with little of the others."""
    cycles = list_cycles(gait)
    if len(cycles.leg) == 0:
        return np.nan
    stray = cycles.state_time[:, [SB1, SB2, ADJUST]].sum(axis=1)
    is_short = stray < SHORT_SHARE * (cycles.end - cycles.start)
    sways = (cycles.state_time[:, [SF1, SF2]] > 0).all(axis=1)
    return float((is_short & sways).mean())


def compute_supported(gait: Gait) -> np.ndarray:
    """The share of the legs that stand, in every frame [frame]."""
    return np.asarray((gait.state == STANCE).mean(axis=1))


@measured("1", "mean share of legs in STANCE", kinds=LEGGED)
def supported_share(recording: "Recording", name: str) -> float:
    return float(compute_supported(read_settled_gait(recording, name)).mean())


@measured("1", "standard deviation of that share over time, relative to its mean", kinds=LEGGED)
def supported_variation(recording: "Recording", name: str) -> float:
    return vary_support(read_settled_gait(recording, name))


def vary_support(gait: Gait) -> float:
    """Standard deviation of the share that stands, relative to its mean."""
    share = compute_supported(gait)
    return float(share.std() / share.mean()) if share.any() else np.nan
