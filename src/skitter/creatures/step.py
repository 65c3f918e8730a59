"""A frame of steps of a creature in one compiled call.

The step reads like a table of contents: soft blocks push the bodies, bodies meet the terrain, the
controller steers those that legs carry, bodies and nodes move, the controller reacts. A `clock` is
None but for `skitter bench rooms`; see skitter/clock.py.
"""

from typing import NamedTuple

import numpy as np

from skitter.clock import (
    AMPHIBIOUS,
    BODIES,
    BODY_CONTACT,
    COUPLING,
    DAMPING,
    NODE_CONTACT,
    NODES,
    STEP,
    SWIM,
    SWITCHER,
    TETS,
    UNTANGLE,
    WET,
    lap,
    start,
)
from skitter.compiled import LANES, kernel
from skitter.control.amphibious import update_submerged
from skitter.control.control import react, steer
from skitter.control.swim import drive_muscles
from skitter.control.switcher import settle_legs
from skitter.creatures.coupling import add_face_impulses, place_face
from skitter.creatures.stops import Stops, stop_bodies
from skitter.creatures.wet import LEVEL_STEPS, look_at_surface, wet_blocks, wet_bodies
from skitter.elastic.contact import keep_nodes_outside
from skitter.elastic.damping import update_damping_impulse
from skitter.elastic.muscle import contract
from skitter.elastic.soft import (
    NODE_ROWS,
    add_forces_to_velocity,
    add_impulses_to_velocity,
    advance_positions,
)  # fmt: skip
from skitter.elastic.tets import update_elastic_forces
from skitter.elastic.untangle import find_tangled_blocks, share_rotations
from skitter.rigid.bodies import VELOCITY, add_impulses, advance_poses, update_frames
from skitter.rigid.contact import REBOUND_STEPS, resolve_contacts

TANGLE_CHECK = 1 / 60  # s, how often blocks are looked at
SPEED_LIMIT = 1e8  # cm/s; a sum of squared speeds above its square counts as blown up


class BodyScratch(NamedTuple):
    """Work space of the rigid part of a step, allocated once."""

    frame: np.ndarray  # [pack, FRAME_ROWS] spin, rotation, inverse inertia
    impulse: np.ndarray  # [pack, 6 LANES] linear and angular, g cm/s, g cm²/s
    carried: np.ndarray  # [pack, LANES] bool, bodies that legs carry
    clear: np.ndarray  # [pack, LANES] cm that a body may move before it could touch the terrain
    near: np.ndarray  # [LANES] bool
    active: np.ndarray  # [probe] int64, probes that touch
    hit: np.ndarray  # [LANES] 1 for bodies that strike the terrain in this step
    contact: np.ndarray  # [probe, CONTACT_ROWS]
    carrier: np.ndarray  # [CARRIER_ROWS]
    wrench: np.ndarray  # [6 LANES]
    stops: Stops  # what driven bodies may not move into


@kernel
def add_body_speeds(rows):
    """Sum of squared speeds of a pack of bodies."""
    total = rows.dtype.type(0)
    for i in range(3 * LANES):
        total += rows[VELOCITY + i] * rows[VELOCITY + i]
    return total


