"""The studio in a real browser: what a person does, and what they see.

Pictures of every step are kept in out/test-pictures. The browser draws in software, about one
picture a second, so every wait is patient.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("playwright")

from browser import PATIENCE, Window, open_browser
from playwright.sync_api import Browser, expect
from studios import PLAIN, live_studio, replay_studio, wait_until

import skitter
from skitter.view.guard.token import REFUSAL
from skitter.view.html import save_html
from skitter.view.live import LiveSession
from skitter.view.overlays import LABELS
from skitter.view.studio import Studio

pytestmark = [pytest.mark.serial, pytest.mark.slow]
NOTICED = 12  # of 255: a pixel that differs more has changed


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with live_studio(PLAIN, tmp_path) as opened:
        yield opened


def open_window(browser: Browser, studio: Studio) -> Window:
    window = Window(browser, studio.address)
    wait_until(lambda: studio.updates > 0, "the page is sent moments")
    wait_for_picture(window)
    window.close_notices()
    return window


def wait_for_picture(window: Window) -> np.ndarray:
    """Until something is drawn: a first picture is blank."""
    for _ in range(180):
        picture = window.look()
        if picture.std() > 6:
            return picture
        time.sleep(0.5)
    raise AssertionError("nothing is drawn")


def wait_for_change(window: Window, before: np.ndarray) -> np.ndarray:
    """Where the canvas has changed [row, column]."""
    for _ in range(120):
        changed = np.abs(window.look().astype(int) - before.astype(int)).max(axis=2) > NOTICED
        if changed.mean() > 0.002:
            return changed
        time.sleep(0.5)
    raise AssertionError("the picture does not change")


def wait_for_rest(window: Window) -> np.ndarray:
    """Until two pictures in a row are the same."""
    before = window.look()
    for _ in range(90):
        time.sleep(1)
        after = window.look()
        if (after == before).all():
            return after
        before = after
    raise AssertionError("the picture does not come to rest")


def stays_for_two_seconds(window: Window) -> bool:
    """Whether a picture at rest is the same later: a page that is slow may meanwhile draw the same
    things coarser or finer."""
    before = wait_for_rest(window)
    time.sleep(2)
    return bool((window.look() == before).all())


def finish(window: Window) -> None:
    window.close()
    assert window.complaints == []


def live_of(studio: Studio) -> LiveSession:
    assert studio.live is not None
    return studio.live


def head_of(studio: Studio) -> np.ndarray:
    return np.asarray(live_of(studio).world.creatures[0].position, float)


def ahead_of(studio: Studio) -> np.ndarray:
    """Where its head points, level."""
    points = studio.poses["one"].body_position
    ahead = (points[0] - points[3]) * [1, 0, 1]
    return np.asarray(ahead / np.linalg.norm(ahead), float)


def test_page_opens_and_the_creature_moves(browser: Browser, studio: Studio) -> None:
    window = open_window(browser, studio)
    rest(window, studio)
    studio.follows = "nothing"
    before, first = window.look(), head_of(studio)
    middle = studio.poses["one"].body_position.mean(axis=0)
    x, y = window.place_of(studio, middle)
    studio.session.go()
    wait_until(lambda: np.linalg.norm(head_of(studio) - first) > 4, "it walks")
    rest(window, studio)
    window.keep("moves")
    changed = np.abs(window.look().astype(int) - before.astype(int)).max(axis=2) > NOTICED
    assert changed.mean() > 0.005
    rows, columns = np.nonzero(changed)
    assert np.median(np.hypot(rows - y, columns - x)) < 120, "what changed is where it is"
    finish(window)


def test_the_address_works_again_and_only_with_its_token(browser: Browser, studio: Studio) -> None:
    window = open_window(browser, studio)
    assert window.page.evaluate("document.cookie") == "", "scripts cannot read it"
    window.page.reload()
    window.page.wait_for_selector("canvas", state="attached")
    updates = studio.updates
    wait_until(lambda: studio.updates > updates + 3, "the page is sent moments again")
    assert "token=" in window.page.url
    bare = studio.address.partition("?")[0]
    stranger = browser.new_page()  # with cookies of its own: none
    assert stranger.goto(bare).status == 403
    expect(stranger.locator("body")).to_have_text(REFUSAL.strip())
    stranger.close()
    window.page.goto(bare)  # the cookie is enough
    window.page.wait_for_selector("canvas", state="attached")
    updates = studio.updates
    wait_until(lambda: studio.updates > updates + 3, "and so it is without the address")
    finish(window)


def place_near(window: Window, studio: Studio) -> np.ndarray:
    """A place on the ground near the head that can be seen, and clicked on."""
    ahead = ahead_of(studio)
    right = np.array([-ahead[2], 0.0, ahead[0]])
    height, width = window.look().shape[:2]
    for forward, side in ((5, 0), (4, 3), (2, 4), (0, 5), (-2, 5), (-4, 5)):
        place = head_of(studio) * [1, 0, 1] + forward * ahead + side * right
        x, y = window.place_of(studio, place)
        if 30 < x < width - 30 and 30 < y < height - 30:
            return np.asarray(place)
    raise AssertionError("nothing near the head is in the picture")


def hold_at_the_start(studio: Studio) -> None:
    """Where it stands is then the same in every run, and so is where a click goes."""
    live_of(studio).pause()
    live_of(studio).reset()
    wait_until(lambda: studio.session.generation == 2, "the start again")


def rest(window: Window, studio: Studio) -> np.ndarray:
    """Pause, and wait until all of it is drawn."""
    studio.session.pause()
    return wait_for_rest(window)


def test_a_click_places_food_that_is_eaten(browser: Browser, studio: Studio) -> None:
    live = live_of(studio)
    hold_at_the_start(studio)
    window = open_window(browser, studio)
    rest(window, studio)
    place = place_near(window, studio)
    window.click_at(studio, place)
    wait_until(lambda: live.world.things.left.sum() == 1, "there is food")
    found = live.world.things.food[live.world.things.left > 0][0]
    assert np.linalg.norm((found[:3] - place) * [1, 0, 1]) < 1.5
    picture = wait_for_rest(window)
    window.keep("food")
    x, y = (round(value) for value in window.place_of(studio, found[:3]))
    red, green, blue = picture[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3).mean(axis=0)
    assert green > 1.2 * red and green > 1.2 * blue, "it can be seen"
    live.go()
    wait_until(lambda: live.world.creatures[0].food_eaten == 1, "it is eaten")
    finish(window)


def test_pause_holds_the_state_and_steps(browser: Browser, studio: Studio) -> None:
    live = live_of(studio)
    window = open_window(browser, studio)
    window.page.get_by_role("button", name="Pause").click()
    wait_until(lambda: live.paused, "it is paused")
    wait_for_rest(window)
    frame = live.world.frame
    assert any(stays_for_two_seconds(window) for _ in range(10)), "the picture stands still"
    assert live.world.frame == frame
    window.page.get_by_role("button", name="One frame").click()
    wait_until(lambda: live.world.frame == frame + 1, "one frame more")
    window.page.get_by_role("button", name="Go on").click()
    wait_until(lambda: live.world.frame > frame + 5, "it goes on")
    finish(window)


def test_control_turns_it(browser: Browser, studio: Studio) -> None:
    live = live_of(studio)
    window = open_window(browser, studio)
    window.page.get_by_role("tab", name="Touch").click()
    window.page.get_by_role("button", name="Take control").click()
    wait_until(lambda: live.world.creatures[0].is_puppet, "it is a puppet")
    time.sleep(1)
    before = ahead_of(studio)
    window.page.keyboard.press("j")
    wait_until(lambda: turned_left(before, ahead_of(studio)) > 0.2, "it has turned left")
    window.keep("control")
    window.page.get_by_role("button", name="Let go").click()
    wait_until(lambda: not live.world.creatures[0].is_puppet, "it is free again")
    finish(window)


def turned_left(before: np.ndarray, after: np.ndarray) -> float:
    """Angle from one heading to another seen from above, rad; left is positive."""
    sine = before[2] * after[0] - before[0] * after[2]
    return float(np.arctan2(sine, before @ after))


def choose(window: Window, label: str, option: str) -> None:
    """An option of a dropdown."""
    window.page.get_by_label(label, exact=True).first.click()
    window.page.get_by_role("option", name=option, exact=True).click()


def shapes_of(studio: Studio) -> np.ndarray:
    """Which obstacles are there, by slot."""
    return np.asarray(studio.session.frames().frame(-1)["obstacle_shape"])


def test_a_post_is_put_up_dragged_and_removed(browser: Browser, studio: Studio) -> None:
    hold_at_the_start(studio)
    window = open_window(browser, studio)
    rest(window, studio)
    window.page.get_by_role("tab", name="Touch").click()
    choose(window, "Tool", "post")
    wait_until(lambda: studio.tool == "post", "the tool is another")
    place = place_near(window, studio)
    window.click_at(studio, place)
    wait_until(lambda: shapes_of(studio).sum() == 3, "a post stands")
    wait_for_rest(window)
    slot = int(np.flatnonzero(shapes_of(studio))[0])
    before = studio.session.frames().frame(-1)["obstacle_position"][slot].copy()
    window.drag(window.place_of(studio, before), (-40.0, 15.0))
    moved = lambda: studio.session.frames().frame(-1)["obstacle_position"][slot]  # noqa: E731
    wait_until(lambda: np.linalg.norm(moved() - before) > 0.5, "it has been dragged")
    wait_for_rest(window)
    window.keep("dragged")
    choose(window, "Tool", "remove")
    wait_until(lambda: studio.tool == "remove", "the tool is another")
    window.click_at(studio, moved())
    wait_until(lambda: shapes_of(studio).sum() == 0, "it is gone")
    finish(window)


def test_a_slider_tunes_the_walk(browser: Browser, studio: Studio) -> None:
    live = live_of(studio)
    window = open_window(browser, studio)
    window.page.get_by_role("tab", name="Tune").click()
    window.page.get_by_role("slider").first.press("Home")
    wait_until(lambda: live.world.creatures[0].species.walk.speed < 1, "it is slow now")
    window.keep("tune")
    finish(window)


def test_another_scene_of_the_list(browser: Browser, studio: Studio) -> None:
    live = live_of(studio)
    window = open_window(browser, studio)
    window.page.get_by_label("Scene").first.click()
    window.page.get_by_role("option", name="jelly_drop").click()
    wait_until(lambda: live.world.scene.name == "jelly_drop", "the scene is another")
    wait_until(lambda: live.generation == 2, "it is there")
    time.sleep(4)
    wait_for_picture(window)
    window.keep("scene")
    finish(window)


def test_what_helps_to_understand(browser: Browser, studio: Studio) -> None:
    window = open_window(browser, studio)
    window.page.get_by_role("tab", name="Understand").click()
    for label in ("Legs in these colours", "Antenna rays", "Targets", "Normals", "Contact points"):
        window.page.get_by_label(label).check()
    wait_until(lambda: len(studio.overlays) == 4 and studio.paint_legs, "all are asked for")
    time.sleep(5)
    window.keep("understand")
    assert studio.session.message == ""
    finish(window)


def put_down(species: str) -> dict[str, object]:
    """One of a species alone on a plane."""
    creature = {"species": species, "name": "one"}
    return {"title": "Alone", "terrain": [{"shape": "plane"}], "creatures": [creature]}


TOUCHES = {"normals", "contact points"}
FAMILIES = {  # a scene of each, the overlays that show something in it, those that never can
    "myriapod": (PLAIN, {"antenna rays", "targets", *TOUCHES}, "field of view"),
    "swimmer": ("swimmer", {"targets", "field of view"}, "antenna rays"),
    "worm": ("worm_muscles", TOUCHES, "antenna rays, targets, field of view"),
    "articulated": ("roach_tripod", TOUCHES, "antenna rays, targets, field of view"),
    "climber": ("tarantula", {"targets", *TOUCHES}, "antenna rays, field of view"),
    "object": (put_down("block"), TOUCHES, "antenna rays, targets, field of view"),
    "figure": (put_down("jelly_cube"), TOUCHES, "antenna rays, targets, field of view"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_overlays_of_every_family(browser: Browser, tmp_path: Path, family: str) -> None:
    """Each overlay that has something to show changes the picture of a world that is paused; the
    panel says which never have."""
    source, shown, blank = FAMILIES[family]
    with live_studio(source, tmp_path) as studio:
        wait_until(lambda: studio.session.now() > SETTLED.get(family, 0.2), "it has settled")
        studio.session.pause()
        window = open_window(browser, studio)
        window.page.get_by_role("tab", name="Understand").click()
        told = window.page.get_by_text("there is nothing to show for")
        expect(told).to_contain_text(f"nothing to show for: {blank}.")
        for label in LABELS:
            before = wait_for_rest(window)
            window.page.get_by_label(label.capitalize()).check()
            wait_until(lambda name=label: studio.overlays == {name}, "it is asked for")
            if label in shown:
                assert count_changes(window, before) > 20, label
            window.keep(f"overlay-{family}-{label.replace(' ', '-')}")
            window.page.get_by_label(label.capitalize()).uncheck()
            wait_until(lambda: studio.overlays == set(), "it goes")
        assert studio.session.message == ""
        finish(window)


SETTLED = {"object": 1.0, "figure": 2.0}  # s that it takes to lie on the ground


def count_changes(window: Window, before: np.ndarray) -> int:
    """Pixels of a picture at rest that differ from one before, once some do."""
    for _ in range(60):
        changed = np.abs(window.look().astype(int) - before.astype(int)).max(axis=2) > NOTICED
        if changed.sum() > 20:
            return int(changed.sum())
        time.sleep(0.5)
    return 0


def test_a_recording_is_kept_and_replayed(
    browser: Browser, studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(browser, studio)
    window.page.get_by_role("tab", name="Keep").click()
    name = window.page.locator("input:visible").nth(1)  # after that of the creature
    name.fill("walk")
    name.press("Enter")
    window.page.get_by_role("button", name="Record from here").click()
    live = live_of(studio)
    wait_until(lambda: live.take is not None and live.take.frame_count > 60, "it records")
    expect(window.page.get_by_role("button", name="Finish the recording")).to_be_visible()
    with monkeypatch.context() as patched:
        # a hand that is faster than the panel: it does not hear of the recording by itself
        patched.setattr("skitter.view.studio.SLOW_INTERVAL", 1e9)
        time.sleep(0.5)
        window.page.get_by_role("button", name="Finish the recording").click()
        wait_until(lambda: live.take is None, "it is finished")
        window.page.get_by_role("button", name="Watch the recording").click()
        wait_until(lambda: studio.replay is not None, "it is shown in the same page")
    wait_for_change(window, wait_for_picture(window))
    window.page.get_by_role("button", name="Back to the living scene").click()
    wait_until(lambda: studio.live is not None, "and the world is back")
    finish(window)
    recording = skitter.Recording.open(tmp_path / "walk")
    assert recording.frame_count > 60
    with replay_studio(recording, tmp_path) as player:
        window = open_window(browser, player)
        before = window.look()
        wait_for_change(window, before)
        window.keep("replay")
        finish(window)


def test_a_page_plays_from_the_disk(browser: Browser, tmp_path: Path) -> None:
    recording = skitter.run(PLAIN, seconds=2)
    path = save_html(recording, tmp_path / "replay.html")
    window = Window(browser, path.as_uri())
    before = wait_for_picture(window)
    wait_for_change(window, before)
    window.keep("page")
    finish(window)


def test_a_picture_is_saved(browser: Browser, studio: Studio, tmp_path: Path) -> None:
    window = open_window(browser, studio)
    window.page.get_by_role("tab", name="Keep").click()
    window.page.get_by_role("button", name="Save a picture").click()
    wait_until(lambda: any(tmp_path.glob("*.png")), "there is a picture")
    expect(window.page.get_by_text("Saved", exact=True).first).to_be_visible(timeout=PATIENCE)
    finish(window)


def test_two_windows_watch_at_once(browser: Browser, studio: Studio) -> None:
    first, second = open_window(browser, studio), open_window(browser, studio)
    for window in (first, second):
        before = window.look()
        wait_for_change(window, before)
    first.close()
    assert first.complaints == []
    wait_until(lambda: len(studio.server.get_clients()) == 1, "one is left")
    finish(second)
