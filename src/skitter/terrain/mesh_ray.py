"""Where a ray first meets a triangle mesh.

A sheet is all that is within half its thickness of its triangles. What is that near to one triangle
is convex: a prism over it, with a cylinder along each edge and a ball at each corner. A ray runs
through it from where it first enters one of these to where it last leaves one.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.terrain.mesh_query import (
    AB,
    AC,
    BOX_SIZE,
    BOXES,
    FAR,
    HALF,
    INDICES,
    LINK_SIZE,
    NODE_COUNT,
    NORMAL,
    NUMBERS,
    SHEET,
    SIDE,
    TRIANGLE_SIZE,
    A,
)

PARALLEL = 1e-300
RIM = 1e-9  # triangles are this share larger for rays, so that none slips through between two
PASSES = 64  # over a sheet, to find the way out for a ray that starts within it


@inlined
def overlap_slab(low, high, o, d, near, far):
    """The part of a ray's span near..far between two planes."""
    if d == 0.0:
        return (near, far) if low <= o <= high else (1.0, -1.0)
    a, b = (low - o) / d, (high - o) / d
    return max(near, min(a, b)), min(far, max(a, b))


@inlined
def is_box_met(number, b, room, ox, oy, oz, dx, dy, dz, far):
    """Whether a ray passes a node's box, with some room around it, before it is `far`."""
    near, end = overlap_slab(number[b] - room, number[b + 3] + room, ox, dx, 0.0, far)
    near, end = overlap_slab(number[b + 1] - room, number[b + 4] + room, oy, dy, near, end)
    near, end = overlap_slab(number[b + 2] - room, number[b + 5] + room, oz, dz, near, end)
    return near <= end * (1.0 + RIM)


@inlined
def ray_triangle(number, t, ox, oy, oz, dx, dy, dz, far):
    """Distance along the ray (Moeller & Trumbore 1997), `far` for a miss."""
    ux, uy, uz = number[t + AB], number[t + AB + 1], number[t + AB + 2]
    vx, vy, vz = number[t + AC], number[t + AC + 1], number[t + AC + 2]
    hx, hy, hz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * hx + uy * hy + uz * hz
    if abs(volume) < PARALLEL:
        return far
    sx, sy, sz = ox - number[t + A], oy - number[t + A + 1], oz - number[t + A + 2]
    v = (sx * hx + sy * hy + sz * hz) / volume
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    w = (dx * qx + dy * qy + dz * qz) / volume
    along = (vx * qx + vy * qy + vz * qz) / volume
    is_hit = v >= -RIM and w >= -RIM and v + w <= 1.0 + RIM and along >= 0.0
    return min(along, far) if is_hit else far


@inlined
def span_ball(half, x, y, z, dx, dy, dz):
    """Where a ray from (x, y, z) is within `half` of the origin: from, to; empty: from > to."""
    middle = -(x * dx + y * dy + z * dz)
    px, py, pz = x + middle * dx, y + middle * dy, z + middle * dz
    square = half * half - (px * px + py * py + pz * pz)
    if square < 0.0:
        return FAR, -FAR
    root = np.sqrt(square)
    return middle - root, middle + root


@inlined
def span_edge(half, x, y, z, dx, dy, dz, ux, uy, uz):
    """The same within `half` of the straight line from the origin to u, between its ends."""
    square = ux * ux + uy * uy + uz * uz
    along, speed = x * ux + y * uy + z * uz, dx * ux + dy * uy + dz * uz
    near, far = overlap_slab(0.0, square, along, speed, -FAR, FAR)
    # what of the ray and its start is across the edge
    along, speed = along / square, speed / square
    px, py, pz = x - along * ux, y - along * uy, z - along * uz
    qx, qy, qz = dx - speed * ux, dy - speed * uy, dz - speed * uz
    a, b = qx * qx + qy * qy + qz * qz, px * qx + py * qy + pz * qz
    c = px * px + py * py + pz * pz - half * half
    if a < 1e-24:  # it runs along the edge
        return (near, far) if c <= 0.0 else (FAR, -FAR)
    root = b * b - a * c
    if root < 0.0:
        return FAR, -FAR
    root = np.sqrt(root)
    return max(near, (-b - root) / a), min(far, (-b + root) / a)


