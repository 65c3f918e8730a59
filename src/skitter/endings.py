"""Requests to end a process: Ctrl-C, and the signals with which a system ends programs.

Slurm, `docker stop` and `kill` send SIGTERM; a terminal that closes sends SIGHUP. All of them are
taken as Ctrl-C is. Nothing else in Skitter handles signals.

A second Ctrl-C stops at once. Systems repeat SIGTERM and SIGHUP by themselves (a shell passes on
the SIGHUP that its jobs got already), so a repeated one changes nothing.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
EXIT_BASE = 128  # shells add the number of the signal
ASK_AGAIN = 0.01  # s after a request was swallowed


class Stopped(KeyboardInterrupt):
    """The process was asked to end, by the signal `number`."""

    def __init__(self, message: str = "stopped", number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.number = number


class Ending:
    """A request to end that waits until it suits; `number` is the signal's, None before."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.is_raised = False  # as `Stopped`
        self.repetition: threading.Timer | None = None  # of a request that nobody heard of
        self._asked = threading.Event()

    def is_asked(self) -> bool:
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for a request at most so long; whether there is one."""
        return self._asked.wait(seconds)

    def ask(self, number: int) -> bool:
        """Note a request; whether it is the first, or the first that is not swallowed."""
        is_first = self.number is None or self.repetition is not None
        self.repetition = None
        if self.number is None:
            self.number = number
        self._asked.set()
        return is_first

    def ask_again(self, number: int) -> None:
        """A request was raised where nothing can be: raise it in a moment, somewhere else."""
        self.is_raised = False
        self.repetition = threading.Timer(ASK_AGAIN, _thread.interrupt_main, (number,))
        self.repetition.daemon = True
        self.repetition.start()


_open: list[Ending] = []  # of the blocks below that are running, the outermost first


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Within this block a request raises `Stopped`, wherever the program is, and leaves the block
    as such: compiled libraries that it passes through make an error of their own of it."""

    def take(ending: Ending, number: int) -> None:
        if ending.ask(number) or number == signal.SIGINT:
            ending.is_raised = True
            raise Stopped(number=number)

    with _catching(take) as ending, _heard(ending):
        try:
            yield
        except Exception as error:
            if ending.is_raised and ending.number is not None:
                raise Stopped(number=ending.number) from error
            raise


@contextmanager
def ending_later() -> Iterator[Ending]:
    """Within this block a request is only noted; a second Ctrl-C raises `Stopped`."""

    def take(ending: Ending, number: int) -> None:
        if not ending.ask(number) and number == signal.SIGINT:
            raise Stopped(number=number)

    with _catching(take) as ending:
        yield ending


@contextmanager
def _heard(ending: Ending) -> Iterator[None]:
    """Ask again where Python swallows `Stopped`: in callbacks of weak references and finalizers,
    which run between any two instructions of imports and regular expressions."""
    before = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, Stopped):
            ending.ask_again(unraisable.exc_value.number)
        else:
            before(unraisable)

    sys.unraisablehook = hook
    try:
        yield
        if ending.repetition is not None and ending.number is not None:  # there is no later
            raise Stopped(number=ending.number)
    finally:
        sys.unraisablehook = before
        if ending.repetition is not None:
            ending.repetition.cancel()
            ending.repetition = None


@contextmanager
def _catching(take: Callable[[Ending, int], None]) -> Iterator[Ending]:
    """Handle the signals; only the main thread can. One Ending serves blocks inside each other."""
    if threading.current_thread() is not threading.main_thread():
        yield Ending()
        return
    ending = _open[0] if _open else Ending()

    def handle(number: int, frame: FrameType | None) -> None:
        take(ending, number)

    before = {}
    _open.append(ending)
    try:
        for number in SIGNALS:
            if not is_kept_alive(number):
                before[number] = signal.signal(number, handle)
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        _open.pop()


def end_without_a_word() -> None:
    """Let signals end this process as the system does: one that works for another has no say."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def is_kept_alive(number: int) -> bool:
    """Whether whoever started the process wants it to outlive its terminal, as `nohup` does."""
    return number != signal.SIGINT and signal.getsignal(number) == signal.SIG_IGN


def find_exit_code(error: KeyboardInterrupt) -> int:
    """128 and the signal: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
    return EXIT_BASE + int(getattr(error, "number", signal.SIGINT))
