"""What the readers of mesh files have in common."""

from typing import NamedTuple

import numpy as np


class BadMesh(ValueError):
    """What a file holds is no mesh that can be used; the text says why, the caller adds where."""


class RawMesh(NamedTuple):
    """A mesh as it stands in a file.

    points: [point, 3] in the file's unit. tets: points of each tetrahedron [tet, 4].
    labels: what each tetrahedron is of, a name or a number.
    """

    points: np.ndarray
    tets: np.ndarray
    labels: list[str]


def count_rows(word: str, where: str) -> int:
    """How many rows follow, at least one."""
    if not (word.isascii() and word.isdigit() and len(word) < 16 and int(word) > 0):
        raise BadMesh(f"{where} must begin with how many there are, at least 1, not {word[:40]!r}")
    return int(word)


def parse_rows(words: list[str], where: str) -> np.ndarray:
    """Words as finite numbers [word]."""
    try:
        numbers = np.array(words, dtype=float)
    except ValueError:
        raise BadMesh(f"{where} must hold numbers only") from None
    if not np.all(np.isfinite(numbers)):
        raise BadMesh(f"{where} must hold finite numbers only")
    return numbers


def parse_whole(words: list[str], where: str) -> list[int]:
    """Words as whole numbers."""
    try:
        return [int(word) for word in words]
    except ValueError:
        raise BadMesh(f"{where} must hold whole numbers where these belong") from None
