"""The tree of boxes over a mesh's triangles, laid out in the order in which it is walked."""

import numpy as np
from numpy.typing import NDArray

from skitter.compiled import kernel

LEAF_SIZE = 4  # triangles
DEPTH_LIMIT = 40  # deeper down triangles are halved by number: long thin rows of them end
WAITING_LIMIT = DEPTH_LIMIT + 64  # ranges that wait while a walk goes down: one for each level

Floats = NDArray[np.floating]
Ints = NDArray[np.int32]


def build_tree(corners: Floats) -> tuple[Floats, Ints, NDArray[np.int64]]:
    """Boxes and links of the nodes, and the order of the triangles [n, 3, 3] in the leaves."""
    count = len(corners)
    low, high, centre = corners.min(axis=1), corners.max(axis=1), corners.mean(axis=1)
    order, key = np.arange(count), np.empty(count)
    box, link = np.empty((2 * count, 6)), np.empty((2 * count, 3), np.int32)
    first_node = np.full(count + 1, -1)  # the topmost node that starts at a triangle
    waiting = np.empty((WAITING_LIMIT, 3), np.int64)
    nodes = fill_tree(low, high, centre, order, key, waiting, box, link, first_node)
    link = link[:nodes].copy()
    link[:, 0] = first_node[link[:, 0]]  # after a branch comes the node that starts where it ends
    return box[:nodes].copy(), link, order


@kernel
def sift_down(key, value, start, root, end):
    """Let an entry of a heap, which begins at `start`, sink to its place."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and key[start + child] < key[start + child + 1]:
            child += 1
        a, b = start + root, start + child
        if key[a] >= key[b]:
            return
        key[a], key[b] = key[b], key[a]
        value[a], value[b] = value[b], value[a]
        root = child


@kernel
def sort_range(key, value, start, end):
    """Sort a range of values by their keys, in place (a heap)."""
    count = end - start
    for root in range(count // 2 - 1, -1, -1):
        sift_down(key, value, start, root, count)
    for last in range(count - 1, 0, -1):
        a, b = start, start + last
        key[a], key[b] = key[b], key[a]
        value[a], value[b] = value[b], value[a]
        sift_down(key, value, start, 0, last)


@kernel
def find_longest_axis(order, centre, start, end):
    """The axis along which the centres of a range reach furthest, and the middle of that."""
    longest, middle, reach = 0, 0.0, -1.0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(start, end):
            value = centre[order[k], axis]
            low, high = min(low, value), max(high, value)
        if high - low > reach:
            longest, middle, reach = axis, (low + high) / 2, high - low
    return longest, middle


@kernel
def split_range(order, key, centre, start, end, depth):
    """Sort a range of triangles into two halves of space; where the second begins."""
    axis, middle = find_longest_axis(order, centre, start, end)
    if depth < DEPTH_LIMIT:
        left = start
        for k in range(start, end):
            if centre[order[k], axis] < middle:
                order[k], order[left] = order[left], order[k]
                left += 1
        if start < left < end:
            return left
    for k in range(start, end):
        key[k] = centre[order[k], axis]
    sort_range(key, order, start, end)
    return (start + end) // 2


@kernel
def bound_range(order, low, high, start, end, box, node):
    """The box around a range of triangles."""
    for axis in range(3):
        box[node, axis], box[node, axis + 3] = np.inf, -np.inf
        for k in range(start, end):
            box[node, axis] = min(box[node, axis], low[order[k], axis])
            box[node, axis + 3] = max(box[node, axis + 3], high[order[k], axis])


@kernel
def fill_tree(low, high, centre, order, key, waiting, box, link, first_node):
    """Lay out the nodes; returns how many. Links still name triangles, not nodes."""
    count, nodes, ranges = len(order), 0, 1
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, count, 0
    while ranges > 0:
        ranges -= 1
        start, end, depth = waiting[ranges, 0], waiting[ranges, 1], waiting[ranges, 2]
        if first_node[start] < 0:
            first_node[start] = nodes
        bound_range(order, low, high, start, end, box, nodes)
        link[nodes, 0], link[nodes, 1], link[nodes, 2] = end, start, end - start
        nodes += 1
        if end - start > LEAF_SIZE:
            middle = split_range(order, key, centre, start, end, depth)
            link[nodes - 1, 2] = 0
            for first, last in ((middle, end), (start, middle)):
                waiting[ranges, 0], waiting[ranges, 1] = first, last
                waiting[ranges, 2] = depth + 1
                ranges += 1
    first_node[count] = nodes
    return nodes
