"""The folder of a recording: who may write there, and what is cleared away before and after.

A recording exists from the moment its `zarr.json` does, which comes last. Until then the empty
`zarr.json.tmp` marks the folder as one whose making was cut short, which the next run may clear.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skitter.channel import TIME, Channel
from skitter.disk import BadFile, read_json
from skitter.errors import UserError
from skitter.record.checkpoint import CHECKPOINT_FILE
from skitter.record.files import (
    FolderBusyError,
    discard_file,
    is_own_file,
    is_own_folder,
    lock_folder,
    make_folder,
    open_in_place,
    resize_file,
    temporary_path,
    touch_file,
    unlock_folder,
)
from skitter.record.layout import FILE_LIMIT, Layout, read_draft, read_layout
from skitter.record.metadata import ROOT_FILE

METADATA_FILES = (ROOT_FILE, temporary_path(Path(ROOT_FILE)).name)
ARRAY_FILE = re.compile(rf"{re.escape(ROOT_FILE)}(\.tmp)?|c(\.[0-9]+)*")


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


def empty_folder(folder: Path, *, overwrite: bool, arrays: Iterable[str] = ()) -> None:
    """Make room for a new recording; only files that an earlier one names as its own are deleted.

    `arrays` are the names of the new one. Until it is there, `zarr.json.tmp` keeps the names of the
    old one's arrays.
    """
    root = folder / ROOT_FILE
    draft = temporary_path(root)
    if root.exists() or root.is_symlink():
        layout = read_layout(folder)
        if not overwrite:
            raise UserError(
                f"{folder} already holds a recording of {layout.frame_count} frames: "
                "choose another directory, or say that it may be continued or replaced"
            )
        _check_free(folder, arrays, layout)
        root.replace(draft)
    elif is_own_file(draft):
        _check_free(folder, arrays, read_draft(draft))
    elif any(folder.iterdir()):
        raise UserError(f"{folder} is a directory with other things in it: choose a new one")
    touch_file(draft)
    _delete_arrays(folder, read_draft(draft))
    with open_in_place(draft) as file:
        resize_file(file, 0)  # from here on, arrays are those of the new recording
    discard_file(folder / CHECKPOINT_FILE)
    discard_file(temporary_path(folder / CHECKPOINT_FILE))


def _check_free(folder: Path, arrays: Iterable[str], layout: Layout | None) -> None:
    """Refuse a folder in which something else has the name of an array that will be written."""
    own = {array.name for array in _list_arrays(layout)}
    for array in (folder / name for name in arrays):
        is_taken = array.is_symlink() or (array.exists() and not array.is_dir())
        if not is_taken and array.is_dir() and array.name not in own and not _is_array(array):
            is_taken = any(path.name not in METADATA_FILES for path in array.iterdir())
        if is_taken:
            what = "a link" if array.is_symlink() else "something else"
            problem = f"is {what}, and the new recording would have an array {array.name}"
            raise UserError(f"{array}: {problem}; valid: another directory")


def delete_leftovers(folder: Path, arrays: Iterable[str]) -> None:
    """Delete the spare files of a run, be it finished or killed."""
    for name in (ROOT_FILE, CHECKPOINT_FILE, *(f"{array}/{ROOT_FILE}" for array in arrays)):
        discard_file(temporary_path(folder / name))


def _delete_arrays(folder: Path, layout: Layout | None) -> None:
    """Delete the arrays of a recording, or without its layout those that say that they are some."""
    if layout is not None:
        found = [folder / array.name for array in _list_arrays(layout)]
    else:
        found = [path for path in folder.iterdir() if _is_array(path)]
    for array in found:
        if is_own_folder(array) and _says_array(array):
            # its metadata last, so that a run that is killed here leaves an array
            for path in sorted(array.iterdir(), key=lambda path: path.name in METADATA_FILES):
                if ARRAY_FILE.fullmatch(path.name) and not path.is_dir():
                    discard_file(path)
            with suppress(OSError):  # others' files stay, and so does the folder
                array.rmdir()


def _list_arrays(layout: Layout | None) -> list[Channel]:
    return [] if layout is None else [TIME, *layout.channels, *layout.statics]


def _is_array(path: Path) -> bool:
    """Whether a folder holds an array of a recording and nothing else."""
    is_plain = is_own_folder(path) and all(ARRAY_FILE.fullmatch(p.name) for p in path.iterdir())
    return is_plain and _says_array(path)


def _says_array(path: Path) -> bool:
    """Whether the metadata in a folder is that of an array, or was about to be."""
    names = [one.name for one in path.iterdir()]
    if names == [METADATA_FILES[1]]:
        return True
    try:
        found = read_json(path / ROOT_FILE, FILE_LIMIT, links=False)
    except BadFile:
        return False
    return isinstance(found, dict) and found.get("node_type") == "array"
