"""Pheromone on the ground: a field over x and z that is laid, evaporates and spreads.

    dc/dt = D (d²c/dx² + d²c/dz²) - c / tau + what is laid ,   tau = half_life / ln 2 .

Nothing crosses the edges. Steps are explicit, each no longer than D dt / cell² = 1/4, which is
stable and keeps the field positive. On the grid the sum changes by evaporation and laying alone,
and the variance of a drop grows by 2 D t along each axis, both exactly; c is an amount per cm².
"""

from collections.abc import Mapping
from math import ceil, log

import numpy as np

from skitter.channel import Channel, Static
from skitter.scene.trails import STABLE, TrailsSpec


class Trails:
    """The field of a running world."""

    def __init__(self, spec: TrailsSpec):
        self.spec = spec
        self.amount = np.zeros(spec.shape)  # [x, z] per cm²
        self.corner = np.array(spec.at) - (np.array(spec.shape) - 1) * spec.cell / 2

    def advance(self, seconds: float) -> None:
        """Spread and evaporate."""
        spec, c = self.spec, self.amount
        total = spec.diffusion * seconds / spec.cell**2
        for _ in range(ceil(total / STABLE)):
            flow = total / ceil(total / STABLE)
            across, along = flow * np.diff(c, axis=0), flow * np.diff(c, axis=1)
            c[:-1] += across
            c[1:] -= across
            c[:, :-1] += along
            c[:, 1:] -= along
        c *= 0.5 ** (seconds / spec.half_life)

    def lay(self, point: np.ndarray, amount: float) -> None:
        """Lay an amount at a point [3], cm, shared by the four cells around it; what would fall
        outside of the area is lost."""
        (i, j), (u, v), is_inside = self._locate(point)
        if not is_inside:
            return
        share = amount / self.spec.cell**2
        self.amount[i : i + 2, j : j + 2] += share * np.outer((1 - u, u), (1 - v, v))

    def sense(self, point: np.ndarray) -> float:
        """How much there is at a point [3], per cm²."""
        (i, j), (u, v), is_inside = self._locate(point)
        if not is_inside:
            return 0.0
        four = self.amount[i : i + 2, j : j + 2]
        return float((1 - u) * ((1 - v) * four[0, 0] + v * four[0, 1])
                     + u * ((1 - v) * four[1, 0] + v * four[1, 1]))  # fmt: skip

    def _locate(self, point: np.ndarray) -> tuple[tuple[int, int], tuple[float, float], bool]:
        """The cell before a point, how far it is beyond that, and whether it is in the area."""
        x = (float(point[0]) - self.corner[0]) / self.spec.cell
        z = (float(point[2]) - self.corner[1]) / self.spec.cell
        rows, columns = self.amount.shape
        is_inside = 0 <= x <= rows - 1 and 0 <= z <= columns - 1
        if not is_inside:
            return (0, 0), (0.0, 0.0), False
        i, j = min(int(x), rows - 2), min(int(z), columns - 2)
        return (i, j), (x - i, z - j), True

    @property
    def total(self) -> float:
        """All of it."""
        return float(self.amount.sum()) * self.spec.cell**2

    @property
    def life(self) -> float:
        """Mean life of what is laid, s."""
        return self.spec.half_life / log(2)

    def list_channels(self) -> list[Channel]:
        about = "pheromone on the ground"
        dims = ("trail_x", "trail_z")
        return [Channel("trail", dims, self.amount.shape, "float32", "1/cm2", about)]

    def list_statics(self) -> list[Static]:
        return [
            Static("trail_corner", ("xz",), self.corner, "cm", "middle of the trails' first cell"),
            Static("trail_cell", (), np.array(self.spec.cell), "cm", "edge of a cell of them"),
        ]

    def read(self) -> dict[str, np.ndarray]:
        return {"trail": self.amount.astype(np.float32)}

    def state(self) -> dict[str, np.ndarray]:
        return {"trail": self.amount.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.amount[...] = state["trail"]
