"""Studios for tests: in this process, on any free port, gone at the end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skitter.record import Recording
from skitter.scene.load import load_scene
from skitter.view.live import LiveSession
from skitter.view.replay import ReplaySession
from skitter.view.serve import serving
from skitter.view.studio import Studio

PATIENCE = 180.0  # s; what is proven is that something happens, not how fast the machine is
PLAIN = {  # a centipede on a plane, with nothing about
    "title": "A centipede on a plane",
    "terrain": [{"shape": "plane"}],
    "creatures": [{"species": "giant_centipede", "name": "one"}],
}


@contextmanager
def live_studio(
    source: Any, folder: Path, *, seed: int = 0, shadows: bool = False
) -> Iterator[Studio]:
    """A world that runs."""
    session = LiveSession(load_scene(source), seed=seed)
    session.start()
    with serving(session, folder=folder, port=0, shadows=shadows) as studio:
        yield studio


@contextmanager
def replay_studio(recording: Recording, folder: Path) -> Iterator[Studio]:
    """A recording that plays."""
    with serving(ReplaySession(recording), folder=folder, port=0, shadows=False) as studio:
        yield studio


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """Look again and again; fail when all patience is gone."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"within {PATIENCE:g} s: {what}"
        time.sleep(0.02)
