"""How kernels are compiled: decorators for functions that run inside a step.

A kernel that Python calls is a *root*: compiled once for each set of argument types, with all it
calls, and kept (`store`). Kernels that it calls are only parts of it (`library`).
"""

from typing import Any

from skitter.compiled.dispatch import compile_kernel
from skitter.compiled.store import cache_folder

__all__ = ["CELL_LANES", "LANES", "cache_folder", "inlined", "kernel"]

# Reordering and contraction are allowed, but NaN and infinity keep their meaning,
# because a step must be able to notice that it has produced one.
FAST_MATH = {"reassoc", "nsz", "arcp", "contract", "afn"}
# Side by side in the innermost loops. LLVM vectorises loops of a constant length that is a multiple
# of 8 and at least 16; creatures of some twenty segments fit one pack of 24.
CELL_LANES = 16  # cells of soft blocks
LANES = 24  # soft blocks or rigid bodies of a pack

# Without Numba's counting of references: no kernel allocates, so nothing has to be counted, and
# with it every array of every structure that a function is given costs it atomic operations.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": FAST_MATH,
    "error_model": "numpy",
    "_nrt": False,
}
kernel = compile_kernel(**OPTIONS)
# For the small functions that an innermost loop is written in: they must disappear into it.
inlined = compile_kernel(forceinline=True, **OPTIONS)
