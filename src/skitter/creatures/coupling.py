"""Soft blocks carried by rigid bodies (Fang 2015 section 3.3).

1. The nodes of a block's end faces are fixed to the bodies they touch and move with them.
2. What the block exerts at those nodes acts on the bodies, as force and torque.

Both directions use the same positions, and the bodies keep their momentum as such, so linear and
angular momentum pass between soft and rigid parts without loss. The mass of a carried node
belongs to its body.
"""

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.soft import NODE_ROWS
from skitter.rigid.bodies import MATRIX, POSITION, VELOCITY

# rows of the carriers of a face: centre, velocity, spin, rotation matrix
CARRIER_VELOCITY, CARRIER_SPIN, CARRIER_MATRIX, CARRIER_ROWS = (LANES * k for k in (3, 6, 9, 18))


@kernel
def load_carriers(end_body, state, frame, carrier):
    """Copy the motion of the body behind each lane of a face."""
    for i in range(LANES):
        body = max(end_body[i], 0)
        pack, lane = body // LANES, body % LANES
        for row in range(3):
            at = row * LANES
            carrier[i + at] = state[pack, lane + POSITION + at]
            carrier[i + CARRIER_VELOCITY + at] = state[pack, lane + VELOCITY + at]
            carrier[i + CARRIER_SPIN + at] = frame[pack, lane + at]
        for row in range(9):
            carrier[i + CARRIER_MATRIX + row * LANES] = frame[pack, lane + MATRIX + row * LANES]


@kernel
def load_centres(end_body, state, carrier):
    """Copy only the centres of mass of those bodies."""
    for i in range(LANES):
        body = max(end_body[i], 0)
        pack, lane = body // LANES, body % LANES
        for row in range(3):
            carrier[i + row * LANES] = state[pack, lane + POSITION + row * LANES]


@inlined
def place_node(local, carrier, x, v):
    """Position and velocity of one carried node of a pack's blocks."""
    for i in range(LANES):
        m, s, u = i + CARRIER_MATRIX, i + CARRIER_SPIN, i + CARRIER_VELOCITY
        lx, ly, lz = local[i], local[i + LANES], local[i + 2 * LANES]
        rx = carrier[m] * lx + carrier[m + LANES] * ly + carrier[m + 2 * LANES] * lz
        ry = carrier[m + 3 * LANES] * lx + carrier[m + 4 * LANES] * ly + carrier[m + 5 * LANES] * lz
        rz = carrier[m + 6 * LANES] * lx + carrier[m + 7 * LANES] * ly + carrier[m + 8 * LANES] * lz
        sx, sy, sz = carrier[s], carrier[s + LANES], carrier[s + 2 * LANES]
        x[i], x[i + LANES], x[i + 2 * LANES] = (
            carrier[i] + rx,
            carrier[i + LANES] + ry,
            carrier[i + 2 * LANES] + rz,
        )
        v[i] = carrier[u] + sy * rz - sz * ry
        v[i + LANES] = carrier[u + LANES] + sz * rx - sx * rz
        v[i + 2 * LANES] = carrier[u + 2 * LANES] + sx * ry - sy * rx


@inlined
def add_node_wrench(dt, x, force, impulse, carrier, wrench):
    """Add force dt + impulse at a node to what its bodies receive: linear, then angular."""
    for i in range(LANES):
        rx, ry, rz = (
            x[i] - carrier[i],
            x[i + LANES] - carrier[i + LANES],
            x[i + 2 * LANES] - carrier[i + 2 * LANES],
        )
        px = dt * force[i] + impulse[i]
        py = dt * force[i + LANES] + impulse[i + LANES]
        pz = dt * force[i + 2 * LANES] + impulse[i + 2 * LANES]
        wrench[i] += px
        wrench[i + LANES] += py
        wrench[i + 2 * LANES] += pz
        wrench[i + 3 * LANES] += ry * pz - rz * py
        wrench[i + 4 * LANES] += rz * px - rx * pz
        wrench[i + 5 * LANES] += rx * py - ry * px


@kernel
def add_wrenches_to_bodies(end_body, wrench, body_impulse):
    """Hand the sums of a face to its bodies, lane by lane."""
    for i in range(LANES):
        if end_body[i] >= 0:
            pack, lane = end_body[i] // LANES, end_body[i] % LANES
            for row in range(6):
                body_impulse[pack, lane + row * LANES] += wrench[i + row * LANES]


@kernel
def add_face_impulses(model, pack, end, dt, state, scratch, bodies, carrier, wrench, body_impulse):
    """What the start (end = 0) or end face (1) of a pack's blocks gives to the bodies."""
    first, stop = face_nodes(model, pack, end)
    if first == stop:
        return
    end_body = model.end_body[pack, end]
    load_centres(end_body, bodies.rows, carrier)
    wrench[:] = 0
    for n in range(first, stop):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        add_node_wrench(
            dt, state.position[a:b], scratch.force[a:b], scratch.impulse[a:b], carrier, wrench
        )
    add_wrenches_to_bodies(end_body, wrench, body_impulse)


@kernel
def place_face(model, pack, end, state, bodies, frame, carrier):
    """Move the carried nodes of a face with their bodies."""
    first, stop = face_nodes(model, pack, end)
    if first == stop:
        return
    load_carriers(model.end_body[pack, end], bodies.rows, frame, carrier)
    for n in range(first, stop):
        a, b = n * NODE_ROWS, (n + 1) * NODE_ROWS
        place_node(model.local[a:b], carrier, state.position[a:b], state.velocity[a:b])


@kernel
def face_nodes(model, pack, end):
    """Range of the carried nodes of a face; empty where the face is free."""
    start = model.pack_start[pack]
    if end == 0:
        return start, start + model.free_start[pack]
    return start + model.free_stop[pack], model.pack_start[pack + 1]
