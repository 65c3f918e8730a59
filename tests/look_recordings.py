"""A recording of a made-up myriapod, walking by formula along a track, to test what shows one."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skitter.channel import Channel, Static
from skitter.record import Recording
from skitter.record.writer import RecordingWriter
from skitter.rotation import matrix_to_quaternion, quaternion_to_matrix

SF1, SF2, SB1, SB2, STANCE, ADJUST = range(6)
HEIGHT, SPEED, PERIOD, SWING = 0.7, 4.0, 0.6, 0.35  # cm, cm/s, s, share of the period
BODY, GAP = np.array([0.6, 0.5, 0.8]), 0.6
LOOK = {
    "rigid": "#8a4526",
    "soft": "#e0a458",
    "soft_opacity": 0.85,
    "leg": "#d98e32",
    "antenna": "#b5672a",
    "head": "#7d3b20",
}
CELLS = 2


@dataclass(frozen=True)
class Track:
    """The line that a body walks along: a gentle wave on a plane, or once around a ball."""

    ball: float = 0.0  # radius, cm; 0 for a plane

    def place(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """The point of the ground and the frame (columns forward, up, right) after s cm."""
        if self.ball:
            c, n = np.cos(s / self.ball), np.sin(s / self.ball)
            up, forward = np.array([n, c, 0.0]), np.array([c, -n, 0.0])
            return self.ball * up, np.stack([forward, up, np.cross(forward, up)], axis=1)
        forward = np.array([1.0, 0.0, 0.45 * np.cos(0.3 * s)])
        forward /= np.linalg.norm(forward)
        up = np.array([0.0, 1.0, 0.0])
        at = np.array([s, 0.0, 1.5 * np.sin(0.3 * s)])
        return at, np.stack([forward, up, np.cross(forward, up)], axis=1)

    def point(self, s: float, y: float, z: float) -> np.ndarray:
        at, frame = self.place(s)
        return at + frame @ [0.0, y, z]


def body_sizes(segments: int) -> np.ndarray:
    return np.array([[0.8, 0.5, 0.8], *[BODY] * segments, [0.8, 0.4, 0.5]])


def body_stations(size: np.ndarray) -> np.ndarray:
    """Where each body's middle is along the track, from the head's."""
    steps = (size[1:, 0] + size[:-1, 0]) / 2 + GAP
    return -np.concatenate([[0.0], np.cumsum(steps)])


def leg_phase(leg: int, time: float) -> float:
    """Cycles done; a cycle is a swing and then a stance. The wave runs from the tail forwards."""
    return time / PERIOD + 0.07 * (leg // 2) + 0.5 * (leg % 2) + 1.0


def leg_state(leg: int, time: float) -> int:
    share = leg_phase(leg, time) % 1.0
    return STANCE if share >= SWING else (SF1 if share < SWING / 2 else SF2)


def foothold(track: Track, station: float, leg: int, cycle: int) -> np.ndarray:
    """Where the foot stands in a cycle: beside the body at the middle of the stance."""
    middle = (cycle + (1 + SWING) / 2 - leg_phase(leg, 0.0)) * PERIOD
    return track.point(station + SPEED * middle, 0.0, 1.45 if leg % 2 else -1.45)


def leg_tip(track: Track, station: float, leg: int, time: float) -> np.ndarray:
    cycle, share = divmod(leg_phase(leg, time), 1.0)
    stand = foothold(track, station, leg, int(cycle))
    if share >= SWING:
        return stand
    before, part = foothold(track, station, leg, int(cycle) - 1), share / SWING
    up = track.place(station + SPEED * time)[1][:, 1]
    return before + part * (stand - before) + 0.45 * np.sin(np.pi * part) * up


def leg_joints(track: Track, station: float, leg: int, time: float) -> np.ndarray:
    """Root, knee, ankle and tip; the knee is up and out, as legs of arthropods have it."""
    s = station + SPEED * time
    root = track.point(s, HEIGHT, 0.4 if leg % 2 else -0.4)
    tip, up = leg_tip(track, station, leg, time), track.place(s)[1][:, 1]
    reach = tip - root
    return np.array([root, root + 0.4 * reach + 0.62 * up, root + 0.78 * reach + 0.4 * up, tip])


def antenna_joints(track: Track, side: int, time: float, links: int = 12) -> np.ndarray:
    length = np.linspace(0, 3.0, links + 1)
    sway = 0.5 + 0.25 * np.sin(3 * time + side) + 0.05 * length
    sign = 1 if side else -1
    out, rise = 0.22 + length * np.sin(sway), 0.15 + 0.5 * np.sin(0.9 * length) - 0.1 * length
    at, frame = track.place(SPEED * time + 0.35)
    local = np.stack([length * np.cos(sway), HEIGHT + rise, sign * out], axis=1)
    return at + local @ frame.T


def block_nodes(track: Track, size: np.ndarray, stations: np.ndarray, time: float) -> np.ndarray:
    nodes = []
    for body in range(len(size) - 1):
        front = stations[body] - size[body, 0] / 2
        section = 0.9 * np.minimum(size[body], size[body + 1])[1:]
        for x in np.linspace(0, 1, CELLS + 1):
            for y in np.linspace(-0.5, 0.5, CELLS + 1):
                for z in np.linspace(-0.5, 0.5, CELLS + 1):
                    s = front - x * GAP + SPEED * time
                    nodes.append(track.point(s, HEIGHT + y * section[0], z * section[1]))
    return np.array(nodes)


def make_frame(track: Track, segments: int, time: float) -> dict[str, np.ndarray]:
    size = body_sizes(segments)
    stations = body_stations(size)
    legs = range(2 * segments)
    frames = [track.place(s + SPEED * time)[1] for s in stations]
    return {
        "body_position": [track.point(s + SPEED * time, HEIGHT, 0.0) for s in stations],
        "body_orientation": [matrix_to_quaternion(frame) for frame in frames],
        "node_position": block_nodes(track, size, stations, time),
        "leg_point": [leg_joints(track, stations[1 + k // 2], k, time) for k in legs],
        "leg_state": np.array([leg_state(k, time) for k in legs], np.uint8),
        "antenna_point": [antenna_joints(track, side, time) for side in (0, 1)],
    }


def make_statics(segments: int) -> dict[str, np.ndarray]:
    from fake_recordings import block_statics

    size = body_sizes(segments)
    return block_statics(len(size) - 1) | {
        "body_shape": np.zeros(len(size), np.int32),
        "body_size": size,
        "leg_radius": np.full(2 * segments, 0.06),
        "antenna_radius": np.array(0.03),
    }


def write_myriapod(
    folder: Path,
    *,
    segments: int = 18,
    seconds: float = 1.5,
    frame_rate: float = 60.0,
    track: Track = Track(),  # noqa: B008  immutable
    food: list[tuple[float, float, float]] | None = None,
    eaten_at: float = 0.75,
    obstacles: list[dict] | None = None,
    names: tuple[str, ...] = ("centipede",),
) -> Recording:
    """A real recording; the first piece of food is eaten at a time."""
    times = np.arange(round(seconds * frame_rate) + 1) / frame_rate
    frames = [make_frame(track, segments, float(time)) for time in times]
    values = {f"{n}.{key}": np.asarray(v) for n in names for key, v in frames[0].items()}
    statics = {f"{n}.{key}": v for n in names for key, v in make_statics(segments).items()}
    if food:
        values["food_left"] = np.ones(len(food), np.uint8)
        statics |= {"food_position": np.array(food), "food_radius": np.full(len(food), 0.35)}
    channels = [_channel(name, value) for name, value in values.items()]
    ball = {"shape": "sphere", "at": [0, 0, 0], "radius": track.ball}
    plane = {"shape": "plane", "at": [0, 0, 0], "normal": [0, 1, 0]}
    attributes = {
        "scene": {"terrain": [ball if track.ball else plane], "camera": {}},
        "creatures": [{"name": n, "species": n, "kind": "myriapod", "look": LOOK} for n in names],
        "obstacles": obstacles or [],
        "frame_rate": frame_rate,
    }
    fixed = [Static(n, _dims(n, np.asarray(v)), np.asarray(v), "") for n, v in statics.items()]
    with RecordingWriter.create(folder, channels, fixed, attributes, frame_rate) as writer:
        for time, frame in zip(times, frames, strict=True):
            row = {f"{n}.{key}": value for n in names for key, value in frame.items()}
            if food:
                row["food_left"] = np.array([time < eaten_at] + [True] * (len(food) - 1), np.uint8)
            writer.append(float(time), row)
    return Recording.open(folder)


def _dims(name: str, value: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in range(value.ndim))


def _channel(name: str, value: np.ndarray) -> Channel:
    dtype = "uint8" if value.dtype == np.uint8 else "float64"
    return Channel(name, _dims(name, value), value.shape, dtype, "")


def turn_of(recording: Recording, frame: int) -> np.ndarray:
    """Rotation matrices of the bodies of the first creature."""
    name = recording.creatures[0]["name"]
    return quaternion_to_matrix(recording[f"{name}.body_orientation"][frame])
