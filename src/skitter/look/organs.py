"""What lies inside a worm and is seen through its skin: pharynx, gut, eggs and muscles.

All are laid out on the body at rest, along its axis x, and then carried by its tets. Places along
the body are shares of its length from the head; radii are shares of the skin's there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.interpolate import PchipInterpolator

from skitter.look.embed import embed_smoothly
from skitter.look.mesh import Mesh, ring_triangles, unit_rows
from skitter.look.motion import Pose
from skitter.look.swimmer import sum_corners

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
AXIS = np.array([1.0, 0.0, 0.0])
BINS = 80  # along the body, in which the skin's radius is looked up
# Two bulbs and a thin neck between them, drawn by eye after photographs; not from measurements.
PHARYNX = [
    *[(0.004, 0.0), (0.008, 0.16), (0.02, 0.26), (0.045, 0.34), (0.06, 0.37), (0.072, 0.50)],
    *[(0.082, 0.56), (0.092, 0.50), (0.1, 0.30), (0.108, 0.2), (0.125, 0.18), (0.134, 0.25)],
    *[(0.142, 0.50), (0.152, 0.62), (0.162, 0.58), (0.17, 0.36), (0.174, 0.2), (0.176, 0.0)],
]
# From the valve behind the pharynx to the anus, twenty cells in a row of rings of two.
GUT = [
    *[(0.172, 0.0), (0.176, 0.2), (0.184, 0.44), (0.2, 0.55), (0.26, 0.52), (0.4, 0.45)],
    *[(0.5, 0.40), (0.6, 0.45), (0.75, 0.52), (0.86, 0.5), (0.9, 0.42), (0.93, 0.24)],
    *[(0.945, 0.12), (0.955, 0.1), (0.958, 0.0)],
]
LUMPS, LUMP_HEIGHT = 18, 0.07  # of the gut, between its cells; share of its radius
GRAINS = (0.9, 0.32)  # of the gut's radius: sizes of coarse and fine granules
EGGS = ((0.44, 1), (0.475, -1), (0.515, 1), (0.55, -1))  # place, and to which side of the gut
EGG_SIZE = (0.024, 0.42)  # half its length, of the body's; its radius


@dataclass(frozen=True)
class Core:
    """The inside of a body at rest: its tets, its axis, and how wide it is along it."""

    rest: Floats  # [node, 3] cm
    tets: Ints
    head: Floats  # [3] cm, the front end of the axis
    length: float  # cm
    radius: PchipInterpolator  # cm, at shares of the length

    def lay(self, place: Floats, radius: Floats, angle: Floats) -> Floats:
        """Points [..., 3] at places, at radii of the skin's and at angles from up to the right."""
        wide = radius * self.radius(place)
        across = [wide * np.cos(angle), wide * np.sin(angle)]
        return self.head + np.stack([-self.length * place + 0 * wide, *across], axis=-1)


def measure_core(rest: Floats, tets: Ints, surface: Ints) -> Core:
    """Finds the axis and the radius of a body [node, 3] that lies along x."""
    low, high = rest.min(axis=0), rest.max(axis=0)
    head = (low + high) / 2
    head[0] = high[0]
    nodes = rest[np.unique(surface)] - head
    length = float(high[0] - low[0])
    place, wide = -nodes[:, 0] / length, np.hypot(nodes[:, 1], nodes[:, 2])
    number = np.minimum((place * BINS).astype(int), BINS - 1)
    bins = np.unique(number)
    at = np.array([place[number == one].mean() for one in bins])
    most = np.array([wide[number == one].max() for one in bins])
    return Core(rest, tets, head, length, PchipInterpolator(at, most))


class Organ:
    """Closed surfaces of one kind inside a body."""

    def __init__(self, kind: str, core: Core, shells: Floats, colours: Floats) -> None:
        """`shells` [shell, ring, around, 3] cm at rest, the end rings of each of them poles.

        Colours are for all points [shell, ring, around, 3] or fewer axes, in linear light.
        """
        self.kind = kind
        count, rings, around = shells.shape[:3]
        flat = shells.reshape(-1, 3)
        self._weights = embed_smoothly(flat, core.rest, core.tets, AXIS)
        one = drop_empty(shells[0].reshape(-1, 3), ring_triangles(rings, around))
        self.triangles = np.concatenate([one + rings * around * k for k in range(count)])
        self._corner_sum = sum_corners(self.triangles, len(flat))
        self._poles = sparse.block_diag([join_poles(rings, around)] * count, format="csr")
        self.owner = np.repeat(np.arange(count), rings * around)  # [point] its shell
        self.colours = np.broadcast_to(np.clip(colours, 0, 1), shells.shape).reshape(-1, 3)

    def at(self, pose: Pose) -> Mesh:
        """The organ where the pose has the nodes."""
        points = self._weights @ pose.node_position
        a, b, c = (points[self.triangles[:, k]] for k in range(3))
        total = self._poles @ (self._corner_sum @ np.cross(b - a, c - a))
        return Mesh(points, unit_rows(total), self.triangles)

    def colours_at(self, pose: Pose) -> Floats:
        """Of all points [point, 3] at a moment."""
        return self.colours

    @property
    def is_recoloured(self) -> bool:
        """Whether its colours change."""
        return False

    def outline(self, pose: Pose) -> Floats:
        """Nothing: the nodes of the body lie around it."""
        return np.zeros((0, 3))


