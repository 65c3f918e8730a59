"""The wheel: the same bytes twice, the whole package, useful without make, checkout or extras."""

import os
import subprocess
import zipfile
from pathlib import Path
from sysconfig import get_platform

import pytest
import yaml

import skitter
from skitter.compiled.store import cache_folder
from wheel_environment import HOME, build_wheel, make_environment

FAMILIES = ("centipede", "swimmer", "worm_muscles", "roach_tripod", "tarantula")
RENDER, STUDY, USD = (f"pip install 'skitter[{extra}]'" for extra in ("render", "study", "export"))
VIEW = 'pip install "skitter[view]"'
TOLD = (
    ("view centipede", f"the studio needs viser, which is not installed; valid: {VIEW}"),
    ("view REC", f"the studio needs viser, which is not installed; valid: {VIEW}"),
    ("render REC -o a.png", f"a.png: pictures and films need vtk; valid: {RENDER}"),
    ("render REC -o a.mp4", f"a.mp4: pictures and films need vtk; valid: {RENDER}"),
    ("render REC -o a.png --gait", f"a.png: pictures need pillow; valid: {RENDER}"),
    ("measure REC --plots plots", f"plots: plots need pillow; valid: {RENDER}"),
    ("plot REC -o a.png", f"a.png: plots need pillow; valid: {RENDER}"),
    ("claims --plots plots", f"plots: plots need pillow; valid: {RENDER}"),
    ("export REC -o a.usda", f"USD needs usd-core, which is not installed: {USD}"),
    ("tune roach_speed -o tuned", f"tuning needs cma, which is not installed: {STUDY}"),
    (
        "sweep roach_frequency -o swept --scheduler tcp://127.0.0.1:9",
        f"--scheduler needs distributed, which is not installed: {STUDY}",
    ),
)
SWEEP = {
    "title": "a cube falls",
    "scene": {"title": "t", "creatures": [{"species": "cube"}]},
    "seconds": 0.05,
    "parameters": [{"path": "gravity", "values": [1, 2]}],
    "measures": ["speed"],
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """Of an environment with the plain wheel."""
    return make_environment(wheel, tmp_path_factory.mktemp("environment") / "venv")


def run(
    python: Path, folder: Path, *words: str, here: bool = False, cache: Path | None = None
) -> subprocess.CompletedProcess:
    """A command of the wheel; or `here`, of the checkout."""
    settings = {"PYTHONPATH": str(HOME / "src")} if here else {}
    if cache is not None:
        settings["NUMBA_CACHE_DIR"] = str(cache)
    command = [python, "-m", "skitter", *words] if here else [python.with_name("skitter"), *words]
    return subprocess.run(
        command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, timeout=1200
    )


def test_the_same_sources_give_the_same_wheel(wheel, tmp_path):
    assert build_wheel(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_wheel_has_all_of_the_package_and_nothing_else(wheel):
    package = HOME / "src" / "skitter"
    sources = {
        f"skitter/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names - sources == {"skitter/cite/references.bib", "skitter/cite/CITATION.cff"}
    assert sources <= names


def test_lists_work_without_a_checkout(python, tmp_path):
    for words in ("--help", "--version", "scenes", "species", "studies", "cite centipede"):
        done = run(python, tmp_path, *words.split())
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout


@pytest.mark.parametrize(("words", "line"), TOLD)
def test_a_missing_extra_is_one_line(recorded, python, tmp_path, words, line):
    recording = str(recorded("scenes/centipede").path)
    words = [recording if word == "REC" else word for word in words.split()]
    done = run(python, tmp_path, *words)
    assert (done.returncode, done.stderr) == (2, f"skitter: {line}\n")
    assert not list(tmp_path.iterdir())


def test_missing_extras_are_told_in_python(recorded, python, tmp_path):
    recording = str(recorded("scenes/centipede").path)
    for ask, line in (
        ("import skitter.learn", f"skitter.learn needs gymnasium: {STUDY}"),
        (
            f"import skitter; skitter.Recording.open({recording!r}).dataset()",
            "a dataset needs xarray, which is not installed: pip install 'skitter[tables]'",
        ),
    ):
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True, cwd=tmp_path)
        assert done.stderr.splitlines()[-1] == f"skitter.errors.UserError: {line}"


def test_a_sweep_says_what_it_leaves_out(python, tmp_path):
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(SWEEP))
    done = run(python, tmp_path, "sweep", "study.yaml", "-o", "swept", "--jobs", "1", here=True)
    assert done.returncode == 0, done.stderr
    assert "swept/points.csv has them" in done.stdout
    assert "results.zarr" not in {path.name for path in (tmp_path / "swept").iterdir()}
    assert done.stderr.splitlines()[-2:] == [
        f"skitter: no results.zarr without xarray: {STUDY}",
        f"skitter: no pictures without pillow: {RENDER}",
    ]


@pytest.mark.parametrize("scene", FAMILIES)
def test_every_family_runs_without_a_checkout(python, tmp_path, scene):
    done = run(python, tmp_path, "run", scene, "-o", "out", "--seconds", "0.05")
    assert done.returncode == 0, done.stderr
    assert "recorded in out" in done.stdout
    assert run(python, tmp_path, "export", "out", "-o", "out.glb").returncode == 0


@pytest.mark.skipif(get_platform() != "linux-x86_64", reason="kernels are shipped for that alone")
def test_a_wheel_with_kernels_compiles_nothing(tmp_path):
    """At a path with a space, with a cache that is empty and stays so."""
    wheel = build_wheel(tmp_path, kernels=cache_folder())
    assert wheel.name.endswith("linux_x86_64.whl")
    python = make_environment(wheel, tmp_path / "an environment")
    kept = tmp_path / "cache"
    for scene in FAMILIES:
        done = run(python, tmp_path, "run", scene, "-o", scene, "--seconds", "0.05", cache=kept)
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr
        assert not list(kept.rglob("*.kernel"))
    here = skitter.run("tarantula", seconds=0.05).frame(-1)
    there = skitter.Recording.open(tmp_path / "tarantula").frame(-1)
    assert all(here[name].tobytes() == there[name].tobytes() for name in here)
