"""The body of C. elegans: a tapered round body, its cuticle and its 95 body-wall muscles.

Mujika 2018 §4 samples the Virtual Worm's surfaces down to 1,842 nodes and fills cuticle and muscles
with 10,386 tetrahedra, 3,411 of them in muscles. Here the body is built, so that its resolution is
a choice and left and right are exact mirror images: slices of rings of nodes, prisms between the
slices, three tetrahedra a prism. By default there are 2,183 nodes and 10,440 tetrahedra, 2,784 of
them in muscles; unlike the paper's hollow skin, the inside is filled.

At rest x points to the head and y up. The worm lies on its right side: dorsal is +z, left is +y.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from skitter.elastic.mesh_files import lay_fibres, load_mesh, rename_regions
from skitter.elastic.tet_mesh import TetMesh, compute_volumes

INTERIOR, CUTICLE = "interior", "cuticle"
QUADRANTS = {"DL": 24, "DR": 24, "VL": 23, "VR": 24}  # muscles of each (Mujika 2018 §4)
# Where the muscles of a row meet, as fractions of the length from the head. Cells of odd number
# form the medial row, next to the dorsal or ventral midline, those of even number the lateral one;
# cells 1 are smaller than cells 2, the first ones lie almost in pairs, later ones alternate, and
# two thirds of all lie before the vulva, half way along (Altun 2009). Lengths of single cells are
# not from measurements: these grow smoothly and agree with all of that.
MEDIAL = (0, 0.048, 0.1, 0.154, 0.21, 0.268, 0.33, 0.396, 0.47, 0.59, 0.72, 0.855, 1)
LATERAL = (0, 0.054, 0.11, 0.168, 0.229, 0.293, 0.361, 0.434, 0.525, 0.65, 0.78, 0.915, 1)
# Radius along the body, relative to the largest: a blunt head and a long, pointed tail.
PROFILE = np.array(
    [
        (0.0, 0.3), (0.03, 0.46), (0.1, 0.68), (0.2, 0.85), (0.35, 0.97), (0.5, 1.0),
        (0.65, 0.97), (0.78, 0.82), (0.87, 0.6), (0.94, 0.36), (1.0, 0.14),
    ]
)  # fmt: skip
MUSCLE_INSIDE, MUSCLE_OUTSIDE = 0.72, 0.92  # of the radius; what is further out is cuticle
ROW_ANGLE = np.pi / 6  # of each of the two rows; the lateral line between them is twice as wide


class Muscle(NamedTuple):
    """A body-wall muscle; start and end are fractions of the length from the head."""

    name: str
    quadrant: str  # DL, DR, VL, VR
    row: str  # medial, lateral
    side: str  # dorsal, ventral
    start: float
    end: float


def list_muscles() -> tuple[Muscle, ...]:
    """All 95, quadrant by quadrant, from head to tail.

    Where a quadrant has a muscle less, the last one of its lateral row reaches to the tail.
    """
    muscles = []
    for quadrant, count in QUADRANTS.items():
        side = "dorsal" if quadrant[0] == "D" else "ventral"
        for number in range(1, count + 1):
            row, meet = ("medial", MEDIAL) if number % 2 else ("lateral", LATERAL)
            at = (number - 1) // 2
            end = 1.0 if number + 2 > count else float(meet[at + 1])
            muscles.append(
                Muscle(f"M{quadrant}{number:02}", quadrant, row, side, float(meet[at]), end)
            )
    return tuple(muscles)


MUSCLES = list_muscles()
ROWS = ("medial", "lateral")
# Once around the body from the dorsal midline, by way of the left side.
STRANDS = tuple((quadrant, row) for quadrant in ("DL", "VL", "VR", "DR") for row in ROWS)


class Section(NamedTuple):
    """One slice of the body, of radius 1, and what lies between it and the next.

    points: y and z of each node [node, 2].
    triangles: nodes of each triangle, ascending [triangle, 3].
    part: what each triangle is of: 0 interior, 1 cuticle, 2 + s the s-th of STRANDS [triangle].
    """

    points: np.ndarray
    triangles: np.ndarray
    part: np.ndarray


def build_body(
    *, length: float, radius: float, slabs: int = 58, around: int = 12, rings: int = 3
) -> TetMesh:
    """The body of a worm, centred at the origin; length and radius in cm.

    slabs: along the body. around: nodes of a ring, a multiple of 4, at least 8. rings: at least 3.
    """
    if slabs < 1 or around < 8 or around % 4 or rings < 3:
        raise ValueError("slabs must be at least 1, around a multiple of 4 from 8 on, rings from 3")
    along = place_slices(slabs)
    section = build_section(around, rings)
    size = radius * compute_profile(along)
    nodes = np.empty((slabs + 1, len(section.points), 3))
    nodes[:, :, 0] = (length * (0.5 - along))[:, None]
    nodes[:, :, 1:] = size[:, None, None] * section.points
    tets = orient(nodes.reshape(-1, 3), split_prisms(section.triangles, slabs, len(section.points)))
    region = name_regions(section, along)
    fibre = np.zeros((len(tets), 3))
    fibre[region >= 2, 0] = 1  # along the body
    names = (INTERIOR, CUTICLE, *(muscle.name for muscle in MUSCLES))
    return TetMesh(nodes.reshape(-1, 3), tets, region, names, fibre)


def load_body(path: Path, *, length: float, regions: Mapping[str, str]) -> TetMesh:
    """A body from a file, as long as said (cm), its head at +x.

    regions: what labels of the file mean: "interior", "cuticle" or a muscle, whose fibres then run
    along the body.
    """
    mesh = rename_regions(load_mesh(path, length=length), regions)
    return lay_fibres(mesh, [muscle.name for muscle in MUSCLES])


def compute_profile(along: np.ndarray) -> np.ndarray:
    """Radius at fractions of the length from the head, relative to the largest."""
    return PchipInterpolator(*PROFILE.T)(along)


def place_slices(slabs: int) -> np.ndarray:
    """Where the slices are [slab + 1], closer together where the body is thin."""
    fine = np.linspace(0, 1, 4001)
    density = compute_profile(fine) ** -0.75
    passed = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    along = np.interp(np.linspace(0, passed[-1], slabs + 1), passed, fine)
    along[0], along[-1] = 0, 1
    return along


def divide_quadrant(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the nodes of a quadrant from the midline [cell + 1], and the row of each cell.

    Rows: 0 medial, 1 lateral, 2 the lateral line, which gets no cell where there are only two.
    """
    if cells == 2:
        return np.array([0, np.pi / 4, np.pi / 2]), np.array([0, 1])
    # The medial row is the first to get one more, the lateral line the last.
    shares = [(cells + 2) // 3, (cells + 1) // 3, cells // 3]
    steps = np.concatenate([np.full(n, ROW_ANGLE / n) for n in shares])
    angles = np.concatenate([[0], np.cumsum(steps)])
    angles[-1] = np.pi / 2
    return angles, np.repeat([0, 1, 2], shares)


def build_section(around: int, rings: int) -> Section:
    """A slice in y and z: a centre and rings of nodes, which lie on both mirror planes.

    Nodes are numbered by ring and by their angle to the nearer midline, mirror images one after
    the other, so that what is decided by comparing two numbers is the same in every quadrant.
    """
    folded, rows = divide_quadrant(around // 4)
    numbers, points = number_nodes(folded, find_ring_radii(rings))
    triangles, part = [], []
    for k in range(around):
        following = (k + 1) % around
        cell = min(fold(k, around), fold(following, around))
        turned = fold(following, around) < fold(k, around)
        near, far = (following, k) if turned else (k, following)
        triangles.append((0, numbers[0, near], numbers[0, far]))
        part.append(0)
        for ring in range(rings - 1):
            a, b = numbers[ring, near], numbers[ring, far]
            c, d = numbers[ring + 1, near], numbers[ring + 1, far]
            # Diagonals alternate like a chequerboard, which is stiffer in no direction.
            triangles += [(a, b, d), (a, c, d)] if (cell + ring) % 2 else [(a, b, c), (b, c, d)]
            is_muscle = ring == rings - 3 and rows[cell] < 2
            strand = 2 * (k // (around // 4)) + rows[cell]
            part += [1 if ring == rings - 2 else 2 + strand if is_muscle else 0] * 2
    return Section(points, np.sort(triangles, axis=1), np.array(part))


def fold(k: int, around: int) -> int:
    """Steps from the k-th node of a ring to the nearer midline."""
    return min(k % (around // 2), -k % (around // 2))


def find_ring_radii(rings: int) -> np.ndarray:
    """Radii of the rings: those within the muscles divide the core evenly."""
    core = MUSCLE_INSIDE * np.arange(1, rings - 1) / (rings - 2)
    return np.concatenate([core, [MUSCLE_OUTSIDE, 1]])


def number_nodes(folded: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of each node of a ring [ring, around], and y and z by number [node, 2]."""
    around = 4 * (len(folded) - 1)
    steps = np.array([fold(k, around) for k in range(around)])
    order = np.lexsort((np.arange(around), steps))
    within = np.empty(around, int)
    within[order] = np.arange(around)
    numbers = 1 + within + around * np.arange(len(radii))[:, None]
    # Signs apart from sizes, so that mirror images agree to the last bit.
    quarter = np.arange(around) // (around // 4)
    y_sign, z_sign = np.array([1, 1, -1, -1])[quarter], np.array([1, -1, -1, 1])[quarter]
    y, z = np.sin(folded[steps]), np.cos(folded[steps])
    z[steps == around // 4] = 0
    ring = np.stack([y_sign * y, z_sign * z], axis=1)
    points = np.zeros((1 + len(radii) * around, 2))
    points[numbers] = radii[:, None, None] * ring
    return numbers, points


def split_prisms(triangles: np.ndarray, slabs: int, count: int) -> np.ndarray:
    """Three tetrahedra of each prism [slab * triangle * 3, 4]; a slice has so many nodes.

    Of each side of a prism the diagonal joins the higher node of the slice nearer to the head with
    the lower node of the next, so neighbours match, and no two nodes of a tetrahedron are further
    apart than the nodes of a slice.
    """
    a, b, c = triangles.T
    a2, b2, c2 = a + count, b + count, c + count
    prism = np.stack([(a, b, c, a2), (b, c, a2, b2), (c, a2, b2, c2)]).transpose(2, 0, 1)
    return (prism + count * np.arange(slabs)[:, None, None, None]).reshape(-1, 4)


def orient(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """The same tetrahedra, all with positive volume."""
    is_inverted = compute_volumes(nodes, tets) < 0
    return np.where(is_inverted[:, None], tets[:, [0, 2, 1, 3]], tets)


def name_regions(section: Section, along: np.ndarray) -> np.ndarray:
    """Region of each tetrahedron [tet]: 0 interior, 1 cuticle, 2 + m muscle m."""
    middle = (along[1:] + along[:-1]) / 2
    region = np.tile(section.part, (len(middle), 1))
    for index, muscle in enumerate(MUSCLES):
        strand = STRANDS.index((muscle.quadrant, muscle.row))
        slabs = (middle >= muscle.start) & (middle < muscle.end)
        region[np.ix_(slabs, section.part == 2 + strand)] = 2 + index
    return np.repeat(region.ravel(), 3)
