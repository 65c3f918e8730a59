"""How a body keeps a shape of its own, whatever lies under it: what a coiled millipede does.

Muscles hold the parts of a body to each other and not to the world. So every step fits the wanted
shape to where the parts are, by shape matching (Müller, Heidelberger, Teschner and Gross 2005; the
rotation as Müller, Bender, Chentanez and Macklin 2016 extract it), and draws each part to its place
in the fitted shape. What that does to the spin of the whole is taken out again, so that momentum
and angular momentum of the whole stay as they were: a coil falls, slides and is pushed as one body.

Two things come from outside: while it winds up or unwinds, its legs keep it flat on the ground
(`lean`) and carry it while it rolls over, as they do while it walks; and of a dead one nothing is
drawn at all.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.bodies import (
    from_body,
    read_axes,
    read_position,
    read_spin,
    read_velocity,
    to_body,
    write_vector,
)
from skitter.control.targeter import write_spin
from skitter.rigid.bodies import VELOCITY

HOLD_RATE = 100.0  # 1/s, how fast a part goes to its place
HOLD_TIME = 0.003  # s in which it takes up that speed
LEANS = 0.2  # rad from the ground's plane, above which legs bear its weight
LEAN_GAIN = 10.0  # 1/s
ROUNDS = 3  # of the fit, in each step
FLAT, CARRIED = 1, 2  # what legs do: only keep it flat, or let it down and lift it; 0: nothing


class Curl(NamedTuple):
    """The shape that a body takes during a frame, and what it is fitted to it by."""

    mass: np.ndarray  # [body] g
    place: np.ndarray  # [2, body, 3] cm, centres of mass at the frame's begin and end
    turn: np.ndarray  # [2, body, 4] w x y z, from the part's axes to those of the shape
    fit: np.ndarray  # [4] w x y z, from the shape's axes to the world; changes
    lean: np.ndarray  # [7] what legs do, rate [rad/s], the ground's normal, side, rise [cm/s]
    strength: np.ndarray  # [1] 0 limp, 1 held


@inlined
def quaternion_to_axes(w, x, y, z):
    """Rotation matrix, row by row."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inlined
def multiply_axes(A, B):
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inlined
def read_goal(curl, b, share):
    """Place and axes of a body in the shape, so far into the frame."""
    p, q, late = curl.place, curl.turn, 1.0 - share
    w = late * q[0, b, 0] + share * q[1, b, 0]
    x = late * q[0, b, 1] + share * q[1, b, 1]
    y = late * q[0, b, 2] + share * q[1, b, 2]
    z = late * q[0, b, 3] + share * q[1, b, 3]
    size = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    return (
        (
            late * p[0, b, 0] + share * p[1, b, 0],
            late * p[0, b, 1] + share * p[1, b, 1],
            late * p[0, b, 2] + share * p[1, b, 2],
        ),
        quaternion_to_axes(size * w, size * x, size * y, size * z),
    )


@inlined
def read_turning(curl, b, seconds):
    """Spin of a body within the shape during the frame, rad/s, in the shape's axes."""
    q, twice = curl.turn, 2.0 / seconds
    w0, x0, y0, z0 = q[0, b, 0], q[0, b, 1], q[0, b, 2], q[0, b, 3]
    w1, x1, y1, z1 = q[1, b, 0], q[1, b, 1], q[1, b, 2], q[1, b, 3]
    # the vector part of q1 times q0 turned back, which is half of the small turn between them
    return (
        twice * (x1 * w0 - w1 * x0 - y1 * z0 + z1 * y0),
        twice * (y1 * w0 - w1 * y0 - z1 * x0 + x1 * z0),
        twice * (z1 * w0 - w1 * z0 - x1 * y0 + y1 * x0),
    )


@inlined
def find_middle(curl, bodies):
    """Centre of mass and its velocity."""
    mass, x, y, z, u, v, w = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(len(curl.mass)):
        m = curl.mass[b]
        px, py, pz = read_position(bodies, b)
        vx, vy, vz = read_velocity(bodies, b)
        mass += m
        x, y, z = x + m * px, y + m * py, z + m * pz
        u, v, w = u + m * vx, v + m * vy, w + m * vz
    return (x / mass, y / mass, z / mass), (u / mass, v / mass, w / mass)


