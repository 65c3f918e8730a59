"""Free rigid bodies, a pack of them side by side: gravity, impulses and gyroscopic motion.

A body is kept as its centre of mass, velocity, orientation and *world angular momentum*
(Baraff 1997): without torque that vector simply stays, so angular momentum is conserved to the
last bit whatever the orientation does. The orientation takes a midpoint step,

    w  = I^-1(q) L,  q' = q turned by w dt/2;   w' = I^-1(q') L,  q_new = q turned by w' dt ,

which is second order. Arrays are rows of lanes, as in elastic/tets.py.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import LANES, inlined, kernel
from skitter.elastic.tets import rotation_matrix

# rows of the state of a pack of bodies
POSITION, VELOCITY, ORIENTATION, ANGULAR_MOMENTUM, STATE_ROWS = (
    LANES * k for k in (0, 3, 6, 10, 13)
)
# rows of what follows from the state: spin, rotation matrix, inverse inertia in the world
SPIN, MATRIX, INVERSE_INERTIA, FRAME_ROWS = (LANES * k for k in (0, 3, 12, 18))
# rows of the model: inverse mass, inverse inertia in the body (xx xy xz yy yz zz), gravity's share
MODEL_INVERSE_MASS, MODEL_INVERSE_INERTIA, MODEL_GRAVITY, MODEL_ROWS = (
    LANES * k for k in (0, 1, 7, 8)
)


class BodyModel(NamedTuple):
    """What does not change about the rigid bodies of a creature; the last axis holds lanes.

    Bodies are numbered pack * LANES + lane; spare lanes hold bodies that nothing moves.
    """

    rows: np.ndarray  # [pack, MODEL_ROWS] see above; g, g cm²; zero for fixed bodies
    probe: np.ndarray  # [pack, probe, 4 LANES] points tested for contact, body frame; radius, cm
    body_count: int  # lanes that hold a body
    corner_count: int  # so many of the probes suffice on a plane
    reach: np.ndarray  # [pack, LANES] farthest probe, cm; negative where nothing can touch
    friction: float
    restitution: float


class BodyState(NamedTuple):
    """What changes; the last axis holds lanes."""

    rows: np.ndarray  # [pack, STATE_ROWS] see above; cm, cm/s, w x y z, g cm²/s; world frame
    impulse: np.ndarray  # [pack, probe, 3 LANES] contact impulse of the last step, g cm/s


@inlined
def world_inverse_inertia(model, i, R):
    """R I^-1 R^T of lane i as xx xy xz yy yz zz."""
    k = i + MODEL_INVERSE_INERTIA
    xx, xy, xz = model[k], model[k + LANES], model[k + 2 * LANES]
    yy, yz, zz = model[k + 3 * LANES], model[k + 4 * LANES], model[k + 5 * LANES]
    a0, a1, a2 = (
        R[0] * xx + R[1] * xy + R[2] * xz,
        R[0] * xy + R[1] * yy + R[2] * yz,
        R[0] * xz + R[1] * yz + R[2] * zz,
    )
    b0, b1, b2 = (
        R[3] * xx + R[4] * xy + R[5] * xz,
        R[3] * xy + R[4] * yy + R[5] * yz,
        R[3] * xz + R[4] * yz + R[5] * zz,
    )
    c0, c1, c2 = (
        R[6] * xx + R[7] * xy + R[8] * xz,
        R[6] * xy + R[7] * yy + R[8] * yz,
        R[6] * xz + R[7] * yz + R[8] * zz,
    )
    return (
        a0 * R[0] + a1 * R[1] + a2 * R[2],
        a0 * R[3] + a1 * R[4] + a2 * R[5],
        a0 * R[6] + a1 * R[7] + a2 * R[8],
        b0 * R[3] + b1 * R[4] + b2 * R[5],
        b0 * R[6] + b1 * R[7] + b2 * R[8],
        c0 * R[6] + c1 * R[7] + c2 * R[8],
    )


@inlined
def apply_symmetric(K, x, y, z):
    """K times a vector, K given as xx xy xz yy yz zz."""
    return (
        K[0] * x + K[1] * y + K[2] * z,
        K[1] * x + K[3] * y + K[4] * z,
        K[2] * x + K[4] * y + K[5] * z,
    )


@inlined
def turn(w, x, y, z, hx, hy, hz):
    """Quaternion turned in the world by twice the half angles h, normalised."""
    nw = w - hx * x - hy * y - hz * z
    nx = x + hx * w + hy * z - hz * y
    ny = y + hy * w + hz * x - hx * z
    nz = z + hz * w + hx * y - hy * x
    s = type(w)(1) / np.sqrt(nw * nw + nx * nx + ny * ny + nz * nz)
    return nw * s, nx * s, ny * s, nz * s


@inlined
def turn_out(frame, i, x, y, z):
    """A vector of the frame of lane i's body in the world."""
    m = i + MATRIX
    return (
        frame[m] * x + frame[m + LANES] * y + frame[m + 2 * LANES] * z,
        frame[m + 3 * LANES] * x + frame[m + 4 * LANES] * y + frame[m + 5 * LANES] * z,
        frame[m + 6 * LANES] * x + frame[m + 7 * LANES] * y + frame[m + 8 * LANES] * z,
    )


