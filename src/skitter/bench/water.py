"""`skitter bench water`: sub-steps of 200 x 200 cells against the scheme of the thesis in NumPy.

The baseline is Fang 2015 appendix B, whole arrays at a time: velocities and heights are traced back
(eq. B.22, B.25-B.27), then pressure (B.23) and heights (B.24). It does less than ours: no shores,
no bodies, one time step for all.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from skitter.bench import Record, make_record
from skitter.bench.timing import run_multiply_add, time_together
from skitter.water.pool import Pool

CELLS, CELL, DEPTH, GRAVITY = 200, 0.4, 5.0, 981.0
PLAIN_STEP = 0.5 * CELL / 80.0  # s; waves run at 70 cm/s
COUNT = 10  # sub-steps in a call
# Additions, multiplications, divisions and comparisons of numbers for one cell in a sub-step. Of
# each of its two faces: 14 to gather what comes in, 19 to carry, 9 to push, 22 to let through; of
# the cell: 4 to fill it, 4 for its surface, 6 to find the largest.
UPDATE_FLOPS = 2 * (14 + 19 + 9 + 22) + 4 + 4 + 6
Place = tuple[np.ndarray, np.ndarray]


def make_hump() -> np.ndarray:
    """Height of a round hump of water [x, z], cm."""
    place = (np.arange(CELLS) + 0.5) / CELLS
    distance = np.hypot(place[:, None] - 0.4, place - 0.55)
    return np.asarray(0.5 * np.exp(-((distance / 0.07) ** 2)))


def sample(field: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Bilinear interpolation at places in units of the field's spacing, held inside it."""
    rows, columns = field.shape
    x, z = x.clip(0, rows - 1), z.clip(0, columns - 1)
    i, j = x.astype(np.intp).clip(max=rows - 2), z.astype(np.intp).clip(max=columns - 2)
    s, t = x - i.astype(x.dtype), z - j.astype(z.dtype)
    corner, values = i * columns + j, field.reshape(-1)
    low = values[corner] + t * (values[corner + 1] - values[corner])
    corner += columns
    high = values[corner] + t * (values[corner + 1] - values[corner])
    return np.asarray(low + s * (high - low))


def find_places(real: type, rows: int, columns: int, *, x: float = 0.0, z: float = 0.0) -> Place:
    """Where the values of a field lie that begins at (x, z)."""
    i, j = np.indices((rows, columns))
    return (i + x).astype(real), (j + z).astype(real)


class PlainWater:
    """The baseline: h [n, n], u [n + 1, n], w [n, n + 1] between walls."""

    def __init__(self, real: type):
        n = CELLS
        self.real = real
        self.h: np.ndarray = (DEPTH + make_hump()).astype(real)
        self.u: np.ndarray = np.zeros((n + 1, n), real)
        self.w: np.ndarray = np.zeros((n, n + 1), real)
        # of h, u and w: where its values lie, counted from the middle of the first cell
        self.places = [
            find_places(real, n, n),
            find_places(real, n + 1, n, x=-0.5),
            find_places(real, n, n + 1, z=-0.5),
        ]

    def move_back(self, place: Place, reach: float) -> Place:
        """Where water came from that is at a place now, by the midpoint rule."""
        half, far = self.real(0.5), self.real(reach)
        x, z = place
        a, b = x, z
        for share in (half * far, far):
            u, w = sample(self.u, a + half, b), sample(self.w, a, b + half)
            a, b = x - share * u, z - share * w
        return a, b

    def advance(self, step: float) -> None:
        reach, half = step / CELL, self.real(0.5)
        of_h, of_u, of_w = (self.move_back(place, reach) for place in self.places)
        h = sample(self.h, *of_h)
        u, w = sample(self.u, of_u[0] + half, of_u[1]), sample(self.w, of_w[0], of_w[1] + half)
        pull = self.real(GRAVITY * reach)
        u[1:-1] -= pull * (h[1:] - h[:-1])
        w[:, 1:-1] -= pull * (h[:, 1:] - h[:, :-1])
        u[0] = u[-1] = w[:, 0] = w[:, -1] = 0
        h *= 1 - self.real(reach) * ((u[1:] - u[:-1]) + (w[:, 1:] - w[:, :-1]))
        self.h, self.u, self.w = h, u, w


def make_pool(real: type) -> Pool:
    pool = Pool(np.full((CELLS, CELLS), -DEPTH), CELL, 0.0, gravity=GRAVITY, real=real)
    pool.depth[...] += make_hump()
    pool.refresh()
    return pool


def run_pool(pool: Pool, threads: int, count: int) -> None:
    """So many sub-steps, or nearly."""
    fastest = np.sqrt(GRAVITY * pool.depth.max()) + abs(pool.u).max() + abs(pool.w).max()
    pool.advance(count * 0.45 * CELL / float(fastest), threads=threads)


def run_plain(plain: PlainWater, count: int) -> None:
    for _ in range(max(1, count // COUNT)):  # one for ten of ours: it is slow
        plain.advance(PLAIN_STEP)


def run_water() -> list[Record]:
    """Sub-steps per second in single and double precision, on one thread and on two."""
    return [record for real in (np.float32, np.float64) for record in measure_water(real)]


def measure_water(real: type) -> list[Record]:
    pools, plain = {threads: make_pool(real) for threads in (1, 2)}, PlainWater(real)
    peak, peak_flops = run_multiply_add(real)
    runs: dict[str, Callable[[int], object]] = {
        str(threads): partial(run_pool, pool, threads) for threads, pool in pools.items()
    }
    runs |= {"plain": partial(run_plain, plain), "peak": peak}
    seconds = time_together(runs, count=COUNT, rounds=40)
    baseline = 1 / (COUNT * seconds["plain"])
    records = []
    for threads, pool in pools.items():
        rate = pool.steps / COUNT / seconds[str(threads)]
        flops, most = rate * CELLS**2 * UPDATE_FLOPS, threads * peak_flops / seconds["peak"]
        name = f"water-{np.dtype(real).name}-{threads}"
        records.append(
            make_record(
                name,
                rate,
                "sub-steps/s",
                baseline,
                limit_share=flops / most,
                gflops=flops / 1e9,
                peak_gflops=most / 1e9,
            )
        )
        pool.close()
    return records
