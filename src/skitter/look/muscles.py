"""The muscles of a worm as spindles in the wall of its body, coloured by what they do."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import build_rings, unit_rows
from skitter.look.motion import Pose
from skitter.look.organs import Core, Organ
from skitter.look.placing import Places
from skitter.rotation import matrices_to_quaternions

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
        self._shape = spindles.shape

    @property
    def is_recoloured(self) -> bool:
        return True

    def tints(self, pose: Pose) -> Floats:
        """A colour for each muscle [..., muscle, 3]."""
        share = np.clip(pose.muscle_activation, 0, 1)[..., None]
        return np.asarray((1 - share) * self._relaxed + share * self._contracted)

    def place(self, pose: Pose) -> Places:
        """Each as a straight spindle along x, y outwards: where it is, and how large."""
        points = (self._weights @ pose.node_position).reshape(self._shape)
        rings, quarter = self._shape[1], self._shape[2] // 4
        ring = points[:, rings // 2]
        along = points[:, 0].mean(axis=1) - points[:, -1].mean(axis=1)
        wide, thick = ring[:, 0] - ring[:, 2 * quarter], ring[:, quarter] - ring[:, 3 * quarter]
        x = unit_rows(along)
        z = unit_rows(wide - np.sum(wide * x, axis=1, keepdims=True) * x)
        turn = np.stack([x, np.cross(z, x), z], axis=-1)
        scale = np.stack([np.linalg.norm(one, axis=1) for one in (along, thick, wide)], axis=1)
        return Places(points.mean(axis=(1, 2)), matrices_to_quaternions(turn), scale)

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
    u, wide, thick = shape_spindle(along, around)
    at = (place.min() + place.max()) / 2 + REACH * u * np.ptp(place) / 2
    turn = middle + (low + high) / 2 + WIDTH * (high - low) / 2 * wide
    deep = (depth.min() + depth.max()) / 2 + np.ptp(depth) / 2 * thick
    return core.lay(at, deep, turn)


def shape_spindle(along: int, around: int) -> tuple[Floats, Floats, Floats]:
    """Along, across and through a spindle [ring, around], each from -1 to 1."""
    u = -np.cos(np.linspace(0, np.pi, along))[:, None]
    phi = 2 * np.pi * np.arange(around) / around
    wide = (1 - np.abs(u) ** BLUNT).clip(0) ** (1 / BLUNT) * np.cos(phi)
    thick = np.sqrt((1 - u**2).clip(0)) * np.sin(phi)
    return np.broadcast_to(u, wide.shape), wide, thick


# One of length, thickness and width one along x, y and z, its front first.
SPINDLE = build_rings(
    np.stack(shape_spindle(9, 8), axis=-1)[..., [0, 2, 1]] * np.array([-0.5, 0.5, 0.5])
)
