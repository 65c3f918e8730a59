"""How kernels are compiled: one decorator, one cache keyed by the sources of all kernels.

Numba's own cache does not notice an edit in a file that a kernel calls into, so the cache folder
is named after a hash of every source file that holds kernels. A stale kernel cannot be loaded.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

import numba

KERNEL_ROOMS = ("compiled.py", "elastic", "rigid", "terrain", "creatures")
# Reordering and contraction are allowed, but NaN and infinity keep their meaning,
# because a step must be able to notice that it has produced one.
FAST_MATH = {"reassoc", "nsz", "arcp", "contract", "afn"}
# Side by side in the innermost loops. LLVM vectorises loops of a constant length that is a multiple
# of 8 and at least 16; creatures of some twenty segments fit one pack of 24.
CELL_LANES = 16  # cells of soft blocks
LANES = 24  # soft blocks or rigid bodies of a pack


@cache
def kernel_hash() -> str:
    """Hash of every source file that holds kernels."""
    digest = hashlib.sha256()
    package = Path(__file__).parent
    for room in KERNEL_ROOMS:
        path = package / room
        for source in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled kernels are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "skitter" / f"kernels-{kernel_hash()}"


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(cache_folder())

kernel = numba.njit(cache=True, nogil=True, fastmath=FAST_MATH, error_model="numpy")
# For the small functions that an innermost loop is written in: they must disappear into it.
inlined = numba.njit(nogil=True, fastmath=FAST_MATH, error_model="numpy", forceinline=True)
# For functions called in one place only: they become part of their caller before compilation,
# because every compiled function is optimised again inside each of its callers.
merged = numba.njit(nogil=True, fastmath=FAST_MATH, error_model="numpy", inline="always")
