"""The command line: exit codes, one line for a mistake, JSON, and what stays on the disk."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fake_world import install_fake_world

import skitter
from skitter.cli import main
from skitter.record import Recording

SOURCE = Path(skitter.__file__).parents[1]


@pytest.fixture
def world(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return install_fake_world(monkeypatch)


def read_folder(folder) -> dict[str, bytes]:
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def refuse(capsys, *arguments) -> str:
    """The line of a user's mistake."""
    assert main(list(arguments)) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.count("\n") == 1 and errors.startswith("skitter: ")
    return errors.removeprefix("skitter: ").rstrip("\n")


def test_scenes_and_species(capsys):
    assert main(["scenes"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "falling_chain A chain of rigid and soft segments drops" in listed
    assert main(["species", "--json"]) == 0
    names = [one["name"] for one in json.loads(capsys.readouterr().out)["species"]]
    assert names == [
        "ant", "beetle", "block", "c_elegans", "c_elegans_muscles", "c_elegans_reflex",
        "ceiling_light", "centipede18", "chain", "crab", "cube", "eel", "giant_centipede",
        "house_centipede", "house_spider", "huntsman", "jelly_cube", "log", "millipede",
        "muscle_chain", "pauropod", "pebble", "plank", "roach", "robot", "scorpion", "skitterling",
        "stick_insect", "tarantula", "waterfall_centipede", "wire",
    ]  # fmt: skip


def test_help_and_version(capsys):
    assert main([]) == 0
    help_text = capsys.readouterr().out
    for command in ["scenes", "species", "run", "render", "measure", "claims", "bench"]:
        assert f"  {command} " in help_text
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"skitter {skitter.__version__}\n"


USAGE_MISTAKES = [
    (["rnu"], "no such command 'rnu'. Did you mean 'run'? (see 'skitter --help')"),
    (["run"], "missing argument 'SCENE' (see 'skitter run --help')"),
    (["run", "falling_chain"], "missing option '-o' / '--output' (see 'skitter run --help')"),
    (["run", "--foo"], "no such option: --foo (see 'skitter run --help')"),
    (["measure"], "missing argument 'DIR|FILE' (see 'skitter measure --help')"),
]


@pytest.mark.parametrize(("arguments", "expected"), USAGE_MISTAKES)
def test_usage_mistake(capsys, arguments, expected):
    assert refuse(capsys, *arguments) == expected


RUN_MISTAKES = [
    (["--seconds", "soon"], "--seconds soon: seconds must be a number more than 0 and at most"),
    (["--seconds", "nan"], "found the text 'nan'"),
    (["--seed", "a"], "seed must be a whole number from 0 to 9,223,372,036,854,775,807; found the"),
    (["--seed", "-1"], "found -1"),
    (["--threads", "0"], "threads must be a whole number from 1 to 1,024; found 0"),
    (["--set", "gravty=1"], "--set gravty=1: gravty is not a known key; did you mean 'gravity'?"),
    (["--video", "film.avi"], "film.avi: must end in .mp4 or .gif"),
    (["--video", "no/film.mp4"], "no/film.mp4: its directory does not exist"),
    (["--resume", "--overwrite"], "--resume and --overwrite exclude each other; valid: one of"),
]


@pytest.mark.parametrize(("options", "expected"), RUN_MISTAKES)
def test_run_mistake_leaves_nothing_behind(capsys, world, options, expected):
    assert expected in refuse(capsys, "run", "falling_chain", "-o", "out", *options)
    assert list(Path().iterdir()) == []


def test_run_records_and_says_where(capsys, world):
    assert main(["run", "falling_chain", "-o", "a/b", "--seconds", "0.5"]) == 0
    output, errors = capsys.readouterr()
    assert output.startswith("falling_chain: 0.5 s in 31 frames, ")
    assert output.endswith("× real time, recorded in a/b\n")
    assert errors == ""
    assert Recording.open("a/b").frame_count == 31


def test_run_as_json(capsys, world):
    assert main(["run", "falling_chain", "-o", "out", "--seconds", "0.1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["run"]
    assert (report["scene"], report["frames"], report["recording"]) == ("falling_chain", 7, "out")
    assert report["real_time_factor"] > 0


def test_set_reaches_the_recording(world):
    options = ["--seconds", "0.1", "--set", "gravity=5", "--seed", "3"]
    assert main(["run", "falling_chain", "-o", "out", *options]) == 0
    recording = Recording.open("out")
    assert (recording.scene["gravity"], recording.seed) == (5, 3)


def test_existing_folders_are_safe(capsys, world):
    run = ["run", "falling_chain", "--seconds", "0.1", "-o"]
    Path("other").mkdir()
    Path("other/thesis.txt").write_text("dear")
    assert refuse(capsys, *run, "other").startswith("other: holds other files; valid: a new or")
    assert refuse(capsys, *run, "other/thesis.txt").startswith("other/thesis.txt: is a file; ")
    assert main([*run, "out"]) == 0
    before = read_folder("out")
    capsys.readouterr()
    line = refuse(capsys, *run, "out")
    assert line == (
        "out: holds a recording already; valid: another directory,"
        " --resume to continue it, or --overwrite to replace it"
    )
    assert read_folder("out") == before
    assert main([*run, "out", "--overwrite"]) == 0
    assert read_folder("out") == before


def test_a_film_may_not_lie_in_the_recording(capsys, world):
    run = ["run", "falling_chain", "--seconds", "0.1", "-o", "out"]
    assert main(run) == 0
    capsys.readouterr()
    line = refuse(capsys, *run, "--overwrite", "--video", "out/film.mp4")
    assert line == "--video out/film.mp4: lies inside the recording; valid: a file elsewhere"


RENDER_MISTAKES = [
    (["-o", "a.txt"], "a.txt: must end in .png or .jpg or .jpeg or .mp4 or .gif"),
    (["-o", "a.png", "--fps", "30"], "--fps does not apply to .png files; valid: without it"),
    (["-o", "a.mp4", "--time", "1"], "--time does not apply to .mp4 files; valid: without it"),
    (["-o", "a.png", "--size", "big"], "--size big: is not understood; valid: WIDTHxHEIGHT, as"),
    (["-o", "a.png"], "nothing at that path"),
]


@pytest.mark.parametrize(("options", "expected"), RENDER_MISTAKES)
def test_render_mistake(capsys, world, options, expected):
    assert expected in refuse(capsys, "render", "nowhere", *options)
    assert list(Path().iterdir()) == []


def test_interrupt_keeps_frames_and_resume_gives_the_same_bytes(capsys, world):
    run = ["run", "falling_chain", "--seconds", "1", "-o"]
    assert main([*run, "whole"]) == 0
    world.on_frame = staticmethod(lambda frame: frame == 20 and signal.raise_signal(signal.SIGINT))
    capsys.readouterr()
    assert main([*run, "out"]) == 130
    assert capsys.readouterr().err == (
        "skitter: stopped at frame 20 of 60; what was recorded is kept in out,"
        " and --resume continues it\n"
    )
    assert Recording.open("out").frame_count == 21
    world.on_frame = staticmethod(lambda frame: None)
    assert main([*run, "out", "--resume"]) == 0
    assert read_folder("out") == read_folder("whole")


def test_resume_refuses_another_run(capsys, world):
    run = ["run", "falling_chain", "--seconds", "0.1", "-o", "out"]
    assert main(run) == 0
    capsys.readouterr()
    assert refuse(capsys, *run, "--resume", "--seed", "1") == (
        "out: was recorded with seed 0; found seed 1"
    )
    line = refuse(capsys, *run, "--resume", "--set", "gravity=1")
    assert line.startswith("out: was recorded from a scene with another gravity; valid: the same")


def test_resume_of_a_finished_run_may_go_on_or_do_nothing(capsys, world):
    run = ["run", "falling_chain", "-o", "out", "--resume", "--seconds"]
    assert main([*run, "0.1"]) == 0
    assert main([*run, "0.1"]) == 0
    assert "nothing was left to do" in capsys.readouterr().out
    assert main([*run, "0.2"]) == 0
    assert Recording.open("out").frame_count == 13
    assert main(["run", "falling_chain", "-o", "straight", "--seconds", "0.2"]) == 0
    assert read_folder("out") == read_folder("straight")
    capsys.readouterr()
    line = refuse(capsys, *run, "0.1")
    assert line == "out: holds 0.2 s already; valid: at least that many seconds, found 0.1"


@pytest.mark.parametrize("option", [[], ["--resume"], ["--overwrite"]])
def test_what_a_run_left_that_was_killed_at_its_birth_is_cleared(capsys, world, option):
    run = ["run", "falling_chain", "--seconds", "0.1", "-o"]
    assert main([*run, "whole"]) == 0
    assert main([*run, "out"]) == 0
    Path("out/zarr.json").rename("out/zarr.json.tmp")
    assert main([*run, "out", *option]) == 0
    assert read_folder("out") == read_folder("whole")


def test_a_scene_that_breaks_in_its_first_frame_is_refused(capsys, world):
    world.fails_at = 1
    line = refuse(capsys, "run", "falling_chain", "-o", "out")
    assert line.startswith("'chain' flies apart in the first frame; valid: a shorter time_step")
    assert list(Path().iterdir()) == []


def test_a_refused_scene_overwrites_nothing(capsys, world):
    run = ["run", "falling_chain", "--seconds", "0.1", "-o", "out"]
    assert main(run) == 0
    before = read_folder("out")
    world.fails_at = 1
    capsys.readouterr()
    assert "flies apart" in refuse(capsys, *run, "--overwrite")
    assert read_folder("out") == before


def test_a_run_of_one_frame_has_a_speed(capsys, world):
    assert main(["run", "falling_chain", "-o", "out", "--seconds", "1e-6"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("falling_chain: 0.01667 s in 2 frames, ")
    assert "× real time" in output


def test_a_broken_simulation_is_our_failure(capsys, world):
    world.fails_at = 5
    assert main(["run", "falling_chain", "-o", "out"]) == 1
    errors = capsys.readouterr().err
    assert errors == (
        "skitter: chain: flew apart at 0.1 s; try a shorter time_step;"
        " 5 frames before that kept in out\n"
    )
    assert Recording.open("out").frame_count == 5


def test_python_run_records_into_a_temporary_folder(world):
    recording = skitter.run("falling_chain", seconds=0.1, seed=2)
    folder = recording.path
    assert recording.frame_count == 7
    assert np.isfinite(recording["point.height"][:]).all()
    del recording
    assert not folder.exists()


def test_python_run_names_the_argument():
    with pytest.raises(skitter.errors.UserError, match="seconds=-1: seconds must be a number more"):
        skitter.run("falling_chain", seconds=-1)


def run_process(*arguments, **options):
    """`python …` in a process of its own that finds the package."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([sys.executable, *arguments], env=environment, **options)


def test_a_fault_of_ours_is_reported_with_its_trace(capsys, world):
    def fail(frame):
        raise ZeroDivisionError("oh")

    world.on_frame = staticmethod(fail)
    assert main(["run", "falling_chain", "-o", "out"]) == 1
    errors = capsys.readouterr().err
    assert "Traceback" in errors
    assert errors.endswith(
        "skitter: this is a fault in Skitter, please report it: ZeroDivisionError('oh')\n"
    )


@pytest.mark.serial
@pytest.mark.parametrize("arguments", [["--help"], ["scenes"], ["species"]])
def test_listing_is_quick(arguments):
    """In processor time, which other work on the machine does not stretch as it does the clock."""
    times = []
    for _ in range(3):
        before = os.times()
        assert run_process("-m", "skitter", *arguments).returncode == 0
        after = os.times()
        user = after.children_user - before.children_user
        times.append(user + after.children_system - before.children_system)
    assert min(times) < 0.4  # 0.15 on a quiet machine; a busy one stretches even that


HEAVY = ("numba", "numpy", "pydantic", "rich", "scipy", "zarr")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["scenes"], ["species"]])
def test_listing_loads_nothing_heavy(arguments):
    program = (
        f"import sys; from skitter.cli import main; assert main({arguments}) == 0;"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert run_process("-c", program).stdout.splitlines()[-1] == b"[]"


def test_a_reader_that_leaves_is_no_fault():
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = run_process("-m", "skitter", "scenes", stdout=write_end)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, b"")


def run_shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command line with `skitter` in it, by a shell that tells which of its parts fails."""
    program = f"{sys.executable} -m skitter"
    line = f"set -o pipefail; {command.replace('skitter', program)}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=60
    )


FULL = "skitter: cannot write to standard output: no space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("command", "code", "errors"),
    [
        ("skitter species > /dev/full", 1, FULL),
        ("skitter species --json > /dev/full", 1, FULL),
        ("skitter species > /dev/full 2> /dev/full", 1, ""),
        ("skitter species >&-", 0, ""),
        ("skitter --version >&-", 0, ""),
        ("skitter species >&- 2>&-", 0, ""),
        ("skitter species <&- > /dev/null", 0, ""),
        ("skitter nothing 2> /dev/full", 2, ""),
        ("skitter nothing 2>&-", 2, ""),
        ("skitter species | true", 141, ""),  # it has left before a word is said
    ],
)
def test_output_that_cannot_be_written_is_one_line_or_silence(command, code, errors):
    found = run_shell(command)
    assert (found.returncode, found.stderr, found.stdout) == (code, errors, "")
