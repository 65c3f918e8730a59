"""What the studio shows: a world that runs, or a recording that plays. Both have this face."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from skitter.errors import SkitterError
from skitter.terrain import Terrain


@dataclass(frozen=True)
class View:
    """A moment that can be shown, all of it from one and the same world or recording."""

    generation: int  # another one has to be built anew
    version: int  # another one has come since, or changed
    frames: Any  # those around the moment, with the face of a recording
    moment: float  # s
    open_terrain: Callable[[], Terrain]


class Session(Protocol):
    """Something with a present moment. All of it may be called from any thread."""

    speed: float  # that is asked for, simulated seconds per second
    paused: bool
    message: str  # what went wrong last, one line; empty if nothing did

    def recording(self) -> Any:
        """The frames there are, with the face of a recording."""

    def frames(self) -> Any:
        """Only those around the present moment, at less cost."""

    def now(self) -> float:
        """The moment to show, s."""

    def view(self) -> View:
        """The moment to show and what belongs to it."""

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
