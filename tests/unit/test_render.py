"""Pictures and films, small ones: is what should be seen there, and do failures speak up?"""

import sys

import numpy as np
import pytest
from fake_recordings import (
    FLOOR,
    FakeRecording,
    block_grid,
    block_statics,
    make_chain,
    make_jellies,
)

pytest.importorskip("vtkmodules")
pytest.importorskip("PIL")

from PIL import Image

from skitter.errors import SkitterError, UserError
from skitter.look.camera import FILL
from skitter.look.creature import build_creatures
from skitter.look.shots import plan_shots
from skitter.render import render_picture, render_video, window
from skitter.render.light_map import FINE, MapFrame, blur_by_height, draw_surface, gather_cover
from skitter.render.smooth import shrink, smooth_edges

SIZE = (192, 108)


def picture(recording, folder, **options) -> np.ndarray:
    """The picture as numbers [row, column, 3], 0..255."""
    path = folder / "picture.png"
    render_picture(recording, path, size=SIZE, **{"supersample": 1, "time": 0.0} | options)
    assert [one.name for one in folder.iterdir()] == ["picture.png"]  # and nothing half-written
    return np.asarray(Image.open(path)).astype(float)


def spot(image, recording, point, time=0.0) -> np.ndarray:
    """The mean colour of 3 x 3 pixels around where a point is seen."""
    creatures = build_creatures(recording)
    (shot,) = plan_shots(
        creatures, np.array([time]), aspect=SIZE[0] / SIZE[1], scene=recording.scene
    )
    x, y = shot.camera.project(np.array([point], dtype=float))[0]
    column, row = round((x + 1) / 2 * SIZE[0]), round((1 - y) / 2 * SIZE[1])
    return image[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1))


def add_jelly(recording, name, at, look) -> None:
    """A soft cube of 1 cm that stands still."""
    points = np.repeat((block_grid() / 2 + np.array(at))[None], recording.frame_count, axis=0)
    recording.add_creature(name, look, {"node_position": points}, block_statics(1))


def add_box(recording, name, at, look) -> None:
    """A stiff cube of 1 cm that stands still."""
    frames = recording.frame_count
    channels = {
        "body_position": np.tile(np.array(at, dtype=float), (frames, 1, 1)),
        "body_orientation": np.tile([1.0, 0, 0, 0], (frames, 1, 1)),
    }
    recording.add_creature(name, look, channels, {"body_shape": [0], "body_size": [[1.0, 1, 1]]})


def hue(colour) -> np.ndarray:
    """What is left of a colour when brightness and greyness are taken out."""
    rest = colour - colour.min()
    return rest / max(rest.max(), 1e-9)


def test_the_whole_creature_is_seen(tmp_path):
    look = {"rigid": "#ff0000", "soft": "#ff0000", "soft_opacity": 1.0}
    image = picture(make_chain(frames=1, look=look), tmp_path)
    red = (image[:, :, 0] > 1.6 * image[:, :, 1]) & (image[:, :, 0] > 60)
    rows, columns = np.flatnonzero(red.any(axis=1)), np.flatnonzero(red.any(axis=0))
    assert red.mean() > 0.05
    assert rows[0] > 3 and rows[-1] < SIZE[1] - 4
    assert columns[0] > 3 and columns[-1] < SIZE[0] - 4
    assert (columns[-1] - columns[0]) / SIZE[0] == pytest.approx(FILL, abs=0.06)


def test_colours_are_the_ones_asked_for(tmp_path):
    recording = FakeRecording(30.0, 1, [FLOOR])
    add_box(recording, "box", (-1, 0.5, 0), {"rigid": "#2f6db5"})
    add_jelly(recording, "jelly", (1, 0.5, 0), {"soft": "#3fae4a", "soft_opacity": 0.9})
    image = picture(recording, tmp_path)
    blue = spot(image, recording, (-1, 0.5, 0.5))
    green = spot(image, recording, (1, 0.5, 0.5))
    assert np.argmax(hue(blue)) == 2 and hue(blue)[0] < 0.2
    assert np.argmax(hue(green)) == 1 and green[1] > green[0] + 25
    assert blue == pytest.approx([0x2F, 0x6D, 0xB5], abs=45)


def test_jelly_does_not_hide_what_is_behind_it(tmp_path):
    def look_through(with_box: bool) -> np.ndarray:
        recording = FakeRecording(30.0, 1, [FLOOR])
        recording.scene["camera"] = {"azimuth_deg": 0.0, "elevation_deg": 8.0}
        add_jelly(recording, "jelly", (0, 0.5, 2), {"soft": "#f2b134", "soft_opacity": 0.6})
        add_box(recording, "box", (0 if with_box else 3, 0.5, -1), {"rigid": "#101010"})
        return spot(picture(recording, tmp_path), recording, (0, 0.45, 2))

    dark, bright = look_through(True), look_through(False)
    assert dark.sum() < bright.sum() - 60
    assert dark[0] > dark[2] + 30  # still amber


