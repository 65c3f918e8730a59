"""What a meeting does to links: forces that stay the same through the steps of a part of a frame.

A push acts along a line that is fixed in the world. So what it adds to the momentum and to the
angular momentum about any point is known before the part begins, and is the opposite of what the
other side gets.

Steps in local coordinates keep momentum only to the first order: a link turns at its new speed, and
velocities are turned by the old one. A pushed tree gets this back after each step. What acts on it
from outside follows from the accelerations,

    W = sum over links of  I a + v x* I v ,

and its root takes, as if all joints were locked, what is missing of  momentum + h W .
"""

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import (
    add,
    add3,
    apply,
    cross,
    load3,
    load6,
    load9,
    turn_in,
    turn_out,
)
from skitter.rigid.tree.forward import COUPLING, MOVING, hand_over, solve_free, sweep_speeds
from skitter.rigid.tree.layout import (
    ARTICULATED,
    AXES,
    FORCE,
    FREE,
    GAIN,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    SHIFT,
    SPEED,
    V_AT,
)
from skitter.rigid.tree.springs import push_point
from skitter.rigid.tree.touching import local

# columns of a push: link, leg that feels it or -1, point of the world, force, normal of the contact
PUSH_LINK, PUSH_LEG, PUSH_AT, PUSH_FORCE, PUSH_NORMAL, PUSH_ROW = 0, 1, 2, 5, 8, 11


@kernel
def push_links(pushes, place, axes, seconds, work, touches, count):
    """Apply all pushes."""
    flat, none, still = axes.reshape(len(axes), 9), (0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(len(pushes)):
        push = pushes[k]
        i, leg = int(push[PUSH_LINK]), int(push[PUSH_LEG])
        R = load9(flat[i], 0)
        x = local(R, load3(place[i], 0), load3(push, PUSH_AT))
        f, n = turn_in(R, load3(push, PUSH_FORCE)), turn_in(R, load3(push, PUSH_NORMAL))
        push_point(work, i, x, f, still, n, none, none, seconds, leg, 1.0, touches, count)


@inlined
def apply_own(number, w, v):
    """A link's own inertia times a spatial vector."""
    m, h = number[MASS], load3(number, MOMENT)
    f = cross(w, h)
    n = add(apply(load6(number, INERTIA), w), cross(h, v))
    return n, (m * v[0] + f[0], m * v[1] + f[1], m * v[2] + f[2])


@inlined
def add_wrench(total, R, o, n, f, scale):
    """Add a wrench on a link, in its axes at its origin, to one of the world about its origin."""
    f = turn_out(R, (scale * f[0], scale * f[1], scale * f[2]))
    n = turn_out(R, (scale * n[0], scale * n[1], scale * n[2]))
    add3(total, 0, add(n, cross(o, f)))
    add3(total, 3, f)


@kernel
def mark_pushed(index, root, pushes, pushed):
    """Mark the free roots of the trees that are pushed."""
    for i in range(len(index)):
        pushed[i] = 0
    for k in range(len(pushes)):
        r = root[int(pushes[k, PUSH_LINK])]
        if index[r, KIND] == FREE:
            pushed[r] = 1


@kernel
def note_momentum(number, root, pushed, place, axes, work, momentum):
    """Momentum of all pushed trees, after the sweep of speeds."""
    flat = axes.reshape(len(axes), 9)
    for i in range(len(root)):
        for k in range(6):
            momentum[i, k] = 0.0
    for i in range(len(root)):
        if pushed[root[i]]:
            row = work[i]
            n, f = apply_own(number[i], load3(row, SPEED), load3(row, SPEED + 3))
            add_wrench(momentum[root[i]], load9(flat[i], 0), load3(place[i], 0), n, f, 1.0)


@kernel
def expect_momentum(number, root, pushed, place, axes, gravity, seconds, work, momentum):
    """Momentum of all pushed trees at the end of a step, from accelerations at its start."""
    flat, down = axes.reshape(len(axes), 9), load3(gravity, 0)
    for i in range(len(root)):
        if not pushed[root[i]]:
            continue
        row, R = work[i], load9(flat[i], 0)
        w, v, a = load3(row, SPEED), load3(row, SPEED + 3), load3(row, GAIN)
        # gravity is an acceleration of the world, which is taken off again
        n, f = apply_own(number[i], a, add(load3(row, GAIN + 3), turn_in(R, down)))
        p, q = apply_own(number[i], w, v)
        n, f = add(n, add(cross(w, p), cross(v, q))), add(f, cross(w, q))
        add_wrench(momentum[root[i]], R, load3(place[i], 0), n, f, seconds)


@kernel
def keep_momentum(index, number, root, pushed, momentum, state, work, want, none):
    """Give the roots of pushed trees the velocity that they lack for their momentum.

    `want` and `none` [v] are the joints' torques and what they add to inertias: room here, but a
    root has neither, and so both are zero again afterwards.
    """
    sweep_speeds(index, number, state.q, state.v, work)
    for i in range(len(index)):
        row = work[i]
        n, f = apply_own(number[i], load3(row, SPEED), load3(row, SPEED + 3))
        row[FORCE], row[FORCE + 1], row[FORCE + 2] = n
        row[FORCE + 3], row[FORCE + 4], row[FORCE + 5] = f
    # inertia and momentum of all that hangs on a link, joints locked
    for back in range(len(index)):
        i = len(index) - 1 - back
        row, parent = work[i], index[i, PARENT]
        if parent >= 0:
            A, B, C = load6(row, ARTICULATED), load9(row, COUPLING), load6(row, MOVING)
            n, f = load3(row, FORCE), load3(row, FORCE + 3)
            hand_over(row, A, B, C, n, f, work[parent])
    for i in range(len(index)):
        if root[i] != i or not pushed[i]:
            continue
        row, at = work[i], index[i, V_AT]
        R, o = load9(row, AXES), load3(row, SHIFT)
        f = load3(momentum[i], 3)
        t, arm = load3(momentum[i], 0), cross(o, f)
        n, f = turn_in(R, (t[0] - arm[0], t[1] - arm[1], t[2] - arm[2])), turn_in(R, f)
        for k in range(3):
            want[at + k], want[at + 3 + k] = n[k], f[k]
        zero = (0.0, 0.0, 0.0)
        x, y = solve_free(row, want, at, none, zero, zero)
        add3(state.v, at, x)
        add3(state.v, at + 3, y)
        for k in range(6):
            want[at + k] = 0.0
