"""OBJ, STL and PLY files are read as trimesh reads them; mistakes in them are one line."""

import io
import os
import struct

import numpy as np
import pytest
import trimesh
from PIL import Image

from skitter.disk import BadFile
from skitter.errors import UserError
from skitter.scene.load import load_scene
from skitter.terrain.heights import load_heights
from skitter.terrain.mesh_load import load_clean, load_surface
from skitter.terrain.mesh_read import read_obj, read_ply, read_stl
from skitter.terrain.mesh_repair import NotRepairable, repair_surface

BOX = trimesh.creation.box()
SHAPES = [BOX, trimesh.creation.icosphere(2), trimesh.creation.torus(2, 0.5)]
READERS = {"obj": read_obj, "stl": read_stl, "ply": read_ply}
HEAD = (
    b"ply\nformat %s 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
)
CORNERS = (0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0)


def refuse(call, *arguments) -> str:
    with pytest.raises((BadFile, UserError, NotRepairable)) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("mesh", SHAPES, ids=["box", "ball", "torus"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [("obj", {}), ("stl", {}), ("stl_ascii", {}), ("ply", {}), ("ply", {"encoding": "ascii"})],
)
def test_triangles_are_those_that_were_written(mesh, kind, options):
    data = mesh.export(file_type=kind, **options)
    points, triangles = READERS[kind[:3]](data if isinstance(data, bytes) else data.encode())
    assert points[triangles] == pytest.approx(mesh.vertices[mesh.faces], abs=1e-6)


@pytest.mark.parametrize("order", ["<", ">"])
def test_faces_of_several_corners_and_other_properties_are_read(order):
    """A triangle and a square, whose colour and weight are passed over."""
    form = b"binary_little_endian" if order == "<" else b"binary_big_endian"
    lists = b"element face 2\nproperty uchar red\nproperty list uchar int vertex_indices\n"
    data = HEAD % form + lists + b"property double weight\nend_header\n"
    data += struct.pack(f"{order}12f", *CORNERS)
    data += struct.pack(f"{order}BB3id", 9, 3, 0, 1, 2, 0.5)
    data += struct.pack(f"{order}BB4id", 9, 4, 0, 1, 3, 2, 0.5)
    points, triangles = read_ply(data)
    assert points.tolist() == np.reshape(CORNERS, (4, 3)).tolist()
    assert triangles.tolist() == [[0, 1, 2], [0, 1, 3], [0, 3, 2]]


def test_strips_are_triangles_that_face_the_same_way():
    """As it was found: a file of tristrips was said to have no faces."""
    strip = b"element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    data = HEAD % b"binary_little_endian" + strip + struct.pack("<12f", *CORNERS)
    data += struct.pack("<9i", 8, 0, 1, 2, 3, -1, 0, 2, 1)
    points, triangles = read_ply(data)
    assert triangles.tolist() == [[0, 1, 2], [2, 1, 3], [0, 2, 1]]
    normal = np.cross(*(points[triangles[:2, k]] - points[triangles[:2, 0]] for k in (1, 2)))
    assert (normal[:, 2] > 0).all()


def test_corners_of_an_obj_count_from_both_ends():
    text = b"v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2//1 3\nf -3 \\\n-1 -2 # back\no x\nl 1 2\n"
    points, triangles = read_obj(text)
    assert points.shape == (3, 3)
    assert triangles.tolist() == [[0, 1, 2], [0, 2, 1]]


@pytest.mark.parametrize(
    ("read", "data", "words"),
    [
        (read_obj, b"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "line 2: it must be a v and three"),
        (read_obj, b"v 0 0 x\n", "line 1"),
        (read_obj, b"v 0 0 0\nf 1 2 x\n", "line 2: it must be an f"),
        (read_obj, b"v 0 0 0\nf 0 1 2\n", "whole numbers but 0"),
        (read_obj, b"v 0 0 0\nf 1 1\n", "a face of 2 corners"),
        (read_stl, b"solid x\nfacet normal 0 0 1\nvertex 0 zero 0\nendfacet\n", "a word where"),
        (read_stl, b"solid x\nfacet normal 0 0 1\nvertex 0 0\nendfacet\n", "three corners"),
        (read_stl, bytes(80) + struct.pack("<I", 9) + bytes(50), "is cut short"),
        (read_stl, bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50), "is cut short"),
        (read_ply, b"ply\nformat ascii 1.0\nend_header", "no head"),
        (read_ply, b"ply\nformat runes 1.0\nend_header\n", "form 'runes'"),
        (read_ply, b"ply\nformat ascii 1.0\nelement vertex 9999999999\nend_header\n", "at most"),
        (read_ply, b"ply\nformat ascii 1.0\nelement vertex 2\nend_header\n", "without x, y and z"),
        (read_ply, HEAD % b"ascii" + b"end_header\n1 2 3\n", "is cut short"),
        (read_ply, HEAD % b"ascii" + b"end_header\n" + b"1 2 x\n" * 4, "a word where"),
    ],
)
def test_mistakes_in_a_mesh_are_one_line(read, data, words):
    assert words in refuse(read, data)


def test_a_count_is_looked_at_before_memory_is_asked_for():
    count = 1_000_001
    data = bytes(80) + struct.pack("<I", count) + bytes(50 * count)
    assert "1,000,001 triangles" in refuse(read_stl, data)


def test_a_fin_is_taken_off_a_solid():
    """As it was found: one edge with a third face, and the whole box was refused."""
    points = np.vstack([BOX.vertices, [[0, 3, 0]]])
    fin = [[BOX.faces[0][0], BOX.faces[0][1], 8]]
    surface = repair_surface(points, np.vstack([BOX.faces, fin]))
    solid = trimesh.Trimesh(surface.points, surface.triangles, process=False)
    assert surface.is_closed and solid.volume == pytest.approx(1.0)


def test_solids_that_touch_along_an_edge_are_parted():
    other = BOX.copy()
    other.apply_translation([1, 1, 0])
    both = trimesh.util.concatenate([BOX, other])
    surface = repair_surface(np.array(both.vertices), np.array(both.faces))
    solid = trimesh.Trimesh(surface.points, surface.triangles, process=False)
    assert surface.is_closed and solid.volume == pytest.approx(2.0) and solid.body_count == 2


def test_what_cannot_be_repaired_names_the_way_out():
    other = BOX.copy()
    other.apply_translation([1, 0, 0])
    both = trimesh.util.concatenate([BOX, other])  # with a wall inside
    line = refuse(repair_surface, np.array(both.vertices), np.array(both.faces))
    assert "4 edges where more than two faces meet" in line and "solid: false" in line


# --- heights ----------------------------------------------------------------------------------


def load(path):
    load_heights.cache_clear()
    return load_heights(str(path), None, None)


def test_a_picture_is_refused_by_the_size_in_its_head(tmp_path):
    """As it was found: 13,000 x 13,000 pixels in 164 kB took 3 GB before they were refused."""
    Image.new("1", (13_000, 13_000)).save(tmp_path / "a.png")
    line = refuse(load, tmp_path / "a.png")
    assert "holds 13,000 × 13,000 numbers; valid: rows and columns, 2 to 8,192 of each" in line
    Image.new("1", (8000, 8000)).save(tmp_path / "b.png")
    assert "16,777,216 numbers in all" in refuse(load, tmp_path / "b.png")


def test_a_table_is_refused_by_its_size(tmp_path):
    """As it was found: 192 MB of text took 2.8 GB."""
    with (tmp_path / "a.csv").open("wb") as file:
        file.truncate(192_000_000)
    assert "is too large (192,000,000 bytes)" in refuse(load, tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_an_archive_is_no_table(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        np.savez(file, a=np.zeros((3, 3)))
    assert "is not understood as a" in refuse(load, tmp_path / name)


def test_every_damaged_head_of_a_table_is_one_line(tmp_path):
    file = io.BytesIO()
    np.save(file, np.ones((3, 3)))
    for at in range(70):
        data = bytearray(file.getvalue())
        data[at] ^= 0x41
        (tmp_path / "a.npy").write_bytes(data)
        try:
            load(tmp_path / "a.npy")
        except UserError as error:
            assert "\n" not in str(error)


def test_rows_of_several_lengths_are_told(tmp_path):
    (tmp_path / "a.csv").write_text("1,2,3\n\n4,5\n")
    assert "has a row of 2 numbers after one of 3" in refuse(load, tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("\ufeff1;2\r\n3;4\r\n")
    assert load(tmp_path / "a.csv").tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("kind", ["mesh", "heightfield"])
def test_a_pipe_is_no_terrain(tmp_path, kind):
    os.mkfifo(tmp_path / "a.obj")
    item = {"shape": kind, "file": str(tmp_path / "a.obj"), "at": [0, 0, 0]}
    item |= {"size": [9, 9]} if kind == "heightfield" else {}
    scene = {"title": "t", "terrain": [item], "creatures": [{"species": "cube"}]}
    assert "is not a regular file" in refuse(load_scene, scene)


def test_a_mesh_in_a_scene_goes_all_the_way(tmp_path):
    load_clean.cache_clear()
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0\nf 1 2 3\n")
    item = {"shape": "mesh", "file": str(tmp_path / "a.obj"), "at": [0, 0, 0]}
    spec = load_scene({"title": "t", "terrain": [item], "creatures": [{"species": "cube"}]}).spec
    line = refuse(load_surface, spec.terrain[0], np.array([0.0, 1, 0]))
    assert "a.obj': is not understood as OBJ: it has a mistake in line 2" in line
