"""Water in pictures, small ones: is it seen, and what is below it, and what is above?"""

import numpy as np
import pytest
from fake_recordings import FLOOR, FakeRecording, block_grid, block_statics, make_chain
from fake_water import add_water, make_swimmer, rings

pytest.importorskip("vtkmodules")
pytest.importorskip("PIL")

from PIL import Image

from skitter.look.creature import build_creatures
from skitter.look.shots import plan_shots
from skitter.look.water import WIDER, build_sheet, open_water
from skitter.render import render_picture, render_video
from skitter.render.caustics import blow, encode_light, gather_light
from skitter.render.stage import Stage
from skitter.render.water import bend_down
from skitter.render.water_glsl import GLOW_TOP

SIZE = (192, 108)
DEEP_FLOOR = FLOOR | {"at": (0, -4, 0)}


def picture(recording, folder) -> np.ndarray:
    path = folder / "picture.png"
    render_picture(recording, path, size=SIZE, time=0.0, supersample=1)
    return np.asarray(Image.open(path)).astype(float)


def spot(image, recording, point) -> np.ndarray:
    """The mean colour of 3 x 3 pixels around where a point is seen."""
    (shot,) = plan_shots(
        build_creatures(recording), np.zeros(1), aspect=SIZE[0] / SIZE[1], scene=recording.scene
    )
    x, y = shot.camera.project(np.array([point], dtype=float))[0]
    column, row = round((x + 1) / 2 * SIZE[0]), round((1 - y) / 2 * SIZE[1])
    return image[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1))


def still(x, z, time):
    return np.zeros_like(x)


def wet_and_dry(make) -> tuple[FakeRecording, FakeRecording]:
    """The same scene with water and without, from the same view."""
    wet, dry = make(), make()
    view = {"elevation_deg": 35.0}
    wet.scene["camera"], dry.scene["camera"] = view | {"zoom": 0.74 * WIDER}, view | {"zoom": 0.74}
    return add_water(wet, still, area=(40, 40), depth=4.0), dry


def chain_at(height):
    recording = make_chain(frames=1, terrain=(DEEP_FLOOR,), look={"rigid": "#b02020"})
    for name in ("body_position", "node_position"):
        recording._channels[f"chain.{name}"][..., 1] += height - 0.5
    return recording


def test_water_tints_the_ground_and_leaves_what_is_above(tmp_path):
    wet, dry = wet_and_dry(lambda: chain_at(1.5))
    tinted, plain = picture(wet, tmp_path), picture(dry, tmp_path)
    bed = [spot(one, wet, (0.0, 0.0, 4.0)) for one in (tinted, plain)]
    assert bed[0][0] < bed[1][0] - 30, "red is lost"
    assert bed[0][2] > bed[0][0] + 15, "so that it looks blue"
    box = wet["chain.body_position"][0, 3] + [0, 0.45, 0]
    above = [spot(one, wet, box) for one in (tinted, plain)]
    assert above[0] == pytest.approx(above[1], abs=6)


def test_bodies_below_the_surface_are_seen(tmp_path):
    wet, _ = wet_and_dry(lambda: chain_at(-2.0))
    image = picture(wet, tmp_path)
    box = spot(image, wet, wet["chain.body_position"][0, 3] + [0, 0.45, 0])
    beside = spot(image, wet, (-3.0, -2.0, 3.0))
    assert box[0] > box[1], "still red"
    assert np.abs(box - beside).max() > 30


def add_jelly(recording, name, at) -> None:
    points = (block_grid() / 2 + np.array(at))[None]
    look = {"soft": "#f2b134", "soft_opacity": 0.9}
    recording.add_creature(name, look, {"node_position": points}, block_statics(1))


def test_jelly_above_is_before_the_water_and_below_behind_it(tmp_path):
    def make():
        recording = FakeRecording(30.0, 1, [DEEP_FLOOR])
        add_jelly(recording, "high", (-1.5, 1.0, 0.0))
        add_jelly(recording, "low", (1.5, -1.5, 0.0))
        return recording

    wet, dry = wet_and_dry(make)
    with_water, without = picture(wet, tmp_path), picture(dry, tmp_path)
    high, high_dry = (spot(one, wet, (-1.5, 1.5, 0.0)) for one in (with_water, without))
    low, low_dry = (spot(one, wet, (1.5, -1.0, 0.0)) for one in (with_water, without))
    assert high == pytest.approx(high_dry, abs=15)
    assert low[0] < low_dry[0] - 25, "seen through water"
    assert low[1] > low[2] + 10, "and still amber rather than blue"


def test_waves_show(tmp_path):
    calm, rough = (
        add_water(chain_at(1.5), surface, area=(40, 40), depth=4.0) for surface in (still, rings)
    )
    change = np.abs(picture(calm, tmp_path) - picture(rough, tmp_path)).mean(axis=2)
    assert np.mean(change > 12) > 0.03


def test_waves_of_a_millimetre_show(tmp_path):
    def surface(x, z, time):
        return 0.05 * np.cos(2 * np.pi * z / 2.0)

    calm, rough = (
        add_water(chain_at(1.5), one, area=(40, 40), depth=4.0) for one in (still, surface)
    )
    change = np.abs(picture(calm, tmp_path) - picture(rough, tmp_path)).mean(axis=2)
    assert np.mean(change > 6) > 0.15


