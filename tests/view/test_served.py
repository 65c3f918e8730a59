"""The studio as it is served: how often moments reach a page, and what strangers can do to it."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from studios import PLAIN, live_studio, wait_until
from watcher import Watcher

import skitter
from skitter.view.studio import Studio

pytestmark = pytest.mark.serial


def count_frames(studio: Studio, seconds: float) -> float:
    """Frames of the world per second of the clock."""
    assert studio.live is not None
    first, start = studio.live.world.frame, time.monotonic()
    time.sleep(seconds)
    return (studio.live.world.frame - first) / (time.monotonic() - start)


def test_thirty_moments_a_second_reach_a_page_in_real_time(tmp_path: Path) -> None:
    """The best of some tries: the machine is shared, and a page that is drawn is not meant here."""
    with live_studio(PLAIN, tmp_path, shadows=True) as studio, Watcher(studio.address) as watcher:
        wait_until(lambda: studio.updates > 10, 30, "the page is sent moments")
        rates, frames = [], []
        for _ in range(5):
            first, start = studio.live.world.frame, time.monotonic()  # type: ignore[union-attr]
            rates.append(watcher.rate(3.0))
            done = studio.live.world.frame - first  # type: ignore[union-attr]
            frames.append(done / (time.monotonic() - start))
            if max(rates) >= 30 and max(frames) >= 0.97 * 60:
                return
        raise AssertionError(f"updates/s {rates}, frames/s {frames}, asked for 30 and 60")


def start_attack(url: str, seed: int) -> subprocess.Popen[str]:
    """2,000 malformed messages from another process."""
    code = f"from hostile import send_garbage; print(send_garbage({url!r}, 2000, {seed}))"
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
    )


def test_two_thousand_malformed_messages_change_nothing(tmp_path: Path) -> None:
    """Frames per second with a hostile client, of those without, side by side."""
    with live_studio(PLAIN, tmp_path) as studio, Watcher(studio.address) as watcher:
        live = studio.live
        assert live is not None
        live.set_speed(8.0)  # as fast as it can: nothing is hidden by waiting
        wait_until(lambda: studio.updates > 10, 30, "the page is sent moments")
        ratios = []
        for attempt in range(5):
            before = count_frames(studio, 2.0)
            enemy = start_attack(studio.address.replace("http", "ws"), attempt)
            during = count_frames(studio, 4.0)
            sent, _ = enemy.communicate(timeout=60)
            assert int(sent) > 0
            ratios.append(during / before)
            if ratios[-1] > 0.9:
                break
        assert max(ratios) > 0.9, ratios
        seen = watcher.windows
        wait_until(lambda: watcher.windows > seen + 10, 10, "the page is still served")
        assert live.message == ""


def test_a_page_that_leaves_leaves_nothing(tmp_path: Path) -> None:
    with live_studio(PLAIN, tmp_path) as studio:
        for _ in range(3):
            with Watcher(studio.address):
                wait_until(lambda: len(studio.server.get_clients()) == 1, 10, "it is there")
            wait_until(lambda: len(studio.server.get_clients()) == 0, 10, "it is gone")
        updates = studio.updates
        time.sleep(0.5)
        assert studio.updates <= updates + 1, "nothing is shown to nobody"
    names = [thread.name for thread in threading.enumerate()]
    assert not {"world", "studio"} & set(names)


def test_a_recording_that_cannot_be_shown_changes_nothing(tmp_path: Path) -> None:
    recording = skitter.run(PLAIN, seconds=0.1)
    recording.attributes["scene"]["terrain"][0]["shape"] = "hole"
    with live_studio(PLAIN, tmp_path) as studio, Watcher(studio.address):
        wait_until(lambda: studio.updates > 3, 30, "the page is sent moments")
        studio.watch(recording)
        time.sleep(1.0)
        live = studio.live
        assert live is not None
        frame, updates = live.world.frame, studio.updates
        wait_until(lambda: live.world.frame > frame + 5, 10, "the world runs on")
        wait_until(lambda: studio.updates > updates + 5, 10, "and is shown")
