"""Run a sweep: one scene at several speeds with two seeds each, in several processes, and a table.

python examples/05_run_a_sweep.py [OUTPUT FOLDER]
"""

import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import skitter

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/run_a_sweep")
NAME = "giant_centipede"
SCENE = {
    "title": "A giant centipede straight ahead",
    "seconds": 4,
    "terrain": [{"shape": "plane"}],
    "creatures": [{"species": NAME, "at": [0, 1, 0], "commands": [{"speed": 8}]}],
}
SPEEDS, SEEDS = (4.0, 6.0, 8.0), (0, 1)
MEASURES = ("path_speed", "stride_period", "stance_fraction", "slip_max")


def run_one(speed: float, seed: int) -> dict[str, float]:
    """One run into a folder of its own; overrides are as in `skitter run --set path=value`."""
    recording = skitter.run(
        SCENE,
        seed=seed,
        overrides=[f"creatures.0.commands.0.speed={speed}"],
        output=OUTPUT / f"speed_{speed:g}_seed_{seed}",
        overwrite=True,
        threads=1,
    )
    measures = recording.measure()
    found = {key: measures[f"{NAME}.{key}"].value for key in MEASURES}
    return {"speed": speed, "seed": seed, **found}


def main() -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    runs = [*product(SPEEDS, SEEDS)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = [*pool.map(run_one, *zip(*runs, strict=True))]

    with (OUTPUT / "table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} runs in {OUTPUT / 'table.csv'}")
    print(f"{'speed':>8}" + "".join(f"{key:>18}" for key in MEASURES))
    means = []
    for speed in SPEEDS:
        some = [row for row in rows if row["speed"] == speed]
        means.append([np.mean([row[key] for row in some]) for key in MEASURES])
        print(f"{speed:8g}" + "".join(f"{value:18.4g}" for value in means[-1]))

    # What must be true: whoever is led faster is faster, takes shorter strides of time, has each
    # foot on the ground for a smaller share of it, and slips no more.
    went, stride, stance, slip = np.array(means).T
    assert (np.diff(went) > 0).all() and (np.diff(stride) < 0).all()
    assert (np.diff(stance) < 0).all() and slip.max() < 1e-9


if __name__ == "__main__":
    main()
