"""Contact and Coulomb friction of rigid bodies with the terrain, by impulses (Baraff 1997).

Every body carries probes: points, or small spheres, fixed to it, which together outline it (the
corners of a box, balls along a capsule). A step finds the gap between each probe and the terrain
and then looks for impulses such that, at every probe,

    v.n >= target,  impulse.n >= 0,  one of the two being equal,
    |tangential impulse| <= mu impulse.n, opposite to the slip, or no slip at all.

`target` is -gap/dt ahead of a contact, so that a body may close the gap but not pass it; minus the
restitution times the approach speed when it hits; and a gentle push outwards when it is inside.
The impulses are found by Gauss-Seidel sweeps that start from those of the step before: in resting
contact they are then already right, and nothing creeps. Bodies meet each other only through the
soft blocks between them, so every body is solved on its own, a pack of them side by side.
"""

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.friction import pair_friction
from skitter.rigid.bodies import (
    ANGULAR_MOMENTUM,
    INVERSE_INERTIA,
    POSITION,
    VELOCITY,
    apply_symmetric,
    turn_out,
)  # fmt: skip
from skitter.terrain.ray import sample_from
from skitter.terrain.surface import FAR, PLANE, sample

# rows of a contact
ARM, NORMAL, GAP, FRICTION, RESTITUTION, APPROACH, TARGET, NORMAL_MASS, SLIP_MASS, CONTACT_ROWS = (
    LANES * k for k in (0, 3, 6, 7, 8, 9, 10, 11, 12, 13)
)
SWEEPS = 4  # in resting contact, where the impulses of the step before are nearly right
IMPACT_SWEEPS = 40  # in a step in which something hits, and nothing is known beforehand
PUSH_RATE = 30.0  # 1/s, how fast a body is moved out of the terrain, per depth
REBOUND_STEPS = 4.0  # approach slower than so many steps of gravity does not rebound


@inlined
def pair_restitution(a, b):
    """Restitution of two materials: the geometric mean, as game engines have it."""
    return np.sqrt(a * b)


@inlined
def probe_arm(frame, probe, i):
    """From the centre of mass of lane i to its probe, in the world."""
    return turn_out(frame, i, probe[i], probe[i + LANES], probe[i + 2 * LANES])


@inlined
def write_contact(i, ax, ay, az, nx, ny, nz, distance, radius, contact):
    """Arm of the point of the probe's ball that is nearest to the terrain, normal and gap."""
    n = i + NORMAL
    contact[i] = ax - nx * radius
    contact[i + LANES] = ay - ny * radius
    contact[i + 2 * LANES] = az - nz * radius
    contact[n], contact[n + LANES], contact[n + 2 * LANES] = nx, ny, nz
    contact[i + GAP] = distance - radius


@kernel
def find_gaps_on_plane(normal, offset, state, frame, probe, near, friction, restitution, contact):
    """Contact of one probe of a pack's bodies with a single plane n.x = offset."""
    nx, ny, nz = normal[0], normal[1], normal[2]
    far = state.dtype.type(FAR)
    for i in range(LANES):
        p, radius = i + POSITION, probe[i + 3 * LANES]
        ax, ay, az = probe_arm(frame, probe, i)
        x, y, z = state[p] + ax, state[p + LANES] + ay, state[p + 2 * LANES] + az
        above = nx * x + ny * y + nz * z - offset
        above = above if near[i] else far
        write_contact(i, ax, ay, az, nx, ny, nz, above, radius, contact)
        contact[i + FRICTION], contact[i + RESTITUTION] = friction, restitution


@kernel
def find_gaps(terrain, state, frame, probe, near, friction, restitution, contact):
    """The same over any terrain, for the lanes that are near it; the others get a wide gap."""
    for i in range(LANES):
        if not near[i]:
            write_contact(i, 0, 0, 0, 0, 0, 0, FAR, 0, contact)
            continue
        p, radius = i + POSITION, probe[i + 3 * LANES]
        ax, ay, az = probe_arm(frame, probe, i)
        x, y, z = state[p] + ax, state[p + LANES] + ay, state[p + 2 * LANES] + az
        cx, cy, cz = state[p], state[p + LANES], state[p + 2 * LANES]
        distance, nx, ny, nz, k = sample_from(terrain, cx, cy, cz, x, y, z)
        write_contact(i, ax, ay, az, nx, ny, nz, distance, radius, contact)
        contact[i + FRICTION] = pair_friction(friction, terrain.friction[k])
        contact[i + RESTITUTION] = pair_restitution(restitution, terrain.restitution[k])


