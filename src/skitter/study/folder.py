"""The folder of a study: it holds that study or nothing, has one writer, and keeps lines whole."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from skitter.disk import BadFile, read_regular
from skitter.errors import UserError
from skitter.record.files import FolderBusyError, lock_folder, unlock_folder
from skitter.record.files import write_whole as write_all
from skitter.study.files import read_json

LINES_LIMIT = 1 << 29  # bytes
PLAN, STUDY = "plan.json", "study.yaml"


@contextmanager
def locked(folder: Path, noun: str) -> Iterator[None]:
    """Make the folder, and let nobody else write there."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = lock_folder(folder)
    except FolderBusyError:
        raise UserError(f"{folder}: is being written by another {noun} right now") from None
    try:
        yield
    finally:
        unlock_folder(lock)


def check_folder(described: dict[str, Any], folder: Path, noun: str) -> None:
    """Refuse a folder with anything else in it than a study so described."""
    path = folder / PLAN
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; valid: a directory for the {noun}")
    if not path.exists():
        if folder.exists() and any(not is_draft(one) for one in folder.iterdir()):
            raise UserError(f"{folder}: holds something else; valid: a new directory")
        return
    before, now = read_json(path), json.loads(json.dumps(described))
    keys = [key for key in now if not isinstance(before, dict) or before.get(key) != now[key]]
    if keys:
        raise UserError(
            f"{folder}: holds a {noun} with another {', '.join(keys)}; valid: the same study, or a"
            " new directory"
        )


def is_draft(path: Path) -> bool:
    """Whether a file was left by a study that ended before it began."""
    return path.name.endswith(".part")


def append_line(path: Path, line: str, *, sync: bool = True) -> None:
    """When this returns, the line survives the end of the process, and with `sync` that of the
    power; where it finds no room, those before it stay as they are."""
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            write_all(file, line.encode())
            if sync:
                os.fsync(file.fileno())
        except OSError as error:
            file.truncate(before)
            raise UserError(
                f"{path}: cannot be written: {str(error.strerror).lower()}; what is finished is"
                " kept, and the same command goes on"
            ) from None


def read_lines(path: Path, *, cut: bool = True) -> list[bytes]:
    """All whole lines; a last one that was cut short is left out, and taken off the file unless
    only somebody reads who must not write."""
    if not path.exists():
        return []
    try:
        data = read_regular(path, LINES_LIMIT, valid="the file that a study wrote")
    except BadFile as error:
        raise UserError(f"{path}: {error}") from error
    whole = data[: data.rfind(b"\n") + 1]
    if cut and len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return whole.splitlines()


def write_yaml(tree: Any) -> str:
    """Plain values as YAML, short lists in one line."""
    text = yaml.safe_dump(
        tree, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )
    return str(text)
