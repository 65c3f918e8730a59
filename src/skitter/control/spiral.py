"""The shape of a coiled body: a flat spiral, the belly inside and the head in the middle.

Its radius of curvature grows evenly with the turn psi, rho = a + b psi, which makes the spiral the
involute of a circle of radius b: neighbouring turns are 2 pi b apart everywhere, measured across
them. a is as tight as the soft blocks allow. As its curvature falls all along the body, no part of
it crosses another, wound up fully or in part (Tait 1896, Kneser 1912).
"""

import numpy as np

MIDDLE = np.array([1.0, 0.0, 0.0, 0.0])  # a quaternion that turns nothing


def find_bends(
    links: np.ndarray, heights: np.ndarray, blocks: np.ndarray, tightness: float, spacing: float
) -> np.ndarray:
    """Angles between neighbours of the coiled body [joint], rad, head first.

    `links` [joint] from middle to middle, `heights` [body] of the parts and `blocks` [joint], the
    lengths of the soft blocks, in cm.
    """
    tallest = np.maximum(heights[1:], heights[:-1])
    tightest = tightness * blocks / (tallest / 2)
    first = float(np.median(links / tightest))  # a; the longer link of a head bends less
    grow = spacing * float(heights.max()) / (2 * np.pi)  # b
    along = np.cumsum(links) - links / 2  # of the middle of each joint
    psi = (np.sqrt(first**2 + 2 * grow * along) - first) / grow
    return np.minimum(links / (first + grow * psi), tightest)


def bend_joints(bends: np.ndarray) -> np.ndarray:
    """Quaternions of joints that bend down [joint, 4]: each part is turned about z against the
    one before it, seen from that."""
    half = bends / 2
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1)


def blend_joints(start: np.ndarray, end: np.ndarray, share: float) -> np.ndarray:
    """Joints [joint, 4] part of the way from one shape to another, by equal angles."""
    end = np.where((start * end).sum(axis=1, keepdims=True) < 0, -end, end)
    cosine = np.clip((start * end).sum(axis=1), -1.0, 1.0)
    angle = np.arccos(cosine)
    wide = angle > 1e-6
    sine = np.where(wide, np.sin(angle), 1.0)
    first = np.where(wide, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(wide, np.sin(share * angle) / sine, share)
    joints = first[:, None] * start + second[:, None] * end
    return np.asarray(joints / np.linalg.norm(joints, axis=1, keepdims=True))


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of two quaternions: first q, then p."""
    (a, b, c, d), (e, f, g, h) = p, q
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )


def turn_vector(q: np.ndarray, x: float) -> np.ndarray:
    """The vector (x, 0, 0) turned by a quaternion."""
    w, a, b, c = q
    return x * np.array([1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)])


def roll_parts(turns: np.ndarray, angle: float) -> np.ndarray:
    """Parts [..., 4] rolled about their own x."""
    w, x, y, z = np.moveaxis(turns, -1, 0)
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    return np.stack([c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y], axis=-1)


def roll_joints(joints: np.ndarray, angle: float) -> np.ndarray:
    """Joints [joint, 4] of the same middle line once every part has rolled about its own x."""
    w, x, y, z = joints.T
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([w, x, c * y + s * z, c * z - s * y], axis=1)


def find_joints(turns: np.ndarray) -> np.ndarray:
    """The joints of a body whose parts are turned so [body, 4]."""
    flipped = turns[:-1] * [1.0, -1.0, -1.0, -1.0]
    return np.array([multiply(p, q) for p, q in zip(flipped, turns[1:], strict=True)])


def place_chain(
    joints: np.ndarray, lengths: np.ndarray, blocks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Middles [body, 3] and quaternions [body, 4] of a chain, in the axes of its middle part.

    A joint turns half before and half behind the middle of its block, so that the block bends as
    an arc.
    """
    count = len(lengths)
    turns, places = np.tile(MIDDLE, (count, 1)), np.zeros((count, 3))
    for b in range(1, count):
        before, joint = turns[b - 1], joints[b - 1]
        turns[b] = multiply(before, joint)
        face = places[b - 1] - turn_vector(before, (lengths[b - 1] + blocks[b - 1]) / 2)
        places[b] = face - turn_vector(turns[b], (blocks[b - 1] + lengths[b]) / 2)
    root = turns[count // 2] * [1.0, -1.0, -1.0, -1.0]
    turns = np.array([multiply(root, q) for q in turns])
    w, v = root[0], root[1:]
    away = places - places[count // 2]
    twice = 2 * np.cross(v, away)
    return away + w * twice + np.cross(v, twice), turns
