"""A recording that plays: forwards, slower or faster, in a loop, or held at a moment."""

import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from skitter.errors import UserError
from skitter.record import Recording
from skitter.scene.load import Scene
from skitter.terrain import Terrain, build_terrain
from skitter.view.session import View

GENERATIONS = count(10**9)  # never those of a world
SPEED_RANGE = (0.05, 8.0)  # recorded seconds per second


class ReplaySession:
    """Plays a recording; there is no thread, the moment follows from the clock."""

    def __init__(
        self, recording: Recording, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.generation = next(GENERATIONS)
        self.message = ""
        self.loop = True
        self._recording = recording
        self._clock = clock
        self._lock = threading.Lock()
        self._speed = 1.0
        self._paused = False
        self._moment = self.start  # at the time of the mark
        self._mark = clock()

    @property
    def start(self) -> float:
        return float(self._recording.time[0])

    @property
    def end(self) -> float:
        return float(self._recording.time[-1])

    def recording(self) -> Recording:
        return self._recording

    def frames(self) -> Recording:
        return self._recording

    def now(self) -> float:
        with self._lock:
            return self._now()

    def _now(self) -> float:
        if self._paused:
            return self._moment
        moment = self._moment + (self._clock() - self._mark) * self._speed
        length = self.end - self.start
        if moment <= self.end or length <= 0:
            return min(moment, self.end)
        return self.start + (moment - self.start) % length if self.loop else self.end

    def view(self) -> View:
        recording = self._recording
        return View(self.generation, 0, recording, self.now(), lambda: open_terrain(recording))

    def seek(self, moment: float) -> None:
        """Show another moment, and go on from there."""
        with self._lock:
            self._moment = min(max(float(moment), self.start), self.end)
            self._mark = self._clock()

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def speed(self) -> float:
        return self._speed

    def set_speed(self, speed: float) -> None:
        low, high = SPEED_RANGE
        self._rebase(speed=min(max(float(speed), low), high))

    def pause(self) -> None:
        self._rebase(paused=True)

    def go(self) -> None:
        at_end = self.now() >= self.end and not self.loop
        self._rebase(paused=False)
        if at_end:
            self.seek(self.start)

    def step(self) -> None:
        self._rebase(paused=True)
        self.seek(self.now() + 1 / self._recording.frame_rate)

    def _rebase(self, *, speed: float | None = None, paused: bool | None = None) -> None:
        """Change how time runs from the present moment on."""
        with self._lock:
            self._moment, self._mark = self._now(), self._clock()
            self._speed = self._speed if speed is None else speed
            self._paused = self._paused if paused is None else paused

    def close(self) -> None:
        """Nothing to be done."""


def open_replay(path: str | Path) -> ReplaySession:
    """The recording in a folder; one without a frame cannot be shown."""
    recording = Recording.open(path)
    if recording.frame_count == 0:
        raise UserError(f"{path}: holds no frame yet; valid: a recording with frames")
    return ReplaySession(recording)


def open_terrain(recording: Any) -> Terrain:
    """The ground of a recording."""
    return build_terrain(Scene.from_dict(recording.scene).spec.terrain)
