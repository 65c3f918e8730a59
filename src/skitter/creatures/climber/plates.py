"""Plates: planes that stand for the ground where parts of climbers and objects are near it.

The engine knows no terrain. Each part has planes of its own, which touch it alone and are put anew
before each step: at the point of the surface that is closest to where the part is deepest. A plane
never says that a part is deeper than was measured at one of its points.

- A segment is a capsule: its ends and its middle are asked, and where those do not agree (an edge
  is between them) the point of its axis that is closest. Where a plane would cut into the rest of
  the segment, the segment lies on an edge, and the plane is laid along it.
- A lump of the trunk is an ellipsoid: down the surface normals from its middle, then at the ends of
  its axes for a second plane that faces another way, as in a corner between floor and wall.
- An object has small balls, each with a plane, which are put where it is deepest: corners, and
  where those do not agree (an edge is below it), middles of edges and faces, and the points of the
  ground that are closest to the corners; of cylinders, points of the rims; of balls, what
  faces each surface around.

Most parts are far from any surface most of the time. No distance grows faster than a point moves,
so a part that was far is asked anew only when it may have come near. What lies behind a sheet or a
thin plate, seen from the joint of a segment or from the middle of a lump or an object, is inside.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.creatures.climber.shapes import BALL, BOX_SHAPE
from skitter.terrain.ray import sample_from

AWAY = -1e6  # cm, height of planes that are not in use
NEAR = 0.05  # of a part's reach, below which its planes are in use
FLAT = 0.98  # cosine between normals of one and the same plane
CORNER = 0.9  # cosine between those of two planes
APART = 0.2  # of an object's reach: two of its balls are not closer
PROBES = 34  # of a box, at most
ROUNDS = 3
CAPSULE, LUMP, BLOCK = 0, 1, 2
# columns of Parts.table
KIND, BODY, FIRST_PLATE, PLATES, SHAPE, FIRST_TIP, FOOT = range(7)
# columns of Parts.size: middle [3], half edges [3] (capsule: half length, radius), reach, radius
MIDDLE, HALF, REACH, TIP_RADIUS = 0, 3, 6, 7


class Parts(NamedTuple):
    """All that may touch the ground."""

    table: np.ndarray  # [part, 7] int64; foot: the leg that ends with this segment, or -1
    size: np.ndarray  # [part, 8] cm
    seen: np.ndarray  # [part, 4] where its middle was when last asked, and how far; cm
    probe: np.ndarray  # [PROBES, 8] of one object: place, distance, normal, friction
    taken: np.ndarray  # [PROBES] whether a probe has its plate, or one beside it


class Planes(NamedTuple):
    """Arrays of the engine that hold the plates."""

    mocap_pos: np.ndarray  # [plate, 3]
    mocap_quat: np.ndarray  # [plate, 4]
    plate_friction: np.ndarray  # [plate, 3] of the ground there, in the first column
    geom_pos: np.ndarray  # [geom, 3] cm, of an object's balls in its frame


@kernel
def ask_from(ground, barrier, o, p):
    """Distance, normal and friction of the closest surface at a point p of a part that has another
    point at o, on its side of what is thin."""
    d, nx, ny, nz, which = sample_from(ground, o[0], o[1], o[2], p[0], p[1], p[2])
    e, mx, my, mz, other = sample_from(barrier, o[0], o[1], o[2], p[0], p[1], p[2])
    if e < d:
        return e, (mx, my, mz), barrier.friction[other]
    if which < 0:
        return d, (0.0, 1.0, 0.0), 0.0
    return d, (nx, ny, nz), ground.friction[which]


@inlined
def ask(ground, barrier, p):
    """The same at a point alone."""
    return ask_from(ground, barrier, p, p)


@inlined
def shift(p, n, s):
    return p[0] + n[0] * s, p[1] + n[1] * s, p[2] + n[2] * s


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def axis_of(xmat, body, k):
    return xmat[body, k], xmat[body, 3 + k], xmat[body, 6 + k]


@kernel
def find_place(xpos, xmat, body, x, y, z):
    """A point of a body in the world."""
    return (
        xpos[body, 0] + xmat[body, 0] * x + xmat[body, 1] * y + xmat[body, 2] * z,
        xpos[body, 1] + xmat[body, 3] * x + xmat[body, 4] * y + xmat[body, 5] * z,
        xpos[body, 2] + xmat[body, 6] * x + xmat[body, 7] * y + xmat[body, 8] * z,
    )


@kernel
def lay(planes, plate, at, n, friction):
    """Put a plate of the ground's friction through a point; a plane's own normal is its z."""
    position, turn = planes.mocap_pos, planes.mocap_quat
    position[plate, 0], position[plate, 1], position[plate, 2] = at
    w, x, y = 1.0 + n[2], -n[1], n[0]
    if w < 1e-9:
        w, x, y = 0.0, 1.0, 0.0
    size = np.sqrt(w * w + x * x + y * y)
    turn[plate, 0], turn[plate, 1], turn[plate, 2], turn[plate, 3] = (
        w / size,
        x / size,
        y / size,
        0.0,
    )
    planes.plate_friction[plate, 0] = friction


@inlined
def clear(planes, first, last):
    """Put plates away."""
    for plate in range(first, last):
        lay(planes, plate, (0.0, AWAY, 0.0), (0.0, 1.0, 0.0), 1.0)


@kernel
def is_far(parts, k, middle, ground, barrier):
    """Whether no surface is in reach of a part."""
    seen, room = parts.seen, parts.size[k, REACH] * (1.0 + NEAR)
    dx, dy, dz = middle[0] - seen[k, 0], middle[1] - seen[k, 1], middle[2] - seen[k, 2]
    if seen[k, 3] - np.sqrt(dx * dx + dy * dy + dz * dz) > room:
        return True
    seen[k, 3] = ask(ground, barrier, middle)[0]
    seen[k, 0], seen[k, 1], seen[k, 2] = middle
    return seen[k, 3] > room


@kernel
def lay_capsule(parts, k, xpos, xmat, ground, barrier, planes):
    """The plate of a segment."""
    index, size = parts.table, parts.size
    body, plate, half = index[k, BODY], index[k, FIRST_PLATE], size[k, HALF]
    middle = find_place(xpos, xmat, body, size[k, MIDDLE], 0.0, 0.0)
    if is_far(parts, k, middle, ground, barrier):
        clear(planes, plate, plate + 1)
        return
    x = axis_of(xmat, body, 0)
    joint = shift(middle, x, -half)  # where it hangs on what is nearer to the body
    d, n, friction = ask(ground, barrier, joint)
    e, m, other = ask_from(ground, barrier, joint, shift(middle, x, half))
    along, is_bent = -half, dot(n, m) < FLAT
    if e < d:
        along, d, n, friction = half, e, m, other
    t = 0.0
    for _ in range(ROUNDS if is_bent else 0):
        p = shift(middle, x, t)
        e, m, other = ask_from(ground, barrier, joint, p)
        if e < d:
            along, d, n, friction = t, e, m, other
        t = min(max(t - e * dot(m, x), -half), half)
    lean = dot(n, x)
    if along * lean > 0.0 or abs(along) < half:  # the rest would be deeper: it lies on an edge
        side = shift(n, x, -lean)
        length = np.sqrt(dot(side, side))
        if length > 0.2:
            n = (side[0] / length, side[1] / length, side[2] / length)
    at = shift(shift(middle, x, along), n, -d)
    lay(planes, plate, at, n, friction)


@inlined
def support(size, k, x, y, z, n):
    """How far an ellipsoid reaches along a direction, and its outermost point from its middle."""
    a, b, c = size[k, HALF], size[k, HALF + 1], size[k, HALF + 2]
    u, v, w = a * dot(x, n), b * dot(y, n), c * dot(z, n)
    far = np.sqrt(u * u + v * v + w * w)
    u, v, w = a * u / far, b * v / far, c * w / far
    return far, (
        x[0] * u + y[0] * v + z[0] * w,
        x[1] * u + y[1] * v + z[1] * w,
        x[2] * u + y[2] * v + z[2] * w,
    )


@kernel
def lay_lump(parts, k, xpos, xmat, ground, barrier, planes):
    """The two plates of an ellipsoid."""
    index, size = parts.table, parts.size
    body, plate = index[k, BODY], index[k, FIRST_PLATE]
    c = find_place(xpos, xmat, body, size[k, MIDDLE], size[k, MIDDLE + 1], size[k, MIDDLE + 2])
    if is_far(parts, k, c, ground, barrier):
        clear(planes, plate, plate + 2)
        return
    x, y, z = axis_of(xmat, body, 0), axis_of(xmat, body, 1), axis_of(xmat, body, 2)
    _, n, friction = ask(ground, barrier, c)
    best, face, grip = 1e9, n, friction
    for _ in range(ROUNDS):
        p = shift(c, support(size, k, x, y, z, n)[1], -1.0)
        d, n, friction = ask_from(ground, barrier, c, p)
        if d < best:
            best, face, grip = d, n, friction
    second, other, hold = 1e9, face, 0.0
    for i in range(6):
        along = x if i < 2 else y if i < 4 else z
        p = shift(c, along, size[k, HALF + i // 2] * (1 - 2 * (i % 2)))
        d, n, friction = ask_from(ground, barrier, c, p)
        if dot(n, face) > CORNER:
            if d < best:
                best, face, grip = d, n, friction
        elif d < second:
            second, other, hold = d, n, friction
    if second < best:
        best, face, grip, second, other, hold = second, other, hold, best, face, grip
    far = support(size, k, x, y, z, face)[0]
    lay(planes, plate, shift(c, face, -far - best), face, grip)
    far = support(size, k, x, y, z, other)[0]
    lay(planes, plate + 1, shift(c, other, -far - second), other, hold)


@kernel
def test_probe(parts, k, i, local, xpos, xmat, ground, barrier):
    """Ask the ground at a point of an object."""
    probe, body = parts.probe, parts.table[k, BODY]
    at = find_place(xpos, xmat, body, local[0], local[1], local[2])
    middle = (xpos[body, 0], xpos[body, 1], xpos[body, 2])
    d, n, friction = ask_from(ground, barrier, middle, at)
    probe[i, 0], probe[i, 1], probe[i, 2] = at
    probe[i, 3], probe[i, 4], probe[i, 5], probe[i, 6] = d, n[0], n[1], n[2]
    probe[i, 7] = friction
    parts.taken[i] = 0


@kernel
def probe_box(parts, k, xpos, xmat, ground, barrier):
    """Corners, and where the ground is not flat, middles of edges and faces."""
    size, probe = parts.size, parts.probe
    a, b, c = size[k, HALF], size[k, HALF + 1], size[k, HALF + 2]
    is_flat = True
    for i in range(8):
        local = (a * (2 * (i % 2) - 1), b * (2 * (i // 2 % 2) - 1), c * (2 * (i // 4) - 1))
        test_probe(parts, k, i, local, xpos, xmat, ground, barrier)
        same = probe[i, 4] * probe[0, 4] + probe[i, 5] * probe[0, 5] + probe[i, 6] * probe[0, 6]
        is_flat = is_flat & (same > FLAT)
    if is_flat:
        return 8
    count = 8
    for i in range(27):
        u, v, w = i % 3 - 1, i // 3 % 3 - 1, i // 9 - 1
        corners = abs(u) + abs(v) + abs(w)
        if 0 < corners < 3:
            test_probe(parts, k, count, (a * u, b * v, c * w), xpos, xmat, ground, barrier)
            count += 1
    for i in range(8):
        answer_probe(parts, k, i, count + i, xpos, xmat, ground, barrier)
    return count + 8


@kernel
def answer_probe(parts, k, i, new, xpos, xmat, ground, barrier):
    """A probe of a box at the point of the surface that probe i found.

    Where that is an edge or a tip of the ground, the box goes off it through its own nearest face
    of those behind which the ground ends.
    """
    probe, size, body = parts.probe, parts.size, parts.table[k, BODY]
    n = (probe[i, 4], probe[i, 5], probe[i, 6])
    q = shift((probe[i, 0], probe[i, 1], probe[i, 2]), n, -probe[i, 3])
    arm = (q[0] - xpos[body, 0], q[1] - xpos[body, 1], q[2] - xpos[body, 2])
    axes = (axis_of(xmat, body, 0), axis_of(xmat, body, 1), axis_of(xmat, body, 2))
    half = (size[k, HALF], size[k, HALF + 1], size[k, HALF + 2])
    local = (dot(axes[0], arm), dot(axes[1], arm), dot(axes[2], arm))
    room = 2.0 * NEAR * size[k, REACH]
    parts.taken[new] = 1
    least = size[k, REACH]
    for axis in range(3):
        if abs(local[axis]) - half[axis] > room:
            return
    for axis in range(3):
        depth, sign = half[axis] - abs(local[axis]), np.copysign(1.0, local[axis])
        if depth < least:
            m = (-sign * axes[axis][0], -sign * axes[axis][1], -sign * axes[axis][2])
            if ask(ground, barrier, shift(q, m, room))[0] > 0.5 * room:
                least = depth
                probe[new, 0], probe[new, 1], probe[new, 2] = shift(q, m, -depth)
                probe[new, 3], probe[new, 4] = -depth, m[0]
                probe[new, 5], probe[new, 6], probe[new, 7] = m[1], m[2], probe[i, 7]
                parts.taken[new] = 0


@kernel
def probe_roller(parts, k, xpos, xmat, ground, barrier, n):
    """Four points of each rim and two of the side: towards the ground, away and across."""
    size, body = parts.size, parts.table[k, BODY]
    half, radius = size[k, HALF], size[k, HALF + 1]
    v, w = -dot(axis_of(xmat, body, 1), n), -dot(axis_of(xmat, body, 2), n)
    length = np.sqrt(v * v + w * w)
    if length < 1e-3:
        v, w, length = 1.0, 0.0, 1.0
    v, w = v / length * radius, w / length * radius
    for i in range(8):
        s = half * (2 * (i // 4) - 1)
        u = 1.0 if i % 4 < 2 else -1.0
        local = (s, u * v, u * w) if i % 2 == 0 else (s, -u * w, u * v)
        test_probe(parts, k, i, local, xpos, xmat, ground, barrier)
    test_probe(parts, k, 8, (0.0, v, w), xpos, xmat, ground, barrier)
    return 9


@kernel
def probe_ball(parts, k, xpos, xmat, ground, barrier, n):
    """Towards the surface that is closest to its middle, and to others that its sides are close to.
    Between two that face each other friction would keep it as deep in both as a blow drove it."""
    body, radius = parts.table[k, BODY], parts.size[k, HALF]
    c = (xpos[body, 0], xpos[body, 1], xpos[body, 2])
    x, y, z = axis_of(xmat, body, 0), axis_of(xmat, body, 1), axis_of(xmat, body, 2)
    count = 0
    for i in range(7):
        m = n
        if i > 0:
            side = (x, y, z)[(i - 1) // 2]
            m = ask(ground, barrier, shift(c, side, radius * (2 * (i % 2) - 1)))[1]
        if i == 0 or dot(m, n) < CORNER:
            local = (-radius * dot(x, m), -radius * dot(y, m), -radius * dot(z, m))
            test_probe(parts, k, count, local, xpos, xmat, ground, barrier)
            if dot(m, n) < 0.0 and parts.probe[count, 3] < 0.0:
                parts.probe[0, 7] = parts.probe[count, 7] = 0.0
            count += 1
    return count


@kernel
def lay_block(parts, k, xpos, xmat, ground, barrier, planes):
    """The plates of an object, and its balls on them, deepest first."""
    index, size, probe, taken = parts.table, parts.size, parts.probe, parts.taken
    body, first, plates = index[k, BODY], index[k, FIRST_PLATE], index[k, PLATES]
    c = (xpos[body, 0], xpos[body, 1], xpos[body, 2])
    if is_far(parts, k, c, ground, barrier):
        clear(planes, first, first + plates)
        return
    if index[k, SHAPE] == BOX_SHAPE:
        count = probe_box(parts, k, xpos, xmat, ground, barrier)
    else:
        n = ask(ground, barrier, c)[1]
        if index[k, SHAPE] == BALL:
            count = probe_ball(parts, k, xpos, xmat, ground, barrier, n)
        else:
            count = probe_roller(parts, k, xpos, xmat, ground, barrier, n)
    for slot in range(plates):
        best, deepest = -1, size[k, REACH] * NEAR
        for i in range(count):
            if taken[i] == 0 and probe[i, 3] < deepest:
                best, deepest = i, probe[i, 3]
        if best < 0:
            clear(planes, first + slot, first + plates)
            return
        for i in range(count):
            dx, dy = probe[i, 0] - probe[best, 0], probe[i, 1] - probe[best, 1]
            dz = probe[i, 2] - probe[best, 2]
            if dx * dx + dy * dy + dz * dz < (APART * size[k, REACH]) ** 2:
                taken[i] = 1
        lay_tip(parts, k, slot, best, xpos, xmat, planes)


@kernel
def lay_tip(parts, k, slot, i, xpos, xmat, planes):
    """A ball of an object so that its surface is at a probe, and the plate there."""
    index, size, probe = parts.table, parts.size, parts.probe
    body, tip = index[k, BODY], index[k, FIRST_TIP] + slot
    at, n = (probe[i, 0], probe[i, 1], probe[i, 2]), (probe[i, 4], probe[i, 5], probe[i, 6])
    lay(planes, index[k, FIRST_PLATE] + slot, shift(at, n, -probe[i, 3]), n, probe[i, 7])
    up = shift(at, n, size[k, TIP_RADIUS])
    arm = (up[0] - xpos[body, 0], up[1] - xpos[body, 1], up[2] - xpos[body, 2])
    for axis in range(3):
        planes.geom_pos[tip, axis] = dot(axis_of(xmat, body, axis), arm)


@kernel
def lay_plates(parts, held, xpos, xmat, ground, barrier, planes):
    """All plates, for where everything is now; none for feet that anchors hold."""
    for k in range(len(parts.table)):
        kind, foot = parts.table[k, KIND], parts.table[k, FOOT]
        if foot >= 0 and held[foot] != 0:
            plate = parts.table[k, FIRST_PLATE]
            clear(planes, plate, plate + 1)
        elif kind == CAPSULE:
            lay_capsule(parts, k, xpos, xmat, ground, barrier, planes)
        elif kind == LUMP:
            lay_lump(parts, k, xpos, xmat, ground, barrier, planes)
        else:
            lay_block(parts, k, xpos, xmat, ground, barrier, planes)
