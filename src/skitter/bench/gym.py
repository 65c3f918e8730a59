"""`skitter bench gym`: steps a second of our environments, beside MuJoCo's on bodies like ours.

`gym/Roach` is one environment, `gym/Roach-many` sixteen in a vectorised one; the baselines are an
environment on MuJoCo alone (see gym_peer.py) and sixteen of them in Gymnasium's own vectorised one.
All take random actions, in turn in the same run, and a step lasts as long in both. Times are of the
processor, over all rounds: steps a second of one core, whatever else runs on it. Sixteen count as
sixteen steps.
"""

import time
from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.vector import SyncVectorEnv

import skitter.learn
from skitter.bench import Record, make_record
from skitter.bench.climbers import time_in_turn
from skitter.bench.gym_peer import PeerEnv

MANY = 16
STEPS, ROUNDS = 5, 8


def run_gym() -> list[Record]:
    return [record for family in skitter.learn.FAMILIES for record in run_family(family)]


def run_family(family: str) -> list[Record]:
    """One and many of a family, in turn with their peers."""
    name = f"skitter/{family}-v0"
    envs: dict[str, Any] = {
        "one": gymnasium.make(name).unwrapped,
        "peer": PeerEnv(family),
        "many": gymnasium.make_vec(name, num_envs=MANY),
        "peers": SyncVectorEnv([lambda: PeerEnv(family)] * MANY),
    }
    runs = {key: go_on(env) for key, env in envs.items()}
    for run in runs.values():
        run()  # compiles, or loads what was compiled
    times = time_in_turn(runs, ROUNDS, time.process_time)
    spent = {key: float(found.sum()) / (STEPS * ROUNDS) for key, found in times.items()}
    entries = len(envs["one"].action_entries)
    joints = envs["peer"].model.nv
    for env in envs.values():
        env.close()
    more = {
        "seconds_per_step": envs["one"].herd.seconds,
        "actions": entries,
        "peer_freedoms": joints,
    }
    return [
        make_record(f"gym/{family}", 1 / spent["one"], "steps/s", 1 / spent["peer"], **more),
        make_record(
            f"gym/{family}-many", MANY / spent["many"], "steps/s", MANY / spent["peers"], **more
        ),
    ]


def go_on(env: Any) -> Callable[[], object]:
    """Some steps with random actions, from wherever it is; one that is down begins anew."""
    env.reset(seed=0)
    env.action_space.seed(0)

    def run() -> None:
        for _ in range(STEPS):
            down = env.step(env.action_space.sample())[2]
            if down is True:
                env.reset()

    return run
