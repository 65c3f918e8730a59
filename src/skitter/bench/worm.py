"""`skitter bench worm`: steps of a worm, and its solver beside others.

`linearised`: one assembly, one factor and one solve a step, as in Mujika 2018, who reports 25 a
second for 10,386 tetrahedra with a graphics card; the baseline is the same step in NumPy and
LAPACK. `crawling`: the scene `worm_muscles` as it is, with contact, drag, muscles and as many
solves as it takes; real time is 50 a second.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import dia_array
from scipy.sparse.linalg import splu

from skitter.bench import Record, make_record
from skitter.bench.timing import time_together
from skitter.bench.worm_plain import assemble_plain, build_plain, step_plain
from skitter.creatures.worm.body import Body, assemble, build_grip
from skitter.creatures.worm.step import Outside, Stepper, build_motion
from skitter.elastic.banded import Method
from skitter.scene.load import load_scene
from skitter.species.worm import WormBody, WormSpec
from skitter.terrain import build_terrain
from skitter.world import World

H = 0.02  # s
DRAG = 1280.0  # g/(cm s), of agar; a body of a millimetre in nothing is too light for its stiffness
REAL_TIME = 1 / H
SIZES = {  # tetrahedra: slabs, around, rings
    2_640: (22, 8, 3),
    10_440: (58, 12, 3),
    41_160: (98, 20, 4),
}
SETTLE, MEASURED = 40, 60  # steps of the crawling worm
ROUNDS = 8


def run_worm() -> list[Record]:
    records = []
    for tets, (slabs, around, rings) in SIZES.items():
        size = WormBody(slabs=slabs, around=around, rings=rings)
        records += run_linearised(tets, size)
        records.append(run_crawling(tets, size))
    return records + run_solvers()


def bend(body: Body) -> np.ndarray:
    """Nodes of a body that is bent a little, so that nothing is zero [node, 3]."""
    x = body.mesh.nodes.copy()
    x[:, 2] += 1e-4 * body.length * np.sin(6 * x[:, 0] / body.length)
    return x


def run_linearised(tets: int, size: WormBody) -> list[Record]:
    """The paper's step against the same one in NumPy and SciPy."""
    species = WormSpec(kind="worm", title="bench", body=size, damping=0.0)
    body = assemble(species)
    stepper = Stepper(body, build_grip(species, body), 0.0)
    stepper.enough, stepper.fair = 1, np.inf
    motion, none = build_motion(body, bend(body), np.zeros_like(body.mesh.nodes)), build_terrain([])
    outside = Outside(0.0, None, DRAG, DRAG)
    start, plain = motion.x.copy(), build_plain(body, species, DRAG)

    def own(count: int) -> None:
        for _ in range(count):
            motion.x, motion.v = start.copy(), np.zeros_like(start)
            stepper.advance(motion, H, none.arrays, outside)

    def numpy(count: int) -> None:
        for _ in range(count):
            step_plain(plain, start, np.zeros_like(start), H)

    own(1)
    same = np.abs(motion.x - step_plain(plain, start, np.zeros_like(start), H)).max()
    assert same < 1e-6 * body.length, "both must take the same step"
    best = time_together({"own": own, "numpy": numpy}, 1, ROUNDS)
    return [
        make_record(
            f"worm/linearised-{tets}", 1 / best["own"], "steps/s", 1 / best["numpy"],
            real_time=H / best["own"],
        )
    ]  # fmt: skip


def run_crawling(tets: int, size: WormBody) -> Record:
    """The worm on agar, driven by its muscles, against real time."""
    scene = load_scene("worm_muscles", overrides=[
        f"creatures.0.with.body.{key}={getattr(size, key)}" for key in ("slabs", "around", "rings")
    ])  # fmt: skip
    world = World(scene)
    for _ in range(SETTLE):
        world.advance()
    start = time.perf_counter()
    for _ in range(MEASURED):
        world.advance()
    rate = MEASURED / (time.perf_counter() - start)
    return make_record(f"worm/crawling-{tets}", rate, "steps/s", REAL_TIME)


def run_solvers() -> list[Record]:
    """One factor and solve of the default body: ours against LAPACK, gradients and sparse LU."""
    species = WormSpec(kind="worm", title="bench")
    body = assemble(species)
    _, band = assemble_plain(build_plain(body, species, DRAG), bend(body), H)
    rhs = np.random.default_rng(0).normal(size=(len(body.mass), 3))
    runs = {
        "own": prepare("cholesky", rhs),
        "lapack": lambda: solve_lapack(band, rhs),
        "cg": prepare("cg", rhs),
        "splu": lambda: solve_sparse(band, rhs),
    }
    best = time_together({key: partial(repeat, work) for key, work in runs.items()}, 1, ROUNDS)
    return [
        make_record(f"worm/solve-{name}", 1 / best[name], "solves/s", 1 / best["lapack"])
        for name in runs
    ]


def prepare(method: Method, rhs: np.ndarray) -> Callable[[], object]:
    """A factor and a solve of the matrix of a bent body, which is filled in once."""
    species = WormSpec(kind="worm", title="bench", solver=method, damping=0.0)
    body = assemble(species)
    stepper = Stepper(body, build_grip(species, body), 0.0)
    motion = build_motion(body, bend(body), np.zeros_like(rhs))
    stepper.set_drag(motion.x, Outside(0.0, None, DRAG, DRAG))
    stepper.fill_matrix(motion, motion.x, H, False)
    parts = body.system.parts
    kept = [part.band.copy() for part in parts]

    def solve() -> np.ndarray:
        for part, band in zip(parts, kept, strict=True):
            part.band[:] = band
        body.system.factor()
        return body.system.solve(rhs)

    return solve


def repeat(work: Callable[[], object], count: int) -> None:
    for _ in range(count):
        work()


def solve_lapack(band: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    factor, _ = lapack.dpbtrf(band, lower=1)
    return np.asarray(lapack.dpbtrs(factor, rhs.reshape(-1), lower=1)[0])


def solve_sparse(band: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    width, size = band.shape
    upper = np.zeros_like(band)
    for k in range(width):
        upper[k, k:] = band[k, : size - k]
    both = np.concatenate([band, upper[1:]])
    offsets = np.concatenate([-np.arange(width), np.arange(1, width)])
    return np.asarray(splu(dia_array((both, offsets), (size, size)).tocsc()).solve(rhs.reshape(-1)))