def drop_empty(points: Floats, triangles: Ints) -> Ints:
    """The triangles that have an area, seen from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    has_area = np.linalg.norm(facing, axis=1) > 1e-9 * np.linalg.norm(facing, axis=1).max()
    is_inward = np.einsum("ti,ti->", facing, a + b + c - 3 * points.mean(axis=0)) < 0
    return triangles[has_area][:, ::-1] if is_inward else triangles[has_area]


def join_poles(rings: int, around: int) -> sparse.csr_matrix:
    """Adds up values of the points of either pole, which are one place."""
    pole = np.ones((around, around))
    inner = sparse.identity((rings - 2) * around)
    return sparse.csr_matrix(sparse.block_diag([pole, inner, pole]))


def build_lathe(
    core: Core, rows: list[tuple[float, float]], *, along: int, around: int
) -> tuple[Floats, Floats, Floats]:
    """Places and radii of rings along a profile, and angles around; rings are closer at bends."""
    at, radius = np.array(rows).T
    many = np.linspace(at[0], at[-1], 4000)
    curve = PchipInterpolator(at, radius)
    slope = np.gradient(curve(many) * core.radius(many), many * core.length)
    density = np.cumsum(np.sqrt(1 + slope**2))
    place = np.interp(np.linspace(density[0], density[-1], along), density, many)
    size = np.clip(curve(place), 0, None)
    size[[0, -1]] = 0.0
    return place, size, 2 * np.pi * np.arange(around) / around


def build_pharynx(core: Core, colour: Floats, *, along: int, around: int) -> Organ:
    """A muscular tube with two bulbs, paler where it is thin."""
    place, radius, angle = build_lathe(core, PHARYNX, along=along, around=around)
    rings = core.lay(place[:, None], radius[:, None] * np.ones(around), angle)
    shade = 1.25 - 0.5 * (radius / radius.max())[:, None, None]
    return Organ("pharynx", core, rings[None], shade * colour)


def build_gut(core: Core, colour: Floats, *, along: int, around: int) -> Organ:
    """A tube of granules, dark and pale, knobbed by its cells."""
    place, radius, angle = build_lathe(core, GUT, along=along, around=around)
    grain = draw_granules(place * core.length / (0.5 * float(core.radius(0.5))), angle)
    knob = np.cos(2 * np.pi * LUMPS * place)[:, None] * np.cos(angle + 0.6)
    swollen = radius[:, None] * (1 + LUMP_HEIGHT * knob + 0.035 * grain)
    swollen[[0, -1]] = 0.0
    shade = np.clip(1 + 0.42 * grain, 0.35, 2.4)[..., None]
    warm = np.array([1.12, 1.0, 0.78]) ** np.clip(grain, -1, 1)[..., None]
    return Organ("gut", core, core.lay(place[:, None], swollen, angle)[None], shade * warm * colour)


def draw_granules(along: Floats, angle: Floats) -> Floats:
    """Speckles over a tube [ring, around], spread about one; `along` is in radii of the tube."""
    rng = np.random.default_rng(11)
    total = np.zeros((len(along), len(angle)))
    for size, strength in zip(GRAINS, (0.6, 0.8), strict=True):
        turns = max(int(2 * np.pi / size), 3)
        grid = rng.normal(size=(int(along.max() / size) + 4, turns))
        rows = np.broadcast_to(along[:, None] / size, total.shape)
        columns = np.broadcast_to(angle / (2 * np.pi) * turns, total.shape)
        total += strength * ndimage.map_coordinates(
            grid, [rows, columns], order=2, mode="grid-wrap"
        )
    return total


def build_eggs(core: Core, colour: Floats, *, around: int) -> Organ:
    """Eggs in the womb, beside the gut, each a ball drawn long."""
    u = np.cos(np.linspace(0, np.pi, around))[:, None]
    angle = 2 * np.pi * np.arange(around) / around
    size = EGG_SIZE[1] * np.sqrt(np.clip(1 - u**2, 0, 1))
    shells = []
    for place, side in EGGS:
        wide = float(core.radius(place))
        middle = core.head + np.array([-place * core.length, 0.1 * wide, -0.38 * side * wide])
        along = EGG_SIZE[0] * core.length * u + 0 * angle
        across = [wide * size * np.cos(angle), wide * size * np.sin(angle)]
        shells.append(middle + np.stack([along, *across], axis=-1))
    return Organ("eggs", core, np.array(shells), colour)
