"""Which shapes of different owners are near, and where shapes are near obstacles.

Owners are compared by the boxes around them, then their shapes, in a fixed order: so contacts come
in the same order whatever happened before.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.friction import pair_friction
from skitter.meeting.collide import axis_of, meet_shapes
from skitter.meeting.shapes import (
    CENTRE,
    CORE,
    CYLINDER_CORE,
    FRICTION,
    HALF,
    LIMB,
    RADIUS,
    VELOCITY,
    YIELDS,
)
from skitter.terrain.surface import sample

# columns of Contacts.row: point between both, normal from the second to the first, gap, friction
POINT, NORMAL, GAP, GRIP, CONTACT_ROW = 0, 3, 6, 7, 8
# columns of Contacts.pair: shapes, and their owners; NOBODY: an obstacle
FIRST, SECOND, FIRST_OWNER, SECOND_OWNER, PAIR_ROW = 0, 1, 2, 3, 4
NOBODY = -1
MARGIN = 0.1  # of the radius of a shape: as near as this it may touch within a sub-frame
DESCENTS = 6  # steps towards the point of a core that is closest to an obstacle
TURNED = 0.9  # cosine: normals that differ more belong to two contacts


class Crowd(NamedTuple):
    """All that may meet; one owner's shapes are a slice."""

    row: np.ndarray  # [shape, SHAPE_ROW]
    tag: np.ndarray  # [shape, TAGS] int64
    start: np.ndarray  # [owner + 1] int64, first shape of each
    engine: np.ndarray  # [owner] int64; those of one engine push each other by themselves
    bumps: np.ndarray  # [owner] uint8, whether obstacles stop it here, and not by its own contact
    low: np.ndarray  # [owner, 3] cm, corners of the box around it, with room for the time ahead
    high: np.ndarray  # [owner, 3]


class Contacts(NamedTuple):
    """Room for contacts; `found` may say more than there was room for."""

    row: np.ndarray  # [contact, CONTACT_ROW] cm
    pair: np.ndarray  # [contact, PAIR_ROW] int64
    found: np.ndarray  # [1] int64


class Work(NamedTuple):
    """Scratch of `meet_shapes`."""

    simplex: np.ndarray  # [4, CORNER]
    keep: np.ndarray  # [4]


@inlined
def reach_along(row, tag, k, axis):
    """How far shape k reaches from its middle along an axis of the world."""
    half = row[k, HALF + 2]
    if tag[k, CORE] == CYLINDER_CORE:
        half = row[k, HALF + 1]
    return (
        abs(row[k, HALF] * row[k, 3 + 3 * axis])
        + abs(row[k, HALF + 1] * row[k, 3 + 3 * axis + 1])
        + abs(half * row[k, 3 + 3 * axis + 2])
        + row[k, RADIUS]
    )


@kernel
def surround(crowd, seconds):
    """Boxes around all owners, large enough for so many seconds."""
    row, tag = crowd.row, crowd.tag
    for o in range(len(crowd.start) - 1):
        for axis in range(3):
            low, high = np.inf, -np.inf
            for k in range(crowd.start[o], crowd.start[o + 1]):
                move = seconds * row[k, VELOCITY + axis]
                reach = reach_along(row, tag, k, axis) + MARGIN * row[k, RADIUS]
                low = min(low, row[k, CENTRE + axis] - reach + min(move, 0.0))
                high = max(high, row[k, CENTRE + axis] + reach + max(move, 0.0))
            crowd.low[o, axis], crowd.high[o, axis] = low, high


@inlined
def boxes_meet(crowd, o, p):
    near = True
    for axis in range(3):
        near &= crowd.low[o, axis] <= crowd.high[p, axis]
        near &= crowd.low[p, axis] <= crowd.high[o, axis]
    return near


