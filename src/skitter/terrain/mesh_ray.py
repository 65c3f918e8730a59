"""Where a ray first meets a triangle mesh."""

from skitter.compiled import inlined, kernel
from skitter.terrain.mesh_query import (
    AB,
    AC,
    BOX_SIZE,
    BOXES,
    INDICES,
    LINK_SIZE,
    NODE_COUNT,
    NUMBERS,
    TRIANGLE_SIZE,
    A,
)

PARALLEL = 1e-300
RIM = 1e-9  # triangles are this share larger for rays, so that none slips through between two


@inlined
def overlap_slab(low, high, o, d, near, far):
    """The part of a ray's span near..far between two planes."""
    if d == 0.0:
        return (near, far) if low <= o <= high else (1.0, -1.0)
    a, b = (low - o) / d, (high - o) / d
    return max(near, min(a, b)), min(far, max(a, b))


@inlined
def is_box_met(number, b, ox, oy, oz, dx, dy, dz, far):
    """Whether a ray passes a node's box before it is `far`."""
    near, end = overlap_slab(number[b], number[b + 3], ox, dx, 0.0, far)
    near, end = overlap_slab(number[b + 1], number[b + 4], oy, dy, near, end)
    near, end = overlap_slab(number[b + 2], number[b + 5], oz, dz, near, end)
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


@kernel
def ray_mesh(head, number, index, m, ox, oy, oz, dx, dy, dz, far):
    """Distance along the ray to mesh m, `far` for a miss."""
    boxes, links = head[m, NUMBERS] + BOXES, head[m, INDICES]
    end = head[m, NODE_COUNT]
    triangles, node = boxes + BOX_SIZE * end, 0
    while node < end:
        link = links + LINK_SIZE * node
        if not is_box_met(number, boxes + BOX_SIZE * node, ox, oy, oz, dx, dy, dz, far):
            node = index[link]
            continue
        for k in range(index[link + 1], index[link + 1] + index[link + 2]):
            t = triangles + TRIANGLE_SIZE * k
            far = ray_triangle(number, t, ox, oy, oz, dx, dy, dz, far)
        node += 1
    return far
