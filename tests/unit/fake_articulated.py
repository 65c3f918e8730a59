"""Recordings of a creature of jointed links that walks by formula: every step, every force and
every place is where the test put it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.record import Recording, RecordingWriter
from skitter.record.memory import MemoryRecording
from skitter.scene.load import load_scene

NAME = "bug"
LENGTH, MASS, GRAVITY = 2.9, 2.1, 981.0
THICK, HEIGHT = 0.5, 0.6  # cm, of the root, and how high its middle is


@dataclass
class Fake:
    """Arrays of all frames by channel, to be changed by a test before they are recorded."""

    time: np.ndarray
    channels: dict[str, np.ndarray]
    statics: dict[str, np.ndarray]
    gravity: float = GRAVITY
    kind: str = "articulated"
    terrain: list = field(default_factory=lambda: [{"shape": "plane"}])

    def record(self) -> MemoryRecording:
        """In memory."""
        statics = {one.name: one for one in self._list_statics()}
        channels, attributes = self._list_channels(), self._list_attributes()
        return MemoryRecording(attributes, channels, statics, self._list_moments())

    def write(self, path: Path) -> Recording:
        """In a folder."""
        attributes, statics = self._list_attributes(), self._list_statics()
        rate = 1 / float(self.time[1] - self.time[0])
        channels = self._list_channels()
        with RecordingWriter.create(path, channels, statics, attributes, rate) as writer:
            for moment in self._list_moments():
                writer.append(*moment)
        return Recording.open(path)

    def _list_attributes(self) -> dict[str, Any]:
        told = {
            "title": "t",
            "gravity": self.gravity,
            "terrain": self.terrain,
            "creatures": [{"species": "chain", "name": NAME}],
        }
        return {
            "scene": load_scene(told).to_dict(),
            "creatures": [{"name": NAME, "kind": self.kind, "species": NAME, "look": {}}],
            "obstacles": [],
        }

    def _list_channels(self) -> list[Channel]:
        return [
            Channel(f"{NAME}.{key}", name_dims(key, one[0]), one.shape[1:], one.dtype.name, "1")
            for key, one in self.channels.items()
        ]

    def _list_statics(self) -> list[Static]:
        arrays = {key: np.asarray(one) for key, one in self.statics.items()}
        return [Static(f"{NAME}.{key}", name_dims(key, a), a, "1") for key, a in arrays.items()]

    def _list_moments(self) -> list[tuple[float, dict[str, np.ndarray]]]:
        return [
            (float(t), {f"{NAME}.{key}": one[frame] for key, one in self.channels.items()})
            for frame, t in enumerate(self.time)
        ]


def name_dims(key: str, values: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{NAME}.{key}_{k}" for k in range(np.ndim(values)))


def list_lifts(pairs=3, *, seconds=6.0, frequency=2.0, lag=0.05, across=0.5, start=0.2):
    """When each leg begins its steps [leg, step], s: a wave that runs forwards on each side, the
    right side `across` cycles after the left."""
    leg = np.arange(2 * pairs)
    first = start + lag * (pairs - 1 - leg // 2) + across / frequency * (leg % 2)
    return first[:, None] + np.arange(int(seconds * frequency) + 2) / frequency


def latest(events, time):
    """The last event at every time, -1 before the first."""
    return np.concatenate([[-1.0], events])[np.searchsorted(events, time, "right")]


def tell_steps(time, lifts, lands):
    """Last lift, last landing and whether a leg steps [frame, leg]."""
    lift = np.stack([latest(one, time) for one in lifts], axis=1)
    land = np.stack([latest(one, time) for one in lands], axis=1)
    return lift, land, (lift > land).astype(np.uint8)


def make_walk(
    pairs=3,
    *,
    seconds=6.0,
    rate=60.0,
    frequency=2.0,
    step=0.05,
    late=(0.01, 0.02),
    speed=5.0,
    **how,
) -> Fake:
    """A body that walks along +x at a speed, cm/s, and does not sway; feet leave the ground
    `late[0]` after they are told to step and touch it `late[1]` after they are told to stand."""
    time = np.arange(round(seconds * rate) + 1) / rate
    lifts = list_lifts(pairs, seconds=seconds, frequency=frequency, **how)
    lift, land, stepping = tell_steps(time, lifts, lifts + step)
    leave, touch, in_air = tell_steps(time, lifts + late[0], lifts + step + late[1])
    zero = np.zeros((len(time), 2 * pairs))
    channels = {
        "lift_time": lift,
        "land_time": land,
        "leg_stepping": stepping,
        "leave_time": leave,
        "touch_time": touch,
        "foot_touching": 1 - in_air,
        "phase": (time[:, None] - lifts[:, 0]) * frequency,
        "drive": np.tile([frequency, 1.0, 1.0, 1.0], (len(time), 1)),
        "foot_position": np.zeros((*zero.shape, 3)),
        "foot_force": np.zeros((*zero.shape, 3)),
        **place_body(time, np.stack([speed * time, 0 * time], axis=1)),
    }
    leg = np.arange(2 * pairs)
    return Fake(
        time, channels, {"leg_pair": leg // 2, "leg_side": leg % 2 * 2 - 1, **list_statics()}
    )


def list_statics():
    return {
        "total_mass": MASS,
        "body_length": LENGTH,
        "body_segment": np.array([-3, -1]),
        "body_leg": np.array([-1, -1]),
        "body_size": np.array([[0.2, 0.2, 0.2], [1.0, THICK, 0.8]]),
    }


def place_body(time, path, *, yaw=0.0, pitch=0.0, roll=0.0, height=HEIGHT):
    """A head and a root at a path over the ground [frame, xz], turned; rad."""
    place = np.zeros((len(time), 2, 3))
    place[:, :, 0], place[:, :, 2] = path[:, :1], path[:, 1:]
    place[:, 1, 1] = height
    place[:, 0, 1] = 5.0  # the head is far from the ground, and never turned
    turn = np.zeros((len(time), 2, 4))
    turn[:, 0, 0] = 1
    turn[:, 1] = multiply(about("y", yaw), multiply(about("z", pitch), about("x", roll)))
    return {
        "body_position": place,
        "body_orientation": turn,
        "centre_of_mass": np.stack([path[:, 0], 0 * time + HEIGHT, path[:, 1]], axis=1),
    }


def about(axis, angle):
    """Quaternions [..., 4] of turns about an axis, rad."""
    half = np.asarray(angle, float) / 2
    found = np.zeros((*half.shape, 4))
    found[..., 0], found[..., 1 + "xyz".index(axis)] = np.cos(half), np.sin(half)
    return found


def multiply(a, b):
    """Hamilton products."""
    (aw, ax, ay, az), (bw, bx, by, bz) = (np.moveaxis(np.asarray(q), -1, 0) for q in (a, b))
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )
