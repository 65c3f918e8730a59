"""Surfaces a body can ask: how far, which way is out, what does a ray meet.

A terrain is a union of solid primitives, each a row of numbers. `sample` gives the signed distance
(negative inside), the outward normal at the closest surface point and which primitive it belongs
to; the closest point itself is `point - distance * normal`. Outside, the distance to a union is the
smallest of the distances; inside several overlapping solids it is a lower bound of the depth.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel

PLANE, BOX, SPHERE, CYLINDER = 0, 1, 2, 3
FAR = 1e30  # distance to an empty terrain


class TerrainArrays(NamedTuple):
    """The terrain as kernels see it; one row per primitive, world frame, cm."""

    kind: np.ndarray  # [n] int64
    centre: np.ndarray  # [n, 3]; a point of a plane
    axes: np.ndarray  # [n, 3, 3], columns are the primitive's own axes; a plane's normal is its y
    extent: np.ndarray  # [n, 3]; box: half edges, sphere: radius, cylinder: radius, half length
    friction: np.ndarray  # [n]
    restitution: np.ndarray  # [n]


@inlined
def to_local(axes, x, y, z):
    return (
        axes[0, 0] * x + axes[1, 0] * y + axes[2, 0] * z,
        axes[0, 1] * x + axes[1, 1] * y + axes[2, 1] * z,
        axes[0, 2] * x + axes[1, 2] * y + axes[2, 2] * z,
    )


@inlined
def to_world(axes, x, y, z):
    return (
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )


@kernel
def sample_box(hx, hy, hz, x, y, z):
    """Distance and normal of a box of half edges hx, hy, hz at the origin."""
    dx, dy, dz = abs(x) - hx, abs(y) - hy, abs(z) - hz
    sx, sy, sz = np.copysign(1.0, x), np.copysign(1.0, y), np.copysign(1.0, z)
    if dx <= 0 and dy <= 0 and dz <= 0:  # inside: out through the nearest face
        if dx >= dy and dx >= dz:
            return dx, sx, 0.0, 0.0
        if dy >= dz:
            return dy, 0.0, sy, 0.0
        return dz, 0.0, 0.0, sz
    ox, oy, oz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    distance = np.sqrt(ox * ox + oy * oy + oz * oz)
    return distance, sx * ox / distance, sy * oy / distance, sz * oz / distance


@kernel
def sample_sphere(radius, x, y, z):
    length = np.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return -radius, 0.0, 1.0, 0.0
    return length - radius, x / length, y / length, z / length


@kernel
def sample_cylinder(radius, half_length, x, y, z):
    """A solid cylinder along y."""
    across = np.sqrt(x * x + z * z)
    side, cap = across - radius, abs(y) - half_length
    ux, uz = (x / across, z / across) if across > 0.0 else (1.0, 0.0)
    up = np.copysign(1.0, y)
    if side <= 0 and cap <= 0:
        return (side, ux, 0.0, uz) if side > cap else (cap, 0.0, up, 0.0)
    out, above = max(side, 0.0), max(cap, 0.0)
    distance = np.sqrt(out * out + above * above)
    return distance, ux * out / distance, up * above / distance, uz * out / distance


@kernel
def sample_primitive(terrain, k, x, y, z):
    """Distance and world normal of primitive k."""
    axes, extent = terrain.axes[k], terrain.extent[k]
    px, py, pz = to_local(
        axes, x - terrain.centre[k, 0], y - terrain.centre[k, 1], z - terrain.centre[k, 2]
    )
    kind = terrain.kind[k]
    if kind == PLANE:
        d, nx, ny, nz = py, 0.0, 1.0, 0.0
    elif kind == BOX:
        d, nx, ny, nz = sample_box(extent[0], extent[1], extent[2], px, py, pz)
    elif kind == SPHERE:
        d, nx, ny, nz = sample_sphere(extent[0], px, py, pz)
    else:
        d, nx, ny, nz = sample_cylinder(extent[0], extent[1], px, py, pz)
    wx, wy, wz = to_world(axes, nx, ny, nz)
    return d, wx, wy, wz


@kernel
def sample(terrain, x, y, z):
    """Signed distance, outward normal (three numbers) and index of the closest primitive."""
    distance, nx, ny, nz, which = FAR, 0.0, 1.0, 0.0, -1
    for k in range(len(terrain.kind)):
        d, ax, ay, az = sample_primitive(terrain, k, x, y, z)
        if d < distance:
            distance, nx, ny, nz, which = d, ax, ay, az, k
    return distance, nx, ny, nz, which


@kernel
def sample_many(terrain, points, distance, normal, which):
    """`sample` at every point [n, 3]."""
    for i in range(len(points)):
        d, nx, ny, nz, k = sample(terrain, points[i, 0], points[i, 1], points[i, 2])
        distance[i], which[i] = d, k
        normal[i, 0], normal[i, 1], normal[i, 2] = nx, ny, nz