@kernel
def fit_shape(curl, share, middle, reach, bodies, frame):
    """Turn `fit` to where the shape lies best on the bodies; `reach` weighs their axes, cm."""
    a00, a01, a02, a10, a11, a12 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a20, a21, a22 = 0.0, 0.0, 0.0
    square = reach * reach
    for b in range(len(curl.mass)):
        m = curl.mass[b]
        (qx, qy, qz), G = read_goal(curl, b, share)
        px, py, pz = read_position(bodies, b)
        px, py, pz = m * (px - middle[0]), m * (py - middle[1]), m * (pz - middle[2])
        R = read_axes(frame, b)
        s = m * square
        a00 += px * qx + s * (R[0] * G[0] + R[1] * G[1] + R[2] * G[2])
        a01 += px * qy + s * (R[0] * G[3] + R[1] * G[4] + R[2] * G[5])
        a02 += px * qz + s * (R[0] * G[6] + R[1] * G[7] + R[2] * G[8])
        a10 += py * qx + s * (R[3] * G[0] + R[4] * G[1] + R[5] * G[2])
        a11 += py * qy + s * (R[3] * G[3] + R[4] * G[4] + R[5] * G[5])
        a12 += py * qz + s * (R[3] * G[6] + R[4] * G[7] + R[5] * G[8])
        a20 += pz * qx + s * (R[6] * G[0] + R[7] * G[1] + R[8] * G[2])
        a21 += pz * qy + s * (R[6] * G[3] + R[7] * G[4] + R[8] * G[5])
        a22 += pz * qz + s * (R[6] * G[6] + R[7] * G[7] + R[8] * G[8])
    fit = curl.fit
    for _ in range(ROUNDS):
        F = quaternion_to_axes(fit[0], fit[1], fit[2], fit[3])
        wx = F[3] * a20 - F[6] * a10 + F[4] * a21 - F[7] * a11 + F[5] * a22 - F[8] * a12
        wy = F[6] * a00 - F[0] * a20 + F[7] * a01 - F[1] * a21 + F[8] * a02 - F[2] * a22
        wz = F[0] * a10 - F[3] * a00 + F[1] * a11 - F[4] * a01 + F[2] * a12 - F[5] * a02
        d = F[0] * a00 + F[3] * a10 + F[6] * a20 + F[1] * a01 + F[4] * a11 + F[7] * a21
        d = abs(d + F[2] * a02 + F[5] * a12 + F[8] * a22) + 1e-12
        turn_fit(fit, wx / d, wy / d, wz / d)


@inlined
def turn_fit(fit, wx, wy, wz):
    """Turn a quaternion by a rotation vector of the world."""
    angle = np.sqrt(wx * wx + wy * wy + wz * wz)
    c = np.cos(0.5 * angle)
    s = 0.5 if angle < 1e-9 else np.sin(0.5 * angle) / angle
    x, y, z = s * wx, s * wy, s * wz
    w0, x0, y0, z0 = fit[0], fit[1], fit[2], fit[3]
    w1 = c * w0 - x * x0 - y * y0 - z * z0
    x1 = c * x0 + x * w0 + y * z0 - z * y0
    y1 = c * y0 + y * w0 + z * x0 - x * z0
    z1 = c * z0 + z * w0 + x * y0 - y * x0
    size = 1.0 / np.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    fit[0], fit[1], fit[2], fit[3] = size * w1, size * x1, size * y1, size * z1


@inlined
def turn_inertia(R, i):
    """Inertia of a part in the world, from xx xy xz yy yz zz in its own axes."""
    K = multiply_axes(R, (i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]))
    return multiply_axes(K, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))


