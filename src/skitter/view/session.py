"""What a session, be it a world that runs or a recording that plays, gives the studio to show."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from skitter.errors import SkitterError
from skitter.terrain import Terrain

# Tells whoever asked for a change how much of the world's time it took, s.
Charge = Callable[[float], None]


def charge_nobody(seconds: float) -> None:
    """For what no page asked for."""


@dataclass(frozen=True)
class View:
    """A moment that can be shown, all of it from one and the same world or recording."""

    generation: int  # another one has to be built anew
    version: int  # another one has come since, or changed
    frames: Any  # those around the moment, with the face of a recording
    moment: float  # s
    open_terrain: Callable[[], Terrain]
    charge: Charge = charge_nobody  # who asked for this generation


def describe_error(error: Exception) -> str:
    """One line for the page; of a fault of ours, the terminal gets the whole story."""
    if isinstance(error, SkitterError | OSError):
        return str(error)
    traceback.print_exception(error)
    return f"this is a fault in Skitter, please report it: {error!r}"
