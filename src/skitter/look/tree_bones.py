"""The joints of a body of links: one for each, where the link is joined to what it hangs on."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.motion import Pose
from skitter.look.tree import Tree, name_bodies
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]


class TreeBones:
    """A joint for each link; legs are chains that hang on the trunk."""

    def __init__(self, tree: Tree, root: str, ways: tuple[Floats, Floats]) -> None:
        """`ways` are the axes of a joint whose link leads along x, and against it."""
        self.names = name_bodies(tree)
        self.parents = [root if k < 0 else self.names[k] for k in tree.parent]
        leads_back = tree.joint[:, 0] > 0
        self.axes = np.where(leads_back[:, None, None], ways[1], ways[0])
        self._joint = tree.joint

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        """Positions [..., joint, 3] and turns [..., joint, 3, 3]."""
        turn = quaternion_to_matrix(pose.body_orientation)
        return pose.body_position + np.einsum("...ij,...j->...i", turn, self._joint), turn
