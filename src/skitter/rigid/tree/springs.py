"""Forces between links and of joints, each with how it changes, so that steps can be implicit.

All forces are given at the start of a step of `seconds`. Where that is zero they are plain forces,
as Runge-Kutta wants them. Else they are those of a linearly implicit Euler step: with a force f at
a point x that moves at v, f_new = f - K h v_new - C (v_new - v), K and C being how f falls with
place and speed, the step has

    (M + J'(h C + h^2 K) J) a = ... + J'(f - h K v) ,

so K and C of a point are a mass at that point, which goes into the articulated inertia of its link,
and those of a joint add to what the joint has to move. Implicit stepping costs no more than the
three sweeps, whatever touches what. That mass must not feel gravity nor the velocities' own
acceleration (`DRIFT`), since only the joints' accelerations change v.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import (
    add,
    add3,
    add6,
    add9,
    cross,
    dot,
    load3,
    load9,
    store3,
    turn_in,
    turn_out,
)  # fmt: skip
from skitter.rigid.tree.forward import COUPLING, MOVING
from skitter.rigid.tree.layout import (
    ARTICULATED,
    AXES,
    BIAS,
    DRIFT,
    FORCE,
    GAIN,
    PARENT,
    SHIFT,
    SPEED,
)  # fmt: skip
from skitter.rigid.tree.system import (
    ALPHA,
    BETA,
    DAMPING,
    EXPONENTIAL,
    HIGH,
    LAW,
    LOW,
    STOP,
)

# columns of a touch that a leg feels: where, on which link, and the implicit step's mass there
TOUCH_LEG, TOUCH_LINK, TOUCH_PRESS, TOUCH_S, TOUCH_D, TOUCH_X, TOUCH_N, TOUCH_F = (
    0, 1, 2, 3, 4, 5, 8, 11,
)  # fmt: skip
TOUCH_PAIR, TOUCH_ROW = 14, 15  # the former: 1 for each of two rows of a force between two links
UNFELT = -2  # instead of a leg: remembered, and felt by none
STEEPEST = 40.0  # exponent beyond which an exponential spring goes on as a straight line


@kernel
def sweep_drift(index, gravity, work):
    """What links would accelerate by if no joint did: gravity, and velocities' products."""
    for i in range(len(index)):
        row, parent = work[i], index[i, PARENT]
        R, r = load9(row, AXES), load3(row, SHIFT)
        if parent < 0:
            w, v = (0.0, 0.0, 0.0), turn_in(R, (-gravity[0], -gravity[1], -gravity[2]))
        else:
            above = work[parent]
            aw = load3(above, DRIFT)
            w, v = turn_in(R, aw), turn_in(R, add(load3(above, DRIFT + 3), cross(aw, r)))
        w, v = add(w, load3(row, BIAS)), add(v, load3(row, BIAS + 3))
        for k in range(3):
            row[DRIFT + k], row[DRIFT + 3 + k] = w[k], v[k]


@inlined
def point_speed(row, x):
    """Velocity of a point of a link, in the link's axes."""
    return add(load3(row, SPEED + 3), cross(load3(row, SPEED), x))


@kernel
def push_point(work, i, x, f, v, n, along, across, seconds, leg, press, touches, count):
    """Apply a force f at a point x of link i that moves at v, all in the link's axes.

    `along` and `across` are (stiffness, damping) along the unit vector n and across it. What `leg`
    feels of it is found after the step (`feel_touches`); `press` is 1 if n is a surface's normal.
    """
    h, row = seconds, work[i]
    vn = dot(v, n)
    k, c = along[0] - across[0], along[1] - across[1]
    f = (
        f[0] - h * (across[0] * v[0] + k * vn * n[0]),
        f[1] - h * (across[0] * v[1] + k * vn * n[1]),
        f[2] - h * (across[0] * v[2] + k * vn * n[2]),
    )
    s, d = h * (across[1] + h * across[0]), h * (c + h * k)  # s I + d n n'
    if leg != -1 and count[0] < len(touches):
        note_touch(touches[count[0]], i, x, f, n, s, d, leg, press)
        count[0] += 1
    if h > 0.0:
        a = add(load3(row, DRIFT + 3), cross(load3(row, DRIFT), x))
        an = d * dot(a, n)
        f = (f[0] + s * a[0] + an * n[0], f[1] + s * a[1] + an * n[1], f[2] + s * a[2] + an * n[2])
        add_mass(row, x, n, s, d)
    t = cross(x, f)
    add3(row, FORCE, (-t[0], -t[1], -t[2]))
    add3(row, FORCE + 3, (-f[0], -f[1], -f[2]))


