"""`skitter bench climbers`: a tarantula in full dynamics, and how many fit into real time.

`tarantula`: one on uneven ground among twenty free blocks, on one core; the ratio is its real-time
factor. `tarantula-mujoco`: simulated seconds a second, beside MuJoCo alone on a body like it (see
climber_peer.py), in turn in the same run. Both by the time of the processor, over a whole walk: its
cost changes from step to step, so that the best of many short runs would flatter.

`full`, `kinematic`, `coarse`: many at one level of detail on two cores, by the clock; the value is
how many would take as long as the time that they simulate, if each cost what each of these did, and
the baseline is how many there were.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from skitter.bench import Record, make_record
from skitter.bench.climber_peer import STEP, Peer
from skitter.world import World

BLOCKS = 20
RATE = 50.0  # frames a second: ten steps each
SETTLE = 1.0  # s before anything is measured
ROUNDS, FRAMES = 60, 10  # of the tarantula: 12 s in all
CROWD_ROUNDS, CROWD_FRAMES = 15, 10
CROWD = {"full": 6, "kinematic": 100, "coarse": 100}
CORES = 2
APART = 25.0  # cm between creatures of a crowd
GROUND: dict[str, Any] = {
    "shape": "heightfield",
    "random": {"count": 300, "height": [0.2, 1.0], "width": [3, 6], "area": [280, 280], "seed": 2},
    "friction": 1.0,
}
Run = Callable[[], object]


def run_climbers() -> list[Record]:
    return [*run_alone(), *run_crowds()]


def make_scene(creatures: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "title": "bench",
        "frame_rate": RATE,
        "time_step": STEP,
        "terrain": [GROUND],
        "creatures": creatures,
    }


def place(species: str, name: str, x: float, z: float, **changes: Any) -> dict[str, Any]:
    """A creature that stands on the ground below."""
    return {"species": species, "name": name, "at": [x, 4.0, z], "with": changes}


def list_blocks() -> list[dict[str, Any]]:
    """Two rings around the start, one beyond the reach of legs, one behind it."""
    turn = 2 * np.pi * np.arange(BLOCKS) / BLOCKS
    away = np.where(np.arange(BLOCKS) % 2, 17.0, 13.0)
    places = zip(away * np.cos(turn), away * np.sin(turn), strict=True)
    return [
        place("block", f"block_{k}", float(x), float(z), size=[1.3, 0.9, 1.1])
        for k, (x, z) in enumerate(places)
    ]


def make_lonely_scene() -> dict[str, Any]:
    """One tarantula in full dynamics among blocks."""
    walks = place("tarantula", "tarantula", 0.0, 0.0, detail={"level": "full"})
    return make_scene([walks, *list_blocks()])


def make_crowd_scene(level: str, count: int) -> dict[str, Any]:
    """So many tarantulas at one level of detail, in a square."""
    side = int(np.ceil(np.sqrt(count)))
    spots = [((k % side - (side - 1) / 2), (k // side - (side - 1) / 2)) for k in range(count)]
    return make_scene(
        [
            place("tarantula", f"one_{k}", APART * x, APART * z, detail={"level": level})
            for k, (x, z) in enumerate(spots)
        ]
    )


def time_in_turn(
    runs: dict[str, Run], rounds: int, clock: Callable[[], float]
) -> dict[str, np.ndarray]:
    """Seconds that each took in each round [round], one after the other in every round."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = clock()
            run()
            spent[name].append(clock() - start)
    return {name: np.array(found) for name, found in spent.items()}


def go_on(world: World, frames: int) -> Run:
    def run() -> None:
        for _ in range(frames):
            world.advance()

    return run


def run_alone() -> list[Record]:
    """One tarantula and the peer, in turn."""
    world, peer = World.from_scene(make_lonely_scene(), threads=1), Peer()
    lasting = FRAMES / RATE
    world.advance(SETTLE)
    peer.advance(SETTLE)
    runs: dict[str, Run] = {"own": go_on(world, FRAMES), "peer": lambda: peer.advance(lasting)}
    spent = time_in_turn(runs, ROUNDS, time.process_time)
    assert peer.is_well, "MuJoCo's body has fallen"
    factor, other = (lasting * ROUNDS / float(spent[one].sum()) for one in ("own", "peer"))
    return [
        make_record("climbers/tarantula", factor * RATE, "frames/s", RATE, blocks=BLOCKS),
        make_record(
            "climbers/tarantula-mujoco", factor, "s/s", other,
            us_per_step=1e6 * STEP / factor, baseline_us_per_step=1e6 * STEP / other,
        ),
    ]  # fmt: skip


def run_crowds() -> list[Record]:
    """Worlds of all levels, in turn."""
    worlds = {
        level: World.from_scene(make_crowd_scene(level, count), threads=CORES)
        for level, count in CROWD.items()
    }
    for world in worlds.values():
        world.advance(SETTLE)
    runs = {level: go_on(world, CROWD_FRAMES) for level, world in worlds.items()}
    spent = time_in_turn(runs, CROWD_ROUNDS, time.perf_counter)
    return [
        judge_crowd(level, CROWD[level], float(np.median(found)) / CROWD_FRAMES)
        for level, found in spent.items()
    ]


def judge_crowd(level: str, count: int, seconds: float) -> Record:
    """From how long a frame takes."""
    fit = int(count / (seconds * RATE))
    return make_record(
        f"climbers/{level}", fit, "creatures", count,
        ms_per_frame=1e3 * seconds, us_per_creature_frame=1e6 * seconds / count,
    )  # fmt: skip
