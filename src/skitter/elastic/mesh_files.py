"""Labelled tetrahedral meshes from files and into files: Medit's .mesh and Gmsh's .msh.

What is read is made usable: inverted tetrahedra are turned, nodes that no tetrahedron needs are
left out, and nodes are numbered along the body, so that the stiffness matrix has a narrow band.
What cannot be used is refused in one line.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from skitter.disk import BadFile, read_regular
from skitter.elastic.gmsh import format_gmsh, parse_gmsh
from skitter.elastic.medit import format_medit, parse_medit
from skitter.elastic.raw_mesh import BadMesh, RawMesh
from skitter.elastic.tet_mesh import TetMesh, compute_quality
from skitter.errors import UserError

READERS: dict[str, Callable[[str], RawMesh]] = {".mesh": parse_medit, ".msh": parse_gmsh}
WRITERS = {".mesh": format_medit, ".msh": format_gmsh}
FILE_LIMIT = 40_000_000  # bytes; as words it takes twenty times as much
FLATTEST = 1e-6  # quality below which a tetrahedron counts as flat: its stiffness would drown all


def load_mesh(path: Path, *, scale: float = 1.0, length: float | None = None) -> TetMesh:
    """The mesh in a file whose unit is `scale` cm, or that is `length` cm long; without fibres.

    Regions are in the order of the file, and have the names or numbers that it gives them.
    """
    reader = READERS.get(path.suffix)
    if reader is None:
        raise UserError(f"{path}: a mesh must end in {' or '.join(READERS)}")
    try:
        return tidy(reader(read_regular(path, FILE_LIMIT, valid="a mesh").decode()), scale, length)
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not a text file; save the mesh as text") from None
    except (BadFile, BadMesh) as error:
        raise UserError(f"{path}: {error}") from None


def write_mesh(mesh: TetMesh, path: Path) -> None:
    """Write a mesh in cm; .mesh numbers its regions from 1, .msh names them as well."""
    writer = WRITERS.get(path.suffix)
    if writer is None:
        raise UserError(f"{path}: a mesh must end in {' or '.join(WRITERS)}")
    text = writer(mesh.nodes, mesh.tets, mesh.region, mesh.region_names)
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from None


def rename_regions(mesh: TetMesh, names: Mapping[str, str]) -> TetMesh:
    """The same mesh with other names; regions that get the same name become one."""
    renamed = [names.get(name, name) for name in mesh.region_names]
    kept = list(dict.fromkeys(renamed))
    number = np.array([kept.index(name) for name in renamed])
    return replace(mesh, region=number[mesh.region], region_names=tuple(kept))


def lay_fibres(
    mesh: TetMesh, muscles: Collection[str], direction: tuple[float, float, float] = (1, 0, 0)
) -> TetMesh:
    """The same mesh with fibres in the regions of these names, along the body by default."""
    is_muscle = np.array([name in muscles for name in mesh.region_names])[mesh.region]
    unit = np.array(direction) / np.linalg.norm(direction)
    return replace(mesh, fibre=np.where(is_muscle[:, None], unit, 0.0))


def tidy(raw: RawMesh, scale: float = 1.0, length: float | None = None) -> TetMesh:
    """A mesh that can be used, of one that stands in a file."""
    check_tets(raw.tets)
    used, corners = np.unique(raw.tets, return_inverse=True)
    nodes, tets = scale * raw.points[used], corners.reshape(raw.tets.shape)
    quality = compute_quality(nodes, tets)
    flat = int(np.sum(~(np.abs(quality) >= FLATTEST)))  # or no number, where all corners coincide
    if flat:
        raise BadMesh(f"holds {flat} tetrahedra without volume; all must have one")
    if length is not None:
        nodes *= length / np.ptp(nodes[:, 0])
    tets = np.where((quality < 0)[:, None], tets[:, [0, 2, 1, 3]], tets)
    order = order_nodes(nodes, tets)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    names = list(dict.fromkeys(raw.labels))
    index = {name: k for k, name in enumerate(names)}
    region = np.array([index[label] for label in raw.labels])
    return TetMesh(nodes[order], number[tets], region, tuple(names), np.zeros((len(tets), 3)))


def check_tets(tets: np.ndarray) -> None:
    """Refuse corners that coincide, tetrahedra that stand there twice, and bodies in pieces."""
    ordered = np.sort(tets, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise BadMesh("holds tetrahedra that name a node twice; four different ones are needed")
    if len(np.unique(ordered, axis=0)) < len(tets):
        raise BadMesh("holds the same tetrahedron twice; each may be in one region only")
    used, corners = np.unique(tets, return_inverse=True)
    pieces = connected_components(link_nodes(len(used), corners.reshape(tets.shape)))[0]
    if pieces > 1:
        raise BadMesh(f"is in {pieces} pieces; all tetrahedra must hang together by shared nodes")


def link_nodes(count: int, tets: np.ndarray) -> csr_array:
    """Which nodes share a tetrahedron [node, node]."""
    rows, columns = np.repeat(tets, 4, axis=1).ravel(), np.tile(tets, 4).ravel()
    return coo_array((np.ones(len(rows)), (rows, columns)), (count, count)).tocsr()


def order_nodes(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Nodes in the order with the narrowest band, from head (+x) to tail.

    As they stand in the file, by x, or as Cuthill and McKee say.
    """
    links = link_nodes(len(nodes), tets)
    orders: list[np.ndarray] = [
        np.arange(len(nodes)),
        np.lexsort((nodes[:, 2], nodes[:, 1], -nodes[:, 0])),
        np.asarray(reverse_cuthill_mckee(links, symmetric_mode=True)),
    ]
    order: np.ndarray = orders[int(np.argmin([measure_band(order, tets) for order in orders]))]
    order = np.asarray(order, np.int64)
    is_reversed = nodes[order[0], 0] < nodes[order[-1], 0]
    return order[::-1].copy() if is_reversed else order


def measure_band(order: np.ndarray, tets: np.ndarray) -> int:
    """How far apart the numbers of two nodes of a tetrahedron are in an order."""
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return int(np.ptp(number[tets], axis=1).max())
