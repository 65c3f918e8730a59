"""What water does to a creature in a step: `wet_build` has how what it meets is laid out."""

from typing import NamedTuple

import numpy as np

from skitter.compiled import LANES, kernel
from skitter.control.bodies import read_position
from skitter.elastic.drag import WetSoft, add_water_forces
from skitter.elastic.soft import NODE_ROWS
from skitter.rigid.drag import WetBody, add_water_impulses
from skitter.water.surface import surface_at

LEVEL_STEPS = 4  # between two looks at the surface


class Wet(NamedTuple):
    """What water meets of a creature."""

    soft: WetSoft
    body: WetBody
    soft_limit: float  # cm/s: beyond, drag on nodes in water of density 1 grows only with speed


class WetScratch(NamedTuple):
    """Work space, and the work done on the water during the present frame."""

    soft_surface: np.ndarray  # [pack, LANES] cm, where the surface stands over each block
    body_surface: np.ndarray  # [pack, LANES] cm
    triangle: np.ndarray  # [TRIANGLE_ROWS]
    third: np.ndarray  # [3 LANES] dyn
    soft_work: np.ndarray  # [pack, LANES] erg
    body_work: np.ndarray  # [pack, LANES] erg


@kernel
def look_at_surface(water, soft, soft_state, bodies, body_count, scratch):
    """Where the surface stands over every body and block."""
    real = scratch.body_surface.dtype.type
    for b in range(body_count):
        x, _, z = read_position(bodies, b)
        scratch.body_surface[b // LANES, b % LANES] = real(surface_at(water, x, z))
    for pack in range(len(soft.free_start)):
        node = (soft.pack_start[pack] + soft.pack_start[pack + 1]) // 2 * NODE_ROWS
        for lane in range(soft.lane_count[pack]):
            x = float(soft_state.position[node + lane])
            z = float(soft_state.position[node + lane + 2 * LANES])
            scratch.soft_surface[pack, lane] = real(surface_at(water, x, z))


@kernel
def wet_blocks(wet, water, gravity, dt, soft, soft_state, force, scratch):
    """Add what water does to the forces on the nodes of all soft blocks."""
    real = force.dtype.type
    density, limit = real(water.density), real(wet.soft_limit / water.density)
    for pack in range(len(soft.free_start)):
        add_water_forces(
            wet.soft, pack, (soft.pack_start[pack], soft.pack_start[pack + 1]),
            scratch.soft_surface[pack], density, gravity, limit, dt, soft_state,
            (scratch.triangle, scratch.third, scratch.soft_work[pack]), force,
        )  # fmt: skip


@kernel
def wet_bodies(wet, water, gravity, dt, bodies, frame, impulse, scratch):
    """Add what water does to the impulses of all bodies."""
    real = frame.dtype.type
    density = real(water.density)
    for pack in range(len(frame)):
        add_water_impulses(
            wet.body, pack, scratch.body_surface[pack], density, gravity, dt,
            bodies.rows[pack], frame[pack], impulse[pack], scratch.body_work[pack],
        )  # fmt: skip
