"""Water on the surface of soft blocks: drag on outer triangles, buoyancy of nodes.

    f = -rho max(0, n.v) (n.v) n A                                     # Fang 2015 eq. 5.2

with v the velocity through water at rest. With N the area vector of a triangle and q = v.N this is
-rho N q^2 / N.N for q > 0; its work on the water is rho q^3 / N.N (eq. C.2). A triangle
near the surface feels it by its share under water; what reaches above has none.

Buoyancy acts on the nodes, by the volume that each stands for in the block as it was built: muscles
change rest shapes, not the amount of matter.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.soft import NODE_ROWS

TRIANGLE_ROWS = 12 * LANES  # three corners, and the sum of their velocities


class WetSoft(NamedTuple):
    """What water meets of the soft blocks."""

    triangle_start: np.ndarray  # [pack + 1]
    triangle: np.ndarray  # [triangle, 3] int64, nodes in the node arrays, outward
    volume: np.ndarray  # [node, LANES] cm³
    band: np.ndarray  # [pack] cm, height over which a triangle or a node goes under


@inlined
def wet_share(above, per_band):
    """How much of something is under water whose middle lies so far below the surface."""
    real = type(above)
    return min(max(real(0.5) + above * per_band, real(0)), real(1))


@inlined
def load_node(x, v, corner, tri, first):
    """Copy a corner into the work space, and add its velocity there."""
    for i in range(LANES):
        corner[i], corner[i + LANES], corner[i + 2 * LANES] = x[i], x[i + LANES], x[i + 2 * LANES]
    if first:
        for i in range(3 * LANES):
            tri[i] = v[i]
    else:
        for i in range(3 * LANES):
            tri[i] += v[i]


@inlined
def drag_triangles(tri, surface, density, per_band, limit, dt, force, work):
    """A third of the force on a triangle of every lane, and the work done on the water."""
    real = tri.dtype.type
    third, half, zero, tiny = real(1 / 3), real(0.5), real(0), real(1e-20)
    y, z, b, c, v = LANES, 2 * LANES, 3 * LANES, 6 * LANES, 9 * LANES
    for i in range(LANES):
        px, py, pz = tri[i + b] - tri[i], tri[i + b + y] - tri[i + y], tri[i + b + z] - tri[i + z]
        qx, qy, qz = tri[i + c] - tri[i], tri[i + c + y] - tri[i + y], tri[i + c + z] - tri[i + z]
        nx = half * (py * qz - pz * qy)
        ny = half * (pz * qx - px * qz)
        nz = half * (px * qy - py * qx)
        flow = third * (tri[i + v] * nx + tri[i + v + y] * ny + tri[i + v + z] * nz)
        flow = max(flow, zero)
        speed = flow / np.sqrt(nx * nx + ny * ny + nz * nz + tiny)
        square = speed * min(speed, limit)
        middle = third * (tri[i + y] + tri[i + b + y] + tri[i + c + y])
        share = density * wet_share(surface[i] - middle, per_band) * square
        force[i] = -third * share * nx
        force[i + y] = -third * share * ny
        force[i + z] = -third * share * nz
        work[i] += dt * share * flow


@inlined
def lift_nodes(x, volume, surface, weight, per_band, force):
    """Buoyancy of a node of every lane; `weight` is that of a cm³ of water."""
    for i in range(LANES):
        share = wet_share(surface[i] - x[i + LANES], per_band)
        force[i + LANES] += weight * volume[i] * share


@inlined
def add_rows(force, node):
    for i in range(3 * LANES):
        node[i] += force[i]


@kernel
def add_water_forces(wet, pack, nodes, surface, density, gravity, limit, dt, state, scratch, force):
    """Drag and buoyancy of a pack of blocks, added to the forces on its nodes.

    `nodes` are the first and one past the last; `limit` is the speed beyond which drag grows only
    with the speed, which keeps a step stable. `scratch` is (triangle, third, work).
    """
    real = state.position.dtype.type
    tri, third, work = scratch
    per_band = real(1) / wet.band[pack]
    x, v = state.position, state.velocity
    for t in range(wet.triangle_start[pack], wet.triangle_start[pack + 1]):
        for corner in range(3):
            a = wet.triangle[t, corner] * NODE_ROWS
            load_node(
                x[a : a + NODE_ROWS], v[a : a + NODE_ROWS],
                tri[corner * NODE_ROWS : (corner + 1) * NODE_ROWS],
                tri[3 * NODE_ROWS : 4 * NODE_ROWS], corner == 0,
            )  # fmt: skip
        drag_triangles(tri, surface, density, per_band, limit, dt, third, work)
        for corner in range(3):
            a = wet.triangle[t, corner] * NODE_ROWS
            add_rows(third, force[a : a + NODE_ROWS])
    for n in range(nodes[0], nodes[1]):
        a, b = n * NODE_ROWS, n * LANES
        lift_nodes(
            x[a : a + NODE_ROWS], wet.volume[b : b + LANES], surface, density * gravity, per_band,
            force[a : a + NODE_ROWS],
        )  # fmt: skip
