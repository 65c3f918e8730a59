"""From the terrain of a scene file to the arrays that kernels ask, and a Python face for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skitter.errors import UserError
from skitter.scene.spec import AnyTerrain
from skitter.terrain.mesh_build import join_meshes
from skitter.terrain.mesh_query import TRIANGLE_COUNT, MeshArrays
from skitter.terrain.primitives import Primitive, describe_item
from skitter.terrain.ray import cast_many
from skitter.terrain.surface import FAR, TerrainArrays, inside_many, sample_many

TRIANGLE_LIMIT = 2_000_000


class Terrain:
    """The surfaces of a scene. Points are rows of [n, 3] in cm, world frame."""

    def __init__(self, arrays: TerrainArrays):
        self.arrays = arrays

    def sample(self, points: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signed distance [n] (negative inside), outward normal [n, 3], closest item [n]."""
        points = take_rows(points)
        distance, normal = np.empty(len(points)), np.empty((len(points), 3))
        which = np.empty(len(points), np.int64)
        sample_many(self.arrays, points, distance, normal, which)
        return distance, normal, which

    def is_inside(self, points: ArrayLike) -> np.ndarray:
        points = take_rows(points)
        found = np.empty(len(points), bool)
        inside_many(self.arrays, points, found)
        return found

    def closest_point(self, points: ArrayLike) -> np.ndarray:
        """The surface point nearest to each point [n, 3]."""
        distance, normal, _ = self.sample(points)
        return take_rows(points) - distance[:, None] * normal

    def cast(
        self, origins: ArrayLike, directions: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distance along each ray [n] (infinite for a miss), normal met [n, 3], item [n]."""
        origins, directions = take_rows(origins), take_rows(directions)
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


def take_rows(points: ArrayLike) -> np.ndarray:
    """Points as rows [n, 3], one after the other: kernels are compiled for no other layout."""
    return np.ascontiguousarray(np.atleast_2d(np.asarray(points, float)))


def build_terrain(specs: Sequence[AnyTerrain]) -> Terrain:
    """The terrain of a scene."""
    described = [(item, one) for item, spec in enumerate(specs) for one in describe_item(spec)]
    primitives, count = [one for _, one in described], len(described)
    meshes, mesh = share_meshes(primitives)
    kind = np.array([one.kind for one in primitives], np.int64)
    centre = np.array([one.centre for one in primitives], float).reshape(count, 3)
    axes = np.array([one.axes for one in primitives], float).reshape(count, 3, 3)
    size = np.array([(*one.extent, one.reach) for one in primitives], float).reshape(count, 4)
    owner = np.array([item for item, _ in described], np.int64)
    return Terrain(
        TerrainArrays(
            kind=kind,
            centre=centre,
            axes=axes,
            row=np.concatenate([centre, size, axes.reshape(count, 9)], axis=1),
            link=np.stack([kind, owner, mesh], axis=1),
            friction=np.array([spec.friction for spec in specs], float),
            restitution=np.array([spec.restitution for spec in specs], float),
            meshes=join_meshes(meshes),
        )
    )


def share_meshes(primitives: Sequence[Primitive]) -> tuple[list[MeshArrays], np.ndarray]:
    """The meshes, each once, and which one each primitive is (-1: none)."""
    meshes: list[MeshArrays] = []
    which = np.full(len(primitives), -1, np.int64)
    number: dict[int, int] = {}
    for index, one in enumerate(primitives):
        if one.mesh is not None:
            which[index] = number.setdefault(id(one.mesh), len(meshes))
            meshes += [one.mesh] if which[index] == len(meshes) else []
    check_triangles(sum(int(mesh.head[0, TRIANGLE_COUNT]) for mesh in meshes))
    return meshes, which


def check_triangles(count: int) -> None:
    if count > TRIANGLE_LIMIT:
        problem = f"asks for {count:,} triangles of meshes and heightfields"
        raise UserError(f"terrain {problem}; valid: at most {TRIANGLE_LIMIT:,}")
