"""A new type of terrain: a spec, and a row that says what it is made of; the rest follows."""

from typing import Literal

import numpy as np
import pytest

from skitter.look.terrain import build_floors, build_solids, has_ground, is_closed
from skitter.scene.spec import BoxTerrain, LogsTerrain, PlaneTerrain, Surface
from skitter.terrain import build_terrain, made

STEP = (4.0, 1.0)  # cm deep and high


class StairsTerrain(Surface):
    """Stairs up along x, from level ground."""

    shape: Literal["stairs"] = "stairs"
    count: int


def build_stairs(spec):
    deep, high = STEP
    steps = [
        BoxTerrain(
            shape="box",
            at=(deep * (k + 0.5), high * (k + 1) / 2, 0),
            size=(deep, high * (k + 1), 20),
        )
        for k in range(spec.count)
    ]
    return [PlaneTerrain(shape="plane"), *steps]


@pytest.fixture
def stairs(monkeypatch):
    monkeypatch.setitem(made.MADE, "stairs", made.Made(StairsTerrain, build_stairs))
    return StairsTerrain(count=3)


def test_feet_feel_it(stairs):
    terrain = build_terrain([stairs])
    assert terrain.height([-5, 2, 6, 10, 20], np.zeros(5)) == pytest.approx([0, 1, 2, 3, 0])
    assert (terrain.sample([[6.0, 5.0, 0.0]])[2] == 0).all(), "all of it is the first item"


def test_pictures_show_it(stairs):
    pieces = [stairs.model_dump()]
    assert [floor.point[1] for floor in build_floors(pieces)] == [0]
    tops = [solid.mesh.points[:, 1].max() for solid in build_solids(pieces)]
    assert tops == pytest.approx([1, 2, 3])
    assert not is_closed(pieces) and not has_ground(pieces)


def test_what_is_made_of_closed_shapes_can_be_walked_around():
    logs = LogsTerrain(shape="logs", count=3).model_dump()
    assert is_closed([logs])
    assert not is_closed([logs, {"shape": "plane"}])
    assert not is_closed([])
    assert len(build_solids([logs])) == 3


def test_a_simple_item_is_all_that_it_is_made_of():
    plane = PlaneTerrain(shape="plane")
    assert made.expand(plane) == [plane]


def test_what_is_made_may_be_made_of_what_is_made(stairs, monkeypatch):
    class TwoTerrain(Surface):
        """Two flights."""

        shape: Literal["two"] = "two"

    flights = made.Made(TwoTerrain, lambda spec: [stairs, LogsTerrain(shape="logs", count=2)])
    monkeypatch.setitem(made.MADE, "two", flights)
    shapes = [one.shape for one in made.expand(TwoTerrain())]
    assert shapes == ["plane", "box", "box", "box", "cylinder", "cylinder"]
    assert len(build_solids([TwoTerrain().model_dump()])) == 5
