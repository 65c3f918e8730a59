"""Trials: a scene with some values is run and measured, and what it costs follows from that.

McKenna 1990 section 3.4 names what such runs would be judged by: speed, distance and energy.
"""

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from skitter.errors import SkitterError
from skitter.study.record import record
from skitter.study.tune.plan import Plan, Values
from skitter.study.tune.spec import LimitSpec, StudySpec, TermSpec

if TYPE_CHECKING:
    from skitter.record import Recording


@dataclass(frozen=True)
class Outcome:
    """What came of one run, or of all runs of a trial."""

    cost: float  # the lower the better
    measures: dict[str, float] = field(default_factory=dict)  # by full id, in their units
    failure: str = ""  # why a run ended early or does not count


@dataclass(frozen=True)
class Trial:
    """Some values and what came of them."""

    values: Values
    cost: float
    measures: dict[str, float]
    failure: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "values": list(self.values)}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Trial":
        values = tuple(float(x) for x in row["values"])
        return cls(values, float(row["cost"]), dict(row["measures"]), str(row["failure"]))


def attempt(plan: Plan, values: Values, run: int) -> Outcome:
    """One run of a trial. Values that make no scene or end a run early are a bad trial, not an
    end of the search; a disk that is full is."""
    from skitter.record import Recording
    from skitter.world.world import World

    variant, seed = plan.runs[run]
    try:
        world = World(plan.load(values, variant), seed=seed, threads=1)
    except SkitterError as error:
        return fail(plan, 0.0, str(error))
    with closing(world), TemporaryDirectory(prefix="skitter-tune-") as folder:
        path = Path(folder) / "recording"
        share, failure = record(world, path, plan.spec.settle)
        if failure:
            return fail(plan, share, failure)
        return judge(plan, Recording.open(path))


def fail(plan: Plan, share: float, failure: str) -> Outcome:
    """A run that came so far of its way is a costly one, the more so the earlier it ended."""
    return Outcome(plan.spec.failure * (2 - share), {}, failure)


def judge(plan: Plan, recording: "Recording") -> Outcome:
    """What a whole run costs."""
    from skitter.measure import measure

    told = {id: one.value for id, one in measure(recording).items() if math.isfinite(one.value)}
    found = {id: told[id] for id in plan.measures if id in told}
    missing = [id for id in plan.measures if id not in told]
    if missing:
        failed = fail(plan, 1.0, f"the run does not tell {missing[0]}")
        return replace(failed, measures=found)
    return Outcome(find_cost(plan, found), found)


def find_cost(plan: Plan, measures: Mapping[str, float]) -> float:
    """The sum of all terms and of what lies beyond limits."""
    spec: StudySpec = plan.spec
    terms = [weigh_term(one, measures[plan.find_measure(one.measure)]) for one in spec.objective]
    limits = [weigh_limit(one, measures[plan.find_measure(one.measure)]) for one in spec.limits]
    return math.fsum([*terms, *limits])


def weigh_term(term: TermSpec, value: float) -> float:
    """What a measure adds to the cost; where a value is the goal, its distance from it."""
    if term.value is not None:
        return term.weight * abs(value - term.value) / term.scale
    sign = -1 if term.goal == "larger" else 1
    return sign * term.weight * value / term.scale


def weigh_limit(limit: LimitSpec, value: float) -> float:
    """What a measure adds to the cost where it lies beyond its limits."""
    below = 0.0 if limit.least is None else max(0.0, limit.least - value)
    above = 0.0 if limit.most is None else max(0.0, value - limit.most)
    return limit.weight * (below + above) / limit.scale


def join_runs(values: Values, runs: list[Outcome]) -> Trial:
    """A trial from its runs: means, and the first failure."""
    ids = dict.fromkeys(id for run in runs for id in run.measures)
    means = {id: fmean(run.measures[id] for run in runs if id in run.measures) for id in ids}
    failure = next((run.failure for run in runs if run.failure), "")
    return Trial(values, fmean(run.cost for run in runs), means, failure)
