"""The body of the worm: 95 muscles in their places, and a mesh that a solver can use.

Mujika 2018 has 10,386 tetrahedra, 3,411 of them in muscles; ours has 10,440 and 2,784, because a
muscle here is as wide as a cell of the mesh and the inside of the body is filled too.
"""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skitter.creatures.worm.anatomy import MUSCLES, build_body, compute_profile, place_slices
from skitter.elastic.tet_mesh import TetMesh, compute_quality

SIZE = {"length": 0.1, "radius": 0.004}
RESOLUTIONS = {
    "coarse": {"slabs": 22, "around": 8},
    "default": {},
    "fine": {"slabs": 98, "around": 20, "rings": 4},
    "odd": {"slabs": 31, "around": 16, "rings": 5},
}
SLICE = {"coarse": 25, "default": 37, "fine": 81, "odd": 81}  # 1 + around * rings


@pytest.fixture(scope="module")
def bodies() -> dict[str, TetMesh]:
    return {name: build_body(**SIZE, **choice) for name, choice in RESOLUTIONS.items()}


@pytest.fixture(params=RESOLUTIONS)
def named(request: pytest.FixtureRequest, bodies: dict[str, TetMesh]) -> tuple[str, TetMesh]:
    return request.param, bodies[request.param]


@pytest.fixture
def body(named: tuple[str, TetMesh]) -> TetMesh:
    return named[1]


def list_faces(tets: np.ndarray) -> np.ndarray:
    faces = np.concatenate([np.delete(tets, corner, axis=1) for corner in range(4)])
    return np.sort(faces, axis=1)


def test_the_95_muscles() -> None:
    assert len({muscle.name for muscle in MUSCLES}) == 95
    assert all(re.fullmatch(r"M[DV][LR][0-2][0-9]", muscle.name) for muscle in MUSCLES)
    quadrants = Counter(muscle.quadrant for muscle in MUSCLES)
    assert quadrants == {"DL": 24, "DR": 24, "VL": 23, "VR": 24}
    assert {muscle.name for muscle in MUSCLES if "VL" in muscle.name} == {
        f"MVL{number:02}" for number in range(1, 24)
    }
    for muscle in MUSCLES:
        assert muscle.name[1:3] == muscle.quadrant
        assert muscle.side == {"D": "dorsal", "V": "ventral"}[muscle.name[1]]


def test_rows_have_no_gaps() -> None:
    for quadrant in ("DL", "DR", "VL", "VR"):
        for row, count in (("medial", 12), ("lateral", 11 if quadrant == "VL" else 12)):
            strand = [m for m in MUSCLES if (m.quadrant, m.row) == (quadrant, row)]
            assert len(strand) == count
            assert strand[0].start == 0
            assert strand[-1].end == 1
            assert all(a.end == b.start for a, b in pairwise(strand))
            assert all(m.start < m.end for m in strand)


def test_two_thirds_lie_before_the_vulva_and_rows_alternate() -> None:
    """What WormAtlas says: pairs in front, staggered further back, cell 1 smaller than cell 2."""
    before = sum((muscle.start + muscle.end) / 2 < 0.5 for muscle in MUSCLES)
    assert before / 95 == pytest.approx(2 / 3, abs=0.01)
    right = [m for m in MUSCLES if m.quadrant == "DR"]
    assert right[0].end < right[1].end
    places = [(m.start + m.end) / 2 for m in right]
    assert places == sorted(places)  # numbers run from head to tail
    assert places[1] - places[0] < 0.1 * (places[2] - places[0])
    assert 0.3 < (places[17] - places[16]) / (places[18] - places[16]) < 0.7


def test_tets_are_positive_and_not_flat(named: tuple[str, TetMesh]) -> None:
    """The flattest are in the cuticle, a twelfth of the radius thick and many times as long."""
    name, body = named
    assert body.volumes.min() > 0
    quality = compute_quality(body.nodes, body.tets)
    assert quality.min() > {"coarse": 0.015, "default": 0.06, "fine": 0.06, "odd": 0.01}[name]
    assert np.median(quality[body.region == 0]) > {"odd": 0.05}.get(name, 0.3)


def test_quality_of_known_tets() -> None:
    regular = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
    corner = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    nodes, tets = np.concatenate([regular, corner]), np.array([(0, 2, 1, 3), (4, 5, 6, 7)])
    expected = [1, np.sqrt(2) / 1.5**1.5]  # V = 1/6; edges 1, 1, 1, √2, √2, √2
    assert abs(compute_quality(nodes, tets)) == pytest.approx(expected)


