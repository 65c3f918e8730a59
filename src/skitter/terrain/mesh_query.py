"""Closest point and signed distance of triangle meshes, exact, in a fraction of a microsecond.

Near the surface space is cut into cubic cells. Each lists the triangles that can be closest to any
of its points, sorted by their distance to its centre, so that a query stops after a few. Elsewhere
a tree of boxes is walked, led by a triangle that is near. The tree lies in memory in the order in
which it is walked, every node knows where to go on when its box is too far: no stack is needed.

The sign is that of the angle-weighted pseudo-normal of the corner, edge or face that is closest
(Baerentzen & Aanaes 2005): exact for a closed surface, and the side of the surface for ground. A
sheet has no sign: its distance is that of its triangles less half its thickness, on both sides.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel

# columns of `head`
NUMBERS, INDICES, NODE_COUNT, TRIANGLE_COUNT, NX, NY, NZ, SIDE, HEAD_SIZE = range(9)
SOLID, GROUND, SHEET = range(3)  # SIDE: closed, solid without end behind it, free on both sides
# the numbers of a mesh: lowest corner of its cells and their edge, half its thickness (of a sheet,
# else 0), boxes of nodes, triangles
EDGE, HALF, BOXES = 3, 4, 5
BOX_SIZE = 6  # low, high
A, AB, AC, NORMAL, AB_AB, AB_AC, AC_AC, PSEUDO, TRIANGLE_SIZE = 0, 3, 6, 9, 12, 13, 14, 15, 33
# its indices: links of nodes (the node after this branch, first triangle, how many), cells (first
# candidate, how many; or a near triangle, 0), candidates (triangle, distance to the cell's centre)
LINK_SIZE, CELL_SIZE, CANDIDATE_SIZE = 3, 2, 2
GAP_UNIT = 2.0**-20  # of a cell's edge: what the distances of candidates are counted in
# what of a triangle is closest; their pseudo-normals are stored in this order, but for the face
FACE, EDGE_AB, EDGE_BC, EDGE_CA, CORNER_A, CORNER_B, CORNER_C = range(7)
FAR = 1e30  # distance to nothing
TOUCHING = 1e-9  # of a cell: nearer than this the direction from the surface is rounding


class MeshArrays(NamedTuple):
    """All meshes of a terrain, one behind the other, each in its own frame, cm.

    Three arrays only, however many tables there are: every array that a compiled function is handed
    costs it time.
    """

    head: np.ndarray  # [mesh, HEAD_SIZE] int64: where its numbers and indices begin, sizes
    numbers: np.ndarray  # float64
    indices: np.ndarray  # int32, counted within the mesh


@inlined
def first_triangle(head, m):
    """Where the triangles of mesh m begin in `numbers`."""
    return head[m, NUMBERS] + BOXES + BOX_SIZE * head[m, NODE_COUNT]


@inlined
def offset_from_triangle(number, t, x, y, z):
    """Squared distance, offset of the point from the closest one, and what that lies on.

    The case distinction of Ericson 2004, 5.1.5, with the products of the edges at hand. Over the
    face the distance to its plane is used: it is exact also for very long triangles.
    """
    px, py, pz = x - number[t + A], y - number[t + A + 1], z - number[t + A + 2]
    d1 = number[t + AB] * px + number[t + AB + 1] * py + number[t + AB + 2] * pz
    d2 = number[t + AC] * px + number[t + AC + 1] * py + number[t + AC + 2] * pz
    d3, d4 = d1 - number[t + AB_AB], d2 - number[t + AB_AC]
    d5, d6 = d1 - number[t + AB_AC], d2 - number[t + AC_AC]
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if d1 <= 0.0 and d2 <= 0.0:
        v, w, part = 0.0, 0.0, CORNER_A
    elif d3 >= 0.0 and d4 <= d3:
        v, w, part = 1.0, 0.0, CORNER_B
    elif d6 >= 0.0 and d5 <= d6:
        v, w, part = 0.0, 1.0, CORNER_C
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w, part = d1 / number[t + AB_AB], 0.0, EDGE_AB
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w, part = 0.0, d2 / number[t + AC_AC], EDGE_CA
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v, part = 1.0 - w, EDGE_BC
    else:
        nx, ny, nz = number[t + NORMAL], number[t + NORMAL + 1], number[t + NORMAL + 2]
        above = nx * px + ny * py + nz * pz
        return above * above, above * nx, above * ny, above * nz, FACE
    ox = px - v * number[t + AB] - w * number[t + AC]
    oy = py - v * number[t + AB + 1] - w * number[t + AC + 1]
    oz = pz - v * number[t + AB + 2] - w * number[t + AC + 2]
    return ox * ox + oy * oy + oz * oz, ox, oy, oz, part


@inlined
def square_to_box(number, b, x, y, z):
    """Squared distance to a box; zero inside."""
    dx = max(number[b] - x, x - number[b + 3], 0.0)
    dy = max(number[b + 1] - y, y - number[b + 4], 0.0)
    dz = max(number[b + 2] - z, z - number[b + 5], 0.0)
    return dx * dx + dy * dy + dz * dz


@kernel
def descend_tree(number, index, boxes, links, x, y, z):
    """A triangle that is near: down the tree, always into the nearer box."""
    node = 0
    while index[links + LINK_SIZE * node + 2] == 0:
        left = node + 1
        right = index[links + LINK_SIZE * left]
        near_left = square_to_box(number, boxes + BOX_SIZE * left, x, y, z)
        near_right = square_to_box(number, boxes + BOX_SIZE * right, x, y, z)
        node = left if near_left <= near_right else right
    return index[links + LINK_SIZE * node + 1]


@kernel
def search_tree(number, index, boxes, links, node_count, x, y, z, seed, limit):
    """The closest triangle, given one that is near; that one where none is closer than the square
    root of `limit`."""
    triangles = boxes + BOX_SIZE * node_count
    start = offset_from_triangle(number, triangles + TRIANGLE_SIZE * seed, x, y, z)[0]
    best, which, node = min(start, limit), seed, 0
    while node < node_count:
        link = links + LINK_SIZE * node
        if square_to_box(number, boxes + BOX_SIZE * node, x, y, z) >= best:
            node = index[link]
            continue
        for t in range(index[link + 1], index[link + 1] + index[link + 2]):
            square = offset_from_triangle(number, triangles + TRIANGLE_SIZE * t, x, y, z)[0]
            if square < best:
                best, which = square, t
        node += 1
    return which


@kernel
def search_cell(number, index, triangles, first, count, unit, away, x, y, z):
    """The closest of a cell's candidates for a point `away` from its centre."""
    which = index[first]
    best = offset_from_triangle(number, triangles + TRIANGLE_SIZE * which, x, y, z)[0]
    limit = np.sqrt(best) + away
    for k in range(first + CANDIDATE_SIZE, first + CANDIDATE_SIZE * count, CANDIDATE_SIZE):
        if unit * index[k + 1] >= limit:
            break
        square = offset_from_triangle(number, triangles + TRIANGLE_SIZE * index[k], x, y, z)[0]
        if square < best:
            best, which = square, index[k]
            limit = np.sqrt(best) + away
    return which


