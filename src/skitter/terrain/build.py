"""From the terrain of a scene file to the arrays that kernels ask, and a Python face for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skitter.rotation import matrix_from_turn, matrix_y_to
from skitter.scene.spec import AnyTerrain, BoxTerrain, CylinderTerrain, PlaneTerrain, SphereTerrain
from skitter.terrain.ray import cast_many
from skitter.terrain.surface import BOX, CYLINDER, FAR, PLANE, SPHERE, TerrainArrays, sample_many


def describe_primitive(spec: AnyTerrain) -> tuple[int, np.ndarray, tuple[float, float, float]]:
    """Kind, axes and extent of one terrain shape."""
    match spec:
        case PlaneTerrain():
            return PLANE, matrix_y_to(spec.normal), (0.0, 0.0, 0.0)
        case BoxTerrain():
            x, y, z = spec.size
            return BOX, matrix_from_turn(spec.turn_deg), (x / 2, y / 2, z / 2)
        case SphereTerrain():
            return SPHERE, np.eye(3), (spec.radius, 0.0, 0.0)
        case CylinderTerrain():
            extent = (spec.radius, spec.length / 2, 0.0)
            return CYLINDER, matrix_from_turn(spec.turn_deg), extent


class Terrain:
    """The surfaces of a scene. Points are rows of [n, 3] in cm, world frame."""

    def __init__(self, arrays: TerrainArrays):
        self.arrays = arrays

    def sample(self, points: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signed distance [n] (negative inside), outward normal [n, 3], closest primitive [n]."""
        points = np.atleast_2d(np.asarray(points, float))
        distance, normal = np.empty(len(points)), np.empty((len(points), 3))
        which = np.empty(len(points), np.int64)
        sample_many(self.arrays, points, distance, normal, which)
        return distance, normal, which

    def is_inside(self, points: ArrayLike) -> np.ndarray:
        return self.sample(points)[0] < 0

    def closest_point(self, points: ArrayLike) -> np.ndarray:
        """The surface point nearest to each point [n, 3]."""
        distance, normal, _ = self.sample(points)
        return np.atleast_2d(np.asarray(points, float)) - distance[:, None] * normal

    def cast(
        self, origins: ArrayLike, directions: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distance along each ray [n] (infinite for a miss), normal met [n, 3], primitive [n]."""
        origins = np.atleast_2d(np.asarray(origins, float))
        directions = np.atleast_2d(np.asarray(directions, float))
        directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        distance, normal = np.empty(len(origins)), np.empty((len(origins), 3))
        which = np.empty(len(origins), np.int64)
        cast_many(self.arrays, origins, directions, distance, normal, which)
        return np.where(distance >= FAR, np.inf, distance), normal, which

    def height(self, x: ArrayLike, z: ArrayLike, *, top: float = 1e6) -> np.ndarray:
        """Height of the highest surface below `top` at each (x, z); -inf where there is none."""
        across = np.stack(np.broadcast_arrays(np.atleast_1d(x), np.atleast_1d(z)), axis=1)
        origins = np.insert(across.astype(float), 1, top, axis=1)
        return top - self.cast(origins, np.tile([0.0, -1.0, 0.0], (len(origins), 1)))[0]


def build_terrain(specs: Sequence[AnyTerrain]) -> Terrain:
    """The terrain of a scene."""
    described = [describe_primitive(spec) for spec in specs]
    count = len(specs)
    return Terrain(
        TerrainArrays(
            kind=np.array([kind for kind, _, _ in described], np.int64),
            centre=np.array([spec.at for spec in specs], float).reshape(count, 3),
            axes=np.array([axes for _, axes, _ in described], float).reshape(count, 3, 3),
            extent=np.array([extent for _, _, extent in described], float).reshape(count, 3),
            friction=np.array([spec.friction for spec in specs], float),
            restitution=np.array([spec.restitution for spec in specs], float),
        )
    )
