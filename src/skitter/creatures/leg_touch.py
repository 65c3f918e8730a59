"""The legs of a walker, as others meet them: three rods each, which give way.

The legs of a myriapod are thin and have no mass. A leg that something gets into is turned about its
root, forward or back and up or down, by as much as takes the touched point out along the contact's
normal; one that stands lifts first. Nobody is held by such a leg: its trunk is what others meet.
"""

from typing import TYPE_CHECKING

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.bodies import from_body, read_axes, read_position, read_spin, read_velocity
from skitter.control.leg import compute_bend, compute_tip
from skitter.control.switcher import bend_leg, lift_leg, set_tip, tip_in_segment
from skitter.control.walker import SF1, STANCE
from skitter.meeting.collide import cross, dot
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    HALF,
    LIMB,
    PART,
    RADIUS,
    VELOCITY,
    YIELDS,
    Shapes,
    allocate_shapes,
)

if TYPE_CHECKING:
    from skitter.creatures.myriapod import Myriapod

RODS = 3  # of a leg
HIP = 0.35  # of the first rod, which is not met
MOST_TURN = 0.35  # rad, that a leg gives way by at once
SOFT = 0.05  # of the leg's length: what touches it nearer to its root turns it less


def add_legs(one: "Myriapod", trunk: Shapes) -> Shapes:
    """The shapes of the trunk, then those of all legs, to be placed."""
    legs = one.walker.leg
    shapes = allocate_shapes(len(trunk.row) + RODS * len(legs.side))
    shapes.row[: len(trunk.row)], shapes.tag[: len(trunk.row)] = trunk
    rods = slice(len(trunk.row), None)
    thick = one.species.leg.thickness * legs.length / one.species.leg.length
    shapes.row[rods, RADIUS] = np.repeat(thick, RODS)
    shapes.row[rods, -1] = one.body.friction
    shapes.tag[rods, LIMB] = YIELDS
    shapes.tag[rods, PART] = len(trunk.row) + np.repeat(np.arange(len(legs.side)), RODS)
    return shapes


@inlined
def lay_rod(row, p, q, radius, speed):
    """Make a shape the rod between two points, with round ends."""
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    length = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-12)
    x, y, z = dx / length, dy / length, dz / length
    # any two axes across it
    if abs(y) < 0.9:
        s = np.sqrt(x * x + z * z)
        u = (-z / s, 0.0, x / s)
    else:
        s = np.sqrt(x * x + y * y)
        u = (y / s, -x / s, 0.0)
    w = (y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0])
    for i in range(3):
        row[CENTRE + i] = 0.5 * (p[i] + q[i])
        row[VELOCITY + i] = speed[i]
        row[AXES + 3 * i + 1], row[AXES + 3 * i + 2] = u[i], w[i]
    row[AXES], row[AXES + 3], row[AXES + 6] = x, y, z
    row[HALF], row[HALF + 1], row[HALF + 2] = 0.5 * length, 0.0, 0.0
    row[RADIUS] = radius


@inlined
def find_joints(legs, walker, k, middle_link, R, p):
    """Knee, ankle and tip of leg k from its root, in the segment's axes."""
    theta, alpha, beta = walker.leg_angle[k, 0], walker.leg_angle[k, 1], walker.leg_angle[k, 2]
    if walker.leg_state[k] == STANCE:
        tip = tip_in_segment(legs, walker, k, R, p[0], p[1], p[2])
        theta, alpha, beta = compute_bend(
            legs.upper[k], legs.rod[k], legs.psi[k], legs.side[k], tip[0], tip[1], tip[2]
        )
    else:
        tip = compute_tip(legs.upper[k], legs.rod[k], legs.psi[k], legs.side[k], theta, alpha, beta)
    x, z = np.sin(theta), legs.side[k] * np.cos(theta)
    out, up = legs.upper[k] * np.cos(alpha), legs.upper[k] * np.sin(alpha)
    knee = (out * x, up, out * z)
    out = out + middle_link * np.cos(alpha - beta)
    return knee, (out * x, up + middle_link * np.sin(alpha - beta), out * z), tip


