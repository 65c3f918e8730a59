"""A sheet of shallow water over any bed, with bodies that stir it: arrays in, arrays out.

`skitter.water.Water` puts one into a world.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from skitter.errors import SimulationError
from skitter.water.flow import PAD
from skitter.water.grid import (
    DRY,
    FASTEST,
    SLOWEST_LIMIT,
    SOLID,
    Numbers,
    build_scratch,
    build_sheet,
)
from skitter.water.rain import let_drops_fall
from skitter.water.step import advance_sheet, copy_around, fill_around
from skitter.water.stir import BAR_SIZE, forget_bodies, put_in_bodies

NO_BARS = np.zeros((0, BAR_SIZE))
ROWS_PER_THREAD = 16  # fewer are not worth a thread


class Pool:
    """Water at rest at `level` over a bed [x, z] (cm; SOLID where there can be none)."""

    def __init__(
        self,
        bed: np.ndarray,
        cell: float,
        level: float,
        *,
        gravity: float = 981.0,
        real: type = np.float64,
        is_open: bool = False,
        seed: int = 0,
    ):
        rows, columns = bed.shape
        deepest = max(level - float(bed.min()), 0.0)
        self.numbers = Numbers(
            rows=rows,
            columns=columns,
            cell=float(cell),
            level=float(level),
            gravity=0.0,
            dry=max(DRY[np.dtype(real).name] * deepest, 1e-30),
            fastest=0.0,
            is_open=is_open,
        )
        self.deepest = deepest  # cm, of still water
        self.set_gravity(gravity)
        self.sheet = build_sheet(rows, columns, real, 1)
        self.sheet.stirred[:] = len(self.sheet.bed), -1
        self.now = 0  # which of two copies holds the water as it is
        self.steps = 0  # sub-steps of the last frame
        self.random = np.array([seed], np.uint64)  # of the rain
        self.due = np.zeros(1)  # drops that have not fallen yet
        self._workers: ThreadPoolExecutor | None = None
        self.inside(self.sheet.bed)[...] = bed
        self.depth[...] = np.maximum(level - self.bed, 0.0)
        self.refresh()

    def set_gravity(self, gravity: float) -> None:
        """cm/s² down; water cannot fall upwards, there it floats."""
        gravity = max(float(gravity), 0.0)
        fastest = max(FASTEST * float(np.sqrt(gravity * self.deepest)), SLOWEST_LIMIT)
        self.numbers = self.numbers._replace(gravity=gravity, fastest=fastest)

    def inside(self, array: np.ndarray) -> np.ndarray:
        """The cells of an array [..., rows, columns] without what lies around them."""
        rows, columns = self.numbers.rows, self.numbers.columns
        return array[..., PAD : PAD + rows, PAD : PAD + columns]

    @property
    def shape(self) -> tuple[int, int]:
        return self.numbers.rows, self.numbers.columns

    @property
    def depth(self) -> np.ndarray:
        """[x, z] cm of water; to be followed by `refresh` when changed."""
        return self.inside(self.sheet.depth[self.now])

    @property
    def bed(self) -> np.ndarray:
        """[x, z] cm; SOLID where there can be no water."""
        return self.inside(self.sheet.bed)

    @property
    def surface(self) -> np.ndarray:
        """[x, z] cm, y of the surface, that of the ground where there is no water."""
        return self.inside(self.sheet.surface)

    @property
    def u(self) -> np.ndarray:
        """[x + 1, z] cm/s along x, on the faces."""
        rows, columns = self.shape
        return self.sheet.u[self.now, PAD : PAD + rows + 1, PAD : PAD + columns]

    @property
    def w(self) -> np.ndarray:
        """[x, z + 1] cm/s along z, on the faces."""
        rows, columns = self.shape
        return self.sheet.w[self.now, PAD : PAD + rows, PAD : PAD + columns + 1]

    @property
    def flow_x(self) -> np.ndarray:
        """[x + 1, z] cm of depth that crossed x faces in the last sub-step."""
        rows, columns = self.shape
        return self.sheet.flow_x[PAD : PAD + rows + 1, PAD : PAD + columns]

    @property
    def flow_z(self) -> np.ndarray:
        """[x, z + 1] cm of depth that crossed z faces in the last sub-step."""
        rows, columns = self.shape
        return self.sheet.flow_z[PAD : PAD + rows, PAD : PAD + columns + 1]

    @property
    def is_wet(self) -> np.ndarray:
        """[x, z] whether there is water."""
        return self.depth > self.numbers.dry

    @property
    def volume(self) -> float:
        """cm³"""
        return float(self.depth.sum(dtype=np.float64)) * self.numbers.cell**2

    def refresh(self) -> None:
        """Bring everything up to date with bed, depth and bodies."""
        sheet, rows = self.sheet, self.numbers.rows
        sheet.ground[...] = sheet.bed + sheet.body[1]
        sheet.surface[...] = sheet.ground + sheet.depth[self.now]
        fill_around(sheet, self.numbers, self.now, 0, rows)
        copy_around(sheet, self.numbers, self.now, 0, rows)

    def settle(self, bars: np.ndarray, x0: float, z0: float) -> None:
        """Let bodies be in the water from the start: the surface is still around them."""
        forget_bodies(self.sheet)
        put_in_bodies(self.sheet, self.numbers, bars, x0, z0)
        displaced = self.inside(self.sheet.body[1])
        displaced[...] = np.minimum(displaced, self.depth)
        self.depth[...] -= displaced
        self.sheet.body[0] = self.sheet.body[1]
        self.refresh()

    def advance(
        self,
        seconds: float,
        bars: np.ndarray = NO_BARS,
        x0: float = 0.0,
        z0: float = 0.0,
        *,
        threads: int = 1,
    ) -> None:
        """Flow for some seconds, in as many sub-steps as waves need. Bars [n, 14] end up where they
        are given, see `skitter.water.stir`; x0, z0 is the middle of the first cell."""
        forget_bodies(self.sheet)
        put_in_bodies(self.sheet, self.numbers, bars, x0, z0)
        threads = max(1, min(threads, self.numbers.rows // ROWS_PER_THREAD))
        self._set_threads(threads)
        self.sheet.done[:] = 0
        self.steps = self._run(float(seconds), threads)
        self.now = (self.now + self.steps) % 2
        self.check()

    def _run(self, seconds: float, threads: int) -> int:
        """All sub-steps, on this thread and the others."""

        def run(thread: int) -> int:
            return int(advance_sheet(self.sheet, self.numbers, seconds, self.now, thread, threads))

        if self._workers is None:
            return run(0)
        others = [self._workers.submit(run, thread) for thread in range(1, threads)]
        steps = run(0)
        wait(others)
        for other in others:
            other.result()
        return steps

    def _set_threads(self, threads: int) -> None:
        """Have scratch for so many threads, and the threads."""
        if len(self.sheet.peak) != threads:
            columns, real = self.sheet.bed.shape[1], self.sheet.bed.dtype.type
            self.sheet = self.sheet._replace(**build_scratch(columns, real, threads))
            self.close()
        if threads > 1 and self._workers is None:
            advance_sheet(self.sheet, self.numbers, 0.0, self.now, 0, 1)  # compiled before all wait
            self._workers = ThreadPoolExecutor(threads - 1, thread_name_prefix="water")

    def close(self) -> None:
        """Let go of the threads; they come back when needed."""
        if self._workers is not None:
            self._workers.shutdown()
            self._workers = None

    def check(self) -> None:
        """Refuse to go on with what is no water any more."""
        broken = ~np.isfinite(self.surface)
        if broken.any():
            i, j = np.argwhere(broken)[0]
            raise SimulationError(
                f"the water is no longer finite at cell {i}, {j}; try larger cells, a smaller"
                " gravity or slower bodies"
            )

    def rain(self, drops: float, radius: float) -> None:
        """Let drops fall, whole ones; parts of drops wait for the next time."""
        self.due += drops
        count = int(self.due[0])
        if count > 0:
            self.due -= count
            let_drops_fall(self.sheet, self.numbers, self.now, self.random, count, float(radius))
            self.sheet.surface[...] = self.sheet.ground + self.sheet.depth[self.now]

    def set_bed(self, bed: np.ndarray) -> None:
        """Give the water another bed [x, z]; what was where there can be none now goes to all other
        wet cells in equal parts."""
        before = self.volume
        self.bed[...] = bed
        self.depth[bed > SOLID / 2] = 0.0
        wet = self.is_wet
        if wet.any():
            missing = (before - self.volume) / self.numbers.cell**2 / wet.sum()
            self.depth[wet] = np.maximum(self.depth[wet] + missing, 0.0)
        self.refresh()

    def shift(self, rows: int, columns: int, bed: np.ndarray) -> None:
        """Move the grid by whole cells over the water, which stays. Cells that are new have a bed
        from `bed` [x, z] and are at rest."""
        still = np.maximum(self.numbers.level - bed, 0.0)
        for array, new in (
            (self.u, 0.0),
            (self.w, 0.0),
            (self.depth, still),
            (self.inside(self.sheet.body), 0.0),
            (self.flow_x, 0.0),
            (self.flow_z, 0.0),
            (self.bed, bed),
        ):
            move_cells(array, rows, columns, new)
        self._look_everywhere()
        self.refresh()

    def _look_everywhere(self) -> None:
        """Bodies may be in any row."""
        self.sheet.stirred[:] = PAD, PAD + self.numbers.rows - 1

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes, as copies."""
        return {
            "u": self.u.copy(),
            "w": self.w.copy(),
            "depth": self.depth.copy(),
            "flow_x": self.flow_x.copy(),
            "flow_z": self.flow_z.copy(),
            "body": self.inside(self.sheet.body[1]).copy(),
            "random": self.random.copy(),
            "due": self.due.copy(),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state of a pool of the same size."""
        self.u[...], self.w[...], self.depth[...] = state["u"], state["w"], state["depth"]
        self.inside(self.sheet.body)[...] = state["body"]
        self.random[...], self.due[...] = state["random"], state["due"]
        self.flow_x[...], self.flow_z[...] = state["flow_x"], state["flow_z"]
        self._look_everywhere()
        self.refresh()


def move_cells(array: np.ndarray, rows: int, columns: int, new: np.ndarray | float) -> None:
    """Let array[..., i, j] be what was at [i + rows, j + columns]; `new` where nothing was."""
    height, width = array.shape[-2:]
    old = array.copy()
    array[...] = new
    if abs(rows) < height and abs(columns) < width:
        to_i, from_i = max(-rows, 0), max(rows, 0)
        to_j, from_j = max(-columns, 0), max(columns, 0)
        tall, wide = height - abs(rows), width - abs(columns)
        array[..., to_i : to_i + tall, to_j : to_j + wide] = old[
            ..., from_i : from_i + tall, from_j : from_j + wide
        ]
