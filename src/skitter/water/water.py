"""The water of a world: where its bed is, whom it follows, what of it is recorded."""

from collections.abc import Mapping

import numpy as np

from skitter.channel import Channel, Static
from skitter.errors import UserError
from skitter.scene.spec import WaterSpec
from skitter.terrain import Terrain
from skitter.water.grid import SOLID
from skitter.water.pool import Pool
from skitter.water.stir import BAR_SIZE
from skitter.water.surface import NO_WATER, WaterSurface, build_still_water

ABOVE = 1e-6  # cm above the level, from where the bed is looked for
# name, dimensions, type, unit, what it is
CHANNELS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    ("water_surface", ("water_x", "water_z"), "float32", "cm", "height of the surface; NaN if dry"),
    ("water_origin", ("xz",), "float64", "cm", "x and z of the middle of cell 0, 0"),
    ("water_volume", (), "float64", "cm3", "volume of the water"),
    (
        "water_velocity",
        ("water_x", "water_z", "xz"),
        "float32",
        "cm/s",
        "velocity of the water along x and z, at the middles of cells",
    ),
)


class Water:
    """Water of a scene: a sheet with waves, or a flat surface without end."""

    def __init__(
        self,
        spec: WaterSpec,
        terrain: Terrain,
        barrier: Terrain,
        *,
        gravity: float,
        real: type,
        seed: int = 0,
    ):
        self.spec, self.terrain, self.barrier = spec, terrain, barrier
        self.rain = spec.rain  # drops per second
        self.moved = np.zeros(2, np.int64)  # cells that the grid has moved along x and z
        self.pool: Pool | None = None
        if not spec.waves:
            return
        bed = self._find_bed(np.ones(spec.shape, bool))
        if not (bed < spec.level).any():
            raise UserError(
                f"water.level {spec.level:g} is below the terrain everywhere in its area of"
                f" {spec.area[0]:g} x {spec.area[1]:g} cm; valid: more than {bed.min():.4g},"
                " or an area elsewhere"
            )
        is_open = spec.edges == "open"
        self.pool = Pool(
            bed, spec.cell, spec.level, gravity=gravity, real=real, is_open=is_open, seed=seed
        )

    @property
    def origin(self) -> np.ndarray:
        """[2] cm, x and z of the middle of cell 0, 0."""
        return np.asarray(self._start + self.moved * self.spec.cell)

    @property
    def _start(self) -> np.ndarray:
        """Where that was before the grid has moved."""
        spec = self.spec
        return np.array(spec.at) - (np.array(spec.shape) - 1) / 2 * spec.cell

    def _find_bed(self, wanted: np.ndarray) -> np.ndarray:
        """Heights of the bed [x, z] in the wanted cells; SOLID where an obstacle stands."""
        spec, cells = self.spec, np.argwhere(wanted)
        points = np.full((len(cells), 3), spec.level + ABOVE)
        # whole numbers first: a cell has the same place however the grid has come there
        points[:, ::2] = self._start + (self.moved + cells) * spec.cell
        heights = np.maximum(find_ground(self.terrain, points), spec.level - spec.depth)
        if len(self.barrier.arrays.kind):
            heights[self.barrier.is_inside(points)] = SOLID
        bed = np.zeros(wanted.shape)
        bed[wanted] = heights
        return bed

    def surface(self) -> WaterSurface:
        """The surface as it is now, as a copy."""
        spec, pool = self.spec, self.pool
        if pool is None:
            return build_still_water(spec.level, spec.density)
        # below land the surface goes on at the level: between a wet and a dry cell it must not rise
        height = np.where(pool.is_wet, pool.surface, np.minimum(pool.bed, spec.level)).astype(float)
        beyond = spec.level if spec.edges == "open" else NO_WATER
        return WaterSurface(height, self.origin, spec.cell, beyond, spec.density)

    def settle(self, stirrers: np.ndarray) -> None:
        """Let bodies be in the water as it is filled in."""
        if self.pool is not None:
            self.pool.settle(as_bars(stirrers), *self.origin)

    def follow(self, point: np.ndarray) -> None:
        """Move the grid by whole cells, so that its middle is near a point [3]."""
        pool = self.pool
        if pool is None:
            return
        away = (np.asarray(point, float)[::2] - self.spec.at) / self.spec.cell - self.moved
        if not np.isfinite(away).all():
            return
        # not before it is most of a cell away, or it would move to and fro
        rows, columns = (round(x) if abs(x) > 0.75 else 0 for x in away)
        if rows or columns:
            self.moved += (rows, columns)
            kept = np.zeros(pool.shape, bool)
            kept[max(-rows, 0) : max(pool.shape[0] - max(rows, 0), 0)] = True
            kept[:, : max(-columns, 0)] = False
            kept[:, max(pool.shape[1] - max(columns, 0), 0) :] = False
            pool.shift(rows, columns, self._find_bed(~kept))

    def set_barrier(self, barrier: Terrain) -> None:
        """Let water flow around other obstacles from now on."""
        if self.pool is None or barrier is self.barrier:
            return
        self.barrier = barrier
        self.pool.set_bed(self._find_bed(np.ones(self.pool.shape, bool)))

    def advance(
        self, seconds: float, stirrers: np.ndarray, *, gravity: float, threads: int = 1
    ) -> None:
        """Let rain fall and water flow, with bodies [n, 14] on the way to where they are given."""
        if self.pool is None:
            return
        self.pool.set_gravity(gravity)
        self.pool.rain(self.rain * seconds, self.spec.rain_radius)
        self.pool.advance(seconds, as_bars(stirrers), *self.origin, threads=threads)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()

    def list_channels(self) -> list[Channel]:
        values = self.read()
        return [
            Channel(name, dims, values[name].shape, dtype, unit, about)
            for name, dims, dtype, unit, about in CHANNELS
            if name in values
        ]

    def list_statics(self) -> list[Static]:
        if self.pool is None:
            return []
        return [Static("water_cell", (), np.array(self.spec.cell), "cm", "edge of a cell")]

    def read(self) -> dict[str, np.ndarray]:
        """The values of all channels now."""
        pool = self.pool
        if pool is None:
            return {}
        values = {
            "water_surface": np.where(pool.is_wet, pool.surface, np.nan).astype(np.float32),
            "water_origin": self.origin,
            "water_volume": np.array(pool.volume),
        }
        if self.spec.record_velocity:
            u, w = pool.u, pool.w
            middle = (u[1:] + u[:-1]) / 2, (w[:, 1:] + w[:, :-1]) / 2
            values["water_velocity"] = np.stack(middle, axis=-1).astype(np.float32)
        return values

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes, as copies."""
        if self.pool is None:
            return {}
        own = {"moved": self.moved.copy(), "rain": np.array(self.rain)}
        return {f"water_{name}": array for name, array in (own | self.pool.state()).items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state; `barrier` has the obstacles that were there then."""
        if self.pool is None:
            return
        prefix = "water_"
        own = {name.removeprefix(prefix): state[name] for name in state if name.startswith(prefix)}
        self.moved[...], self.rain = own["moved"], float(own["rain"])
        self.pool.bed[...] = self._find_bed(np.ones(self.pool.shape, bool))
        self.pool.restore(own)


def as_bars(stirrers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(stirrers, float).reshape(-1, BAR_SIZE)


def find_ground(terrain: Terrain, points: np.ndarray) -> np.ndarray:
    """Height of the ground below points [n, 3], or above those that lie in it; -inf: none.

    What hangs over a point is not looked at, so that there is water under bridges.
    """
    if not len(terrain.arrays.kind):
        return np.full(len(points), -np.inf)
    down = np.tile([0.0, -1.0, 0.0], (len(points), 1))
    heights = points[:, 1] - terrain.cast(points, down)[0]
    inside = terrain.is_inside(points)
    if inside.any():
        heights[inside] = terrain.height(points[inside, 0], points[inside, 2])
    return heights
