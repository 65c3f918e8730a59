"""What a format is asked to write."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skitter.errors import UserError

if TYPE_CHECKING:
    from skitter.export.clip import Clip, Told
    from skitter.look.creature import CreatureSurface


@dataclass(frozen=True, kw_only=True)
class Order:
    """One export, its options checked. Formats leave aside what they have no use for."""

    recording: Any
    names: list[str]  # of the creatures that are wanted
    creatures: "list[CreatureSurface]"  # the same, built; none where a format takes no surfaces
    output: Path
    clip: "Clip"
    start: float | None = None  # s, as asked for; the clip has the moments between
    end: float | None = None
    scale: float = 1.0
    level: int = 0  # of detail: 0 has all joints
    scenery: bool = True
    soft: Literal["cache", "skinned"] = "cache"  # exact soft surfaces, or such that joints move
    progress: "Told | None" = None


def choose_names(recording: Any, name: str | None) -> list[str]:
    """All creatures, or the one of a name, which must be there."""
    names = [one["name"] for one in recording.creatures]
    if name is not None and name not in names:
        valid = ", ".join(names)
        raise UserError(f"--creature {name}: is not in the recording; valid: {valid}")
    return names if name is None else [name]
