"""The muscles of soft blocks, from the blocks as they are built."""

from itertools import pairwise

import numpy as np

from skitter.compiled import CELL_LANES
from skitter.elastic.block import CELL_TETS, CORNERS
from skitter.elastic.muscle import MuscleModel


def build_no_muscles(real: type) -> MuscleModel:
    return MuscleModel(
        np.empty((0, 6, 11 * CELL_LANES), real),
        np.empty((0, 6, 4 * CELL_LANES), real),
        np.empty((0, CELL_LANES), np.int64),
    )


def build_muscles(
    blocks: list[np.ndarray],  # nodes [node, 3] of every block, cm
    places: list[np.ndarray],  # place of the x of those nodes in the node arrays
    cell_node: np.ndarray,
    cell_block: np.ndarray,
    rest: np.ndarray,
) -> MuscleModel:
    """Muscles in all blocks, which lie along x."""
    rows = len(cell_node)
    edge = np.zeros((rows, 6, 4, CELL_LANES))
    corners = cell_node.reshape(rows, 8, CELL_LANES)
    finders = [np.argsort(place) for place in places]
    for row, lane in np.ndindex(rows, CELL_LANES):
        block = cell_block[row, lane]
        if block < 0:
            continue
        order = finders[block]
        found = order[np.searchsorted(places[block], corners[row, :, lane], sorter=order)]
        edge[row, :, :, lane] = find_edges(blocks[block], found)
    base = rest.reshape(rows, 6, 12, CELL_LANES)[:, :, :11].reshape(rows, 6, -1).copy()
    block = np.maximum(cell_block, 0).astype(np.int64)
    return MuscleModel(base, edge.reshape(rows, 6, -1).astype(rest.dtype), block)


def find_edges(nodes: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """The four numbers of `MuscleModel.edge` of a cell's tetrahedra [6, 4]."""
    size = np.ptp(nodes, axis=0)
    points = nodes[cell] - (nodes.max(axis=0) + nodes.min(axis=0)) / 2
    edges = np.zeros((6, 4))
    for number, tet in enumerate(CELL_TETS):
        path = tet[np.argsort(CORNERS[tet].sum(axis=1))]
        for a, b in pairwise(path):
            axis = int(np.argmax(np.abs(points[b] - points[a])))
            if axis == 0:
                edges[number, :2] = points[a, 1:] / size[1:]
            else:
                edges[number, 1 + axis] = points[a, 0] / size[axis]
    return edges