@inlined
def point_velocity(state, frame, contact, i):
    """Velocity of the contact point of lane i."""
    v = i + VELOCITY
    rx, ry, rz = contact[i], contact[i + LANES], contact[i + 2 * LANES]
    wx, wy, wz = frame[i], frame[i + LANES], frame[i + 2 * LANES]
    return (
        state[v] + wy * rz - wz * ry,
        state[v + LANES] + wz * rx - wx * rz,
        state[v + 2 * LANES] + wx * ry - wy * rx,
    )


@inlined
def load_inverse_inertia(frame, i):
    k = i + INVERSE_INERTIA
    return (
        frame[k], frame[k + LANES], frame[k + 2 * LANES],
        frame[k + 3 * LANES], frame[k + 4 * LANES], frame[k + 5 * LANES],
    )  # fmt: skip


@inlined
def push(model, contact, px, py, pz, i, state, frame):
    """Apply an impulse at the contact point of lane i."""
    v, a = i + VELOCITY, i + ANGULAR_MOMENTUM
    rx, ry, rz = contact[i], contact[i + LANES], contact[i + 2 * LANES]
    tx, ty, tz = ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px
    wx, wy, wz = apply_symmetric(load_inverse_inertia(frame, i), tx, ty, tz)
    state[v] += model[i] * px
    state[v + LANES] += model[i] * py
    state[v + 2 * LANES] += model[i] * pz
    state[a] += tx
    state[a + LANES] += ty
    state[a + 2 * LANES] += tz
    frame[i] += wx
    frame[i + LANES] += wy
    frame[i + 2 * LANES] += wz


@kernel
def measure_approach(state, frame, contact):
    """Speed of one probe of a pack's bodies towards the terrain (negative when it comes closer)."""
    for i in range(LANES):
        vx, vy, vz = point_velocity(state, frame, contact, i)
        n = i + NORMAL
        contact[i + APPROACH] = (
            vx * contact[n] + vy * contact[n + LANES] + vz * contact[n + 2 * LANES]
        )


@kernel
def is_touching(dt, contact, impulse):
    """Whether any of a pack's bodies would enter the terrain in this step, or pressed on it in the
    last."""
    touching = False
    for i in range(LANES):
        touching |= contact[i + GAP] + dt * contact[i + APPROACH] < 0
        touching |= impulse[i] != 0 or impulse[i + LANES] != 0 or impulse[i + 2 * LANES] != 0
    return touching


@kernel
def prepare_contacts(model, frame, dt, gravity, rebound_speed, contact, hit):
    """Target speed and effective masses of one probe; hit marks bodies that strike the terrain."""
    real = frame.dtype.type
    one, zero = real(1), real(0)
    rate, tiny = real(PUSH_RATE), real(1e-30)
    for i in range(LANES):
        nx, ny, nz = (
            contact[i + NORMAL],
            contact[i + NORMAL + LANES],
            contact[i + NORMAL + 2 * LANES],
        )
        rx, ry, rz = contact[i], contact[i + LANES], contact[i + 2 * LANES]
        gap, approach = contact[i + GAP], contact[i + APPROACH]
        hits = (gap + dt * approach < zero) & (approach < -rebound_speed)
        # the speed to give back is that before this step's gravity, or energy would grow
        before, bounce = approach + dt * gravity * ny, contact[i + RESTITUTION]
        rebound = -bounce * before if hits and bounce > zero else -real(FAR)
        hit[i] = one if hits else hit[i]
        keep_out = -gap / dt if gap > zero else -gap * rate
        contact[i + TARGET] = max(rebound, keep_out)
        # K = 1/m - [r] I^-1 [r]; its normal part and the trace of its tangential part
        K = load_inverse_inertia(frame, i)
        tx, ty, tz = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
        ux, uy, uz = apply_symmetric(K, tx, ty, tz)
        normal = model[i] + tx * ux + ty * uy + tz * uz
        sx, sy, sz = apply_symmetric(K, rx, ry, rz)
        square, turned = rx * rx + ry * ry + rz * rz, rx * sx + ry * sy + rz * sz
        trace = real(3) * model[i] + (K[0] + K[3] + K[5]) * square - turned
        contact[i + NORMAL_MASS] = one / (normal + tiny) if normal > zero else zero
        contact[i + SLIP_MASS] = one / (trace - normal + tiny) if normal > zero else zero


