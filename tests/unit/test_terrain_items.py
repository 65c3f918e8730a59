"""Logs, heightfields and meshes of a scene: what is loaded, repaired, refused and kept."""

import json

import numpy as np
import pytest
import trimesh
from pydantic import TypeAdapter

from skitter.errors import UserError
from skitter.look.terrain import build_floors, build_solids
from skitter.scene.load import Scene, load_scene
from skitter.scene.spec import MESH_NAMES, AnyTerrain
from skitter.terrain import build_terrain
from skitter.terrain.logs import expand_logs
from skitter.terrain.mesh_repair import repair_surface
from skitter.terrain.shapes import SHAPES

ITEM = TypeAdapter(AnyTerrain)
BOX = trimesh.creation.box((2, 2, 2)).subdivide()


def make(*items):
    return build_terrain([ITEM.validate_python(item) for item in items])


def scene_of(*items):
    creature = {"species": "jelly_cube", "at": [0, 50, 0]}
    return {"title": "t", "terrain": list(items), "creatures": [creature]}


def mesh_item(file, **more):
    return {"shape": "mesh", "file": str(file), "at": [0, 0, 0]} | more


def write_obj(path, points, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_logs_lie_on_the_ground_in_their_area_and_follow_the_seed():
    item = {"shape": "logs", "count": 30, "radius": [0.2, 0.5], "length": [1, 2], "area": [8, 4]}
    spec = ITEM.validate_python(item | {"at": [1, 2, 3], "friction": 0.3})
    logs = expand_logs(spec)
    at = np.array([log.at for log in logs])
    radius = np.array([log.radius for log in logs])
    assert at[:, 1] - radius == pytest.approx(2.0)
    assert (np.abs(at[:, [0, 2]] - [1, 3]) <= [4, 2]).all()
    assert ((radius >= 0.2) & (radius <= 0.5)).all()
    terrain = build_terrain([ITEM.validate_python({"shape": "plane", "at": [0, -5, 0]}), spec])
    distance, _, which = terrain.sample(at)
    assert (which == 1).all() and (distance < 0).all()
    assert terrain.arrays.friction.tolist() == [0.8, 0.3]
    assert (terrain.sample(at - radius[:, None] * [0, 1, 0])[0] <= 1e-9).all()
    assert expand_logs(spec) == logs
    assert expand_logs(spec.model_copy(update={"seed": 1})) != logs


@pytest.mark.parametrize("kind", ["obj", "stl", "ply"])
def test_mesh_files_are_boxes_again(tmp_path, kind):
    file = tmp_path / f"box.{kind}"
    BOX.export(file)
    terrain = make(mesh_item(file, size=4.0))
    points = [[0, 0, 0], [1.9, 1.9, 1.9], [3, 0, 0], [3, 3, 0], [0, 0, -2.5]]
    expected = [-2, -0.1, 1, np.sqrt(2), 0.5]
    assert terrain.sample(points)[0] == pytest.approx(expected, abs=1e-6)
    assert terrain.is_inside(points).tolist() == [True, True, False, False, False]


def test_repair_makes_a_soup_a_solid():
    """Every face its own corners, some turned, one doubled, one without area, one missing."""
    corners = BOX.vertices[BOX.faces].copy()
    corners[::3] = corners[::3, ::-1]
    corners = np.concatenate([corners[1:], corners[5:6], corners[7:8, [0, 0, 1]]])
    surface = repair_surface(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    mesh = trimesh.Trimesh(surface.points, surface.triangles, process=False)
    assert surface.is_closed and mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(8.0, rel=0.05)


def test_inside_out_mesh_is_turned_and_a_cavity_stays():
    outer, inner = trimesh.creation.icosphere(3, 2.0), trimesh.creation.icosphere(3, 1.0)
    inner.invert()
    both = trimesh.util.concatenate([outer, inner])
    for mesh in (both, trimesh.Trimesh(both.vertices, both.faces[:, ::-1], process=False)):
        surface = repair_surface(np.array(mesh.vertices), np.array(mesh.faces, np.int64))
        solid = trimesh.Trimesh(surface.points, surface.triangles, process=False)
        assert solid.volume == pytest.approx(outer.volume - abs(inner.volume), rel=1e-9)


def test_open_ground_becomes_a_solid_where_it_is_said_to_be_one(tmp_path):
    x, z = np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-2, 2, 9), indexing="ij")
    points = np.stack([x, 0.2 * np.sin(x), z], axis=2).reshape(-1, 3)
    faces = [[9 * i + j, 9 * i + j + 1, 9 * i + j + 10, 9 * i + j + 9]
             for i in range(8) for j in range(8)]  # fmt: skip
    for order in (1, -1):
        file = write_obj(tmp_path / "ground.obj", points, [face[::order] for face in faces])
        terrain = make(mesh_item(file, friction=order + 1, solid=True))
        inside = terrain.is_inside([[0, -0.2, 0], [0, 0.2, 0], [2.5, -0.2, 0], [0, -9, 0]])
        assert inside.tolist() == [True, False, False, False]