@kernel
def mark_carried(supported, carried):
    for b in range(len(supported)):
        carried[b // LANES, b % LANES] = supported[b] > 0


@kernel
def push_bodies(
    dt, is_tangled, gravity, soft, soft_state, soft_scratch, body_state, body_scratch,
    water, wet, wet_scratch, clock,
):  # fmt: skip
    """Elastic forces, water and damping: new velocities of the free nodes, impulses on bodies."""
    packs, is_wet = len(soft.free_start), water.density > 0.0
    if is_tangled:
        share_rotations(soft, soft_state, soft_scratch)
        lap(clock, UNTANGLE)
    update_elastic_forces(
        soft_state.position, soft.cell_node, soft.rest, soft_state.rotation,
        soft_scratch.cell_position, soft_scratch.cell_force, soft_scratch.force,
    )  # fmt: skip
    lap(clock, TETS)
    if is_wet:
        wet_blocks(wet, water, gravity, dt, soft, soft_state, soft_scratch.force, wet_scratch)
        lap(clock, WET)
    add_forces_to_velocity(
        soft_scratch.force, soft.inverse_mass, soft.gravity, dt, soft_state.velocity
    )
    lap(clock, NODES)
    # damping, implicitly
    for pack in range(packs):
        nodes = soft_scratch.impulse[
            soft.pack_start[pack] * NODE_ROWS : soft.pack_start[pack + 1] * NODE_ROWS
        ]
        update_damping_impulse(soft, pack, soft_state, soft_scratch, nodes)
    add_impulses_to_velocity(soft_scratch.impulse, soft.inverse_mass, soft_state.velocity)
    lap(clock, DAMPING)
    # forces at carried nodes act on the bodies
    body_scratch.impulse[:] = 0
    for pack in range(packs):
        for end in range(2):
            add_face_impulses(
                soft, pack, end, dt, soft_state, soft_scratch, body_state,
                body_scratch.carrier, body_scratch.wrench, body_scratch.impulse,
            )  # fmt: skip
    lap(clock, COUPLING)
    if is_wet:
        wet_bodies(
            wet, water, gravity, dt, body_state, body_scratch.frame, body_scratch.impulse,
            wet_scratch,
        )  # fmt: skip
        lap(clock, WET)


@kernel
def meet_terrain(dt, gravity, terrain, body, body_state, body_scratch, clock):
    """Bodies: gravity, impulses and contact make their velocities."""
    real = body_state.rows.dtype.type
    change = (real(0), -dt * gravity, real(0))
    rebound_speed = real(REBOUND_STEPS) * dt * abs(gravity)
    for pack in range(len(body.rows)):
        rows, frame = body_state.rows[pack], body_scratch.frame[pack]
        add_impulses(body.rows[pack], body_scratch.impulse[pack], change, rows, frame)
        lap(clock, BODIES)
        if len(terrain.kind) > 0:
            resolve_contacts(
                terrain, body, pack, dt, gravity, rebound_speed, body_state, frame,
                body_scratch.carried[pack], body_scratch.clear[pack], body_scratch.near,
                body_scratch.active,
                body_scratch.hit, body_scratch.contact,
            )  # fmt: skip
            lap(clock, BODY_CONTACT)


@kernel
def move_bodies(dt, body, body_state, body_scratch):
    """Bodies move. Returns the sum of squared speeds."""
    speeds = body_state.rows.dtype.type(0)
    for pack in range(len(body.rows)):
        rows, frame = body_state.rows[pack], body_scratch.frame[pack]
        advance_poses(body.rows[pack], frame, dt, rows)
        update_frames(body.rows[pack], rows, frame)
        speeds += add_body_speeds(rows)
    return speeds


@kernel
def move_nodes(dt, terrain, soft, soft_state, soft_scratch, body_state, body_scratch, clock):
    """Soft nodes: contact and motion; the carried ones follow. Returns the squared speeds."""
    keep_nodes_outside(terrain, soft, dt, soft_state, soft_scratch.clear, soft_scratch.torque)
    lap(clock, NODE_CONTACT)
    speeds = advance_positions(dt, soft.inverse_mass, soft_state.velocity, soft_state.position)
    lap(clock, NODES)
    for pack in range(len(soft.free_start)):
        for end in range(2):
            place_face(
                soft, pack, end, soft_state, body_state, body_scratch.frame, body_scratch.carrier
            )
    lap(clock, COUPLING)
    return speeds


@kernel
def advance_creature(
    steps, dt, gravity, terrain, soft, soft_state, soft_scratch, body, body_state, body_scratch,
    told, walker_model, walker_state, water, wet, wet_scratch, muscle, swim, swim_state, clock,
    first, is_last,
):  # fmt: skip
    """Advance a creature by so many steps; returns the step that blew up, or -1.

    A frame may be cut into several calls: `first` is the number of steps taken before, and all but
    one call are not the last. The bits are those of one call.

    One that has no legs has a walker without any, and only physics moves it; one that has muscles
    has a swimmer that drives them, and all that water meets of it is in `wet`. A clock, if there is
    one, is told what each room took.
    """
    interval = max(1, int(TANGLE_CHECK / dt))
    is_tangled, walks, acts = False, len(walker_model.leg.side) > 0, len(muscle.base) > 0
    is_wet = water.density > 0.0
    mark_carried(walker_state.supported, body_scratch.carried)
    frame, real = body_scratch.frame, body_state.rows.dtype.type
    step_time, body_count = 1.0 * dt, body.body_count
    start(clock)
    for step in range(first, first + steps):
        if step % interval == 0:
            is_tangled = find_tangled_blocks(soft, soft_state, soft_scratch)
            lap(clock, UNTANGLE)
        if is_wet and step % LEVEL_STEPS == 0:
            look_at_surface(water, soft, soft_state, body_state, body_count, wet_scratch)
            lap(clock, WET)
        if acts:
            drive_muscles(swim, swim_state, step_time)
            contract(muscle, swim_state.length, soft_scratch.motion, soft.rest)
            lap(clock, SWIM)
        push_bodies(
            dt, is_tangled, gravity, soft, soft_state, soft_scratch, body_state, body_scratch,
            water, wet, wet_scratch, clock,
        )  # fmt: skip
        meet_terrain(dt, gravity, terrain, body, body_state, body_scratch, clock)
        if walks and is_wet and walker_model.walk.swims:
            update_submerged(
                walker_model, walker_state, wet_scratch.body_surface, body_state,
                swim_state.goal_active,
            )  # fmt: skip
            lap(clock, AMPHIBIOUS)
        if walks:
            steer(
                terrain, told, walker_model, walker_state, step, step_time, gravity, body_state,
                frame, clock,
            )  # fmt: skip
            stop_bodies(body_scratch.stops, walker_state, body_state)
        speeds = move_bodies(dt, body, body_state, body_scratch)
        lap(clock, BODIES)
        speeds += move_nodes(
            dt, terrain, soft, soft_state, soft_scratch, body_state, body_scratch, clock
        )
        if walks:
            react(
                terrain, told, walker_model, walker_state, step, step_time, body_state, frame, clock
            )
            mark_carried(walker_state.supported, body_scratch.carried)
        if not speeds < real(SPEED_LIMIT) * real(SPEED_LIMIT):
            return step
        lap(clock, STEP)
    if walks and is_last:
        settle_legs(walker_model, walker_state, body_state, frame)
        lap(clock, SWITCHER)
    return -1
