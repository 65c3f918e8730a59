"""Folders as something to compare: a path for every file, with a digest of its bytes."""

import hashlib
from pathlib import Path

Tree = dict[str, str]


def read_tree(folder: Path) -> Tree:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
