"""The nest and what is carried to it: on the ground, as wide as told, in jaws, in every export."""

import re
from itertools import pairwise

import numpy as np
import pytest
from fake_recordings import make_chain

import skitter
from oracles import check_glb
from skitter.export.write import export_recording
from skitter.gltf.read import read_gltf
from skitter.look.colour import read_colour
from skitter.look.nest import EDGES, build_nest
from skitter.look.scenery import open_food
from skitter.view.ground import build_place

RADIUS = 1.5
LOW, HIGH = -0.08, 0.2  # in radii: how deep grains may lie in the ground, and how high on it
SLOPE = np.array([0.3, 1.0, 0.1])


def dig(terrain, at=(4.0, 0.0, -2.0)):
    return build_nest({"terrain": terrain, "nest": {"at": list(at), "radius": RADIUS}})


def plane_height(points):
    return (points @ SLOPE) / np.linalg.norm(SLOPE)


def ball_height(points):
    return np.linalg.norm(points, axis=1) - 20


def hill_height(points):
    x, y, z = points.T
    return y - 2 * np.exp(-((x - 1) ** 2 + z**2) / (2 * 6.0**2))


GROUNDS = {
    "slope": ([{"shape": "plane", "normal": SLOPE.tolist()}], plane_height),
    "ball": ([{"shape": "sphere", "at": [0, 0, 0], "radius": 20}], ball_height),
    "hill": (
        [{"shape": "heightfield", "hills": [{"at": [1, 0], "height": 2, "width": 6}]}],
        hill_height,
    ),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_it_lies_on_the_ground_whatever_that_is(name):
    terrain, height = GROUNDS[name]
    for solid in dig(terrain):
        above = height(solid.mesh.points) / RADIUS
        assert above.min() > LOW and above.max() < HIGH


def test_the_funnel_is_as_wide_as_the_nest_and_dark_inside():
    at = np.array([4.0, 0.0, -2.0])
    ground = read_colour("#b8a98a")
    solids = dig([{"shape": "plane", "colour": "#b8a98a"}], at)
    assert len(solids) == len(EDGES)
    light = [float(solid.colour.sum() / ground.sum()) for solid in solids]
    assert light == sorted(light) and light[0] < 0.01 and light[-1] < 1
    rims = [find_rims(solid.mesh, at) for solid in solids]
    assert [one for one in rims if np.isclose(one[1], RADIUS, rtol=1e-6)]  # the hole's edge
    assert rims[0][0] < 0.01 * RADIUS  # no gap in the middle, nor between two rings
    assert all(after[0] <= before[1] for before, after in pairwise(rims))


def find_rims(mesh, at):
    """The least and the largest radius of the ring of a tone, which comes before its grains."""
    ring = mesh.points[: 4 * 96] - at
    away = np.hypot(ring[:, 0], ring[:, 2])
    return away.min(), away[-96:].max()


def test_it_is_seen_from_above_and_is_the_same_every_time():
    one, other = (dig([{"shape": "plane"}]) for _ in range(2))
    for solid, twin in zip(one, other, strict=True):
        assert np.array_equal(solid.mesh.points, twin.mesh.points)
        ring = solid.mesh.triangles[(solid.mesh.triangles < 4 * 96).all(axis=1)]
        a, b, c = (solid.mesh.points[ring[:, k]] for k in range(3))
        assert (np.cross(b - a, c - a)[:, 1] > -1e-12).all()
        assert (solid.mesh.normals[: 4 * 96, 1] > 0.5).all()


def test_no_nest_without_one():
    assert build_nest({"terrain": [{"shape": "plane"}]}) == []
    assert build_nest({"nest": None}) == []
    assert build_nest({}) == []
    assert build_place({"terrain": [{"shape": "plane"}]})[1] == []


def test_the_studio_has_it():
    scene = {"terrain": [{"shape": "plane"}], "nest": {"at": [0, 0, 0], "radius": 2}}
    assert len(build_place(scene)[1]) == len(EDGES)


@pytest.fixture(scope="module")
def forager(tmp_path_factory):
    """An ant that picks up a piece of food before its jaws, and has a way to go."""
    scene = {
        "title": "One piece",
        "seconds": 0.5,
        "terrain": [{"shape": "plane"}],
        "nest": {"at": [8, 0, 0], "radius": 1},
        "creatures": [
            {"species": "ant", "at": [0, 1, 0], "with": {"detail": {"level": "kinematic"}}}
        ],
        "food": [{"at": [0.7, 0.1, 0], "radius": 0.12}, {"at": [30, 0.1, 9], "radius": 0.12}],
    }
    return skitter.run(scene, output=tmp_path_factory.mktemp("nest") / "rec")


def test_food_goes_from_the_ground_into_jaws(forager):
    food = open_food(forager)
    carries = np.asarray(forager["ant.carries"][:])
    assert carries[0] == 0 and carries[-1] == 1
    head = np.asarray(forager["ant.body_position"][-1])[find_head(forager)]
    first, last = food.balls_at(0.0), food.balls_at(float(forager.time[-1]))
    assert (first[:, 3] > 0).tolist() == [True, True, False]
    assert (last[:, 3] > 0).tolist() == [False, True, True]
    assert last[2, 3] == pytest.approx(0.12)
    assert 0.05 < np.linalg.norm(last[2, :3] - head) < 0.25  # a head is 0.17 cm long
    over = food.balls_over(np.asarray(forager.time))
    assert np.allclose(over[[0, -1]], [first, last])


def find_head(recording):
    parts = np.asarray(recording.static("ant.body_part"))
    return int(np.flatnonzero(parts == 2)[0])  # thorax, abdomen, head


def test_exports_have_nest_and_load(forager, tmp_path):
    path = tmp_path / "a.glb"
    export_recording(forager, path, fps=20)
    names = [node.get("name") for node in read_gltf(path)[0]["nodes"]]
    assert [f"nest_{k}" in names for k in range(len(EDGES))] == [True] * len(EDGES)
    assert {"food_0", "food_1", "food_2"} <= set(names)
    export_recording(forager, tmp_path / "b.glb", fps=20, scenery=False)
    bare = [node.get("name") for node in read_gltf(tmp_path / "b.glb")[0]["nodes"]]
    assert not [name for name in bare if name.startswith(("nest", "food"))]


def test_the_file_is_valid(forager, tmp_path):
    export_recording(forager, tmp_path / "a.glb", fps=20)
    check_glb(tmp_path / "a.glb")


def test_povray_has_nest_and_load(forager, tmp_path):
    export_recording(forager, tmp_path / "a.pov", fps=2)
    land = (tmp_path / "a_frames" / "shapes.inc").read_text()
    assert land.count("Stone(") == len(EDGES)
    frames = sorted((tmp_path / "a_frames").glob("frame_*.inc"))
    for frame in (frames[0].read_text(), frames[-1].read_text()):
        assert len(re.findall(r"sphere \{", frame)) == 2


def test_old_recordings_have_neither():
    recording = make_chain(frames=1)
    assert build_nest(recording.attributes["scene"]) == []
    recording._channels["food_left"] = np.array([[1]])
    recording._statics |= {"food_position": np.zeros((1, 3)), "food_radius": np.ones(1)}
    food = open_food(recording)
    assert food.carriers == () and len(food.balls_at(0.0)) == 1
