"""Makes a triangle soup a surface that can be asked for its inside, where that is safe.

Points at the same place are welded, faces without area, doubled faces and fins are dropped, closed
pieces that touch along an edge are parted, small holes are closed, neighbours made to wind the same
way, and closed pieces turned outside out. What has no inside even then is left a sheet of two
sides, with a word about why; what is no surface at all is refused with a line that says what is
wrong. Self-intersections are not looked for: there the nearest face decides what is inside.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.spatial import cKDTree

from skitter.scene.describe import count
from skitter.terrain.mesh_build import compute_face_normals, index_edges

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]

WELD = 1e-6  # of the size of the mesh: corners that are nearer than this are one
HOLE_EDGES = 12  # a hole of at most so many edges is closed
HOLE_SHARE = 0.1  # of the size of the mesh, as wide as such a hole may be
LID_SHARE = 0.75  # of the area of the mesh, as large as all lids may be that make it solid


class NotRepairable(ValueError):
    """What is wrong with a mesh, and what would be valid."""


class HasNoInside(NotRepairable):
    """Why a mesh can be a sheet only."""

    def __init__(self, flaw: str, valid: str):
        super().__init__(f"{flaw}; valid: {valid}, or solid: false")
        self.flaw = flaw


@dataclass(frozen=True)
class Surface:
    """A clean triangle mesh: the skin of a solid, or a sheet."""

    points: Floats  # [point, 3] cm
    triangles: Ints  # [triangle, 3], counter-clockwise from outside
    is_closed: bool
    flaw: str = ""  # why it has no inside, where it has none
    thickness: float = 0.0  # cm, of a sheet; 0 of a solid


def find_surface(points: Floats, triangles: Ints) -> Surface:
    """The mesh, repaired; as it is but for the flaw, where it cannot have an inside."""
    try:
        return repair_surface(points, triangles)
    except HasNoInside as error:
        return replace(repair_surface(points, triangles, shell=True), flaw=error.flaw)


def repair_surface(points: Floats, triangles: Ints, *, shell: bool = False) -> Surface:
    """The mesh, repaired. A shell may be anything that has faces."""
    check_numbers(points, triangles)
    points, triangles = drop_faces(*weld(points, triangles, tolerance=0.0))
    if len(triangles) > 0 and not is_closed(triangles):
        points, triangles = drop_faces(*weld(points, triangles, tolerance=WELD))
    if len(triangles) == 0:
        raise NotRepairable("has no face with an area; valid: a mesh of triangles")
    if shell:
        return Surface(points, triangles, is_closed(triangles))
    points, triangles = split_pieces(points, drop_fins(triangles))
    check_manifold(triangles)
    points, triangles = fill_holes(points, make_winding_even(triangles))
    flaw = describe_border(triangles)
    return Surface(points, turn_outwards(points, triangles), not flaw, flaw)


def describe_border(triangles: Ints) -> str:
    """What is open about a mesh; nothing where it is closed."""
    edges = len(find_border(triangles))
    return f"is open along {count(edges, 'edge')}" if edges else ""


def check_numbers(points: Floats, triangles: Ints) -> None:
    if len(triangles) == 0 or len(points) == 0:
        raise NotRepairable("has no faces; valid: a mesh of triangles")
    if not np.isfinite(points).all():
        raise NotRepairable("has a corner whose place is not a number; valid: finite coordinates")
    if np.abs(points).max() > 1e9:
        raise NotRepairable("has a corner farther out than 1e9; valid: coordinates within that")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise NotRepairable("has a face with a corner that is not there; valid: known corners")


def weld(points: Floats, triangles: Ints, *, tolerance: float) -> tuple[Floats, Ints]:
    """Corners at the same place become one, as those doubled along seams of a texture."""
    used, triangles = np.unique(triangles, return_inverse=True)
    points, triangles = points[used], triangles.reshape(-1, 3)
    if tolerance == 0.0:
        points, same = np.unique(points, axis=0, return_inverse=True)
        return points, same.ravel()[triangles]
    reach = tolerance * float(np.ptp(points, axis=0).max())
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
    ones = np.ones(len(pairs))
    graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(len(points), len(points)))
    piece = connected_components(graph, directed=False)[1].astype(np.int64)
    first = np.unique(piece, return_index=True)[1]
    return points[first], piece[triangles]


def drop_faces(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Without faces of no area, and without faces that are there twice."""
    corners = points[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    triangles = triangles[np.linalg.norm(cross, axis=1) > 1e-14 * size * size]
    key = np.sort(triangles, axis=1)
    first = np.unique(key, axis=0, return_index=True)[1]
    return points, triangles[np.sort(first)]


def count_edge_uses(triangles: Ints) -> tuple[Ints, Ints]:
    """Number of each edge of each triangle [n, 3], and by how many triangles an edge is used."""
    edges = index_edges(triangles)
    return edges, np.bincount(edges.ravel())


def is_closed(triangles: Ints) -> bool:
    return len(triangles) > 0 and bool((count_edge_uses(triangles)[1] == 2).all())


def drop_fins(triangles: Ints) -> Ints:
    """Without faces that stand out of a closed surface: at one edge are two others, at one none."""
    kept = triangles
    while len(kept) > 0 and not is_closed(kept):
        edges, uses = count_edge_uses(kept)
        fins = (uses[edges] > 2).any(axis=1) & (uses[edges] == 1).any(axis=1)
        if not fins.any():
            return triangles
        kept = kept[~fins]
    return kept if len(kept) > 0 else triangles


def split_pieces(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Closed pieces that touch along an edge get corners of their own there."""
    if (count_edge_uses(triangles)[1] <= 2).all():
        return points, triangles
    face, _ = pair_faces(triangles)
    graph = coo_array((np.ones(len(face)), (face[:, 0], face[:, 1])), shape=(len(triangles),) * 2)
    piece = connected_components(graph, directed=False)[1].astype(np.int64)
    own = np.stack([np.repeat(piece, 3), triangles.ravel()], axis=1)
    corners, split = np.unique(own, axis=0, return_inverse=True)
    split = split.reshape(-1, 3)
    return (points[corners[:, 1]], split) if is_closed(split) else (points, triangles)


def check_manifold(triangles: Ints) -> None:
    uses = count_edge_uses(triangles)[1]
    if (bad := int((uses > 2).sum())) > 0:
        raise HasNoInside(
            f"has {count(bad, 'edge')} where more than two faces meet, so it has no clear inside",
            "at most two faces at an edge",
        )


def find_border(triangles: Ints) -> Ints:
    """Edges with one face only, as pairs of corners in the order of that face [n, 2]."""
    edges, uses = count_edge_uses(triangles)
    face, side = np.nonzero(uses[edges] == 1)
    return np.stack([triangles[face, side], triangles[face, (side + 1) % 3]], axis=1)


def find_loops(border: Ints) -> list[list[int]]:
    """Simple closed loops of the border; what branches is left out."""
    starts, counts = np.unique(border[:, 0], return_counts=True)
    follow = {int(a): int(b) for a, b in border}
    branching = set(starts[counts > 1].tolist())
    loops, seen = [], set()
    for start in follow:
        loop, corner = [], start
        while corner in follow and corner not in seen:
            seen.add(corner)
            loop.append(corner)
            corner = follow[corner]
        if corner == start and len(loop) > 2 and not branching.intersection(loop):
            loops.append(loop)
    return loops


def fill_holes(points: Floats, triangles: Ints, *, every: bool = False) -> tuple[Floats, Ints]:
    """Closes small holes, or every one, with a fan about their middle."""
    border = find_border(triangles)
    if len(border) == 0:
        return points, triangles
    size = float(np.ptp(points, axis=0).max())
    added_points: list[Floats] = []
    added: list[list[int]] = []
    for loop in find_loops(border):
        rim = points[loop]
        is_small = len(loop) <= HOLE_EDGES and np.ptp(rim, axis=0).max() <= HOLE_SHARE * size
        is_missing_face = len(loop) <= 4 and len(triangles) > 4 * len(loop)
        if not (every or is_small or is_missing_face):
            continue
        middle = len(points) + len(added_points)
        added_points.append(rim.mean(axis=0))
        added += [[loop[k], loop[k - 1], middle] for k in range(len(loop))]
    if not added:
        return points, triangles
    return np.concatenate([points, added_points]), np.concatenate([triangles, np.array(added)])


def pair_faces(triangles: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Faces that share an edge [n, 2], and whether both run along it the same way, as they must
    not."""
    edges, uses = count_edge_uses(triangles)
    flat = np.argsort(edges.ravel(), kind="stable")
    flat = flat[uses[edges.ravel()[flat]] == 2].reshape(-1, 2)
    face, side = flat // 3, flat % 3
    start = triangles[face, side]
    return face, start[:, 0] == start[:, 1]


def make_winding_even(triangles: Ints) -> Ints:
    """Neighbours run along their common edge in opposite ways."""
    face, is_odd = pair_faces(triangles)
    if not is_odd.any():
        return triangles
    count = len(triangles)
    weight = np.where(is_odd, 2, 1)
    graph = csr_array((weight, (face[:, 0], face[:, 1])), shape=(count, count))
    turned = np.zeros(count, bool)
    pieces = connected_components(graph, directed=False)[1]
    odd_way = {(int(a), int(b)): bool(odd) for (a, b), odd in zip(face, is_odd, strict=True)}
    for root in np.unique(pieces, return_index=True)[1]:
        order, parent = breadth_first_order(graph, root, directed=False)
        for one in order[1:]:
            above = int(parent[one])
            odd = odd_way[above, one] if (above, one) in odd_way else odd_way[one, above]
            turned[one] = turned[above] ^ odd
        if turned[order].mean() > 0.5:  # the minority is turned
            turned[order] ^= True
    triangles = np.where(turned[:, None], triangles[:, ::-1], triangles)
    if pair_faces(triangles)[1].any():
        raise HasNoInside("is one-sided, like a Moebius band", "a surface with two sides")
    return triangles


def turn_outwards(points: Floats, triangles: Ints) -> Ints:
    """Closed pieces wind outwards, but for a cavity: one that winds inwards within a larger one."""
    face, _ = pair_faces(triangles)
    graph = coo_array((np.ones(len(face)), (face[:, 0], face[:, 1])), shape=(len(triangles),) * 2)
    pieces, found = connected_components(graph, directed=False)
    piece = found.astype(np.int64)
    corners = points[triangles]
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    volume = np.bincount(piece, volumes, pieces)
    border = np.bincount(piece, (count_uses_per_face(triangles) < 6), pieces) > 0
    low, high = bound_pieces(corners, piece, pieces)
    if volume[largest := int(np.argmax(np.abs(volume)))] < 0 and not border[largest]:
        triangles, volume = triangles[:, ::-1], -volume
    wrong = np.zeros(pieces, bool)
    for one in np.flatnonzero((volume < 0) & ~border):
        around = (low < low[one]).all(axis=1) & (high > high[one]).all(axis=1) & (volume > 0)
        wrong[one] = not around.any()
    return np.where(wrong[piece][:, None], triangles[:, ::-1], triangles)


def count_uses_per_face(triangles: Ints) -> Ints:
    """How often the three edges of each face are used, summed: 6 where it has all neighbours."""
    edges, uses = count_edge_uses(triangles)
    return uses[edges].sum(axis=1)


def bound_pieces(corners: Floats, piece: Ints, count: int) -> tuple[Floats, Floats]:
    """Boxes of the connected pieces: low [piece, 3], high."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, piece, corners.min(axis=1))
    np.maximum.at(high, piece, corners.max(axis=1))
    return low, high


def make_solid(surface: Surface, up: Floats) -> Surface:
    """An open surface closed: ground downwards, anything else by lids on its holes."""
    turned = replace(surface, triangles=surface.triangles[:, ::-1])
    for ground in (surface, turned):
        if is_ground(ground, up):
            return thicken_ground(ground, up)
    return close_with_lids(surface)


def close_with_lids(surface: Surface) -> Surface:
    """A lid on every hole, where the mesh is much of its surface then; else it is refused."""
    points, triangles = fill_holes(surface.points, surface.triangles, every=True)
    own, count = measure_area(surface.points, surface.triangles), len(surface.triangles)
    share = measure_area(points, triangles[count:]) / own
    if flaw := describe_border(triangles):
        raise HasNoInside(f"{flaw} that no lid fits, so it cannot be solid", "a closed mesh")
    if share > LID_SHARE:
        raise HasNoInside(
            f"{surface.flaw}, and lids to make it solid would have {share:.0%} of its area",
            f"lids of at most {LID_SHARE:.0%}",
        )
    return Surface(points, turn_outwards(points, triangles), True)


def measure_area(points: Floats, triangles: Ints) -> float:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2


def is_ground(surface: Surface, up: Floats) -> bool:
    """Whether an open surface faces up everywhere, as ground does."""
    normal = compute_face_normals(surface.points[surface.triangles])
    return not surface.is_closed and bool((normal @ up > 1e-6).all())


def thicken_ground(surface: Surface, up: Floats) -> Surface:
    """Ground made a closed solid: itself, a copy of it below, and walls between the borders."""
    depth = max(float(np.ptp(surface.points @ up)), float(np.ptp(surface.points, axis=0).max()) / 4)
    below, count = surface.points - depth * up, len(surface.points)
    a, b = find_border(surface.triangles).T
    walls = [np.stack([b, a, a + count], axis=1), np.stack([b, a + count, b + count], axis=1)]
    floor = surface.triangles[:, ::-1] + count
    triangles = np.concatenate([surface.triangles, floor, *walls])
    return Surface(np.concatenate([surface.points, below]), triangles, True)
