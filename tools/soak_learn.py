"""A million random actions through the environments of skitter.learn, and no number that is none.

    python tools/soak_learn.py [--actions 1000000] [--many 16] [--seed 0] [FAMILY ...]

Actions are shared out by SHARES: worms get fewer, since they take several times as long.
Every observation and reward must be finite, and observations within their space. Prints for each
family how many actions, how many falls and failures (a creature that flew apart, and began anew),
and steps a second.
"""

import argparse
import time

import gymnasium
import numpy as np

import skitter.learn

TELL = 10_000  # actions, after which it says how far it is
SHARES = {"Centipede": 0.2, "Swimmer": 0.35, "Worm": 0.05, "Roach": 0.2, "Tarantula": 0.2}


def soak(family: str, actions: int, many: int, seed: int) -> tuple[int, int, int]:
    """Random actions: how many, how often one fell, how often one flew apart."""
    env = gymnasium.make_vec(f"skitter/{family}-v0", num_envs=many)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    done = falls = failures = 0
    while done < actions:
        if done % TELL < many and done:
            print(
                f"  {family}: {done} of {actions}, {falls} falls, {failures} failures", flush=True
            )
        seen, reward, down, _, _ = env.step(env.action_space.sample())
        assert np.isfinite(seen).all() and np.isfinite(reward).all(), f"{family}: not a number"
        assert env.observation_space.contains(seen), f"{family}: outside of its space"
        failed = env.unwrapped.herd.failed
        done, falls, failures = done + many, falls + int(down.sum()), failures + int(failed.sum())
    env.close()
    return done, falls, failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--many", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("families", nargs="*", default=list(skitter.learn.FAMILIES))
    given = parser.parse_args()
    total = 0
    for family in given.families:
        start = time.perf_counter()
        whole = sum(SHARES[one] for one in given.families)
        each = round(given.actions * SHARES[family] / whole)
        done, falls, failures = soak(family, each, given.many, given.seed)
        rate = done / (time.perf_counter() - start)
        total += done
        print(
            f"{family:10} {done:9} actions, {falls} falls, {failures} failures, {rate:.0f}/s",
            flush=True,
        )
    print(f"{total} random actions, and every number finite")


if __name__ == "__main__":
    main()
