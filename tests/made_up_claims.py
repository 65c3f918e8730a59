"""Claims of no paper, for tests of how claims are measured side by side."""

import os
import signal
import time

from skitter.claims.registry import claim
from skitter.errors import SimulationError
from skitter.world.threads import count_threads

WORDS = {
    "paper": "a test", "statement": "s", "scene": "s", "why": "w", "unit": "1",
    "sense": "at most", "expected": 1.0,
}  # fmt: skip


@claim(id="made/holds", **WORDS)
def hold() -> float:
    return 0.5


@claim(id="made/threads", **WORDS)
def tell_threads() -> float:
    return float(count_threads())


@claim(id="made/dies", **WORDS)
def die() -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


@claim(id="made/after", **WORDS)
def follow() -> float:
    return 0.25


@claim(id="made/breaks", **WORDS)
def go_wrong() -> float:
    raise ZeroDivisionError("by nothing")


@claim(id="made/flies", **WORDS)
def fly_apart() -> float:
    raise SimulationError("it flew apart")


@claim(id="made/waits", **WORDS)
def wait() -> float:
    time.sleep(60)
    return 0.0