@kernel
def mark_close(crowd, ball, close):
    """Mark the owners that have no ball [owner, 4] around them, whose boxes are known, and those
    whose ball meets another ball or the box of one without."""
    owners = len(ball)
    for o in range(owners):
        close[o] = ball[o, 3] < 0.0
    for o in range(owners):
        for p in range(owners):
            if p == o or ball[o, 3] < 0.0 or close[o]:
                continue
            away, reach = 0.0, ball[o, 3] + max(ball[p, 3], 0.0)
            for axis in range(3):
                d = ball[o, axis] - ball[p, axis]
                if ball[p, 3] < 0.0:
                    d = max(crowd.low[p, axis] - ball[o, axis], 0.0)
                    d = max(ball[o, axis] - crowd.high[p, axis], d)
                away += d * d
            close[o] = away < reach * reach


@kernel
def mark_near(crowd, obstacles, near):
    """Mark the owners that may meet somebody, or an obstacle; returns how many."""
    owners, count = len(crowd.start) - 1, 0
    for o in range(owners):
        near[o] = 0
    for o in range(owners):
        for p in range(o + 1, owners):
            is_one = crowd.engine[o] == crowd.engine[p] and crowd.engine[o] >= 0
            if not is_one and boxes_meet(crowd, o, p):
                near[o] = near[p] = 1
        if crowd.bumps[o] and len(obstacles.row) > 0 and not near[o]:
            x = 0.5 * (crowd.low[o, 0] + crowd.high[o, 0])
            y = 0.5 * (crowd.low[o, 1] + crowd.high[o, 1])
            z = 0.5 * (crowd.low[o, 2] + crowd.high[o, 2])
            dx, dy, dz = crowd.high[o, 0] - x, crowd.high[o, 1] - y, crowd.high[o, 2] - z
            d, _, _, _, _ = sample(obstacles, x, y, z)
            near[o] = d < np.sqrt(dx * dx + dy * dy + dz * dz)
    for o in range(owners):
        count += near[o]
    return count


@inlined
def note(contacts, first, second, o, p, gap, n, at, friction):
    """Keep a contact if there is room."""
    k = contacts.found[0]
    contacts.found[0] += 1
    if k >= len(contacts.row):
        return
    row, pair = contacts.row, contacts.pair
    row[k, POINT], row[k, POINT + 1], row[k, POINT + 2] = at
    row[k, NORMAL], row[k, NORMAL + 1], row[k, NORMAL + 2] = n
    row[k, GAP], row[k, GRIP] = gap, friction
    pair[k, FIRST], pair[k, SECOND], pair[k, FIRST_OWNER], pair[k, SECOND_OWNER] = (
        first,
        second,
        o,
        p,
    )


@inlined
def find_speed(row, i, j):
    """How fast two shapes move against each other."""
    x = row[i, VELOCITY] - row[j, VELOCITY]
    y = row[i, VELOCITY + 1] - row[j, VELOCITY + 1]
    z = row[i, VELOCITY + 2] - row[j, VELOCITY + 2]
    return np.sqrt(x * x + y * y + z * z)


@kernel
def meet_owners(crowd, o, p, seconds, work, contacts):
    """Contacts between two owners."""
    row, tag = crowd.row, crowd.tag
    for i in range(crowd.start[o], crowd.start[o + 1]):
        # against the box of the other first
        is_far = False
        for axis in range(3):
            reach = reach_along(row, tag, i, axis) + MARGIN * row[i, RADIUS]
            move = abs(seconds * row[i, VELOCITY + axis])
            is_far |= row[i, CENTRE + axis] - reach - move > crowd.high[p, axis]
            is_far |= row[i, CENTRE + axis] + reach + move < crowd.low[p, axis]
        if is_far:
            continue
        for j in range(crowd.start[p], crowd.start[p + 1]):
            if tag[i, LIMB] and tag[j, LIMB]:
                continue
            room = seconds * find_speed(row, i, j)
            room += MARGIN * min(row[i, RADIUS], row[j, RADIUS])
            is_far = False
            for axis in range(3):
                reach = reach_along(row, tag, i, axis) + reach_along(row, tag, j, axis) + room
                is_far |= abs(row[i, CENTRE + axis] - row[j, CENTRE + axis]) > reach
            if is_far:
                continue
            gap, n, at = meet_shapes(row[i], tag[i], row[j], tag[j], work.simplex, work.keep)
            if gap < room:
                grip = pair_friction(row[i, FRICTION], row[j, FRICTION])
                note(contacts, i, j, o, p, gap, n, at, grip)


