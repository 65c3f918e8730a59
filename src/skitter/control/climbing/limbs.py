"""Where legs are, and the joint angles that bring feet to their targets (Cenydd 2012 section 3.2).

Cyclic coordinate descent: one joint after the other, from the foot to the hip, turns by the angle
about its hinge that brings the foot closest to its target. A leg has more joints than a point asks
for; before the descent every joint goes a little back towards its rest, so that of all poses which
reach, the leg keeps to one like its default.

A descent is slow where a leg has to become longer or shorter: no single joint does that. Of what it
leaves, a foot that shall stand still would slip, so the rest is solved by damped least squares
(Wampler 1986), all joints at once: 3 equations, whatever the number of joints.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.climbing.model import ELEVATION, STANCE, STEP
from skitter.control.climbing.vectors import (
    add,
    along,
    clip,
    column,
    cross,
    dot,
    inward,
    minus,
    norm,
    outward,
    put,
    take,
    take1,
    turn_about,
    unit,
    without,
)
from skitter.rigid.tree.algebra import apply, invert_symmetric

SWEEPS = 3  # of the descent, at most, in a step
POLISHES = 6  # least squares after it, at most
DAMPING = 1e-3  # of them
CLOSE = 1e-3  # of a leg's length, at which a descent ends
LAZY = 0.8  # how much less of its bend a joint at the foot does than one at the hip
RELAX = 8.0  # 1/s, how fast joints go back to rest within what reaches
STEADY = 0.04  # s, over which standing legs notice that the thorax is not where it should be
REACHED = 0.005  # of a leg, within which a foot is where it stands
BEYOND = 30.0  # 1/s, likewise from beyond their comfort range


@kernel
def place_leg(figure, leg, angle, at, axis, ahead):
    """Joints at[0..n] (the last: the foot), hinge axes and segments' directions, thorax frame."""
    first, last = figure.leg_first[leg], figure.leg_first[leg + 1]
    turn = figure.hip_turn[leg]
    x, y = (turn[0, 0], turn[1, 0], turn[2, 0]), (turn[0, 1], turn[1, 1], turn[2, 1])
    p = take(figure.hip, leg)
    put(at, 0, p)
    for k in range(last - first):
        j = first + k
        z = cross(x, y)
        a = take(figure.axis, j)
        hinge = (
            x[0] * a[0] + y[0] * a[1] + z[0] * a[2],
            x[1] * a[0] + y[1] * a[1] + z[1] * a[2],
            x[2] * a[0] + y[2] * a[1] + z[2] * a[2],
        )
        x, y = turn_about(x, hinge, angle[j]), turn_about(y, hinge, angle[j])
        p = along(p, x, figure.length[j])
        put(axis, k, hinge)
        put(ahead, k, x)
        put(at, k + 1, p)
    return last - first


@kernel
def place_feet(figure, body, angle, foot, room):
    """Tips of all feet in the world, for given joints."""
    for leg in range(len(figure.hip)):
        n = place_leg(figure, leg, angle, room.at, room.axis, room.ahead)
        put(foot, leg, add(take1(body.place), outward(body.turn, take(room.at, n))))


@kernel
def find_tip(figure, body, orders, leg, room):
    """Where a foot is by the angles that are ordered of its leg, in the world."""
    n = place_leg(figure, leg, orders.goal, room.at, room.axis, room.ahead)
    return add(take1(body.place), outward(body.turn, take(room.at, n)))


@kernel
def relax(figure, angle, first, last, seconds):
    """Let joints go back towards rest, faster from beyond their comfort ranges."""
    for j in range(first, last):
        rate = RELAX
        if angle[j] < figure.limit[j, 2] or angle[j] > figure.limit[j, 3]:
            rate = BEYOND
        angle[j] += (figure.rest[j] - angle[j]) * min(rate * seconds, 0.5)


@kernel
def find_bend(foot, joint, hinge, target):
    """How far a hinge must turn to bring the foot closest to a target, rad."""
    a = without(minus(foot, joint), hinge)
    b = without(minus(target, joint), hinge)
    if norm(a) < 1e-9 or norm(b) < 1e-9:
        return 0.0
    return np.arctan2(dot(hinge, cross(a, b)), dot(a, b))


@kernel
def reach_for(figure, leg, target, angle, most, seconds, room):
    """Turn the joints of a leg towards a target of the thorax's frame; how far it is off, cm.

    No joint turns by more than `most` rad.
    """
    first, last = figure.leg_first[leg], figure.leg_first[leg + 1]
    for j in range(first, last):
        room.before[j - first] = angle[j]
    relax(figure, angle, first, last, seconds)
    close = CLOSE * figure.leg_length[leg]
    n = place_leg(figure, leg, angle, room.at, room.axis, room.ahead)
    off = norm(minus(target, take(room.at, n)))
    for _ in range(SWEEPS):
        if off < close:
            break
        for j in range(last - 1, first - 1, -1):
            k = j - first
            bend = find_bend(take(room.at, n), take(room.at, k), take(room.axis, k), target)
            wanted = angle[j] + bend * (1.0 - LAZY * k / n)
            wanted = limit(figure, room, j, k, wanted, most)
            swing_beyond(room, k, n, wanted - angle[j])
            angle[j] = wanted
        off = norm(minus(target, take(room.at, n)))
    for _ in range(POLISHES):
        if off < close:
            break
        polish(figure, room, first, n, target, angle, most)
        place_leg(figure, leg, angle, room.at, room.axis, room.ahead)
        off = norm(minus(target, take(room.at, n)))
    return off


