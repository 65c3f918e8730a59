"""Contact of nodes with the ground: penalty springs with anchors, friction of its own each way.

Mujika 2018 section 7. A node p that is inside the ground is pushed out along the normal n by a
spring (eq. 9), and held to an anchor a in the local plane of the ground by another (eq. 10), whose
force is limited by Coulomb's law separately along the body, t, and across it, b (eq. 11). Along the
body the coefficient is one for slipping forwards and another for slipping backwards. Where the
limit is exceeded the anchor is dragged behind, so that the force is just the limit.

What is ours:

- The normal force is looked at where the node is going to be, not where it is: at a step of 0.02 s
  a worm that falls would otherwise find itself under the plate. All nodes near the ground are
  candidates of a step, those inside at its end are touched.
- In slip eq. 13 leaves the tangent free: d f_t / d p has no part along t. With every node slipping,
  only the mass would resist, and for a worm of a millimetre that is nothing: a force out of balance
  by one weight moves it 20 cm/s in 0.02 s. The matrix therefore has the secant of the force,
  mu N / |u| along t, with u the way from the anchor: the force at the end of the step is the same,
  the iteration towards it cannot overshoot (Coulomb's law with a given N is the gradient of a
  convex function), and in the first iteration u is that of the last step. `compute_jacobian` has
  eq. 12 and 13 as printed.
- mu depends on N, so slip couples t to n (the second line of eq. 13), which is not symmetric. The
  matrix leaves that coupling out; forces have it.
- What touches the ground are points of the surface, each a mixture of up to three nodes (`node`,
  `weight`), not the nodes themselves. A round body of twelve sides whose nodes touch stands on an
  edge, and rolls over to lie on a side, to the left or to the right; touching by the middles of
  its sides it lies as it was put.
- A film of water presses the body to the ground with a given force per length, as it does real
  worms on a plate, whose weight is next to nothing beside it.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.friction import pair_friction
from skitter.terrain.surface import sample

ALONG, ACROSS = 0, 1
TINY = 1e-30


class Grip(NamedTuple):
    """Contact and friction of a body's surface."""

    node: np.ndarray  # [point, 3] nodes that a point of the surface is mixed of
    weight: np.ndarray  # [point, 3] how much of each
    share: np.ndarray  # [point] cm of the body's length that a point stands for
    stiffness: np.ndarray  # [point] dyn/cm, of both springs: k_n and k_f
    forward: float  # the surface's friction when it slips towards the head
    backward: float
    across: float
    film: float  # dyn per cm of the body's length
    reach: float  # cm, how far up the film reaches


class Footing(NamedTuple):
    """What of it changes: the anchors, and the ground as of the start of a step."""

    anchor: np.ndarray  # [point, 3] cm
    touching: np.ndarray  # [point] bool
    slid: np.ndarray  # [point, 2] cm along and across, in the last step
    gap: np.ndarray  # [point] cm above the ground, at the start of the step
    frame: np.ndarray  # [point, 3, 3] normal, along, across
    friction: np.ndarray  # [point] of the ground
    start: np.ndarray  # [point, 3] cm, where the nodes were at the start of the step


def build_footing(count: int) -> Footing:
    return Footing(
        np.zeros((count, 3)), np.zeros(count, np.bool_), np.zeros((count, 2)), np.zeros(count),
        np.zeros((count, 3, 3)), np.zeros(count), np.zeros((count, 3)),
    )  # fmt: skip


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def place(grip, k, x):
    """Where a point of the surface is."""
    a, b, c = grip.node[k, 0], grip.node[k, 1], grip.node[k, 2]
    u, v, w = grip.weight[k, 0], grip.weight[k, 1], grip.weight[k, 2]
    return (
        u * x[a, 0] + v * x[b, 0] + w * x[c, 0],
        u * x[a, 1] + v * x[b, 1] + w * x[c, 1],
        u * x[a, 2] + v * x[b, 2] + w * x[c, 2],
    )


@inlined
def set_frame(direction, frame):
    """Along: the body's direction in the plane of the ground; across: at right angles to it."""
    n = frame[0]
    up = dot(direction, n)
    for c in range(3):
        frame[1, c] = direction[c] - up * n[c]
    size = np.sqrt(dot(frame[1], frame[1]))
    if size < 1e-9:  # it stands upright: any direction will do
        least = 0 if abs(n[0]) < 0.6 else 1
        for c in range(3):
            frame[1, c] = (1.0 if c == least else 0.0) - n[least] * n[c]
        size = np.sqrt(dot(frame[1], frame[1]))
    for c in range(3):
        frame[1, c] /= size
    frame[2, 0] = n[1] * frame[1, 2] - n[2] * frame[1, 1]
    frame[2, 1] = n[2] * frame[1, 0] - n[0] * frame[1, 2]
    frame[2, 2] = n[0] * frame[1, 1] - n[1] * frame[1, 0]


@kernel
def find_ground(terrain, grip, direction, x, foot):
    """Start a step: the local plane under every node, and the anchors in it.

    `direction` [point, 3] is the body's, towards the head. A node that did not touch has its anchor
    under it.
    """
    for k in range(len(grip.node)):
        p = place(grip, k, x)
        d, n0, n1, n2, piece = sample(terrain, p[0], p[1], p[2])
        frame = foot.frame[k]
        frame[0, 0], frame[0, 1], frame[0, 2] = n0, n1, n2
        set_frame(direction[k], frame)
        foot.gap[k], foot.friction[k] = d, terrain.friction[piece] if piece >= 0 else 0.0
        rise = 0.0
        for c in range(3):
            foot.start[k, c] = p[c]
            if not foot.touching[k]:
                foot.anchor[k, c] = p[c]
            rise += frame[0, c] * (foot.anchor[k, c] - p[c])
        for c in range(3):  # into the plane that lies d under p
            foot.anchor[k, c] -= (rise + d) * frame[0, c]
        if not foot.touching[k]:
            foot.slid[k, ALONG] = foot.slid[k, ACROSS] = 0.0