def test_open_water_has_no_seam_at_the_edge_of_its_grid(tmp_path):
    recording = add_water(chain_at(1.5), still, area=(9, 9), depth=4.0)
    recording.scene["camera"] = {"elevation_deg": 50.0}
    endless = add_water(chain_at(1.5), still, area=(60, 60), depth=4.0)
    endless.scene["camera"] = {"elevation_deg": 50.0}
    small, large = picture(recording, tmp_path), picture(endless, tmp_path)
    assert np.abs(small - large).max() <= 6


def test_a_pool_ends_at_its_walls(tmp_path):
    recording = add_water(chain_at(1.5), still, area=(14, 6), edges="walls", depth=4.0)
    recording.scene["camera"] = {"zoom": 0.45 * WIDER, "azimuth_deg": 0.0, "elevation_deg": 30.0}
    image = picture(recording, tmp_path)
    outside, inside = (spot(image, recording, (2.0, y, z)) for y, z in ((-4, 5.5), (0, 2.5)))
    side = spot(image, recording, (2.0, -1.0, 3.0))
    assert outside[0] > outside[2], "bare floor"
    assert inside[2] > inside[0] + 10
    assert side[2] > side[0] + 10, "the cut face is water too"


def test_a_film_of_water(tmp_path):
    recording = make_swimmer(frames=3, area=(30, 30))
    render_video(recording, tmp_path / "film.gif", size=SIZE, fps=30)
    film = Image.open(tmp_path / "film.gif")
    assert film.n_frames == 2


def test_light_is_gathered_below_crests_and_none_is_lost():
    x = 0.1 * np.arange(200)
    wave = 0.02 * np.cos(2 * np.pi * x / 4.0)  # crests at 0, 4, 8, ... cm
    sheet = build_sheet(np.repeat(wave[:, None], 60, axis=1), np.zeros(2), 0.1, 0.0)
    light = gather_light(sheet, np.full(sheet.height.shape, 6.0))[:, 30]
    # to first order 1 - depth * bending * curvature of the surface
    first = 1 + 6.0 * 0.25 * 0.02 * (2 * np.pi / 4.0) ** 2 * np.cos(2 * np.pi * x / 4.0)
    assert light[20:-20] == pytest.approx(first[20:-20], abs=0.03)
    assert light[40:160].mean() == pytest.approx(1.0, abs=0.01)


def test_level_water_gathers_nothing():
    sheet = build_sheet(np.zeros((30, 20)), np.zeros(2), 0.4, 0.0)
    light = gather_light(sheet, np.full((30, 20), 8.0))
    assert light == pytest.approx(1.0)
    assert np.abs(encode_light(light) - 255 / GLOW_TOP).max() <= 0.5


def test_light_is_bent_towards_the_plumb_line():
    toward = np.array([0.6, 0.8, 0.0])
    bent = bend_down(toward)
    assert np.linalg.norm(bent) == pytest.approx(1.0)
    assert bent[0] == pytest.approx(0.6 / 1.333)  # Snell's law


def test_a_breeze_makes_a_net_of_light_that_stays_in_the_world():
    first = blow(np.zeros(3), 30.0, 5.0, 0.0)
    light = first.light[120:240, 120:240]
    assert light.mean() == pytest.approx(1.0, abs=0.05)  # no light is lost
    assert light.std() > 0.1
    assert first.light[0] == pytest.approx(1.0)  # and none at the edge
    step = (first.high - first.low)[0] / (len(first.light) - 1)
    moved = blow(np.array([10 * step, 0.0, 0.0]), 30.0, 5.0, 0.0)
    assert moved.light[120:180, 150:200] == pytest.approx(first.light[130:190, 150:200], abs=1e-6)


def test_there_are_no_lines_on_a_floor_under_water(tmp_path):
    """A floor with lines is darker along some columns; sand is alike all over."""
    wet, dry = wet_and_dry(lambda: chain_at(-2.0))
    for one in (wet, dry):
        one.scene["camera"] |= {"elevation_deg": 85.0, "azimuth_deg": 0.0}
    wet.scene["water"]["level"] = -3.999  # a film on the floor, too thin to bend or tint light
    shown = [picture(one, tmp_path)[:, :60].mean(axis=(0, 2)) for one in (wet, dry)]
    bumps = [np.abs(np.diff(line, 2)).max() for line in shown]
    assert bumps[0] < 0.7 * bumps[1]


def test_no_floor_is_seen_in_a_pool_that_is_deeper_than_its_water_says():
    """A hollow of 9 cm with water of 4 cm: the studio's floor lies below all of it."""
    hollow = {"shape": "heightfield", "at": [0.0, 0.0, 0.0], "size": [40.0, 40.0]}
    hollow |= {"hills": [{"at": [0.0, 0.0], "height": -9.0, "width": [8.0, 8.0]}]}
    recording = add_water(chain_at(0.5), still, area=(30, 30), depth=4.0)
    creatures = build_creatures(recording)
    shots = plan_shots(creatures, np.zeros(1), aspect=1.6, scene=recording.scene)
    stage = Stage(creatures, [hollow], shots, (64, 40), water=open_water(recording))
    try:
        assert stage._rig.floor.point[1] < -9.0
    finally:
        stage.close()
