"""A terrain of your own: heights from a formula, and a rock as a mesh, both from files.

python examples/03_own_terrain.py [OUTPUT FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
import trimesh

import skitter
from skitter.render import render_picture

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/own_terrain")
SIZE, SPACING = 60.0, 0.25  # cm, of the field and of its grid
STANCE = 4  # the number of that state in a recording


def height(x, z):
    """Waves of the ground, cm."""
    return 0.6 * np.sin(x / 3) * np.cos(z / 4)


def main() -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)

    # A table of heights: columns run along x, rows along z, the middle of the field at `at`.
    axis = np.arange(-SIZE / 2, SIZE / 2 + SPACING, SPACING)
    np.save(OUTPUT / "waves.npy", height(axis[None, :], axis[:, None]))

    # A rock: any OBJ, STL or PLY file; here a lumpy ball of ours, in cm.
    rock = trimesh.creation.icosphere(subdivisions=3, radius=2.0)
    rock.vertices *= 1 + 0.1 * np.sin(4 * rock.vertices[:, :1] + 2 * rock.vertices[:, 2:])
    rock.export(OUTPUT / "rock.obj")

    files = OUTPUT.resolve()
    scene = {
        "title": "A centipede on waves of ground, past a rock",
        "seconds": 3,
        "terrain": [
            {"shape": "heightfield", "file": f"{files}/waves.npy", "size": [SIZE, SIZE]},
            {"shape": "mesh", "file": f"{files}/rock.obj", "at": [4, 0.5, -7]},
        ],
        "creatures": [{"species": "giant_centipede", "at": [0, 1, 0], "commands": [{"speed": 6}]}],
    }
    recording = skitter.run(scene, output=OUTPUT / "walk", overwrite=True)
    render_picture(recording, OUTPUT / "waves.png", size=(960, 540))

    # Where its feet stood: tips of legs in STANCE, in every frame.
    state = recording["giant_centipede.leg_state"][:]
    tips = recording["giant_centipede.leg_point"][:][:, :, -1]
    feet = tips[state == STANCE]
    above = feet[:, 1] - height(feet[:, 0], feet[:, 2])
    print(
        f"{len(feet)} footprints, ground from {feet[:, 1].min():.2f} to {feet[:, 1].max():.2f} cm"
    )
    print(f"farthest from the formula: {np.abs(above).max():.4f} cm; picture: {OUTPUT}/waves.png")

    # What must be true: between points of its grid a field is flat or nearly, and a flat piece is
    # off a curved one by at most an eighth of its curvature times the spacing squared.
    bend = 0.6 * (1 / 3**2 + 1 / 4**2 + 2 / (3 * 4))
    assert len(feet) > 100
    assert np.abs(above).max() < SPACING**2 / 8 * bend


if __name__ == "__main__":
    main()
