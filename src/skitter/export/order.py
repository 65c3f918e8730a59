"""What a format is asked to write."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from skitter.export.clip import Clip, Told
    from skitter.look.creature import CreatureSurface


@dataclass(frozen=True)
class Order:
    """One export, its options checked. Formats leave aside what they have no use for."""

    recording: Any
    creatures: "list[CreatureSurface]"  # that are wanted; none where a format takes no surfaces
    output: Path
    clip: "Clip"
    start: float | None = None  # s, as asked for; the clip has the moments between
    end: float | None = None
    scale: float = 1.0
    level: int = 0  # of detail: 0 has all joints
    scenery: bool = True
    soft: Literal["cache", "skinned"] = "cache"  # exact soft surfaces, or such that joints move
    progress: "Told | None" = None
