"""Processes that work side by side, and outlive one another.

A process that is ended from outside, by the system or by what it runs, is replaced, and its job
given out again: being killed is not the fault of a job, unless it happens every time.
"""

import os
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from skitter.endings import end_without_a_word
from skitter.errors import SkitterError

LOSSES_MOST = 5  # processes that one job may end

Function = Callable[..., Any]
Job = tuple[Any, tuple[Any, ...]]  # a key of the caller's own, and arguments


@dataclass(frozen=True)
class Lost:
    """The result of a job that ended all processes which tried it."""

    times: int


@dataclass
class Worker:
    """A process, the line to it, and what it is at."""

    process: Any
    line: Connection
    job: Job | None = None


@dataclass
class Crew:
    """Some processes; they are started when there is work."""

    count: int
    workers: list[Worker] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._place = tempfile.TemporaryDirectory(prefix="skitter-study-")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the processes at once, and clear away what they left."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
        self.workers.clear()
        self._place.cleanup()

    def map(self, function: Function, jobs: Iterable[Job]) -> Iterator[tuple[Any, Any]]:
        """Keys and results as they are ready; an error of the function is raised here."""
        waiting, again, losses = iter(jobs), deque[Job](), dict[Any, int]()
        while True:
            self._hand_out(function, waiting, again)
            busy = {worker.line: worker for worker in self.workers if worker.job is not None}
            if not busy:
                return
            for line in wait(list(busy)):
                worker = busy[line]  # type: ignore[index]
                job, result = self._receive(worker)
                if isinstance(result, Lost):
                    losses[job[0]] = losses.get(job[0], 0) + 1
                    if losses[job[0]] < LOSSES_MOST:
                        again.append(job)
                        continue
                    result = Lost(losses[job[0]])
                yield job[0], result

    def _hand_out(self, function: Function, waiting: Iterator[Job], again: deque[Job]) -> None:
        """Work for all who have none."""
        while True:
            idle = next((one for one in self.workers if one.job is None), None)
            if idle is None and len(self.workers) >= self.count:
                return
            job = again.popleft() if again else next(waiting, None)
            if job is None:
                return
            worker = idle or self._hire()
            try:
                worker.line.send((function, job[1]))
                worker.job = job
            except OSError:  # it was ended while it had nothing to do
                self._dismiss(worker)
                again.appendleft(job)

    def _receive(self, worker: Worker) -> tuple[Job, Any]:
        """What a process has made of its job, or that it was lost with it."""
        job, worker.job = worker.job, None
        assert job is not None
        try:
            is_well, result = worker.line.recv()
        except (EOFError, OSError):
            self._dismiss(worker)
            return job, Lost(1)
        if not is_well:
            raise result
        return job, result

    def _hire(self) -> Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self._place.name), daemon=True)
        process.start()
        theirs.close()
        self.workers.append(Worker(process, ours))
        return self.workers[-1]

    def _dismiss(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.line.close()
        worker.process.kill()
        worker.process.join()


def serve(line: Connection, place: str) -> None:
    """A process of a crew: it works until nobody asks any more; drafts go where they are found."""
    begin_work()
    tempfile.tempdir = place
    with suppress(EOFError, OSError):
        while True:
            function, arguments = line.recv()
            line.send(answer(function, arguments))


def answer(function: Function, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Whether it went well, and the result or the error."""
    try:
        return True, function(*arguments)
    except SkitterError as error:
        return False, error
    except Exception as error:
        return False, SkitterError(f"{type(error).__name__}: {error}")


def begin_work() -> None:
    """A process ends at once with Ctrl-C, and with the process that it works for."""
    end_without_a_word()
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
