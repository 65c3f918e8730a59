"""Shapes of a body as sums of a few: eigenworms (Stephens 2008).

A shape is the directions of the body at 48 places from head to tail, about their mean, so that
which way a body lies does not count. The eigenworms of real worms are data that a user may have,
such as those of strain N2 of the openworm analysis toolbox: one mode in each row, head first. Any
body has eigenworms of its own, from its recording.
"""

from pathlib import Path

import numpy as np

from skitter.disk import BadFile, parse_numbers, read_regular
from skitter.errors import UserError
from skitter.measure.midline import POINTS, Floats, find_angles

PLACES = POINTS - 1
TABLE_LIMIT = 1 << 26  # bytes
COUNT = 4  # modes that hold nearly all of a crawling worm (Stephens 2008)


def load_table(path: Path, valid: str) -> Floats:
    """Rows of numbers with commas between them."""
    try:
        lines = read_regular(path, TABLE_LIMIT, valid=f"a table of {valid}").splitlines()
    except BadFile as error:
        raise UserError(f"{path}: {error}") from error
    try:
        rows = [parse_numbers(line.replace(b",", b" ")) for line in lines if line.strip()]
        return np.stack(rows) if rows else np.zeros((0, 0))
    except ValueError as error:  # a word, or rows of several lengths
        raise UserError(f"{path}: is not a table of numbers; valid: {valid}") from error


def load_eigenworms(path: Path) -> Floats:
    """Modes [mode, 48] of a file with numbers in rows, head first; each is made of length 1."""
    modes = load_table(path, f"rows of {PLACES}")
    if modes.shape[0] < COUNT or modes.shape[1] != PLACES or not np.isfinite(modes).all():
        found = f"{modes.shape[0]} rows of {modes.shape[1]}"
        raise UserError(
            f"{path}: has {found}; valid: {COUNT} or more eigenworms of {PLACES} angles"
        )
    return np.asarray(modes / np.linalg.norm(modes, axis=1, keepdims=True))


def find_shapes(flat: np.ndarray) -> Floats:
    """Directions about their mean [frame, place], rad, of lines with even points; lines that are
    not known are left out."""
    angles = find_angles(flat)
    angles = angles[np.isfinite(angles).all(axis=1)]
    return np.asarray(angles - angles.mean(axis=1, keepdims=True))


def integrate_shapes(curvature: np.ndarray) -> Floats:
    """The same from curvature times length [frame, segment], of even segments from head to tail."""
    count = curvature.shape[1]
    turned = np.concatenate(
        [np.zeros((len(curvature), 1)), np.cumsum(curvature, axis=1) / count], 1
    )
    ends, middles = np.linspace(0, 1, count + 1), (np.arange(PLACES) + 0.5) / PLACES
    angles = np.stack([np.interp(middles, ends, row) for row in turned])
    return np.asarray(angles - angles.mean(axis=1, keepdims=True))


def find_eigenworms(shapes: np.ndarray) -> Floats:
    """Modes [mode, place] of the shapes themselves, those that vary most first."""
    return np.asarray(np.linalg.svd(shapes - shapes.mean(axis=0), full_matrices=False)[2])


def find_share(shapes: np.ndarray, modes: np.ndarray, count: int = COUNT) -> float:
    """Of the variance of shapes about their mean, what the first modes hold; nan where nothing
    moves."""
    about = shapes - shapes.mean(axis=0) if len(shapes) else shapes
    total = float((about**2).sum())
    if len(shapes) < 2 or total <= 1e-12 * about.size:  # a millionth of a radian
        return np.nan
    # modes of other sources may lean on each other a little
    base = np.linalg.qr(np.asarray(modes[:count]).T)[0]
    return float(((about @ base) ** 2).sum() / total)
