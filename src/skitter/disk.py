"""Reading what comes from a disk, of which nothing is believed: kinds of file, sizes, nesting.

A path that a user names may be a pipe that never ends, a device, a link, or a file that asks for
more memory than there is. Whoever reads a file opens it here, and says how large it may be; what is
wrong with it is a `BadFile`, in words that follow the name of the file.
"""

import errno
import io
import json
import os
import stat
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:  # lists of scenes are read without NumPy, which takes a while to load
    from numpy.typing import NDArray

DEEPEST = 100  # levels of JSON
MEMORY = 1 << 29  # bytes that a document may take once it is read
FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_CLOEXEC"))
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)  # Windows has none; there a look before must do
BLOCK = 1 << 20  # bytes of JSON that are looked at together
JSON_BYTES = {"[": 90, "{": 240, ",": 40, ":": 40, '"': 60}  # that Python needs for each
ZIP_FAULTS = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, RuntimeError, EOFError,
    LookupError, OverflowError, MemoryError, NotImplementedError,
)  # fmt: skip


class BadFile(ValueError):
    """What is wrong with a file, in words that follow its name."""


def open_regular(
    path: str | Path, most: int, *, valid: str = "a regular file", links: bool = True
) -> io.BufferedReader:
    """Open a regular file of at most so many bytes; without `links`, no link either.

    A pipe or a device is not even waited for: it could block, or go on for ever.
    """
    try:
        check_kind(Path(path).stat(follow_symlinks=links), most, valid)
        handle = os.open(path, FLAGS | (0 if links else NO_LINKS))
        file = os.fdopen(handle, "rb")
        check_kind(os.fstat(handle), most, valid)  # it may be another one by now
    except BadFile:
        raise
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot be read: {explain_os_error(error)}") from error
    return file


def check_kind(status: os.stat_result, most: int, valid: str) -> None:
    """Refuse what is no regular file, or too large."""
    if stat.S_ISDIR(status.st_mode):
        raise BadFile(f"is a directory; valid: {valid}")
    if stat.S_ISLNK(status.st_mode):
        raise BadFile(f"is a link; valid: {valid}")
    if not stat.S_ISREG(status.st_mode):
        raise BadFile(f"is not a regular file; valid: {valid}")
    if status.st_size > most:
        raise BadFile(f"is too large ({status.st_size:,} bytes); valid: at most {most:,}")


