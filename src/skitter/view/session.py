"""What the studio shows: a world that runs, or a recording that plays. Both have this face."""

import traceback
from typing import Any, Protocol

from skitter.errors import SkitterError


class Session(Protocol):
    """Something with a present moment. All of it may be called from any thread."""

    generation: int  # counts up when what is shown has to be built anew
    version: int  # counts up when frames have come or changed
    speed: float  # that is asked for, simulated seconds per second
    paused: bool
    message: str  # what went wrong last, one line; empty if nothing did

    def recording(self) -> Any:
        """The frames there are, with the face of a recording."""

    def frames(self) -> Any:
        """Only those around the present moment, at less cost."""

    def now(self) -> float:
        """The moment to show, s."""

    def pause(self) -> None: ...

    def go(self) -> None: ...

    def step(self) -> None:
        """Pause, and go on by one frame."""

    def close(self) -> None: ...


def describe_error(error: Exception) -> str:
    """One line for the page; of a fault of ours, the terminal gets the whole story."""
    if isinstance(error, SkitterError | OSError):
        return str(error)
    traceback.print_exception(error)
    return f"this is a fault in Skitter, please report it: {error!r}"
