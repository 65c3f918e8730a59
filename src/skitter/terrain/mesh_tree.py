"""The tree of boxes over a mesh's triangles, laid out in the order in which it is walked."""

import numpy as np

from skitter.compiled import allocating, kernel

LEAF_SIZE = 4  # triangles
DEPTH_LIMIT = 40  # deeper down triangles are halved by number: long thin rows of them end


@allocating
def split_range(order, centre, start, end, depth):
    """Sort a range of triangles into two halves of space; where the second begins."""
    low, high = np.empty(3), np.empty(3)
    for axis in range(3):
        low[axis], high[axis] = np.inf, -np.inf
        for k in range(start, end):
            value = centre[order[k], axis]
            low[axis], high[axis] = min(low[axis], value), max(high[axis], value)
    axis = int(np.argmax(high - low))
    middle, left = (low[axis] + high[axis]) / 2, start
    if depth < DEPTH_LIMIT:
        for k in range(start, end):
            if centre[order[k], axis] < middle:
                order[k], order[left] = order[left], order[k]
                left += 1
        if start < left < end:
            return left
    part = order[start:end].copy()
    order[start:end] = part[np.argsort(centre[part, axis])]
    return (start + end) // 2


@kernel
def bound_range(order, low, high, start, end, box):
    for axis in range(3):
        box[axis], box[axis + 3] = np.inf, -np.inf
        for k in range(start, end):
            box[axis] = min(box[axis], low[order[k], axis])
            box[axis + 3] = max(box[axis + 3], high[order[k], axis])


@allocating
def build_tree(corners):
    """Boxes and links of the nodes, and the triangles [n, 3, 3] in the order of the leaves."""
    count = len(corners)
    low, high, centre = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    for t in range(count):
        for axis in range(3):
            a, b, c = corners[t, 0, axis], corners[t, 1, axis], corners[t, 2, axis]
            low[t, axis], high[t, axis] = min(a, b, c), max(a, b, c)
            centre[t, axis] = (a + b + c) / 3
    order = np.arange(count)
    box, link = np.empty((2 * count, 6)), np.empty((2 * count, 3), np.int32)
    first_node = np.full(count + 1, -1)  # the topmost node that starts at a triangle
    waiting = [(0, count, 0)]
    nodes = 0
    while waiting:
        start, end, depth = waiting.pop()
        if first_node[start] < 0:
            first_node[start] = nodes
        bound_range(order, low, high, start, end, box[nodes])
        link[nodes, 0], link[nodes, 1], link[nodes, 2] = end, start, end - start
        nodes += 1
        if end - start > LEAF_SIZE:
            middle = split_range(order, centre, start, end, depth)
            link[nodes - 1, 2] = 0
            waiting.append((middle, end, depth + 1))
            waiting.append((start, middle, depth + 1))
    first_node[count] = nodes
    for node in range(nodes):  # after a branch comes the node that starts where it ends
        link[node, 0] = first_node[link[node, 0]]
    return box[:nodes].copy(), link[:nodes].copy(), order
