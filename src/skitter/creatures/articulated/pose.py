"""Where links are at given joint angles, in plain NumPy: for building, not for stepping."""

import numpy as np

from skitter.rigid.tree.model import Link
from skitter.rotation import quaternion_to_matrix

SIZES = {"ball": (4, 3), "free": (7, 6)}  # of a joint in q and in v; all others are one number


def size_joint(joint: str) -> tuple[int, int]:
    """How many numbers a joint has in q and in v."""
    return SIZES.get(joint, (1, 1))


def pose_links(links: list[Link], q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Origins [link, 3] cm and axes [link, 3, 3] of all links in the creature's frame."""
    origin, axes = np.zeros((len(links), 3)), np.zeros((len(links), 3, 3))
    at = 0
    for index, link in enumerate(links):
        size = size_joint(link.joint)[0]
        shift, turn = move_joint(link, q[at : at + size])
        at += size
        place, frame = link.place + link.turn @ shift, link.turn @ turn
        if link.parent >= 0:
            place = origin[link.parent] + axes[link.parent] @ place
            frame = axes[link.parent] @ frame
        origin[index], axes[index] = place, frame
    return origin, axes


def move_joint(link: Link, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far a joint moves and turns its link, in the axes that the link has at zero."""
    if link.joint == "free":
        return q[:3], quaternion_to_matrix(q[3:])
    if link.joint == "ball":
        return np.zeros(3), quaternion_to_matrix(q)
    if link.joint == "prismatic":
        return q[0] * link.axis, np.eye(3)
    return q[0] * link.pitch * link.axis, turn_about(link.axis, float(q[0]))


def turn_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation by an angle, rad, about a unit axis."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