def test_shell_is_free_on_both_sides(tmp_path):
    file = tmp_path / "ball.ply"
    trimesh.creation.icosphere(3, 1.0).export(file)
    distance, normal, _ = make(mesh_item(file, solid=False)).sample([[0.5, 0, 0], [1.5, 0, 0]])
    assert distance == pytest.approx([0.5, 0.5], abs=0.02)
    assert normal[:, 0] == pytest.approx([-1, 1], abs=0.05)


def bad_files(folder):
    """Files that are no terrain, and a word that the line about each must have."""
    fan = [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, -1]]
    strip = []
    for turn in np.linspace(0, 2 * np.pi, 17)[:-1]:
        for side in (-0.3, 0.3):
            radius = 1 + side * np.cos(turn / 2)
            strip.append([radius * np.cos(turn), side * np.sin(turn / 2), radius * np.sin(turn)])
    band = []
    for k in range(16):
        a, b, c, d = 2 * k, 2 * k + 1, (2 * k + 2) % 32, (2 * k + 3) % 32
        c, d = (d, c) if k == 15 else (c, d)
        band += [[a, b, d], [a, d, c]]
    (folder / "empty.obj").write_bytes(b"")
    (folder / "text.stl").write_text("hello")
    (folder / "noise.ply").write_bytes(bytes(range(256)))
    (folder / "mesh.txt").write_text("v 0 0 0")
    (folder / "folder.obj").mkdir()
    return {
        "empty.obj": "empty",
        "text.stl": "valid",
        "noise.ply": "not understood",
        "mesh.txt": "not a mesh file",
        "folder.obj": "directory",
        "missing.obj": "no such file",
        write_obj(folder / "points.obj", points, []).name: "valid",
        write_obj(folder / "nan.obj", [[0, 0, "nan"], *points[1:]], fan[:1]).name: "number",
        write_obj(folder / "flat.obj", points, [[0, 0, 1], [1, 1, 1]]).name: "area",
        write_obj(folder / "fan.obj", points, fan).name: "more than two faces",
        write_obj(folder / "moebius.obj", strip, band).name: "one-sided",
        write_obj(folder / "index.obj", points, [[0, 1, 99]]).name: "valid",
    }


def test_bad_meshes_are_refused_in_one_line(tmp_path):
    for name, word in bad_files(tmp_path).items():
        with pytest.raises(UserError, match=word) as caught:
            make(mesh_item(tmp_path / name, solid=True))
        assert name in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name, content, word", [
    ("a.csv", "1,2\n3\n", "not understood"),
    ("a.txt", "1 2\n3 x\n", "not understood"),
    ("a.csv", "1 2 3\n", "rows and columns"),
    ("a.csv", "1 nan\n2 3\n", "no number"),
    ("a.npy", "no array", "not understood"),
    ("a.png", "no picture", "picture"),
])  # fmt: skip
def test_bad_heights_are_refused_in_one_line(tmp_path, name, content, word):
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=word):
        make({"shape": "heightfield", "file": str(tmp_path / name), "size": [4, 4]})


