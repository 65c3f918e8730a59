"""Short recordings of every built-in species and scene, for tests that take any recording.

    @pytest.mark.parametrize("name", CORPUS)
    def test_exports(recorded, name):
        recording = recorded(name)

A recording is made when a test first asks for it and is kept as long as the tests run, for all
workers together. All of them take some 30 s of one core once the kernels are compiled.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import skitter
from skitter.record import Recording
from skitter.scene.catalogue import list_scenes, list_species

SECONDS = 0.4
SCENES = [f"scenes/{name}" for name, _ in list_scenes()]
SPECIES = [f"species/{name}" for name, _ in list_species()]  # each is called `one` there
CORPUS = SCENES + SPECIES

Recorded = Callable[[str], Recording]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Recorded:
    """A function from a name of the corpus to its recording."""
    room = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        room = room.parent  # that of all workers
    return lambda name: open_recording(room / "corpus", name)


def open_recording(room: Path, name: str) -> Recording:
    """The recording in a folder shared with other processes; the first that asks makes it."""
    folder, done = room / name, room / f"{name}.done"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(room / f"{name}.lock"):
        if not done.exists():
            skitter.run(
                build_source(name), seconds=SECONDS, threads=1, output=folder, overwrite=True
            )
            done.touch()
    return Recording.open(folder)


def build_source(name: str) -> str | dict[str, Any]:
    """A built-in scene by its name, or one of a species alone on a plane."""
    kind, plain = name.split("/")
    if kind == "scenes":
        return plain
    return {
        "title": f"A {plain} on a plane",
        "terrain": [{"shape": "plane"}],
        "creatures": [{"species": plain, "name": "one", "at": [0, 2, 0]}],
    }


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone among all processes that ask for the same file; the system frees it if one dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
