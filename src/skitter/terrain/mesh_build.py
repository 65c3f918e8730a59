"""From points and triangles to the arrays that mesh queries run on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skitter.terrain.mesh_cells import build_cells
from skitter.terrain.mesh_query import (
    HEAD_SIZE,
    INDICES,
    NODE_COUNT,
    NUMBERS,
    NX,
    NZ,
    SHEET,
    SIDE,
    SOLID,
    TRIANGLE_COUNT,
    MeshArrays,
)
from skitter.terrain.mesh_tree import build_tree

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]


def build_mesh(
    points: Floats, triangles: Ints, *, side: int = SOLID, thickness: float = 0.0, core: int = 0
) -> MeshArrays:
    """The arrays of one mesh; only a sheet has a thickness, cm. `core` counts the triangles that
    cells are laid around (0: all)."""
    assert (thickness > 0.0) == (side == SHEET), "a sheet, and nothing else, has a thickness"
    corners = points[triangles]
    box, link, order = build_tree(corners)
    parts = compute_triangles(corners), compute_pseudo_normals(points, triangles)
    rows = np.concatenate(parts, axis=1)[order]
    cells = build_cells(box, link, rows, corners[:core] if core else corners)
    head = np.zeros((1, HEAD_SIZE), np.int64)
    head[0, [NODE_COUNT, TRIANGLE_COUNT, SIDE]] = len(box), len(rows), side
    head[0, NX : NZ + 1] = cells.counts
    number = np.concatenate([cells.grid, [thickness / 2], box.ravel(), rows.ravel()])
    index = np.concatenate([link.ravel(), cells.cell.ravel(), cells.candidate.ravel()])
    return MeshArrays(head, number, index.astype(np.int32))


def compute_triangles(corners: Floats) -> Floats:
    """Rows of triangles but for the pseudo-normals."""
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    products = [np.einsum("ij,ij->i", *pair)[:, None] for pair in ((ab, ab), (ab, ac), (ac, ac))]
    return np.concatenate([a, ab, ac, compute_face_normals(corners), *products], axis=1)


def compute_face_normals(corners: Floats) -> Floats:
    """Unit normals of triangles [n, 3, 3]."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)


def compute_corner_angles(corners: Floats) -> Floats:
    """Angle at each corner of triangles [n, 3, 3], rad."""
    out = np.roll(corners, -1, axis=1) - corners
    back = np.roll(corners, 1, axis=1) - corners
    across = np.linalg.norm(np.cross(out, back), axis=2)
    return np.arctan2(across, np.einsum("ijk,ijk->ij", out, back))


def index_edges(triangles: Ints) -> Ints:
    """A number for each edge of each triangle [n, 3] (ab, bc, ca), the same where two meet."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2)
    ends = np.sort(ends, axis=2)
    key = ends[..., 0] * (int(triangles.max(initial=0)) + 1) + ends[..., 1]
    return np.unique(key, return_inverse=True)[1].reshape(key.shape)


def add_to(targets: Ints, values: Floats) -> Floats:
    """Sums of the rows of values [n, 3] that go to the same target."""
    size = int(targets.max(initial=-1)) + 1
    return np.stack([np.bincount(targets, values[:, k], size) for k in range(3)], axis=1)


def compute_pseudo_normals(points: Floats, triangles: Ints) -> Floats:
    """Unit pseudo-normals [triangle, 18] of its edges and its corners."""
    corners = points[triangles]
    face = compute_face_normals(corners)
    edges, angle = index_edges(triangles), compute_corner_angles(corners)
    at_edge = add_to(edges.ravel(), np.repeat(face, 3, axis=0))
    at_corner = add_to(triangles.ravel(), np.repeat(face, 3, axis=0) * angle.reshape(-1, 1))
    both = np.concatenate([at_edge[edges], at_corner[triangles]], axis=1)
    length = np.linalg.norm(both, axis=2, keepdims=True)
    folded = length < 1e-12  # where a surface is folded flat onto itself any side is as good
    both = np.where(folded, face[:, None], both / np.maximum(length, 1e-300))
    return both.reshape(-1, 18)


def join_meshes(meshes: Sequence[MeshArrays]) -> MeshArrays:
    """All meshes in one set of arrays."""
    heads, numbers, indices = [np.zeros((0, HEAD_SIZE), np.int64)], 0, 0
    for mesh in meshes:
        head = mesh.head.copy()
        head[:, NUMBERS], head[:, INDICES] = numbers, indices
        numbers, indices = numbers + len(mesh.numbers), indices + len(mesh.indices)
        heads.append(head)
    return MeshArrays(
        head=np.concatenate(heads),
        numbers=np.concatenate([np.zeros(0), *(mesh.numbers for mesh in meshes)]),
        indices=np.concatenate([np.zeros(0, np.int32), *(mesh.indices for mesh in meshes)]),
    )
