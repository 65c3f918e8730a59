"""Meshes from files of Medit and Gmsh: what they hold is read, what cannot be used is refused."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from skitter.creatures.worm.anatomy import build_body, load_body
from skitter.elastic.mesh_files import lay_fibres, load_mesh, rename_regions, write_mesh
from skitter.elastic.tet_mesh import TetMesh
from skitter.errors import UserError

# Two tetrahedra with a face in common, the second inverted, and a node that none of them needs.
POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 5, 5), (1, 1, 1)], float)
MEDIT = """# by hand
MeshVersionFormatted 2
Dimension
3
Vertices 6
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
5 5 5 0
1 1 1 0
Triangles
1
1 2 3 4
RequiredVertices
1
1
Tetrahedra
2
1 2 3 4 7
2 3 4 6 3   # inverted? whichever it is, it is turned
End
"""
NAMES = """$PhysicalNames
3
2 1 "skin of 2"
3 1 "the inside"
3 2 "MDL01"
$EndPhysicalNames
"""
GMSH_2 = f"""$MeshFormat
2.2 0 8
$EndMeshFormat
{NAMES}$Nodes
6
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
9 5 5 5
7 1 1 1
$EndNodes
$Elements
3
1 2 2 1 1 1 2 3
2 4 2 1 1 1 2 3 4
3 4 2 2 1 2 3 4 7
$EndElements
"""
GMSH_4 = f"""$MeshFormat
4.1 0 8
$EndMeshFormat
{NAMES}$Entities
1 0 1 2
1 0 0 0 0
1 0 0 0 1 1 1 1 1 0
1 0 0 0 1 1 1 1 1 1 1
2 0 0 0 1 1 1 2 2 1 0
$EndEntities
$Nodes
2 6 1 9
2 1 1 3
1
2
3
0 0 0 0.5 0.5
1 0 0 0.5 0.5
0 1 0 0.5 0.5
3 1 0 3
4
9
7
0 0 1
5 5 5
1 1 1
$EndNodes
$Elements
3 3 1 3
2 1 2 1
1 1 2 3
3 1 4 1
2 1 2 3 4
3 2 4 1
3 2 3 4 7
$EndElements
"""
FILES = {"a.mesh": MEDIT, "two.msh": GMSH_2, "four.msh": GMSH_4}
LABELS = {
    "a.mesh": ("7", "3"),
    "two.msh": ("the inside", "MDL01"),
    "four.msh": ("the inside", "MDL01"),
}


def read(folder: Path, name: str, text: str) -> TetMesh:
    path = folder / name
    path.write_text(text)
    return load_mesh(path)


def list_corners(mesh: TetMesh) -> list[list[list[float]]]:
    return [sorted(mesh.nodes[tet].tolist()) for tet in mesh.tets]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read(tmp_path: Path, name: str) -> None:
    mesh = read(tmp_path, name, FILES[name])
    assert mesh.region_names == LABELS[name]
    assert mesh.region.tolist() == [0, 1]
    assert list_corners(mesh) == [
        sorted(POINTS[[0, 1, 2, 3]].tolist()),
        sorted(POINTS[[1, 2, 3, 5]].tolist()),
    ]
    assert mesh.volumes == pytest.approx([1 / 6, 1 / 3])
    assert len(mesh.nodes) == 5  # (5, 5, 5) is of no tetrahedron
    assert mesh.nodes[0, 0] == 1  # numbered from the head
    assert mesh.nodes[-1, 0] == 0
    assert not mesh.fibre.any()


def test_groups_without_names_are_numbers_and_without_groups_volumes_count(tmp_path: Path) -> None:
    unnamed = GMSH_2.replace(NAMES, "")
    assert read(tmp_path, "a.msh", unnamed).region_names == ("1", "2")
    ungrouped = unnamed.replace("2 4 2 1 1 ", "2 4 2 0 5 ").replace("3 4 2 2 1 ", "3 4 2 0 8 ")
    assert read(tmp_path, "a.msh", ungrouped).region_names == ("5", "8")
    four = GMSH_4.replace(NAMES, "").replace("2 0 0 0 1 1 1 2 2 1 0", "2 0 0 0 1 1 1 0 0")
    assert read(tmp_path, "a.msh", four).region_names == ("1", "2")


def test_the_unit_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.mesh").write_text(MEDIT)
    mesh = load_mesh(tmp_path / "a.mesh", scale=1e-4)  # micrometres
    assert mesh.volumes.sum() == pytest.approx(0.5e-12)
    long = load_mesh(tmp_path / "a.mesh", length=0.1)
    assert np.ptp(long.nodes[:, 0]) == pytest.approx(0.1)
    assert long.volumes.sum() == pytest.approx(0.5e-3)


def test_a_body_from_a_file_has_muscles(tmp_path: Path) -> None:
    (tmp_path / "a.mesh").write_text(MEDIT)
    body = load_body(tmp_path / "a.mesh", length=2.0, regions={"3": "MDL01", "7": "interior"})
    assert body.region_names == ("interior", "MDL01")
    assert body.fibre.tolist() == [[0, 0, 0], [1, 0, 0]]
    assert body.volumes.sum() == pytest.approx(4)


@pytest.mark.parametrize("suffix", [".mesh", ".msh"])
def test_what_is_written_is_read_again(tmp_path: Path, suffix: str) -> None:
    body = build_body(length=0.1, radius=0.004, slabs=22, around=8)
    path = tmp_path / f"worm{suffix}"
    write_mesh(body, path)
    again = load_mesh(path)
    assert np.array_equal(np.sort(again.nodes, axis=0), np.sort(body.nodes, axis=0))
    assert list_corners(again) == list_corners(body)  # to the last bit
    assert again.volumes.min() > 0
    if suffix == ".mesh":
        again = rename_regions(
            again, {str(number): name for number, name in enumerate(body.region_names, 1)}
        )
    assert set(again.region_names) == set(body.region_names)
    named = [again.region_names[number] for number in again.region]
    assert named == [body.region_names[number] for number in body.region]
    assert again.band == body.band
    fibred = lay_fibres(again, body.region_names[2:])
    assert np.array_equal(fibred.fibre, body.fibre)


def test_shuffled_nodes_get_a_narrow_band(tmp_path: Path) -> None:
    body = build_body(length=0.1, radius=0.004, slabs=22, around=8)
    shuffle = np.random.default_rng(5).permutation(len(body.nodes))
    nodes = np.empty_like(body.nodes)
    nodes[shuffle] = body.nodes
    shuffled = TetMesh(nodes, shuffle[body.tets], body.region, body.region_names, body.fibre)
    assert shuffled.band > 10 * body.band
    write_mesh(shuffled, tmp_path / "worm.msh")
    again = load_mesh(tmp_path / "worm.msh")
    assert again.band <= 2 * body.band
    assert again.volumes.sum() == pytest.approx(body.volumes.sum(), rel=1e-12)
    assert again.nodes[:20, 0].min() > 0.04
    assert again.nodes[-20:, 0].max() < -0.04


def test_regions_of_one_name_become_one(tmp_path: Path) -> None:
    mesh = rename_regions(read(tmp_path, "a.mesh", MEDIT), {"7": "skin", "3": "skin"})
    assert mesh.region_names == ("skin",)
    assert mesh.region.tolist() == [0, 0]


BAD_MEDIT = {
    "empty": ("", "MeshVersionFormatted"),
    "cut in vertices": (MEDIT[: MEDIT.index("5 5 5")], "Vertices says 6 rows of 4"),
    "cut in tets": (MEDIT[: MEDIT.index(" 3   #")], "Tetrahedra says 2 rows of 5"),
    "none": (MEDIT[: MEDIT.index("Tetrahedra")], "has no Tetrahedra"),
    "word": (MEDIT.replace("0 1 0 0", "0 one 0 0"), "Vertices says"),
    "sign": (MEDIT.replace("0 1 0 0", "0 1,5 0 0"), "numbers only"),
    "nan": (MEDIT.replace("0 1 0 0", "0 nan 0 0"), "finite"),
    "inf": (MEDIT.replace("0 1 0 0", "0 inf 0 0"), "finite"),
    "no such vertex": (MEDIT.replace("2 3 4 6 3", "2 3 4 7 3"), "from 1 to 6"),
    "vertex 0": (MEDIT.replace("2 3 4 6 3", "0 3 4 6 3"), "from 1 to 6"),
    "half": (MEDIT.replace("2 3 4 6 3", "2 3 4 5.5 3"), "whole numbers"),
    "too large": (MEDIT.replace("2 3 4 6 3", "2 3 4 1e300 3"), "whole numbers"),
    "count": (MEDIT.replace("Vertices 6", "Vertices 99999999999"), "99999999999 rows"),
    "endless": (MEDIT.replace("Vertices 6", "Vertices " + 5000 * "9"), "how many"),
    "negative": (MEDIT.replace("Vertices 6", "Vertices -6"), "how many"),
    "plane": (MEDIT.replace("Dimension\n3", "Dimension\n2"), "Dimension must be 3"),
    "prisms": (MEDIT.replace("Triangles", "Prisms"), "only tetrahedra"),
    "flat": (MEDIT.replace("1 1 1 0", "1 0 0 0"), "1 tetrahedra without volume"),
    "point": (MEDIT.replace("1 2 3 4 7", "1 1 1 1 7"), "name a node twice"),
    "twice": (MEDIT.replace("2 3 4 6 3", "4 3 2 1 3"), "same tetrahedron twice"),
}
BAD_GMSH = {
    "no format": (GMSH_2[GMSH_2.index("$Nodes") :], r"\$MeshFormat"),
    "binary": (GMSH_2.replace("2.2 0 8", "2.2 1 8"), "Mesh.Binary = 0"),
    "version": (GMSH_2.replace("2.2 0 8", "3.0 0 8"), "2.2 and 4.1 are read"),
    "cut": (GMSH_2[: GMSH_2.index("9 5 5 5")], r"\$Nodes has no end"),
    "short": (GMSH_2.replace("9 5 5 5\n", ""), r"\$Nodes ends early"),
    "mixed up": (GMSH_2.replace("$EndNodes", "$EndElements"), "not begun"),
    "unfinished": (GMSH_2.replace("$EndNodes\n", ""), r"\$Nodes has no end"),
    "no elements": (GMSH_2[: GMSH_2.index("$Elements")], r"has no \$Elements"),
    "no such node": (GMSH_2.replace("2 3 4 7", "2 3 4 8"), "node 8, which is not in"),
    "node twice": (GMSH_2.replace("9 5 5 5", "4 5 5 5"), "every node once"),
    "no number": (GMSH_2.replace("9 5 5 5", "9 x 5 5"), "numbers only"),
    "nan": (GMSH_2.replace("9 5 5 5", "9 nan 5 5"), "finite"),
    "name of a node": (GMSH_2.replace("9 5 5 5", "a 5 5 5"), "whole numbers"),
    "three corners": (GMSH_2.replace("2 3 4 7", "2 3 4"), "four nodes"),
    "second order": (GMSH_2.replace("3 4 2 2 1", "3 11 2 2 1"), "Mesh.ElementOrder = 1"),
    "only flat": (GMSH_2.replace(" 4 2 1 1 1 2 3 4", " 3 2 1 1 1 2 3 4").replace(
        " 4 2 2 1 2 3 4 7", " 3 2 2 1 2 3 4 7"), "no tetrahedra"),
    "names": (GMSH_2.replace('3 2 "MDL01"', "3 2"), "a name each"),
    "4: nodes": (GMSH_4.replace("2 6 1 9", "2 7 1 9"), "says 7 nodes, but holds 6"),
    "4: cut": (GMSH_4.replace("3 2 3 4 7\n", ""), r"\$Elements ends early"),
    "4: entities": (GMSH_4.replace("2 0 0 0 1 1 1 2 2 1 0\n", ""), r"\$Entities ends early"),
    "4: node": (GMSH_4.replace("3 2 3 4 7", "3 2 3 4 8"), "node 8, which is not in"),
    "4: order": (GMSH_4.replace("3 2 4 1", "3 2 11 1"), "Mesh.ElementOrder = 1"),
    "4: pieces": (GMSH_4.replace("3 2 3 4 7", "3 2 3 4"), "four nodes"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_MEDIT)
def test_bad_medit_files_are_refused(tmp_path: Path, case: str) -> None:
    text, message = BAD_MEDIT[case]
    with pytest.raises(UserError, match=message) as refusal:
        read(tmp_path, "a.mesh", text)
    assert str(refusal.value).startswith(str(tmp_path / "a.mesh"))
    assert len(str(refusal.value).removeprefix(str(tmp_path))) < 200


@pytest.mark.parametrize("case", BAD_GMSH)
def test_bad_gmsh_files_are_refused(tmp_path: Path, case: str) -> None:
    text, message = BAD_GMSH[case]
    with pytest.raises(UserError, match=message) as refusal:
        read(tmp_path, "a.msh", text)
    assert str(refusal.value).startswith(str(tmp_path / "a.msh"))
    assert len(str(refusal.value).removeprefix(str(tmp_path))) < 200


@pytest.mark.parametrize("name", FILES)
def test_no_cut_or_changed_file_ends_otherwise(tmp_path: Path, name: str) -> None:
    """Whatever is wrong with a file, it is read or refused."""
    text = FILES[name]
    random = np.random.default_rng(0)
    for _ in range(300):
        start, length = int(random.integers(len(text))), int(random.integers(1, 30))
        filler = "".join(random.choice(list("0123456789-. \n$a"), int(random.integers(0, 4))))
        changed = text[:start] + filler + text[start + length :]
        with suppress(UserError):
            assert read(tmp_path, name, changed).volumes.min() > 0


def test_a_body_in_pieces_is_refused(tmp_path: Path) -> None:
    apart = MEDIT.replace("Vertices 6", "Vertices 8").replace(
        "1 1 1 0\n", "1 1 1 0\n2 1 1 0\n2 2 1 0\n"
    )
    with pytest.raises(UserError, match="2 pieces"):
        read(tmp_path, "a.mesh", apart.replace("2 3 4 6 3", "5 6 7 8 3"))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_mesh(tmp_path / "missing.msh")
    with pytest.raises(UserError, match=r"must end in \.mesh or \.msh"):
        load_mesh(tmp_path / "body.stl")
    (tmp_path / "b.msh").write_bytes(b"$MeshFormat\n\xff\xfe\x80")
    with pytest.raises(UserError, match="not a text file"):
        load_mesh(tmp_path / "b.msh")
    mesh = read(tmp_path, "a.mesh", MEDIT)
    with pytest.raises(UserError, match=r"must end in \.mesh or \.msh"):
        write_mesh(mesh, tmp_path / "body.stl")
    with pytest.raises(UserError, match="cannot be written"):
        write_mesh(mesh, tmp_path / "none" / "body.msh")