@inlined
def clamp(value, most):
    return min(max(value, -most), most)


@inlined
def place(row, k, u, v, w):
    """A point of core k in the world."""
    x, y, z = axis_of(row[k], 0), axis_of(row[k], 1), axis_of(row[k], 2)
    return (
        row[k, CENTRE] + u * x[0] + v * y[0] + w * z[0],
        row[k, CENTRE + 1] + u * x[1] + v * y[1] + w * z[1],
        row[k, CENTRE + 2] + u * x[2] + v * y[2] + w * z[2],
    )


@kernel
def descend(row, k, u, v, w, obstacles):
    """From a point of core k down to where it is closest to the obstacles: distance, normal, which
    obstacle, and the point of the core."""
    best, n, which, at = np.inf, (0.0, 1.0, 0.0), -1, (0.0, 0.0, 0.0)
    for _ in range(DESCENTS):
        p = place(row, k, u, v, w)
        d, nx, ny, nz, item = sample(obstacles, p[0], p[1], p[2])
        if d < best:
            best, n, which, at = d, (nx, ny, nz), item, p
        x, y, z = axis_of(row[k], 0), axis_of(row[k], 1), axis_of(row[k], 2)
        d = max(d, row[k, RADIUS])
        u = clamp(u - d * (nx * x[0] + ny * x[1] + nz * x[2]), row[k, HALF])
        v = clamp(v - d * (nx * y[0] + ny * y[1] + nz * y[2]), row[k, HALF + 1])
        w = clamp(w - d * (nx * z[0] + ny * z[1] + nz * z[2]), row[k, HALF + 2])
    return best, n, which, at


@kernel
def meet_obstacles(crowd, o, obstacles, seconds, contacts):
    """Contacts of an owner with obstacles: up to two of each shape, that face different ways."""
    row = crowd.row
    for k in range(crowd.start[o], crowd.start[o + 1]):
        speed = 0.0
        for axis in range(3):
            speed += row[k, VELOCITY + axis] ** 2
        radius = row[k, RADIUS]
        room = seconds * np.sqrt(speed) + MARGIN * radius
        x, y, z = row[k, CENTRE], row[k, CENTRE + 1], row[k, CENTRE + 2]
        d, _, _, _, _ = sample(obstacles, x, y, z)
        far = 0.0
        for axis in range(3):
            far += row[k, HALF + axis] ** 2
        if d > np.sqrt(far) + radius + room:
            continue
        # the deepest point of the core, then the deepest that faces another way
        first, n, item, at = find_deepest(row, k, obstacles, (0.0, 0.0, 0.0))
        if first < 0.0 and crowd.tag[k, LIMB] != YIELDS:
            continue  # it has come down on it: the way out may be any, so it is let go
        if first - radius < room:
            note_obstacle(contacts, row, k, o, obstacles, first, n, item, at)
            second, n, item, at = find_deepest(row, k, obstacles, n)
            if second - radius < room:
                note_obstacle(contacts, row, k, o, obstacles, second, n, item, at)


@inlined
def note_obstacle(contacts, row, k, o, obstacles, d, n, item, at):
    """Keep a contact of shape k with an obstacle, whose surface is d away from a point of its
    core."""
    gap = d - row[k, RADIUS]
    back = row[k, RADIUS] + 0.5 * gap
    point = (at[0] - back * n[0], at[1] - back * n[1], at[2] - back * n[2])
    grip = pair_friction(row[k, FRICTION], obstacles.friction[item])
    note(contacts, k, -1, o, NOBODY, gap, n, point, grip)


