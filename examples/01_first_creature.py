"""A first creature: run a built-in scene, ask how the animal walked, and take a picture of it.

python examples/01_first_creature.py [OUTPUT FOLDER]
"""

import sys
from pathlib import Path

import skitter
from skitter.render import render_picture

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/first_creature")
SECONDS = 3.0


def main() -> None:
    # Run: a scene by its name, so long, with a seed. The recording goes to a folder.
    recording = skitter.run(
        "centipede", seconds=SECONDS, seed=0, output=OUTPUT / "walk", overwrite=True
    )
    name = recording.creatures[0]["name"]
    print(f"{name}: {recording.frame_count} frames in {OUTPUT / 'walk'}")

    # Measure: named numbers with units, the same that `skitter measure` prints.
    measures = recording.measure()
    for key in ("path_length", "path_speed", "stride_period", "phase_lag", "slip_max"):
        one = measures[f"{name}.{key}"]
        print(f"  {key:14} {one.value:8.4g} {one.unit}")

    # Look: a picture of one moment.
    picture = OUTPUT / "centipede.png"
    render_picture(recording, picture, time=SECONDS / 2, size=(960, 540))
    print(f"  picture        {picture}")

    # Read: any channel is an array over time, here the way of its head, cm.
    head = recording[f"{name}.body_position"][:, 0]
    print(f"  its head went from {head[0].round(1)} to {head[-1].round(1)}")

    # What must be true: it went somewhere, and no standing foot moved.
    assert measures[f"{name}.path_length"].value > 5.0
    assert measures[f"{name}.slip_max"].value < 1e-9


if __name__ == "__main__":
    main()
