"""The layers of nodes of a soft block, which its joints follow.

Where the middle of a layer is, and how it is turned (Kabsch 1976); a joint between two layers lies
between them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.creatures.plan import SoftPart
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
HELD_JOINTS, FREE_JOINTS = 2, 4  # in a soft block between parts, and in one by itself


@dataclass(frozen=True)
class Layers:
    """The layers of a soft block, across its longest way or the way between its parts."""

    nodes: Ints  # [layer, node]
    place: Floats  # [layer] from 0 to 1


def cut_layers(part: SoftPart, first: int) -> Layers:
    """The layers of a block; `first` is the number of its first node."""
    grid = (first + np.arange(len(part.nodes))).reshape([cells + 1 for cells in part.cells])
    way = 0
    if part.start is None:
        way = int(np.argmax([_measure_edge(part, k) for k in range(3)]))
    nodes = np.moveaxis(grid, way, 0).reshape(grid.shape[way], -1)
    return Layers(nodes, np.linspace(0, 1, len(nodes)))


def _measure_edge(part: SoftPart, way: int) -> float:
    """How long a block is along one of its ways, cm."""
    grid = np.arange(len(part.nodes)).reshape([cells + 1 for cells in part.cells])
    line = np.moveaxis(grid, way, 0)[:, 0, 0]
    return float(np.linalg.norm(part.nodes[line[0]] - part.nodes[line[-1]]))


def choose_joints(part: SoftPart) -> list[float]:
    """Places along a block, from 0 to 1; where a part holds an end, that part is the joint there.

    A block that nothing holds has a joint at either end.
    """
    if part.start is None:
        return [float(place) for place in np.linspace(0, 1, FREE_JOINTS)]
    count = HELD_JOINTS + (part.end is None)
    last = count + (part.end is not None)
    return [number / last for number in range(1, count + 1)]


def find_neighbours(layers: Layers, place: float) -> tuple[Ints, Ints, float]:
    """The layers before and behind a place, and the share of the way from one to the other."""
    at = place * (len(layers.place) - 1)
    before = min(int(at), len(layers.place) - 2)
    return layers.nodes[before], layers.nodes[before + 1], at - before


def fit_turns(points: Floats, rest: Floats) -> Floats:
    """Rotations [..., 3, 3] that best take points at rest [..., point, 3] to where they are."""
    here = points - points.mean(axis=-2, keepdims=True)
    there = rest - rest.mean(axis=-2, keepdims=True)
    return turn_by_moments(np.swapaxes(here, -1, -2) @ there)


def turn_by_moments(moments: Floats) -> Floats:
    """The same from sums of positions times arms at rest [..., 3, 3]."""
    u, _, v = np.linalg.svd(moments)
    flip = np.linalg.det(u @ v)
    u[..., :, 2] *= flip[..., None]
    return np.asarray(u @ v)


def mix(first: Floats, second: Floats, share: Floats) -> Floats:
    return (1 - share) * first + share * second


def mix_turns(first: Floats, second: Floats, share: Floats) -> Floats:
    """Rotations between two, along the shorter arc."""
    a, b = matrices_to_quaternions(first), matrices_to_quaternions(second)
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    both = mix(a, b, share[:, None])
    return quaternion_to_matrix(both / np.linalg.norm(both, axis=-1, keepdims=True))