def explain_os_error(error: OSError | ValueError) -> str:
    """The system's words without the number and the path, which the line already has."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if getattr(error, "errno", None) == errno.ELOOP:
        return "it is a link, or one that leads to itself"
    return (getattr(error, "strerror", None) or str(error)).lower()


def read_regular(
    path: str | Path, most: int, *, valid: str = "a regular file", links: bool = True
) -> bytes:
    """All bytes of a regular file of at most so many."""
    with open_regular(path, most, valid=valid, links=links) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            data = file.read(max(size, 1 << 16) + 1)  # a file of the system may say 0
        except OSError as error:
            raise BadFile(f"cannot be read: {explain_os_error(error)}") from error
    if len(data) > most:
        raise BadFile(f"is too large (more than {most:,} bytes); valid: at most {most:,}")
    return data


# JSON


def parse_json(
    data: bytes, *, deepest: int = DEEPEST, memory: int = MEMORY, **hooks: Callable[..., Any]
) -> Any:
    """A document of UTF-8 JSON; how deep and how large it is, is asked before it is built."""
    check_json(data, deepest, memory)
    try:
        hooks = {"parse_constant": refuse_constant, **hooks}
        return json.loads(data.decode("utf-8-sig"), **hooks)  # type: ignore[arg-type]
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadFile(f"is not JSON ({place}: {error.msg.lower()})") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"is not UTF-8 text (byte {error.start:,})") from error
    except RecursionError as error:
        raise BadFile(f"is nested too deeply; valid: at most {deepest} levels") from error
    except ValueError as error:
        if "digits" not in str(error):  # that of a hook
            raise
        raise BadFile("holds a whole number of too many digits") from error


def read_json(path: str | Path, most: int, *, links: bool = True, **limits: Any) -> Any:
    """The document in a file of at most so many bytes."""
    return parse_json(read_regular(path, most, valid="a JSON file", links=links), **limits)


def refuse_constant(word: str) -> NoReturn:
    raise BadFile(f"is not JSON ({word} is no number there; valid: null)")


def check_json(data: bytes, deepest: int, memory: int) -> None:
    """Refuse what is nested too deeply or would take too much memory, without building it."""
    counts, depth = scan_json(data)
    needed = len(data) * (2 if data.isascii() else 5)  # as it is, and as text
    needed += sum(size * counts[ord(sign)] for sign, size in JSON_BYTES.items())
    if needed > memory:
        problem = f"would take about {needed / 1e6:,.0f} MB of memory"
        raise BadFile(f"{problem}; valid: at most {memory / 1e6:,.0f} MB, as of a shorter file")
    if depth > deepest:
        raise BadFile(f"is nested {depth:,} levels deep; valid: at most {deepest}")


def scan_json(data: bytes) -> tuple[list[int], int]:
    """How often each byte stands outside of texts, and the deepest level; a block at a time."""
    import numpy as np

    if b"\\" in data:  # escaped quotes end no text
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    counts, level, deepest, is_text = np.zeros(256, np.int64), 0, 0, 0
    for start in range(0, len(data), BLOCK):
        block = np.frombuffer(data, np.uint8, min(BLOCK, len(data) - start), start)
        inside = (np.cumsum(block == ord('"'), dtype=np.uint8) + np.uint8(is_text)) & 1
        is_text = int(inside[-1])
        bare = block[inside == 0]
        counts += np.bincount(bare, minlength=256)
        opens, ends = np.isin(bare, list(b"[{")), np.isin(bare, list(b"]}"))
        levels = level + np.cumsum(opens.astype(np.int8) - ends, dtype=np.int64)
        deepest = max(deepest, int(levels.max(initial=0)))
        level = int(levels[-1]) if len(levels) else level
    return counts.tolist(), deepest


# numbers, arrays and archives


def parse_numbers(text: bytes) -> "NDArray[Any]":
    """All numbers of a text, with spaces between them, which must hold nothing else."""
    import numpy as np

    if not text.strip():
        return np.zeros(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text, float, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise BadFile("holds a word where a number belongs") from error


def read_npy(data: bytes, most: int) -> "NDArray[Any]":
    """The array of an .npy file, of numbers and at most so many bytes."""
    import numpy as np

    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        reader = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, by_columns, dtype = reader(file)
    except Exception as error:  # a damaged head raises nearly anything
        raise BadFile("is not understood as .npy; valid: a file that NumPy wrote") from error
    if dtype.hasobject:
        raise BadFile("holds Python objects; valid: numbers")
    if any(size < 0 for size in shape) or dtype.itemsize == 0:
        raise BadFile("says a shape that no array has")
    size = prod(shape) * dtype.itemsize
    if size > most:
        raise BadFile(f"says {size:,} bytes of numbers; valid: at most {most:,}")
    if size > len(data) - file.tell():
        raise BadFile("is cut short; valid: the whole file")
    values = np.frombuffer(data, dtype, prod(shape), file.tell())
    return values.reshape(shape, order="F" if by_columns else "C")


def read_members(
    data: bytes, most: int, choose: Callable[[list[str]], list[str]]
) -> dict[str, bytes]:
    """The files of a .zip archive that are chosen from their names, at most so many bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = choose([name for name in archive.namelist() if not name.endswith("/")])
            found: dict[str, bytes] = {}
            for name in names:
                with archive.open(name) as member:
                    found[name] = member.read(most + 1)
                most -= len(found[name])
                if most < 0:
                    raise BadFile("holds more than may be unpacked")
            return found
    except BadFile:
        raise
    except ZIP_FAULTS as error:
        raise BadFile("is a damaged archive; valid: an intact .zip") from error


def read_npz(data: bytes, most: int) -> "dict[str, NDArray[Any]]":
    """The arrays of an .npz file by their names, at most so many bytes in all."""
    members = read_members(data, most, lambda names: names)
    return {name.removesuffix(".npy"): read_npy(one, most) for name, one in members.items()}
