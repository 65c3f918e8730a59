"""A sweep from its first missing point to its last: here, in processes, or on a Dask cluster.

The coordinator alone writes. It keeps the first outcome of a point and no other, so that a point
has one outcome however often it was run.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from skitter.errors import SkitterError, UserError
from skitter.study.cluster import Cluster
from skitter.study.crew import Crew, Function, Job, Lost
from skitter.study.files import write_json, write_whole
from skitter.study.folder import PLAN, STUDY, check_folder, locked, write_yaml
from skitter.study.source import describe_source
from skitter.study.sweep.grid import Point
from skitter.study.sweep.log import Log
from skitter.study.sweep.plan import Plan
from skitter.study.sweep.point import Outcome, list_files, pack_job, receive_file, run_point
from skitter.study.sweep.store import write_results

STORE_INTERVAL = 30.0  # s between two stores while it runs
FILE_MOST = 64_000_000  # bytes of a terrain file that is sent to a cluster

Told = Callable[[int, int], None]  # points done, points in all


class Workers(Protocol):
    """Who runs points."""

    def map(self, function: Function, jobs: Iterable[Job]) -> Iterator[tuple[Any, Any]]: ...


class Alone:
    """This process, one point after the other."""

    def map(self, function: Function, jobs: Iterable[Job]) -> Iterator[tuple[Any, Any]]:
        for key, arguments in jobs:
            yield key, function(*arguments)


@dataclass(frozen=True)
class Ended:
    """How a sweep ended."""

    points: int
    failures: dict[str, int]  # how many points, by reason
    ran: int  # points that were run this time
    damaged: int  # lines that could not be read, whose points were run again


def sweep(
    plan: Plan,
    folder: Path,
    *,
    jobs: int = 0,
    scheduler: str | None = None,
    retry: bool = False,
    tell: Told | None = None,
    run: Function = run_point,
) -> Ended:
    """Run all points that a folder does not have yet.

    `jobs` is how many processes; 0 is this one. With `scheduler`, those of a Dask cluster. `retry`
    runs points again that failed.
    """
    check_folder(plan.describe(), folder, "sweep")
    with open_workers(jobs, scheduler) as workers, locked(folder, "sweep"):
        write_plan(plan, folder)
        log = Log(folder)
        log.repair()
        if retry:
            log.forget_failures()
        points = list(plan.grid.list_points())
        missing = [point for point in points if point.key not in log.rows]
        counter = Counter(len(points), len(points) - len(missing), tell)
        keeper = Keeper(folder)
        try:
            for point, outcome in make_outcomes(plan, missing, workers, run):
                counter.add(log.append(point, outcome))
                keeper.keep(STORE_INTERVAL)
        finally:
            log.sync()
            keeper.keep(0.0)
        reasons = [log.rows[point.key].outcome.reason for point in points]
        failures = {one: reasons.count(one) for one in dict.fromkeys(reasons) if one}
        return Ended(len(points), failures, counter.done - counter.first, log.damaged)


def open_workers(jobs: int, scheduler: str | None) -> AbstractContextManager[Any]:
    if scheduler is not None:
        return Cluster(scheduler)
    return Crew(jobs) if jobs else nullcontext(Alone())


class Counter:
    """Tells how many points are done, now and with each one more."""

    def __init__(self, total: int, done: int, tell: Told | None) -> None:
        self.total, self.first, self.done, self._tell = total, done, done, tell
        self.add(0)

    def add(self, more: int) -> None:
        self.done += more
        if self._tell is not None:
            self._tell(self.done, self.total)


class Keeper:
    """Writes the store now and then: not so often that it would slow the sweep down."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._last, self._took = folder, time.monotonic(), 0.0

    def keep(self, interval: float) -> None:
        now = time.monotonic()
        if now - self._last >= max(interval, 20 * self._took if interval else 0.0):
            self._write()
            self._last = time.monotonic()
            self._took = self._last - now

    def _write(self) -> None:
        try:
            write_results(self._folder)
        except OSError as error:
            raise UserError(
                f"{self._folder}: the results cannot be written: {str(error.strerror).lower()};"
                " finished points are kept, and the same command goes on"
            ) from None


def write_plan(plan: Plan, folder: Path) -> None:
    """The study as it was understood, and all that decides a point; with it, last, the folder is
    one of a sweep."""
    tree = plan.spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    tree["scene"] = describe_source(plan.source)
    write_whole(folder / STUDY, write_yaml(tree))
    write_json(folder / PLAN, {**plan.describe(), **plan.describe_store()})


def make_outcomes(
    plan: Plan, points: list[Point], workers: Workers, run: Function
) -> Iterator[tuple[Point, Outcome]]:
    """Points and what came of them, as they are ready; values that make no scene are told first."""
    bad: list[tuple[Point, Outcome]] = []

    def list_jobs() -> Iterator[Job]:
        for point in points:
            try:
                packed = prepare(plan, point, workers)
            except SkitterError as error:
                bad.append((point, Outcome({}, str(error))))
                continue
            yield point, (packed,)

    for point, result in workers.map(run, list_jobs()):
        yield from take_all(bad)
        yield point, give_up(result) if isinstance(result, Lost) else result
    yield from take_all(bad)


def take_all(bad: list[tuple[Point, Outcome]]) -> Iterator[tuple[Point, Outcome]]:
    while bad:
        yield bad.pop()


def give_up(lost: Lost) -> Outcome:
    return Outcome({}, f"it ended its process, {lost.times} times")


def prepare(plan: Plan, point: Point, workers: Workers) -> bytes:
    """A point as a message; files of its scene go ahead where they must travel."""
    scene = plan.load(point.values)
    if isinstance(workers, Cluster):
        for file in list_files(scene):
            if Path(file.path).stat().st_size <= FILE_MOST:
                workers.send_file(file.path, file.sha256, receive_file)
    return pack_job(
        scene,
        seed=point.seed,
        settle=plan.spec.settle,
        creature=plan.creature,
        measures=plan.measures,
    )
