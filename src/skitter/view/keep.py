"""Names of what is kept: always inside the chosen folder, whatever a browser sends."""

import re
from pathlib import Path

from skitter.errors import UserError
from skitter.record.metadata import ROOT_FILE

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def check_name(text: str) -> str:
    """A name for a recording or a file; it cannot lead out of the folder."""
    name = text.strip().lower().replace(" ", "_")
    if not NAME.fullmatch(name):
        raise UserError(
            f"'{text[:60]}' cannot be a name; valid: up to 40 small letters, digits, _ and -"
        )
    return name


def free_path(folder: Path, stem: str, ending: str = "") -> Path:
    """The name, or the first numbered one that is not taken yet."""
    path, number = folder / f"{stem}{ending}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}{ending}"
    return path


def list_recordings(folder: Path) -> list[str]:
    """Names of the recordings in the folder, the newest first."""
    try:
        found = [path for path in folder.iterdir() if (path / ROOT_FILE).is_file()]
        found.sort(key=lambda path: -(path / ROOT_FILE).stat().st_mtime)
    except OSError:  # not there, not ours to read, or deleted in this moment
        return []
    return [path.name for path in found if NAME.fullmatch(path.name)]
