"""A body of tetrahedra that share nodes, every tetrahedron in a named region.

Where such a mesh comes from does not matter: it is built (`creatures/worm/anatomy.py`) or read from
a file (`elastic/mesh_files.py`). Elastic forces, modes and looks know only this.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skitter.elastic.block import find_surface

EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


@dataclass(frozen=True, eq=False)
class TetMesh:
    """A labelled tetrahedral mesh at rest.

    nodes: positions [node, 3] cm.
    tets: nodes of each tetrahedron, positively oriented [tet, 4].
    region: of each tetrahedron, an index into region_names [tet].
    region_names: such as "interior", "cuticle", "MDL01".
    fibre: unit direction of the fibres of muscle tetrahedra, zero elsewhere [tet, 3].
    """

    nodes: np.ndarray
    tets: np.ndarray
    region: np.ndarray
    region_names: tuple[str, ...]
    fibre: np.ndarray

    @cached_property
    def volumes(self) -> np.ndarray:
        """Of each tetrahedron [tet] cm³."""
        return compute_volumes(self.nodes, self.tets)

    @cached_property
    def surface(self) -> np.ndarray:
        """Outward triangles of the outer surface [triangle, 3]."""
        return find_surface(self.tets)

    @cached_property
    def band(self) -> int:
        """How far apart the numbers of two nodes of one tetrahedron can be."""
        return int(np.ptp(self.tets, axis=1).max())


def compute_volumes(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Of each tetrahedron [tet]; negative if inverted."""
    return np.linalg.det(nodes[tets[:, 1:]] - nodes[tets[:, :1]]) / 6


def compute_quality(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """6√2 V / l³ with l the root mean square of the edges [tet]: 1 if regular, 0 if flat.

    Negative if inverted, and no number where all corners coincide.
    """
    corners = nodes[tets]
    edges = np.stack([corners[:, j] - corners[:, i] for i, j in EDGES], axis=1)
    length = np.sqrt(np.mean(np.sum(edges**2, axis=2), axis=1))
    with np.errstate(invalid="ignore"):
        return 6 * np.sqrt(2.0) * compute_volumes(nodes, tets) / length**3
