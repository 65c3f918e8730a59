"""Requests to end: which signals count, when they are heard, and what a shell is told."""

import errno
import os
import shutil
import signal
import threading
import time
import weakref
from pathlib import Path

import pytest
from fake_world import install_fake_world

from skitter.cli import main
from skitter.endings import (
    SIGNALS,
    Stopped,
    end_without_a_word,
    ending_at_once,
    ending_later,
    find_exit_code,
)
from skitter.record import Recording, files
from trees import read_tree

CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}  # what shells report of killed programs
PRESENT = [name for name in CODES if hasattr(signal, name)]
RUN = ["run", "falling_chain", "--seconds", "1", "-o"]


@pytest.fixture(autouse=True)
def handlers():
    """No test leaves a handler behind."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    after = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        signal.signal(number, handler)
    assert after == before


@pytest.fixture
def world(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return install_fake_world(monkeypatch)


@pytest.mark.parametrize("name", PRESENT)
def test_every_request_ends_a_run_as_ctrl_c_does(capsys, world, name):
    number = getattr(signal, name)
    assert main([*RUN, "whole"]) == 0
    world.on_frame = staticmethod(lambda frame: frame == 20 and signal.raise_signal(number))
    capsys.readouterr()
    assert main([*RUN, "out"]) == CODES[name]
    assert capsys.readouterr().err == (
        "skitter: stopped at frame 20 of 60; what was recorded is kept in out,"
        " and --resume continues it\n"
    )
    assert Recording.open("out").frame_count == 21
    assert not [path for path in read_tree(Path("out")) if path.endswith(".tmp")]
    world.on_frame = staticmethod(lambda frame: None)
    assert main([*RUN, "out", "--resume"]) == 0
    assert read_tree(Path("out")) == read_tree(Path("whole"))


@pytest.mark.parametrize("name", PRESENT)
def test_a_request_before_the_first_frame_leaves_nothing(capsys, world, tmp_path, name):
    number = getattr(signal, name)
    world.on_frame = staticmethod(lambda frame: frame == 1 and signal.raise_signal(number))
    assert main([*RUN, "out"]) == CODES[name]
    assert capsys.readouterr().err == "skitter: stopped\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", PRESENT)
def test_a_request_in_the_last_frame_is_not_lost(capsys, world, name):
    number = getattr(signal, name)
    world.on_frame = staticmethod(lambda frame: frame == 60 and signal.raise_signal(number))
    assert main([*RUN, "out"]) == CODES[name]
    assert "stopped at frame 60 of 60" in capsys.readouterr().err
    assert Recording.open("out").frame_count == 61


# --- true words when the folder of a running recording is lost ----------------------------------


def lose(capsys, world, trouble) -> str:
    """The line of a run that meets with trouble at frame 20."""
    world.on_frame = staticmethod(lambda frame: frame == 20 and trouble())
    assert main([*RUN, "out"]) == 2
    output, errors = capsys.readouterr()
    assert output == "" and errors.count("\n") == 1
    return errors


def test_a_deleted_folder_is_told_as_lost(capsys, world):
    line = lose(capsys, world, lambda: shutil.rmtree("out"))
    assert "cannot write frame 20 of the recording" in line
    gone = "the directory is gone, deleted or moved during the run, and its 20 frames with it"
    assert gone in line and "safe" not in line
    assert not Path("out").exists()


def test_a_moved_folder_keeps_what_was_in_it(capsys, world):
    line = lose(capsys, world, lambda: Path("out").rename("elsewhere"))
    assert "the directory is gone, deleted or moved during the run" in line
    assert Recording.open("elsewhere").frame_count == 20


def test_a_folder_that_was_emptied_is_told_as_lost(capsys, world):
    def empty() -> None:
        shutil.rmtree("out")
        Path("out").mkdir()

    line = lose(capsys, world, empty)
    assert "frames are lost or damaged: the recording" in line and "is missing" in line
    assert "safe" not in line


def test_a_deleted_array_is_told_as_lost(capsys, world):
    array = "point.height"
    line = lose(capsys, world, lambda: shutil.rmtree(Path("out") / array))
    assert f"frames are lost or damaged: the recording {Path('out').absolute()} is damaged" in line
    assert array in line and "safe" not in line


def test_a_folder_that_is_made_unwritable_keeps_its_frames(capsys, world, monkeypatch):
    """Root may write anywhere, so the refusal is made up."""

    def refuse(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    line = lose(capsys, world, lambda: monkeypatch.setattr(files, "open_in_place", refuse))
    assert line.endswith("Permission denied; its first 20 frames are safe\n")
    assert Recording.open("out").frame_count == 20


def test_windows_has_no_hangup():
    """What is not there is not asked for."""
    assert {signal.SIGINT, signal.SIGTERM} <= {*SIGNALS}
    assert len(SIGNALS) == len(PRESENT)


def test_requests_are_raised_or_noted():
    with pytest.raises(Stopped) as caught, ending_at_once():
        signal.raise_signal(signal.SIGTERM)
    assert find_exit_code(caught.value) == 143
    with ending_later() as ending:
        assert not ending.is_asked() and not ending.wait(0.0)
        signal.raise_signal(signal.SIGTERM)
        assert ending.wait(0.0) and ending.number == signal.SIGTERM
    assert find_exit_code(KeyboardInterrupt()) == 130


def test_a_request_stays_one_whatever_a_library_makes_of_it():
    """pydantic, asked to stop while it builds a validator, raises an error of its own."""
    with pytest.raises(Stopped) as caught, ending_at_once():
        try:
            signal.raise_signal(signal.SIGTERM)
        except Stopped as error:
            raise ValueError(str(error)) from None
    assert find_exit_code(caught.value) == 143
    with pytest.raises(ValueError), ending_at_once():
        raise ValueError("its own")


class Vanishing:
    """What a weak reference looks at."""


def swallow(number: int) -> None:
    """Let a signal arrive inside a callback of a weak reference, where nothing can be raised."""
    thing = Vanishing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(number))
    del thing
    assert reference() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_python_swallows_is_raised_a_moment_later(number, capfd):
    with pytest.raises(Stopped) as caught, ending_at_once():
        swallow(number)
        time.sleep(10)
    assert caught.value.number == number
    assert capfd.readouterr().err == ""


def test_a_request_swallowed_just_before_frames_is_noted_once(capfd):
    """Asked again, it is not taken for a second Ctrl-C."""
    with ending_at_once():
        swallow(signal.SIGINT)
        with ending_later() as ending:
            time.sleep(0.1)
            assert ending.is_asked()
    assert capfd.readouterr().err == ""


def test_another_error_while_a_request_is_swallowed_stays_itself():
    with pytest.raises(ValueError), ending_at_once():
        swallow(signal.SIGTERM)
        raise ValueError("its own")
    time.sleep(0.1)  # and nothing comes after it


def test_a_request_swallowed_at_the_very_end_is_raised_there():
    with pytest.raises(Stopped), ending_at_once():
        swallow(signal.SIGTERM)


def test_a_second_ctrl_c_stops_at_once_and_a_repeated_signal_does_not():
    """A shell passes on the SIGHUP that its jobs have got from the terminal already."""
    with ending_later() as ending:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert ending.is_asked()
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGINT)
        assert ending.number == signal.SIGTERM
    with ending_at_once(), pytest.raises(Stopped):
        with ending_later():
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # while all is put away
        signal.raise_signal(signal.SIGINT)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="has no SIGHUP")
def test_nohup_keeps_a_run_alive():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_at_once(), ending_later() as ending:
            signal.raise_signal(signal.SIGHUP)
            assert not ending.is_asked()
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_leave_signals_alone():
    before, found = signal.getsignal(signal.SIGTERM), []

    def look():
        with ending_later() as ending:
            found.append((ending.is_asked(), signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [(False, before)]


def test_those_who_work_for_others_end_as_the_system_does():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    end_without_a_word()
    assert {signal.getsignal(number) for number in SIGNALS} == {signal.SIG_DFL}
    for number, handler in before.items():
        signal.signal(number, handler)
