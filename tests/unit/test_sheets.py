"""Sheets in scenes: what is told and refused, how they are drawn, and meshes as obstacles."""

import json

import numpy as np
import pytest
import trimesh

from made_meshes import lean, make_leaf, make_plate, make_shell, make_strip, make_walled, write_mesh
from skitter.errors import UserError
from skitter.events import MoveThing, PlaceObstacle, RemoveThing
from skitter.look.scenery import open_obstacles
from skitter.look.slots import read_obstacles
from skitter.look.surface import build_surface
from skitter.look.terrain import build_solids
from skitter.runner import run
from skitter.scene.load import Scene, load_scene
from skitter.scene.spec import MeshTerrain
from skitter.start import list_doubts
from skitter.terrain import build_terrain
from skitter.terrain.mesh_load import load_clean, load_surface
from skitter.terrain.ray import sample_from
from skitter.view.things import ThingNodes
from skitter.world import World

UP = np.array([0.0, 1.0, 0.0])
CUBE = {"species": "cube", "at": [0, 50, 0]}


def item(file, **more):
    return {"shape": "mesh", "file": str(file), "at": [0, 0, 0]} | more


def scene_of(*terrain, **more):
    return {"title": "t", "terrain": list(terrain), "creatures": [CUBE]} | more


def load(file, **more):
    return load_surface(MeshTerrain(**item(file, **more)), UP)


