"""Measures of how a climber steps: who is down, who steps with whom, how far, and what slips.

Legs of two groups step in turn where tripods or tetrapods emerge (Cenydd 2012 section 6.1): L1, R2,
L3, R4 … and R1, L2, R3, L4 …, of any number of pairs. What a walk of any creature on legs tells,
strides, duty and the lags of neighbours, stands in `articulated_steps`.
"""

from itertools import pairwise, permutations

import numpy as np

from skitter.measure.articulated import STEPPING, Walk
from skitter.measure.articulated_steps import TOGETHER, take_mean
from skitter.measure.circular import compute_mean, compute_resultant
from skitter.measure.climber import (
    ERRORS,
    FEET,
    LEVELS,
    STANDS,
    climbed,
    climbed_by_part,
    find_mean_walking,
    find_share,
    find_slip,
    find_walking,
    list_groups,
    list_ring,
    list_stances,
    read_airs,
    sweep,
)
from skitter.measure.steps import Floats, find_lags, wrap_phase

EVENTS = (*STEPPING, "foot_held")
SEVERAL = 2  # legs that step at once, to tell whether they are of one group


def count_held(walk: Walk) -> Floats:
    """Feet that hold on [frame]."""
    return (walk.read("foot_held") > 0).sum(axis=1).astype(float)


@climbed("1", "feet that hold on while it walks, mean", needs=FEET, whole=True)
def feet_down(walk: Walk) -> float:
    return find_mean_walking(walk, count_held(walk))


@climbed("1", "feet that hold on while it walks, fewest in a frame", needs=FEET, whole=True)
def feet_down_min(walk: Walk) -> float:
    held = count_held(walk)[find_walking(walk)]
    return float(held.min()) if len(held) else np.nan


@climbed("1", "legs that are down, fewest at any moment between two frames", needs=EVENTS)
def legs_down_min(walk: Walk) -> float:
    """By the times of single steps, which are exact."""
    _, up = sweep(read_airs(walk))
    return float((~up).sum(axis=1).min()) if len(up) else np.nan


@climbed(
    "1",
    "share of time with fewer than half of its feet down, since it first held on",
    needs=FEET,
    whole=True,
)
def few_feet_share(walk: Walk) -> float:
    """Falls are part of it."""
    held, legs = count_held(walk), walk.read("foot_held").shape[1]
    began = np.flatnonzero(find_walking(walk))
    if len(began) == 0 or not walk.time[-1] > walk.time[began[0]]:
        return np.nan
    few = (held < legs / 2) & (np.arange(len(held)) > began[0])
    return find_share(walk, few) * walk.seconds / float(walk.time[-1] - walk.time[began[0]])


def find_alternation(walk: Walk) -> Floats:
    """Phases of steps of each leg of the second group after each of the first [step], cycles."""
    group = list_groups(walk)
    pairs = [(int(a), int(b)) for a in np.flatnonzero(group == 0) for b in np.flatnonzero(group)]
    return find_lags(walk.steps, pairs).phase


def find_company(walk: Walk) -> Floats:
    """Phases of steps of each leg after each other of its own group [step], cycles."""
    group = list_groups(walk)
    pairs = [(a, b) for a, b in permutations(range(len(group)), 2) if group[a] == group[b]]
    return find_lags(walk.steps, pairs).phase


@climbed(
    "cycle",
    "of legs R1, L2, R3 … after L1, R2, L3 …, circular mean, -0.1 to 0.9: 0.5 in turn",
    needs=STEPPING,
)
def alternation_phase(walk: Walk) -> float:
    return wrap_phase(compute_mean(find_alternation(walk)))


@climbed("1", "how much those phases agree, 1: always the same, 0: any", needs=STEPPING)
def alternation_concentration(walk: Walk) -> float:
    return float(np.abs(compute_resultant(find_alternation(walk))))


@climbed("cycle", "of legs after others of their group, circular mean", needs=STEPPING)
def group_phase(walk: Walk) -> float:
    return wrap_phase(compute_mean(find_company(walk)))


@climbed("1", "how much those phases agree", needs=STEPPING)
def group_concentration(walk: Walk) -> float:
    return float(np.abs(compute_resultant(find_company(walk))))


@climbed(
    "1",
    "while several legs step, how much more are of one group, of all that step, mean: 1: all",
    needs=STEPPING,
)
def alternation_purity(walk: Walk) -> float:
    lasting, up = sweep(walk.steps)
    first = list_groups(walk) == 0
    one, other = up[:, first].sum(axis=1), up[:, ~first].sum(axis=1)
    several = one + other >= SEVERAL
    if not several.any():
        return np.nan
    shares = np.abs(one - other)[several] / (one + other)[several]
    return float(np.average(shares, weights=lasting[several]))


