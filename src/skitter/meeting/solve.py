"""The impulses of a meeting, all of them at once.

What an owner does with an impulse is its own affair: it tells the velocities of the points at which
it is touched, and how each of them answers to an impulse at each other one,

    v_i = v_i0 + sum over its points j of  R_ij p_j ,

R is its *response* [3 m, 3 m]: of a free rigid body 1/m and the inverse inertia, of a tree of links
or a soft body the inverse of what its step solves. So both sides of a contact get equal and
opposite impulses at the same point of the world, whatever they are made of, and momentum is exact.

A contact wants its parting speed n.u to be at least -gap/h while there is a gap, so that it closes
at most, and a small speed apart where there is an overlap. Friction is a disc of radius mu times
the normal impulse. No restitution.

Legs that carry a part are a motor of limited strength and a linear law of force and velocity,
solved together with the contacts at the part's own point:

    q <- clamp(q + (want - v - g q) / (R + g), |q| <= hold),   g = slack / hold .

With a bare limit the weaker of two animals would be pushed back at the full speed of the stronger.
Sweeps go through contacts and motors in their order (Gauss and Seidel; Moreau 1999).
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.meeting.find import GAP, GRIP, NORMAL

SWEEPS = 24
PUSH_OUT = 0.2  # of an overlap, in a sub-frame
NOBODY = -1
# columns of Touches.motor: wanted velocity, largest impulse, slack speed
WANT, HOLD, SLACK, MOTOR_ROW = 0, 3, 4, 5


class Touches(NamedTuple):
    """The points at which owners are touched; contact c has the points 2 c and 2 c + 1, the motors
    follow. Points of one owner have consecutive slots."""

    owner: np.ndarray  # [point] int64, NOBODY for what does not move
    slot: np.ndarray  # [point] int64, among all points of its owner
    first: np.ndarray  # [owner] int64, where its response begins in `response`
    many: np.ndarray  # [owner] int64, of its points
    point: np.ndarray  # [owner's points in slots, all owners one after the other] int64
    start: np.ndarray  # [owner] int64, first of its points in `point`
    velocity: np.ndarray  # [point, 3] cm/s, as it is now
    response: np.ndarray  # [...] cm/s for g cm/s, [3 m, 3 m] of each owner, one after the other
    motor: np.ndarray  # [motor, MOTOR_ROW] cm/s, g cm/s
    impulse: np.ndarray  # [contact, 3] g cm/s, on the first; the second gets the opposite
    drive: np.ndarray  # [motor, 3] g cm/s


@inlined
def push(touches, k, x, y, z):
    """Give point k an impulse: all points of its owner answer."""
    o = touches.owner[k]
    if o == NOBODY:
        return
    many, at = touches.many[o], 3 * touches.slot[k]
    for j in range(many):
        other, base = touches.point[touches.start[o] + j], touches.first[o] + 9 * many * j
        for i in range(3):
            line = base + 3 * many * i + at
            touches.velocity[other, i] += (
                touches.response[line] * x
                + touches.response[line + 1] * y
                + touches.response[line + 2] * z
            )


@inlined
def own_response(touches, k, i, j):
    """How point k answers along i to an impulse on itself along j."""
    o = touches.owner[k]
    if o == NOBODY:
        return 0.0
    many, at = touches.many[o], 3 * touches.slot[k]
    return touches.response[touches.first[o] + 3 * many * (at + i) + at + j]


@inlined
def along(touches, k, n):
    """How point k answers along n to an impulse along n."""
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += n[i] * n[j] * own_response(touches, k, i, j)
    return total


@inlined
def ease(touches, k):
    """The trace of how point k answers to itself: no direction answers more."""
    total = 0.0
    for i in range(3):
        total += own_response(touches, k, i, i)
    return total


@kernel
def press(contact, touches, c, seconds, push_speed):
    """One contact: its normal impulse, then friction within its disc."""
    a, b = 2 * c, 2 * c + 1
    n = (contact[c, NORMAL], contact[c, NORMAL + 1], contact[c, NORMAL + 2])
    p, v = touches.impulse, touches.velocity
    gap = contact[c, GAP]
    wanted = -gap / seconds if gap > 0.0 else min(-PUSH_OUT * gap / seconds, push_speed)
    # the normal impulse, which only pushes
    mobility = along(touches, a, n) + along(touches, b, n)
    if mobility <= 0.0:
        return
    speed = 0.0
    before = 0.0
    for i in range(3):
        speed += n[i] * (v[a, i] - v[b, i])
        before += n[i] * p[c, i]
    after = max(before + (wanted - speed) / mobility, 0.0)
    more = after - before
    x, y, z = more * n[0], more * n[1], more * n[2]
    p[c, 0], p[c, 1], p[c, 2] = p[c, 0] + x, p[c, 1] + y, p[c, 2] + z
    push(touches, a, x, y, z)
    push(touches, b, -x, -y, -z)
    # friction against what is left of the sliding
    ux, uy, uz = v[a, 0] - v[b, 0], v[a, 1] - v[b, 1], v[a, 2] - v[b, 2]
    out = ux * n[0] + uy * n[1] + uz * n[2]
    ux, uy, uz = ux - out * n[0], uy - out * n[1], uz - out * n[2]
    # no direction along the surface answers more than the trace of what is left of the response
    give = 1.0 / max(ease(touches, a) + ease(touches, b) - mobility, 0.1 * mobility)
    fx = p[c, 0] - after * n[0] - give * ux
    fy = p[c, 1] - after * n[1] - give * uy
    fz = p[c, 2] - after * n[2] - give * uz
    size, most = np.sqrt(fx * fx + fy * fy + fz * fz), contact[c, GRIP] * after
    scale = most / size if size > most else 1.0
    x = after * n[0] + scale * fx - p[c, 0]
    y = after * n[1] + scale * fy - p[c, 1]
    z = after * n[2] + scale * fz - p[c, 2]
    p[c, 0], p[c, 1], p[c, 2] = p[c, 0] + x, p[c, 1] + y, p[c, 2] + z
    push(touches, a, x, y, z)
    push(touches, b, -x, -y, -z)


@kernel
def drive(touches, m, k):
    """One motor, at point k: towards the speed it wants, as strongly as it can."""
    motor, q, v = touches.motor, touches.drive, touches.velocity
    hold = motor[m, HOLD]
    if hold <= 0.0:
        return
    slack = motor[m, SLACK] / hold
    mobility = 0.0
    for i in range(3):
        mobility = max(mobility, own_response(touches, k, i, i))
    wanted = (
        q[m, 0] + (motor[m, WANT] - v[k, 0] - slack * q[m, 0]) / (mobility + slack),
        q[m, 1] + (motor[m, WANT + 1] - v[k, 1] - slack * q[m, 1]) / (mobility + slack),
        q[m, 2] + (motor[m, WANT + 2] - v[k, 2] - slack * q[m, 2]) / (mobility + slack),
    )
    size = np.sqrt(wanted[0] ** 2 + wanted[1] ** 2 + wanted[2] ** 2)
    scale = hold / size if size > hold else 1.0
    x, y, z = scale * wanted[0] - q[m, 0], scale * wanted[1] - q[m, 1], scale * wanted[2] - q[m, 2]
    q[m, 0], q[m, 1], q[m, 2] = q[m, 0] + x, q[m, 1] + y, q[m, 2] + z
    push(touches, k, x, y, z)


@kernel
def solve(contact, count, touches, seconds, push_speed, sweeps):
    """Impulses of all contacts and motors; velocities of all points become those after them."""
    motors = len(touches.motor)
    touches.impulse[:count] = 0.0
    touches.drive[:] = 0.0
    for _ in range(sweeps):
        for m in range(motors):
            drive(touches, m, 2 * count + m)
        for c in range(count):
            press(contact, touches, c, seconds, push_speed[c])
