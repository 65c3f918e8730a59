"""The POV-Ray export: do its files say what the recording holds, and does POV-Ray draw it so?"""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from fake_recordings import FLOOR, FakeRecording, make_chain, make_jellies
from fake_water import HILL, add_water, rings

from skitter.cli import main
from skitter.errors import SkitterError, UserError
from skitter.export.pov import trace as tracing
from skitter.export.pov import write as povray
from skitter.export.pov.text import MOST_COLOURS, choose_palette
from skitter.export.pov.water import split_border
from skitter.export.pov.write import export_povray
from skitter.export.write import export_recording
from skitter.look.colour import read_colour, to_screen
from skitter.look.creature import build_creatures
from skitter.look.shots import plan_shots
from skitter.look.water import build_top, open_water

NEEDS_POVRAY = pytest.mark.skipif(
    shutil.which("povray") is None, reason="povray is not installed: apt install povray"
)
SIZE = (160, 90)
OPTIONS = {"fps": 10.0, "start": 0.0, "end": 0.0, "scale": 1.0, "size": SIZE}


def export(recording, folder, **options) -> Path:
    path = folder / "out.pov"
    written = export_povray(recording, path, **OPTIONS | options)
    assert written == [path, folder / "out.ini", folder / "out_frames"]
    assert sorted(one.name for one in folder.iterdir()) == ["out.ini", "out.pov", "out_frames"]
    return path


def read(path, name="frame_0000.inc") -> str:
    """A file of the frames with all that it includes."""
    text = (path.with_name("out_frames") / name).read_text()
    include = r'#include concat\(Frames, "(\w+\.inc)"\)'
    return re.sub(include, lambda found: read(path, found[1]), text)


def numbers(text) -> np.ndarray:
    """All vectors of a text as rows."""
    rows = re.findall(r"<([^<>]*)>", text)
    return np.array([[float(one) for one in row.split(",")] for row in rows])


def read_list(text, name) -> tuple[int, np.ndarray]:
    """The number at the start of a list, and its vectors."""
    count, rest = re.search(rf"{name}\{{(\d+),([^}}]*)\}}", text).groups()
    return int(count), numbers(rest)


