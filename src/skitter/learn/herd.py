"""Herds: some creatures of one family that are alone in their worlds and move side by side.

An environment is a herd of one, its vectorised version a herd of many: both do the same, to the
last bit. All creatures of a herd stand at the same place and know nothing of each other.

A family says what its actions do (`act`) and what its observations are (`look`), and names every
entry of both. Bodies are seen through a `Trunk`, of which the common entries and rewards are made.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, ClassVar, NamedTuple

import numpy as np

from skitter.channel import Recorded
from skitter.creatures.creature import Creature
from skitter.errors import SimulationError
from skitter.learn.entry import COMMON, Entry, build_space
from skitter.scene.load import load_scene
from skitter.state import State
from skitter.world import World

UP = np.array([0.0, 1.0, 0.0])
Job = Callable[[], None]


class Trunk(NamedTuple):
    """The bodies of a herd as wholes."""

    place: np.ndarray  # [creature, 3] cm, middle of the body
    velocity: np.ndarray  # [creature, 3] cm/s
    axes: np.ndarray  # [creature, 3, 3] its ways ahead, up and right, as rows


class Herd(ABC):
    """Some creatures of one family."""

    rate: ClassVar[float]  # actions a second
    scene: ClassVar[Mapping[str, Any]]  # of one of them
    actions: tuple[Entry, ...]
    observations: tuple[Entry, ...]
    length: float  # cm, of a body

    def __init__(self, count: int) -> None:
        self.count = count
        self.loaded = load_scene({**self.scene, "frame_rate": self.rate})
        self.known: Trunk | None = None  # as of now, once it was asked for
        self.failed = np.zeros(count, bool)  # flew apart in the last step, and was put back
        self.start_rows()
        self.observation_space = build_space(self.observations)
        self.action_space = build_space(self.actions)

    @abstractmethod
    def start_rows(self) -> None:
        """Build all creatures, and `actions` and `observations`."""

    @abstractmethod
    def start(self, k: int, rng: np.random.Generator, variation: float) -> None:
        """Put one back to where it began, a little varied."""

    @abstractmethod
    def act(self, actions: np.ndarray) -> None:
        """Take actions [creature, action] up, for the next step."""

    @abstractmethod
    def advance(self, moving: np.ndarray) -> None:
        """Those that are `moving` [creature] bool, through a step; the others may move or not."""

    @abstractmethod
    def find_trunk(self) -> Trunk:
        """All bodies as wholes."""

    @abstractmethod
    def look(self) -> np.ndarray:
        """What observations hold after the common entries [creature, entry]."""

    @abstractmethod
    def find_fallen(self) -> np.ndarray:
        """Who has fallen [creature] bool."""

    @abstractmethod
    def show(self, k: int) -> Recorded:
        """One of them as something that can be pictured in a world of `scene`."""

    @property
    def seconds(self) -> float:
        """Of a step."""
        return 1 / self.rate

    @property
    def trunk(self) -> Trunk:
        """All bodies as wholes; found once after they have moved."""
        if self.known is None:
            self.known = self.find_trunk()
        return self.known

    def observe(self) -> np.ndarray:
        """All observations [creature, entry], not yet within their ranges."""
        trunk = self.trunk
        velocity = np.einsum("nij,nj->ni", trunk.axes, trunk.velocity) / self.length
        ahead, up = trunk.axes[:, 0], trunk.axes @ UP
        level = np.maximum(np.hypot(ahead[:, 0], ahead[:, 2]), 1e-9)
        common = np.column_stack(
            [
                velocity,
                ahead[:, 0] / level,
                -ahead[:, 2] / level,
                up,
                trunk.place[:, 1] / self.length,
            ]
        )
        return np.column_stack([common, self.look()])

    def close(self) -> None:  # noqa: B027  few need it
        """Let go of threads."""


class Singles(Herd):
    """A herd whose creatures are advanced one by one, on as many threads as there are."""

    def start_rows(self) -> None:
        self.world = World(self.loaded, threads=1)
        self.creatures: list[Any] = [self.build() for _ in range(self.count)]
        self.begun: State = self.creatures[0].state()
        self.around = self.world.look_around()
        self.steps = np.zeros(self.count, np.int64)  # since each began
        self.threads = min(self.count, os.cpu_count() or 1)
        self.pool = ThreadPoolExecutor(self.threads, "herd") if self.threads > 1 else None
        self.prepare()
        self.observations = (*COMMON, *self.list_looks())

    def build(self) -> Creature:
        """One creature; all of them begin with the same random numbers."""
        return self.world.build_creature(self.loaded, 0, np.random.default_rng(0))

    @abstractmethod
    def prepare(self) -> None:
        """After creatures were built: `actions`, and what else there is to keep."""

    @abstractmethod
    def list_looks(self) -> tuple[Entry, ...]:
        """The entries of `look`."""

    @abstractmethod
    def vary(self, one: Any, k: int, rng: np.random.Generator, variation: float) -> None:
        """Vary a creature that has been put back."""

    def start(self, k: int, rng: np.random.Generator, variation: float) -> None:
        self.known = None
        self.creatures[k].restore(self.begun)
        self.steps[k] = 0
        self.vary(self.creatures[k], k, rng, variation)

    def advance(self, moving: np.ndarray) -> None:
        self.known, self.failed[:] = None, False
        jobs = [self.plan(int(k)) for k in np.flatnonzero(moving)]
        run_jobs(jobs, self.pool)

    def plan(self, k: int) -> Job:
        """One creature through a step."""

        def move() -> None:
            around = self.around._replace(time=self.steps[k] * self.seconds)
            try:
                self.creatures[k].advance_frame(around)
            except SimulationError:
                self.creatures[k].restore(self.begun)
                self.failed[k] = True
            self.steps[k] += 1

        return move

    def show(self, k: int) -> Recorded:
        return self.creatures[k]

    def close(self) -> None:
        self.world.close()
        if self.pool is not None:
            self.pool.shutdown()


def run_jobs(jobs: Sequence[Job], pool: ThreadPoolExecutor | None) -> None:
    """All jobs, on a pool if there is one."""
    if pool is None or len(jobs) < 2:
        for job in jobs:
            job()
        return
    running = [pool.submit(job) for job in jobs]
    wait(running)
    for one in running:
        one.result()


def find_axes(points: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Ways ahead, up and right [creature, 3, 3] of bodies in rows [creature, part, 3] from the
    head, whose backs point up [creature, 3]: ahead is from the last third to the first."""
    third = max(1, points.shape[1] // 3)
    ahead = points[:, :third].mean(axis=1) - points[:, -third:].mean(axis=1)
    return square_axes(ahead, up)


def square_axes(ahead: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Axes [creature, 3, 3]: the first along `ahead`, the second as near to `up` as can be."""
    x = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    z = np.cross(x, up)
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-9)
    return np.stack([x, np.cross(z, x), z], axis=1)


def find_bends(ways: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Angles [creature, part - 1], rad, between the ways ahead of parts [creature, part, 3];
    positive where the one in front points to the left of the one behind."""
    front, hind = ways[:, :-1], ways[:, 1:]
    across = np.einsum("npj,nj->np", np.cross(hind, front), up)
    return np.arctan2(across, np.einsum("npj,npj->np", hind, front))
