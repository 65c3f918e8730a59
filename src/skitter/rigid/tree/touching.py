"""What links touch: the terrain and other links.

McKenna 1990 section 3.1. Parts are boxes outlined by probes; against each other they are bars,
whose closest points touch. The normal force is a spring's in the depth, scaled by the restitution
while the bodies part. That scaling jumps when a body at rest trembles; it goes over linearly within
CALM instead, which makes a damper of it. Friction is mu times the normal force against the sliding,
and as strong as it needs to be below a slip speed.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.friction import pair_friction
from skitter.rigid.tree.algebra import add, dot, load3, load9, turn_in, turn_out
from skitter.rigid.tree.springs import TOUCH_PAIR, UNFELT, point_speed, push_point, stretch
from skitter.rigid.tree.system import (
    BAR_LEG,
    BAR_LINK,
    BAR_OWNER,
    BODY_LEG,
    BODY_LINK,
    BODY_OWNER,
    FRICTION,
    PROBE_FROM,
    PROBE_TO,
    RESTITUTION,
    SLIP,
    TOUCH_ALPHA,
    TOUCH_BETA,
    TOUCH_DAMPING,
    TOUCH_LAW,
)
from skitter.terrain.surface import sample

CALM = 1.0  # cm/s of approach or parting, within which the restitution comes in gradually
PAIR = 2.0  # a force between two links that both give way: how much each sees of its stiffness


@inlined
def press(touch, depth, vn):
    """Normal force at a depth and a speed of parting, with its stiffness and damping."""
    f, k = stretch(touch[TOUCH_LAW], touch[TOUCH_ALPHA], touch[TOUCH_BETA], depth)
    part = 0.5 * (1.0 - touch[RESTITUTION])
    calm = min(max(vn / CALM, -1.0), 1.0)
    scale = 1.0 - part - part * calm
    steep = part / CALM if abs(vn) < CALM else 0.0
    more = max(1.0 - touch[TOUCH_DAMPING] * vn, 0.0)
    c = f * (steep * more + (scale * touch[TOUCH_DAMPING] if more > 0.0 else 0.0))
    return f * scale * more, k * scale * more, c


@inlined
def touch_point(work, i, R, x, n, depth, mu, touch, seconds, leg, touches, count):
    """Push and rub a point x of link i out of something with an outward normal n of the world."""
    m, v = turn_in(R, n), point_speed(work[i], x)
    vn = dot(v, m)
    f, k, c = press(touch, depth, vn)
    t = (v[0] - vn * m[0], v[1] - vn * m[1], v[2] - vn * m[2])
    rub = mu * f / max(np.sqrt(dot(t, t)), touch[SLIP])
    force = (f * m[0] - rub * t[0], f * m[1] - rub * t[1], f * m[2] - rub * t[2])
    push_point(work, i, x, force, v, m, (k, c), (0.0, rub), seconds, leg, 1.0, touches, count)


@inlined
def is_clear(seen, at, room):
    """Whether a point cannot have come within `room` of the terrain since it was last sampled.

    No distance changes faster than a point moves, so this changes no result.
    """
    far = seen[3] - room
    x, y, z = at[0] - seen[0], at[1] - seen[1], at[2] - seen[2]
    return far > 0.0 and x * x + y * y + z * z < far * far


@inlined
def see(terrain, at, seen):
    """Sample the terrain, and remember how far it was."""
    distance, nx, ny, nz, item = sample(terrain, at[0], at[1], at[2])
    seen[0], seen[1], seen[2], seen[3] = at[0], at[1], at[2], distance
    return distance, (nx, ny, nz), item


@kernel
def touch_terrain(system, terrain, place, axes, seconds, seen, work, touches, count):
    """All parts against a terrain: first a ball around each, then its probes.

    `seen` [body + probe, 4] is where each was last sampled, and how far the terrain was then.
    """
    flat, bodies = axes.reshape(len(axes), 9), len(system.body)
    for b in range(bodies):
        i, owner = system.body[b, BODY_LINK], system.body[b, BODY_OWNER]
        R, o = load9(flat[i], 0), load3(place[i], 0)
        reach = system.body_ball[b, 3]
        middle = add(o, turn_out(R, load3(system.body_ball[b], 0)))
        if is_clear(seen[b], middle, reach) or see(terrain, middle, seen[b])[0] > reach:
            continue
        touch = system.touch[owner]
        for p in range(system.body[b, PROBE_FROM], system.body[b, PROBE_TO]):
            x = load3(system.probe[p], 0)
            at = add(o, turn_out(R, x))
            if is_clear(seen[bodies + p], at, 0.0):
                continue
            distance, n, item = see(terrain, at, seen[bodies + p])
            if distance >= 0.0:
                continue
            mu = pair_friction(touch[FRICTION], terrain.friction[item])
            leg = system.body[b, BODY_LEG]
            touch_point(work, i, R, x, n, -distance, mu, touch, seconds, leg, touches, count)


@inlined
def closest_on_segments(p, d, q, e):
    """Shares along p + s d and q + t e, each 0 to 1, of the points closest to each other."""
    a, b, c = dot(d, d), dot(d, e), dot(e, e)
    r = (p[0] - q[0], p[1] - q[1], p[2] - q[2])
    u, w = dot(d, r), dot(e, r)
    spread = a * c - b * b
    s = min(max((b * w - c * u) / spread, 0.0), 1.0) if spread > 1e-12 * a * c else 0.5
    t = (b * s + w) / c if c > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    s = min(max((b * t - u) / a, 0.0), 1.0) if a > 0.0 else 0.0
    return s, t


@inlined
def place_bars(system, place, axes, bars):
    """Both ends of all bars in the world [bar, 6]."""
    flat = axes.reshape(len(axes), 9)
    for k in range(len(system.bar)):
        i = system.bar[k, BAR_LINK]
        R, o = load9(flat[i], 0), load3(place[i], 0)
        a, b = load3(system.bar_ends[k], 0), load3(system.bar_ends[k], 3)
        a, b = add(o, turn_out(R, a)), add(o, turn_out(R, b))
        for c in range(3):
            bars[k, c], bars[k, 3 + c] = a[c], b[c]


@inlined
def local(R, o, at):
    """A point of the world on a link."""
    return turn_in(R, (at[0] - o[0], at[1] - o[1], at[2] - o[2]))


@kernel
def touch_bars(system, place, axes, bars, a, b, seconds, work, touches, count):
    """Two bars of different creatures; each sees the other move as it does now."""
    one, two = bars[a], bars[b]
    p, q = load3(one, 0), load3(two, 0)
    d = (one[3] - p[0], one[4] - p[1], one[5] - p[2])
    e = (two[3] - q[0], two[4] - q[1], two[5] - q[2])
    s, t = closest_on_segments(p, d, q, e)
    p = (p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2])
    q = (q[0] + t * e[0], q[1] + t * e[1], q[2] + t * e[2])
    n = (p[0] - q[0], p[1] - q[1], p[2] - q[2])
    gap, room = np.sqrt(dot(n, n)), system.bar_ends[a, 6] + system.bar_ends[b, 6]
    if gap >= room or gap == 0.0:
        return
    n, depth = (n[0] / gap, n[1] / gap, n[2] / gap), room - gap
    flat = axes.reshape(len(axes), 9)
    i, j = system.bar[a, BAR_LINK], system.bar[b, BAR_LINK]
    first, second = system.touch[system.bar[a, BAR_OWNER]], system.touch[system.bar[b, BAR_OWNER]]
    R, Q = load9(flat[i], 0), load9(flat[j], 0)
    share = system.bar_ends[b, 6] / room
    at = (q[0] + share * gap * n[0], q[1] + share * gap * n[1], q[2] + share * gap * n[2])
    x, y = local(R, load3(place[i], 0), at), local(Q, load3(place[j], 0), at)
    v, u = turn_out(R, point_speed(work[i], x)), turn_out(Q, point_speed(work[j], y))
    v = (v[0] - u[0], v[1] - u[1], v[2] - u[2])
    vn = dot(v, n)
    f, k, c = press(first, depth, vn)
    w = (v[0] - vn * n[0], v[1] - vn * n[1], v[2] - vn * n[2])
    rub = pair_friction(first[FRICTION], second[FRICTION]) * f
    rub = rub / max(np.sqrt(dot(w, w)), first[SLIP])
    force = (f * n[0] - rub * w[0], f * n[1] - rub * w[1], f * n[2] - rub * w[2])
    legs = (system.bar[a, BAR_LEG], system.bar[b, BAR_LEG])
    push_pair(
        work, (i, j), (R, Q), (x, y), force, v, n, (k, c), (0.0, rub), seconds, legs, 1.0, touches,
        count,
    )  # fmt: skip


@inlined
def push_pair(
    work, links, axes, points, force, v, n, along, across, seconds, legs, press, touches, count
):
    """A force of the world on a point of one link, and the opposite on one of another.

    Each sees PAIR times the stiffness and the damping, with the relative speed over PAIR: both give
    way, and so their relative speed falls neither too slowly nor beyond zero. What they feel of it
    then differs, and is made alike in a second solve (`level_pairs`).
    """
    along, across = (PAIR * along[0], PAIR * along[1]), (PAIR * across[0], PAIR * across[1])
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        R, part = axes[side], sign / PAIR
        f = turn_in(R, (sign * force[0], sign * force[1], sign * force[2]))
        u = turn_in(R, (part * v[0], part * v[1], part * v[2]))
        push_point(
            work, links[side], points[side], f, u, turn_in(R, n), along, across, seconds,
            legs[side] if legs[side] >= 0 else UNFELT, press, touches, count,
        )  # fmt: skip
        if count[0] > 0:
            touches[count[0] - 1, TOUCH_PAIR] = 1.0


@kernel
def touch_each_other(system, place, axes, seconds, bars, work, touches, count):
    """All bars of different creatures that come near each other."""
    place_bars(system, place, axes, bars)
    for a in range(len(bars)):
        for b in range(a + 1, len(bars)):
            if system.bar[a, BAR_OWNER] == system.bar[b, BAR_OWNER]:
                continue
            room = system.bar_ends[a, 6] + system.bar_ends[b, 6]
            near = True
            for k in range(3):
                low = min(bars[a, k], bars[a, k + 3]) - room
                high = max(bars[a, k], bars[a, k + 3]) + room
                near &= min(bars[b, k], bars[b, k + 3]) < high
                near &= max(bars[b, k], bars[b, k + 3]) > low
            if near:
                touch_bars(system, place, axes, bars, a, b, seconds, work, touches, count)
