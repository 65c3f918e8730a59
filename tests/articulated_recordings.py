"""Recordings of animals of boxes that walk by formula, and of a wire, to test what shows them.

The roach stands on six legs of four segments in a tripod gait; every joint of a leg bends in the
leg's plane, so that a test knows where each joint must be.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.record import Recording
from skitter.record.writer import RecordingWriter
from skitter.rotation import matrices_to_quaternions, matrix_from_turn

FRAME_RATE, PERIOD, SPEED, HEIGHT = 60.0, 0.25, 5.5, 0.62  # 1/s, s, cm/s, cm
MIRROR = np.diag([1.0, 1.0, -1.0])
TRUNK = {  # size, and place in the frame of the thorax at rest, cm
    "thorax": ((0.95, 0.42, 0.95), (0.0, 0.0, 0.0)),
    "abdomen": ((1.5, 0.42, 1.05), (-1.2, 0.0, 0.0)),
    "head": ((0.35, 0.4, 0.45), (0.62, -0.03, 0.0)),
}
LEGS = {  # where they begin on the right, cm; heading, deg; lengths of segments, cm
    "front": ((0.36, -0.14, 0.2), 52.0, (0.42, 0.5, 0.45, 0.35)),
    "middle": ((0.05, -0.16, 0.24), -12.0, (0.46, 0.6, 0.62, 0.42)),
    "hind": ((-0.3, -0.16, 0.22), -48.0, (0.52, 0.72, 0.95, 0.55)),
}
SECTIONS = ((0.16, 0.26), (0.17, 0.13), (0.08, 0.08), (0.05, 0.05))  # cm, high and wide
STANDING = (-24.0, 22.0, None, -10.0)  # deg, of the segments above the horizon
LIFTED = (-8.0, 38.0, -30.0, -30.0)
SWING = 16.0  # deg, to either side


@dataclass
class Body:
    """What is there: boxes, and which are whose."""

    size: list[tuple[float, float, float]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    leg: list[int] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)
    joint: list[tuple[float, float, float]] = field(default_factory=list)
    legs: list[tuple[str, int, int]] = field(default_factory=list)  # pair, side, segments

    def add(self, size: Any, parent: int, leg: int, segment: int, joint: Any) -> None:
        rows = (self.size, self.parent, self.leg, self.segment, self.joint)
        for column, value in zip(rows, (size, parent, leg, segment, joint), strict=True):
            column.append(value)

    def statics(self) -> dict[str, np.ndarray]:
        pairs = {name: k for k, name in enumerate(LEGS)}
        last = [max(k for k, leg in enumerate(self.leg) if leg == n) for n in range(len(self.legs))]
        return {
            "body_shape": np.zeros(len(self.size), np.int32),
            "body_size": np.array(self.size),
            "body_parent": np.array(self.parent, np.int32),
            "body_joint": np.array(self.joint),
            "body_leg": np.array(self.leg, np.int32),
            "body_segment": np.array(self.segment, np.int32),
            "leg_pair": np.array([pairs[name] for name, _, _ in self.legs], np.int32),
            "leg_side": np.array([side for _, side, _ in self.legs], np.int32),
            "leg_foot": np.array(last, np.int32),
        }


def build_roach(missing: tuple[str, ...] = ()) -> Body:
    """The roach; `missing` are such as left_middle or right_hind.tibia."""
    body = Body()
    joints = {"thorax": (0, 0, 0), "abdomen": (0.75, 0, 0), "head": (-0.175, 0, 0)}
    for k, (name, (size, _)) in enumerate(TRUNK.items()):
        body.add(size, -1 if k == 0 else 0, -1, -1 - k, joints[name])
    for pair, (_, _, lengths) in LEGS.items():
        for side, word in ((-1, "left"), (1, "right")):
            name = f"{word}_{pair}"
            kept = [f"{name}.{s}" in missing for s in ("coxa", "femur", "tibia", "tarsus")]
            count = kept.index(True) if True in kept else 4
            if name in missing or count == 0:
                continue
            for k in range(count):
                parent = 0 if k == 0 else len(body.size) - 1
                size = (lengths[k], *SECTIONS[k])
                body.add(size, parent, len(body.legs), k, (-lengths[k] / 2, 0, 0))
            body.legs.append((pair, side, count))
    return body


def place_leg(pair: str, side: int, count: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Middles and turns of a leg's boxes in the frame of the thorax."""
    root, heading, lengths = LEGS[pair]
    group = (list(LEGS).index(pair) + (side > 0)) % 2  # of the two tripods
    phase = 2 * np.pi * (time / PERIOD + group / 2)
    lift = max(0.0, np.sin(phase))
    yaw = heading - SWING * np.cos(phase)  # forward while it is lifted
    at, places, turns = np.array(root), [], []
    stand = list(STANDING)
    rise = [lengths[k] * np.sin(np.radians(stand[k])) for k in (0, 1, 3)]
    fall = HEIGHT + root[1] + sum(rise) - SECTIONS[3][0] / 2  # the foot is then on the ground
    stand[2] = -np.degrees(np.arcsin(fall / lengths[2]))
    for k in range(count):
        pitch = (1 - lift) * stand[k] + lift * LIFTED[k]
        turn = matrix_from_turn((0, yaw - 90, 0)) @ matrix_from_turn((0, 0, pitch))
        along = lengths[k] * turn[:, 0]
        places.append(at + along / 2)
        turns.append(turn)
        at = at + along
    if side > 0:
        return np.array(places), np.array(turns)
    return np.array(places) @ MIRROR, MIRROR @ np.array(turns) @ MIRROR


