"""Hair of climbers: fine spikes that grow out of a shape and lean along it.

A hair is a tetrahedron. Its normals are mostly those of the skin it grows on, so that fur takes the
light as a soft surface does, and not as a heap of needles.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.hull import Shape
from skitter.look.mesh import Mesh, unit_rows

Floats = NDArray[np.floating]
LONG_SHARE, LONG = 0.1, 2.2  # of the hairs, and how much longer these are
DOWN_SHARE, DOWN = 0.6, 0.4  # likewise of those that are short and lie close
SIDES = 3
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
SKIN_SHARE = 0.7  # of the skin's normal in that of a hair


@dataclass(frozen=True)
class Hair:
    """How the hair of a shape grows."""

    count: int
    length: float  # cm, of the usual one
    width: float  # cm, radius at the root
    colour: Floats  # [3] linear light, of its tip
    lean: float = 0.9  # along the lie, for each length outwards
    lie: tuple[float, float, float] = (1.0, 0.0, 0.0)
    tone: float = 0.5  # of the skin's colour in its own


def grow_hair(skin: Shape, hair: Hair, seed: int, weight: Floats | None = None) -> Shape | None:
    """The hair of a shape; `weight` [triangle] says where it is dense."""
    if hair.count < 1:
        return None
    rng = np.random.default_rng(seed)
    mesh = skin.mesh
    corners = mesh.points[mesh.triangles]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    dense = area if weight is None else area * weight
    if dense.sum() <= 0:
        return None
    chosen = mesh.triangles[rng.choice(len(area), hair.count, p=dense / dense.sum())]
    share = rng.dirichlet(np.ones(3), hair.count)[..., None]
    root = (share * mesh.points[chosen]).sum(axis=1)
    normal = unit_rows((share * mesh.normals[chosen]).sum(axis=1))
    under = (share * skin.colours[chosen]).sum(axis=1)
    long = hair.length * rng.uniform(0.55, 1.25, hair.count)
    kind = rng.random(hair.count)
    is_down = kind > 1 - DOWN_SHARE
    long *= np.where(kind < LONG_SHARE, LONG, np.where(is_down, DOWN, 1.0))
    lie = np.array(hair.lie) - normal * (normal @ np.array(hair.lie))[:, None]
    lean = hair.lean * np.where(is_down, 2.2, 1.0)[:, None]
    way = unit_rows(normal + lean * lie + 0.28 * rng.normal(size=root.shape))
    return spike(root, way, long, normal, hair, under, rng)


def spike(
    root: Floats,
    way: Floats,
    long: Floats,
    normal: Floats,
    hair: Hair,
    under: Floats,
    rng: np.random.Generator,
) -> Shape:
    """Hairs [hair, …] as one shape."""
    count = len(root)
    side = unit_rows(
        np.cross(way, np.where(np.abs(way[:, :1]) < 0.8, [[1.0, 0, 0]], [[0, 1.0, 0]]))
    )
    over = np.cross(way, side)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * over[:, None]
    foot = root - 0.3 * hair.width * normal
    points = np.concatenate(
        [foot[:, None] + hair.width * ring, (root + long[:, None] * way)[:, None]], axis=1
    )
    outward = np.concatenate([ring, way[:, None]], axis=1)
    normals = unit_rows(SKIN_SHARE * normal[:, None] + (1 - SKIN_SHARE) * outward)
    own = (1 - hair.tone) * hair.colour + hair.tone * under
    tone = own * rng.uniform(0.7, 1.25, (count, 1))
    low = 0.75 * under + 0.25 * tone
    colours = np.concatenate([np.repeat(low[:, None], SIDES, axis=1), tone[:, None]], axis=1)
    triangles = FACES + (SIDES + 1) * np.arange(count)[:, None, None]
    mesh = Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles.reshape(-1, 3))
    return Shape(mesh, np.clip(colours.reshape(-1, 3), 0, 1))


def measure_area(shape: Shape) -> float:
    """cm²."""
    a, b, c = (shape.mesh.points[shape.mesh.triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
