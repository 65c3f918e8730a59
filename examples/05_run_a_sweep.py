"""Run a sweep: one scene at several speeds with two seeds each, in several processes, as a table.

python examples/05_run_a_sweep.py [OUTPUT FOLDER]

The same from the command line: save STUDY as gait.yaml, then skitter sweep gait.yaml -o DIR.
"""

import sys
from pathlib import Path

import numpy as np

from skitter.study import open_sweep
from skitter.study.sweep import load_sweep, sweep

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/run_a_sweep")
MEASURES = ["path_speed", "stride_period", "stance_fraction", "slip_max"]
STUDY = {
    "title": "The gait of a giant centipede by its speed",
    "scene": {
        "title": "A giant centipede straight ahead",
        "terrain": [{"shape": "plane"}],
        "creatures": [
            {"species": "giant_centipede", "at": [0, 1, 0], "commands": [{"speed": 8}]},
        ],
    },
    "seconds": 4,
    "seeds": 2,  # how many runs at each speed
    "parameters": [{"path": "creatures.0.commands.0.speed", "values": [4, 6, 8]}],
    "measures": MEASURES,
}


def main() -> None:
    # A study is checked, with its scene and every value, before anything is run.
    plan = load_sweep(STUDY)
    # Run what the folder does not have yet: stopped at any moment, it goes on from there.
    ended = sweep(plan, OUTPUT, jobs=2)
    print(f"{ended.points} points in {OUTPUT}, {ended.ran} of them run now")

    # The results are an xarray.Dataset with an axis for each parameter and one for the seeds.
    results = open_sweep(OUTPUT)
    mean = results[MEASURES].mean("seed")
    speeds = results["speed"].values
    print(f"{'speed':>8}" + "".join(f"{name:>18}" for name in MEASURES))
    for speed in speeds:
        row = mean.sel(speed=speed)
        print(f"{speed:8g}" + "".join(f"{float(row[name]):18.4g}" for name in MEASURES))

    # What must be true: nothing failed; whoever is led faster is faster, takes shorter strides of
    # time, has each foot on the ground for a smaller share of it, and slips no more.
    assert not ended.failures
    assert (np.diff(mean["path_speed"]) > 0).all()
    assert (np.diff(mean["stride_period"]) < 0).all()
    assert (np.diff(mean["stance_fraction"]) < 0).all()
    assert float(results["slip_max"].max()) < 1e-9


if __name__ == "__main__":
    main()
