"""Food that foragers carry home: a ball in the jaws of each that has one.

A recording tells who carries, but not which piece: all are as large as the scene's food usually is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.motion import Motion, Pose, channel_names, open_motions
from skitter.look.tree import HEAD
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
SUFFIX = ".carries"  # of the channel that tells who carries
BITTEN = 0.6  # of a ball's radius, by which it is before the head
LOW = -0.2  # of the head's height, where jaws are


@dataclass(frozen=True)
class Carrier:
    """One that may carry food."""

    motion: Motion
    channel: str  # of the recording, which tells whether it does
    head: int  # the body that has the jaws
    jaws: Floats  # [3] cm, where the middle of a ball is, in the frame of the head
    radius: float  # cm, of a ball

    def hold(self, pose: Pose, carries: Any) -> Floats:
        """Place and radius of its ball [..., 4], cm; the radius is 0 while it has none."""
        turn = quaternion_to_matrix(pose.body_orientation[..., self.head, :])
        place = pose.body_position[..., self.head, :] + turn @ self.jaws
        radius = np.where(np.asarray(carries) != 0, self.radius, 0.0)
        return np.concatenate([place, np.asarray(radius)[..., None]], axis=-1)


def find_carriers(recording: Any, radii: Floats) -> list[Carrier]:
    """Those of a recording who may carry food; `radii` are those of the food, cm."""
    names, there = channel_names(recording), radii[radii > 0]
    if not any(name.endswith(SUFFIX) for name in names):
        return []
    radius = float(np.median(there)) if len(there) else None
    able = [one for one in open_motions(recording) if one.name + SUFFIX in names]
    return [equip(one, radius) for one in able if one.has_bodies]


def equip(motion: Motion, radius: float | None) -> Carrier:
    """Where one holds a ball of some radius, by default one that suits its head."""
    heads = motion.tree.find(HEAD) if motion.tree is not None else []
    head = heads[0] if heads else 0
    length, height, _ = np.asarray(motion.static("body_size"), float)[head]
    radius = radius or float(height) / 2
    jaws = np.array([length / 2 + BITTEN * radius, LOW * height, 0.0])
    return Carrier(motion, motion.name + SUFFIX, head, jaws, radius)
