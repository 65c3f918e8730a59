"""Measures of how a creature of jointed links steps: strides, lags between legs, what is told and
what the feet do.

A step is what the gait tells a leg to do; what its foot does is measured from its contact with the
ground. What needs only steps holds for climbers too. Wilson's rules, which these measures let one
check, are those of McKenna 1990 section 3.2.
"""

from collections.abc import Mapping

import numpy as np

from skitter.measure.articulated import STEPPING, TOUCHING, Walk, walked, walked_by_part
from skitter.measure.circular import compute_mean, compute_spread
from skitter.measure.steps import (
    Floats,
    Lags,
    Steps,
    find_lags,
    list_ends,
    list_neighbours,
    list_opposites,
    name_legs,
    wrap_phase,
)
from skitter.measure.table import STRIDING

TOGETHER = 0.001  # s; a step may begin so long before another ends
BOTH = (*STEPPING, *TOUCHING)


def gather(steps: Steps, kind: str) -> Floats:
    """Strides, or how long steps lasted, of all legs, s."""
    take = steps.strides if kind == "strides" else steps.lasting
    return np.concatenate([np.zeros(0), *(take(leg) for leg in range(steps.leg_count))])


def take_mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan


def take_median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else np.nan


@walked("Hz", "of a leg's steps, median", needs=STEPPING, kinds=STRIDING)
def stride_frequency(walk: Walk) -> float:
    return 1 / walk.period


@walked("s", "that a leg is told to step, mean", needs=STEPPING, kinds=STRIDING)
def step_time(walk: Walk) -> float:
    return take_mean(gather(walk.steps, "lasting"))


@walked("s", "standard deviation of the same", needs=STEPPING, kinds=STRIDING)
def step_time_spread(walk: Walk) -> float:
    times = gather(walk.steps, "lasting")
    return float(times.std()) if len(times) > 1 else np.nan


@walked("s", "that a leg is told to stand between two steps, mean", needs=STEPPING, kinds=STRIDING)
def stance_time(walk: Walk) -> float:
    stands = [spans[1:, 0] - spans[:-1, 1] for spans in walk.steps.spans]
    return take_mean(np.concatenate([np.zeros(0), *stands]))


@walked("s", "that a foot is off the ground in a step, mean", needs=TOUCHING)
def air_time(walk: Walk) -> float:
    return take_mean(gather(walk.airs, "lasting"))


def find_duties(walk: Walk, airs: Steps) -> dict[str, float]:
    """Share of its whole strides that each leg stands, by its name; nan of one without a stride."""
    names = name_legs(walk.static("leg_pair"), walk.static("leg_side"))
    duties = {}
    for leg, name in enumerate(names):
        lifts = walk.steps.lifts(leg)
        duties[name] = 1 - airs.share(leg, lifts[0], lifts[-1]) if len(lifts) > 1 else np.nan
    return duties


@walked_by_part(
    "duty_factor", "1", "share of a leg's strides told to stand", needs=STEPPING, kinds=STRIDING
)
def find_told_duties(walk: Walk) -> dict[str, float]:
    return find_duties(walk, walk.steps)


@walked_by_part("contact_duty_factor", "1", "share of a leg's strides on the ground", needs=BOTH)
def find_contact_duties(walk: Walk) -> dict[str, float]:
    return find_duties(walk, walk.airs)


@walked(
    "1", "share of their strides that legs are told to stand, mean", needs=STEPPING, kinds=STRIDING
)
def duty_factor(walk: Walk) -> float:
    return take_known_mean(find_told_duties(walk))


@walked("1", "share of their strides that feet are on the ground, mean", needs=BOTH)
def contact_duty_factor(walk: Walk) -> float:
    return take_known_mean(find_contact_duties(walk))


def take_known_mean(found: Mapping[str, float]) -> float:
    values = np.array([*found.values()])
    return take_mean(values[np.isfinite(values)])


def find_ipsilateral(walk: Walk) -> Lags:
    """Each leg after the next behind it."""
    pairs = list_neighbours(walk.static("leg_pair"), walk.static("leg_side"))
    return find_lags(walk.steps, pairs)