def test_layers_of_jelly_do_not_depend_on_the_order_they_are_given_in(tmp_path):
    colours = ("#f2b134", "#e4572e", "#4aa3a2")
    forwards = picture(make_jellies(frames=1, colours=colours), tmp_path)
    there = make_jellies(frames=1, colours=colours)
    there.creatures.reverse()
    backwards = picture(there, tmp_path)
    assert np.abs(forwards - backwards).mean() < 0.3
    assert np.mean(np.abs(forwards - backwards).max(axis=2) > 12) < 0.003


def test_the_floor_reaches_every_edge_below_the_horizon(tmp_path):
    red_floor = FLOOR | {"colour": "#c03020"}
    recording = make_chain(frames=1, terrain=(red_floor,))
    recording.scene["camera"] = {"elevation_deg": 8.0}  # the horizon is in the picture
    image = picture(recording, tmp_path)
    redness = image[:, :, 0] - image[:, :, 2]
    assert redness[-12:].min() > 40
    assert redness[0].max() < 20
    assert np.abs(np.diff(redness[:, 5])).max() < 25  # melts away, no edge


def test_shadows_lie_near_the_body_and_have_no_border(tmp_path):
    plain = FakeRecording(30.0, 1, [FLOOR])
    plain.scene["camera"] = {"zoom": 0.5}
    add_box(plain, "box", (0, 0.5, 0), {"rigid": "#808080"})
    image = picture(plain, tmp_path).mean(axis=2)
    assert image[-1].min() > 0.85 * image[-1].max()  # far in front: light everywhere
    assert np.abs(np.diff(image[-1])).max() < 25  # grid lines at most
    assert image.min() < 0.6 * image[-1].mean()


def test_solid_terrain_is_drawn_and_takes_shadows(tmp_path):
    stone = {"shape": "box", "at": (0, -0.25, 0), "size": (20, 0.5, 20), "colour": "#40a040"}
    recording = make_chain(frames=1, terrain=(FLOOR | {"at": (0, -0.5, 0)}, stone))
    image = picture(recording, tmp_path)
    assert np.mean(image[:, :, 1] > image[:, :, 0] + 15) > 0.3
    assert np.isfinite(image).all()


def test_without_a_floor_the_studio_lends_one(tmp_path):
    recording = make_chain(frames=1, terrain=())
    assert picture(recording, tmp_path).std() > 10


def test_supersampling_gives_the_same_picture_finer(tmp_path):
    recording = make_chain(frames=1)
    rough = picture(recording, tmp_path)
    fine = picture(recording, tmp_path, supersample=2)
    assert np.abs(rough - fine).mean() < 3


