"""The nest of ants: a funnel of damp earth that darkens inwards, and the grains dug out of it.

It lies on the ground as a thin sheet, which nobody feels: feet walk where the ground is, so the
wall around it is low. Each tone of earth is a solid of its own, because most formats have one
colour for each; grains that are strewn over the edges between tones make one change of them.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.habitat import find_habitat
from skitter.look.mesh import Mesh, join_meshes, ring_triangles, unit_rows
from skitter.look.terrain import UP, Solid, open_ground
from skitter.rotation import matrix_from_turn
from skitter.terrain import Terrain

Floats = NDArray[np.floating]
EARTH = "#73502f"
HOLE = 1.0  # where the funnel begins; this and all that follows is in radii
EDGES = (*np.linspace(0.2, HOLE, 13), 1.14, 1.28, 1.43, 1.6, 1.8)  # of tones, outwards
# from the middle outwards: how much light comes back, and how much of the colour is the ground's
LIGHT = ((0.2, 0.006), (0.45, 0.03), (0.75, 0.12), (1.0, 0.38), (1.25, 0.62), (1.8, 0.76))
AROUND_IT = ((0.5, 0.0), (1.0, 0.1), (1.4, 0.4), (1.8, 0.75))
WALL = ((0.0, 0.012), (0.9, 0.012), (1.12, 0.05), (1.3, 0.06), (1.85, 0.0))  # its profile
SUNK = -0.012  # its last row, so that the ground has the last word on where it ends
BUMPS = 0.014  # of the wall
AROUND = 96  # points of a ring
TURN = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
ROWS = 3  # from one edge to the next
WAVER = 0.45  # how far edges but that of the hole wander, of the way to the next: none cross
GRAINS = 2400
GRAIN_SIZE = (0.014, 0.044)  # from the finest to the coarsest
STREWN = (0.45, 3.0)  # where grains lie
PILE = 0.05  # how high they are heaped up on the wall
SEED = 11


def build_nest(scene: dict[str, Any]) -> list[Solid]:
    """The nest of a recorded scene, as pieces of terrain; none where it has none."""
    nest = scene.get("nest")
    if not nest:
        return []
    ground = Ground(open_ground(scene), np.array(nest["at"], float), float(nest["radius"]))
    rng = np.random.default_rng(SEED)
    pieces = list(zip(lay_rings(ground, rng), strew_grains(ground, rng), strict=True))
    colours = mix_tones(scene)
    return [
        Solid(mesh := join_meshes([ring, *grains]), colour, mesh.points)
        for (ring, grains), colour in zip(pieces, colours, strict=True)
    ]


def mix_tones(scene: dict[str, Any]) -> Floats:
    """Colours [tone, 3] of damp earth and ever more of the ground around; linear light."""
    first: dict[str, Any] = next(iter(scene.get("terrain") or []), {})
    around = read_colour(first.get("colour") or find_habitat(scene).ground)
    light, share = (np.interp(EDGES, *np.transpose(rows)) for rows in (LIGHT, AROUND_IT))
    mixed = (1 - share)[:, None] * 1.6 * read_colour(EARTH) + share[:, None] * around
    return np.asarray(light[:, None] * mixed)


class Ground:
    """The ground around a nest, as seen along its normal."""

    def __init__(self, terrain: Terrain, at: Floats, radius: float) -> None:
        self._terrain, self.radius = terrain, radius
        self.is_there = len(terrain.arrays.kind) > 0
        self.foot = terrain.closest_point(at)[0] if self.is_there else at
        self.normal = terrain.sample(self.foot)[1][0] if self.is_there else UP
        hint = np.array([1.0, 0.0, 0.0]) if abs(self.normal[0]) < 0.9 else UP
        across = np.cross(hint, self.normal)
        self._across = across / np.linalg.norm(across)
        self._along = np.cross(self.normal, self._across)

    def place(self, away: Floats, angle: Floats, rise: Floats) -> Floats:
        """Points [point, 3] so far from the middle and above the ground, in radii."""
        out = np.cos(angle)[:, None] * self._along + np.sin(angle)[:, None] * self._across
        level = self.foot + self.radius * away[:, None] * out
        return level + (self._find_rise(level) + self.radius * rise)[:, None] * self.normal

    def _find_rise(self, level: Floats) -> Floats:
        """How far the ground is above some points of the plane that touches it at the middle."""
        if not self.is_there:
            return np.zeros(len(level))
        high = 2 * self.radius
        down = np.tile(-self.normal, (len(level), 1))
        rise = high - self._terrain.cast(level + high * self.normal, down)[0]
        return np.where(np.abs(rise) < high, rise, 0.0)  # beyond an edge it goes on as it was


def lay_rings(ground: Ground, rng: np.random.Generator) -> list[Mesh]:
    """A ring of ground for every tone, the first of which is a disc; each begins where one ends."""
    edges = [np.full(AROUND, edge) for edge in (1e-3, *EDGES)]
    room = np.minimum.reduce([np.diff(EDGES, prepend=0.0), np.diff(EDGES, append=np.inf)])
    for edge, gap in zip(edges[1:], room, strict=True):
        if edge[0] != HOLE:
            edge += WAVER * gap * draw_waves(rng)
    away = np.array([before + k / ROWS * (edge - before) for before, edge in pairwise(edges)
                     for k in range(ROWS)] + edges[-1:])  # fmt: skip
    rise = np.interp(away, *np.transpose(WALL))
    rise += BUMPS * rng.uniform(-1, 1, away.shape) * ((away > 1.02) & (away < 1.7))
    rise[-1] = SUNK
    angle = np.tile(TURN, len(away))
    points = ground.place(away.ravel(), angle, rise.ravel()).reshape(*away.shape, 3)
    along = np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)
    normals = unit_rows(np.cross(along, np.gradient(points, axis=0)))
    return [cut_ring(points, normals, ROWS * tone) for tone in range(len(EDGES))]


def cut_ring(points: Floats, normals: Floats, first: int) -> Mesh:
    """The rows of a sheet [row, around, 3] from one edge to the next."""
    rows = slice(first, first + ROWS + 1)
    return Mesh(
        points[rows].reshape(-1, 3), normals[rows].reshape(-1, 3), ring_triangles(ROWS + 1, AROUND)
    )


def draw_waves(rng: np.random.Generator) -> Floats:
    """How an edge wanders, once around [around], from -1 to 1."""
    turns = np.arange(2, 14)[:, None]
    waves = np.sin(turns * TURN + rng.uniform(0, 2 * np.pi, turns.shape)) / np.sqrt(turns)
    return np.clip(waves.sum(axis=0) / 2, -1, 1)


def strew_grains(ground: Ground, rng: np.random.Generator) -> list[list[Mesh]]:
    """Grains for every tone: heaped on the wall, ever fewer outwards and into the funnel."""
    away = 1.36 + 0.36 * rng.standard_normal(GRAINS)
    away = np.where(away > 1.5, 1.5 + 1.35 * (away - 1.5), away).clip(*STREWN)
    size = rng.uniform(*GRAIN_SIZE, GRAINS) * np.where(away < HOLE, 0.6, 1.0)
    heap = PILE * np.exp(-(((away - 1.25) / 0.2) ** 2)) * rng.uniform(0, 1, GRAINS)
    rise = np.maximum(np.interp(away, *np.transpose(WALL)), 0) + heap + 0.25 * size
    points = ground.place(away, rng.uniform(0, 2 * np.pi, GRAINS), rise)
    # one from deeper down is darker; in the funnel all are a little lighter than what they lie on
    tone = np.searchsorted(EDGES, away + rng.uniform(-0.3, 0.15, GRAINS))
    tone = np.where(away < HOLE, tone + 1, np.maximum(tone, 12)).clip(0, len(EDGES) - 1)
    grains: list[list[Mesh]] = [[] for _ in EDGES]
    for point, radius, one in zip(points, ground.radius * size, tone, strict=True):
        grains[one].append(build_grain(point, float(radius), rng))
    return grains


def build_grain(point: Floats, radius: float, rng: np.random.Generator) -> Mesh:
    """A crumb with eight blunt corners."""
    turn = matrix_from_turn(tuple(rng.uniform(0, 360, 3)))
    squash = radius * rng.uniform(0.7, 1.15, 3)
    return CRUMB.scaled(squash).moved(point, turn)


def _build_crumb() -> Mesh:
    """A cube blown up to a ball, its normals smooth: round from afar, and of few triangles."""
    corner = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    corner = np.concatenate([corner / np.sqrt(3), np.eye(3), -np.eye(3)])
    faces = []
    for k in range(3):
        for sign, middle in ((1, 8 + k), (-1, 11 + k)):
            ring = [i for i in range(8) if sign * corner[i][k] > 0]
            u, v = corner[ring][:, (k + 1) % 3], corner[ring][:, (k + 2) % 3]
            ring = [ring[i] for i in np.argsort(np.arctan2(v, u))][::sign]
            faces += [(middle, ring[i], ring[(i + 1) % 4]) for i in range(4)]
    return Mesh(corner, corner, np.array(faces))


CRUMB = _build_crumb()