@inlined
def note_touch(touch, i, x, f, n, s, d, leg, press):
    """Remember a force on a leg: columns of `touches`."""
    touch[TOUCH_LEG], touch[TOUCH_LINK], touch[TOUCH_PRESS] = leg, i, press
    touch[TOUCH_S], touch[TOUCH_D], touch[TOUCH_PAIR] = s, d, 0.0
    store3(touch, TOUCH_X, x)
    store3(touch, TOUCH_N, n)
    store3(touch, TOUCH_F, f)


@inlined
def settle_touch(work, touch):
    """The force of a touch, in its link's axes, less what accelerations took of it."""
    row, x, n = work[int(touch[TOUCH_LINK])], load3(touch, TOUCH_X), load3(touch, TOUCH_N)
    w = (row[GAIN] - row[DRIFT], row[GAIN + 1] - row[DRIFT + 1], row[GAIN + 2] - row[DRIFT + 2])
    a = cross(w, x)
    a = (
        a[0] + row[GAIN + 3] - row[DRIFT + 3],
        a[1] + row[GAIN + 4] - row[DRIFT + 4],
        a[2] + row[GAIN + 5] - row[DRIFT + 5],
    )
    s, an, f = touch[TOUCH_S], touch[TOUCH_D] * dot(a, n), load3(touch, TOUCH_F)
    return f[0] - s * a[0] - an * n[0], f[1] - s * a[1] - an * n[1], f[2] - s * a[2] - an * n[2]


@kernel
def feel_touches(work, axes, touches, count, felt):
    """What legs felt in a step."""
    flat = axes.reshape(len(axes), 9)
    for t in range(count[0]):
        touch, leg = touches[t], int(touches[t, TOUCH_LEG])
        if leg >= 0:
            f = settle_touch(work, touch)
            felt.leg_load[leg] += touch[TOUCH_PRESS] * max(dot(f, load3(touch, TOUCH_N)), 0.0)
            add3(felt.leg_force[leg], 0, turn_out(load9(flat[int(touch[TOUCH_LINK])], 0), f))


@kernel
def level_pairs(work, axes, touches, count, pairs, pair_count):
    """Make forces between two links equal and opposite, for a second solve; how many there are.

    Each link of a pair was let give way as if the other did not, and so the two found different
    forces. The lesser is that of the one which gives way more easily, and it is right for both.
    """
    flat = axes.reshape(len(axes), 9)
    pair_count[0] = 0
    for t in range(count[0]):
        if touches[t, TOUCH_PAIR] == 0.0 or pair_count[0] + 2 > len(pairs):
            continue
        k = pair_count[0]
        for column in range(TOUCH_ROW):
            pairs[k, column] = touches[t, column]
        f = settle_touch(work, touches[t])
        store3(pairs[k], TOUCH_F, turn_out(load9(flat[int(touches[t, TOUCH_LINK])], 0), f))
        pair_count[0] = k + 1
        if k % 2 == 1:
            f, g = load3(pairs[k - 1], TOUCH_F), load3(pairs[k], TOUCH_F)
            if dot(g, g) < dot(f, f):
                f = (-g[0], -g[1], -g[2])
            store3(pairs[k - 1], TOUCH_F, f)
            store3(pairs[k], TOUCH_F, (-f[0], -f[1], -f[2]))
    return pair_count[0]


