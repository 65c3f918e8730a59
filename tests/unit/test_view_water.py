"""Water in the studio: what is sent to the browser, and how often."""

from unittest.mock import MagicMock

import numpy as np
import pytest
from fake_recordings import FLOOR, make_chain
from fake_water import add_water, make_swimmer, rings

pytest.importorskip("viser")

from skitter.events import SetRain
from skitter.look.water import open_water
from skitter.scene.spec import BoxTerrain, PlaneTerrain, WaterSpec
from skitter.terrain import build_terrain
from skitter.view.ground import SUN
from skitter.view.panels.tune import TunePanel
from skitter.view.stage import Stage
from skitter.view.water import GLINT_SLOPES, MOST, Pace, WaterNodes

SCALE = 0.2  # units per cm


class FakeScene:
    """Keeps what it is told to show."""

    def __init__(self) -> None:
        self.nodes: dict[str, MagicMock] = {}

    def add_mesh_simple(self, name, vertices, faces, **options):
        assert vertices.dtype == np.float32
        node = MagicMock(vertices=vertices, faces=faces, visible=True, **options)
        self.nodes[name.rsplit("/", 1)[1]] = node
        return node

    def add_glb(self, name, data, **options):
        self.nodes[name.rsplit("/", 1)[1]] = node = MagicMock(visible=True)
        return node


def ground(level=-6.0):
    return build_terrain([PlaneTerrain(shape="plane", at=(0.0, level, 0.0))])


def add_nodes(recording, terrain=None, **options):
    """The nodes of a recording's water, what they are in, and a clock to turn."""
    scene, now = FakeScene(), [0.0]
    nodes = WaterNodes(
        scene,
        open_water(recording),
        terrain or ground(),
        0.0,
        np.zeros(3),
        SCALE,
        pace=Pace(lambda: now[0], 10.0),
    )
    return nodes, scene.nodes, now


def points_of(node) -> np.ndarray:
    """The points that triangles have, cm."""
    assert node.faces.max() == len(node.vertices) - 3, "two more set the order of drawing"
    return node.vertices[:-2] / SCALE


def heights(node) -> np.ndarray:
    """y of a sheet's points, cm."""
    return points_of(node)[:, 1]


def test_few_points_are_sent_and_triangles_stay():
    recording = make_swimmer(frames=20)
    nodes, shown, now = add_nodes(recording)
    first, faces = shown["sheet_1"].vertices, shown["sheet_1"].faces
    assert len(first) <= (MOST + 14) ** 2 + 2
    now[0] = 1.0
    nodes.show(open_water(recording), 0.5, np.array([17.0, 0, -3.0]), visible=True)
    later = shown["sheet_1"].vertices
    assert later.shape == first.shape and not np.array_equal(later, first)
    assert shown["sheet_1"].faces is faces


def test_shapes_are_sent_at_a_rate_and_the_last_is_not_forgotten():
    recording = make_swimmer(frames=20)
    nodes, shown, now = add_nodes(recording)
    water, start = open_water(recording), shown["sheet_1"].vertices
    now[0] = 0.05
    nodes.show(water, 0.05, np.zeros(3), visible=True)
    assert shown["sheet_1"].vertices is start, "too soon"
    assert not nodes.is_late(0.05)
    now[0] = 0.11
    assert nodes.is_late(0.05), "as after a pause"
    nodes.show(water, 0.05, np.zeros(3), visible=True)
    assert shown["sheet_1"].vertices is not start
    now[0] = 9.0
    assert not nodes.is_late(0.05), "there is nothing new"


def test_it_can_be_hidden_and_is_then_not_sent():
    recording = make_swimmer(frames=20)
    nodes, shown, now = add_nodes(recording)
    now[0], before = 1.0, shown["sheet_1"].vertices
    nodes.show(open_water(recording), 0.4, np.zeros(3), visible=False)
    assert not any(node.visible for node in shown.values())
    assert shown["sheet_1"].vertices is before
    nodes.show(open_water(recording), 0.4, np.zeros(3), visible=True)
    assert all(node.visible for node in shown.values())
    assert shown["sheet_1"].vertices is not before


def test_glints_come_up_where_waves_lean_towards_the_sun():
    steep = 0.2

    def slope(x, z, time):  # falls towards the sun on one side, away from it on the other
        sun = np.array(SUN)[[0, 2]] / np.hypot(SUN[0], SUN[2])
        return -steep * np.abs(x * sun[0] + z * sun[1])

    recording = add_water(make_chain(frames=1), slope, area=(20, 20), edges="walls")
    _, shown, _ = add_nodes(recording)
    for number, least in enumerate(GLINT_SLOPES, 2):
        assert steep > least
        node = shown[f"sheet_{number}"]
        x, y, z = points_of(node).T
        lifted = y - slope(x, z, 0.0)
        along = (x * SUN[0] + z * SUN[2]) / np.hypot(SUN[0], SUN[2])
        assert (lifted[along > 1] > 0).all() and (lifted[along < -1] < 0).all()


