"""The muscles of a worm as spindles in the wall of its body, coloured by what they do."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.motion import Pose
from skitter.look.organs import Core, Organ

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
WIDTH = 0.9  # of the wall's sector that a muscle has
BLUNT = 4.0  # how square a spindle is: 2 is an ellipse
REACH = 0.98  # of its length


class Muscles(Organ):
    """All muscles; pale at rest, strong where they contract."""

    def __init__(self, core: Core, spindles: Floats, relaxed: Floats, contracted: Floats) -> None:
        """`spindles` [muscle, ring, around, 3] cm, at rest; colours [3] linear light."""
        super().__init__("muscles", core, spindles, relaxed)
        self._relaxed, self._contracted = relaxed, contracted

    @property
    def is_recoloured(self) -> bool:
        return True

    def tints(self, pose: Pose) -> Floats:
        """A colour for each muscle [..., muscle, 3]."""
        share = np.clip(pose.muscle_activation, 0, 1)[..., None]
        return np.asarray((1 - share) * self._relaxed + share * self._contracted)

    def colours_at(self, pose: Pose) -> Floats:
        return np.asarray(self.tints(pose)[self.owner])


def build_spindles(
    core: Core, tet_region: Ints, regions: Ints, *, along: int, around: int
) -> Floats:
    """The muscles [muscle, ring, around, 3], each in the part of the wall that its tets fill."""
    return np.stack(
        [
            build_spindle(core, np.unique(core.tets[tet_region == one]), along, around)
            for one in regions
        ]
    )


def build_spindle(core: Core, nodes: Ints, along: int, around: int) -> Floats:
    """A flat spindle [ring, around, 3] that fills the piece of a wall between some nodes."""
    off = core.rest[nodes] - core.head
    place = -off[:, 0] / core.length
    angles = np.arctan2(off[:, 2], off[:, 1])
    middle = np.arctan2(np.sin(angles).mean(), np.cos(angles).mean())
    spread = np.angle(np.exp(1j * (angles - middle)))
    low, high = spread.min(), spread.max()
    depth = np.hypot(off[:, 1], off[:, 2]) / core.radius(place)
    u = -np.cos(np.linspace(0, np.pi, along))[:, None]
    phi = 2 * np.pi * np.arange(around) / around
    wide = (1 - np.abs(u) ** BLUNT).clip(0) ** (1 / BLUNT)
    thick = np.sqrt((1 - u**2).clip(0))
    at = (place.min() + place.max()) / 2 + REACH * u * np.ptp(place) / 2
    turn = middle + (low + high) / 2 + WIDTH * (high - low) / 2 * wide * np.cos(phi)
    deep = (depth.min() + depth.max()) / 2 + np.ptp(depth) / 2 * thick * np.sin(phi)
    return core.lay(at, deep, turn)
