"""Subdivision of triangle surfaces as sparse matrices (Loop 1987, creases after DeRose 1998).

The simulated surface of a soft block is coarse: nine nodes on each side. Subdivision turns it into
a smooth skin, and since its rules are linear in the positions the whole of it is one sparse matrix,
made once; a frame of an animation is then one product. Edges that are sharp at rest are held as
creases in the first level only (DeRose's semi-sharp creases), which keeps a block a block, with
rounded edges, instead of a potato.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Edges:
    """The edges of a triangle mesh."""

    ends: Indices  # [edge, 2] points
    across: Indices  # [edge, 2] the points opposite, -1 where there is no triangle
    of_triangle: Indices  # [triangle, 3] edges: 0-1, 1-2, 2-0


def find_edges(triangles: Indices) -> Edges:
    """Edges in a fixed order, with the points that face them."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    facing = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    ends, owner = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
    owner = owner.ravel()
    across = np.full((len(ends), 2), -1)
    first = np.full(len(ends), -1)
    first[owner[::-1]] = np.arange(len(owner))[::-1]
    second = np.full(len(ends), -1)
    second[owner] = np.arange(len(owner))
    across[:, 0] = facing[first]
    across[:, 1] = np.where(second != first, facing[second], -1)
    return Edges(ends, across, owner.reshape(3, -1).T)


def find_sharp_edges(points: Floats, triangles: Indices, edges: Edges, angle: float) -> Indices:
    """Edges whose two faces meet at more than `angle` (radians), and the open ones."""
    corner = points[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    total = np.zeros((len(edges.ends), 3))
    np.add.at(total, edges.of_triangle.ravel(), np.repeat(normal, 3, axis=0))
    # two unit normals at angle a add up to length 2 cos(a/2)
    sharp = np.linalg.norm(total, axis=1) < 2 * np.cos(angle / 2)
    return np.flatnonzero(sharp | (edges.across[:, 1] < 0))


def build_subdivision(
    point_count: int, triangles: Indices, edges: Edges, creases: Indices
) -> tuple[sparse.csr_matrix, Indices]:
    """One level: the matrix from old points to new ones, and the new triangles."""
    is_crease = np.zeros(len(edges.ends), dtype=bool)
    is_crease[creases] = True
    matrix = sparse.vstack(
        [_old_points(point_count, edges, is_crease), _edge_points(point_count, edges, is_crease)]
    ).tocsr()
    middle = edges.of_triangle + point_count
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return matrix, np.stack([np.stack(p, axis=1) for p in parts], axis=1).reshape(-1, 3)


def _edge_points(count: int, edges: Edges, is_crease: NDArray[np.bool_]) -> sparse.csr_matrix:
    """New points on edges: 3/8 of the ends and 1/8 of the points across; the middle on a crease."""
    rows = np.arange(len(edges.ends))
    smooth = rows[~is_crease]
    row = np.concatenate([rows, rows, smooth, smooth])
    column = np.concatenate([edges.ends.T.ravel(), edges.across[smooth].T.ravel()])
    end_weight = np.where(is_crease, 0.5, 0.375)
    weight = np.concatenate([end_weight, end_weight, np.full(2 * len(smooth), 0.125)])
    return sparse.csr_matrix((weight, (row, column)), shape=(len(rows), count))


def _old_points(count: int, edges: Edges, is_crease: NDArray[np.bool_]) -> sparse.csr_matrix:
    """Old points, moved towards their neighbours: all of them, the two on a crease, or none."""
    links = _adjacency(count, edges.ends)
    crease_links = _adjacency(count, edges.ends[is_crease])
    valence = np.asarray(links.sum(axis=1)).ravel()
    crease_valence = np.asarray(crease_links.sum(axis=1)).ravel()
    # Loop's weight in Warren's simpler form
    smooth = np.where(valence == 3, 3 / 16, 3 / (8 * np.maximum(valence, 1)))
    smooth = np.where(crease_valence < 2, smooth, 0.0)
    crease = np.where(crease_valence == 2, 1 / 8, 0.0)
    keep = 1 - smooth * valence - crease * crease_valence
    return (
        sparse.diags(keep) + sparse.diags(smooth) @ links + sparse.diags(crease) @ crease_links
    ).tocsr()


def _adjacency(count: int, ends: Indices) -> sparse.csr_matrix:
    row = np.concatenate([ends[:, 0], ends[:, 1]])
    column = np.concatenate([ends[:, 1], ends[:, 0]])
    return sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=(count, count))


def build_skin(
    points: Floats, triangles: Indices, *, levels: int, crease_levels: int, angle: float = 0.9
) -> tuple[sparse.csr_matrix, Indices]:
    """Several levels at once; creases found at rest are held during the first `crease_levels`."""
    skin = sparse.identity(len(points), format="csr")
    for level in range(levels):
        edges = find_edges(triangles)
        sharp = find_sharp_edges(skin @ points, triangles, edges, angle)
        held = sharp if level < crease_levels else sharp[edges.across[sharp, 1] < 0]
        matrix, triangles = build_subdivision(skin.shape[0], triangles, edges, held)
        skin = (matrix @ skin).tocsr()
    return skin, triangles


def push_to_limit(point_count: int, triangles: Indices) -> sparse.csr_matrix:
    """Where points of a closed surface come to lie when it is subdivided without end (Loop 1987).

    Half of the way to the mean of the neighbours, and three fifths where there are three.
    """
    links = _adjacency(point_count, find_edges(triangles).ends)
    valence = np.asarray(links.sum(axis=1)).ravel()
    share = np.where(valence == 3, 0.6, 0.5)
    mean = sparse.diags(share / np.maximum(valence, 1)) @ links
    return sparse.csr_matrix(sparse.diags(1 - share) + mean)
