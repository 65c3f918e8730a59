"""The muscles of a worm as spindles in the wall of its body, coloured by what they do."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import build_rings, unit_rows
from skitter.look.motion import Pose
from skitter.look.organs import Core, Organ
from skitter.look.placing import Places, flatten_places
from skitter.rotation import matrices_to_quaternions

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
WIDTH = 0.9  # of the wall's sector that a muscle has
BLUNT = 4.0  # how square a spindle is: 2 is an ellipse
REACH = 0.98  # of its length
PIECES, OVERLAP = 5, 0.2  # of a muscle in the browser, and how much longer each is than its way


class Muscles(Organ):
    """All muscles; pale at rest, strong where they contract."""

    def __init__(self, core: Core, spindles: Floats, relaxed: Floats, contracted: Floats) -> None:
        """`spindles` [muscle, ring, around, 3] cm, at rest; colours [3] linear light."""
        super().__init__("muscles", core, spindles, relaxed)
        self._relaxed, self._contracted = relaxed, contracted
        self._shape = spindles.shape
        places = -np.cos(np.linspace(0, np.pi, spindles.shape[1]))
        self._cuts = [int(np.argmin(np.abs(places - at))) for at in np.linspace(-1, 1, PIECES + 1)]

    @property
    def is_recoloured(self) -> bool:
        return True

    def tints(self, pose: Pose) -> Floats:
        """A colour for each muscle [..., muscle, 3]."""
        share = np.clip(pose.muscle_activation, 0, 1)[..., None]
        return np.asarray((1 - share) * self._relaxed + share * self._contracted)

    def place(self, pose: Pose) -> Places:
        """Each in pieces from head to tail, straight along x, y outwards: places and sizes."""
        points = (self._weights @ pose.node_position).reshape(self._shape)
        quarter = self._shape[2] // 4
        ring = points[:, self._cuts]  # [muscle, cut, around, 3]
        middle = ring.mean(axis=2)
        along = middle[:, :-1] - middle[:, 1:]
        wide, thick = (
            widen(ring[:, :, k * quarter] - ring[:, :, (k + 2) * quarter]) for k in (0, 1)
        )
        x = unit_rows(along)
        z = unit_rows(wide - np.sum(wide * x, axis=-1, keepdims=True) * x)
        turn = matrices_to_quaternions(np.stack([x, np.cross(z, x), z], axis=-1))
        size = [np.linalg.norm(one, axis=-1) for one in (along, thick, wide)]
        scale = np.stack([(1 + OVERLAP) * size[0], *size[1:]], axis=-1)
        return flatten_places((middle[:, :-1] + middle[:, 1:]) / 2, turn, scale)

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


def shape_spindle(
    along: int, around: int, *, blunt: float = BLUNT
) -> tuple[Floats, Floats, Floats]:
    """Along, across and through a spindle [ring, around], each from -1 to 1."""
    u = -np.cos(np.linspace(0, np.pi, along))[:, None]
    phi = 2 * np.pi * np.arange(around) / around
    wide = (1 - np.abs(u) ** blunt).clip(0) ** (1 / blunt) * np.cos(phi)
    thick = np.sqrt((1 - u**2).clip(0)) * np.sin(phi)
    return np.broadcast_to(u, wide.shape), wide, thick


def widen(across: Floats) -> Floats:
    """Of pieces between cuts [muscle, cut, 3]: as wide as at the wider end, a little less."""
    start, end = across[:, :-1], across[:, 1:]
    is_wider = np.linalg.norm(start, axis=-1) > np.linalg.norm(end, axis=-1)
    return np.asarray(0.95 * np.where(is_wider[..., None], start, end))


# A piece of length, thickness and width one along x, y and z, its front first.
PIECE = build_rings(
    np.stack(shape_spindle(7, 8, blunt=6.0), axis=-1)[..., [0, 2, 1]] * np.array([-0.5, 0.5, 0.5])
)
