"""What lies inside a clear skin, in the browser: surfaces that are sent whole, and muscles.

A muscle is a row of instances of one short piece, so that it can bend with the body, and have a
colour of its own that changes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import to_screen
from skitter.look.motion import Pose
from skitter.look.muscles import PIECE, PIECES, Muscles
from skitter.look.organs import Organ
from skitter.look.placing import Places

Floats = NDArray[np.floating]


class OrganNode:
    """An organ in one colour. `scale` is units of the view per cm."""

    def __init__(self, scene: Any, name: str, organ: Organ, pose: Pose, scale: float) -> None:
        self._organ, self._scale = organ, scale
        self._node = scene.add_mesh_simple(
            f"{name}/{organ.kind}",
            scale * organ.at(pose).points,
            organ.triangles,
            color=tuple(int(c) for c in to_screen(organ.colours.mean(axis=0))),
            cast_shadow=False,
            receive_shadow=False,
        )

    def show(self, pose: Pose) -> None:
        points = self._scale * self._organ.at(pose).points
        self._node.vertices = np.asarray(points, np.float32)


class MuscleNode:
    """All muscles of a creature, each coloured by its activation."""

    def __init__(self, scene: Any, name: str, muscles: Muscles, pose: Pose, scale: float) -> None:
        self._muscles, self._scale = muscles, scale
        places = muscles.place(pose)
        self._node = scene.add_batched_meshes_simple(
            f"{name}/{muscles.kind}",
            PIECE.points,
            PIECE.triangles,
            np.asarray(places.orientation, np.float32),
            np.asarray(scale * places.position, np.float32),
            batched_scales=np.asarray(scale * places.scale, np.float32),
            batched_colors=self._tint(pose),
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )

    def show(self, pose: Pose) -> None:
        places: Places = self._muscles.place(pose)
        self._node.batched_positions = np.asarray(self._scale * places.position, np.float32)
        self._node.batched_wxyzs = np.asarray(places.orientation, np.float32)
        self._node.batched_scales = np.asarray(self._scale * places.scale, np.float32)
        self._node.batched_colors = self._tint(pose)

    def _tint(self, pose: Pose) -> NDArray[np.uint8]:
        """As instances want them, which the browser takes as light."""
        tints = np.repeat(self._muscles.tints(pose), PIECES, axis=0)
        return np.round(255 * np.clip(tints, 0, 1)).astype(np.uint8)


def add_organ(
    scene: Any, name: str, organ: Organ, pose: Pose, scale: float
) -> OrganNode | MuscleNode:
    """The node of an organ of a creature that is called so."""
    if isinstance(organ, Muscles):
        return MuscleNode(scene, name, organ, pose, scale)
    return OrganNode(scene, name, organ, pose, scale)
