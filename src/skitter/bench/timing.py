"""Timing on a shared machine: interleave what is compared, and take the best of many short runs."""

import time
from collections.abc import Callable

import numpy as np

from skitter.compiled.dispatch import compile_kernel

FMA_LANES = 64
FMA_CHAINS, FMA_LENGTH = 10, 16


def time_together(
    runs: dict[str, Callable[[int], object]], count: int, rounds: int = 100
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


# No reassociation here: the chains must be carried out as they are written.
exactly = compile_kernel(
    nogil=True, fastmath={"contract"}, error_model="numpy", forceinline=True, _nrt=False
)


@exactly
def chain_4(v, f, s):
    return (((v * f + s) * f + s) * f + s) * f + s


@exactly
def chain_16(v, f, s):
    return chain_4(chain_4(chain_4(chain_4(v, f, s), f, s), f, s), f, s)


@exactly
def multiply_add(count, v, f, s):
    """Ten independent chains of sixteen multiply-adds per lane: as much as a core can do."""
    n = FMA_LANES
    for _ in range(count):
        for i in range(n):
            a, b = chain_16(v[i], f, s), chain_16(v[i + n], f, s)
            c, d = chain_16(v[i + 2 * n], f, s), chain_16(v[i + 3 * n], f, s)
            e, g = chain_16(v[i + 4 * n], f, s), chain_16(v[i + 5 * n], f, s)
            h, k = chain_16(v[i + 6 * n], f, s), chain_16(v[i + 7 * n], f, s)
            p, q = chain_16(v[i + 8 * n], f, s), chain_16(v[i + 9 * n], f, s)
            v[i], v[i + n], v[i + 2 * n], v[i + 3 * n], v[i + 4 * n] = a, b, c, d, e
            v[i + 5 * n], v[i + 6 * n], v[i + 7 * n], v[i + 8 * n], v[i + 9 * n] = g, h, k, p, q


def run_multiply_add(real: type) -> tuple[Callable[[int], object], float]:
    """A function for `time_together`, and its floating-point operations per call."""
    values: np.ndarray = np.ones(FMA_CHAINS * FMA_LANES, real)
    factor, summand = real(0.999999), real(1e-7)
    repeats = 20  # long enough for the core to reach its full vector rate
    flops = 2.0 * FMA_LANES * FMA_CHAINS * FMA_LENGTH * repeats
    return lambda count: multiply_add(repeats * count, values, factor, summand), flops
