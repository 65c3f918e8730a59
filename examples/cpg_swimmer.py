"""A central pattern generator for the eel, tuned through its Gymnasium environment.

    python examples/cpg_swimmer.py              # the numbers that were found, beside the eel's own
    python examples/cpg_swimmer.py --tune 30    # look for them anew: so many generations, minutes

The measure is how far an eel comes along +x in ten seconds, from rest, in cm. Its own controller
(Fang 2015, the strokes of the species) is written as actions of the same environment and swims from
the same starts; beside the stroke of the species stands the fastest that a sweep over 33 x 33
strokes found for it (`optimum` in its file). Tuning sees the seeds from 0 on, the final numbers are
of seeds that it never saw.
"""

import argparse
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from skitter.learn.entry import Entry
from skitter.learn.swimmers import bend_strokes

NAMES = ("frequency", "lag_deg", "head", "tail", "edge", "gain")
START = (1.5, 54.0, 0.8, 0.8, 1.0, 0.5)  # near the stroke of the species
SPREAD = (0.5, 15.0, 0.25, 0.25, 0.7, 0.5)
LOW, HIGH = (0.3, 0.0, 0.0, 0.0, 0.05, 0.0), (4.0, 180.0, 1.0, 1.0, 6.0, 3.0)
FOUND = (2.8656, 74.1315, 1.0, 1.0, 3.8676, 1.785)  # by --tune 30, seed 1, 9 candidates each
STROKES = {"own stroke": (1.5, 54.0), "fastest of a sweep": (2.317, 70.37)}  # Hz, degrees
HELD_OUT = 1000  # the first seed that tuning never saw
STARTS = 8  # of each controller, in the final numbers
EACH = 2  # of each candidate, in tuning
Controller = Callable[[float, np.ndarray], np.ndarray]  # time and observations to actions


def make_cpg(rows: np.ndarray, entries: tuple[Entry, ...], joints: int) -> Controller:
    """One generator for each row of NAMES: bends that run down the body, and lean towards +x."""
    frequency, lag, head, tail, edge, gain = np.asarray(rows, float).T[:, :, None]
    rank = np.arange(joints) / (joints - 1)
    size = head + (tail - head) * rank
    at = [one.name for one in entries].index("heading_sin")

    def act(time: float, seen: np.ndarray) -> np.ndarray:
        angle = 2 * np.pi * (frequency * time - lag / 360 * rank * (joints - 1))
        wave = np.tanh(edge * np.sin(angle)) / np.tanh(edge)
        return np.clip(size * wave - gain * seen[:, at : at + 1], -1, 1)

    return act


def swim(env: Any, controller: Controller, seeds: list[int]) -> np.ndarray:
    """How far each comes along +x [environment], cm."""
    seen, told = env.reset(seed=seeds)
    began, fps = told["x"], env.metadata["render_fps"]
    for step in range(env.spec.max_episode_steps):
        seen, _, down, _, told = env.step(controller((step + 1) / fps, seen))
        assert not down.any(), "an eel has rolled over"
    return np.asarray(told["x"] - began)


def make_many(count: int) -> Any:
    return gymnasium.make_vec("skitter/Swimmer-v0", num_envs=count)


def compare(rows: np.ndarray, first: int = HELD_OUT, starts: int = STARTS) -> dict[str, np.ndarray]:
    """Distances [start] of each controller from the same starts, cm."""
    env = make_many(starts)
    seeds = list(range(first, first + starts))
    joints = env.single_action_space.shape[0]
    found = {}
    for name, stroke in STROKES.items():
        bends = lambda time, seen, s=stroke: np.tile(bend_strokes(time, joints, *s), (starts, 1))  # noqa: E731
        found[name] = swim(env, bends, seeds)
    cpg = make_cpg(np.tile(rows, (starts, 1)), env.observation_entries, joints)
    found["generator"] = swim(env, cpg, seeds)
    env.close()
    return found


def place(steps: np.ndarray) -> np.ndarray:
    """Rows of NAMES from steps of the search, 0 at the start."""
    return np.clip(START + steps * np.array(SPREAD), LOW, HIGH)


def tune(generations: int, seed: int = 1) -> np.ndarray:
    """The best row of NAMES by CMA-ES: the mean distance over EACH starts."""
    import cma

    search = cma.CMAEvolutionStrategy(np.zeros(len(NAMES)), 0.5, {"seed": seed, "verbose": -9})
    env = make_many(EACH * search.popsize)
    entries, joints = env.observation_entries, env.single_action_space.shape[0]
    for number in range(generations):
        steps = search.ask()
        rows = place(np.array(steps))
        seeds = [number * EACH + k for k in range(EACH)] * search.popsize
        way = swim(env, make_cpg(np.repeat(rows, EACH, axis=0), entries, joints), seeds)
        search.tell(steps, list(-way.reshape(-1, EACH).mean(axis=1)))
        print(
            f"{number + 1:3}  best {way.max():6.2f} cm  mean",
            place(search.mean).round(4),
            flush=True,
        )
    env.close()
    return place(search.mean)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tune", type=int, default=0, metavar="GENERATIONS")
    rows = tune(generations) if (generations := parser.parse_args().tune) else np.array(FOUND)
    print(dict(zip(NAMES, rows.round(4).tolist(), strict=True)))
    for name, way in compare(rows).items():
        print(f"{name:20} {way.mean():6.2f} cm in 10 s, {way.min():.2f} to {way.max():.2f}")
