"""Files of studies: whole or absent, so that a study may be stopped at any moment."""

import json
import os
from pathlib import Path
from typing import Any

from skitter.errors import UserError


def read_json(path: Path) -> Any:
    """What a study wrote."""
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise UserError(f"{path}: is not JSON; valid: a file that a study wrote") from error


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
