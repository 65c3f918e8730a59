"""Triangles of an implicit surface by naive surface nets (Gibson 1998), in NumPy.

One point in every cell of a grid that the surface passes, and a quadrilateral around every edge of
the grid that crosses it: better shaped than marching cubes. The points are then drawn onto the
surface and evened out. Details thinner than two cells must be avoided: there the net can touch
itself.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
Field = Callable[[Floats], Floats]  # points [n, 3] to values [n], negative inside


def build_net(field: Field, low: Floats, high: Floats, edge: float) -> tuple[Floats, Ints]:
    """Points and triangles of the surface where the field is zero, inside a box."""
    counts = np.ceil((high - low) / edge).astype(int) + 1
    axes = [low[k] + edge * np.arange(counts[k]) for k in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = field(grid.reshape(-1, 3)).reshape(counts)
    number, points = place_points(values)
    points = low + edge * points
    quads = np.concatenate([connect_cells(values, number, axis) for axis in range(3)])
    points = even_out(field, points, quads, edge)
    return points, split_quads(points, quads)


def place_points(values: Floats) -> tuple[Ints, Floats]:
    """A number for each cell the surface passes (-1 for others), and points in units of cells."""
    inside = values < 0
    corners = [inside[cut_cells(k)] for k in range(8)]
    total = np.sum(corners, axis=0)
    passed = (total > 0) & (total < 8)
    number = np.full(passed.shape, -1)
    number[passed] = np.arange(passed.sum())
    sums, hits = np.zeros((passed.sum(), 3)), np.zeros(passed.sum())
    for a in range(8):
        for axis in (0, 1, 2):
            if a >> axis & 1 == 0:
                add_crossing(values, passed, a, axis, sums, hits)
    return number, np.argwhere(passed) + sums / hits[:, None]


def cut_cells(corner: int) -> tuple[slice, ...]:
    """What picks corner 0..7 of all cells out of the grid's values."""
    return tuple(slice(1, None) if corner >> k & 1 else slice(None, -1) for k in range(3))


def add_crossing(
    values: Floats, passed: NDArray[np.bool_], corner: int, axis: int, sums: Floats, hits: Floats
) -> None:
    """Where the surface crosses one of the twelve edges of the cells."""
    a, b = values[cut_cells(corner)][passed], values[cut_cells(corner | 1 << axis)][passed]
    crosses = (a < 0) != (b < 0)
    place = np.tile([float(corner >> k & 1) for k in range(3)], (len(a), 1))
    place[:, axis] = a / np.where(crosses, a - b, 1.0)
    sums[crosses] += place[crosses]
    hits[crosses] += 1


def connect_cells(values: Floats, number: Ints, axis: int) -> Ints:
    """Quadrilaterals of the four cells around each edge along an axis that crosses the surface."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    sides = [slice(1, -1)] * 3
    sides[axis] = slice(None, -1)
    start = values[tuple(sides)] < 0
    sides[axis] = slice(1, None)
    crossing = np.argwhere(start != (values[tuple(sides)] < 0))
    is_out = start[tuple(crossing.T)]
    cell = crossing.copy()  # the cell before the edge in both other directions
    around = []
    for step in ((0, 0), (1, 0), (1, 1), (0, 1)):
        one = cell.copy()
        one[:, first] += step[0]
        one[:, second] += step[1]
        around.append(number[tuple(one.T)])
    quads = np.stack(around, axis=1)
    return np.where(is_out[:, None], quads, quads[:, ::-1])


def gradient_of(field: Field, points: Floats, step: float) -> Floats:
    return np.stack(
        [(field(points + step * e) - field(points - step * e)) / (2 * step) for e in np.eye(3)],
        axis=1,
    )


def even_out(field: Field, points: Floats, quads: Ints, edge: float, rounds: int = 6) -> Floats:
    """Points drawn to the middle of their neighbours, and back onto the surface."""
    ends = np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)])
    degree = np.bincount(ends[:, 0], minlength=len(points))[:, None]
    for _ in range(rounds):
        total = [np.bincount(ends[:, 0], points[ends[:, 1], k], len(points)) for k in range(3)]
        points = points + 0.5 * (np.stack(total, axis=1) / degree - points)
        slope = gradient_of(field, points, 0.02 * edge)
        square = np.maximum(np.einsum("ij,ij->i", slope, slope), 0.05)
        move = (field(points) / square)[:, None] * slope
        points = points - np.clip(move, -0.3 * edge, 0.3 * edge)
    return points


def split_quads(points: Floats, quads: Ints) -> Ints:
    """Two triangles each, cut along the shorter diagonal."""
    one = np.linalg.norm(points[quads[:, 0]] - points[quads[:, 2]], axis=1)
    two = np.linalg.norm(points[quads[:, 1]] - points[quads[:, 3]], axis=1)
    turned = np.where((one <= two)[:, None], quads, np.roll(quads, -1, axis=1))
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])