@climbed(
    "1",
    "share of steps that begin while a neighbour steps: across, before, behind, around the ends",
    needs=STEPPING,
)
def neighbour_step_share(walk: Walk) -> float:
    steps, ring = walk.steps, list_ring(walk)
    early = []
    for leg in range(steps.leg_count):
        lifts = steps.lifts(leg)
        beside = [other for one, other in ring if one == leg]
        among = [steps.is_stepping(other, lifts, slack=TOGETHER) for other in beside]
        early.append(np.any(among, axis=0) if among else np.zeros(len(lifts), bool))
    return take_mean(np.concatenate([np.zeros(0), *early]))


def find_step_lengths(walk: Walk) -> Floats:
    """From one foothold of a leg to its next [step], cm; not over falls."""
    foot, lifted = walk.read("foot_position"), walk.read("lift_time")
    falling = ~find_walking(walk)
    stances = list_stances(walk)
    lengths = [
        np.linalg.norm(foot[b.first, b.leg] - foot[a.last, a.leg])
        for a, b in pairwise(stances)
        if a.leg == b.leg
        and lifted[a.last, a.leg] != lifted[b.first, b.leg]
        and not falling[a.last : b.first + 1].any()
    ]
    return np.array(lengths, float)


@climbed("cm", "from one foothold of a foot to its next, mean", needs=STANDS, whole=True)
def step_length(walk: Walk) -> float:
    return take_mean(find_step_lengths(walk))


def list_landing_shares(walk: Walk) -> Floats:
    """Share of its path at which each step ended [step]."""
    landed, share = walk.read("land_time"), walk.read("step_share")
    return np.asarray(share[1:][np.diff(landed, axis=0) != 0])


@climbed(
    "1",
    "of its path, how much a step had done as it found its foothold, mean",
    needs=("land_time", "step_share"),
    whole=True,
)
def landing_share(walk: Walk) -> float:
    return take_mean(list_landing_shares(walk))


@climbed(
    "1", "farthest of a foot from where it came down, of its leg's length", needs=STANDS, whole=True
)
def stance_slip_max(walk: Walk) -> float:
    slip = find_slip(walk, list_stances(walk)) / walk.static("leg_length")
    return float(np.nanmax(slip)) if np.isfinite(slip).any() else np.nan


@climbed("1", "the same of each stance, mean", needs=STANDS, whole=True)
def stance_slip(walk: Walk) -> float:
    stances, length = list_stances(walk), walk.static("leg_length")
    slip = find_slip(walk, stances) / length
    return take_mean(np.array([slip[one.frames, one.leg].max() for one in stances]))


@climbed_by_part(
    "stance_slip_max",
    "1",
    "the farthest at a level of detail",
    needs=(*STANDS, "detail"),
    whole=True,
)
def find_slips_by_level(walk: Walk) -> dict[str, float]:
    slip = find_slip(walk, list_stances(walk)) / walk.static("leg_length")
    most, level = np.nan_to_num(slip, nan=-1.0).max(axis=1), walk.read("detail")
    found = {name: most[level == k].max(initial=-1.0) for k, name in enumerate(LEVELS)}
    return {name: float(value) if value >= 0 else np.nan for name, value in found.items()}


def count_all(walk: Walk, channel: str) -> float:
    """What a count of each leg comes to in the end."""
    return float(walk.read(channel)[-1].sum())


@climbed("1", "footholds that did not hold, of all legs", needs=("slips",), whole=True)
def grip_failures(walk: Walk) -> float:
    return count_all(walk, "slips")


@climbed_by_part(
    "limb_error_rate", "1/s", "errors of limbs of a kind", needs=("leg_error",), whole=True
)
def find_error_rates(walk: Walk) -> dict[str, float]:
    count = walk.read("leg_error").sum(axis=1)
    grown = count[-1] - count[0]
    return {
        name: float(grown[kind] / walk.seconds) if walk.seconds > 0 else np.nan
        for kind, name in enumerate(ERRORS)
    }


@climbed("1", "search steps, of all legs", needs=("leg_searches",), whole=True)
def search_steps(walk: Walk) -> float:
    return count_all(walk, "leg_searches")


@climbed("1", "footholds found by searching, of all legs", needs=("leg_found",), whole=True)
def footholds_found(walk: Walk) -> float:
    return count_all(walk, "leg_found")


@climbed(
    "1",
    "legs that wait for a step while it walks, mean",
    needs=("queue_length", "gravity_on"),
    whole=True,
)
def queue_length(walk: Walk) -> float:
    return find_mean_walking(walk, walk.read("queue_length"))
