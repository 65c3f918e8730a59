"""A world that runs in its thread: what is asked for happens, mistakes are told, all is kept."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from studios import PLAIN, wait_until

import skitter
from skitter.events import AddCreature, PlaceFood, Poke, SetParameter, Steer
from skitter.scene.load import load_scene
from skitter.scene.spec import CreaturePlacement
from skitter.view import room
from skitter.view.live import LiveSession


@pytest.fixture
def live() -> Iterator[LiveSession]:
    session = LiveSession(load_scene(PLAIN))
    session.start()
    yield session
    session.close()


def wait_frames(live: LiveSession, count: int) -> None:
    goal = live.world.frame + count
    wait_until(lambda: live.world.frame >= goal, f"{count} frames")


def stands_still(live: LiveSession) -> bool:
    """No frame is added for a while."""
    frame = live.world.frame
    threading.Event().wait(0.3)
    return live.world.frame == frame


def test_time_runs_and_pauses(live: LiveSession) -> None:
    wait_frames(live, 5)
    live.pause()
    wait_until(lambda: live.paused, "paused")
    wait_until(lambda: stands_still(live), "the last frame is done")
    frame = live.world.frame
    assert stands_still(live)
    live.step()
    wait_until(lambda: live.world.frame == frame + 1, "one frame")
    threading.Event().wait(0.2)
    assert live.world.frame == frame + 1
    live.go()
    wait_frames(live, 5)


def test_the_moment_lies_between_the_last_two_frames(live: LiveSession) -> None:
    wait_frames(live, 10)
    for _ in range(50):
        view = live.view()
        assert view.frames.time[0] <= view.moment <= view.frames.time[-1]
        threading.Event().wait(0.005)


def test_the_same_seed_gives_the_same_walk_as_a_run(live: LiveSession) -> None:
    live.pause()
    live.reset(3)
    wait_until(lambda: live.generation == 2, "reset")
    for _ in range(20):
        live.step()
    wait_until(lambda: live.world.frame == 20, "twenty frames")
    run = skitter.run(PLAIN, seconds=20 / 60, seed=3)
    assert (live.frames().frame(-1)["one.leg_point"] == run["one.leg_point"][-1]).all()


def test_events_and_mistakes(live: LiveSession) -> None:
    live.post(Steer("one", 4.0, 0.2))
    wait_until(lambda: live.world.creatures[0].is_puppet, "steered")
    live.post(Steer("nobody", 4.0, 0.2))
    wait_until(lambda: "nobody" in live.message, "the mistake is told")
    frame = live.world.frame
    wait_until(lambda: live.world.frame > frame + 5, "and the world runs on")
    live.post(SetParameter("one", "walk.speed", 5.0))
    wait_until(lambda: live.message == "", "what works clears the message")


def test_food_can_be_seen_while_paused(live: LiveSession) -> None:
    live.pause()
    wait_until(lambda: stands_still(live), "the last frame is done")
    version = live.version
    live.post(PlaceFood((3.0, 0.0, 3.0)))
    wait_until(lambda: live.version > version, "a frame with the food")
    assert live.frames().frame(-1)["food_left"].sum() == 1


def test_a_dropped_creature_lands_and_walks(live: LiveSession) -> None:
    place = CreaturePlacement(species="robot", at=(0.0, 6.0, 15.0), start="free")
    live.post(AddCreature(place))
    wait_until(lambda: live.generation == 2, "the cast is another")
    names = [one["name"] for one in live.recording().creatures]
    assert names == ["one", "robot"]
    live.set_speed(4.0)
    wait_until(lambda: live.world.time > 4, "some seconds")
    state = live.frames().frame(-1)["robot.segment_supported"]
    assert state.mean() > 0.6, live.message


def test_pages_are_told_what_they_took_and_that_there_is_no_room(
    live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_CREATURES", 2)
    monkeypatch.setattr(room, "FULL", 1e9)
    wait_frames(live, 3)
    place = CreaturePlacement(species="jelly_cube", at=(0.0, 8.0, 12.0))
    taken: list[float] = []
    live.post(AddCreature(place), taken.append)
    wait_until(lambda: live.generation == 2, "the cast is another")
    wait_until(lambda: len(taken) == 1 and 0 < taken[0] < 60, "what it took is told")
    live.view().charge(3.5)
    assert taken[1:] == [3.5], "and so is what it takes to show"
    live.post(AddCreature(place), taken.append)
    wait_until(lambda: "remove one first" in live.message, "it is told")
    assert live.message == (
        "there are 2 creatures, and a living world takes no more than 2; remove one first"
    )
    assert len(live.world.creatures) == 2
    live.reset(charge=taken.append)
    wait_until(lambda: live.generation == 3, "the start again")
    wait_until(lambda: len(taken) == 4, "a reset is told as well")


def test_a_poke_is_survived(live: LiveSession) -> None:
    wait_frames(live, 10)
    live.post(Poke("one", tuple(live.world.creatures[0].position), (40.0, 20.0, 80.0)))
    wait_frames(live, 60)
    assert live.message == ""


def test_another_scene_and_a_wrong_one(live: LiveSession) -> None:
    live.load("nonsense")
    wait_until(lambda: "nonsense" in live.message, "the mistake is told")
    wait_frames(live, 3)
    live.load("jelly_drop")
    wait_until(lambda: live.world.scene.name == "jelly_drop", "the scene is another")
    wait_frames(live, 3)


def test_a_take_is_a_recording(live: LiveSession, tmp_path: Path) -> None:
    live.record(tmp_path / "take")
    wait_until(lambda: live.take is not None and live.take.frame_count > 30, "thirty frames")
    live.post(PlaceFood((3.0, 0.0, 3.0)))
    wait_frames(live, 10)
    live.finish()
    wait_until(lambda: live.take is None, "finished")
    recording = skitter.Recording.open(tmp_path / "take")
    assert recording.frame_count > 40
    assert recording.attributes["live"] is True
    assert np.asarray(recording["food_left"][0]).sum() == 0
    assert np.asarray(recording["food_left"][-1]).sum() == 1
    assert np.diff(recording.time) == pytest.approx(1 / 60)
    assert "one.phase_lag" in recording.measure()


def test_a_new_cast_ends_a_take_without_loss(live: LiveSession, tmp_path: Path) -> None:
    live.record(tmp_path / "take")
    wait_until(lambda: live.take is not None and live.take.frame_count > 10, "ten frames")
    live.post(AddCreature(CreaturePlacement(species="jelly_cube", at=(0.0, 8.0, 12.0))))
    wait_until(lambda: live.take is None, "the take has ended")
    assert skitter.Recording.open(tmp_path / "take").frame_count > 10
    wait_until(lambda: "recording" in live.message, "which is told")


def test_closing_finishes_the_take_and_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    session = LiveSession(load_scene(PLAIN))
    session.start()
    session.record(tmp_path / "take")
    wait_until(lambda: session.take is not None and session.take.frame_count > 5, "frames")
    session.close()
    assert skitter.Recording.open(tmp_path / "take").frame_count > 5
    wait_until(lambda: threading.active_count() <= before, "no thread is left")


def test_a_scene_of_ones_own_can_be_gone_back_to(live: LiveSession) -> None:
    live.pause()
    live.load("jelly_drop")
    wait_until(lambda: live.world.scene.name == "jelly_drop", "the scene is another")
    wait_frames(live, 2)
    live.load("scene")
    wait_until(lambda: live.world.creatures[0].name == "one", "one's own again")


def test_many_resets_are_one(live: LiveSession) -> None:
    for seed in range(40):
        live.reset(seed)
    wait_until(lambda: live.seed == 39, "the last one")
    assert live.generation < 20
