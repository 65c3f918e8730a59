"""How a tree answers to impulses at some of its points, within a step as long as a part of a frame.

The linearly implicit step of that length solves  (M + J'(h C + h² K) J) a = ... , and what it has
found of articulated inertias serves for any further force: a force at a point goes inwards to the
root, and accelerations come back outwards. A unit of force over the step is a unit of impulse for
each second of it, so the accelerations per force are the velocities per impulse. Springs, dampers,
pads and the ground are in it: a stiff leg answers as little as it will give way.

Forces between two links of a loop do not change with what is pushed (`springs.level_pairs`).
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
    store3,
    turn_in,
    turn_out,
)
from skitter.rigid.tree.forward import COUPLING, sweep_accelerations
from skitter.rigid.tree.layout import (
    ABOUT,
    ALONG,
    ARTICULATED,
    AXES,
    BALL,
    BIAS,
    DRIFT,
    FORCE,
    GAIN,
    INVERSE,
    KIND,
    PARENT,
    PUSH,
    REACH,
    SHIFT,
    SINGLE,
)
from skitter.rigid.tree.springs import point_speed
from skitter.rigid.tree.steps import find_gain
from skitter.rigid.tree.touching import local


@inlined
def point_gain(row, x):
    """How a point of a link accelerates by joints alone, in the link's axes."""
    a, d = load3(row, GAIN), load3(row, DRIFT)
    w = (a[0] - d[0], a[1] - d[1], a[2] - d[2])
    t = cross(w, x)
    return (
        t[0] + row[GAIN + 3] - row[DRIFT + 3],
        t[1] + row[GAIN + 4] - row[DRIFT + 4],
        t[2] + row[GAIN + 5] - row[DRIFT + 5],
    )


@inlined
def clear_forces(work):
    """Nothing acts on any link."""
    for i in range(len(work)):
        for k in range(6):
            work[i, FORCE + k] = 0.0
        for k in range(3):
            work[i, PUSH + k] = 0.0


@kernel
def carry_inwards(index, number, i, work):
    """Take the force on link i from joint to joint to its root, by inertias that are known."""
    while i >= 0:
        row, parent, kind = work[i], index[i, PARENT], index[i, KIND]
        n, f = load3(row, FORCE), load3(row, FORCE + 3)
        if kind == SINGLE:
            row[PUSH] = -number[i, ABOUT] * n[2] - number[i, ALONG] * f[2]
            g = row[PUSH] * row[INVERSE]
            U, V = load3(row, REACH), load3(row, REACH + 3)
            n = (n[0] + g * U[0], n[1] + g * U[1], n[2] + g * U[2])
            f = (f[0] + g * V[0], f[1] + g * V[1], f[2] + g * V[2])
        elif kind == BALL:
            push = (-n[0], -n[1], -n[2])
            store3(row, PUSH, push)
            g3 = apply(load6(row, REACH), push)
            n = add(n, apply(load6(row, ARTICULATED), g3))
            f = add(f, turn_in(load9(row, COUPLING), g3))
        else:
            return
        if parent >= 0:
            R, r = load9(row, AXES), load3(row, SHIFT)
            n, f = turn_out(R, n), turn_out(R, f)
            add3(work[parent], FORCE, add(n, cross(r, f)))
            add3(work[parent], FORCE + 3, f)
        i = parent


@kernel
def answer_points(system, outside, state, seconds, room, felt, link, point, velocity, response):
    """Velocities [n, 3] of points [n, 3] of links [n] at the end of a step without impulses, and
    how impulses at each other change them [3 n, 3 n]; link -1 does not move."""
    find_gain(system, outside, state, 0.0, seconds, seconds, room, felt)
    work, place, flat = room.work, room.place, room.axes.reshape(len(room.axes), 9)
    many = len(link)
    for k in range(many):
        v = (0.0, 0.0, 0.0)
        if link[k] >= 0:
            row, R = work[link[k]], load9(flat[link[k]], 0)
            x = local(R, load3(place[link[k]], 0), load3(point[k], 0))
            u, a = point_speed(row, x), point_gain(row, x)
            v = (u[0] + seconds * a[0], u[1] + seconds * a[1], u[2] + seconds * a[2])
            v = turn_out(R, v)
        store3(velocity[k], 0, v)
    # from here on only what one force changes
    for i in range(len(work)):
        for k in range(6):
            work[i, BIAS + k] = 0.0
    for k in range(len(room.torque)):
        room.torque[k] = 0.0
    for j in range(3 * many):
        i, c = link[j // 3], j % 3
        clear_forces(work)
        if i >= 0:
            R = load9(flat[i], 0)
            x = local(R, load3(place[i], 0), load3(point[j // 3], 0))
            f = turn_in(R, (1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)))
            t = cross(x, f)
            add3(work[i], FORCE, (-t[0], -t[1], -t[2]))
            add3(work[i], FORCE + 3, (-f[0], -f[1], -f[2]))
            carry_inwards(system.links, system.number, i, work)
        sweep_accelerations(
            system.links, system.number, room.torque, room.extra, (0.0, 0.0, 0.0), work, room.gain
        )
        for k in range(many):
            a = (0.0, 0.0, 0.0)
            if link[k] >= 0:
                row, R = work[link[k]], load9(flat[link[k]], 0)
                x = local(R, load3(place[link[k]], 0), load3(point[k], 0))
                a = turn_out(R, add(load3(row, GAIN + 3), cross(load3(row, GAIN), x)))
            for axis in range(3):
                response[3 * k + axis, j] = a[axis]
