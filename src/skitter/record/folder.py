"""The folder of a recording: who may write there, and what is cleared away before and after.

A recording exists from the moment its `zarr.json` does, which comes last. Until then the empty
`zarr.json.tmp` marks the folder as one whose making was cut short, which the next run may clear.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skitter.errors import UserError
from skitter.record.checkpoint import CHECKPOINT_FILE
from skitter.record.files import (
    FolderBusyError,
    discard_file,
    lock_folder,
    make_folder,
    temporary_path,
    touch_file,
    unlock_folder,
)
from skitter.record.layout import read_layout
from skitter.record.metadata import ROOT_FILE


@contextmanager
def locked_folder(folder: Path) -> Iterator[int | None]:
    """Take the writer's lock; it is kept when the block ends well and given back when not."""
    try:
        lock = lock_folder(folder)
    except FolderBusyError:
        raise UserError(f"{folder} is being written by another run right now") from None
    try:
        yield lock
    except BaseException:
        unlock_folder(lock)
        raise


def claim_folder(folder: Path) -> None:
    """Make the folder if it is not there, and refuse a path that is a file."""
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"cannot record to {folder}: there is a file of that name") from None


def empty_folder(folder: Path, *, overwrite: bool) -> None:
    """Make room for a new recording; only an earlier recording's own files are deleted."""
    root = folder / ROOT_FILE
    if root.exists():
        frame_count = read_layout(folder).frame_count
        if not overwrite:
            raise UserError(
                f"{folder} already holds a recording of {frame_count} frames: "
                "choose another directory, or say that it may be continued or replaced"
            )
        root.replace(temporary_path(root))
    elif not temporary_path(root).exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is a directory with other things in it: choose a new one")
    touch_file(temporary_path(root))
    _delete_arrays(folder)
    discard_file(folder / CHECKPOINT_FILE)
    discard_file(temporary_path(folder / CHECKPOINT_FILE))


def delete_leftovers(folder: Path) -> None:
    """Delete the spare files of a run, be it finished or killed."""
    for name in (ROOT_FILE, CHECKPOINT_FILE):
        discard_file(temporary_path(folder / name))
    for leftover in folder.glob(f"*/{temporary_path(Path(ROOT_FILE))}"):
        discard_file(leftover)


def _delete_arrays(folder: Path) -> None:
    """Delete folders that look like arrays of a recording, and leave all else alone."""
    for array in folder.iterdir():
        if array.is_dir() and all(_is_array_file(path) for path in array.iterdir()):
            shutil.rmtree(array)


def _is_array_file(path: Path) -> bool:
    names = (ROOT_FILE, temporary_path(Path(ROOT_FILE)).name, "c")
    return path.name in names or path.name.startswith("c.")
