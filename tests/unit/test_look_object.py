"""Movable objects as they are shown: as large as they are, closed, of wood or stone."""

import numpy as np
import pytest
from test_look_articulated import count_open_edges, measure_volume

from skitter.look.object import BALL, BOX, CYLINDER, build_object
from skitter.look.skin import FINISHES

SIZES = {BOX: (4.0, 2.0, 3.0), BALL: (2.0, 2.0, 2.0), CYLINDER: (6.0, 1.6, 1.6)}
VOLUMES = {BOX: 24.0, BALL: np.pi / 6 * 8, CYLINDER: np.pi * 0.64 * 6}


class Still:
    """What an object tells of itself."""

    name = "thing"

    def __init__(self, shape: int, size: tuple[float, float, float], look: dict) -> None:
        self.look = look
        self._statics = {"body_form": np.array([shape]), "body_size": np.array([size])}

    def static(self, key: str) -> np.ndarray:
        return self._statics[key]

    def has_static(self, key: str) -> bool:
        return key in self._statics


def build(shape, size=None, limit=20_000, **look):
    still = Still(shape, size or SIZES[shape], look)
    return build_object(still, triangle_limit=limit).pieces[0]


@pytest.mark.parametrize("style", ["wood", "stone", "plain"])
@pytest.mark.parametrize("shape", SIZES)
def test_objects_are_closed_and_as_large_as_they_are(shape, style):
    for limit in (60_000, 4_000, 300):
        piece = build(shape, limit=limit, style=style)
        size = np.array(SIZES[shape])
        assert count_open_edges(piece.mesh) == 0
        assert np.abs(piece.mesh.points).max(axis=0) == pytest.approx(size / 2, rel=0.04)
        assert (np.abs(piece.mesh.points) <= size / 2 + 1e-9).all()
        assert 0.85 * VOLUMES[shape] < measure_volume(piece.mesh) <= VOLUMES[shape]
        assert np.linalg.norm(piece.mesh.normals, axis=1) == pytest.approx(1, abs=1e-6)
        assert piece.colour.min() >= 0
        assert piece.colour.max() <= 1


def test_triangles_keep_to_the_limit():
    for shape in SIZES:
        for limit in (60_000, 6_000):
            assert len(build(shape, limit=limit, style="wood").mesh.triangles) <= limit


def test_upright_cylinder_stands_along_its_odd_edge():
    piece = build(CYLINDER, (1.6, 5.0, 1.6), style="wood")
    assert np.ptp(piece.mesh.points, axis=0) == pytest.approx([1.6, 5.0, 1.6], rel=0.02)
    ends = np.abs(piece.mesh.normals[:, 1]) > 0.99
    assert piece.colour[ends].mean() > 1.3 * piece.colour[~ends].mean()  # the sides wear bark


def test_grain_runs_along_the_longest_edge():
    """Neighbours along the grain are alike, across it they are not."""
    piece = build(BOX, (8.0, 2.0, 2.0), limit=60_000, style="wood", colour="#b58a5a")
    points = piece.mesh.points
    top = (piece.mesh.normals[:, 1] > 0.999) & (np.abs(points[:, [0, 2]]) < [3.5, 0.8]).all(axis=1)
    tone, x, z = piece.colour[top].sum(axis=1), points[top, 0].round(6), points[top, 2].round(6)
    along = np.mean([tone[z == one].std() for one in np.unique(z)])
    across = np.mean([tone[x == one].std() for one in np.unique(x)])
    assert across > along


def test_plain_object_has_one_colour_and_all_are_dull():
    assert np.ptp(build(BOX, colour="#336699").colour, axis=0) == pytest.approx(0)
    assert FINISHES["dull"] > 0.7


def test_object_has_a_rig_of_one_joint(tmp_path):
    from articulated_recordings import write_boxes
    from skitter.look.creature import build_creatures
    from skitter.look.rig import Rig
    from skitter.look.skin import build_skin_parts, deform

    statics = {"body_form": np.array([BOX]), "body_size": np.array([SIZES[BOX]])}
    turn = np.array([[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    poses = [(np.array([[0.0, 2.0, 0.0]]), np.eye(3)[None]), (np.array([[1.0, 2.0, 3.0]]), turn)]
    times = np.array([0.0, 1 / 60])
    record = write_boxes(tmp_path / "a", "thing", {}, statics, times, poses, kind="object")
    (thing,) = build_creatures(record)
    assert thing.finish == "dull"
    rig = Rig(thing.motion)
    assert rig.names == ["root", "body"]
    (part,) = build_skin_parts(thing, rig)
    pose = thing.motion.pose(1 / 60)
    found = deform(part, rig.bind, rig.place(pose))
    assert found == pytest.approx(thing.rigid.at(pose).points, abs=1e-6)
    assert found.mean(axis=0) == pytest.approx([1.0, 2.0, 3.0], abs=1e-5)