@kernel
def update_frames(model, state, frame):
    """Spin, rotation matrix and inverse inertia of a pack, from orientation and momentum."""
    for i in range(LANES):
        q, m = i + ORIENTATION, i + ANGULAR_MOMENTUM
        R = rotation_matrix(state[q], state[q + LANES], state[q + 2 * LANES], state[q + 3 * LANES])
        K = world_inverse_inertia(model, i, R)
        wx, wy, wz = apply_symmetric(K, state[m], state[m + LANES], state[m + 2 * LANES])
        frame[i], frame[i + LANES], frame[i + 2 * LANES] = wx, wy, wz
        r, k = i + MATRIX, i + INVERSE_INERTIA
        frame[r], frame[r + LANES], frame[r + 2 * LANES] = R[0], R[1], R[2]
        frame[r + 3 * LANES], frame[r + 4 * LANES], frame[r + 5 * LANES] = R[3], R[4], R[5]
        frame[r + 6 * LANES], frame[r + 7 * LANES], frame[r + 8 * LANES] = R[6], R[7], R[8]
        frame[k], frame[k + LANES], frame[k + 2 * LANES] = K[0], K[1], K[2]
        frame[k + 3 * LANES], frame[k + 4 * LANES], frame[k + 5 * LANES] = K[3], K[4], K[5]


@kernel
def add_impulses(model, impulse, gravity_change, state, frame):
    """Velocity and angular momentum after gravity and the impulses (linear, angular) of a step."""
    for i in range(LANES):
        m, v, a, k = model[i], i + VELOCITY, i + ANGULAR_MOMENTUM, i + INVERSE_INERTIA
        g = model[i + MODEL_GRAVITY]
        state[v] += m * impulse[i] + g * gravity_change[0]
        state[v + LANES] += m * impulse[i + LANES] + g * gravity_change[1]
        state[v + 2 * LANES] += m * impulse[i + 2 * LANES] + g * gravity_change[2]
        state[a] += impulse[i + 3 * LANES]
        state[a + LANES] += impulse[i + 4 * LANES]
        state[a + 2 * LANES] += impulse[i + 5 * LANES]
        K = (
            frame[k],
            frame[k + LANES],
            frame[k + 2 * LANES],
            frame[k + 3 * LANES],
            frame[k + 4 * LANES],
            frame[k + 5 * LANES],
        )
        wx, wy, wz = apply_symmetric(K, state[a], state[a + LANES], state[a + 2 * LANES])
        frame[i], frame[i + LANES], frame[i + 2 * LANES] = wx, wy, wz


@kernel
def advance_poses(model, frame, dt, state):
    """Position and orientation after dt; `frame` holds the spin of the new angular momentum."""
    half = dt * state.dtype.type(0.5)
    quarter = dt * state.dtype.type(0.25)
    for i in range(LANES):
        p, v, q, m = i + POSITION, i + VELOCITY, i + ORIENTATION, i + ANGULAR_MOMENTUM
        state[p] += dt * state[v]
        state[p + LANES] += dt * state[v + LANES]
        state[p + 2 * LANES] += dt * state[v + 2 * LANES]
        w, x, y, z = state[q], state[q + LANES], state[q + 2 * LANES], state[q + 3 * LANES]
        mw, mx, my, mz = turn(
            w,
            x,
            y,
            z,
            quarter * frame[i],
            quarter * frame[i + LANES],
            quarter * frame[i + 2 * LANES],
        )
        K = world_inverse_inertia(model, i, rotation_matrix(mw, mx, my, mz))
        sx, sy, sz = apply_symmetric(K, state[m], state[m + LANES], state[m + 2 * LANES])
        w, x, y, z = turn(w, x, y, z, half * sx, half * sy, half * sz)
        state[q], state[q + LANES], state[q + 2 * LANES], state[q + 3 * LANES] = w, x, y, z