@kernel
def find_closest(head, number, index, m, x, y, z, limit):
    """The closest triangle of mesh m; any that is not closer where all are beyond the limit."""
    grid, links, node_count = head[m, NUMBERS], head[m, INDICES], head[m, NODE_COUNT]
    nx, ny, nz, edge = head[m, NX], head[m, NY], head[m, NZ], number[grid + EDGE]
    u = (x - number[grid]) / edge
    v = (y - number[grid + 1]) / edge
    w = (z - number[grid + 2]) / edge
    boxes = grid + BOXES
    if not (u >= 0.0 and v >= 0.0 and w >= 0.0 and u < nx and v < ny and w < nz):
        seed = descend_tree(number, index, boxes, links, x, y, z)
        return search_tree(number, index, boxes, links, node_count, x, y, z, seed, limit)
    i, j, k = int(u), int(v), int(w)
    cells = links + LINK_SIZE * node_count
    cell = cells + CELL_SIZE * ((i * ny + j) * nz + k)
    first, count = index[cell], index[cell + 1]
    if count == 0:
        return search_tree(number, index, boxes, links, node_count, x, y, z, first, limit)
    du, dv, dw = u - i - 0.5, v - j - 0.5, w - k - 0.5
    away = edge * np.sqrt(du * du + dv * dv + dw * dw)
    first = cells + CELL_SIZE * nx * ny * nz + CANDIDATE_SIZE * first
    triangles = boxes + BOX_SIZE * node_count
    return search_cell(number, index, triangles, first, count, edge * GAP_UNIT, away, x, y, z)


@kernel
def sample_mesh(head, number, index, m, x, y, z, nearest):
    """Signed distance of mesh m and its gradient, which is the outward normal.

    A mesh that is farther than `nearest` may be said to be farther than it is: from outside the box
    of one that is not ground only what is closer is looked for.
    """
    side, half, limit = head[m, SIDE], number[head[m, NUMBERS] + HALF], FAR
    # outside its box a mesh that ends has no inside, and may be too far to matter
    square = square_to_box(number, head[m, NUMBERS] + BOXES, x, y, z)
    is_outside, room = side == SHEET, nearest + half
    if square > 0.0 and side != GROUND:
        if room * abs(room) <= square:
            return FAR, 0.0, 1.0, 0.0
        is_outside, limit = True, room * room
    # the closest triangle, and which side of it the point is on
    which = find_closest(head, number, index, m, x, y, z, limit)
    near = TOUCHING * number[head[m, NUMBERS] + EDGE]
    t = first_triangle(head, m) + TRIANGLE_SIZE * which
    distance, nx, ny, nz = measure_side(number, t, x, y, z, near, is_outside)
    return distance - half, nx, ny, nz


@kernel
def measure_side(number, t, x, y, z, near, is_outside):
    """Signed distance to a triangle, and its gradient; nearer than `near` its normal."""
    square, ox, oy, oz, part = offset_from_triangle(number, t, x, y, z)
    length = np.sqrt(square)
    n = t + NORMAL if part == FACE else t + PSEUDO + 3 * (part - 1)
    nx, ny, nz = number[n], number[n + 1], number[n + 2]
    sign = 1.0 if nx * ox + ny * oy + nz * oz >= 0.0 else -1.0
    if is_outside and sign < 0.0:
        nx, ny, nz, sign = -nx, -ny, -nz, 1.0
    if part == FACE or length <= near:
        return sign * length, nx, ny, nz
    scale = sign / length
    return sign * length, scale * ox, scale * oy, scale * oz