@inlined
def limit(figure, room, j, k, wanted, most):
    """An angle within a joint's limits, and not far from where it was."""
    wanted = clip(wanted, figure.limit[j, 0], figure.limit[j, 1])
    return clip(wanted, room.before[k] - most, room.before[k] + most)


@kernel
def polish(figure, room, first, n, target, angle, most):
    """Turn all joints of a leg at once by J' (J J' + s)^-1 e, where e is what is missing."""
    foot = take(room.at, n)
    e = minus(target, foot)
    xx = xy = xz = yy = yz = zz = 0.0
    for k in range(n):
        x, y, z = cross(take(room.axis, k), minus(foot, take(room.at, k)))
        put(room.ahead, k, (x, y, z))
        xx, xy, xz = xx + x * x, xy + x * y, xz + x * z
        yy, yz, zz = yy + y * y, yz + y * z, zz + z * z
    soft = DAMPING * (xx + yy + zz) + 1e-12
    inverse = invert_symmetric((xx + soft, xy, xz, yy + soft, yz, zz + soft))
    pull = apply(inverse, e)
    for k in range(n):
        j = first + k
        wanted = angle[j] + dot(take(room.ahead, k), pull)
        angle[j] = limit(figure, room, j, k, wanted, most)


@kernel
def swing_beyond(room, k, n, bend):
    """Turn all of a leg beyond its hinge k."""
    hinge, joint = take(room.axis, k), take(room.at, k)
    for i in range(k + 1, n + 1):
        arm = minus(take(room.at, i), joint)
        put(room.at, i, add(joint, turn_about(arm, hinge, bend)))
        if i < n:
            put(room.axis, i, turn_about(take(room.axis, i), hinge, bend))


@kernel
def follow_frame(traits, body, mind, seconds, free, turn):
    """Where the thorax is to its standing legs, which notice only what lasts.

    Goals that went with every shake of the thorax would not resist any: legs that are heavy beside
    the body would throw it about. So they are solved for where it shall go, by its wish, its height
    and its orientation, and drift to where it is. Without rigid bodies that is the same.
    """
    share = 1.0 if free else min(seconds / STEADY, 1.0)
    goes = 0.0 if free else seconds
    lift = traits.elevation_stiffness / traits.elevation_damping
    lift *= clip(traits.elevation - mind.drive[ELEVATION], -traits.elevation, traits.elevation)
    turns = traits.orientation_c1 / traits.orientation_c2
    yaws = traits.turn_c1 / traits.turn_c2
    frame = mind.frame
    for k in range(3):
        frame[0, k] += goes * (mind.wish[k] + lift * body.turn[k, 1])
        frame[0, k] += share * (body.place[k] - frame[0, k])
        frame[1, k] += share * (body.turn[k, 0] - frame[1, k])
        frame[1, k] += goes * yaws * (mind.heading[k] - frame[1, k])
        frame[2, k] += goes * turns * (mind.up[k] - frame[2, k])
        frame[2, k] += share * (body.turn[k, 1] - frame[2, k])
    y = unit(take(frame, 2), column(body.turn, 1))
    z = unit(cross(take(frame, 1), y), column(body.turn, 2))
    x = cross(y, z)
    for k in range(3):
        turn[k, 0], turn[k, 1], turn[k, 2] = x[k], y[k], z[k]


@kernel
def solve_limbs(figure, traits, body, mind, orders, stops, seconds, free, room):
    """Joint goals of all legs, from where their feet shall be; of `free` ones that do not search at
    once.

    How far the standing foot that is worst off is from its place, of its leg's length."""
    most, worst = traits.ik_rate * seconds, 0.0
    follow_frame(traits, body, mind, seconds, free, room.turn)
    for leg in range(len(figure.hip)):
        if mind.leg_state[leg] == STANCE:
            target = inward(room.turn, minus(take(mind.target, leg), take(mind.frame, 0)))
        else:
            target = add(take(mind.target, leg), take(stops.shift, leg))
            target = inward(body.turn, minus(target, take1(body.place)))
        at_once = free and mind.leg_state[leg] in (STANCE, STEP)
        off = reach_for(figure, leg, target, orders.goal, 1.0 if at_once else most, seconds, room)
        if mind.leg_state[leg] == STANCE:
            worst = max(worst, off / figure.leg_length[leg])
    return worst


@kernel
def find_bent(figure, leg, angle):
    """How far a leg is from straight: the sum of all bends after the hip's, rad."""
    bent = 0.0
    for j in range(figure.leg_first[leg] + 1, figure.leg_first[leg + 1]):
        bent += abs(angle[j])
    return bent
