"""`skitter bench hexapod`: forward dynamics of 38 degrees of freedom, and a roach that walks.

`tree`: a free thorax, six legs of five hinges, an abdomen and a head; `roach`: the species. One
evaluation called from Python, against Pinocchio's `aba` and MuJoCo's `mj_forward` called so too,
and many of them in one call, against `abaInParallel` and `rollout`. All three are given the same
state and must find the same accelerations before they are timed. MuJoCo does more in a call than
its dynamics, and a rollout steps. `walking`: simulated seconds a second, on one core.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

from skitter.bench import Record, make_record
from skitter.bench.timing import run_multiply_add, time_together
from skitter.console import complain
from skitter.creatures.articulated.plan import build_plan
from skitter.rigid.tree.forward import accelerate, accelerate_rows
from skitter.rigid.tree.model import Link, build_tree
from skitter.rotation import matrix_from_turn
from skitter.scene.load import load_scene
from skitter.species.articulated import ArticulatedSpec
from skitter.world import World

LEG = ([0, 1, 0], [0, 0, -1], [0, 0, -1], [1, 0, 0], [0, 0, -1])  # axes of its hinges, outwards
GRAVITY = np.array([0.0, -981.0, 0.0])
BATCH = 512
CALLS, ROUNDS = 200, 60  # of one evaluation
BATCH_ROUNDS = 60
TREE_FLOPS = 26_066  # of one evaluation; sine and cosine count as one
MISSING = float("nan")
MISSED = "no Pinocchio and MuJoCo to compare with; pip install 'skitter[dev]' brings them"
SETTLE, MEASURED = 30, 90  # frames of the walking roach
Runs = dict[str, Callable[[int], object]]


def run_hexapod() -> list[Record]:
    judged = has_peers()
    tree, roach = Ready(build_links()), Ready(load_roach())
    records = run_calls("tree", tree, judged) + run_calls("roach", roach, judged)
    return records + run_batches(tree, judged) + [run_walking()]


def has_peers() -> bool:
    """Whether there is someone to compare with; if not, it says so."""
    if find_spec("pinocchio") and find_spec("mujoco"):
        return True
    complain(MISSED)
    return False


def make_solid(parent: int, joint: str, axis: list[int], mass: float, **more: Any) -> Link:
    """A link whose axes are its parent's unless it is said otherwise."""
    plain = {"place": np.zeros(3), "turn": np.eye(3)}
    given = {key: np.array(value, float) for key, value in more.items()}
    return Link(parent=parent, joint=joint, axis=np.array(axis, float), mass=mass, **plain | given)


