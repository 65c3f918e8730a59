"""Recordings of a world that somebody changed while it ran: things frame by frame."""

import numpy as np
import pytest

import skitter
from skitter.errors import UserError
from skitter.events import MoveThing, PlaceFood, PlaceObstacle, RemoveThing
from skitter.look.scenery import list_obstacles, open_food, open_obstacles, outline_scenery
from skitter.record import Recording, RecordingWriter
from skitter.rotation import matrix_from_turn
from skitter.world import World

BLUE = "#2040ff"
BOX = {"shape": "box", "at": [0, 1, -4], "size": [1, 2, 3], "turn_deg": [10, 90, -40]}
POST = {
    "shape": "cylinder",
    "at": [-2, 1, 3],
    "radius": 0.7,
    "length": 2.5,
    "turn_deg": [0, 20, 70],
}
BALL = {"shape": "sphere", "at": [1, 1, -3], "radius": 1.2, "colour": BLUE}
SCENE = {
    "title": "t",
    "terrain": [{"shape": "plane"}],
    "creatures": [{"species": "pauropod", "name": "one", "commands": [{}]}],
    "obstacles": [BOX],
    "food": [{"at": [8, 0, 4]}],
}
EVENTS = {
    2: [PlaceObstacle(POST), PlaceFood((2, 0, 3), radius=0.5)],
    4: [PlaceObstacle(BALL), MoveThing("obstacle", 1, (7, 1, 3))],
    6: [RemoveThing("obstacle", 2), RemoveThing("food", 1)],
}


def write_live(folder) -> Recording:
    """Ten frames in which things come and go."""
    world = World.from_scene(SCENE, spare=3)
    attributes = world.attributes() | {"live": True}
    writer = RecordingWriter.create(folder, world.channels(), world.statics(), attributes, 60.0)
    with writer:
        for frame in range(10):
            for event in EVENTS.get(frame, ()):
                world.apply(event)
            world.advance()
            writer.append(world.time, world.read())
    return Recording.open(folder)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    return write_live(tmp_path_factory.mktemp("live") / "r")


def at_frame(recording, frame: int) -> float:
    return float(recording.time[frame])


def test_things_are_channels_and_nothing_of_them_is_said_once(live):
    assert live["obstacle_shape"].shape == (10, 4) and live["food_left"].shape == (10, 4)
    assert live["obstacle_shape"][0].tolist() == [1, 0, 0, 0]
    assert live["obstacle_shape"][5].tolist() == [1, 3, 2, 0]
    assert live["food_left"][2].tolist() == [1, 1, 0, 0]
    assert live["food_left"][9].tolist() == [1, 0, 0, 0]
    assert live.attributes["obstacles"] == [] == list_obstacles(live)
    with pytest.raises(UserError, match="has no static 'food_position'"):
        live.static("food_position")
    pytest.importorskip("xarray")
    assert live.dataset()["obstacle_orientation"].dims == ("time", "obstacle", "wxyz")


def test_obstacles_read_back_are_those_placed(live):
    obstacles = open_obstacles(live)
    (box,) = obstacles.pieces_at(at_frame(live, 1))
    assert box["shape"] == "box" and box["size"] == pytest.approx(BOX["size"])
    turn = matrix_from_turn(box["turn_deg"])
    assert turn == pytest.approx(matrix_from_turn(BOX["turn_deg"]), abs=1e-5)
    _, post, ball = obstacles.pieces_at(at_frame(live, 5))
    assert post["at"] == pytest.approx([7, 1, 3])
    assert (post["radius"], post["length"]) == pytest.approx((0.7, 2.5))
    turn = matrix_from_turn(post["turn_deg"])
    assert turn == pytest.approx(matrix_from_turn(POST["turn_deg"]), abs=1e-5)
    assert (ball["shape"], ball["colour"]) == ("sphere", BLUE)
    assert ball["radius"] == pytest.approx(1.2)
    assert len(obstacles.pieces_at(99.0)) == 2


def test_food_read_back_is_what_lies_there(live):
    food = open_food(live)
    assert food.balls_at(at_frame(live, 0))[:, 3] == pytest.approx([0.4, 0, 0, 0])
    balls = food.balls_at(at_frame(live, 3))
    assert balls[1] == pytest.approx([2, 0.45, 3, 0.5])
    assert np.array_equal(food.at(0.0).triangles, food.at(1.0).triangles)
    assert food.left_at(1.0).tolist() == [True, False, False, False]


def test_the_outline_has_all_that_was_ever_there(live):
    points = outline_scenery(live)
    assert points[:, 0].max() == pytest.approx(8.4, abs=0.1)  # the post, moved
    assert points[:, 1].max() > 2  # the ball's top
    assert points[:, 1].min() > -1.5  # not what is not there


def test_readers_are_the_same_for_things_that_stay(tmp_path):
    recording = skitter.run(SCENE, seconds=0.05, output=tmp_path / "r")
    obstacles, food = open_obstacles(recording), open_food(recording)
    assert not obstacles.moves and obstacles.pieces_at(0.0) == list_obstacles(recording)
    assert food.balls_at(0.0) == pytest.approx(np.array([[8, 0.36, 4, 0.4]]))


def test_without_spare_slots_a_recording_is_as_it_was():
    world = World.from_scene(SCENE)
    names = [channel.name for channel in world.channels() if not channel.name.startswith("one.")]
    statics = [static.name for static in world.statics() if not static.name.startswith("one.")]
    assert names == ["food_left"] and statics == ["food_position", "food_radius"]
    assert world.attributes()["obstacles"][0]["size"] == [1, 2, 3]


def test_pictures_show_things_as_they_are_at_the_time(live, tmp_path):
    pytest.importorskip("vtkmodules")
    image = pytest.importorskip("PIL.Image")
    from skitter.render import render_picture

    def count_blue(frame: int) -> int:
        path = tmp_path / "picture.png"
        time = at_frame(live, frame)
        render_picture(live, path, size=(256, 144), time=time, supersample=1)
        pixels = np.asarray(image.open(path)).astype(float)
        return int(np.sum(pixels[:, :, 2] > pixels[:, :, 0] + 60))

    assert count_blue(3) == 0 < 200 < count_blue(5)


def test_a_film_shows_things_come_and_go(live, tmp_path):
    pytest.importorskip("vtkmodules")
    pytest.importorskip("PIL")
    from PIL import Image, ImageSequence

    from skitter.render import render_video

    render_video(live, tmp_path / "film.gif", size=(160, 90), fps=30.0)
    with Image.open(tmp_path / "film.gif") as film:
        frames = [np.asarray(one.convert("RGB"), float) for one in ImageSequence.Iterator(film)]
    blue = [int(np.sum(frame[:, :, 2] > frame[:, :, 0] + 60)) for frame in frames]
    assert blue[0] == 0 and max(blue) > 50 and blue[-1] == 0


def test_a_live_recording_cannot_be_continued(live):
    with pytest.raises(UserError, match="was recorded live, and what was done then cannot be"):
        skitter.run(SCENE, output=live.path, resume=True)