def place_bodies(body: Body, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Middles [body, 3] and turns [body, 3, 3] in the world."""
    places = [np.array(at) for _, at in TRUNK.values()]
    nod = matrix_from_turn((0, 0, -8 + 4 * np.sin(9 * time)))
    turns = [np.eye(3), np.eye(3), nod]
    places[2] = np.array([0.475, -0.03, 0.0]) + nod @ [0.175, 0, 0]
    for pair, side, count in body.legs:
        more, turned = place_leg(pair, side, count, time)
        places += list(more)
        turns += list(turned)
    sway = matrix_from_turn((0, 2.5 * np.sin(2 * np.pi * time / PERIOD), 0))
    at = np.array([SPEED * time, HEIGHT, 0.0])
    return np.array(places) @ sway.T + at, sway @ np.array(turns)


def write_roach(
    folder: Path,
    *,
    seconds: float = 0.5,
    look: dict[str, Any] | None = None,
    missing: tuple[str, ...] = (),
    camera: dict[str, Any] | None = None,
    without: tuple[str, ...] = (),
) -> Recording:
    """A roach; `without` names statics that are not recorded."""
    body = build_roach(missing)
    statics = {key: value for key, value in body.statics().items() if key not in without}
    times = np.arange(round(seconds * FRAME_RATE) + 1) / FRAME_RATE
    poses = [place_bodies(body, float(time)) for time in times]
    look = {"style": "roach"} | (look or {})
    return write_boxes(folder, "roach", look, statics, times, poses, camera)


def write_wire(folder: Path, *, links: int = 5, look: dict[str, Any] | None = None) -> Recording:
    """A wire that hangs and swings, of links that point away from their joints along x."""
    length, thick = 0.8, 0.06
    times = np.arange(31) / FRAME_RATE
    poses = []
    for time in times:
        angle = -90 + 25 * np.sin(8 * time) * (1 + np.arange(links)) / links
        turns = np.array([matrix_from_turn((0, 0, float(one))) for one in angle])
        ends = np.cumsum(length * turns[:, :, 0], axis=0) + np.array([0, 5, 0])
        poses.append((ends - length / 2 * turns[:, :, 0], turns))
    statics = {
        "body_shape": np.zeros(links, np.int32),
        "body_size": np.tile([length, thick, thick], (links, 1)),
        "body_parent": np.arange(links, dtype=np.int32) - 1,
        "body_joint": np.tile([-length / 2, 0, 0], (links, 1)),
        "body_leg": np.full(links, -1, np.int32),
        "body_segment": np.full(links, -1, np.int32),
    }
    return write_boxes(folder, "wire", {"style": "wire"} | (look or {}), statics, times, poses)


def write_boxes(
    folder: Path,
    name: str,
    look: dict[str, Any],
    statics: dict[str, np.ndarray],
    times: np.ndarray,
    poses: list[tuple[np.ndarray, np.ndarray]],
    camera: dict[str, Any] | None = None,
    kind: str = "articulated",
) -> Recording:
    """A real recording of one creature, from where its boxes are in every frame."""
    rows = [
        {"body_position": np.float32(at), "body_orientation": np.float32(to_quaternions(turn))}
        for at, turn in poses
    ]
    channels = [
        Channel(f"{name}.{key}", _dims(f"{name}.{key}", value), value.shape, "float32", "")
        for key, value in rows[0].items()
    ]
    fixed = [
        Static(f"{name}.{key}", _dims(f"{name}.{key}", value), value, "")
        for key, value in statics.items()
    ]
    attributes = {
        "scene": {
            "title": "Boxes that move by formula",
            "creatures": [{"species": name, "name": name}],
            "terrain": [{"shape": "plane", "at": [0, 0, 0], "normal": [0, 1, 0]}],
            "camera": camera or {},
            "creature_names": [name],
            "species": [{"kind": kind, "title": name}],
        },
        "creatures": [{"name": name, "species": name, "kind": kind, "look": look}],
        "obstacles": [],
        "frame_rate": FRAME_RATE,
    }
    with RecordingWriter.create(folder, channels, fixed, attributes, FRAME_RATE) as writer:
        for time, row in zip(times, rows, strict=True):
            writer.append(float(time), {f"{name}.{key}": value for key, value in row.items()})
    return Recording.open(folder)


def to_quaternions(turns: np.ndarray) -> np.ndarray:
    return matrices_to_quaternions(np.asarray(turns))


def _dims(name: str, value: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in range(value.ndim))
