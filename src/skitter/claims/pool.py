"""Claims side by side: each job is a process of its own, and one that dies takes no other along.

A job is a claim, or all that share their runs. Those that measure speed come first and alone, then
the longest first, so that no core is left with a long one in the end. A process uses its share of
the cores and ends with whoever started it.
"""

import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from skitter.claims import registry
from skitter.claims.facts import find_fact
from skitter.claims.registry import fail_claim, load_claims, run_claim
from skitter.warn import SkitterWarning
from skitter.world.threads import THREADS, count_threads

Record = dict[str, Any]
OF_LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """Claims that one process measures, one after the other."""

    ids: tuple[str, ...]
    cost: float  # s
    alone: bool = False


@dataclass
class Running:
    """A job and its process."""

    job: Job
    process: Any
    started: float = field(default_factory=time.perf_counter)
    done: list[str] = field(default_factory=list)

    def stop(self) -> None:
        """End it, and what it has started."""
        if self.process.is_alive():
            end_group(self.process.pid)
            self.process.kill()
        self.process.join()


def list_jobs(ids: Sequence[str]) -> list[Job]:
    """In the order in which they begin."""
    groups: dict[str, list[str]] = {}
    for id in ids:
        groups.setdefault(find_fact(id).runs or id, []).append(id)
    jobs = [
        Job(tuple(group), sum(find_fact(id).cost for id in group), any(map(is_alone, group)))
        for group in groups.values()
    ]
    return sorted(jobs, key=lambda job: (not job.alone, -job.cost))


def is_alone(id: str) -> bool:
    return find_fact(id).alone


def run_jobs(jobs: Sequence[Job], processes: int, plots: Path | None = None) -> Generator[Record]:
    """Records as they come, at most so many processes at once."""
    waiting = list(jobs)
    running: dict[Connection, Running] = {}
    share = max(1, count_threads() // min(processes, len(jobs) or 1))
    try:
        while waiting or running:
            while waiting and has_room(waiting[0], list(running.values()), processes):
                pipe, one = start(waiting.pop(0), share, plots)
                running[pipe] = one
            ready = wait(list(running))
            for pipe in [one for one in running if one in ready]:
                try:
                    record = pipe.recv()
                except EOFError:
                    rest, failed = conclude(running.pop(pipe))
                    waiting[:0] = rest
                    yield from failed
                else:
                    running[pipe].done.append(record["id"])
                    yield record
    finally:
        for one in running.values():
            one.stop()


def has_room(job: Job, running: Sequence[Running], processes: int) -> bool:
    """Whether a job may begin beside those that run."""
    if not running:
        return True
    is_shared = not job.alone and not any(one.job.alone for one in running)
    return is_shared and len(running) < processes


def start(job: Job, share: int, plots: Path | None) -> tuple[Connection, Running]:
    """Begin a job in a process of its own, with so many threads."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(theirs, registry.PAPERS, job.ids, plots))
    with environment(dict.fromkeys((THREADS, *OF_LIBRARIES), str(share))):
        process.start()
    theirs.close()  # so that its end is seen
    return ours, Running(job, process)


def conclude(one: Running) -> tuple[list[Job], list[Record]]:
    """A process has ended. Where it died, the claim that it was at fails and the rest is left."""
    one.process.join()
    left = [id for id in one.job.ids if id not in one.done]
    if not left:
        return [], []
    reason = f"its process {describe_end(one.process.exitcode)}"
    seconds = time.perf_counter() - one.started
    claims = {each.id: each for each in load_claims()}
    rest = [Job(tuple(left[1:]), one.job.cost, one.job.alone)] if left[1:] else []
    return rest, [fail_claim(claims[left[0]], reason, seconds)]


def describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


@contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Variables that a process started meanwhile inherits."""
    before = {name: os.environ.get(name) for name in values}
    os.environ |= values
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def work(pipe: Connection, papers: tuple[str, ...], ids: Sequence[str], plots: Path | None) -> None:
    """The process of a job: a record of each claim, also where measuring it fails."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # so that all that it starts can be ended with it; Ctrl-C is the parent's
    threading.Thread(target=end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore", SkitterWarning)  # claims know what they ask for
    registry.PAPERS = papers
    claims = {one.id: one for one in load_claims()}
    for id in ids:
        try:
            record = run_claim(claims[id], plots)
        except Exception as error:
            traceback.print_exc()
            record = fail_claim(claims[id], f"a fault in Skitter: {error!r}", 0.0)
        pipe.send(record)
    pipe.close()


def end_with_parent() -> None:
    """Whoever waits for the records is gone: so is this process, with all that it started."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    end_group(os.getpid())
    os._exit(1)


def end_group(process: int) -> None:
    """End all processes of the group that a process leads, if it does by now."""
    if hasattr(os, "killpg"):
        try:
            if os.getpgid(process) == process:
                os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