@inlined
def find_limits(grip, foot, k, pressed, along):
    """Coulomb's limits along and across, dyn; along depends on which way the node has slipped."""
    way = grip.forward if along > 0.0 else grip.backward
    return (
        pressed * pair_friction(way, foot.friction[k]),
        pressed * pair_friction(grip.across, foot.friction[k]),
    )


@inlined
def secant(stiffness, limit, way):
    """Force of an anchored spring, per way: the spring's own, or less where it slips."""
    return min(stiffness, limit / (abs(way) + TINY))


@inlined
def look_at(grip, foot, k, p):
    """Depth of a node and its way from the anchor, along and across."""
    frame = foot.frame[k]
    depth, along, across = -foot.gap[k], 0.0, 0.0
    for c in range(3):
        depth -= frame[0, c] * (p[c] - foot.start[k, c])
        away = p[c] - foot.anchor[k, c]
        along += frame[1, c] * away
        across += frame[2, c] * away
    return depth, along, across


@kernel
def add_contact(grip, foot, x, ahead, force, blocks):
    """Add forces of contact at x to `force` [node, 3], and their stiffness to `blocks`.

    `blocks` [point, 3, 3] are those of the points. With `ahead` 1 the friction is that
    of nodes which slide on as in the last step, 0: as they are. Returns a number that changes with
    which points touch.
    """
    touch = 0
    for k in range(len(grip.node)):
        p = place(grip, k, x)
        depth, along, across = look_at(grip, foot, k, p)
        frame = foot.frame[k]
        near = 1.0 - foot.gap[k] / (grip.reach + TINY)
        pull = grip.film * grip.share[k] * min(near, 1.0) if near > 0.0 else 0.0
        pressed, k_along, k_across = 0.0, 0.0, 0.0
        if depth > 0.0:
            touch += k * k + 1
            pressed = grip.stiffness[k] * depth
            to_along = along + ahead * foot.slid[k, ALONG]
            to_across = across + ahead * foot.slid[k, ACROSS]
            limit_along, limit_across = find_limits(grip, foot, k, pressed, to_along)
            k_along = secant(grip.stiffness[k], limit_along, to_along)
            k_across = secant(grip.stiffness[k], limit_across, to_across)
            for i in range(3):
                for j in range(3):
                    blocks[k, i, j] += (
                        grip.stiffness[k] * frame[0, i] * frame[0, j]
                        + k_along * frame[1, i] * frame[1, j]
                        + k_across * frame[2, i] * frame[2, j]
                    )
        for i in range(3):
            push = (
                (pressed - pull) * frame[0, i]
                - k_along * along * frame[1, i]
                - k_across * across * frame[2, i]
            )
            for m in range(3):
                force[grip.node[k, m], i] += grip.weight[k, m] * push
    return touch


@kernel
def settle_anchors(grip, foot, x):
    """End a step: anchors of nodes that slipped are dragged behind, one way and the other."""
    for k in range(len(grip.node)):
        p = place(grip, k, x)
        depth, along, across = look_at(grip, foot, k, p)
        foot.touching[k] = depth > 0.0
        if depth <= 0.0:
            continue
        limit_along, limit_across = find_limits(grip, foot, k, grip.stiffness[k] * depth, along)
        spare_along = max(abs(along) - limit_along / grip.stiffness[k], 0.0)
        spare_across = max(abs(across) - limit_across / grip.stiffness[k], 0.0)
        move_along = spare_along if along > 0.0 else -spare_along
        move_across = spare_across if across > 0.0 else -spare_across
        foot.slid[k, ALONG], foot.slid[k, ACROSS] = 0.0, 0.0
        for c in range(3):
            way = p[c] - foot.start[k, c]
            foot.slid[k, ALONG] += foot.frame[k, 1, c] * way
            foot.slid[k, ACROSS] += foot.frame[k, 2, c] * way
            foot.anchor[k, c] += (
                move_along * foot.frame[k, 1, c] + move_across * foot.frame[k, 2, c]
            )


def compute_jacobian(grip: Grip, foot: Footing, k: int, p: np.ndarray) -> np.ndarray:
    """d force / d p of one touching node as printed, Mujika 2018 eq. 12 and 13 [3, 3], dyn/cm."""
    normal, *tangents = foot.frame[k]
    depth, *ways = look_at.py_func(grip, foot, k, p)
    pressed = grip.stiffness[k] * depth
    limits = find_limits.py_func(grip, foot, k, pressed, ways[ALONG])
    total = -grip.stiffness[k] * np.outer(normal, normal)
    for tangent, way, limit in zip(tangents, ways, limits, strict=True):
        if abs(grip.stiffness[k] * way) <= limit:
            total -= grip.stiffness[k] * np.outer(tangent, tangent)
        else:  # the limit is mu k_n depth, and depth falls by n
            total += (
                np.sign(way) * (limit / pressed) * grip.stiffness[k] * np.outer(tangent, normal)
            )
    return total
