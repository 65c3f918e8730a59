"""Water on rigid bodies: drag on patches of their surface, buoyancy of points inside them.

The force is that of Fang 2015 eq. 5.2 (see elastic/drag.py), on flat patches that cover what of a
body water can reach; the work on the water is eq. C.2. Buoyancy acts at points that share the
volume of a body evenly, so that a box that lies level displaces exactly what is under water.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.drag import wet_share
from skitter.rigid.bodies import POSITION, VELOCITY, turn_out

PATCH_ROWS, POINT_ROWS = 7 * LANES, 4 * LANES


class WetBody(NamedTuple):
    """What water meets of the rigid bodies, in their frames, about their centres of mass."""

    patch: np.ndarray  # [pack, patch, PATCH_ROWS] middle [cm], outward normal, area [cm²]
    point: np.ndarray  # [pack, point, POINT_ROWS] place [cm], volume [cm³]
    per_band: np.ndarray  # [pack, LANES] 1/cm, of the height over which one of them goes under
    limit: np.ndarray  # [pack, LANES] cm/s, beyond which drag grows only with the speed


@inlined
def drag_patches(patch, rows, frame, surface, per_band, density, limit, dt, impulse, work):
    """Drag of one patch of every body."""
    zero = rows.dtype.type(0)
    for i in range(LANES):
        rx, ry, rz = turn_out(frame, i, patch[i], patch[i + LANES], patch[i + 2 * LANES])
        nx, ny, nz = turn_out(
            frame, i, patch[i + 3 * LANES], patch[i + 4 * LANES], patch[i + 5 * LANES]
        )
        sx, sy, sz = frame[i], frame[i + LANES], frame[i + 2 * LANES]
        v = i + VELOCITY
        vx = rows[v] + sy * rz - sz * ry
        vy = rows[v + LANES] + sz * rx - sx * rz
        vz = rows[v + 2 * LANES] + sx * ry - sy * rx
        flow = max(nx * vx + ny * vy + nz * vz, zero)
        above = surface[i] - rows[i + POSITION + LANES] - ry
        share = density * wet_share(above, per_band[i]) * patch[i + 6 * LANES]
        push = dt * share * flow * min(flow, limit[i])
        fx, fy, fz = -push * nx, -push * ny, -push * nz
        impulse[i] += fx
        impulse[i + LANES] += fy
        impulse[i + 2 * LANES] += fz
        impulse[i + 3 * LANES] += ry * fz - rz * fy
        impulse[i + 4 * LANES] += rz * fx - rx * fz
        impulse[i + 5 * LANES] += rx * fy - ry * fx
        work[i] += push * flow


@inlined
def lift_points(point, rows, frame, surface, per_band, weight, dt, impulse):
    """Buoyancy of one point of every body."""
    for i in range(LANES):
        rx, ry, rz = turn_out(frame, i, point[i], point[i + LANES], point[i + 2 * LANES])
        above = surface[i] - rows[i + POSITION + LANES] - ry
        up = dt * weight * point[i + 3 * LANES] * wet_share(above, per_band[i])
        impulse[i + LANES] += up
        impulse[i + 3 * LANES] -= rz * up
        impulse[i + 5 * LANES] += rx * up


@kernel
def add_water_impulses(wet, pack, surface, density, gravity, dt, rows, frame, impulse, work):
    """Drag and buoyancy of a pack of bodies, added to their impulses; see elastic/drag.py."""
    per_band, limit = wet.per_band[pack], wet.limit[pack]
    for p in range(wet.patch.shape[1]):
        drag_patches(
            wet.patch[pack, p], rows, frame, surface, per_band, density, limit, dt, impulse, work
        )
    for p in range(wet.point.shape[1]):
        lift_points(
            wet.point[pack, p], rows, frame, surface, per_band, density * gravity, dt, impulse
        )
