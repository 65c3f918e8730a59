"""Compiling ahead: all kernels that a scene will call, in as many processes as there are cores.

Which those are stands in `kernels.txt`: a kernel with the types of its arguments, the features of
scenes that call it, and how long it takes. A kernel that is not listed is compiled when it is first
called, so an outdated list costs time and nothing else.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from skitter.compiled.listing import Entry, read_list
from skitter.compiled.store import PACKAGE, cache_folder, is_kept

LIST = Path(__file__).parent / "kernels.txt"
WORTH = 2.0  # s of compiling below which no process is started: it takes that long to begin


class Compiling(NamedTuple):
    """How far it is."""

    done: int  # kernels
    total: int
    names: tuple[str, ...]  # of those that are being compiled now
    seconds_left: float  # about


Report = Callable[[Compiling], None]
listeners: list[Report] = []  # who is told how far it is, once it is worth telling
ready: set[frozenset[str]] = (
    set()
)  # features for which this process has seen that nothing is missing


@cache
def read_own_list() -> list[Entry]:
    return read_list(LIST.read_text())


def list_missing(features: set[str] | None, entries: Sequence[Entry] | None = None) -> list[Entry]:
    """Listed kernels that scenes with these features call and that are not kept; None: all."""
    return [
        entry
        for entry in (read_own_list() if entries is None else entries)
        if (features is None or entry.features <= features) and not is_there(entry)
    ]


def is_there(entry: Entry) -> bool:
    """Whether a kernel is kept, or is none any more."""
    try:
        return is_kept(entry.find_kernel().py_func, entry.find_types())
    except (ImportError, AttributeError, ValueError, TypeError):
        return True


def compile_for(features: set[str]) -> None:
    """Compile what scenes with these features need; quick when this process has asked before."""
    if frozenset(features) not in ready:
        compile_ahead(list_missing, features)
        ready.add(frozenset(features))


def compile_all(entries: Sequence[Entry] | None = None, workers: int | None = None) -> int:
    """Compile all that is listed and missing; returns how many kernels those were."""
    return compile_ahead(list_missing, None, entries, workers=workers)


def compile_ahead(
    find_missing: Callable[..., list[Entry]], *which: object, workers: int | None = None
) -> int:
    """Whatever fails here is compiled, or fails with its reason, when it is called."""
    if sum_seconds(find_missing(*which)) < WORTH:
        return 0
    with alone():
        missing = find_missing(*which)  # another process may have compiled them
        if missing:
            run_workers(missing, min(workers or count_cores(), len(missing)))
        return len(missing)


@contextmanager
def alone() -> Iterator[None]:
    """Let only one process of this user compile ahead, where the system can hold others off."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (cache_folder() / "compiling.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_workers(missing: list[Entry], count: int) -> None:
    """Hand out kernels, those that take longest first, and wait until all are done."""
    crew = Crew(missing)
    processes = [start_worker() for _ in range(count)]
    threads = [threading.Thread(target=crew.serve, args=(each,), daemon=True) for each in processes]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                state = crew.describe(count)
                for tell in listeners:
                    tell(state)
                thread.join(0.25)
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Crew:
    """Kernels that wait, those that somebody compiles, and those that are done."""

    def __init__(self, missing: list[Entry]) -> None:
        self.waiting = sorted(missing, key=lambda entry: entry.seconds)
        self.running: dict[int, Entry] = {}  # by process
        self.done: list[Entry] = []
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def take(self, worker: int) -> Entry | None:
        """The next kernel for a worker, which is through with the one before."""
        with self.lock:
            if worker in self.running:
                self.done.append(self.running.pop(worker))
            if not self.waiting:
                return None
            self.running[worker] = self.waiting.pop()
            return self.running[worker]

    def serve(self, worker: "subprocess.Popen[str]") -> None:
        """Feed one worker until nothing waits, or until it is gone."""
        assert worker.stdin is not None and worker.stdout is not None
        with suppress(OSError):
            while entry := self.take(worker.pid):
                worker.stdin.write(f"{entry.name}\t{entry.types}\n")
                worker.stdin.flush()
                if not worker.stdout.readline():
                    break
            worker.stdin.close()

    def describe(self, workers: int) -> Compiling:
        """Where it stands; the time left goes by what the finished kernels took on this machine."""
        with self.lock:
            entries = [*self.waiting, *self.running.values()]
            left, done = sum_seconds(entries), sum_seconds(self.done)
            elapsed = time.monotonic() - self.began
            pace = elapsed * workers / done if done > left else 1.0
            names = tuple(entry.name.rpartition(".")[2] for entry in self.running.values())
            total = len(self.done) + len(entries)
            return Compiling(len(self.done), total, names, max(left * pace / workers, 1.0))


def sum_seconds(entries: Sequence[Entry]) -> float:
    return sum(entry.seconds for entry in entries)


def start_worker() -> "subprocess.Popen[str]":
    """A process that compiles the kernels named on its standard input."""
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "skitter.compiled.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def count_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
