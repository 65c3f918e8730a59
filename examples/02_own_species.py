"""A species of your own: a walker as YAML text, how it does on flat ground, and one change to it.

python examples/02_own_species.py [OUTPUT FOLDER]
"""

import sys
from pathlib import Path

import skitter

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/own_species")

# Lengths are cm, angles degrees; docs/species.md says what each key means.
CRAWLER = """
kind: myriapod
title: A crawler of ten segments
segments: 10
segment: {size: [0.5, 0.6, 1.0]}
head: {size: [0.9, 0.6, 0.9]}
tail: {size: [0.5, 0.5, 0.8]}
joint: {length: 0.5, cells: [2, 2, 2]}
material: {young: 150000, poisson: 0.3, damping: 400}
leg: {links: [0.7, 0.6, 0.7], sides: apart, lift_deg: 30, lift_bend_deg: 15, swing: 0.15}
antenna: {length: 2.5}
walk: {height: 0.75, speed: 4}
"""
SPEED = 4.0  # cm/s, as above


def walk(folder: Path, **changes) -> dict:
    """Measures of the crawler, led straight ahead for four seconds on a plane."""
    scene = {
        "title": "My crawler on flat ground",
        "seconds": 4,
        "terrain": [{"shape": "plane"}],
        "creatures": [
            {
                "species": str(OUTPUT.resolve() / "crawler.yaml"),
                "at": [0, 1, 0],
                "commands": [{"time": 0, "speed": SPEED}],
                "with": changes,
            }
        ],
    }
    measures = skitter.run(scene, output=folder, overwrite=True).measure()
    return {key.removeprefix("crawler."): one.value for key, one in measures.items()}


def main() -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / "crawler.yaml").write_text(CRAWLER)

    as_written = walk(OUTPUT / "walk")
    # `with` changes any number of a species for one creature: here legs that swing more slowly.
    slow_legs = walk(OUTPUT / "slow_legs", leg={"swing": 0.25})

    print(f"{'':16}{'as written':>12}{'slow legs':>12}")
    for key in ("path_speed", "stride_period", "stance_fraction", "phase_lag", "slip_max"):
        print(f"{key:16}{as_written[key]:12.4g}{slow_legs[key]:12.4g}")

    # What must be true: it keeps the speed that it is led at, its feet stand still, and legs that
    # swing more slowly spend a smaller share of their time on the ground.
    assert abs(as_written["path_speed"] / SPEED - 1) < 0.2
    assert as_written["slip_max"] < 1e-9
    assert slow_legs["stance_fraction"] < as_written["stance_fraction"]


if __name__ == "__main__":
    main()
