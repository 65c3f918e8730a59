"""The files of an export: all of them take their places at the end, or none does."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skitter.errors import UserError
from skitter.render.output import check_output

MARK = "written by Skitter"
OURS = re.compile(r"(frame_\d+|faces_\d+|shapes)\.inc", re.ASCII)


def check_target(output: Path) -> None:
    """Refuses names under which an export cannot be written, or would replace other files."""
    check_output(output, (".pov",))
    if set(output.stem) & set('"\\\n\r'):
        raise UserError(f"{output}: POV-Ray cannot read such a name; valid: without quotes")
    settings = output.with_suffix(".ini")
    if settings.exists() and not (settings.is_file() and MARK in read_start(settings)):
        raise UserError(f"{settings}: is there and is not of an export; valid: another name")
    frames = frames_folder(output)
    if frames.exists() and not holds_export(frames):
        raise UserError(f"{frames}: is there and holds other files; valid: another name")


def read_start(path: Path) -> str:
    with path.open(errors="replace") as file:
        return file.read(300)


def frames_folder(output: Path) -> Path:
    """Where the frames of a script are."""
    return output.with_name(f"{output.stem}_frames")


def holds_export(folder: Path) -> bool:
    """Whether a folder holds nothing but what an export writes."""
    return folder.is_dir() and all(OURS.fullmatch(one.name) for one in folder.iterdir())


@contextmanager
def publishing(output: Path) -> Iterator[Path]:
    """A folder to write in; what is there moves beside `output` only when all went well."""
    draft = output.with_name(f".{output.stem}.{os.getpid()}.draft")
    try:
        draft.mkdir()
        yield draft
        swap_in(draft, output.parent)
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def swap_in(draft: Path, folder: Path) -> None:
    """Moves all of a draft into a folder; what was there before comes back if that fails."""
    names = [one.name for one in draft.iterdir()]
    old = draft / "old"
    old.mkdir()
    try:
        for name in names:
            if (folder / name).exists():
                (folder / name).rename(old / name)
            (draft / name).rename(folder / name)
    except BaseException:
        for name in names:
            if (old / name).exists():
                if (folder / name).exists():
                    (folder / name).rename(draft / name)
                (old / name).rename(folder / name)
            elif not (draft / name).exists():
                (folder / name).rename(draft / name)
        raise
