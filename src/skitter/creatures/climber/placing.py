"""Where all bodies of a climber are in the world, and what key frames tell its appendages.

Every body has a frame at its joint: of the thorax and of what is welded to it at the middle, of the
abdomen at the pedicel, of a segment at its hinge with x along it.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.algebra import load3, load9, multiply, quaternion_axes

PEDICEL = -2  # instead of a hinge's number: turned by the pedicel's quaternion
WELDED = -1


class BodyTree(NamedTuple):
    """How bodies hang on each other; parents come first, the thorax is number 0."""

    parent: np.ndarray  # [body] int64, -1 of the thorax
    at: np.ndarray  # [body, 3] cm, its joint in the parent's frame
    turn: np.ndarray  # [body, 9] its axes in the parent's frame, hinge at 0
    axis: np.ndarray  # [body, 3] of its hinge, unit
    hinge: np.ndarray  # [body] int64 number of its angle, appendages after legs; PEDICEL, WELDED
    middle: np.ndarray  # [body, 3] cm, in its own frame


class Sequences(NamedTuple):
    """Key frames of appendages. The angles of one stand together, body outwards."""

    first: np.ndarray  # [appendage + 1] int64 its segments among those of all
    rest: np.ndarray  # [segment] rad
    period: np.ndarray  # [appendage] s
    phase: np.ndarray  # [appendage] 0..1, ahead
    walking: np.ndarray  # [appendage] int64 1 while it walks, 0 while it stands, -1 always
    key_first: np.ndarray  # [appendage + 1] int64; none where it never moves
    key_time: np.ndarray  # [key] 0..1
    key_angle: np.ndarray  # [key, most segments] rad


@inlined
def turn_by_hinge(x, y, z, angle):
    """The matrix of a turn about a unit axis."""
    c, s = np.cos(angle), np.sin(angle)
    d = 1.0 - c
    return (
        c + d * x * x, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, c + d * y * y, d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, c + d * z * z,
    )  # fmt: skip


@inlined
def find_quaternion(R):
    """Of a rotation, from its largest component; Shepperd 1978."""
    w, x = 1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8]
    y, z = 1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]
    if w >= x and w >= y and w >= z:
        x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    elif x >= y and x >= z:
        w, y, z = R[7] - R[5], R[1] + R[3], R[2] + R[6]
    elif y >= z:
        w, x, z = R[2] - R[6], R[1] + R[3], R[5] + R[7]
    else:
        w, x, y = R[3] - R[1], R[2] + R[6], R[5] + R[7]
    size = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    return w * size, x * size, y * size, z * size


@kernel
def place_tree(tree, place, turn, pedicel, angles, origin, axes, middles, quats):
    """Frames [body, 3] and [body, 9], middles [body, 3] and quaternions [body, 4], in the world.

    `turn` [9] are the thorax's axes as columns, `angles` those of all hinges.
    """
    for b in range(len(tree.parent)):
        parent, hinge = tree.parent[b], tree.hinge[b]
        if parent < 0:
            R, ox, oy, oz = load9(turn, 0), place[0], place[1], place[2]
        else:
            P, at = load9(axes[parent], 0), load3(tree.at[b], 0)
            ox = origin[parent, 0] + P[0] * at[0] + P[1] * at[1] + P[2] * at[2]
            oy = origin[parent, 1] + P[3] * at[0] + P[4] * at[1] + P[5] * at[2]
            oz = origin[parent, 2] + P[6] * at[0] + P[7] * at[1] + P[8] * at[2]
            R = multiply(P, load9(tree.turn[b], 0))
            if hinge >= 0:
                axis = load3(tree.axis[b], 0)
                R = multiply(R, turn_by_hinge(axis[0], axis[1], axis[2], angles[hinge]))
            elif hinge == PEDICEL:
                R = multiply(R, quaternion_axes(pedicel[0], pedicel[1], pedicel[2], pedicel[3]))
        for k in range(9):
            axes[b, k] = R[k]
        origin[b, 0], origin[b, 1], origin[b, 2] = ox, oy, oz
        m = load3(tree.middle[b], 0)
        middles[b, 0] = ox + R[0] * m[0] + R[1] * m[1] + R[2] * m[2]
        middles[b, 1] = oy + R[3] * m[0] + R[4] * m[1] + R[5] * m[2]
        middles[b, 2] = oz + R[6] * m[0] + R[7] * m[1] + R[8] * m[2]
        q = find_quaternion(R)
        for k in range(4):
            quats[b, k] = q[k]


@kernel
def play_sequences(sequences, time, walking, angles):
    """Angles of all segments of appendages, rad; `walking` goes from 0, it stands, to 1."""
    for a in range(len(sequences.period)):
        start, first, end = sequences.first[a], sequences.key_first[a], sequences.key_first[a + 1]
        share = 1.0
        if sequences.walking[a] >= 0:
            share = walking if sequences.walking[a] == 1 else 1.0 - walking
        moment = (time / sequences.period[a] + sequences.phase[a]) % 1.0
        later = first
        while later < end and sequences.key_time[later] <= moment:
            later += 1
        before = later - 1 if later > first else end - 1
        after = later if later < end else first
        for s in range(start, sequences.first[a + 1]):
            angles[s] = sequences.rest[s]
            if end > first:
                since = (moment - sequences.key_time[before]) % 1.0
                span = (sequences.key_time[after] - sequences.key_time[before]) % 1.0
                u = since / span if span > 0.0 else 0.0
                u = u * u * (3.0 - 2.0 * u)  # it comes to rest at every key
                low, high = (
                    sequences.key_angle[before, s - start],
                    sequences.key_angle[after, s - start],
                )
                angles[s] += share * (low + u * (high - low) - sequences.rest[s])