@kernel
def reuse_impulses(model, contact, impulse, state, frame):
    """Start from the impulses of the last step, made fit for the present normal."""
    zero = state.dtype.type(0)
    for i in range(LANES):
        nx, ny, nz = (
            contact[i + NORMAL],
            contact[i + NORMAL + LANES],
            contact[i + NORMAL + 2 * LANES],
        )
        px, py, pz = impulse[i], impulse[i + LANES], impulse[i + 2 * LANES]
        keep = contact[i + NORMAL_MASS] > zero and px * nx + py * ny + pz * nz > zero
        px, py, pz = px if keep else zero, py if keep else zero, pz if keep else zero
        impulse[i], impulse[i + LANES], impulse[i + 2 * LANES] = px, py, pz
        push(model, contact, px, py, pz, i, state, frame)


@kernel
def forget_impacts(hit, impulse):
    """The impulse of a blow says nothing about the next step."""
    keep = impulse.dtype.type(1)
    for i in range(LANES):
        impulse[i] *= keep - hit[i]
        impulse[i + LANES] *= keep - hit[i]
        impulse[i + 2 * LANES] *= keep - hit[i]


@kernel
def sweep_contacts(model, contact, impulse, state, frame):
    """Improve the impulse of one probe of a pack's bodies: first along the normal, then across."""
    zero, tiny = state.dtype.type(0), state.dtype.type(1e-30)
    for i in range(LANES):
        nx, ny, nz = (
            contact[i + NORMAL],
            contact[i + NORMAL + LANES],
            contact[i + NORMAL + 2 * LANES],
        )
        px, py, pz = impulse[i], impulse[i + LANES], impulse[i + 2 * LANES]
        pn = px * nx + py * ny + pz * nz
        vx, vy, vz = point_velocity(state, frame, contact, i)
        vn = vx * nx + vy * ny + vz * nz
        pressed = max(pn + (contact[i + TARGET] - vn) * contact[i + NORMAL_MASS], zero)
        dn = pressed - pn
        push(model, contact, dn * nx, dn * ny, dn * nz, i, state, frame)
        # slip: the tangential impulse that would stop it, cut to the friction cone
        vx, vy, vz = point_velocity(state, frame, contact, i)
        vn = vx * nx + vy * ny + vz * nz
        mass = contact[i + SLIP_MASS]
        sx, sy, sz = px - pn * nx, py - pn * ny, pz - pn * nz
        tx, ty, tz = (
            sx - mass * (vx - vn * nx),
            sy - mass * (vy - vn * ny),
            sz - mass * (vz - vn * nz),
        )
        limit = contact[i + FRICTION] * pressed
        length = np.sqrt(tx * tx + ty * ty + tz * tz) + tiny
        cut = min(limit / length, state.dtype.type(1))
        tx, ty, tz = tx * cut, ty * cut, tz * cut
        push(model, contact, tx - sx, ty - sy, tz - sz, i, state, frame)
        impulse[i] = pressed * nx + tx
        impulse[i + LANES] = pressed * ny + ty
        impulse[i + 2 * LANES] = pressed * nz + tz


