"""Where compiled kernels are kept between runs, one file for each kernel and its argument types.

A file is named after all that it was made of: the source of its module and of every module that it
imports, the argument types, the compiler, the target. So a stale kernel cannot be loaded, an
edit elsewhere compiles nothing anew, and two checkouts of the same sources share their kernels.
"""

import hashlib
import json
import os
import re
import struct
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR
from typing import Any, NamedTuple

import llvmlite
import numba

from skitter.compiled.signatures import write_types
from skitter.compiled.target import describe_target

PACKAGE = Path(__file__).parent.parent
SHIPPED = PACKAGE / "kernels"  # compiled ahead, in wheels that carry them
IMPORTS = re.compile(r"^from skitter\.([\w.]+) import", re.MULTILINE)  # those that always happen
ENDING = ".kernel"
MAGIC = b"skitter-kernel-1\n"
KEPT_FOR = 30 * 86400.0  # s without use after which a kernel is thrown away
TOUCH_AFTER = 86400.0  # s after which a use is noted


class Root(NamedTuple):
    """A kernel that this process has called from Python."""

    name: str  # module and function
    arguments: tuple[Any, ...]  # Numba types
    seconds: float  # to compile it; 0 where it was kept


roots: list[Root] = []


class Kept(NamedTuple):
    """A compiled kernel as it is kept."""

    code: bytes  # an object file
    wrapper: str  # name of the function that Python calls
    own: str  # name of the environment of the kernel itself
    environments: dict[str, str]  # names, and the modules that they stand for


# --- the name of a kernel


@cache
def read_source(path: Path) -> bytes:
    return path.read_bytes()


def list_sources(module: str) -> list[Path]:
    """The source file of a module, and of all that it imports of the package."""
    found = [locate(module.removeprefix("skitter."))]
    for path in found:  # grows on the way
        for name in IMPORTS.findall(read_source(path).decode()):
            source = locate(name)
            if source not in found:
                found.append(source)
    return sorted(found)


@cache
def hash_sources(module: str) -> str:
    """Hash of a module and of all that it imports of the package, by relative path."""
    digest = hashlib.sha256()
    for path in list_sources(module):
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode())
        digest.update(hashlib.sha256(read_source(path)).digest())
    return digest.hexdigest()


def locate(name: str) -> Path:
    """Source file of a module of the package."""
    module = PACKAGE.joinpath(*name.split("."))
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")


@cache
def describe_compiler() -> str:
    abi = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    return f"{abi} numba={numba.__version__} llvmlite={llvmlite.__version__} {describe_target()}"


def name_file(function: Callable[..., Any], arguments: Iterable[Any]) -> str:
    """Name of the file of a kernel; ValueError where a type of an argument has no name."""
    digest = hashlib.sha256(describe_compiler().encode())
    digest.update(hash_sources(function.__module__).encode())
    digest.update(f"{function.__qualname__} {write_types(arguments)}".encode())
    return f"{function.__qualname__}-{digest.hexdigest()[:24]}{ENDING}"


# --- files


def read(function: Callable[..., Any], arguments: Iterable[Any]) -> Kept | None:
    """The kernel from the first folder that has it whole."""
    with suppress(ValueError):
        name = name_file(function, arguments)
        for folder in (SHIPPED, cache_folder()):
            with suppress(OSError, ValueError, KeyError, struct.error):
                kept = unpack((folder / name).read_bytes())
                note_use(folder / name)
                return kept
    return None


def is_kept(function: Callable[..., Any], arguments: Iterable[Any]) -> bool:
    """Whether there is a file of the kernel; not whether it is whole."""
    name = name_file(function, arguments)
    return (SHIPPED / name).is_file() or (cache_folder() / name).is_file()


def write(function: Callable[..., Any], arguments: Iterable[Any], result: Any) -> None:
    """Keep a kernel that was just compiled; where nothing can be written, it is compiled again."""
    library = result.library
    if any(environment.consts for environment in library.environments.values()):
        return
    kept = Kept(
        library._get_compiled_object(),
        library.wrapper,
        result.fndesc.env_name,
        {name: found.globals["__name__"] for name, found in library.environments.items()},
    )
    with suppress(OSError, ValueError):
        path = cache_folder() / name_file(function, arguments)
        write_whole(path, pack(kept))


def pack(kept: Kept) -> bytes:
    """MAGIC, SHA-256 of the rest, length of the header, header as JSON, code."""
    header = json.dumps(kept._asdict() | {"code": len(kept.code)}).encode()
    body = struct.pack("<I", len(header)) + header + kept.code
    return MAGIC + hashlib.sha256(body).digest() + body


def unpack(found: bytes) -> Kept:
    body = found[len(MAGIC) + 32 :]
    if found[: len(MAGIC)] != MAGIC or found[len(MAGIC) :][:32] != hashlib.sha256(body).digest():
        raise ValueError("damaged")
    (size,) = struct.unpack("<I", body[:4])
    header = json.loads(body[4 : 4 + size])
    return Kept(**header | {"code": body[4 + size :]})


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that others see whole or not at all."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def note_use(path: Path) -> None:
    """Let a kernel that is used look young, so that it stays."""
    with suppress(OSError):
        if path.parent != SHIPPED and time.time() - path.stat().st_mtime > TOUCH_AFTER:
            os.utime(path)


# --- the folder


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: a folder that we can write and nobody else can."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    asked = os.environ.get("NUMBA_CACHE_DIR")
    folder = (Path(asked) if asked else Path(home) / "skitter") / "kernels"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_own(folder) and os.access(folder, os.W_OK):
            throw_away(folder)
            return folder
    return find_own_folder()


def is_own(folder: Path) -> bool:
    """Whether a folder is ours alone to write: kernels are code."""
    found = folder.lstat()
    user = getattr(os, "getuid", lambda: found.st_uid)()
    return S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022


def find_own_folder() -> Path:
    """A folder among the temporary ones that nobody else can write to."""
    user = getattr(os, "getuid", lambda: 0)()
    folder = Path(tempfile.gettempdir()) / f"skitter-{user}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if is_own(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="skitter-"))


def throw_away(folder: Path) -> None:
    """Remove kernels that were not used for long, and drafts of processes that were killed."""
    now = time.time()
    with suppress(OSError):
        for entry in os.scandir(folder):
            age = now - entry.stat(follow_symlinks=False).st_mtime
            if age > (KEPT_FOR if entry.name.endswith(ENDING) else 3600.0):
                with suppress(OSError):
                    Path(entry.path).unlink()
