"""Room for creatures in a living world: a number, and no more than keep pace with the clock."""

from collections import deque

import numpy as np

from skitter.errors import UserError

MOST_CREATURES = 32
FULL = 0.7  # share of a frame's time that its creatures may take
FRAMES = 30  # over which the time of a frame is taken
SLOWER = 80  # percent of frames are quicker than the time that is reckoned with
ENOUGH = 10  # frames after which the time that another cast takes is known


class Room:
    """Says whether one more creature can be taken in, by how long frames take."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._count, self._seconds = 0, 0.0  # creatures, and s that a frame of theirs takes
        self._newest = 0
        self._busy: deque[float] = deque(maxlen=FRAMES)

    def mark(self, seconds: float, count: int) -> None:
        """A frame of so many creatures took so long."""
        if count != self._newest:
            self._newest = count
            self._busy.clear()
        self._busy.append(seconds)
        if len(self._busy) >= ENOUGH:
            self._count, self._seconds = count, float(np.percentile(self._busy, SLOWER))

    def check(self, count: int, frame_time: float, speed: float) -> None:
        """Raise where there is no room for one more than `count`."""
        if count >= MOST_CREATURES:
            raise UserError(
                f"there are {count} creatures, and a living world takes no more than"
                f" {MOST_CREATURES}; remove one first"
            )
        if self._expect(count + 1) > FULL * frame_time / speed:
            raise UserError(
                f"with one more creature this machine could not keep up at {speed:g}×;"
                " remove one, or choose a lower speed"
            )

    def _expect(self, count: int) -> float:
        """How long a frame of so many may take, s. Threads share creatures, so that one of them
        alone may take as much longer than its part."""
        if self._count == 0:
            return 0.0
        each = self._seconds * min(self._threads, self._count) / self._count
        return self._seconds + each * (count - self._count)
