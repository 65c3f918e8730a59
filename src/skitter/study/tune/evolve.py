"""The search itself: CMA-ES, as pycma has it, over the unit cube of all ranges.

McKenna 1990 section 3.4 leaves tuning by hand to "an automatic evolutionary process" of the future;
this is one. Random numbers come from a generator of the search alone, trials are put in order
however they end, and generations that were made before are told again: the same study gives the
same bytes with any number of processes, also when it was stopped on the way.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skitter.errors import SkitterError, UserError
from skitter.study.crew import Crew, Lost
from skitter.study.tune.history import Generation, History, open_history
from skitter.study.tune.plan import Plan, Values
from skitter.study.tune.trial import Outcome, Trial, attempt, join_runs

Evaluate = Callable[[Plan, Values, int], Outcome]  # values, and the number of the run
Told = Callable[[int, int], None]  # runs done, runs in all


@dataclass(frozen=True)
class Found:
    """What a search found."""

    generations: list[Generation]
    stopped: str  # why it ended before its last generation; empty where it did not

    @property
    def start(self) -> Trial:
        return self.generations[0].trials[0]

    @property
    def best(self) -> Trial:
        """The first of the least costly trials."""
        return self.generations[self.best_generation].best

    @property
    def best_generation(self) -> int:
        costs = [one.best.cost for one in self.generations]
        return costs.index(min(costs))

    @property
    def trials(self) -> list[Trial]:
        return [trial for one in self.generations for trial in one.trials]


class Evolution:
    """pycma, with random numbers of its own and nothing written or said."""

    def __init__(self, plan: Plan) -> None:
        cma = import_cma()
        self._rng = np.random.default_rng(plan.spec.seed)
        self._count = len(plan.start)
        size = max(2, self._count)  # pycma needs two; the second of one parameter means nothing
        start = np.full(size, 0.5)
        start[: self._count] = plan.locate(plan.start)
        options: dict[str, Any] = {
            "bounds": [[0.0] * size, [1.0] * size],
            "randn": self._draw,
            "seed": np.nan,  # of NumPy's common generator: leave it alone
            "verbose": -10,  # no word, and no file of signals
            "verb_log": 0,
            "maxiter": np.inf,
        }
        if plan.spec.population is not None:
            options["popsize"] = plan.spec.population
        with quiet():
            self._search = cma.CMAEvolutionStrategy(start, plan.spec.sigma, options)
        self._points: list[np.ndarray] = []

    def _draw(self, *shape: int) -> np.ndarray:
        return self._rng.standard_normal(shape)

    @property
    def population(self) -> int:
        return int(self._search.popsize)

    @property
    def sigma(self) -> float:
        return float(self._search.sigma)

    def ask(self) -> list[np.ndarray]:
        """The points of the next generation."""
        with quiet():
            self._points = self._search.ask()
        return [point[: self._count] for point in self._points]

    def tell(self, costs: Sequence[float]) -> None:
        """What the points that were asked for last cost."""
        with quiet():
            self._search.tell(self._points, list(costs))

    def find_reason(self) -> str:
        """Why there is nothing more to find; empty where there is."""
        with quiet():
            return ", ".join(sorted(self._search.stop()))


@contextmanager
def quiet() -> Iterator[None]:
    """pycma warns of what no user of a study can change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def import_cma() -> Any:
    try:
        with quiet():
            import cma
    except ImportError as error:
        raise UserError(
            f"tuning needs {error.name}, which is not installed: pip install 'skitter[study]'"
        ) from None
    return cma


def search(
    plan: Plan,
    *,
    folder: Path | None = None,
    jobs: int = 1,
    tell: Told | None = None,
    evaluate: Evaluate = attempt,
    each: Callable[[Found], None] | None = None,
) -> Found:
    """Search; with a folder, every finished generation is kept there, and gone on from.

    `evaluate` makes a run of a trial, in other processes where there are more jobs than one.
    `each` is called with what has been found after every new generation.
    """
    evolution, stopped = Evolution(plan), ""
    with open_history(plan, folder) as history, Crew(jobs) as crew:
        report = count_runs(plan, history, evolution.population, tell)
        for number in range(plan.spec.generations + 1):
            points = evolution.ask() if number else []
            values = [plan.place(point) for point in points] or [plan.start]
            if number == len(history.generations):
                trials = make_trials(plan, values, evaluate, crew, report)
                plan.check_unchanged()
                history.append(Generation(number, evolution.sigma, trials))
                if each is not None:
                    each(Found(history.generations, ""))
            told = history.generations[number]
            check_told(plan, told, values)
            if number:
                evolution.tell([trial.cost for trial in told.trials])
            if 0 < number < plan.spec.generations and (stopped := evolution.find_reason()):
                break
        return Found(history.generations, stopped)


def check_told(plan: Plan, told: Generation, values: Sequence[Values]) -> None:
    """What was kept must be what this search asks for, or it would go astray in silence."""
    if [trial.values for trial in told.trials] != list(values):
        raise UserError(
            f"{plan.label}: generation {told.number} of the directory has other values than this"
            " search; valid: the processor that it began on, or a new directory"
        )


def count_runs(
    plan: Plan, history: History, population: int, tell: Told | None
) -> Callable[[], None]:
    """Tells how many runs are done, now and whenever it is called."""
    total = (1 + population * plan.spec.generations) * len(plan.runs)
    done = [sum(len(one.trials) for one in history.generations) * len(plan.runs)]

    def report(more: int = 1) -> None:
        done[0] += more
        if tell is not None:
            tell(done[0], total)

    report(0)
    return report


def make_trials(
    plan: Plan,
    values: Sequence[Values],
    evaluate: Evaluate,
    crew: Crew,
    report: Callable[[], None],
) -> list[Trial]:
    """All runs of a generation, and its trials in the order of their values."""
    jobs = [(trial, run) for trial in range(len(values)) for run in range(len(plan.runs))]
    found: dict[tuple[int, int], Outcome] = {}
    if crew.count == 1:
        for trial, run in jobs:
            found[trial, run] = evaluate(plan, values[trial], run)
            report()
    else:
        asked = (((trial, run), (plan, values[trial], run)) for trial, run in jobs)
        for key, outcome in crew.map(evaluate, asked):
            if isinstance(outcome, Lost):
                raise SkitterError(
                    f"the run of {values[key[0]]} ended {outcome.times} processes; what is finished"
                    " is kept, and the same command goes on"
                )
            found[key] = outcome
            report()
    return [
        join_runs(values[trial], [found[trial, run] for run in range(len(plan.runs))])
        for trial in range(len(values))
    ]