@kernel
def find_near_lanes(terrain, state, frame, reach, carried, dt, clear, near):
    """Which bodies of a pack could touch the terrain in this step; whether any could. Those that
    legs carry are moved by their controller, which keeps them off the ground. `clear` is how far
    each may still move before it could touch anything."""
    any_near = False
    for i in range(LANES):
        near[i] = False
        if carried[i] or reach[i] <= 0:
            clear[i] = 0.0
            continue
        p, v = i + POSITION, i + VELOCITY
        speed = np.sqrt(state[v] ** 2 + state[v + LANES] ** 2 + state[v + 2 * LANES] ** 2)
        spin = np.sqrt(frame[i] ** 2 + frame[i + LANES] ** 2 + frame[i + 2 * LANES] ** 2)
        margin = 2.0 * dt * (speed + spin * abs(reach[i]))
        clear[i] -= 0.5 * margin
        if clear[i] > 0.5 * margin:
            continue
        d, _, _, _, _ = sample(terrain, state[p], state[p + LANES], state[p + 2 * LANES])
        clear[i] = d - reach[i]
        near[i] = clear[i] < margin
        any_near |= near[i]
    return any_near


@inlined
def is_any(marks):
    """Whether any lane is marked."""
    total = marks.dtype.type(0)
    for i in range(LANES):
        total += marks[i]
    return total > 0


@kernel
def is_single_plane(terrain):
    return len(terrain.kind) == 1 and terrain.kind[0] == PLANE


@inlined
def update_clearance(near, contact, count, clear):
    """How far the bodies that were looked at are from the terrain, by their probes."""
    for i in range(LANES):
        if near[i]:
            gap = FAR
            for k in range(count):
                gap = min(gap, contact[k, i + GAP])
            clear[i] = max(gap, 0.0)


@kernel
def find_all_gaps(terrain, model, pack, dt, state, frame, carried, clear, near, contact):
    """Fill the contacts of a pack; returns how many probes were looked at."""
    real = state.dtype.type
    if not find_near_lanes(terrain, state, frame, model.reach[pack], carried, dt, clear, near):
        return 0
    if is_single_plane(terrain):
        n = (real(terrain.axes[0, 0, 1]), real(terrain.axes[0, 1, 1]), real(terrain.axes[0, 2, 1]))
        offset = real(
            terrain.axes[0, 0, 1] * terrain.centre[0, 0]
            + terrain.axes[0, 1, 1] * terrain.centre[0, 1]
            + terrain.axes[0, 2, 1] * terrain.centre[0, 2]
        )
        friction = real(pair_friction(model.friction, terrain.friction[0]))
        restitution = real(pair_restitution(model.restitution, terrain.restitution[0]))
        for k in range(model.corner_count):
            find_gaps_on_plane(
                n,
                offset,
                state,
                frame,
                model.probe[pack, k],
                near,
                friction,
                restitution,
                contact[k],
            )
        update_clearance(near, contact, model.corner_count, clear)
        return model.corner_count
    for k in range(model.probe.shape[1]):
        find_gaps(
            terrain,
            state,
            frame,
            model.probe[pack, k],
            near,
            model.friction,
            model.restitution,
            contact[k],
        )
    update_clearance(near, contact, model.probe.shape[1], clear)
    return model.probe.shape[1]


@kernel
def resolve_contacts(
    terrain, model, pack, dt, gravity, rebound_speed, bodies, frame,
    carried, clear, near, active, hit, contact,
):  # fmt: skip
    """Make the velocities of a pack of bodies respect the terrain."""
    state, impulse = bodies.rows[pack], bodies.impulse[pack]
    rows = model.rows[pack]
    count = find_all_gaps(terrain, model, pack, dt, state, frame, carried, clear, near, contact)
    hit[:] = 0
    touching = 0
    for k in range(count):
        measure_approach(state, frame, contact[k])
        if is_touching(dt, contact[k], impulse[k]):
            prepare_contacts(rows, frame, dt, gravity, rebound_speed, contact[k], hit)
            active[touching] = k
            touching += 1
    for j in range(touching):
        reuse_impulses(rows, contact[active[j]], impulse[active[j]], state, frame)
    for _ in range(IMPACT_SWEEPS if is_any(hit) else SWEEPS):
        for j in range(touching):
            sweep_contacts(rows, contact[active[j]], impulse[active[j]], state, frame)
    for j in range(touching):
        forget_impacts(hit, impulse[active[j]])
    if count == 0:
        impulse[:] = 0
