"""Animals on both sides of a leaf, on plates thinner than a foot, and far below one."""

import numpy as np
import pytest

import skitter
from made_meshes import lean, make_leaf, make_plate, write_mesh
from skitter.look.terrain import open_ground

pytestmark = pytest.mark.filterwarnings("ignore::skitter.SkitterWarning")

RADIUS = 8.0  # cm, of the circle that an animal is led in, about the middle of the leaf
SPEED = {"tarantula": 6.0, "giant_centipede": 8.0}  # cm/s


def stand(species, side, file, **more):
    """A scene with an animal that walks in a circle on the upper or under side of a leaf."""
    speed, is_up = SPEED[species], side == "upper"
    turn = float(np.degrees(speed / RADIUS))
    place = {"at": [0, 46, RADIUS]} if is_up else {"at": [0, 34, -RADIUS], "turn_deg": [180, 0, 0]}
    animal = {"species": species, "name": "it", "commands": [{"speed": speed, "turn_deg": turn}]}
    leaf = {"shape": "mesh", "file": file, "at": [0, 40, 0], "friction": 1.5} | more
    return {"title": "A walk on a leaf", "terrain": [leaf], "creatures": [animal | place]}


def check_walk(recording, side, seconds, *, passing=0.0):
    """It has walked all the time, on its side of the leaf and near it; `passing` is the share of
    frames in which one part of it may be on the other side."""
    path = np.asarray(recording["it.body_position"][:], float)
    distance, normal, _ = open_ground(recording.scene).sample(path.reshape(-1, 3))
    is_side = (normal[:, 1] > 0).reshape(path.shape[:2]) == (side == "upper")
    assert (~is_side).any(axis=1).mean() <= passing
    assert is_side[-1].all() and is_side.mean() >= 1 - passing / 10
    assert distance.max() < 4.0  # cm: nobody has come off it
    way = np.linalg.norm(np.diff(path[:, 0], axis=0), axis=1).sum()
    assert way > 3.0 * seconds
    assert not {"it.lost_since", "it.fallen_since"} & set(recording.measure())


@pytest.mark.parametrize("seed", [1001, 1002, 1003])
@pytest.mark.parametrize("side", ["upper", "under"])
@pytest.mark.parametrize("species", SPEED)
def test_animals_walk_on_both_sides_of_a_leaf(tmp_path, species, side, seed):
    leaf = write_mesh(make_leaf(), tmp_path / "leaf.ply")
    recording = skitter.run(stand(species, side, leaf), seconds=5, seed=seed)
    check_walk(recording, side, 5)


@pytest.mark.parametrize("side", ["upper", "under"])
@pytest.mark.parametrize("species", SPEED)
def test_nobody_falls_through_a_plate_thinner_than_a_foot(tmp_path, species, side):
    """As it was found: feet that had come deeper than half a plate were pushed on through it."""
    plate = write_mesh(make_plate(60, 40, 0.01), tmp_path / "plate.ply")
    recording = skitter.run(stand(species, side, plate), seconds=6, seed=1004)
    check_walk(recording, side, 6, passing=0.02)


def test_the_floor_far_below_a_sheet_is_plain_floor(tmp_path):
    """As it was found: a spider 72 cm below an open mesh was inside it, and flung away."""
    leaf = write_mesh(lean(make_leaf(), 1.6), tmp_path / "leaf.ply")
    above = {"shape": "mesh", "file": leaf, "at": [0, 82, 0], "size": 20}
    walker = {"species": "house_spider", "name": "it", "at": [0, 0, 0], "commands": [{"speed": 3}]}
    scene = {"title": "A walk below a leaf", "creatures": [walker]}
    floor = {"shape": "plane"}
    ways = []
    for terrain in ([floor], [floor, above]):
        recording = skitter.run(scene | {"terrain": terrain}, seconds=3, seed=1005)
        ways.append(np.asarray(recording["it.body_position"][:]))
    assert np.linalg.norm(ways[0][-1, 0] - ways[0][0, 0]) > 5.0
    assert ways[0].tobytes() == ways[1].tobytes()
