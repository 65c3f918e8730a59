"""What a ray meets first: exact intersections with every primitive of a terrain.

A ray starts at `o` and runs along the unit vector `d`. A ray that starts inside a solid meets the
surface where it leaves it. Each function returns the distance along the ray, FAR for a miss.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.terrain.surface import BOX, FAR, PLANE, SPHERE, sample_primitive, to_local

PARALLEL = 1e-12  # below this share a ray counts as parallel to a face


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
def ray_primitive(terrain, k, ox, oy, oz, dx, dy, dz):
    axes, extent, centre = terrain.axes[k], terrain.extent[k], terrain.centre[k]
    px, py, pz = to_local(axes, ox - centre[0], oy - centre[1], oz - centre[2])
    ux, uy, uz = to_local(axes, dx, dy, dz)
    kind = terrain.kind[k]
    if kind == PLANE:
        return ray_plane(py, uy)
    if kind == BOX:
        x0, x1 = slab(px, ux, extent[0])
        y0, y1 = slab(py, uy, extent[1])
        z0, z1 = slab(pz, uz, extent[2])
        return first_positive(max(x0, y0, z0), min(x1, y1, z1))
    if kind == SPHERE:
        b, c = px * ux + py * uy + pz * uz, px * px + py * py + pz * pz - extent[0] ** 2
        near, far = round_span(b, 1.0, c)
        return first_positive(near, far)
    return ray_cylinder(extent[0], extent[1], px, py, pz, ux, uy, uz)


@kernel
def cast_ray(terrain, ox, oy, oz, dx, dy, dz):
    """Distance to the first surface met, its outward normal there, and the primitive."""
    best, which = FAR, -1
    for k in range(len(terrain.kind)):
        t = ray_primitive(terrain, k, ox, oy, oz, dx, dy, dz)
        if t < best:
            best, which = t, k
    if which < 0:
        return FAR, 0.0, 1.0, 0.0, -1
    _, nx, ny, nz = sample_primitive(terrain, which, ox + best * dx, oy + best * dy, oz + best * dz)
    return best, nx, ny, nz, which


@kernel
def cast_many(terrain, origins, directions, distance, normal, which):
    """`cast_ray` for every row of origins and unit directions [n, 3]."""
    for i in range(len(origins)):
        o, d = origins[i], directions[i]
        t, nx, ny, nz, k = cast_ray(terrain, o[0], o[1], o[2], d[0], d[1], d[2])
        distance[i], which[i] = t, k
        normal[i, 0], normal[i, 1], normal[i, 2] = nx, ny, nz
