"""The line through the middle of a long body, head first, and what its shape is.

Bodies undulate in one plane: the ground plane x-z of a recording. A worm lies on its right side, so
that its dorsal side is to the right of where it heads: +z when it heads along +x. Bends are
positive towards dorsal, which is where the dorsal side is the short one. Lines of other sources
have x and y as seen from above, y = -z (skitter.wcon).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
POINTS = 49  # of a midline: 48 tangents between them, as eigenworms have
FEWEST = 5  # points from which a shape is told


def lay_flat(midline: np.ndarray) -> Floats:
    """x and z [frame, point, 2] of a line in space [frame, point, 3], in its unit."""
    return np.asarray(midline, float)[..., [0, 2]]


def measure_lengths(midline: np.ndarray) -> Floats:
    """From end to end along each line [frame], in its unit; gaps are gone straight across."""
    line = np.asarray(midline, float)
    return np.array([np.linalg.norm(np.diff(drop_gaps(one), axis=0), axis=1).sum() for one in line])


def drop_gaps(line: np.ndarray) -> Floats:
    """A line [point, d] without the points that are not known."""
    return np.asarray(line[np.isfinite(line).all(axis=1)], float)


def resample(midline: np.ndarray, count: int = POINTS) -> Floats:
    """So many points at even distances along each line [frame, count, d]; nan where one has fewer
    than five points that are known, or no length."""
    line = np.asarray(midline, float)
    even = np.full((len(line), count, line.shape[2]), np.nan)
    for k, one in enumerate(line):
        known = drop_gaps(one)
        way = np.concatenate([[0.0], np.linalg.norm(np.diff(known, axis=0), axis=1).cumsum()])
        if len(known) >= FEWEST and way[-1] > 0:
            at = np.linspace(0, way[-1], count)
            even[k] = np.stack([np.interp(at, way, column) for column in known.T], axis=1)
    return even


def find_angles(flat: np.ndarray) -> Floats:
    """Directions from point to point [frame, point - 1], rad, without jumps along a line; they grow
    from head to tail where the body bends towards dorsal."""
    way = np.diff(np.asarray(flat, float), axis=1)
    # from head to tail dorsal is to the left in x-z, where arctan2 turns the other way
    return np.asarray(-np.unwrap(np.arctan2(way[..., 1], way[..., 0]), axis=1))


def find_curvature(flat: np.ndarray) -> tuple[Floats, Floats]:
    """Curvature times length [frame, place], 1, of lines with even points, and the places, of the
    length from the head."""
    angles = find_angles(flat)
    links = angles.shape[1]
    return np.diff(angles, axis=1) * links, np.arange(1, links) / links


def find_axis(midline: np.ndarray) -> Floats:
    """From the middle of the tail's half to that of the head's [frame, d], of length 1."""
    line = np.asarray(midline, float)
    half = line.shape[1] // 2
    axis = line[:, :half].mean(axis=1) - line[:, -half:].mean(axis=1)
    size = np.linalg.norm(axis, axis=1, keepdims=True)
    return np.asarray(np.divide(axis, size, out=np.full_like(axis, np.nan), where=size > 0))