def test_mesh_is_one_piece_without_hanging_nodes(body: TetMesh) -> None:
    pairs = body.tets[:, [(0, 1), (0, 2), (0, 3)]].reshape(-1, 2).T
    count = len(body.nodes)
    links = coo_array((np.ones(pairs.shape[1]), tuple(pairs)), (count, count))
    assert connected_components(links)[0] == 1
    _, times = np.unique(list_faces(body.tets), axis=0, return_counts=True)
    assert set(times) == {1, 2}
    # A face with a hanging node would be counted as surface: every surface edge has two triangles,
    # and all of it lies on the outermost ring or the end slices.
    edges = np.sort(body.surface[:, [(0, 1), (1, 2), (2, 0)]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    assert len(np.unique(body.nodes, axis=0)) == count


def test_surface_is_that_of_the_outside(named: tuple[str, TetMesh]) -> None:
    name, body = named
    choice = {"slabs": 58, "around": 12, "rings": 3} | RESOLUTIONS[name]
    slice_triangles = choice["around"] * (2 * choice["rings"] - 1)
    assert len(body.surface) == 2 * choice["around"] * choice["slabs"] + 2 * slice_triangles
    a, b, c = (body.nodes[body.surface[:, corner]] for corner in range(3))
    enclosed = np.sum(np.cross(a, b) * c) / 6  # the divergence theorem: outward all over
    assert enclosed == pytest.approx(body.volumes.sum(), rel=1e-12)


def test_volume_is_that_of_a_turned_polygon(named: tuple[str, TetMesh]) -> None:
    """Between two slices lies a frustum: h/3 (A + √(AB) + B)."""
    name, body = named
    slabs, around = RESOLUTIONS[name].get("slabs", 58), RESOLUTIONS[name].get("around", 12)
    along = place_slices(slabs)
    cells = around // 4
    shares = [2] if cells == 2 else [(cells + 2) // 3, (cells + 1) // 3, cells // 3]
    angles = np.concatenate([np.full(n, 90 / len(shares) / n) for n in shares])
    assert len(angles) == cells
    unit = 4 * np.sum(np.sin(np.radians(angles))) / 2  # area of the polygon of radius 1
    area = unit * (0.004 * compute_profile(along)) ** 2
    height = 0.1 * np.diff(along)
    volume = np.sum(height / 3 * (area[:-1] + np.sqrt(area[:-1] * area[1:]) + area[1:]))
    assert body.volumes.sum() == pytest.approx(volume, rel=1e-12)


def test_extent(body: TetMesh) -> None:
    """The head is at +x; the widest slice is as wide as said, up to the spacing of slices."""
    assert body.nodes.min(axis=0)[0] == pytest.approx(-0.05)
    assert body.nodes.max(axis=0)[0] == pytest.approx(0.05)
    assert np.allclose(body.nodes[:, 1:].max(axis=0), 0.004, rtol=0.01)
    assert np.all(np.diff(body.nodes[:, 0]) <= 0)  # from head to tail


def test_band_is_one_slice(named: tuple[str, TetMesh]) -> None:
    name, body = named
    assert body.band == SLICE[name]
    assert np.all(body.nodes[: SLICE[name], 0] == body.nodes[0, 0])


@pytest.mark.parametrize("axis", [1, 2])
def test_body_is_its_own_mirror_image(body: TetMesh, axis: int) -> None:
    sign = np.ones(3)
    sign[axis] = -1
    places = {tuple(point): number for number, point in enumerate((body.nodes + 0.0).tolist())}
    image = np.array([places[tuple(point)] for point in (body.nodes * sign + 0.0).tolist()])
    swapped = np.sort(image[body.tets], axis=1)
    names = np.array(body.region_names)[body.region]
    kinds = np.char.replace(names, "MVL22", "MVL24")  # the left has no 24th: the 22nd is longer
    kinds = np.char.replace(kinds, "MVR22", "MVL24")
    kinds = np.array([kind[3:] if kind[0] == "M" else kind for kind in kinds])
    mine = {tuple(tet): kind for tet, kind in zip(np.sort(body.tets, axis=1), kinds, strict=True)}
    theirs = {tuple(tet): kind for tet, kind in zip(swapped, kinds, strict=True)}
    assert mine.keys() == theirs.keys()
    differ = {(mine[tet], theirs[tet]) for tet in mine if mine[tet] != theirs[tet]}
    assert differ <= {("22", "24"), ("24", "22")}


def test_muscles_lie_where_their_names_say(body: TetMesh) -> None:
    centres = body.nodes[body.tets].mean(axis=1)
    along = 0.5 - centres[:, 0] / 0.1
    for muscle in MUSCLES:
        inside = body.region == body.region_names.index(muscle.name)
        assert inside.any(), muscle.name
        y, z = centres[inside, 1:].T
        assert np.all((z > 0) == (muscle.side == "dorsal"))
        assert np.all((y > 0) == (muscle.quadrant[1] == "L"))
        assert muscle.start < along[inside].mean() < muscle.end
        steeper = np.abs(z) > np.abs(y)  # nearer to the dorsal or ventral midline than to the side
        assert steeper.mean() > 0.9 if muscle.row == "medial" else steeper.mean() < 0.9


def test_materials_and_fibres(bodies: dict[str, TetMesh]) -> None:
    body = bodies["default"]
    assert body.nodes.shape == (2183, 3)
    assert len(body.tets) == 10440
    assert body.region_names[:2] == ("interior", "cuticle")
    assert body.region_names[2:] == tuple(muscle.name for muscle in MUSCLES)
    is_muscle = body.region >= 2
    assert is_muscle.sum() == 2784  # Mujika 2018 has 3,411
    assert np.all(body.fibre[is_muscle] == (1, 0, 0))
    assert not body.fibre[~is_muscle].any()
    corners = body.nodes[body.tets]
    radii = np.hypot(corners[..., 1], corners[..., 2])
    widest = 0.004 * compute_profile(0.5 - corners[..., 0] / 0.1)
    depth = radii / widest
    is_cuticle = body.region == 1
    assert depth[is_cuticle].min() == pytest.approx(0.92)
    assert depth[is_muscle].min() == pytest.approx(0.72)
    assert depth[is_muscle].max() == pytest.approx(0.92)
    assert depth[body.region == 0].max() == pytest.approx(0.92)
    assert 2 / 3 * 0.2 < body.volumes[is_muscle].sum() / body.volumes.sum() < 2 / 3 * 0.4
    assert len(bodies["fine"].tets) == 41160
    assert len(bodies["coarse"].tets) == 2640


@pytest.mark.parametrize(
    "wrong", [{"slabs": 0}, {"around": 4}, {"around": 10}, {"rings": 2}], ids=str
)
def test_impossible_resolutions_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        build_body(**SIZE, **wrong)
