"""Overlays of every family: drawn where there is something to show, and said where there is not."""

from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from fake_recordings import FLOOR
from pydantic import TypeAdapter

from corpus import SPECIES, Recorded
from skitter.control.sight import PREY
from skitter.scene.spec import AnyTerrain
from skitter.terrain import build_terrain
from skitter.view.overlays import (
    LABELS,
    Seen,
    draw_normals,
    draw_targets,
    find_contacts,
    list_blank,
)
from skitter.view.replay import open_terrain
from skitter.view.stage import Stage

FLAT = build_terrain(TypeAdapter(list[AnyTerrain]).validate_python([FLOOR]))
ANTENNAE, TARGETS, NORMALS, CONTACTS, SIGHT = LABELS
BLANK = {  # one of each kind of species
    "species/giant_centipede": {SIGHT},
    "species/eel": {ANTENNAE, SIGHT},
    "scenes/swimmer": {ANTENNAE},  # an eel with eyes
    "species/c_elegans": {ANTENNAE, TARGETS, SIGHT},
    "species/roach": {ANTENNAE, TARGETS, SIGHT},
    "species/wire": {ANTENNAE, TARGETS, SIGHT},
    "species/tarantula": {ANTENNAE, SIGHT},
    "species/block": {ANTENNAE, TARGETS, SIGHT},
    "species/jelly_cube": {ANTENNAE, TARGETS, SIGHT},
}


def look(surface: Any = (), food: Any = (), **channels: Any) -> Seen:
    frame = {f"one.{name}": np.asarray(value) for name, value in channels.items()}
    points, pieces = np.reshape(surface, (-1, 3)), np.reshape(food, (-1, 4))
    return Seen("one", frame, FLAT, pieces, lambda: points)


@pytest.mark.parametrize("name", SPECIES)
def test_every_species_can_be_overlaid(recorded: Recorded, name: str) -> None:
    recording = recorded(name)
    stage = Stage(MagicMock(), recording, open_terrain(recording), moment=0.0)
    for moment in recording.time[[0, -1]]:
        for wanted in (*({label} for label in LABELS), set(LABELS)):
            stage.show(recording, float(moment), overlays=wanted, paint_legs=True)
    assert {*list_blank(recording, "one")} <= {*LABELS}


@pytest.mark.parametrize("name", BLANK)
def test_what_has_nothing_to_show_is_known(recorded: Recorded, name: str) -> None:
    recording = recorded(name)
    assert {*list_blank(recording, recording.creatures[0]["name"])} == BLANK[name]
    scene = MagicMock()
    stage = Stage(scene, recording, open_terrain(recording), moment=0.0)
    scene.reset_mock()
    for label in BLANK[name]:
        stage.show(recording, 0.2, overlays={label}, paint_legs=False)
    assert not [call for call in scene.mock_calls if "overlays" in str(call.args[:1])]


def test_a_climber_holds_by_its_feet_and_knows_the_wall() -> None:
    """Four feet, of which two are held: one on the floor, one on a wall."""
    seen = look(
        foot_held=[1, 0, 1, 0],
        foot_position=[[2, 0, 0], [0, 1, 2], [-2, 3, 0], [0, 1, -2]],
        foot_normal=[[0, 1, 0], [9, 9, 9], [1, 0, 0], [9, 9, 9]],
        body_position=[[0, 1, 0], [5, 5, 5]],
    )
    found = find_contacts(seen)
    assert found.point.tolist() == [[2, 0, 0], [-2, 3, 0]]
    assert found.normal.tolist() == [[0, 1, 0], [1, 0, 0]]
    # Feet are √5, 2, √8 and 2 away from the body: half of it in the middle is (2 + √5) / 2.
    assert found.size == pytest.approx((2 + 5**0.5) / 2)
    lines, colours = draw_normals(seen)
    assert lines[1, 1] - lines[1, 0] == pytest.approx([found.size / 2, 0, 0])
    assert len(colours) == 2


def test_a_climber_wants_its_feet_at_ease_and_a_way() -> None:
    seen = look(
        foot_held=[1, 0],
        foot_position=[[2, 0, 0], [0, 1, 2]],
        foot_origin=[[3, 0, 0], [1, 0, 3]],
        body_position=[[0, 1, 0]],
        heading_wanted=[0, 0, 1],
        speed_wanted=4.0,
    )
    lines, colours = draw_targets(seen)
    feet = [[[2, 0, 0], [3, 0, 0]], [[0, 1, 2], [1, 0, 3]]]
    assert lines.tolist() == [*feet, [[0, 1, 0], [0, 1, 4]]]
    assert len({tuple(one) for one in colours}) == 3, "held, in the air, and the way"


def test_a_swimmer_wants_to_go_ahead_and_to_its_prey() -> None:
    middles = [[4.0, 1, 0], [3, 1, 0], [2, 1, 0], [1, 1, 0]]
    given = {"body_position": middles, "swim_speed": 6.0, "food": [[9, 1, 1, 0.4], [8, 1, 0, 0]]}
    lines, _ = draw_targets(look(swim_mode=PREY + 1, **given))
    assert lines.tolist() == [[[4, 1, 0], [10, 1, 0]]]
    lines, _ = draw_targets(look(swim_mode=PREY, **given))
    assert lines[1].tolist() == [[4, 1, 0], [9, 1, 1]]


def test_what_has_no_feet_touches_with_its_surface() -> None:
    """A cube of 2 cm on the floor: its four lower corners."""
    corners = np.array([[x, y, z] for x in (0, 2) for y in (0, 2) for z in (0, 2)], float)
    found = find_contacts(look(surface=corners))
    assert sorted(found.point.tolist()) == [[0, 0, 0], [0, 0, 2], [2, 0, 0], [2, 0, 2]]
    assert (found.normal == [0, 1, 0]).all()
    above = corners + np.array([0, 0.5, 0])
    assert len(find_contacts(look(surface=above)).point) == 0
    assert len(draw_normals(look(surface=above))[0]) == 0
    assert len(find_contacts(look()).point) == 0


def test_of_many_places_some_normals_are_drawn() -> None:
    x = np.linspace(0, 1, 1000)
    points = np.stack([x, np.where(np.arange(1000) % 2, 0.0, 1.0), x[::-1]], axis=1)
    assert len(find_contacts(look(surface=points)).point) == 500
    assert 30 <= len(draw_normals(look(surface=points))[0]) <= 60
