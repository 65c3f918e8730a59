"""The cells around a mesh, each with the triangles that can be closest to one of its points.

With r half the diagonal of a cell, and d the distance of its centre to the mesh, a point of the
cell is at most d + r from the mesh, and a triangle is closest to it only if it is within d + 2 r of
the centre. Those are the candidates. Cells that would need too many keep one near triangle instead.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skitter.compiled import kernel
from skitter.terrain.mesh_query import (
    BOX_SIZE,
    GAP_UNIT,
    LINK_SIZE,
    TRIANGLE_SIZE,
    descend_tree,
    offset_from_triangle,
    search_tree,
    square_to_box,
)
from skitter.terrain.mesh_tree import sort_range

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]

MARGIN = 1 / 20  # of the mesh's size: how far around it cells are laid
CELL_LIMIT = 400_000, 3_000_000  # for small meshes, for large ones
CELLS_PER_TRIANGLE = 8
CANDIDATE_LIMIT = 6_000_000  # 48 MB
BAND = 2.5  # in cells: how far from the surface cells list candidates, or MARGIN if that is more
BAND_LIMIT = 6.0  # in cells
HALF_DIAGONAL = 0.5 * np.sqrt(3.0) * (1.0 + 1e-6)  # of a cell, with room for rounding


class Cells(NamedTuple):
    """The cells of a mesh."""

    counts: Ints  # [3] along x, y, z
    grid: Floats  # [4] lowest corner, edge
    cell: NDArray[np.int32]  # [cell, CELL_SIZE]
    candidate: NDArray[np.int32]  # [candidate, CANDIDATE_SIZE]


class Tree(NamedTuple):
    """What the searches for candidates walk."""

    number: Floats  # boxes, then triangles
    link: NDArray[np.int32]
    node_count: int


def build_cells(box: Floats, link: NDArray[np.int32], triangles: Floats, core: Floats) -> Cells:
    """Cells around the core triangles [n, 3, 3] of a mesh."""
    tree = Tree(np.concatenate([box.ravel(), triangles.ravel()]), link.ravel(), len(box))
    low, high = core.min(axis=(0, 1)), core.max(axis=(0, 1))
    size = float((high - low).max())
    extent = high - low + 2 * MARGIN * size
    edge = choose_edge(core, extent)
    counts = np.maximum(np.ceil(extent / edge), 1).astype(np.int64)
    grid = np.array([*((low + high - counts * edge) / 2), edge])
    near, distance = np.empty(counts.prod(), np.int32), np.empty(counts.prod())
    band = min(max(BAND * edge, MARGIN * size), BAND_LIMIT * edge)
    find_near(tree, grid, counts, band, near, distance)
    chosen = np.flatnonzero(distance < band)
    chosen = chosen[np.argsort(distance[chosen], kind="stable")]
    reach = distance[chosen] + 2 * HALF_DIAGONAL * edge
    return list_candidates(tree, Cells(counts, grid, near[:, None], near[:0]), chosen, reach)


def choose_edge(core: Floats, extent: Floats) -> float:
    """About the edge of a triangle, longer where there would be too many cells."""
    cross = np.cross(core[:, 1] - core[:, 0], core[:, 2] - core[:, 0])
    typical = np.sqrt(1.2 * float(np.linalg.norm(cross, axis=1).mean()))
    edge = max(typical, float(extent.max()) / 500)
    limit = np.clip(CELLS_PER_TRIANGLE * len(core), *CELL_LIMIT)
    while np.prod(np.ceil(extent / edge)) > limit:
        edge *= 1.05
    return edge


def list_candidates(tree: Tree, cells: Cells, chosen: Ints, reach: Floats) -> Cells:
    """Candidates for the chosen cells, for the first of them if there are too many."""
    count = np.empty(len(chosen), np.int64)
    nobody = np.empty(0, np.int32), np.empty(0)
    kept = count_candidates(
        tree, cells.grid, cells.counts, chosen, reach, CANDIDATE_LIMIT, *nobody, count
    )
    chosen, count = chosen[:kept], count[:kept]
    start = np.cumsum(count) - count
    cell = np.concatenate([cells.cell, np.zeros_like(cells.cell)], axis=1)
    cell[chosen, 0], cell[chosen, 1] = start, count
    triangle, gap = np.empty(count.sum(), np.int32), np.empty(count.sum())
    fill_candidates(tree, cells.grid, cells.counts, chosen, reach, start, triangle, gap)
    steps = (gap / (cells.grid[3] * GAP_UNIT) * (1.0 - 1e-9)).astype(np.int32)  # rounded down
    return cells._replace(cell=cell, candidate=np.stack([triangle, steps], axis=1))


@kernel
def cell_centre(grid, counts, cell):
    ny, nz, edge = counts[1], counts[2], grid[3]
    i, j, k = cell // (ny * nz), cell // nz % ny, cell % nz
    return grid[0] + (i + 0.5) * edge, grid[1] + (j + 0.5) * edge, grid[2] + (k + 0.5) * edge


@kernel
def find_near(tree, grid, counts, band, near, distance):
    """The triangle closest to each cell's centre, and how far it is; beyond the band one that is
    near."""
    number, link, nodes = tree.number, tree.link, tree.node_count
    for cell in range(len(near)):
        x, y, z = cell_centre(grid, counts, cell)
        seed = descend_tree(number, link, 0, 0, x, y, z)
        near[cell] = search_tree(number, link, 0, 0, nodes, x, y, z, seed, band * band)
        t = BOX_SIZE * nodes + TRIANGLE_SIZE * near[cell]
        distance[cell] = np.sqrt(offset_from_triangle(number, t, x, y, z)[0])


@kernel
def visit_candidates(number, link, nodes, x, y, z, reach, triangle, gap, start, end):
    """Triangles within `reach` of a point; written from `start` on as far as there is room."""
    count, node = 0, 0
    while node < nodes:
        here = LINK_SIZE * node
        if square_to_box(number, BOX_SIZE * node, x, y, z) > reach * reach:
            node = link[here]
            continue
        for k in range(link[here + 1], link[here + 1] + link[here + 2]):
            t = BOX_SIZE * nodes + TRIANGLE_SIZE * k
            square = offset_from_triangle(number, t, x, y, z)[0]
            if square <= reach * reach:
                if start + count < end:
                    triangle[start + count], gap[start + count] = k, np.sqrt(square)
                count += 1
        node += 1
    return count


@kernel
def count_candidates(tree, grid, counts, cells, reach, limit, triangle, gap, count):
    """How many candidates each cell has; returns for how many cells they fit the limit."""
    number, link, nodes = tree.number, tree.link, tree.node_count
    for k in range(len(cells)):
        x, y, z = cell_centre(grid, counts, cells[k])
        count[k] = visit_candidates(number, link, nodes, x, y, z, reach[k], triangle, gap, 0, 0)
        limit -= count[k]
        if limit < 0:
            return k
    return len(cells)


@kernel
def fill_candidates(tree, grid, counts, cells, reach, start, triangle, gap):
    """The candidates of each cell, sorted by their distance from its centre."""
    number, link, nodes = tree.number, tree.link, tree.node_count
    for k in range(len(cells)):
        x, y, z = cell_centre(grid, counts, cells[k])
        end = start[k + 1] if k + 1 < len(cells) else len(triangle)
        visit_candidates(number, link, nodes, x, y, z, reach[k], triangle, gap, start[k], end)
        sort_range(gap, triangle, start[k], end)
