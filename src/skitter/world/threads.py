"""How many threads a world uses where nobody says."""

import os

from skitter.errors import UserError

THREADS = "SKITTER_THREADS"  # of the environment
THREAD_LIMIT = 1024


def count_threads() -> int:
    """One for each core that this process may use, or what SKITTER_THREADS says."""
    given = os.environ.get(THREADS, "")
    if given:
        if given.isascii() and given.isdigit() and 1 <= int(given) <= THREAD_LIMIT:
            return int(given)
        raise UserError(f"{THREADS}={given!r}: valid: a whole number from 1 to {THREAD_LIMIT}")
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
