"""What joints miss of a soft block, as a few shapes with weights that change.

At a moment the skin of a block is where its joints take it, plus an offset that is the same for all
who know the moment. Taken back to the rest, those offsets of many moments are rows of a matrix, and
its first singular vectors are the shapes that reproduce them best (Eckart and Young 1936). There
are as many as keep every point of the clip within a share of the body's length.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import Clip
from skitter.look.creature import CreatureSurface
from skitter.look.motion import Pose
from skitter.look.rig import Rig
from skitter.look.skin import SkinPart, blend_joints, exact_points

Floats = NDArray[np.floating]
LOOKED_AT = 240  # frames of a clip from which shapes are made
CLOSE = 0.003  # of the body's length, to which they come
MOST = 24


@dataclass(frozen=True)
class Shapes:
    """The shapes of a skin."""

    creature: CreatureSurface
    rig: Rig
    part: SkinPart
    offset: Floats  # [shape, point, 3] cm, at rest
    size: Floats  # [shape] by which a weight is divided, so that all are of about one

    @property
    def names(self) -> list[str]:
        return [f"shape_{k + 1}" for k in range(len(self.offset))]

    def weigh(self, times: Floats) -> Floats:
        """The weights of all shapes at some moments [time, shape]."""
        found = [measure_offset(self.creature, self.rig, self.part, float(t)) for t in times]
        basis = self.offset.reshape(len(self.offset), -1) / self.size[:, None] ** 2
        return np.stack([offset.ravel() @ basis.T for offset in found])


def find_shapes(creature: CreatureSurface, rig: Rig, part: SkinPart, clip: Clip) -> Shapes | None:
    """The shapes that a clip needs; None if joints alone come close."""
    times = clip.times[:: 1 + len(clip.times) // LOOKED_AT]
    rows = np.stack([measure_offset(creature, rig, part, float(t)).ravel() for t in times])
    limit = CLOSE * rig.length
    count = 0
    u, s, v = np.linalg.svd(rows, full_matrices=False)
    while count < min(MOST, len(s)):
        left = rows - (u[:, :count] * s[:count]) @ v[:count]
        if np.linalg.norm(left.reshape(len(rows), -1, 3), axis=2).max() <= limit:
            break
        count += 1
    if count == 0:
        return None
    size = np.abs(u[:, :count] * s[:count]).max(axis=0)
    offset = (v[:count] * size[:, None]).reshape(count, -1, 3)
    return Shapes(creature, rig, part, offset, size)


def measure_offset(creature: CreatureSurface, rig: Rig, part: SkinPart, time: float) -> Floats:
    """What has to be added to a skin at rest, so that its joints take it where it is [point, 3]."""
    pose: Pose = creature.motion.pose(time)
    turn, shift = blend_joints(part, rig.bind, rig.place(pose))
    there = exact_points(creature, part.kind, pose) - shift
    return np.linalg.solve(turn, there[..., None])[..., 0] - part.mesh.points
