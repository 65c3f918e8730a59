"""What an export made, for a person and for a script."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skitter.look.rig import Rig
    from skitter.look.skin import SkinPart


@dataclass(frozen=True)
class CreatureSummary:
    """One creature of an export."""

    name: str
    joints: int
    points: int
    triangles: int

    @classmethod
    def of(cls, rig: "Rig", parts: "list[SkinPart]") -> "CreatureSummary":
        """The sizes of a rig and its skin."""
        points = sum(len(part.mesh.points) for part in parts)
        triangles = sum(len(part.mesh.triangles) for part in parts)
        return cls(rig.motion.name, len(rig.names), points, triangles)


@dataclass(frozen=True)
class Summary:
    """One export."""

    file: Path
    format: str  # glb, usd, mel, pov
    fps: float
    frames: int
    creatures: list[CreatureSummary]
    notes: list[str] = field(default_factory=list)  # what a user should know

    @property
    def seconds(self) -> float:
        """From the first frame to the last."""
        return (self.frames - 1) / self.fps

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "file": str(self.file),
            "format": self.format,
            "fps": self.fps,
            "frames": self.frames,
            "seconds": self.seconds,
            "creatures": [vars(creature) for creature in self.creatures],
            "notes": self.notes,
        }