def read_meshes(text) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Points, normals and faces of every mesh2, checked, by the name that it is declared under."""
    meshes = {}
    for number, (name, body) in enumerate(
        re.findall(r"(?:#declare (\w+) = )?mesh2 \{\n(.*?)\n\}", text, re.DOTALL)
    ):
        lists = [
            read_list(body, key) for key in ("vertex_vectors", "normal_vectors", "face_indices")
        ]
        assert all(count == len(rows) for count, rows in lists)
        (_, points), (_, normals), (_, faces) = lists
        assert len(points) == len(normals) and faces.min() >= 0 and faces.max() < len(points)
        assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-4)
        check_textures(body)
        meshes[name or str(number)] = (points, normals, faces)
    return meshes


def check_textures(body) -> None:
    found = re.search(r"texture_list\{(\d+),(.*?)\}\nface_indices\{(.*?)\}", body, re.DOTALL)
    if found is not None:
        count, textures, faces = int(found[1]), found[2], found[3]
        assert textures.count("Paint(") == count
        chosen = [
            int(one) for row in re.findall(r">,(\d+,\d+,\d+)", faces) for one in row.split(",")
        ]
        assert len(chosen) == 3 * faces.count("<") and max(chosen) < count


def read_declared(text, name) -> np.ndarray:
    return numbers(re.search(rf"#declare {name} = (<[^>]*>)", text)[1])[0]


def test_shapes_are_placed_where_the_recording_has_them(tmp_path):
    recording = make_chain(frames=2)
    path = export(recording, tmp_path)
    shapes, frame = read_meshes(read(path, "shapes.inc")), read(path)
    placed = []
    for name, row in re.findall(r"object \{ (\w+) matrix (<[^>]*>) \}", frame):
        matrix = numbers(row).reshape(4, 3)
        points, _, _ = shapes[name]
        placed.append(points @ matrix[:3] + matrix[3])
        assert np.linalg.det(matrix[:3]) > 0  # turned and stretched, not mirrored
    (creature,) = build_creatures(recording)
    expected = creature.rigid.at(creature.motion.pose(0.0)).points
    assert np.allclose(sort_rows(np.concatenate(placed)), sort_rows(expected), atol=2e-4)


def sort_rows(points) -> np.ndarray:
    """Bounds and means, which do not depend on the order of points."""
    return np.array([points.min(axis=0), points.max(axis=0), points.mean(axis=0)])


def test_soft_parts_are_the_skin_itself(tmp_path):
    recording = make_jellies(frames=3)
    path = export(recording, tmp_path, end=0.05, fps=40.0)
    frame = read(path)
    soft = [one for one in build_creatures(recording, triangle_limit=povray.TRIANGLES) if one.soft]
    meshes = list(read_meshes(frame).values())
    assert len(meshes) == len(soft) == frame.count("Jelly(")
    for creature, (points, normals, faces) in zip(soft, meshes, strict=True):
        skin = creature.soft.at(creature.motion.pose(0.0))
        assert np.allclose(points, skin.points, atol=2e-4)
        assert np.allclose(normals, skin.normals, atol=2e-5)
        assert np.array_equal(faces, skin.triangles)
    files = [one.name for one in path.with_name("out_frames").glob("faces_*")]
    assert len(files) == len({one.soft.triangles.tobytes() for one in soft})  # once for all frames


def test_colours_are_linear_light(tmp_path):
    look = {"rigid": "#808080", "soft": "#ff8000"}
    path = export(make_chain(frames=1, look=look), tmp_path)
    (grey,) = np.unique(
        numbers("".join(re.findall(r"Paint\((<[^>]*>)\)", read(path, "shapes.inc"))))
    )
    assert grey == pytest.approx(0.2159, abs=1e-3)  # of IEC 61966-2-1
    orange = numbers(re.search(r"Jelly\((<[^>]*>)", read(path))[1])[0]
    assert np.allclose(orange, read_colour("#ff8000"), atol=1e-4)


def test_a_palette_is_small_and_near():
    colours = np.random.default_rng(0).uniform(0, 1, (5000, 3))
    palette = choose_palette(colours)
    assert len(palette.colours) <= MOST_COLOURS
    stripes = read_colour("#803010") + np.linspace(0, 0.2, 400)[:, None]
    palette = choose_palette(stripes)
    away = to_screen(palette.colours[palette.index]).astype(int) - to_screen(stripes)
    assert np.abs(away).max() <= 4


def test_scale_enlarges_all_alike(tmp_path):
    recording = make_chain(frames=1, speed=3.0)
    folders = [tmp_path / name for name in ("one", "ten")]
    texts = []
    for folder, scale in zip(folders, (1.0, 10.0), strict=True):
        folder.mkdir()
        texts.append(read(export(recording, folder, scale=scale)))
    for name in ("Eye", "Target", "Focus"):
        small, large = (read_declared(text, name) for text in texts)
        assert np.allclose(10 * small, large, rtol=1e-4, atol=1e-4)
    small, large = (numbers("".join(re.findall(r"matrix (<[^>]*>)", text))) for text in texts)
    assert np.allclose(10 * small, large, rtol=1e-4, atol=1e-4)


def test_terrain_food_and_obstacles_come_along(tmp_path):
    box = {"shape": "box", "at": [3, 1, 0], "size": [2, 2, 2], "colour": "#336699"}
    recording = make_chain(frames=1, terrain=(FLOOR, box))
    recording._channels["food_left"] = np.array([[1, 0]])
    recording._statics |= {
        "food_position": np.array([[1.0, 0.5, 2.0], [2.0, 0.5, 2.0]]),
        "food_radius": np.array([0.3, 0.3]),
    }
    path = export(recording, tmp_path)
    frame = read(path)
    assert frame.count("sphere {") == 1 and "<1,0.5,2>, 0.3" in frame  # the other is eaten
    land = re.search(r"#declare Land = union \{\n(.*)\n\}\n", read(path, "shapes.inc"), re.DOTALL)
    ((points, _, _),) = read_meshes(land[1]).values()
    assert np.allclose(points.min(axis=0), [2, 0, -1], atol=1e-6)
    assert path.read_text().count("plane { y, 0") == 1


def test_water_is_one_sheet_of_which_the_middle_gathers_light(tmp_path):
    recording = add_water(make_chain(frames=2, terrain=(HILL,)), rings)
    water = open_water(recording)
    sheet = water.surround(water.grid_at(0.0), np.zeros(3), 200.0)
    near, far = split_border(sheet)
    assert len(near.triangles) + len(far.triangles) == len(build_top(sheet).triangles)
    assert np.abs(far.points[:, [0, 2]]).max() > np.abs(near.points[:, [0, 2]]).max() + 50
    path = export(recording, tmp_path)
    assert read(path).count("Water() interior") == 2 and read(path).count("photons { target") == 1
    assert "Water_Interior" in path.read_text() and "ior 1.333" in path.read_text()


def test_water_in_walls_has_sides(tmp_path):
    recording = add_water(make_chain(frames=1, terrain=(FLOOR,)), rings, edges="walls", level=4.0)
    frame = read(export(recording, tmp_path))
    points = np.concatenate([one[0] for one in read_meshes(frame).values()])
    assert points[:, 1].min() < 1.0 and frame.count("Water()") == 1


def test_every_frame_has_a_file_and_an_older_export_goes(tmp_path):
    recording = make_chain(frames=40, speed=8.0)
    done = []
    path = export(recording, tmp_path, end=1.0, progress=lambda *one: done.append(one))
    frames = sorted(one.name for one in (tmp_path / "out_frames").glob("frame_*"))
    assert frames == [f"frame_{k:04d}.inc" for k in range(10)]
    assert done == [(k + 1, 10) for k in range(10)]
    assert "Final_Frame=9" in (tmp_path / "out.ini").read_text()
    export(recording, tmp_path, end=0.2)
    assert len(list((tmp_path / "out_frames").glob("frame_*"))) == 2
    assert "Final_Frame=1" in (tmp_path / "out.ini").read_text()
    assert "str(frame_number, -4, 0)" in path.read_text()


def test_a_script_is_told_with_its_creatures_and_files(tmp_path):
    recording = make_chain(frames=40)
    told = export_recording(recording, tmp_path / "out.pov", fps=10.0, end=0.5)
    assert told.frames == len(list((tmp_path / "out_frames").glob("frame_*")))
    assert [one.name for one in told.creatures] == [one["name"] for one in recording.creatures]
    assert all(one.joints == 0 and one.triangles > 0 for one in told.creatures)
    assert str(tmp_path / "out.ini") in told.notes[0]
    assert str(tmp_path / "out_frames") in told.notes[0]


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch, trouble):
    recording = make_chain(frames=40)
    export(recording, tmp_path)
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}

    def fail(self, shot):
        yield "// half of a frame"
        raise trouble

    monkeypatch.setattr(povray.PovStage, "write_frame", fail)
    with pytest.raises(UserError if trouble is OSError else trouble):
        export(recording, tmp_path, end=1.0)
    assert {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()} == before


def test_other_files_are_not_replaced(tmp_path):
    recording = make_chain(frames=1)
    (tmp_path / "out_frames").mkdir()
    (tmp_path / "out_frames" / "thesis.txt").write_text("dear")
    with pytest.raises(UserError, match="out_frames: is there and holds other files; valid: "):
        export(recording, tmp_path)
    (tmp_path / "out_frames" / "thesis.txt").rename(tmp_path / "out.ini")
    with pytest.raises(UserError, match=r"out\.ini: is there and is not of an export; valid: "):
        export(recording, tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.ini", "out_frames"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scale": 0.0}, "--scale 0: is no size; valid: "),
        ({"scale": float("nan")}, "--scale nan: is no size; valid: "),
        ({"fps": 0.0}, "fps 0: must be above 0"),
        ({"end": 99.0}, "end 99 s: the recording runs from"),
        ({"camera": "below"}, "--camera below: is not known"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(tmp_path, options, expected):
    with pytest.raises(UserError, match=expected):
        export(make_chain(frames=3), tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_without_povray_it_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tracing.shutil, "which", lambda _: None)
    with pytest.raises(UserError, match=r"--povray needs POV-Ray, which is not installed; .*apt"):
        tracing.trace_picture(make_chain(frames=1), tmp_path / "a.png", size=SIZE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--gait"], "--gait does not apply to --povray; valid: without one of them"),
        (["--panel"], "--panel does not apply to --povray; valid: without one of them"),
        (["--creature", "bug"], "--creature does not apply to --povray; valid: "),
        (["--fps", "30"], "--fps does not apply to .png files; valid: without it"),
    ],
)
def test_options_that_do_nothing_are_refused(capsys, tmp_path, monkeypatch, options, expected):
    monkeypatch.setattr(tracing.shutil, "which", lambda _: "povray")
    output = tmp_path / "a.png"
    assert main(["render", "nowhere", "-o", str(output), "--povray", *options]) == 2
    assert expected in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def add_box(recording, name, at, look) -> None:
    channels = {
        "body_position": np.tile(np.array(at, float), (recording.frame_count, 1, 1)),
        "body_orientation": np.tile([1.0, 0, 0, 0], (recording.frame_count, 1, 1)),
    }
    recording.add_creature(name, look, channels, {"body_shape": [0], "body_size": [[1.0, 1, 1]]})


@NEEDS_POVRAY
def test_left_stays_left(tmp_path):
    from PIL import Image

    recording = FakeRecording(10.0, 3, [FLOOR])
    places = {"red": (3, 0.5, 2), "green": (-3, 0.5, 1), "blue": (0, 2.5, -4)}
    for name, place in places.items():
        colour = {"red": "#ff0000", "green": "#00ff00", "blue": "#0000ff"}[name]
        add_box(recording, name, place, {"rigid": colour})
    path = tmp_path / "a.png"
    tracing.trace_picture(recording, path, size=SIZE, time=0.0, supersample=1)
    assert [one.name for one in tmp_path.iterdir()] == ["a.png"]
    image = np.asarray(Image.open(path)).astype(float)
    assert image.std() > 10
    (shot,) = plan_shots(
        build_creatures(recording), np.zeros(1), aspect=SIZE[0] / SIZE[1], scene=recording.scene
    )
    for channel, place in enumerate(places.values()):
        rest = np.delete(image, channel, axis=2).max(axis=2)
        rows, columns = np.nonzero(image[:, :, channel] > 1.7 * rest + 20)
        seen = [2 * columns.mean() / SIZE[0] - 1, 1 - 2 * rows.mean() / SIZE[1]]
        expected = shot.camera.project(np.array([place], float))[0]
        assert np.allclose(seen, expected, atol=0.05)


@NEEDS_POVRAY
def test_jelly_and_water_are_drawn(tmp_path):
    from PIL import Image

    recording = add_water(make_jellies(frames=2), rings, level=0.5)
    tracing.trace_picture(recording, tmp_path / "a.png", size=(96, 54), time=0.0, supersample=1)
    assert np.asarray(Image.open(tmp_path / "a.png")).std() > 5


@NEEDS_POVRAY
def test_a_film_has_all_frames(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    done = []
    tracing.trace_film(
        make_chain(frames=30),
        tmp_path / "a.gif",
        size=(64, 36),
        fps=10,
        end=0.3,
        camera="turntable",
        progress=lambda *one: done.append(one),
    )
    from PIL import Image

    assert Image.open(tmp_path / "a.gif").n_frames == 3
    assert done == [(1, 3), (2, 3), (3, 3)]


@NEEDS_POVRAY
def test_what_povray_complains_about_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(povray, "write_script", lambda plan: "sphere { nonsense }")
    with pytest.raises(SkitterError, match=r"POV-Ray could not draw frame 0: .*Error"):
        tracing.trace_picture(make_chain(frames=1), tmp_path / "a.png", size=(64, 36), time=0.0)
    assert list(tmp_path.iterdir()) == []