@kernel
def sum_rotation(curl, inertia, middle, speed, bodies, frame):
    """Angular momentum of the whole about its centre of mass, g cm²/s, and its inertia as
    xx xy xz yy yz zz, g cm²."""
    lx, ly, lz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(len(curl.mass)):
        m, K = curl.mass[b], turn_inertia(read_axes(frame, b), inertia[b])
        px, py, pz = read_position(bodies, b)
        vx, vy, vz = read_velocity(bodies, b)
        px, py, pz = px - middle[0], py - middle[1], pz - middle[2]
        vx, vy, vz = m * (vx - speed[0]), m * (vy - speed[1]), m * (vz - speed[2])
        sx, sy, sz = read_spin(frame, b)
        ax, ay, az = from_body(K, sx, sy, sz)
        lx, ly = lx + py * vz - pz * vy + ax, ly + pz * vx - px * vz + ay
        lz += px * vy - py * vx + az
        xx += m * (py * py + pz * pz) + K[0]
        yy += m * (px * px + pz * pz) + K[4]
        zz += m * (px * px + py * py) + K[8]
        xy, xz = xy - m * px * py + K[1], xz - m * px * pz + K[2]
        yz += K[5] - m * py * pz
    return (lx, ly, lz), (xx, xy, xz, yy, yz, zz)


@inlined
def find_spin(momentum, inertia):
    """Spin of a rigid body that has this angular momentum, rad/s."""
    xx, xy, xz, yy, yz, zz = inertia
    lx, ly, lz = momentum
    # the inverse of the symmetric matrix, by its cofactors
    c00, c01, c02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    c11, c12, c22 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    d = 1.0 / (xx * c00 + xy * c01 + xz * c02)
    return (
        d * (c00 * lx + c01 * ly + c02 * lz),
        d * (c01 * lx + c11 * ly + c12 * lz),
        d * (c02 * lx + c12 * ly + c22 * lz),
    )


@inlined
def turn_flat(lean, F, spin):
    """What legs make of the spin of the whole: the plane of the coil, across its z, comes to lie on
    the ground. And whether they bear its weight meanwhile."""
    kind = int(lean[0])
    if kind == 0:
        return spin, False
    gx, gy, gz = -lean[5] * lean[2], -lean[5] * lean[3], -lean[5] * lean[4]
    cx = F[5] * gz - F[8] * gy
    cy = F[8] * gx - F[2] * gz
    cz = F[2] * gy - F[5] * gx
    across = np.sqrt(cx * cx + cy * cy + cz * cz)
    angle = np.arctan2(across, F[2] * gx + F[5] * gy + F[8] * gz)
    rate = min(LEAN_GAIN * angle, lean[1]) / max(across, 1e-6)
    return (rate * cx, rate * cy, rate * cz), kind != FLAT or angle > LEANS


@inlined
def bear(lean, speed, is_borne):
    """The velocity of the whole; one that is borne rises as legs push it, and one that they let
    down or lift stays over its feet."""
    if not is_borne:
        return speed
    n = (lean[2], lean[3], lean[4])
    if int(lean[0]) != FLAT:
        return lean[6] * n[0], lean[6] * n[1], lean[6] * n[2]
    lack = lean[6] - (speed[0] * n[0] + speed[1] * n[1] + speed[2] * n[2])
    return speed[0] + lack * n[0], speed[1] + lack * n[1], speed[2] + lack * n[2]


@inlined
def turn_left(R, G):
    """Rotation vector that takes axes R to axes G, for small turns, in the world."""
    return (
        0.5 * (R[3] * G[6] - R[6] * G[3] + R[4] * G[7] - R[7] * G[4] + R[5] * G[8] - R[8] * G[5]),
        0.5 * (R[6] * G[0] - R[0] * G[6] + R[7] * G[1] - R[1] * G[7] + R[8] * G[2] - R[2] * G[8]),
        0.5 * (R[0] * G[3] - R[3] * G[0] + R[1] * G[4] - R[4] * G[1] + R[2] * G[5] - R[5] * G[2]),
    )


