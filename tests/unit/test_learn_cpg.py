"""The generator that was tuned through the eel's environment, and the bench of environments."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skitter.bench import gym
from skitter.bench.gym_peer import PEERS, PeerEnv

EXAMPLE = Path(__file__).parents[2] / "examples" / "cpg_swimmer.py"


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("cpg_swimmer", EXAMPLE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generator_beats_the_strokes_of_the_species() -> None:
    """From a start that tuning never saw."""
    example = load_example()
    found = example.compare(np.array(example.FOUND), first=5000, starts=1)
    assert found["generator"] > 1.1 * found["fastest of a sweep"]
    assert found["fastest of a sweep"] > found["own stroke"]


def test_tuning_goes_towards_what_is_farther(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two generations, of a swim that is short and whose distance is known."""
    example = load_example()
    seen: list[np.ndarray] = []

    def swim(env: Any, controller: Any, seeds: list[int]) -> np.ndarray:
        env.reset(seed=seeds)
        acted = controller(0.1, np.zeros(env.observation_space.shape))
        env.step(acted)
        seen.append(acted)
        return -np.abs(acted).sum(axis=1)  # the less it bends, the farther

    monkeypatch.setattr(example, "swim", swim)
    rows = example.tune(3)
    assert len(seen) == 3 and rows.shape == (len(example.NAMES),)
    assert np.abs(seen[-1]).mean() < np.abs(seen[0]).mean()


@pytest.mark.parametrize("family", PEERS)
def test_bodies_to_compare_with_are_well(family: str) -> None:
    env = PeerEnv(family)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(20):
        seen, *_ = env.step(env.action_space.sample())
    assert np.isfinite(seen).all() and not any(one.number for one in env.data.warning)
    assert PEERS[family].swims or env.data.qpos[1] > 0, "it is on the ground"


def test_the_bench_sets_environments_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gym, "ROUNDS", 1)
    monkeypatch.setattr(gym, "STEPS", 1)
    one, many = gym.run_family("Roach")
    assert (one["id"], many["id"]) == ("gym/Roach", "gym/Roach-many")
    assert one["ratio"] == pytest.approx(one["value"] / one["baseline"]) and one["value"] > 0
    assert one["peer_freedoms"] == 36 and one["actions"] == 18
