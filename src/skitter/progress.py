"""Progress of a run on standard error, once it takes more than two seconds."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from skitter.compiled.ahead import Compiling, Report

DELAY = 2.0  # s before anything is shown
PLAIN_INTERVAL = 10.0  # s between lines where there is no terminal
PATIENCE = 10.0  # s before it is said even where most is compiled already
COMPILING = "compiling for this machine, once"


class Progress:
    """Counts frames against the clock; shows a bar in a terminal and a line now and then elsewhere.

    The first frame is left out of the real-time factor: it waits for the compiler.
    """

    def __init__(
        self, stream: TextIO | None = None, *, quiet: bool = False, what: str = "frame"
    ) -> None:
        self.stream, self.what = stream or sys.stderr, what
        self.quiet = quiet
        self.frame_rate = 1.0
        self.first = self.last = self.frame = 0
        self.prepared = self.started = self.warm = self.now = time.perf_counter()
        self.next_line = self.started + DELAY
        self.bar: Any = None
        self.notice: threading.Timer | None = None
        self.compiling = False

    def prepare(self) -> None:
        """Everything up to the first frame; where that takes long, it is the compiler."""
        self.prepared = time.perf_counter()
        if not self.quiet:
            self.wait_for_notice(DELAY)
            listen(self.tell_compiling)

    def tell_compiling(self, state: "Compiling") -> None:
        """Kernels are being compiled ahead: what, how many, how long."""
        self.stop_notice()
        line = (
            f"{COMPILING}: {state.done} of {state.total} kernels,"
            f" about {format_seconds(state.seconds_left)} left ({', '.join(state.names)})"
        )
        now = time.perf_counter()
        if can_draw(self.stream):
            self.show_bar(state.done, state.total, line)
        elif not self.compiling or now >= self.next_line:
            self.next_line = now + PLAIN_INTERVAL
            self.write_line(line)
        self.compiling = True

    def wait_for_notice(self, seconds: float) -> None:
        self.notice = threading.Timer(seconds, self.announce)
        self.notice.daemon = True
        self.notice.start()

    def announce(self) -> None:
        """Say that it compiles; not at once where kernels are kept, as those only have to load."""
        if time.perf_counter() - self.prepared < PATIENCE and has_kernels():
            self.wait_for_notice(PATIENCE - DELAY)
            return
        self.write_line(f"{COMPILING} ...")
        self.compiling = True

    def start(self, first: int, last: int, frame_rate: float) -> None:
        """The run goes from frame `first`, which is there, to frame `last`."""
        self.first = self.frame = first
        self.last, self.frame_rate = last, frame_rate
        self.started = self.warm = self.now = time.perf_counter()
        self.next_line = self.started + DELAY

    def update(self, frame: int) -> None:
        """Frame number `frame` is recorded."""
        self.frame, self.now = frame, time.perf_counter()
        if frame == self.first + 1:
            self.warm = self.now
            self.next_line = self.now + DELAY
            self.cancel_notice()
        if not self.quiet and self.now >= self.next_line:
            self.show()

    def count(self, done: int, total: int) -> None:
        """For work that calls back with what is done of how much, as films do."""
        if self.last == 0:
            self.start(0, total, 30.0)
        self.update(done)

    def count_runs(self, done: int, total: int) -> None:
        """For work that begins with what was done before, as studies do."""
        if self.last == 0:
            self.start(done, total, 1.0)
        else:
            self.update(done)

    def close(self) -> None:
        """Take the bar away."""
        self.cancel_notice()
        self.remove_bar()

    def remove_bar(self) -> None:
        if self.bar is not None:
            with self._forgiven():
                self.bar.stop()
            self.bar = None

    def stop_notice(self) -> None:
        if self.notice is not None:
            self.notice.cancel()
            self.notice = None

    def cancel_notice(self) -> None:
        self.stop_notice()
        unlisten(self.tell_compiling)
        if self.compiling:
            self.remove_bar()
            self.compiling = False
            self.write_line(f"compiled in {time.perf_counter() - self.prepared:.0f} s")

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per second of the clock; above 1 is faster than life."""
        frames, since = self.frame - self.first - 1, self.warm
        if frames < 1:
            frames, since = frames + 1, self.started
        return frames / self.frame_rate / max(self.now - since, 1e-9)

    @property
    def seconds_left(self) -> float:
        share = (self.last - self.frame) / self.frame_rate
        return share / max(self.real_time_factor, 1e-9)

    def describe(self) -> str:
        rate = f" {self.real_time_factor:.3g}× real time," if self.what == "frame" else ""
        left = f"about {format_seconds(self.seconds_left)} left"
        if self.what == "%":  # which a bar shows by itself
            return left if can_draw(self.stream) else f"{self.frame} %, {left}"
        return f"{self.what} {self.frame} of {self.last},{rate} {left}"

    def show(self) -> None:
        if not can_draw(self.stream):
            self.next_line = self.now + PLAIN_INTERVAL
            self.write_line(self.describe())
            return
        self.show_bar(self.frame, self.last, self.describe())

    def show_bar(self, done: int, total: int, words: str) -> None:
        with self._forgiven():
            if self.bar is None:
                self.bar = make_bar(self.stream)
                self.bar.start()
                self.bar.add_task("")
            task = self.bar.task_ids[0]
            self.bar.update(task, completed=done, total=total, description=words)

    def write_line(self, line: str) -> None:
        with self._forgiven():
            self.stream.write(f"skitter: {line}\n")
            self.stream.flush()

    @contextmanager
    def _forgiven(self) -> Iterator[None]:
        """Progress is no reason to fail: where a terminal has closed, nothing more is shown."""
        try:
            yield
        except OSError:
            self.quiet, self.bar = True, None


def format_seconds(seconds: float) -> str:
    """As a person would say it: 40 s, 12 min, 3 h 05 min."""
    if seconds < 600:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def has_kernels() -> bool:
    """Whether kernels have been compiled on this machine before, or came with the package."""
    from skitter.compiled.store import ENDING, SHIPPED, cache_folder

    return any(any(folder.glob(f"*{ENDING}")) for folder in (SHIPPED, cache_folder()))


def listen(report: "Report") -> None:
    """Be told how far compiling is."""
    from skitter.compiled.ahead import listeners

    listeners.append(report)


def unlisten(report: "Report") -> None:
    if "skitter.compiled.ahead" in sys.modules:
        from skitter.compiled.ahead import listeners

        while report in listeners:
            listeners.remove(report)


def can_draw(stream: TextIO) -> bool:
    """Whether a bar can be drawn there and taken away again; a dumb terminal gets lines."""
    return stream.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def make_bar(stream: TextIO) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f}% {task.description}"))
    return RichProgress(*columns, console=Console(file=stream), transient=True)
