"""What an export made, for a person and for a script."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skitter.export.clip import Clip
    from skitter.look.creature import CreatureSurface
    from skitter.look.rig import Rig
    from skitter.look.skin import SkinPart

LOOKED_AT = 40  # moments of a clip at which a skin is compared with the simulation


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


def tell_fit(
    creature: "CreatureSurface", rig: "Rig", parts: "list[SkinPart]", clip: "Clip"
) -> list[str]:
    """How near the joints of a spine come to the simulated surface; of other bodies, nothing."""
    from skitter.look.skin import measure_fit

    if rig.spine is None:
        return []
    radius = float(rig.motion.static("body_radius"))
    times = clip.times[:: -(-len(clip.times) // LOOKED_AT)]
    outer = next(part for part in parts if part.kind == "soft")
    fit = measure_fit(creature, rig, outer, times)
    rms, most = 100 * fit.rms / radius, 100 * fit.most / radius
    name, count = rig.motion.name, len(rig.spine.names)
    return [
        f"{name}: {count} joints along its spine move its skin to within {rms:.2g} % of its radius"
        f" of the simulated one (rms), {most:.2g} % at most"
    ]


@dataclass(frozen=True)
class Summary:
    """One export."""

    file: Path
    format: str  # glb, usd, mel, pov, wcon
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