def find_contralateral(walk: Walk) -> Lags:
    """The right leg of each pair after the left."""
    return find_lags(walk.steps, list_opposites(walk.static("leg_pair"), walk.static("leg_side")))


@walked("s", "from a step to that of the next leg in front, median", needs=STEPPING, kinds=STRIDING)
def ipsilateral_lag(walk: Walk) -> float:
    return take_median(find_ipsilateral(walk).seconds)


@walked("s", "standard deviation of the same", needs=STEPPING, kinds=STRIDING)
def ipsilateral_lag_spread(walk: Walk) -> float:
    lags = find_ipsilateral(walk).seconds
    return float(lags.std()) if len(lags) > 1 else np.nan


@walked(
    "cycle",
    "of a leg after the next behind it, circular mean, -0.1 to 0.9",
    needs=STEPPING,
    kinds=STRIDING,
)
def ipsilateral_phase(walk: Walk) -> float:
    return wrap_phase(compute_mean(find_ipsilateral(walk).phase))


@walked("cycle", "circular standard deviation of the same", needs=STEPPING, kinds=STRIDING)
def ipsilateral_phase_spread(walk: Walk) -> float:
    return compute_spread(find_ipsilateral(walk).phase)


@walked(
    "cycle",
    "of a right leg after the left, circular mean, -0.1 to 0.9",
    needs=STEPPING,
    kinds=STRIDING,
)
def contralateral_phase(walk: Walk) -> float:
    return wrap_phase(compute_mean(find_contralateral(walk).phase))


@walked("cycle", "circular standard deviation of the same", needs=STEPPING, kinds=STRIDING)
def contralateral_phase_spread(walk: Walk) -> float:
    return compute_spread(find_contralateral(walk).phase)


@walked(
    "s",
    "from a step of the front leg to that of the hind leg, median",
    needs=STEPPING,
    kinds=STRIDING,
)
def front_hind_interval(walk: Walk) -> float:
    """It is what is left of a stride by the lags, so that it shrinks as legs step more often."""
    ends = list_ends(walk.static("leg_pair"), walk.static("leg_side"))
    return take_median(find_lags(walk.steps, ends).seconds)


@walked(
    "1",
    "share of steps that begin while the leg behind still steps",
    needs=STEPPING,
    kinds=STRIDING,
)
def early_step_share(walk: Walk) -> float:
    early = [
        walk.steps.is_stepping(behind, walk.steps.lifts(front), slack=TOGETHER)
        for behind, front in list_neighbours(walk.static("leg_pair"), walk.static("leg_side"))
    ]
    return take_mean(np.concatenate([np.zeros(0), *early]))


@walked("1", "feet on the ground, mean", needs=TOUCHING)
def feet_down(walk: Walk) -> float:
    return float(walk.read("foot_touching").sum(axis=1).mean())


@walked("1", "feet on the ground, fewest in a frame", needs=TOUCHING)
def feet_down_min(walk: Walk) -> float:
    return float(walk.read("foot_touching").sum(axis=1).min())


REFLEXES = ("reflex",)


def count_reflexes(walk: Walk, which: int) -> float:
    return float(walk.read("reflex")[-1, :, which].sum())


@walked("1", "steps that the step reflex began, of all legs", needs=REFLEXES, whole=True)
def step_reflexes(walk: Walk) -> float:
    return count_reflexes(walk, 0)


@walked("1", "steps that the load reflex held back, of all legs", needs=REFLEXES, whole=True)
def load_reflexes(walk: Walk) -> float:
    return count_reflexes(walk, 1)


@walked("1", "times that the elevator reflex lifted a leg, of all legs", needs=REFLEXES, whole=True)
def elevator_reflexes(walk: Walk) -> float:
    return count_reflexes(walk, 2)


@walked(
    "1",
    "steps that legs were told to take, of all legs",
    needs=("steps",),
    whole=True,
    kinds=STRIDING,
)
def steps_taken(walk: Walk) -> float:
    return float(walk.read("steps")[-1].sum())
