"""How kernels are compiled: one decorator, one cache keyed by the sources of all kernels.

Numba's own cache does not notice an edit in a file that a kernel calls into, so the cache folder
is named after a hash of every source file that holds kernels. A stale kernel cannot be loaded.
"""

import hashlib
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import Linkage, get_host_cpu_features, get_host_cpu_name
from numba.core.codegen import CPUCodeLibrary

KERNEL_ROOMS = (
    "compiled.py",
    "clock.py",
    "water",
    "elastic",
    "rigid",
    "terrain",
    "control",
    "creatures",
)
# Reordering and contraction are allowed, but NaN and infinity keep their meaning,
# because a step must be able to notice that it has produced one.
FAST_MATH = {"reassoc", "nsz", "arcp", "contract", "afn"}
# Side by side in the innermost loops. LLVM vectorises loops of a constant length that is a multiple
# of 8 and at least 16; creatures of some twenty segments fit one pack of 24.
CELL_LANES = 16  # cells of soft blocks
LANES = 24  # soft blocks or rigid bodies of a pack


@cache
def kernel_hash() -> str:
    """Hash of every source file that holds kernels, of the compiler and of the processor."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {get_host_cpu_name()}".encode())
    digest.update(get_host_cpu_features().flatten().encode())
    package = Path(__file__).parent
    for room in KERNEL_ROOMS:
        path = package / room
        for source in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept between runs: a folder that can be written."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    bases = [os.environ.get("NUMBA_CACHE_DIR") or Path(home) / "skitter", tempfile.gettempdir()]
    for base in bases:
        folder = Path(base) / f"kernels-{kernel_hash()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return folder


numba.config.CACHE_DIR = str(cache_folder())


def change_linkage(module: Any, found: Linkage, wanted: Linkage) -> None:
    """Change the linkage of all functions that a module defines."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == found:
            function.linkage = wanted


def close_kernels() -> None:
    """Let every compiled kernel use its own copy of the functions it calls.

    Numba leaves those copies visible under one name in all kernels of a process, and the loader
    takes the first one it has met. Each was optimised in its own surroundings and rounds its own
    way, so the last bits of a run would depend on what else the process had loaded before.
    """
    finalize = CPUCodeLibrary._finalize_final_module

    def hide_and_finalize(library: CPUCodeLibrary) -> None:
        if library._shared_module is None:  # for callers to link, where copies become one
            shared = library._final_module.clone()
            change_linkage(shared, Linkage.external, Linkage.linkonce_odr)
            library._shared_module = shared
        change_linkage(library._final_module, Linkage.linkonce_odr, Linkage.internal)
        finalize(library)

    CPUCodeLibrary._finalize_final_module = hide_and_finalize


close_kernels()

# Without Numba's counting of references: no kernel allocates, so nothing has to be counted, and
# with it every array of every structure that a function is given costs it atomic operations.
OPTIONS = {"nogil": True, "fastmath": FAST_MATH, "error_model": "numpy", "_nrt": False}
kernel = numba.njit(cache=True, **OPTIONS)
# For what runs outside of steps, such as building and measuring, and may allocate.
allocating = numba.njit(cache=True, **{**OPTIONS, "_nrt": True})
# For the small functions that an innermost loop is written in: they must disappear into it.
inlined = numba.njit(forceinline=True, **OPTIONS)
# For functions called in one place only: they become part of their caller before compilation,
# because every compiled function is optimised again inside each of its callers.
merged = numba.njit(inline="always", **OPTIONS)
