"""Measure a gait: who stands when, drawn as text, and numbers worked out by hand beside ours.

python examples/04_measure_gait.py [OUTPUT FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import skitter
from skitter.measure.gait import phase_lags, read_gait

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/measure_gait")
NAME = "giant_centipede"
STANCE = 4  # the number of that state in a recording
SETTLED = 2.0  # s; by then it has found its gait


def draw_gait(time, standing) -> None:
    """A row for each left leg, front first; # where it stands, one column each 1/30 s."""
    shown = (time > SETTLED) & (time < SETTLED + 2)
    for leg in range(0, standing.shape[1], 2):
        row = "".join("#" if stands else "." for stands in standing[shown, leg][::2])
        print(f"  L{leg // 2 + 1:<3}{row}")


def find_touchdowns(time, standing) -> list[np.ndarray]:
    """Times at which each leg came to stand, s, after it had settled."""
    began = standing[1:] & ~standing[:-1] & (time[1:, None] > SETTLED)
    return [time[1:][began[:, leg]] for leg in range(standing.shape[1])]


def main() -> None:
    scene = {
        "title": "A giant centipede straight ahead",
        "seconds": 6,
        "frame_rate": 60,
        "terrain": [{"shape": "plane"}],
        "creatures": [{"species": NAME, "at": [0, 1, 0], "commands": [{"speed": 8}]}],
    }
    recording = skitter.run(scene, output=OUTPUT / "walk", overwrite=True)
    time = np.asarray(recording.time)
    standing = recording[f"{NAME}.leg_state"][:] == STANCE
    draw_gait(time, standing)

    # By hand, from frames: the stride of a leg, and by how much of it the next leg is later.
    touchdowns = find_touchdowns(time, standing)
    stride = float(np.mean(np.concatenate([np.diff(one) for one in touchdowns])))
    lags = []
    for leg in range(len(touchdowns) - 2):  # the leg behind on the same side has the number + 2
        ahead, behind = touchdowns[leg], touchdowns[leg + 2]
        lags += [(t - ahead[ahead <= t][-1]) / stride for t in behind if (ahead <= t).any()]
    turns = np.exp(2j * np.pi * np.array(lags))
    lag = float(np.angle(turns.mean()) / (2 * np.pi))

    # By Skitter, from the exact times of steps. recording.measure() has the same, and much more, of
    # the whole walk; here it is told of the same stretch.
    gait = read_gait(recording, NAME, since=SETTLED)
    theirs = np.exp(2j * np.pi * phase_lags(gait).lag[~np.isnan(phase_lags(gait).lag)])
    measured = float(gait.strides.mean()), float(np.angle(theirs.mean()) / (2 * np.pi))
    print(f"{'':16}{'by hand':>10}{'measured':>10}")
    print(f"{'stride period':16}{stride:10.4f}{measured[0]:10.4f}  s")
    print(f"{'phase lag':16}{lag:10.4f}{measured[1]:10.4f}  cycle")

    # What must be true: both agree to what frames of 1/60 s can tell.
    assert abs(measured[0] - stride) < 1 / 60
    assert abs(measured[1] - lag) < 1 / 60 / stride


if __name__ == "__main__":
    main()