@inlined
def find_speed(legs, walker, k, rod, r, v, w):
    """About how fast a rod at r from the middle of its segment moves: as the segment does, and a
    standing leg less and less towards its foot; a swinging one by its swing besides. It tells how
    near is near."""
    share, swing = 1.0, legs.pose_speed[k, walker.leg_state[k]] * legs.length[k]
    if walker.leg_state[k] == STANCE:
        share, swing = 1.0 - (rod + 0.5) / RODS, 0.0
    return (
        share * (v[0] + w[1] * r[2] - w[2] * r[1]) + swing,
        share * (v[1] + w[2] * r[0] - w[0] * r[2]),
        share * (v[2] + w[0] * r[1] - w[1] * r[0]),
    )


@kernel
def place_legs(legs, walker, middle_link, bodies, frame, row):
    """Bring the rods of all legs to where the legs are; `middle_link` [leg] cm, knee to ankle."""
    for k in range(len(legs.side)):
        b = k // 2 + 1
        R, p = read_axes(frame, b), read_position(bodies, b)
        v, w = read_velocity(bodies, b), read_spin(frame, b)
        knee, ankle, tip = find_joints(legs, walker, k, middle_link[k], R, p)
        root = legs.root[k]
        for rod in range(RODS):
            a = knee if rod == 1 else ankle
            if rod == 0:  # its hip is a part of the trunk
                a = (HIP * knee[0], HIP * knee[1], HIP * knee[2])
            c = knee if rod == 0 else ankle if rod == 1 else tip
            a = from_body(R, root[0] + a[0], root[1] + a[1], root[2] + a[2])
            c = from_body(R, root[0] + c[0], root[1] + c[1], root[2] + c[2])
            r = (0.5 * (a[0] + c[0]), 0.5 * (a[1] + c[1]), 0.5 * (a[2] + c[2]))
            speed = find_speed(legs, walker, k, rod, r, v, w)
            one = row[RODS * k + rod]
            lay_rod(
                one, (p[0] + a[0], p[1] + a[1], p[2] + a[2]),
                (p[0] + c[0], p[1] + c[1], p[2] + c[2]), one[RADIUS], speed,
            )  # fmt: skip


@inlined
def turn_out_of(legs, walker, k, R, root, point, n, depth):
    """Turn leg k so that a point of it moves by a depth along a normal.

    A point at r from the root moves by d_theta (e_y x r) and d_alpha (e_a x r), with e_a the axis
    that raises the leg; the least turn that moves it by the depth along the normal is the one
    along the gradient of both.
    """
    r = (point[0] - root[0], point[1] - root[1], point[2] - root[2])
    theta = walker.leg_angle[k, 0]
    # the axes about which it turns forward and is raised; see control/leg.py
    f = from_body(R, 0.0, legs.side[k], 0.0)
    u = from_body(R, -legs.side[k] * np.cos(theta), 0.0, np.sin(theta))
    forward = dot(n, cross(f, r))
    raised = dot(n, cross(u, r))
    lever = max(forward * forward + raised * raised, (SOFT * legs.length[k]) ** 2)
    share = depth / lever
    walker.leg_angle[k, 0] += min(max(share * forward, -MOST_TURN), MOST_TURN)
    walker.leg_angle[k, 1] += min(max(share * raised, -MOST_TURN), MOST_TURN)


@kernel
def yield_legs(legs, walker, bodies, frame, leg, point, normal, gap):
    """Turn legs that overlap with something out of it; those that stand lift."""
    for i in range(len(leg)):
        k = leg[i]
        walker.leg_blocked[k] = 1
        # of several things that are in its way, the one that it is deepest in
        is_deepest = gap[i] < 0.0
        for j in range(len(leg)):
            is_deepest &= leg[j] != k or gap[j] > gap[i] or (gap[j] == gap[i] and j >= i)
        if not is_deepest:
            continue
        b = k // 2 + 1
        R, p = read_axes(frame, b), read_position(bodies, b)
        if walker.leg_state[k] == STANCE:
            ax, ay, az = tip_in_segment(legs, walker, k, R, p[0], p[1], p[2])
            bend_leg(legs, walker, k, ax, ay, az)
            lift_leg(walker, k, SF1)
        arm = from_body(R, legs.root[k, 0], legs.root[k, 1], legs.root[k, 2])
        root = (p[0] + arm[0], p[1] + arm[1], p[2] + arm[2])
        turn_out_of(legs, walker, k, R, root, point[i], normal[i], -gap[i])
        set_tip(legs, walker, k, R, p[0], p[1], p[2])
        walker.leg_clear[k] = 0.0