def refuse(call, *arguments, **named):
    with pytest.raises(UserError) as caught:
        call(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_sheet_is_told_once_for_each_mesh_that_says_nothing(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.obj")
    told = item(leaf, at=[0, -20, 0])
    scene = load_scene(scene_of(told, told | {"solid": False}, item("skull"), obstacles=[told]))
    lines = [line for line in list_doubts(scene) if "sheet" in line]
    assert [line.split(":")[0] for line in lines] == ["terrain[0]", "obstacles[0]"]
    for line in lines:
        assert "is open along 124 edges, so it is a sheet of two sides, 0.3 cm thick" in line
        assert "valid: solid: false" in line and "\n" not in line


def test_a_scene_remembers_what_it_was_told(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.obj")
    scene = load_scene(scene_of(item(leaf, solid=False, thickness=0.7), obstacles=[item(leaf)]))
    again = Scene.from_dict(json.loads(json.dumps(scene.to_dict())))
    assert again.spec == scene.spec
    assert again.spec.terrain[0].thickness == 0.7
    assert again.spec.obstacles[0].sha256 == again.spec.terrain[0].sha256 is not None


def test_thickness_is_a_share_of_the_length_or_as_given(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.obj")
    assert load(leaf).thickness == pytest.approx(0.3)
    assert load(leaf, size=10.0).thickness == pytest.approx(0.05)
    assert load(leaf, scale=0.1).thickness == pytest.approx(0.03)
    assert load(leaf, size=10.0, thickness=0.4).thickness == 0.4
    assert load("ball", solid=False).thickness == pytest.approx(0.05)
    assert load("ball").thickness == load("ball", solid=True).thickness == 0.0


def test_a_thickness_that_makes_no_sense_is_refused(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.obj")
    line = refuse(load_scene, scene_of(item(leaf, solid=True, thickness=1)))
    assert "terrain[0]" in line and "has a thickness but is solid" in line
    line = refuse(load, "ball", thickness=1)
    assert "is closed, so it is solid" in line and "solid: false" in line
    line = refuse(load, leaf, thickness=61)
    assert "a thickness of 61 cm, but is only 60 cm long" in line
    assert "thickness" in refuse(load_scene, scene_of(item(leaf, thickness=0)))


def test_solid_closes_a_mesh_that_lacks_little(tmp_path):
    """A shell that looks sideways gets a lid: half a ball."""
    shell = write_mesh(lean(make_shell(subdivisions=4), 1.6), tmp_path / "shell.ply")
    surface = load(shell, solid=True)
    solid = trimesh.Trimesh(surface.points, surface.triangles, process=False)
    assert surface.is_closed and surface.thickness == 0.0
    assert solid.is_watertight and solid.is_winding_consistent
    assert solid.volume == pytest.approx(2 / 3 * np.pi, rel=0.03)


def test_solid_is_refused_where_it_cannot_be(tmp_path):
    leaf = write_mesh(lean(make_leaf(), 1.6), tmp_path / "leaf.ply")
    line = refuse(load, leaf, solid=True)
    assert "is open along 124 edges, and lids to make it solid would have" in line
    assert "solid: false" in line
    for mesh, word in ((make_strip(), "one-sided"), (make_walled(), "more than two faces")):
        file = write_mesh(mesh, tmp_path / "bad.ply")
        assert word in refuse(load, file, solid=True)
        load_clean.cache_clear()


def test_a_solid_keeps_its_default_and_its_overrule(tmp_path):
    plate = write_mesh(make_plate(60, 40, 0.3), tmp_path / "plate.ply")
    assert load(plate).thickness == 0.0 and load(plate).is_closed
    hollow = build_terrain([MeshTerrain(**item("ball", solid=False))])
    assert not hollow.is_inside([[0, 0, 0]])[0] and hollow.is_inside([[5, 0, 0]])[0]


# --- which side --------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1e-3, 0.1])
def test_what_reaches_through_a_thin_plate_is_inside_it(tmp_path, depth):
    plate = write_mesh(make_plate(60, 40, depth), tmp_path / "plate.ply")
    terrain = build_terrain([MeshTerrain(**item(plate))])
    top = float(terrain.height(0.0, 0.0)[0])
    for far in (0.0, 0.2, 0.9):  # below the plate
        tip, joint = (0.0, top - depth - far, 0.0), (0.3, top + 1.0, 0.0)
        distance, *normal, which = sample_from(terrain.arrays, *joint, *tip)
        assert distance == pytest.approx(-depth - far, abs=0.02)
        assert normal[1] > 0.98 and which == 0
        # seen from its own side, it is where it is
        below = (0.3, top - depth - 3.0, 0.0)
        assert sample_from(terrain.arrays, *below, *tip)[0] == pytest.approx(far, abs=0.02)


def test_what_reaches_around_a_rim_is_not_inside(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.ply")
    terrain = build_terrain([MeshTerrain(**item(leaf))])
    rim = float(np.abs(load(leaf).points[:, 2]).max())
    y = float(terrain.height(0.0, rim - 0.5)[0])
    tip, joint = (0.0, y - 1.0, rim + 0.5), (0.0, y + 1.0, rim + 0.5)
    plain = terrain.sample([tip])[0][0]
    assert plain > 0 and sample_from(terrain.arrays, *joint, *tip)[0] == plain


# --- drawing -----------------------------------------------------------------------------------


def close(mesh):
    """The drawn mesh, its doubled points welded."""
    solid = trimesh.Trimesh(mesh.points, mesh.triangles, process=False)
    solid.merge_vertices(merge_norm=True, merge_tex=True, digits_vertex=6)
    return solid


def test_a_sheet_is_drawn_where_feet_feel_it(tmp_path):
    spec = MeshTerrain(**item(write_mesh(make_leaf(), tmp_path / "leaf.ply"), thickness=0.8))
    drawn = build_surface(spec.model_dump(mode="json"))
    assert np.linalg.norm(drawn.normals, axis=1) == pytest.approx(1.0)
    assert np.abs(build_terrain([spec]).sample(drawn.points)[0]).max() < 0.05
    a, b, c = (drawn.points[drawn.triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    agree = np.einsum("ij,ij->i", face, drawn.normals[drawn.triangles[:, 0]])
    assert (agree > -1e-9).all()
    solid = close(drawn)
    assert solid.is_watertight and solid.is_winding_consistent
    rim = 0.4**2 * np.pi / 2 * 120  # about: a half round of 120 cm
    assert solid.volume == pytest.approx(0.8 * make_leaf().area + rim, rel=0.02)


@pytest.mark.parametrize("make", [make_strip, make_walled, make_shell])
def test_sheets_of_any_kind_are_drawn(tmp_path, make):
    file = write_mesh(make(), tmp_path / "mesh.ply")
    solid = build_solids([item(file, size=20.0)])[0]
    assert np.isfinite(solid.mesh.points).all()
    assert np.linalg.norm(solid.mesh.normals, axis=1) == pytest.approx(1.0)


# --- obstacles ---------------------------------------------------------------------------------


class MemoryFrames:
    """The frame of a world that runs, as a recording has it."""

    def __init__(self, world):
        self.attributes, self.channels = world.attributes(), world.things.list_channels()
        self._values = world.read()

    def __getitem__(self, name):
        return self._values[name][None]


@pytest.fixture
def with_meshes(tmp_path):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.ply")
    meshes = [
        item("skull", at=[0, 2, 9], size=6.0, turn_deg=[0, 40, 0], colour="#aabbcc"),
        item(leaf, at=[0, 4, -9], size=12.0, turn_deg=[80, 0, 0], solid=False),
    ]
    post = {"shape": "cylinder", "at": [30, 0, 0], "radius": 1, "length": 4}
    cube = {"species": "cube", "at": [0, 0.5, 0]}
    return scene_of({"shape": "plane"}, creatures=[cube], obstacles=[meshes[0], post, meshes[1]])


def test_a_mesh_stands_in_the_way_and_is_drawn(with_meshes, tmp_path):
    recording = run(with_meshes, seconds=0.05, output=tmp_path / "out")
    world = World.from_scene(with_meshes)
    assert world.things.barrier.is_inside([[0, 2, 9], [30, 0, 0], [0, 40, 0]]).tolist() == [
        True, True, False,
    ]  # fmt: skip
    pieces = open_obstacles(recording).pieces_at(0.0)
    assert [piece["shape"] for piece in pieces] == ["mesh", "cylinder", "mesh"]
    for solid in build_solids(pieces):
        assert np.abs(world.things.barrier.sample(solid.mesh.points)[0]).max() < 0.1


def test_meshes_keep_their_slots_while_things_are_moved(with_meshes):
    world = World.from_scene(with_meshes, spare=2)
    world.apply(MoveThing("obstacle", 0, (5.0, 2.0, 9.0)))
    world.apply(RemoveThing("obstacle", 1))
    assert world.things.barrier.is_inside([[5, 2, 9]])[0]
    rows = read_obstacles(MemoryFrames(world), 0)
    assert rows.shape.tolist() == [4, 0, 4, 0, 0] and sorted(rows.meshes) == [0, 2]
    assert rows.size[0].max() == pytest.approx(6.0, rel=1e-5)
    first, second = rows.pieces()
    assert first["file"] == "skull" and first["at"] == pytest.approx([5, 2, 9])
    assert first["turn_deg"] == pytest.approx([0, 40, 0], abs=1e-4)
    assert first["colour"] == "#aabbcc" and second["solid"] is False
    state = world.state()
    other = World.from_scene(with_meshes, spare=2)
    other.restore(state)
    assert other.things.slots == world.things.slots
    line = refuse(world.apply, PlaceObstacle(item("skull")))
    assert "shape must be one of box, sphere, cylinder" in line


def test_a_missing_mesh_of_an_obstacle_is_one_line():
    line = refuse(load_scene, scene_of({"shape": "plane"}, obstacles=[item("skul")]))
    assert "obstacles[0].file" in line and "did you mean 'skull'" in line


class Node:
    """Instances in a browser that is not there."""

    def on_drag(self, _button):
        return lambda callback: callback


class Browser:
    def __init__(self):
        self.nodes, self.meshes = {}, {}

    def add_batched_meshes_simple(self, name, points, triangles, *_turns, **_more):
        self.nodes[name], self.meshes[name] = Node(), points
        return self.nodes[name]


def test_the_studio_shows_meshes_in_their_places(with_meshes):
    """Each mesh has a node, of which the instance of its slot is shown."""
    world = World.from_scene(with_meshes, spare=1)
    rows = read_obstacles(MemoryFrames(world), 0)
    browser = Browser()
    nodes = ThingNodes(browser, np.zeros((0, 4)), rows, 1.0, lambda *_: None)
    name = "/world/things/mesh_0"
    assert np.ptp(browser.meshes[name], axis=0) == pytest.approx(np.ones(3), rel=1e-3)
    shown = browser.nodes[name].batched_scales.max(axis=1) > 1e-3
    assert shown.tolist() == [True, False, False, False]
    assert browser.nodes[name].batched_scales[0] == pytest.approx(rows.size[0])
    world.apply(RemoveThing("obstacle", 0))
    nodes.show(np.zeros((0, 4)), read_obstacles(MemoryFrames(world), 0))
    assert (browser.nodes[name].batched_scales < 1e-3).all()
