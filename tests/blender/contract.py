"""Where the joints of an export must be, worked out from a recording's channels alone.

The names and places are the promise that docs/exports.md makes to animators. Nothing here comes
from the code that exports.
"""

from collections import Counter

import numpy as np

from skitter.record import Recording

LINKS = ("femur", "tibia", "tarsus")  # they begin at the root, the knee and the ankle of a leg
METRE = 0.01  # of a centimetre

Tracks = dict[str, np.ndarray]  # by joint: [frame, 3] m


def expect_joints(recording: Recording, name: str) -> Tracks:
    """Every joint of a creature whose place is recorded, over all frames."""
    return (
        expect_segments(recording, name)
        | expect_legs(recording, name)
        | expect_antennae(recording, name)
        | expect_spine(recording, name)
    )


def expect_segments(recording: Recording, name: str) -> Tracks:
    if f"{name}.body_position" not in recording:
        return {}
    places = METRE * read(recording, name, "body_position")
    return {f"seg_{k:02d}": places[:, k] for k in range(places.shape[1])}


def expect_legs(recording: Recording, name: str) -> Tracks:
    if f"{name}.leg_point" not in recording:
        return {}
    places = METRE * read(recording, name, "leg_point")
    return {
        f"{seat}_{link}": places[:, leg, joint]
        for leg, seat in enumerate(name_legs(recording, name))
        for joint, link in enumerate(LINKS)
    }


def name_legs(recording: Recording, name: str) -> list[str]:
    """seg_07_leg_L for a leg on the left of part 7, L2 for a second one there.

    Seen in the first frame: a leg sits on the part whose middle is nearest, and z is to the right.
    """
    root = read(recording, name, "leg_point")[0, :, 0]
    middle = read(recording, name, "body_position")[0]
    right = right_of(read(recording, name, "body_orientation")[0])
    seats, taken = [], Counter[tuple[int, str]]()
    for at in root:
        part = int(np.linalg.norm(middle - at, axis=1).argmin())
        side = "R" if (at - middle[part]) @ right[part] > 0 else "L"
        taken[part, side] += 1
        again = "" if taken[part, side] == 1 else str(taken[part, side])
        seats.append(f"seg_{part:02d}_leg_{side}{again}")
    return seats


def right_of(turn: np.ndarray) -> np.ndarray:
    """The z axes [part, 3] of orientations [part, 4], w x y z."""
    w, x, y, z = turn.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


def expect_antennae(recording: Recording, name: str) -> Tracks:
    """A joint for each link, at its beginning; the left antenna is recorded first."""
    if f"{name}.antenna_point" not in recording:
        return {}
    places = METRE * read(recording, name, "antenna_point")
    return {
        f"seg_00_antenna_{side}_{link + 1}": places[:, antenna, link]
        for antenna, side in enumerate("LR")
        for link in range(places.shape[2] - 1)
    }


def expect_spine(recording: Recording, name: str) -> Tracks:
    """Joints in the middles of 24 equal stretches of the midline, from the head on."""
    if f"{name}.midline" not in recording:
        return {}
    places = METRE * read(recording, name, "midline")
    at = (np.arange(24) + 0.5) / 24 * (places.shape[1] - 1)
    before = at.astype(int)
    share = (at - before)[:, None]
    joints = (1 - share) * places[:, before] + share * places[:, before + 1]
    return {f"spine_{k:02d}": joints[:, k] for k in range(24)}


def body_length(recording: Recording, name: str) -> float:
    """Of a creature at rest, m; of one that has no such number the diagonal of its box."""
    if recording.has_static(f"{name}.body_length"):
        return METRE * float(recording.static(f"{name}.body_length"))
    kinds = [kind for kind in ("body_position", "node_position") if f"{name}.{kind}" in recording]
    points = np.concatenate([read(recording, name, kind)[0] for kind in kinds])
    extent = np.ptp(points, axis=0)
    if "body_position" in kinds:
        extent += np.max(recording.static(f"{name}.body_size"), axis=0)
    return METRE * float(np.linalg.norm(extent))


def read(recording: Recording, name: str, channel: str) -> np.ndarray:
    return np.asarray(recording[f"{name}.{channel}"][:], float)