@pytest.mark.filterwarnings("error")
def test_a_damaged_number_among_heights_is_refused_without_a_word(tmp_path):
    """One bit of a number can make it a NaN that complains when it is widened."""
    heights = np.zeros((3, 3), np.uint32)
    heights[1, 1] = 0x7FA00000
    np.save(tmp_path / "a.npy", heights.view(np.float32))
    with pytest.raises(UserError, match="no number"):
        make({"shape": "heightfield", "file": str(tmp_path / "a.npy"), "size": [4, 4]})


@pytest.mark.parametrize("kind", ["npy", "csv", "png"])
def test_heights_of_a_file(tmp_path, kind):
    table = np.array([[0, 51, 102], [51, 102, 153], [102, 153, 255]], np.uint8)  # z down, x right
    file = tmp_path / f"a.{kind}"
    if kind == "npy":
        np.save(file, table)
    elif kind == "csv":
        np.savetxt(file, table, delimiter=",")
    else:
        pytest.importorskip("PIL.Image").fromarray(table).save(file)
    item = {"shape": "heightfield", "file": str(file), "size": [4, 2], "height": [-1, 4.1]}
    height = make(item | {"at": [10, 1, 0]}).height([8, 10, 12, 8, 50], [-1, 0, -1, 1, 50])
    assert height == pytest.approx([0.0, 2.04, 2.04, 2.04, 5.1], abs=1e-6)


def test_paths_start_at_the_scene_and_changes_are_noticed(tmp_path):
    BOX.export(tmp_path / "box.stl")
    file = tmp_path / "scene.yaml"
    file.write_text(json.dumps(scene_of(mesh_item("box.stl"), mesh_item("skull"))))
    scene = load_scene(file)
    again = Scene.from_dict(json.loads(json.dumps(scene.to_dict())))
    assert again.spec.terrain == scene.spec.terrain
    assert scene.spec.terrain[0].file == str(tmp_path / "box.stl")
    assert build_terrain(again.spec.terrain).is_inside([[0, 0, 0]])[0]
    trimesh.creation.icosphere(2).export(tmp_path / "box.stl")
    with pytest.raises(UserError, match="has changed"):
        build_terrain(
            [again.spec.terrain[0].model_copy(update={"solid": False})]
        )  # another key, so that nothing is remembered


@pytest.mark.parametrize("item, word", [
    (mesh_item("skul"), "did you mean 'skull'"),
    (mesh_item("no.obj"), "not there"),
    (mesh_item("skull", size=0), "size"),
    ({"shape": "heightfield"}, "has no heights"),
    ({"shape": "heightfield", "file": "a.png"}, "size"),
    ({"shape": "heightfield", "hills": [{"at": [0, 0], "height": 1, "width": 0}]}, "width"),
    ({"shape": "logs", "radius": [2, 1]}, "low and a high"),
    ({"shape": "logs", "count": 0}, "count"),
])  # fmt: skip
def test_wrong_items_are_refused_in_one_line(item, word):
    with pytest.raises(UserError, match=word) as caught:
        load_scene(scene_of(item))
    assert "terrain[0]" in str(caught.value)


def test_built_in_names_are_those_that_are_built():
    assert set(MESH_NAMES) == set(SHAPES)


def test_every_item_is_shown():
    hill = {"at": [0, 0], "height": 1, "width": 1}
    pieces = [
        {"shape": "logs", "count": 3},
        {"shape": "heightfield", "hills": [hill]},
        {"shape": "heightfield", "hills": [hill | {"height": -1}]},
        mesh_item("torus"),
    ]
    solids = build_solids([ITEM.validate_python(piece).model_dump(mode="json") for piece in pieces])
    assert len(solids) == 6 and len(build_floors(pieces)) == 1
    for solid in solids:
        mesh = solid.mesh
        assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0)
        a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
        face = np.cross(b - a, c - a)
        agree = np.einsum("ij,ij->i", face, mesh.normals[mesh.triangles[:, 0]])
        assert (agree >= -0.2 * np.linalg.norm(face, axis=1) - 1e-12).all()
