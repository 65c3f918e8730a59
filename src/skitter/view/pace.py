"""Keeping pace with the clock, and knowing when that fails."""

import time
from collections import deque

SPAN = 1.0  # s of the clock over which the real-time factor is taken
SLACK = 0.1  # s that a world may fall behind before the clock is set anew


class Pace:
    """Says how long to wait before the next frame, so that simulated time follows the clock."""

    def __init__(self) -> None:
        self._due: float | None = None
        self._marks: deque[tuple[float, float]] = deque()  # clock, simulated time

    def restart(self) -> None:
        """After a pause or a jump: no frame is overdue, and nothing has been measured."""
        self._due = None
        self._marks.clear()

    def wait(self, frame_time: float, speed: float) -> float:
        """Seconds to wait until the frame that lasts `frame_time` is due."""
        now = time.monotonic()
        due = now if self._due is None else self._due
        self._due = max(due, now - SLACK) + frame_time / speed
        return max(0.0, due - now)

    def mark(self, simulated: float) -> None:
        """A frame is done."""
        now = time.monotonic()
        self._marks.append((now, simulated))
        while len(self._marks) > 2 and now - self._marks[0][0] > SPAN:
            self._marks.popleft()

    @property
    def factor(self) -> float | None:
        """Simulated seconds per second of the clock, lately; None until it is known."""
        marks = list(self._marks)
        if len(marks) < 3 or time.monotonic() - marks[-1][0] > SPAN:
            return None
        return (marks[-1][1] - marks[0][1]) / max(marks[-1][0] - marks[0][0], 1e-9)
