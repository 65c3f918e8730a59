"""What one creature looks like, from a recording: its surfaces and its colours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import RIGID_COLOUR, SOFT_COLOUR, SOFT_OPACITY, read_colour
from skitter.look.motion import Motion, Pose, open_motions
from skitter.look.rigid import RigidSurface
from skitter.look.soft import SoftSurface, find_tuck

Floats = NDArray[np.floating]
SKIN_TRIANGLES = 24_000  # of all skins in a film; a picture can afford more


@dataclass(frozen=True)
class CreatureSurface:
    """The surfaces of a creature; a kind that it does not have is None."""

    motion: Motion
    rigid: RigidSurface | None
    soft: SoftSurface | None
    rigid_colour: Floats  # [3] linear light
    soft_colour: Floats  # [3] linear light
    soft_opacity: float

    def outline(self, pose: Pose) -> Floats:
        """Points [point, 3] whose convex hull holds the creature."""
        if self.rigid is None:
            return pose.node_position
        return np.concatenate([self.rigid.outline(pose), pose.node_position])


def build_creatures(
    recording: Any, *, triangle_limit: int = SKIN_TRIANGLES
) -> list[CreatureSurface]:
    """All creatures of a recording; their skins together keep to a number of triangles."""
    motions = open_motions(recording)
    limit = triangle_limit // len(motions)
    return [build_creature_surface(recording, one, triangle_limit=limit) for one in motions]


def build_creature_surface(
    recording: Any, motion: Motion, *, triangle_limit: int = SKIN_TRIANGLES
) -> CreatureSurface:
    """Reads shapes and colours once; a frame then only moves points."""
    look, name = motion.look, motion.name
    rest = motion.pose(float(motion.time[0]))
    rigid = soft = None
    shape, size = np.zeros(0, dtype=int), np.zeros((0, 3))
    if motion.has_bodies:
        shape = np.asarray(recording.static(f"{name}.body_shape"))
        size = np.asarray(recording.static(f"{name}.body_size"), dtype=float)
        rigid = RigidSurface(shape, size)
    if motion.has_nodes:
        triangles = np.asarray(recording.static(f"{name}.soft_triangles"), dtype=np.int64)
        block = np.asarray(recording.static(f"{name}.soft_block"))
        tuck = find_tuck(rest, block, shape, size)
        soft = SoftSurface(
            rest.node_position, triangles, block, tuck, triangle_limit=triangle_limit
        )
    return CreatureSurface(
        motion,
        rigid,
        soft,
        read_colour(look.get("rigid") or RIGID_COLOUR),
        read_colour(look.get("soft") or SOFT_COLOUR),
        float(look.get("soft_opacity", SOFT_OPACITY)),
    )