@kernel
def push_pairs(work, axes, pairs, pair_count, seconds, touches, count):
    """Apply the forces that `level_pairs` has found."""
    flat, none, still = axes.reshape(len(axes), 9), (0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(pair_count[0]):
        pair, i = pairs[k], int(pairs[k, TOUCH_LINK])
        f, x = turn_in(load9(flat[i], 0), load3(pair, TOUCH_F)), load3(pair, TOUCH_X)
        push_point(
            work, i, x, f, still, load3(pair, TOUCH_N), none, none, seconds, int(pair[TOUCH_LEG]),
            pair[TOUCH_PRESS], touches, count,
        )  # fmt: skip


@inlined
def add_mass(row, x, n, s, d):
    """Put the mass s I + d n n' at a point x of a link."""
    u = cross(x, n)  # [x] n: the mass is s I and d along one line
    add6(
        row,
        MOVING,
        (
            s + d * n[0] * n[0], d * n[0] * n[1], d * n[0] * n[2],
            s + d * n[1] * n[1], d * n[1] * n[2], s + d * n[2] * n[2],
        ),
    )  # fmt: skip
    add9(
        row,
        COUPLING,
        (
            d * u[0] * n[0], d * u[0] * n[1] - s * x[2], d * u[0] * n[2] + s * x[1],
            d * u[1] * n[0] + s * x[2], d * u[1] * n[1], d * u[1] * n[2] - s * x[0],
            d * u[2] * n[0] - s * x[1], d * u[2] * n[1] + s * x[0], d * u[2] * n[2],
        ),
    )  # fmt: skip
    q = dot(x, x)
    add6(
        row,
        ARTICULATED,
        (
            s * (q - x[0] * x[0]) + d * u[0] * u[0], d * u[0] * u[1] - s * x[0] * x[1],
            d * u[0] * u[2] - s * x[0] * x[2], s * (q - x[1] * x[1]) + d * u[1] * u[1],
            d * u[1] * u[2] - s * x[1] * x[2], s * (q - x[2] * x[2]) + d * u[2] * u[2],
        ),
    )  # fmt: skip


@inlined
def stretch(law, alpha, beta, x):
    """Force of a spring stretched by x >= 0, and its stiffness there: McKenna 1990 section 3.3."""
    if law == EXPONENTIAL:
        e = np.exp(min(beta * x, STEEPEST))
        over = max(beta * x - STEEPEST, 0.0)
        return alpha * (e * (1.0 + over) - 1.0), alpha * beta * e
    return alpha * x, alpha


@inlined
def joint_force(spring, x, angle):
    """Torque of a joint's spring x beyond its rest, with its stops, and the stiffness."""
    f, k = stretch(spring[LAW], spring[ALPHA], spring[BETA], abs(x))
    f = -f if x > 0 else f
    if angle < spring[LOW]:
        f, k = f + spring[STOP] * (spring[LOW] - angle), k + spring[STOP]
    if angle > spring[HIGH]:
        f, k = f - spring[STOP] * (angle - spring[HIGH]), k + spring[STOP]
    return f, k


@kernel
def pull_balls(system, state, seconds, torque, extra):
    """Torques of ball joints: springs along the vector of their turn, half turns at most."""
    for b in range(len(system.ball)):
        spring, to, at = system.ball_spring[b], system.ball[b, 0], system.ball[b, 1]
        sign = -1.0 if state.q[to] < 0.0 else 1.0
        x, y, z = sign * state.q[to + 1], sign * state.q[to + 2], sign * state.q[to + 3]
        half = np.sqrt(x * x + y * y + z * z)
        angle = 2.0 * np.arctan2(half, sign * state.q[to])
        f, k = stretch(spring[LAW], spring[ALPHA], spring[BETA], angle)
        pull, c = (f / half if half > 1e-9 else 0.0), spring[DAMPING]
        turn = (x, y, z)
        for i in range(3):
            speed = state.v[at + i]
            torque[at + i] = -pull * turn[i] - c * speed - seconds * k * speed
            extra[at + i] = seconds * (c + seconds * k)


@kernel
def pull_joints(system, state, ahead, seconds, torque, extra):
    """Torques of all joints' springs and dampers, with rest angles `ahead` seconds from now."""
    for j in range(len(system.joint_v)):
        spring, at = system.spring[j], system.joint_v[j]
        angle, speed = state.q[system.joint_q[j]], state.v[at]
        rest = state.rest[j] + ahead * state.rest_speed[j]
        f, k = joint_force(spring, angle - rest, angle)
        c = spring[DAMPING]
        torque[at] = f - c * speed - seconds * k * speed
        extra[at] = seconds * (c + seconds * k)


@kernel
def follow_rests(system, state, follow, seconds, torque, extra):
    """Add what springs pull more when their rests go on for so long.

    As stiff as now: a linear step would be far too short where an exponential spring is stretched
    by all of a long way at once.
    """
    for j in range(len(system.joint_v)):
        at = system.joint_v[j]
        stiffness = (extra[at] / seconds - system.spring[j, DAMPING]) / seconds
        torque[at] += stiffness * follow * state.rest_speed[j]
