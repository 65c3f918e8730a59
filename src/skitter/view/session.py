"""What the studio shows: a world that runs, or a recording that plays. Both have this face."""

from typing import Any, Protocol


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