@kernel
def find_deepest(row, k, obstacles, other):
    """Of core k the point that is deepest in the obstacles, or nearest to them: distance, normal,
    which obstacle, point; only where the normal differs from another one."""
    best, way, which, where = np.inf, (0.0, 1.0, 0.0), -1, (0.0, 0.0, 0.0)
    for i in range(9):
        u = v = w = 0.0
        if i > 0:  # its corners, after its middle
            u = row[k, HALF] * (2 * ((i - 1) % 2) - 1)
            v = row[k, HALF + 1] * (2 * ((i - 1) // 2 % 2) - 1)
            w = row[k, HALF + 2] * (2 * ((i - 1) // 4) - 1)
            # of those that fall together, one
            is_same = row[k, HALF] == 0.0 and (i - 1) % 2 == 1
            is_same |= row[k, HALF + 1] == 0.0 and (i - 1) // 2 % 2 == 1
            is_same |= row[k, HALF + 2] == 0.0 and (i - 1) // 4 == 1
            if is_same:
                continue
        d, n, item, at = descend(row, k, u, v, w, obstacles)
        turned = n[0] * other[0] + n[1] * other[1] + n[2] * other[2] < TURNED
        if d < best and turned:
            best, way, which, where = d, n, item, at
    return best, way, which, where


@kernel
def find_contacts(crowd, near, obstacles, seconds, work, contacts):
    """All contacts that may come about within so many seconds, of owners marked `near`."""
    contacts.found[0] = 0
    owners = len(crowd.start) - 1
    for o in range(owners):
        if not near[o]:
            continue
        if crowd.bumps[o] and len(obstacles.row) > 0:
            meet_obstacles(crowd, o, obstacles, seconds, contacts)
        for p in range(o + 1, owners):
            is_one = crowd.engine[o] == crowd.engine[p] and crowd.engine[o] >= 0
            if near[p] and not is_one and boxes_meet(crowd, o, p):
                meet_owners(crowd, o, p, seconds, work, contacts)


@kernel
def measure_overlaps(crowd, obstacles, half_width, work, overlap):
    """How deep each owner is in others and in obstacles, of half the width of the smaller body."""
    row, tag, owners = crowd.row, crowd.tag, len(crowd.start) - 1
    for o in range(owners):
        overlap[o] = 0.0
    for o in range(owners):
        for p in range(o + 1, owners):
            if not boxes_meet(crowd, o, p):
                continue
            width = min(half_width[o], half_width[p])
            for i in range(crowd.start[o], crowd.start[o + 1]):
                for j in range(crowd.start[p], crowd.start[p + 1]):
                    if tag[i, LIMB] and tag[j, LIMB]:
                        continue
                    is_far = False
                    for axis in range(3):
                        reach = reach_along(row, tag, i, axis) + reach_along(row, tag, j, axis)
                        is_far |= abs(row[i, CENTRE + axis] - row[j, CENTRE + axis]) > reach
                    if is_far:
                        continue
                    gap, _, _ = meet_shapes(row[i], tag[i], row[j], tag[j], work.simplex, work.keep)
                    overlap[o] = max(overlap[o], -gap / width)
                    overlap[p] = max(overlap[p], -gap / width)
        if len(obstacles.row) > 0:
            for k in range(crowd.start[o], crowd.start[o + 1]):
                x, y, z = row[k, CENTRE], row[k, CENTRE + 1], row[k, CENTRE + 2]
                d, _, _, _, _ = sample(obstacles, x, y, z)
                far = 0.0
                for axis in range(3):
                    far += row[k, HALF + axis] ** 2
                if d < np.sqrt(far) + row[k, RADIUS]:
                    d = find_deepest(row, k, obstacles, (0.0, 0.0, 0.0))[0]
                    overlap[o] = max(overlap[o], (row[k, RADIUS] - d) / half_width[o])
