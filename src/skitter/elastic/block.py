"""Tetrahedral meshes of soft blocks: a box of cells, each split into Kuhn's six tetrahedra.

Every tetrahedron of a cell is a path of three unit steps, one along each axis, from the cell's
first corner to its last. The split is the same in every cell, so neighbours match face to face.
Nodes are numbered with x (the body axis) slowest: the first layer of nodes is the block's start
face, the last layer its end face, and the stiffness matrix is banded.
"""

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))  # corner index = 4x + 2y + z


def build_cell_tets() -> np.ndarray:
    """Corner indices of the six tetrahedra of a cell, positively oriented [6, 4]."""
    tets = []
    for axes in itertools.permutations(range(3)):
        path = np.vstack(
            [np.zeros((1, 3), int), np.cumsum(np.eye(3, dtype=int)[list(axes)], axis=0)]
        )
        a, b, c, d = (int(corner @ (4, 2, 1)) for corner in path)
        is_positive = np.linalg.det(path[1:] - path[0]) > 0
        tets.append((a, b, c, d) if is_positive else (a, c, b, d))
    return np.array(tets)


CELL_TETS = build_cell_tets()


@dataclass(frozen=True)
class BlockTopology:
    """What all blocks with the same number of cells share.

    cells: number of cells along, up and across.
    cell_nodes: node of each corner of each cell [cell, 8].
    tets: nodes of each tetrahedron [tet, 4]; tet 6c + t is the t-th of cell c.
    surface: outward triangles of the outer surface [triangle, 3].
    """

    cells: tuple[int, int, int]
    cell_nodes: np.ndarray
    tets: np.ndarray
    surface: np.ndarray

    @property
    def node_count(self) -> int:
        return int(np.prod(np.array(self.cells) + 1))

    @property
    def face_node_count(self) -> int:
        """Nodes of the start face, and of the end face."""
        return (self.cells[1] + 1) * (self.cells[2] + 1)


@cache
def build_topology(cells: tuple[int, int, int]) -> BlockTopology:
    """The mesh of a block with the given number of cells along each axis."""
    shape = np.array(cells) + 1
    stride = np.array([shape[1] * shape[2], shape[2], 1])
    origins = np.array(list(itertools.product(*(range(n) for n in cells))))
    cell_nodes = (origins[:, None, :] + CORNERS) @ stride
    tets = cell_nodes[:, CELL_TETS].reshape(-1, 4)
    return BlockTopology(cells, cell_nodes, tets, find_surface(tets))


def find_surface(tets: np.ndarray) -> np.ndarray:
    """Outward triangles that belong to one tetrahedron only [triangle, 3]."""
    faces = np.concatenate([tets[:, list(f)] for f in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))])
    _, first, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return faces[np.sort(first[count == 1])]


def build_nodes(cells: tuple[int, int, int], size: np.ndarray) -> np.ndarray:
    """Rest positions of a box-shaped block centred at the origin [node, 3], in units of size."""
    steps = np.array(list(itertools.product(*(range(n + 1) for n in cells))))
    return (steps / np.array(cells) - 0.5) * np.asarray(size, float)


def compute_rest(nodes: np.ndarray, tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse rest edge matrices [tet, 3, 3] (Fang 2015 eq. A.2) and rest volumes [tet].

    Our columns run x1-x0, x2-x0, x3-x0; the thesis lists them in the opposite order, which
    changes neither F nor the forces.
    """
    edges = (nodes[tets[:, 1:]] - nodes[tets[:, :1]]).transpose(0, 2, 1)
    return np.linalg.inv(edges), np.linalg.det(edges) / 6


def compute_node_masses(
    volumes: np.ndarray, tets: np.ndarray, node_count: int, density: float
) -> np.ndarray:
    """Lumped masses: a quarter of every tetrahedron's mass to each corner (Fang 2015 eq. A.22)."""
    masses = np.zeros(node_count)
    np.add.at(masses, tets, (density * volumes / 4)[:, None])
    return masses


def compute_lame(young: float, poisson: float) -> tuple[float, float]:
    """Lamé's mu and lambda from Young's modulus and Poisson's ratio."""
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
