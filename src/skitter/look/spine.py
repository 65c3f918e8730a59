"""Joints along the midline of a body without parts, such as a worm's.

A joint lies on a point of the recorded midline. How it is turned is the rotation that best takes
the nodes around it from rest to where they are (Kabsch 1976), the nearer ones counting more. The
chain begins in the middle, which hangs on the root, and goes on to head and tail.

A point of the skin follows three joints, by the weights of a quadratic B-spline: with two, as soft
blocks have them, a body that is bent all along would have a kink at every joint.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skitter.look.layers import turn_by_moments
from skitter.look.motion import Pose

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
JOINTS = (24, 12, 6)  # by level of detail
REACH = 1.0  # of the way between joints: how far around a joint nodes turn it


def name_joint(number: int) -> str:
    return f"spine_{number:02d}"


class SpineBones:
    """The joints of a spine, from the head to the tail."""

    def __init__(self, rest: Pose, level: int, root: str, ways: tuple[Floats, Floats]) -> None:
        """`ways` are the axes of joints on the way to the head, and of those to the tail."""
        count, last = JOINTS[level], len(rest.midline) - 1
        middle = count // 2
        self._point = np.rint((np.arange(count) + 0.5) / count * last).astype(int)
        self.names = [name_joint(k) for k in range(count)]
        self.parents = [*self.names[1 : middle + 1], root, *self.names[middle:-1]]
        self.axes = np.array([ways[int(k >= middle)] for k in range(count)])
        self._head = float(rest.node_position[:, 0].max())
        self._stations = self._head - rest.midline[self._point, 0]  # [joint] cm from the head
        self._step = float(np.diff(self._stations).mean())
        self._arms = self._weigh_arms(rest.node_position)

    def _weigh_arms(self, nodes: Floats) -> sparse.csr_matrix:
        """The arms of nodes at rest, by their weights, as each joint has them [joint * 3, node].

        Times nodes elsewhere that is what a best rotation is found from.
        """
        off = self._head - nodes[:, 0] - self._stations[:, None]
        share = np.clip(1 - np.abs(off) / (REACH * self._step), 0, None)
        share /= share.sum(axis=1, keepdims=True)
        arms = share[..., None] * (nodes - (share @ nodes)[:, None])
        return sparse.csr_matrix(np.moveaxis(arms, 1, 2).reshape(-1, len(nodes)))

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        """Positions [..., joint, 3] and turns [..., joint, 3, 3]."""
        nodes = pose.node_position
        flat = nodes.reshape(-1, *nodes.shape[-2:])
        moments = np.stack([self._arms @ one for one in flat])
        moments = moments.reshape(*nodes.shape[:-2], len(self.names), 3, 3)
        return pose.midline[..., self._point, :], turn_by_moments(np.swapaxes(moments, -1, -2))

    def bind(self, points: Floats) -> tuple[Ints, Floats]:
        """For points of the body at rest [point, 3]: three joints of these [point, 3], and weights.

        The first has most; one that has none is number 0.
        """
        last = len(self.names) - 1
        at = np.clip((self._head - points[:, 0] - self._stations[0]) / self._step, -0.5, last + 0.5)
        near = np.clip(np.rint(at), 0, last).astype(np.int64)
        off = at - near
        weights = np.stack([0.75 - off**2, (0.5 - off) ** 2 / 2, (0.5 + off) ** 2 / 2], axis=1)
        joints = near[:, None] + np.array([0, -1, 1])
        is_beyond = (joints < 0) | (joints > last)
        weights[:, 0] += np.where(is_beyond, weights, 0).sum(axis=1)
        weights[is_beyond] = 0.0
        return np.where(weights > 0, joints, 0), weights
