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
SPARE = 0.05  # of what a weight spans, for moments between those looked at


@dataclass(frozen=True)
class Shapes:
    """The shapes of a skin. Weights are from 0 to 1, because Blender takes no others.

    The first shape is what the others are added to, and always has all of its weight.
    """

    creature: CreatureSurface
    rig: Rig
    part: SkinPart
    offset: Floats  # [shape, point, 3] cm, at rest
    low: Floats  # [shape but the first] what a weight of 0 stands for, cm
    span: Floats  # [shape but the first] and how much more one of 1, cm

    @property
    def names(self) -> list[str]:
        return ["mean", *(f"shape_{k}" for k in range(1, len(self.offset)))]

    @property
    def at_rest(self) -> list[float]:
        """The weights that leave the skin as it is at rest."""
        return [0.0] * len(self.offset)

    def weigh(self, times: Floats) -> Floats:
        """The weights of all shapes at some moments [time, shape]."""
        found = [measure_offset(self.creature, self.rig, self.part, float(t)) for t in times]
        basis = self.offset[1:].reshape(len(self.span), -1) / self.span[:, None]
        rows = np.stack([offset.ravel() @ basis.T for offset in found])
        whole = np.ones((len(times), 1))
        return np.concatenate([whole, np.clip((rows - self.low) / self.span, 0, 1)], axis=1)


def find_shapes(creature: CreatureSurface, rig: Rig, part: SkinPart, clip: Clip) -> Shapes | None:
    """The shapes that a clip needs; None if joints alone come close."""
    times = clip.times[:: 1 + len(clip.times) // LOOKED_AT]
    rows = np.stack([measure_offset(creature, rig, part, float(t)).ravel() for t in times])
    u, s, basis = np.linalg.svd(rows, full_matrices=False)
    count = choose_count(rows, u * s, basis, CLOSE * rig.length)
    if count == 0:
        return None
    amount, basis = (u * s)[:, :count], basis[:count]
    low, high = amount.min(axis=0), amount.max(axis=0)
    low, span = low - SPARE * (high - low), (1 + 2 * SPARE) * (high - low)
    offset = np.concatenate([low[None] @ basis, span[:, None] * basis])
    return Shapes(creature, rig, part, offset.reshape(count + 1, -1, 3), low, span)


def choose_count(rows: Floats, amount: Floats, basis: Floats, limit: float) -> int:
    """How many shapes bring every point of every row within a limit, cm."""
    for count in range(min(MOST, len(basis))):
        left = rows - amount[:, :count] @ basis[:count]
        if np.linalg.norm(left.reshape(len(rows), -1, 3), axis=2).max() <= limit:
            return count
    return min(MOST, len(basis))


def measure_offset(creature: CreatureSurface, rig: Rig, part: SkinPart, time: float) -> Floats:
    """What has to be added to a skin at rest, so that its joints take it where it is [point, 3]."""
    pose: Pose = creature.motion.pose(time)
    turn, shift = blend_joints(part, rig.bind, rig.place(pose))
    there = exact_points(creature, part.kind, pose) - shift
    return np.linalg.solve(turn, there[..., None])[..., 0] - part.mesh.points
