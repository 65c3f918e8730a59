"""Forward dynamics of a tree of links: Featherstone's articulated bodies, McKenna 1990 eq. 1-3.

Three sweeps, O(n), in body-local coordinates:

1. outwards: velocities, and of each link its own inertia I and bias force v x* I v (eq. 1);
2. inwards: each link's articulated inertia and bias force (eq. 2) go over to its parent, less what
   its joint gives way to:  Ia = IA - U U'/D,  pa = pA + Ia c + U u/D,  with U = IA S, D = S'U and
   u = tau - S'pA (Featherstone 1987);
3. outwards: accelerations of the joints (eq. 3 at a free root),  qdd = (u - U'a')/D,
   a' = X a_parent + c.

Gravity is an acceleration of the world upwards. Between the first sweep and the second others may
add what they like to the links' inertias and forces: that is how implicit steps get their stiffness
in (`implicit.py`).
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import (
    add,
    add3,
    add6,
    add9,
    apply,
    cross,
    dot,
    invert_symmetric,
    load3,
    load6,
    load9,
    multiply,
    quaternion_axes,
    store3,
    store6,
    store9,
    subtract6,
    symmetric_part,
    transpose,
    turn_about_z,
    turn_general,
    turn_in,
    turn_out,
    turn_symmetric,
    unfold,
)
from skitter.rigid.tree.layout import (
    ABOUT,
    ALONG,
    ARTICULATED,
    AXES,
    BALL,
    BIAS,
    FORCE,
    GAIN,
    INERTIA,
    INVERSE,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PLACE,
    PUSH,
    Q_AT,
    REACH,
    SHIFT,
    SINGLE,
    SPEED,
    TURN,
    V_AT,
)

COUPLING, MOVING = ARTICULATED + 6, ARTICULATED + 15


@inlined
def pose_joint(kind, number, q, at):
    """Axes of a link in its parent's, and its origin from its parent's."""
    R, r = load9(number, TURN), load3(number, PLACE)
    if kind == SINGLE:
        angle, way = number[ABOUT] * q[at], number[ALONG] * q[at]
        r = (r[0] + R[2] * way, r[1] + R[5] * way, r[2] + R[8] * way)
        return turn_about_z(R, np.cos(angle), np.sin(angle)), r
    if kind == BALL:
        return multiply(R, quaternion_axes(q[at], q[at + 1], q[at + 2], q[at + 3])), r
    r = add(r, turn_out(R, load3(q, at)))
    return multiply(R, quaternion_axes(q[at + 3], q[at + 4], q[at + 5], q[at + 6])), r


@inlined
def joint_speed(kind, number, v, at):
    """What a joint adds to the velocity of its link."""
    if kind == SINGLE:
        zero = 0.0
        return (zero, zero, number[ABOUT] * v[at]), (zero, zero, number[ALONG] * v[at])
    if kind == BALL:
        return load3(v, at), (0.0, 0.0, 0.0)
    return load3(v, at), load3(v, at + 3)


@inlined
def start_link(number, w, v, jw, jv, row):
    """Velocity, velocity product, own inertia and bias force of a link."""
    store3(row, SPEED, w)
    store3(row, SPEED + 3, v)
    store3(row, BIAS, cross(w, jw))
    store3(row, BIAS + 3, add(cross(w, jv), cross(v, jw)))
    m, h, S = number[MASS], load3(number, MOMENT), load6(number, INERTIA)
    store6(row, ARTICULATED, S)
    zero = 0.0
    store9(row, COUPLING, (zero, -h[2], h[1], h[2], zero, -h[0], -h[1], h[0], zero))
    store6(row, MOVING, (m, zero, zero, m, zero, m))
    n, f = add(apply(S, w), cross(h, v)), cross(w, h)
    f = (m * v[0] + f[0], m * v[1] + f[1], m * v[2] + f[2])  # momentum
    store3(row, FORCE, add(cross(w, n), cross(v, f)))
    store3(row, FORCE + 3, cross(w, f))


@kernel
def sweep_speeds(index, number, q, v, work):
    """The first sweep: poses in the parents, velocities, inertias and bias forces."""
    for i in range(len(index)):
        row, parent, kind = work[i], index[i, PARENT], index[i, KIND]
        R, r = pose_joint(kind, number[i], q, index[i, Q_AT])
        store9(row, AXES, R)
        store3(row, SHIFT, r)
        jw, jv = joint_speed(kind, number[i], v, index[i, V_AT])
        if parent < 0:
            start_link(number[i], jw, jv, jw, jv, row)
            continue
        above = work[parent]
        w, o = load3(above, SPEED), load3(above, SPEED + 3)
        start_link(
            number[i],
            add(turn_in(R, w), jw),
            add(turn_in(R, add(o, cross(w, r))), jv),
            jw,
            jv,
            row,
        )


@inlined
def hand_over(row, A, B, C, n, f, above):
    """Add an inertia and a force of a link to its parent's.

    With G = B + [r] C in the parent's axes, the coupling there is G and the turning part
    A - G [r] + [r] B', of which six numbers are enough.
    """
    R, r = load9(row, AXES), load3(row, SHIFT)
    A, B, C = turn_symmetric(R, A), turn_general(R, B), turn_symmetric(R, C)
    x, y, z = r
    G = (
        B[0] + y * C[2] - z * C[1], B[1] + y * C[4] - z * C[3], B[2] + y * C[5] - z * C[4],
        B[3] + z * C[0] - x * C[2], B[4] + z * C[1] - x * C[4], B[5] + z * C[2] - x * C[5],
        B[6] + x * C[1] - y * C[0], B[7] + x * C[3] - y * C[1], B[8] + x * C[4] - y * C[2],
    )  # fmt: skip
    above[ARTICULATED] += A[0] - (G[1] * z - G[2] * y) + (y * B[2] - z * B[1])
    above[ARTICULATED + 1] += A[1] - (G[2] * x - G[0] * z) + (y * B[5] - z * B[4])
    above[ARTICULATED + 2] += A[2] - (G[0] * y - G[1] * x) + (y * B[8] - z * B[7])
    above[ARTICULATED + 3] += A[3] - (G[5] * x - G[3] * z) + (z * B[3] - x * B[5])
    above[ARTICULATED + 4] += A[4] - (G[3] * y - G[4] * x) + (z * B[6] - x * B[8])
    above[ARTICULATED + 5] += A[5] - (G[6] * y - G[7] * x) + (x * B[7] - y * B[6])
    add9(above, COUPLING, G)
    add6(above, MOVING, C)
    n, f = turn_out(R, n), turn_out(R, f)
    add3(above, FORCE, add(n, cross(r, f)))
    add3(above, FORCE + 3, f)


@inlined
def apply_inertia(row, w, v):
    """The articulated inertia of a link times a spatial vector."""
    A, B, C = load6(row, ARTICULATED), load9(row, COUPLING), load6(row, MOVING)
    return add(apply(A, w), turn_out(B, v)), add(turn_in(B, w), apply(C, v))


@inlined
def release_single(number, torque, extra, row, above):
    """Pass a link on its joint of one degree of freedom on to its parent."""
    a, b = number[ABOUT], number[ALONG]
    A, B, C = load6(row, ARTICULATED), load9(row, COUPLING), load6(row, MOVING)
    n, f = load3(row, FORCE), load3(row, FORCE + 3)
    U = (a * A[2] + b * B[2], a * A[4] + b * B[5], a * A[5] + b * B[8])
    V = (a * B[6] + b * C[2], a * B[7] + b * C[4], a * B[8] + b * C[5])
    inverse = 1.0 / (a * U[2] + b * V[2] + extra)
    push = torque - a * n[2] - b * f[2]
    store3(row, REACH, U)
    store3(row, REACH + 3, V)
    row[INVERSE], row[PUSH] = inverse, push
    g = push * inverse
    p, q = (
        (inverse * U[0], inverse * U[1], inverse * U[2]),
        (
            inverse * V[0],
            inverse * V[1],
            inverse * V[2],
        ),
    )
    A = (
        A[0] - p[0] * U[0], A[1] - p[0] * U[1], A[2] - p[0] * U[2],
        A[3] - p[1] * U[1], A[4] - p[1] * U[2], A[5] - p[2] * U[2],
    )  # fmt: skip
    B = (
        B[0] - p[0] * V[0], B[1] - p[0] * V[1], B[2] - p[0] * V[2],
        B[3] - p[1] * V[0], B[4] - p[1] * V[1], B[5] - p[1] * V[2],
        B[6] - p[2] * V[0], B[7] - p[2] * V[1], B[8] - p[2] * V[2],
    )  # fmt: skip
    C = (
        C[0] - q[0] * V[0], C[1] - q[0] * V[1], C[2] - q[0] * V[2],
        C[3] - q[1] * V[1], C[4] - q[1] * V[2], C[5] - q[2] * V[2],
    )  # fmt: skip
    cw, cv = load3(row, BIAS), load3(row, BIAS + 3)
    n = add(n, add(add(apply(A, cw), turn_out(B, cv)), (g * U[0], g * U[1], g * U[2])))
    f = add(f, add(add(turn_in(B, cw), apply(C, cv)), (g * V[0], g * V[1], g * V[2])))
    hand_over(row, A, B, C, n, f, above)


@inlined
def release_ball(torque, extra, row, above):
    """Pass a link on a ball joint on to its parent: S is the turning half, U = [A; B']."""
    A, B, C = load6(row, ARTICULATED), load9(row, COUPLING), load6(row, MOVING)
    n, f = load3(row, FORCE), load3(row, FORCE + 3)
    D = invert_symmetric((A[0] + extra[0], A[1], A[2], A[3] + extra[1], A[4], A[5] + extra[2]))
    push = (torque[0] - n[0], torque[1] - n[1], torque[2] - n[2])
    store6(row, REACH, D)
    store3(row, PUSH, push)
    full, bent = unfold(A), transpose(B)
    through, across = multiply(full, unfold(D)), multiply(bent, unfold(D))  # U D^-1
    g = apply(D, push)
    n, f = add(n, apply(A, g)), add(f, turn_in(B, g))
    M = multiply(through, B)
    A = subtract6(A, symmetric_part(through, full))
    C = subtract6(C, symmetric_part(across, bent))
    B = (
        B[0] - M[0], B[1] - M[1], B[2] - M[2], B[3] - M[3], B[4] - M[4], B[5] - M[5], B[6] - M[6],
        B[7] - M[7], B[8] - M[8],
    )  # fmt: skip
    cw, cv = load3(row, BIAS), load3(row, BIAS + 3)
    n = add(n, add(apply(A, cw), turn_out(B, cv)))
    f = add(f, add(turn_in(B, cw), apply(C, cv)))
    hand_over(row, A, B, C, n, f, above)


@inlined
def release_free(n, f, row, above):
    """Pass the force of a free joint on to the link that it starts from: no inertia goes over."""
    R, r = load9(row, AXES), load3(row, SHIFT)
    n, f = turn_out(R, n), turn_out(R, f)
    add3(above, FORCE, add(n, cross(r, f)))
    add3(above, FORCE + 3, f)


@kernel
def sweep_inertias(index, number, torque, extra, work):
    """The second sweep: articulated inertias and bias forces, from the leaves to the root.

    `extra` [v] is added to what each joint has to move, for joint forces that grow with its
    acceleration, as those of implicit steps do.
    """
    for back in range(len(index)):
        i = len(index) - 1 - back
        parent, kind, at = index[i, PARENT], index[i, KIND], index[i, V_AT]
        row = work[i]
        above = work[parent if parent >= 0 else len(index)]  # the last: for what the world takes
        if kind == SINGLE:
            release_single(number[i], torque[at], extra[at], row, above)
        elif kind == BALL:
            release_ball(load3(torque, at), load3(extra, at), row, above)
        elif parent >= 0:  # free of its parent but for the joint's own force
            release_free(load3(torque, at), load3(torque, at + 3), row, above)


@inlined
def solve_free(row, torque, at, extra, aw, av):
    """Acceleration of a free link by its articulated inertia, eq. 3: two blocks of three.

    With [A B; B' C][x; y] = [n; f]: the Schur complement of C, which is the heavier block.
    """
    A, B, C = load6(row, ARTICULATED), load9(row, COUPLING), load6(row, MOVING)
    p, q = apply_inertia(row, aw, av)
    A = (A[0] + extra[at], A[1], A[2], A[3] + extra[at + 1], A[4], A[5] + extra[at + 2])
    C = (C[0] + extra[at + 3], C[1], C[2], C[3] + extra[at + 4], C[4], C[5] + extra[at + 5])
    p, q = add(p, load3(row, FORCE)), add(q, load3(row, FORCE + 3))
    n = (torque[at] - p[0], torque[at + 1] - p[1], torque[at + 2] - p[2])
    f = (torque[at + 3] - q[0], torque[at + 4] - q[1], torque[at + 5] - q[2])
    D = invert_symmetric(C)
    M = multiply(B, unfold(D))
    left = invert_symmetric(subtract6(A, symmetric_part(M, B)))
    u = turn_out(M, f)
    x = apply(left, (n[0] - u[0], n[1] - u[1], n[2] - u[2]))
    w = turn_in(B, x)
    return x, apply(D, (f[0] - w[0], f[1] - w[1], f[2] - w[2]))


@kernel
def sweep_accelerations(index, number, torque, extra, gravity, work, gain):
    """The third sweep: accelerations of joints, into `gain` [v], and of links."""
    for i in range(len(index)):
        row, parent, kind, at = work[i], index[i, PARENT], index[i, KIND], index[i, V_AT]
        R, r = load9(row, AXES), load3(row, SHIFT)
        if parent < 0:
            aw = (0.0, 0.0, 0.0)
            av = turn_in(R, (-gravity[0], -gravity[1], -gravity[2]))
        else:
            above = work[parent]
            w = load3(above, GAIN)
            aw = turn_in(R, w)
            av = turn_in(R, add(load3(above, GAIN + 3), cross(w, r)))
        aw, av = add(aw, load3(row, BIAS)), add(av, load3(row, BIAS + 3))
        if kind == SINGLE:
            U, V = load3(row, REACH), load3(row, REACH + 3)
            g = (row[PUSH] - dot(U, aw) - dot(V, av)) * row[INVERSE]
            gain[at] = g
            aw = (aw[0], aw[1], aw[2] + number[i, ABOUT] * g)
            av = (av[0], av[1], av[2] + number[i, ALONG] * g)
        elif kind == BALL:
            n = add(apply(load6(row, ARTICULATED), aw), turn_out(load9(row, COUPLING), av))
            u = load3(row, PUSH)
            g3 = apply(load6(row, REACH), (u[0] - n[0], u[1] - n[1], u[2] - n[2]))
            store3(gain, at, g3)
            aw = add(aw, g3)
        else:
            x, y = solve_free(row, torque, at, extra, aw, av)
            store3(gain, at, x)
            store3(gain, at + 3, y)
            aw, av = add(aw, x), add(av, y)
        store3(row, GAIN, aw)
        store3(row, GAIN + 3, av)


@kernel
def accelerate(index, number, q, v, torque, gravity, extra, work, gain):
    """Accelerations of all joints under joint forces and gravity alone."""
    sweep_speeds(index, number, q, v, work)
    sweep_inertias(index, number, torque, extra, work)
    sweep_accelerations(index, number, torque, extra, gravity, work, gain)


@kernel
def accelerate_rows(index, number, q, v, torque, gravity, extra, work, gain):
    """The same for many states [n, ...], one after the other."""
    for k in range(len(q)):
        accelerate(index, number, q[k], v[k], torque[k], gravity, extra, work, gain[k])
