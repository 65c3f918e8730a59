"""Timing on a shared machine: interleave what is compared, and take the best of many short runs."""

import time
from collections.abc import Callable

import numpy as np

from skitter.compiled import LANES, kernel

CHAIN_LENGTH = 64  # multiply-adds on each lane between load and store
FMA_LANES = 8 * LANES


def time_together(
    runs: dict[str, Callable[[int], object]], count: int, rounds: int = 25
) -> dict[str, float]:
    """Seconds per call of each function, the best of `rounds`, taken in turn. Each function is
    given how often to do its work."""
    for run in runs.values():
        run(1)
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run(count)
            best[name] = min(best[name], (time.perf_counter() - start) / count)
    return best


@kernel
def multiply_add(count, values, factor, summand):
    """Independent chains of multiply-adds: as many operations as a core can do."""
    for _ in range(count):
        for i in range(FMA_LANES):
            v = values[i]
            for _ in range(CHAIN_LENGTH):
                v = v * factor + summand
            values[i] = v


def run_multiply_add(real: type) -> tuple[Callable[[int], object], float]:
    """A function for `time_together`, and its floating-point operations per call."""
    values: np.ndarray = np.ones(FMA_LANES, real)
    factor, summand = real(0.999999), real(1e-7)
    flops = 2.0 * FMA_LANES * CHAIN_LENGTH
    return lambda count: multiply_add(count, values, factor, summand), flops
