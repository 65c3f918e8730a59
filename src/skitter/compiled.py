"""How kernels are compiled: one decorator, one cache keyed by the sources of all kernels.

Numba's own cache does not notice an edit in a file that a kernel calls into, so the cache folder
is named after a hash of every source file that holds kernels, and of all that those import. A stale
kernel cannot be loaded, and an edit elsewhere compiles nothing anew.
"""

import hashlib
import os
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import numba
from llvmlite.binding import Linkage, get_host_cpu_features, get_host_cpu_name
from numba.core.codegen import CPUCodeLibrary

PACKAGE = Path(__file__).parent
HOLDS_KERNELS = re.compile(r"^@(kernel|allocating|inlined|merged)\b", re.MULTILINE)
APART = ("bench", "render")  # rooms whose kernels no simulation calls
IMPORTS = re.compile(r"^from skitter\.([\w.]+) import", re.MULTILINE)  # those that always happen
# Reordering and contraction are allowed, but NaN and infinity keep their meaning,
# because a step must be able to notice that it has produced one.
FAST_MATH = {"reassoc", "nsz", "arcp", "contract", "afn"}
# Side by side in the innermost loops. LLVM vectorises loops of a constant length that is a multiple
# of 8 and at least 16; creatures of some twenty segments fit one pack of 24.
CELL_LANES = 16  # cells of soft blocks
LANES = 24  # soft blocks or rigid bodies of a pack


def list_kernel_sources() -> list[Path]:
    """Every source file that holds kernels, and all of the package that they import.

    Pictures and benchmarks are left out: what their kernels call stands beside them or is here, and
    of edits in the file that a kernel stands in Numba knows by itself.
    """
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    found = [
        path
        for path, text in texts.items()
        if HOLDS_KERNELS.search(text) and path.relative_to(PACKAGE).parts[0] not in APART
    ]
    for path in found:  # grows on the way
        for name in IMPORTS.findall(texts[path]):
            module = PACKAGE.joinpath(*name.split("."))
            source = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
            if source not in found:
                found.append(source)
    return sorted(found)


@cache
def kernel_hash() -> str:
    """Hash of all that kernels are made of, of the compiler and of the processor."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {get_host_cpu_name()}".encode())
    digest.update(get_host_cpu_features().flatten().encode())
    for source in list_kernel_sources():
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept between runs: a folder that can be written."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(home) / "skitter")
    kernels = f"kernels-{kernel_hash()}"
    with suppress(OSError):
        (folder / kernels).mkdir(parents=True, exist_ok=True)
        if os.access(folder / kernels, os.W_OK):
            return folder / kernels
    folder = find_own_folder() / kernels
    folder.mkdir(exist_ok=True)
    return folder


def find_own_folder() -> Path:
    """A folder among the temporary ones that nobody else can write to: kernels are code."""
    user = getattr(os, "getuid", lambda: 0)()
    folder = Path(tempfile.gettempdir()) / f"skitter-{user}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022:
            return folder
    return Path(tempfile.mkdtemp(prefix="skitter-"))


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