@inlined
def span_prism(number, t, half, x, y, z, dx, dy, dz):
    """The same within `half` above or below the face of a triangle."""
    nx, ny, nz = number[t + NORMAL], number[t + NORMAL + 1], number[t + NORMAL + 2]
    near, far = overlap_slab(
        -half, half, nx * x + ny * y + nz * z, nx * dx + ny * dy + nz * dz, -FAR, FAR
    )
    # the shares of the corners change evenly along the ray, and none is negative over the face
    ux, uy, uz = number[t + AB], number[t + AB + 1], number[t + AB + 2]
    vx, vy, vz = number[t + AC], number[t + AC + 1], number[t + AC + 2]
    ax, ay, az = vy * nz - vz * ny, vz * nx - vx * nz, vx * ny - vy * nx  # across AC
    bx, by, bz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux  # across AB
    area = ux * ax + uy * ay + uz * az
    v, v_speed = (x * ax + y * ay + z * az) / area, (dx * ax + dy * ay + dz * az) / area
    w, w_speed = (x * bx + y * by + z * bz) / area, (dx * bx + dy * by + dz * bz) / area
    near, far = overlap_slab(0.0, FAR, v, v_speed, near, far)
    near, far = overlap_slab(0.0, FAR, w, w_speed, near, far)
    return overlap_slab(0.0, FAR, 1.0 - v - w, -v_speed - w_speed, near, far)


@inlined
def join(near, far, span):
    """The span that holds two others, of which either may be empty."""
    if span[0] > span[1]:
        return near, far
    return min(near, span[0]), max(far, span[1])


@kernel
def span_triangle(number, t, half, ox, oy, oz, dx, dy, dz):
    """Where a ray is within `half` of a triangle: from, to; empty: from > to."""
    x, y, z = ox - number[t + A], oy - number[t + A + 1], oz - number[t + A + 2]
    start = -(x * dx + y * dy + z * dz)  # of what follows: exact also from far away
    x, y, z = x + start * dx, y + start * dy, z + start * dz
    ux, uy, uz = number[t + AB], number[t + AB + 1], number[t + AB + 2]
    vx, vy, vz = number[t + AC], number[t + AC + 1], number[t + AC + 2]
    bx, by, bz, cx, cy, cz = x - ux, y - uy, z - uz, x - vx, y - vy, z - vz
    near, far = span_prism(number, t, half, x, y, z, dx, dy, dz)
    if near > far:
        near, far = FAR, -FAR
    near, far = join(near, far, span_edge(half, x, y, z, dx, dy, dz, ux, uy, uz))
    near, far = join(near, far, span_edge(half, x, y, z, dx, dy, dz, vx, vy, vz))
    edge = span_edge(half, bx, by, bz, dx, dy, dz, vx - ux, vy - uy, vz - uz)
    near, far = join(near, far, edge)
    near, far = join(near, far, span_ball(half, x, y, z, dx, dy, dz))
    near, far = join(near, far, span_ball(half, bx, by, bz, dx, dy, dz))
    near, far = join(near, far, span_ball(half, cx, cy, cz, dx, dy, dz))
    return (start + near, start + far) if near <= far else (FAR, -FAR)


@kernel
def ray_sheet(head, number, index, m, ox, oy, oz, dx, dy, dz, far, start):
    """Where a ray first enters sheet m (`far` for a miss), and where it leaves the triangles that
    it is within at `start`; that itself where it is within none."""
    half, boxes, links = number[head[m, NUMBERS] + HALF], head[m, NUMBERS] + BOXES, head[m, INDICES]
    end, leaves = head[m, NODE_COUNT], start
    triangles, node = boxes + BOX_SIZE * end, 0
    while node < end:
        link = links + LINK_SIZE * node
        if not is_box_met(number, boxes + BOX_SIZE * node, half, ox, oy, oz, dx, dy, dz, far):
            node = index[link]
            continue
        for k in range(index[link + 1], index[link + 1] + index[link + 2]):
            t = triangles + TRIANGLE_SIZE * k
            first, last = span_triangle(number, t, half, ox, oy, oz, dx, dy, dz)
            if first <= start <= last:
                leaves = max(leaves, last)
            elif start < first <= last:
                far = min(far, first)
        node += 1
    return far, leaves


@kernel
def ray_mesh(head, number, index, m, ox, oy, oz, dx, dy, dz, far):
    """Distance along the ray to mesh m, `far` for a miss."""
    if head[m, SIDE] == SHEET:
        met, leaves = ray_sheet(head, number, index, m, ox, oy, oz, dx, dy, dz, far, 0.0)
        if leaves == 0.0:
            return met
        # it starts within the sheet: from triangle to triangle until it is out
        for _ in range(PASSES):
            start = leaves
            _, leaves = ray_sheet(head, number, index, m, ox, oy, oz, dx, dy, dz, FAR, start)
            if leaves <= start + RIM * number[head[m, NUMBERS] + HALF]:
                break
        return min(leaves, far)
    boxes, links = head[m, NUMBERS] + BOXES, head[m, INDICES]
    end = head[m, NODE_COUNT]
    triangles, node = boxes + BOX_SIZE * end, 0
    while node < end:
        link = links + LINK_SIZE * node
        if not is_box_met(number, boxes + BOX_SIZE * node, 0.0, ox, oy, oz, dx, dy, dz, far):
            node = index[link]
            continue
        for k in range(index[link + 1], index[link + 1] + index[link + 2]):
            t = triangles + TRIANGLE_SIZE * k
            far = ray_triangle(number, t, ox, oy, oz, dx, dy, dz, far)
        node += 1
    return far