@kernel
def draw_parts(
    curl, inertia, free, share, seconds, blend, weight, middle, goal, spin, bodies, frame
):  # fmt: skip
    """Draw velocities and spins to those of the shape, which moves as `goal` and `spin` say."""
    fit = curl.fit
    F = quaternion_to_axes(fit[0], fit[1], fit[2], fit[3])
    for b in range(len(curl.mass)):
        if not free[b]:
            continue
        (qx, qy, qz), G = read_goal(curl, b, share)
        qx, qy, qz = from_body(F, qx, qy, qz)
        ux = (curl.place[1, b, 0] - curl.place[0, b, 0]) / seconds
        uy = (curl.place[1, b, 1] - curl.place[0, b, 1]) / seconds
        uz = (curl.place[1, b, 2] - curl.place[0, b, 2]) / seconds
        ux, uy, uz = from_body(F, ux, uy, uz)
        px, py, pz = read_position(bodies, b)
        vx, vy, vz = read_velocity(bodies, b)
        gx = goal[0] + spin[1] * qz - spin[2] * qy + ux + HOLD_RATE * (middle[0] + qx - px)
        gy = goal[1] + spin[2] * qx - spin[0] * qz + uy + HOLD_RATE * (middle[1] + qy - py)
        gz = goal[2] + spin[0] * qy - spin[1] * qx + uz + HOLD_RATE * (middle[2] + qz - pz)
        write_vector(
            bodies.rows, VELOCITY, b, vx + blend * (gx - vx), vy + blend * (gy - vy) + weight,
            vz + blend * (gz - vz),
        )  # fmt: skip
        R = read_axes(frame, b)
        tx, ty, tz = turn_left(R, multiply_axes(F, G))
        rx, ry, rz = read_turning(curl, b, seconds)
        rx, ry, rz = from_body(F, rx, ry, rz)
        sx, sy, sz = read_spin(frame, b)
        sx += blend * (spin[0] + rx + HOLD_RATE * tx - sx)
        sy += blend * (spin[1] + ry + HOLD_RATE * ty - sy)
        sz += blend * (spin[2] + rz + HOLD_RATE * tz - sz)
        wx, wy, wz = to_body(R, sx, sy, sz)
        write_spin(inertia, R, b, wx, wy, wz, bodies, frame)


@kernel
def add_spin(inertia, free, middle, spin, bodies, frame):
    """Turn all parts as one piece about the centre of mass, by so much more."""
    for b in range(len(free)):
        if not free[b]:
            continue
        px, py, pz = read_position(bodies, b)
        px, py, pz = px - middle[0], py - middle[1], pz - middle[2]
        vx, vy, vz = read_velocity(bodies, b)
        vx += spin[1] * pz - spin[2] * py
        vy += spin[2] * px - spin[0] * pz
        vz += spin[0] * py - spin[1] * px
        write_vector(bodies.rows, VELOCITY, b, vx, vy, vz)
        R = read_axes(frame, b)
        sx, sy, sz = read_spin(frame, b)
        wx, wy, wz = to_body(R, sx + spin[0], sy + spin[1], sz + spin[2])
        write_spin(inertia, R, b, wx, wy, wz, bodies, frame)


@kernel
def hold_shape(curl, inertia, free, share, seconds, dt, gravity, bodies, frame):
    """Draw all bodies to their places in the fitted shape; `share` is how much of the frame, of so
    many `seconds`, has passed. Unless legs hold it, the whole keeps its angular momentum."""
    if curl.strength[0] <= 0.0:
        return
    middle, speed = find_middle(curl, bodies)
    reach = np.sqrt((inertia[0, 0] + inertia[0, 3] + inertia[0, 5]) / max(curl.mass[0], 1e-12))
    fit_shape(curl, share, middle, reach, bodies, frame)
    fit = curl.fit
    F = quaternion_to_axes(fit[0], fit[1], fit[2], fit[3])
    before, whole = sum_rotation(curl, inertia, middle, speed, bodies, frame)
    spin, is_borne = turn_flat(curl.lean, F, find_spin(before, whole))
    goal = bear(curl.lean, speed, is_borne)
    weight = dt * gravity if is_borne else 0.0
    blend = min(1.0, dt / HOLD_TIME) * curl.strength[0]
    draw_parts(
        curl, inertia, free, share, seconds, blend, weight, middle, goal, spin, bodies, frame
    )
    if curl.lean[0] == 0.0:
        after, _ = sum_rotation(curl, inertia, middle, speed, bodies, frame)
        lost = (before[0] - after[0], before[1] - after[1], before[2] - after[2])
        add_spin(inertia, free, middle, find_spin(lost, whole), bodies, frame)
