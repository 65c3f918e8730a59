"""The built-in meshes: made here, not loaded, and the same everywhere. They are ten cm long."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from skitter.terrain.knot import build_knot
from skitter.terrain.mesh_repair import Surface
from skitter.terrain.skull import build_skull
from skitter.terrain.surface_nets import build_net

Floats = NDArray[np.floating]
Net = tuple[Floats, NDArray[np.int64]]

SIZE = 10.0  # cm


def build_ball() -> Net:
    box = np.full(3, 1.15)
    return build_net(lambda p: np.linalg.norm(p, axis=1) - 1, -box, box, 0.06)


def build_torus() -> Net:
    """A ring that lies flat."""

    def field(p: Floats) -> Floats:
        return np.hypot(np.hypot(p[:, 0], p[:, 2]) - 0.7, p[:, 1]) - 0.3

    box = np.array([1.1, 0.4, 1.1])
    return build_net(field, -box, box, 0.045)


def build_pebble() -> Net:
    """A flattened, uneven stone."""

    def field(p: Floats) -> Floats:
        bumps = 0.05 * np.sin(3.1 * p[:, 0] + 0.7) * np.sin(2.7 * p[:, 2] - 0.4)
        bumps += 0.03 * np.sin(5.3 * p[:, 1] + 2.1 * p[:, 0]) * np.cos(4.1 * p[:, 2] + 1.3)
        return np.linalg.norm(p / np.array([1.0, 0.55, 0.75]), axis=1) ** 2 / 2 - 0.5 + bumps

    box = np.array([1.3, 0.85, 1.1])
    return build_net(field, -box, box, 0.055)


SHAPES: dict[str, Callable[[], Net]] = {
    "ball": build_ball,
    "knot": build_knot,
    "pebble": build_pebble,
    "skull": build_skull,
    "torus": build_torus,
}


@cache
def build_shape(name: str) -> Surface:
    """A built-in mesh, made once."""
    points, triangles = SHAPES[name]()
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    return Surface(points * (SIZE / float(np.ptp(points, axis=0).max())), triangles, True)
