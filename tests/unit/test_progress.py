"""Progress: silent for two seconds, then now and then a line with the real-time factor."""

import io
import re
import time

import pytest

from skitter import progress as module
from skitter.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests turn by hand."""
    now = [100.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def run(clock, seconds_per_frame: float, first_frame: float, frames: int, **options) -> tuple:
    stream = io.StringIO()
    progress = Progress(stream, **options)
    progress.start(0, frames, 10.0)
    for frame in range(1, frames + 1):
        clock[0] += first_frame if frame == 1 else seconds_per_frame
        progress.update(frame)
    progress.close()
    return progress, stream.getvalue()


def test_short_work_is_silent(clock):
    progress, shown = run(clock, 0.01, 0.5, 100)
    assert shown == ""
    assert progress.real_time_factor == pytest.approx(10)


def test_long_work_tells_now_and_then(clock):
    progress, shown = run(clock, 0.2, 3.0, 100)
    lines = shown.splitlines()
    assert lines == [
        "skitter: frame 11 of 100, 0.5× real time, about 18 s left",
        "skitter: frame 61 of 100, 0.5× real time, about 8 s left",
    ]
    assert progress.real_time_factor == pytest.approx(0.5)


def test_quiet_shows_nothing(clock):
    assert run(clock, 1.0, 1.0, 30, quiet=True)[1] == ""


def test_one_frame_counts_with_its_start(clock):
    progress, _ = run(clock, 1.0, 0.5, 1)
    assert progress.real_time_factor == pytest.approx(0.2)


def wait_before_a_frame(monkeypatch, *, has_kernels: bool, patience: float) -> str:
    """What is said when the first frame takes its time, with all waits made short."""
    monkeypatch.setattr(module, "DELAY", 0.01)
    monkeypatch.setattr(module, "PATIENCE", patience)
    monkeypatch.setattr(module, "has_kernels", lambda: has_kernels)
    stream = io.StringIO()
    progress = Progress(stream)
    progress.prepare()
    time.sleep(0.2)
    end = time.monotonic() + 20  # a busy machine may be late with what is to be said
    while patience < 20 and not stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    progress.close()
    return stream.getvalue()


def test_a_first_run_says_that_it_compiles_and_how_long_it_took(monkeypatch):
    said = wait_before_a_frame(monkeypatch, has_kernels=False, patience=10.0).splitlines()
    assert said[0] == "skitter: compiling for this machine, once ..."
    assert len(said) == 2
    assert re.fullmatch(r"skitter: compiled in \d+ s", said[1])


def test_kernels_that_only_load_are_not_mentioned(monkeypatch):
    assert wait_before_a_frame(monkeypatch, has_kernels=True, patience=100.0) == ""


def test_a_wait_that_lasts_is_explained_all_the_same(monkeypatch):
    said = wait_before_a_frame(monkeypatch, has_kernels=True, patience=0.05)
    assert said.startswith("skitter: compiling")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run_in_terminal(clock, monkeypatch, terminal: str) -> str:
    monkeypatch.setenv("TERM", terminal)
    stream = Terminal()
    progress = Progress(stream)
    progress.start(0, 20, 10.0)
    for frame in range(1, 21):
        clock[0] += 0.5
        progress.update(frame)
    progress.close()
    return stream.getvalue()


def test_a_terminal_gets_a_bar_that_vanishes(clock, monkeypatch):
    shown = run_in_terminal(clock, monkeypatch, "xterm")
    assert "real time" in shown
    assert "\nskitter" not in shown


def test_a_dumb_terminal_gets_lines(clock, monkeypatch):
    """It cannot take anything back, so a bar would never be shown there."""
    lines = run_in_terminal(clock, monkeypatch, "dumb").splitlines()
    assert lines == ["skitter: frame 5 of 20, 0.2× real time, about 8 s left"]
