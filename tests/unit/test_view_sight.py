"""The fans that show what a swimmer sees."""

from unittest.mock import MagicMock

import numpy as np
import pytest
from fake_recordings import FLOOR, make_chain
from pydantic import TypeAdapter

from skitter.control.sight import AVOID, CRUISE
from skitter.scene.spec import AnyTerrain
from skitter.species.swim import EyesSpec
from skitter.terrain import build_terrain
from skitter.view.overlays import LABELS
from skitter.view.sight import (
    FAINT,
    LABEL,
    STEPS,
    STRONG,
    Looking,
    SightNodes,
    build_fan,
    fan_triangles,
    find_eyes,
    look_out,
)
from skitter.view.stage import Stage


def test_a_fan_reaches_as_far_and_wide_as_the_eyes():
    head, heading = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0])
    fan = build_fan(head, heading, 10.0, 30.0)
    way = fan[1:] - head
    assert np.linalg.norm(way, axis=1) == pytest.approx(10.0)
    assert way[:, 1] == pytest.approx(0.0)
    assert np.degrees(np.arctan2(-way[:, 2], way[:, 0]))[[0, -1]] == pytest.approx([30, -30])
    a, b, c = (fan[fan_triangles(1)[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 1] > 0).all()  # seen from above


def test_fans_of_many_do_not_share_points():
    triangles = fan_triangles(3)
    assert len(triangles) == 3 * STEPS
    assert triangles.max() == 3 * (STEPS + 2) - 1


def test_eyes_are_found_by_name():
    scene = {"creature_names": ["a", "b"], "species": [{"eyes": {"food_range": 45}}, {}]}
    found = find_eyes(scene)
    assert list(found) == ["a"]
    assert found["a"].food_range == 45
    assert find_eyes({}) == {}


def test_one_that_walks_does_not_look_out():
    frame = {
        "a.swim_mode": np.array(0),
        "a.body_position": np.array([[4.0, 0, 0], [2, 0, 0], [0, 0, 0]]),
        "a.segment_submerged": np.array([0.0, 0.2]),
    }
    assert look_out("a", EyesSpec(), frame) is None
    looking = look_out("a", EyesSpec(), frame | {"a.segment_submerged": np.array([1.0, 0.8])})
    assert looking is not None
    assert looking.heading == pytest.approx([1, 0])
    assert look_out("b", EyesSpec(), frame) is None


def test_the_alert_field_is_stronger_while_it_avoids():
    scene = MagicMock()
    scene.add_mesh_simple.side_effect = lambda *_, **given: MagicMock(
        faces=_[2], opacity=given["opacity"], visible=True
    )
    nodes = SightNodes(scene, 2.0)
    one = Looking(np.zeros(3), np.array([1.0, 0.0]), EyesSpec(alert_range=12.0), CRUISE)
    nodes.show([one])
    assert [call.kwargs["opacity"] for call in scene.add_mesh_simple.call_args_list] == [FAINT] * 2
    nodes.show([Looking(one.head, one.heading, one.eyes, AVOID)])
    view, alert = nodes._nodes["view"], nodes._nodes["alert"]
    assert (view.opacity, alert.opacity) == (FAINT, STRONG)
    assert np.abs(alert.vertices[:, 0]).max() == pytest.approx(2 * 12.0, rel=1e-3)
    nodes.show([])
    assert not view.visible and not alert.visible


def test_the_stage_shows_it_when_it_is_wanted():
    assert LABEL in LABELS
    recording = make_chain(frames=3)
    recording._channels["chain.swim_mode"] = np.zeros(3, int)
    recording.scene |= {"creature_names": ["chain"], "species": [{"eyes": {}}]}
    ground = build_terrain(TypeAdapter(list[AnyTerrain]).validate_python([FLOOR]))
    scene = MagicMock()
    stage = Stage(scene, recording, ground, moment=0.0)

    def drawn() -> list[str]:
        names = [call.args[0] for call in scene.add_mesh_simple.call_args_list]
        return [name for name in names if "sight" in name]

    stage.show(recording, 0.05, overlays=set(), paint_legs=False)
    assert drawn() == []
    stage.show(recording, 0.05, overlays={LABEL}, paint_legs=False)
    assert len(drawn()) == 2