def build_links() -> list[Link]:
    """The tree: legs point sideways, and all segments of them are alike."""
    links = [make_solid(-1, "free", [0, 0, 1], 1.0, inertia=np.diag([0.1, 0.35, 0.3]))]
    segment = {
        "centre": [0.5, -0.1, 0],
        "inertia": [[2e-4, 1e-4, 0], [1e-4, 4e-3, 0], [0, 0, 4e-3]],
    }
    for leg in range(6):
        side = 1 if leg % 2 else -1  # z is to the right
        hip = {"place": [1.2 * (leg // 2 - 1), 0, 0.4 * side]}
        out = {"turn": matrix_from_turn([0, -90 * side, 0])}
        for number, axis in enumerate(LEG):
            where: dict[str, Any] = {"place": [1, -0.2, 0]} if number else hip | out
            parent = len(links) - 1 if number else 0
            links.append(make_solid(parent, "revolute", axis, 0.05, **where, **segment))
    for axis, x, centre in (([0, 0, -1], -1.6, -0.8), ([0, 1, 0], 1.6, 0.4)):
        solid = {"centre": [centre, 0, 0], "inertia": np.diag([0.02, 0.04, 0.04])}
        links.append(make_solid(0, "revolute", axis, 0.3, place=[x, 0, 0], **solid))
    return links


def load_roach() -> list[Link]:
    """The links of the species."""
    species = load_scene({"title": "bench", "creatures": [{"species": "roach"}]}).species[0]
    assert isinstance(species, ArticulatedSpec)
    return build_plan(species).links


class Ready:
    """A tree in some state, with room to work in."""

    def __init__(self, links: list[Link]) -> None:
        rng = np.random.default_rng(0)
        self.links, self.tree = links, build_tree(links)
        size = self.tree.v_size
        self.q = self.tree.integrate(self.tree.neutral(), 0.3 * rng.normal(size=size), 1.0)
        self.v, self.torque = rng.normal(size=size), 100 * rng.normal(size=size)
        self.extra, self.gain, self.work = np.zeros(size), np.empty(size), self.tree.work()

    def call(self) -> np.ndarray:
        """One evaluation, as short as it can be called from Python."""
        index, number = self.tree.index, self.tree.number
        accelerate(
            index, number, self.q, self.v, self.torque, GRAVITY, self.extra, self.work, self.gain
        )
        return self.gain

    def call_tree(self) -> np.ndarray:
        """One evaluation, as it is convenient."""
        return self.tree.accelerate(self.q, self.v, self.torque)


def repeat(work: Callable[[], object]) -> Callable[[int], object]:
    def run(count: int) -> None:
        for _ in range(count):
            work()

    return run


def run_calls(name: str, ready: Ready, judged: bool) -> list[Record]:
    """One evaluation a call."""
    runs = {"own": repeat(ready.call), "tree": repeat(ready.call_tree)}
    if judged:
        from skitter.bench.peers import Case, Mujoco, Pinocchio

        still = np.zeros((len(ready.links), 6))
        case = Case(ready.links, ready.q, ready.v, ready.torque, still, GRAVITY)
        for peer, kind in (("pinocchio", Pinocchio), ("mujoco", Mujoco)):
            other = kind(ready.links, GRAVITY)
            true = other.accelerate(case)
            assert abs(ready.call() - true).max() < 1e-9 * abs(true).max(), f"unlike {peer}"
            runs[peer] = repeat(other.prepare(case))
    best = time_together(runs, CALLS, ROUNDS)
    return [
        compare(f"{name}-{peer}", best, "own", peer, 1, "calls/s", tree_us=1e6 * best["tree"])
        for peer in ("pinocchio", "mujoco")
    ]


def compare(
    id: str, best: dict[str, float], own: str, peer: str, count: int, unit: str, **more: Any
) -> Record:
    """A record of `count` evaluations in the time of each, against those of a peer."""
    other = best.get(peer, MISSING)
    return make_record(
        f"hexapod/{id}", count / best[own], unit, count / other,
        us=1e6 * best[own] / count, baseline_us=1e6 * other / count, **more,
    )  # fmt: skip


class Batch:
    """Many states of a tree, in as many parts as there are threads."""

    def __init__(self, ready: Ready) -> None:
        rng, size = np.random.default_rng(1), (BATCH, ready.tree.v_size)
        self.ready, self.gain = ready, np.empty(size)
        self.v, self.torque = rng.normal(size=size), 100 * rng.normal(size=size)
        neutral = ready.tree.neutral()
        self.q = np.array([ready.tree.integrate(neutral, 0.3 * v, 1.0) for v in self.v])

    def advance(self, part: slice) -> None:
        """Evaluate some of them."""
        tree, extra = self.ready.tree, self.ready.extra
        q, v, torque, gain = (x[part] for x in (self.q, self.v, self.torque, self.gain))
        accelerate_rows(tree.index, tree.number, q, v, torque, GRAVITY, extra, tree.work(), gain)

    def prepare(self, pool: ThreadPoolExecutor, threads: int) -> Callable[[], object]:
        """All of them."""
        ends = np.linspace(0, BATCH, threads + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(ends)]
        return lambda: list(pool.map(self.advance, parts))


def run_batches(ready: Ready, judged: bool) -> list[Record]:
    """Many evaluations a call, on one thread and on two."""
    batch, (multiply_add, flops) = Batch(ready), run_multiply_add(np.float64)
    with ThreadPoolExecutor(2) as pool:
        runs: Runs = {f"own-{n}": repeat(batch.prepare(pool, n)) for n in (1, 2)}
        runs["limit"] = multiply_add
        if judged:
            from skitter.bench.peers import Mujoco, Pinocchio

            for peer in (Pinocchio(ready.links, GRAVITY), Mujoco(ready.links, GRAVITY)):
                name = type(peer).__name__.lower()
                for n in (1, 2):
                    runs[f"{name}-{n}"] = repeat(
                        peer.prepare_batch(batch.q, batch.v, batch.torque, n)
                    )
        best = time_together(runs, 1, BATCH_ROUNDS)
    share = BATCH * TREE_FLOPS / best["own-1"] / (flops / best["limit"])
    return [
        compare(
            f"batch-{n}-{peer}", best, f"own-{n}", f"{peer}-{n}", BATCH, "evaluations/s",
            limit_share=share if n == 1 else None,
        )
        for n in (1, 2) for peer in ("pinocchio", "mujoco")
    ]  # fmt: skip


def run_walking() -> Record:
    """A roach on a tripod gait, on one thread; the ratio is the real-time factor."""
    scene = load_scene("roach_tripod")
    world = World(scene, threads=1)
    for _ in range(SETTLE):
        world.advance()
    start = time.process_time()
    for _ in range(MEASURED):
        world.advance()
    rate = MEASURED / (time.process_time() - start)
    return make_record("hexapod/walking", rate, "frames/s", scene.spec.frame_rate)
