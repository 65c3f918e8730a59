"""What a ray meets first: exact intersections with every primitive of a terrain.

A ray starts at `o` and runs along the unit vector `d`. A ray that starts inside a solid meets the
surface where it leaves it. Each function returns the distance along the ray, FAR for a miss.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.terrain.mesh_ray import ray_mesh
from skitter.terrain.surface import (
    BOX,
    CENTRE,
    CYLINDER,
    EXTENT,
    FAR,
    KIND,
    MESH_NUMBER,
    OWNER,
    PLANE,
    REACH,
    SPHERE,
    sample,
    sample_primitive,
    to_local,
)

PARALLEL = 1e-12  # below this share a ray counts as parallel to a face
BESIDE = 0.2  # of the way behind a surface: as far off it the point in front may be, at most


@kernel
def first_positive(near, far):
    """The first of two crossings that lies ahead."""
    if near > far or far < 0.0:
        return FAR
    return near if near >= 0.0 else far


@kernel
def slab(o, d, half):
    """Where a ray is between the planes -half and +half: from, to."""
    if abs(d) < PARALLEL:
        return (-FAR, FAR) if abs(o) <= half else (FAR, -FAR)
    a, b = (-half - o) / d, (half - o) / d
    return min(a, b), max(a, b)


@kernel
def round_span(b, a, c):
    """Roots of a t^2 + 2 b t + c = 0 as from, to; empty where there are none."""
    root = b * b - a * c
    if root < 0.0:
        return FAR, -FAR
    root = np.sqrt(root)
    return (-b - root) / a, (-b + root) / a


@kernel
def ray_plane(oy, dy):
    if abs(dy) < PARALLEL:
        return FAR
    t = -oy / dy
    return t if t >= 0.0 else FAR


@kernel
def ray_sphere(radius, ox, oy, oz, dx, dy, dz):
    middle = -(ox * dx + oy * dy + oz * dz)  # where the ray is nearest: exact also from far away
    qx, qy, qz = ox + middle * dx, oy + middle * dy, oz + middle * dz
    near, far = round_span(0.0, 1.0, qx * qx + qy * qy + qz * qz - radius * radius)
    return first_positive(middle + near, middle + far)


@kernel
def ray_cylinder(radius, half, ox, oy, oz, dx, dy, dz):
    across = dx * dx + dz * dz
    if across < PARALLEL * PARALLEL:
        inside = ox * ox + oz * oz <= radius * radius
        near, far = (-FAR, FAR) if inside else (FAR, -FAR)
    else:
        near, far = round_span(ox * dx + oz * dz, across, ox * ox + oz * oz - radius * radius)
    low, high = slab(oy, dy, half)
    return first_positive(max(near, low), min(far, high))


@kernel
def ray_primitive(row, link, head, number, index, k, ox, oy, oz, dx, dy, dz, far):
    """Distance along the ray to primitive k; `far` or more where it is not closer."""
    ox, oy, oz = ox - row[k, CENTRE], oy - row[k, CENTRE + 1], oz - row[k, CENTRE + 2]
    px, py, pz = to_local(row, k, ox, oy, oz)
    ux, uy, uz = to_local(row, k, dx, dy, dz)
    e0, e1, e2 = row[k, EXTENT], row[k, EXTENT + 1], row[k, EXTENT + 2]
    kind = link[k, KIND]
    if kind == PLANE:
        return ray_plane(py, uy)
    if kind == BOX:
        x0, x1 = slab(px, ux, e0)
        y0, y1 = slab(py, uy, e1)
        z0, z1 = slab(pz, uz, e2)
        return first_positive(max(x0, y0, z0), min(x1, y1, z1))
    if kind == SPHERE:
        return ray_sphere(e0, px, py, pz, ux, uy, uz)
    if kind == CYLINDER:
        return ray_cylinder(e0, e1, px, py, pz, ux, uy, uz)
    return ray_mesh(head, number, index, link[k, MESH_NUMBER], px, py, pz, ux, uy, uz, far)


@inlined
def is_passed(row, k, ox, oy, oz, dx, dy, dz):
    """Whether the ray passes by the ball that holds primitive k."""
    x, y, z = row[k, CENTRE] - ox, row[k, CENTRE + 1] - oy, row[k, CENTRE + 2] - oz
    reach, along = row[k, REACH], max(x * dx + y * dy + z * dz, 0.0)
    x, y, z = x - along * dx, y - along * dy, z - along * dz
    return x * x + y * y + z * z > reach * reach * (1.0 + 1e-9)


@kernel
def cast_ray(terrain, ox, oy, oz, dx, dy, dz):
    """Distance to the first surface met, its outward normal there, and the item of the terrain."""
    row, link, best, which = terrain.row, terrain.link, FAR, -1
    head, number, index = terrain.meshes
    for k in range(len(row)):
        if is_passed(row, k, ox, oy, oz, dx, dy, dz):
            continue
        t = ray_primitive(row, link, head, number, index, k, ox, oy, oz, dx, dy, dz, best)
        if t < best:
            best, which = t, k
    if which < 0:
        return FAR, 0.0, 1.0, 0.0, -1
    x, y, z = ox + best * dx, oy + best * dy, oz + best * dz
    _, nx, ny, nz = sample_primitive(row, link, head, number, index, which, x, y, z, FAR)
    return best, nx, ny, nz, link[which, OWNER]


@kernel
def sample_from(terrain, ox, oy, oz, x, y, z):
    """`sample` at a point of something that reaches there from another of its points, o.

    What lies behind a sheet or a thin plate, seen from o, is inside: else the nearest surface would
    be its far side, and push on through it what has come too deep. Only a point with its far side
    towards o can be there, nearer to a surface than to o; rays are cast for no others. A point is
    not behind what merely stands in between: the surface must be there in front of it, too.
    """
    d, nx, ny, nz, k = sample(terrain, x, y, z)
    ax, ay, az = x - ox, y - oy, z - oz
    far = np.sqrt(ax * ax + ay * ay + az * az)
    if d >= far or ax * nx + ay * ny + az * nz <= 0.0:
        return d, nx, ny, nz, k
    ax, ay, az = ax / far, ay / far, az / far
    t, mx, my, mz, item = cast_ray(terrain, ox, oy, oz, ax, ay, az)
    lean = ax * mx + ay * my + az * mz
    if t >= far or lean >= 0.0:  # nothing between them, or o is inside of something itself
        return d, nx, ny, nz, k
    # the point of the surface in front of it, first on the plane where the ray has met it
    depth = (far - t) * lean
    qx, qy, qz = x - depth * mx, y - depth * my, z - depth * mz
    off, ux, uy, uz, _ = sample(terrain, qx, qy, qz)
    if abs(off) > BESIDE * (far - t):
        return d, nx, ny, nz, k
    if mx * ux + my * uy + mz * uz > 0.0:
        qx, qy, qz = qx - off * ux - x, qy - off * uy - y, qz - off * uz - z
        deep = np.sqrt(qx * qx + qy * qy + qz * qz)
        if deep > 0.0 and qx * mx + qy * my + qz * mz > 0.0:
            return -deep, qx / deep, qy / deep, qz / deep, item
    return depth, mx, my, mz, item


@kernel
def cast_many(terrain, origins, directions, distance, normal, which):
    """`cast_ray` for every row of origins and unit directions [n, 3]."""
    for i in range(len(origins)):
        o, d = origins[i], directions[i]
        t, nx, ny, nz, k = cast_ray(terrain, o[0], o[1], o[2], d[0], d[1], d[2])
        distance[i], which[i] = t, k
        normal[i, 0], normal[i, 1], normal[i, 2] = nx, ny, nz
