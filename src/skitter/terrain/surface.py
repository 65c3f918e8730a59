"""Surfaces a body can ask: how far, which way is out, what does a ray meet.

A terrain is a union of primitives that have an inside, each a row of numbers; that of a sheet is
its thickness. `sample` gives the signed distance (negative inside), the outward normal at the
closest surface point and which primitive it belongs to; the closest point itself is
`point - distance * normal`. Outside, the distance to a union is the smallest of the distances;
inside several overlapping solids it is a lower bound of the depth.

No distance changes faster than the point moves: what is `distance` away cannot be touched by a
shorter step.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.terrain.mesh_query import FAR as FAR
from skitter.terrain.mesh_query import MeshArrays, sample_mesh

PLANE, BOX, SPHERE, CYLINDER, MESH = 0, 1, 2, 3, 4


# columns of `row`: centre, half edges (or radius, half length), reach, matrix of the axes
CENTRE, EXTENT, REACH, AXES, ROW_SIZE = 0, 3, 6, 7, 16
# columns of `link`
KIND, OWNER, MESH_NUMBER = 0, 1, 2


class TerrainArrays(NamedTuple):
    """The terrain as kernels see it; one row per primitive, world frame, cm.

    An item of a scene's terrain can be many primitives. What queries return is the item. A query
    reads only `row`, `link` and `meshes`: every array that is handed on costs it time.
    """

    kind: np.ndarray  # [n] int64
    centre: np.ndarray  # [n, 3]; a point of a plane
    axes: np.ndarray  # [n, 3, 3], columns are the primitive's own axes; a plane's normal is its y
    row: np.ndarray  # [n, ROW_SIZE]; reach: radius of a ball that holds it, FAR for endless ones
    link: np.ndarray  # [n, 3] int64: kind, item of the scene, which mesh it is (-1: none)
    friction: np.ndarray  # [item]
    restitution: np.ndarray  # [item]
    meshes: MeshArrays


@inlined
def to_local(row, k, x, y, z):
    """A direction of the world in the axes of primitive k."""
    return (
        row[k, AXES] * x + row[k, AXES + 3] * y + row[k, AXES + 6] * z,
        row[k, AXES + 1] * x + row[k, AXES + 4] * y + row[k, AXES + 7] * z,
        row[k, AXES + 2] * x + row[k, AXES + 5] * y + row[k, AXES + 8] * z,
    )


@inlined
def to_world(row, k, x, y, z):
    return (
        row[k, AXES] * x + row[k, AXES + 1] * y + row[k, AXES + 2] * z,
        row[k, AXES + 3] * x + row[k, AXES + 4] * y + row[k, AXES + 5] * z,
        row[k, AXES + 6] * x + row[k, AXES + 7] * y + row[k, AXES + 8] * z,
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


@inlined
def sample_solid(kind, e0, e1, e2, x, y, z):
    """Distance and normal of a primitive that is no mesh, in its own frame."""
    if kind == CYLINDER:
        return sample_cylinder(e0, e1, x, y, z)
    if kind == BOX:
        return sample_box(e0, e1, e2, x, y, z)
    if kind == SPHERE:
        return sample_sphere(e0, x, y, z)
    return y, 0.0, 1.0, 0.0


@inlined
def sample_primitive(row, link, head, number, index, k, x, y, z, nearest):
    """Distance and world normal of primitive k; any distance that is not less than `nearest` where
    the true one is not either."""
    x, y, z = x - row[k, CENTRE], y - row[k, CENTRE + 1], z - row[k, CENTRE + 2]
    px, py, pz = to_local(row, k, x, y, z)
    kind = link[k, KIND]
    if kind == MESH:
        mesh = link[k, MESH_NUMBER]
        d, nx, ny, nz = sample_mesh(head, number, index, mesh, px, py, pz, nearest)
    else:
        e0, e1, e2 = row[k, EXTENT], row[k, EXTENT + 1], row[k, EXTENT + 2]
        d, nx, ny, nz = sample_solid(kind, e0, e1, e2, px, py, pz)
    wx, wy, wz = to_world(row, k, nx, ny, nz)
    return d, wx, wy, wz


@inlined
def is_beyond(row, k, x, y, z, nearest):
    """Whether primitive k cannot be closer than `nearest`, by the ball that holds it."""
    room = nearest + row[k, REACH]
    dx, dy, dz = x - row[k, CENTRE], y - row[k, CENTRE + 1], z - row[k, CENTRE + 2]
    return (room <= 0.0) | (dx * dx + dy * dy + dz * dz >= room * room)


@kernel
def sample_rows(row, link, head, number, index, x, y, z):
    distance, nx, ny, nz, which = FAR, 0.0, 1.0, 0.0, -1
    for k in range(len(row)):
        if is_beyond(row, k, x, y, z, distance):
            continue
        d, ax, ay, az = sample_primitive(row, link, head, number, index, k, x, y, z, distance)
        if d < distance:
            distance, nx, ny, nz, which = d, ax, ay, az, link[k, OWNER]
    return distance, nx, ny, nz, which


@inlined
def sample(terrain, x, y, z):
    """Signed distance, outward normal (three numbers) and the closest item of the terrain."""
    meshes = terrain.meshes
    return sample_rows(
        terrain.row, terrain.link, meshes.head, meshes.numbers, meshes.indices, x, y, z
    )


@kernel
def inside_rows(row, link, head, number, index, x, y, z):
    for k in range(len(row)):
        if is_beyond(row, k, x, y, z, 0.0):
            continue
        if sample_primitive(row, link, head, number, index, k, x, y, z, FAR)[0] < 0.0:
            return True
    return False


@inlined
def inside(terrain, x, y, z):
    """Whether a point lies inside the terrain."""
    meshes = terrain.meshes
    return inside_rows(
        terrain.row, terrain.link, meshes.head, meshes.numbers, meshes.indices, x, y, z
    )


@kernel
def sample_many(terrain, points, distance, normal, which):
    """`sample` at every point [n, 3]."""
    for i in range(len(points)):
        d, nx, ny, nz, k = sample(terrain, points[i, 0], points[i, 1], points[i, 2])
        distance[i], which[i] = d, k
        normal[i, 0], normal[i, 1], normal[i, 2] = nx, ny, nz


@kernel
def inside_many(terrain, points, found):
    """`inside` at every point [n, 3]."""
    for i in range(len(points)):
        found[i] = inside(terrain, points[i, 0], points[i, 1], points[i, 2])