def test_jpeg_and_default_moment(tmp_path):
    path = tmp_path / "one.jpg"
    render_picture(make_chain(frames=3), path, size=SIZE, supersample=1)
    assert Image.open(path).size == SIZE


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_films_last_as_long_as_the_motion(tmp_path, suffix):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path, seen = tmp_path / f"film{suffix}", []
    render_video(
        make_chain(frames=16),
        path,
        size=(96, 54),
        fps=20,
        progress=lambda done, total: seen.append((done, total)),
    )
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert (frames, seconds) == (10, pytest.approx(0.5, abs=0.03))
    assert seen[0] == (1, 10) and seen[-1] == (10, 10)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_film_of_a_part_starts_and_ends_there(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    render_video(make_chain(frames=31), path, size=(96, 54), fps=10, start=0.2, end=0.6)
    assert ffmpeg.count_frames_and_secs(str(path))[0] == 4


def test_an_interrupted_film_leaves_nothing_and_the_old_file_alone(tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"old")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render_video(make_chain(frames=8), path, size=(96, 54), progress=stop)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize(
    ("render", "name", "options", "words"),
    [
        (render_picture, "a.bmp", {}, ".png or .jpg"),
        (render_video, "a.avi", {}, ".mp4 or .gif"),
        (render_picture, "no/a.png", {}, "directory does not exist"),
        (render_picture, "a.png", {"time": 9.0}, "runs from 0 to"),
        (render_picture, "a.png", {"time": float("nan")}, "runs from 0 to"),
        (render_picture, "a.png", {"size": (100_000, 10)}, "each side"),
        (render_picture, "a.png", {"supersample": 0}, "each side"),
        (render_video, "a.mp4", {"size": (101, 64)}, "even"),
        (render_video, "a.mp4", {"fps": 0}, "fps"),
        (render_video, "a.mp4", {"start": 0.1, "end": 0.05}, "comes after"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path, render, name, options, words):
    with pytest.raises(UserError, match=words) as caught:
        render(make_chain(frames=5), tmp_path / name, **{"size": SIZE} | options)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_recording_without_frames_is_refused(tmp_path):
    for render, name in ((render_picture, "a.png"), (render_video, "a.mp4")):
        with pytest.raises(UserError, match="no frames"):
            render(make_chain(frames=0), tmp_path / name, size=SIZE)


def test_missing_packages_are_named(tmp_path, monkeypatch):
    for name in list(sys.modules):
        if name.startswith(("vtkmodules", "skitter.render.stage", "skitter.render.window")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "vtkmodules", None)
    for name in ("stage", "window", "surface", "props"):
        monkeypatch.delitem(sys.modules, f"skitter.render.{name}", raising=False)
    with pytest.raises(UserError, match=r"pip install 'skitter\[render\]'"):
        render_picture(make_chain(frames=1), tmp_path / "a.png", size=SIZE)


def test_missing_graphics_libraries_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(window, "_load", lambda name: None)
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux lacks them")
    with pytest.raises(UserError, match="apt install libegl1"):
        render_picture(make_chain(frames=1), tmp_path / "a.png", size=SIZE)


def test_an_empty_picture_is_an_error(tmp_path, monkeypatch):
    blank = np.zeros((SIZE[1], SIZE[0], 3), dtype=np.uint8)
    monkeypatch.setattr(window.Window, "draw", lambda self: blank)
    with pytest.raises(SkitterError, match="empty"):
        render_picture(make_chain(frames=1), tmp_path / "a.png", size=SIZE, supersample=1)
    assert not list(tmp_path.iterdir())


def test_a_refused_shader_is_an_error(tmp_path, monkeypatch):
    from skitter.render import shaders

    monkeypatch.setattr(shaders, "SOLID", "this is not GLSL;")
    with pytest.raises(SkitterError, match="shader"):
        render_picture(make_chain(frames=1), tmp_path / "a.png", size=SIZE, supersample=1)


def level_map(texels: int = 64, toward=(0.0, 1.0, 0.0)) -> MapFrame:
    x, y, z = np.eye(3)
    return MapFrame(np.zeros(3), x, z, y, np.array(toward) / np.linalg.norm(toward), 8.0, texels)


def test_a_map_holds_the_height_of_what_is_above():
    heights = np.zeros((64, 64), dtype=np.float32)
    square = np.array([[2.0, 3, 2], [6, 3, 2], [6, 3, 6], [2, 3, 6]])
    draw_surface(level_map(), square, np.array([[0, 1, 2], [0, 2, 3]]), heights)
    assert np.count_nonzero(heights) == 32 * 32
    assert heights[32, 32] == pytest.approx(3)


def test_a_slanting_light_throws_the_shadow_aside():
    slid = level_map(toward=(1.0, 1.0, 0.0)).slide(np.array([[4.0, 2.0, 4.0]]))
    assert slid[0] == pytest.approx([16, 32, 2])  # 2 cm towards -x, in texels of 1/8 cm


def test_shadows_widen_with_height_and_keep_their_amount():
    amounts, peaks = [], []
    for height in (0.01, 1.0, 2.0):
        heights = np.zeros((64, 64), dtype=np.float32)
        heights[28:36, 28:36] = height
        taken = blur_by_height(heights, 2.0)
        amounts.append(taken.sum())
        peaks.append(taken.max())
    assert amounts == pytest.approx([64, 64, 64], rel=0.02)
    assert peaks[0] > peaks[1] > peaks[2]


def test_something_thinner_than_a_texel_covers_all_texels_on_its_way():
    # A strip of 1/16 cm on texels of 1/8 cm, aslant: 3 cm along x and 1 cm along z.
    strip = np.array([[2.0, 1, 3.01], [5, 1, 4.01], [5, 1, 4.0725], [2, 1, 3.0725]])
    fine = np.zeros((64 * FINE, 64 * FINE), dtype=np.float32)
    draw_surface(level_map(64 * FINE), strip, np.array([[0, 1, 2], [0, 2, 3]]), fine)
    cover = gather_cover(fine, np.full((64, 64), 0.25, dtype=np.float32))
    along = cover.share.sum(axis=0)[16:40]
    assert along == pytest.approx(np.full(24, 0.5), abs=0.13)
    assert along.sum() == pytest.approx(12, rel=0.03)
    assert np.unique(cover.above[cover.share > 0]) == pytest.approx(0.75)


def test_smoothing_softens_steps_and_nothing_else():
    flat = np.full((20, 20, 3), 77, dtype=np.uint8)
    assert np.array_equal(smooth_edges(flat), flat)
    row, column = np.mgrid[:40, :40]
    steps = np.where(row > column / 3 + 10, 200, 40).astype(np.uint8)[:, :, None].repeat(3, axis=2)
    smooth = smooth_edges(steps)
    assert len(np.unique(smooth)) > 6
    assert np.array_equal(smooth[:5], steps[:5]) and np.array_equal(smooth[-5:], steps[-5:])


def test_shrinking_takes_means():
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    assert shrink(image, 2)[0, 0] == pytest.approx(image[:2, :2].mean(axis=(0, 1)), abs=0.51)
