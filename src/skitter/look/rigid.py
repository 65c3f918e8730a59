"""The stiff parts of a creature as bevelled solids."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, build_capsule, build_rounded_box, join_meshes
from skitter.look.motion import Pose
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]

BEVEL_SHARE = 0.11  # of a box's shortest edge
CAPSULE = 1  # in body_shape


class RigidSurface:
    """All stiff parts of a creature in one mesh, so that a frame is one update."""

    def __init__(self, shape: Indices, size: Floats) -> None:
        meshes = [_part_mesh(int(s), edges) for s, edges in zip(shape, size, strict=True)]
        self._rest = join_meshes(meshes)
        self._body = np.repeat(np.arange(len(meshes)), [len(mesh.points) for mesh in meshes])
        corners = np.stack(np.meshgrid(*[[-1, 1]] * 3), axis=-1).reshape(-1, 3)
        self._corners = np.stack(
            [corners * half_size(int(s), e) for s, e in zip(shape, size, strict=True)]
        )

    def at(self, pose: Pose) -> Mesh:
        """The parts where the pose has them."""
        turn = quaternion_to_matrix(pose.body_orientation)[self._body]
        points = np.einsum("pij,pj->pi", turn, self._rest.points)
        normals = np.einsum("pij,pj->pi", turn, self._rest.normals)
        return Mesh(points + pose.body_position[self._body], normals, self._rest.triangles)

    def outline(self, pose: Pose) -> Floats:
        """The corners of every part's bounding box [8 * body, 3], which is all a camera needs."""
        turned = self._corners @ np.swapaxes(quaternion_to_matrix(pose.body_orientation), 1, 2)
        return (turned + pose.body_position[:, None]).reshape(-1, 3)


def _part_mesh(shape: int, size: Floats) -> Mesh:
    if shape == CAPSULE:
        return build_capsule(float(size[0]), float(size[1]))
    return build_rounded_box(size, bevel_radius(size))


def bevel_radius(size: Floats) -> float:
    """How much a box's edges are rounded, cm."""
    return BEVEL_SHARE * float(np.min(size))


def half_size(shape: int, size: Floats) -> Floats:
    """Half the edges of a part's bounding box, from body_size."""
    if shape == CAPSULE:
        return np.array([size[1] / 2 + size[0], size[0], size[0]])
    return np.asarray(size, dtype=float) / 2
