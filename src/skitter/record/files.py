"""Files that are whole or absent: atomic replacement, complete writes, one writer per folder.

Every step that changes the disk is one of the functions below, so that the tests can stop a
process at each of them.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any, cast

if sys.platform != "win32":
    import fcntl
    import resource

TEMPORARY_SUFFIX = ".tmp"
RENAME_EXCHANGE = 2
AT_FDCWD = -100
WINDOWS_FILES = 512  # that the runtime library of C lets a process open there
IN_PLACE = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))


class FolderBusyError(Exception):
    """Another process holds the lock of the folder."""


def temporary_path(path: Path) -> Path:
    """Where the next content of `path` is written before it takes its place."""
    return path.with_name(path.name + TEMPORARY_SUFFIX)


def count_allowed_files() -> int:
    """How many files this process may have open; often 1024 on Linux, 256 on a Mac."""
    if sys.platform == "win32":
        return WINDOWS_FILES
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if allowed == resource.RLIM_INFINITY else allowed


def open_in_place(path: str | Path) -> FileIO:
    """Open a file for writing and keep what it holds; make it if it is not there.

    A link would lead out of the recording, and a pipe would block: neither is opened.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | IN_PLACE, 0o666)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise OSError(errno.ELOOP, f"{Path(path).name} is a link") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, f"{Path(path).name} is not a regular file")
    return FileIO(handle, "r+")


def read_whole(file: FileIO, buffer: Any) -> None:
    """Fill a contiguous buffer completely from the file's position on."""
    view = memoryview(buffer).cast("B")
    while view:
        taken = file.readinto(view)
        if not taken:
            raise OSError(errno.EIO, "the file ends too early")
        view = view[taken:]


def write_whole(file: FileIO, data: Any) -> None:
    """Write a contiguous buffer completely; the system may take only a part at a time."""
    view = memoryview(data).cast("B")
    while view:
        view = view[write_part(file, view) :]


def write_part(file: FileIO, view: memoryview) -> int:
    """Write what the system takes at once and return how much that was."""
    written = file.write(view)
    if not written:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return written


class WholeFile:
    """A file that is replaced as a whole: readers find the old content or the new one.

    Two files take turns: the one that is not in place is overwritten, then the two names are
    exchanged. That costs 15 µs on ext4. The usual way, a new file renamed over the old one, makes
    ext4 write it to the disk at once and look for a fresh inode, up to a millisecond every frame;
    it remains the way where names cannot be exchanged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._spare = temporary_path(path)

    def replace(self, data: bytes) -> None:
        """Give the file a new content."""
        try:
            with open_in_place(self._spare) as file:
                write_whole(file, data)
                if os.fstat(file.fileno()).st_size != len(data):
                    resize_file(file, len(data))
            exchange_names(self._spare, self.path)
        except OSError:
            discard_file(self._spare)
            raise


def exchange_names(spare: Path, path: Path) -> None:
    """Put a finished file in its place, and the old one, if there is one, in the other's."""
    names = os.fsencode(spare), os.fsencode(path)
    if _renameat2 is None or _renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE):
        spare.replace(path)


def discard_file(path: Path) -> None:
    """Delete a file if it is there."""
    path.unlink(missing_ok=True)


def resize_file(file: FileIO, size: int) -> None:
    """Set a file's length; what is added reads as zeros and takes no room on the disk."""
    file.truncate(size)


def touch_file(path: Path) -> None:
    """Make an empty file, if there is none."""
    path.touch()


def make_folder(path: Path) -> None:
    """Make a folder and those above it, if they are missing."""
    path.mkdir(parents=True, exist_ok=True)


def is_own_folder(path: Path) -> bool:
    """Whether there is a folder, and not a link to one elsewhere."""
    return path.is_dir() and not path.is_symlink()


def is_own_file(path: Path) -> bool:
    """Whether there is a regular file, and not a link to one elsewhere."""
    return path.is_file() and not path.is_symlink()


def lock_folder(path: Path) -> int | None:
    """Lock the folder itself against a second writer; leaves no trace, ends with the process."""
    if sys.platform == "win32":
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise FolderBusyError from None
    except OSError:  # some network file systems cannot lock a folder
        os.close(handle)
        return None
    return handle


def unlock_folder(handle: int | None) -> None:
    """Undo `lock_folder`, also for children that were forked while it was held."""
    if sys.platform != "win32" and handle is not None:
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _load_renameat2() -> Callable[..., int] | None:
    """A call of Linux that Python does not offer; elsewhere there is none."""
    try:
        return cast("Callable[..., int]", ctypes.CDLL(None).renameat2)
    except (OSError, AttributeError, TypeError):
        return None


_renameat2 = _load_renameat2()