def test_sheets_are_drawn_from_below_upwards():
    """The browser goes by the middle of the box around all points, as three.js finds it."""
    _, shown, _ = add_nodes(make_swimmer(frames=1))
    vertices = [shown[f"sheet_{k}"].vertices for k in (1, 2, 3)]
    middles = np.array([(one.max(axis=0) + one.min(axis=0)) / 2 for one in vertices])
    assert np.ptp(middles[:, [0, 2]], axis=0) == pytest.approx(0, abs=1e-4)
    assert middles[0, 1] > 1, "above the creatures"
    assert (np.diff(middles[:, 1]) > 1).all()


def test_dry_points_are_hidden_in_the_ground():
    def surface(x, z, time):
        return np.where(x < 0, 0.0, np.nan)

    step = build_terrain(
        [
            PlaneTerrain(shape="plane", at=(0.0, -6.0, 0.0)),
            BoxTerrain(shape="box", at=(10.0, -2.5, 0.0), size=(20.0, 3.0, 60.0)),
        ]
    )  # land that is lower than the water, as behind a dam
    recording = add_water(make_chain(frames=1), surface, area=(30, 30), edges="walls", depth=6.0)
    _, shown, _ = add_nodes(recording, step)
    node = shown["sheet_1"]
    top = slice(0, 77 * 77)  # 75 cells and the walls; then come the sides
    x = points_of(node)[top, 0]
    inland = (x > 1) & (x < 15)
    assert (heights(node)[top][inland] < -1.0).all()
    assert heights(node)[top][~inland].max() == pytest.approx(0.0, abs=1e-5)


def test_a_pool_ends_and_open_water_does_not():
    pool = add_water(make_chain(frames=1), rings, area=(12, 8), edges="walls", depth=5.0)
    _, shown, _ = add_nodes(pool, ground(-3.0))
    assert "haze" not in shown
    assert np.abs(points_of(shown["sheet_1"])[:, 0]).max() == pytest.approx(6, abs=1e-4)
    assert heights(shown["sheet_1"]).min() == pytest.approx(-3, abs=1e-4), "its sides"
    _, shown, _ = add_nodes(make_swimmer(frames=1))
    assert "haze" in shown
    assert np.abs(shown["sheet_1"].vertices[:, 0]).max() > 50


def test_flat_water_is_one_sheet_that_is_sent_once():
    recording = add_water(make_chain(frames=3), None, level=1.5)
    nodes, shown, now = add_nodes(recording)
    assert set(shown) == {"sheet_1", "haze"}
    assert heights(shown["sheet_1"]) == pytest.approx(1.5, abs=1e-5)
    now[0] = 5.0
    assert not nodes.is_late(0.05)


def test_the_stage_shows_water_and_looks_from_above():
    recording = make_swimmer(frames=20, area=(30, 30))
    recording.scene["camera"] = {"elevation_deg": -10.0}
    now = [0.0]
    scene = MagicMock()
    stage = Stage(scene, recording, ground(), moment=0.0, pace=Pace(lambda: now[0], 10.0))
    assert stage.has_water
    assert stage.view.eye[1] > 1.0
    now[0] = 1.0
    assert stage.is_late(0.3)
    stage.show(recording, 0.3, overlays=set(), paint_legs=False)
    assert not stage.is_late(0.3)
    dry = Stage(scene, make_chain(frames=2, terrain=(FLOOR,)), ground(), moment=0.0)
    assert not dry.has_water and not dry.is_late(0.01)


class FakeGui:
    """Hands out controls that remember what they are told to do."""

    def __init__(self) -> None:
        self.sliders: dict[str, MagicMock] = {}

    def add_slider(self, label, *_, **__):
        self.sliders[label] = slider = MagicMock(value=0.0, visible=True)
        return slider

    def add_markdown(self, _):
        return MagicMock()

    def add_folder(self, _):
        return MagicMock()


@pytest.mark.parametrize(
    ("water", "visible"), [(None, False), ({}, True), ({"waves": False}, False)]
)
def test_rain_is_offered_where_there_are_waves(water, visible):
    studio = MagicMock(species_at_hand=None)
    studio.server.gui = gui = FakeGui()
    rain = 7.0 if visible else 0.0
    spec = None if water is None else WaterSpec(**water, rain=rain)
    studio.live.world.scene.spec = MagicMock(gravity=981.0, water=spec)
    TunePanel(studio)
    slider = gui.sliders["Rain, drops/s"]
    assert slider.visible == visible
    assert slider.value == rain
    (told,) = slider.on_update.call_args.args
    slider.value = 12.0
    told(MagicMock(client=None))
    studio.post.assert_not_called()  # that was us, not a person
    told(MagicMock(client="someone"))
    studio.post.assert_called_once_with(SetRain(12.0), "someone")
