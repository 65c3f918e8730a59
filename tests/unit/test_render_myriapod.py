"""Pictures of a myriapod, small ones: are legs, food and obstacles seen, and the panel beside?"""

import numpy as np
import pytest

from look_recordings import Track, write_myriapod

pytest.importorskip("vtkmodules")
pytest.importorskip("PIL")

from PIL import Image

from skitter.cli import main
from skitter.render import render_picture
from skitter.render.gait import STATE_COLOURS

SIZE = (256, 144)


def picture(recording, folder, **options) -> np.ndarray:
    path = folder / "picture.png"
    render_picture(recording, path, size=SIZE, **{"supersample": 1} | options)
    return np.asarray(Image.open(path)).astype(float)


def count_green(image) -> int:
    return int(np.sum(image[:, :, 1] > image[:, :, [0, 2]].max(axis=2) + 25))


def test_food_is_seen_until_it_is_eaten(tmp_path):
    food = [(1.0, 0.35, 3.0)]
    recording = write_myriapod(tmp_path / "r", segments=3, seconds=1.0, food=food, eaten_at=0.5)
    there, gone = (picture(recording, tmp_path, time=time) for time in (0.48, 0.52))
    assert count_green(there) > 20 > 0 == count_green(gone)


def test_legs_are_seen(tmp_path):
    recording = write_myriapod(tmp_path / "r", segments=3, seconds=0.1)
    look = recording.attributes["creatures"][0]["look"]
    look |= {"leg": "#2040ff", "rigid": "#ffffff", "head": "#ffffff", "soft": "#ffffff"}
    image = picture(recording, tmp_path, time=0.0)
    blue = image[:, :, 2] > image[:, :, 0] + 60
    assert 100 < blue.sum() < 0.1 * blue.size
    assert np.ptp(np.flatnonzero(blue.any(axis=0))) > 0.25 * SIZE[0]


def test_obstacles_are_seen(tmp_path):
    stone = {"shape": "box", "at": [0, 1, -4], "size": [2, 2, 2], "colour": "#2040ff"}
    recording = write_myriapod(tmp_path / "r", segments=3, seconds=0.1, obstacles=[stone])
    image = picture(recording, tmp_path, time=0.0)
    assert np.sum(image[:, :, 2] > image[:, :, 0] + 60) > 100


def test_under_a_ball_the_creature_is_seen_from_below(tmp_path):
    recording = write_myriapod(
        tmp_path / "r", segments=3, seconds=4.0, frame_rate=10, track=Track(4.0)
    )
    look = recording.attributes["creatures"][0]["look"]
    look |= dict.fromkeys(("leg", "rigid", "head", "soft"), "#2040ff")
    image = picture(recording, tmp_path, time=3.8)
    assert np.sum(image[:, :, 2] > image[:, :, 0] + 60) > 400


def test_the_panel_stands_at_the_right(tmp_path):
    recording = write_myriapod(tmp_path / "r", segments=3, seconds=1.0)
    path = tmp_path / "both.png"
    render_picture(recording, path, size=(900, 200), time=1.0, panel=True, supersample=1)
    image = np.asarray(Image.open(path))
    stance = [int(STATE_COLOURS[4][k : k + 2], 16) for k in (1, 3, 5)]
    places = np.argwhere((image == stance).all(axis=2))
    assert image.shape == (200, 900, 3)
    assert len(places) > 10_000 and places[:, 1].min() > 600


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-o", "a.mp4", "--gait"], "a.mp4: must end in .png or .jpg or .jpeg"),
        (["-o", "a.png", "--gait", "--fps", "9"], "--fps does not apply to gait panels"),
        (["-o", "a.png", "--gait", "--panel"], "--panel does not apply to gait panels"),
        (["-o", "a.png", "--seconds", "2"], "--seconds is of gait panels; valid: with --gait or"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    tmp_path, monkeypatch, capsys, options, expected
):
    monkeypatch.chdir(tmp_path)
    assert main(["render", "nowhere", *options]) == 2
    assert expected in capsys.readouterr().err


def test_gait_by_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_myriapod(tmp_path / "r", segments=3, seconds=0.5)
    assert main(["render", "r", "-o", "gait.png", "--gait", "--seconds", "0.3"]) == 0
    assert Image.open("gait.png").size == (1280, 130 + 6 * 18)
