"""Files of studies: whole or absent, so that a study may be stopped at any moment."""

import json
import os
from pathlib import Path
from typing import Any

from skitter import disk
from skitter.disk import BadFile
from skitter.errors import UserError

FILE_LIMIT = 1 << 27  # bytes


def read_json(path: Path) -> Any:
    """What a study wrote."""
    try:
        return disk.read_json(path, FILE_LIMIT)
    except BadFile as error:
        raise UserError(f"{path}: {error}; valid: a file that a study wrote") from error


def write_json(path: Path, document: Any) -> None:
    write_whole(path, json.dumps(document))


def write_whole(path: Path, text: str) -> None:
    """Whole or not at all."""
    draft = path.with_suffix(f".{os.getpid()}.part")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
