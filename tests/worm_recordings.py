"""Recordings of a worm that glides along a wave by formula, to test what shows one.

The body is the one that worms have. Along its track it slips nowhere: every section passes where
the head has been. Whatever bends is bent about the midline, exactly, so that a test knows where
each point must be.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.creatures.worm.anatomy import MUSCLES, build_body
from skitter.elastic.tet_mesh import TetMesh
from skitter.record import Recording
from skitter.record.writer import RecordingWriter

LENGTH, RADIUS = 0.1, 0.004  # cm
SLABS = 58
POINTS = 49  # of the midline
WAVES, BEND = 1.5, 9.0  # along the body; radians per body length, of the strongest bend
SPEED = 0.03  # cm/s
FRAME_RATE = 50.0


@cache
def build_tube(slabs: int = SLABS) -> TetMesh:
    return build_body(length=LENGTH, radius=RADIUS, slabs=slabs)


@dataclass(frozen=True)
class Track:
    """The wave that the head has drawn; its points are looked up by the way along it, cm."""

    way: np.ndarray
    point: np.ndarray  # [place, 2] x and z
    turn: np.ndarray  # rad, heading

    @classmethod
    def draw(cls, seconds: float) -> "Track":
        way = np.linspace(-1.2 * LENGTH, SPEED * seconds + 0.2 * LENGTH, 8001)
        wave = 2 * np.pi * WAVES / LENGTH
        turn = -BEND / LENGTH / wave * np.cos(wave * way)
        step = np.gradient(way)
        point = np.cumsum(np.stack([np.cos(turn), np.sin(turn)], 1) * step[:, None], axis=0)
        return cls(way, point, turn)

    def carry(self, points: np.ndarray, time: float) -> np.ndarray:
        """Points at rest [point, 3], where they are once the head has gone on for a time, s."""
        at = SPEED * time + points[:, 0] - LENGTH / 2
        x, z, turn = (
            np.interp(at, self.way, one) for one in (self.point[:, 0], self.point[:, 1], self.turn)
        )
        side = points[:, 2]
        high = points[:, 1] + RADIUS
        return np.stack([x - side * np.sin(turn), high, z + side * np.cos(turn)], axis=1)

    def bend(self, place: np.ndarray, time: float) -> np.ndarray:
        """From -1 to 1, towards dorsal where positive, at places from 0 to 1."""
        at = SPEED * time - LENGTH * place
        return np.sin(2 * np.pi * WAVES / LENGTH * at)


def midline_at_rest() -> np.ndarray:
    line = np.zeros((POINTS, 3))
    line[:, 0] = LENGTH * (0.5 - np.linspace(0, 1, POINTS))
    return line


def make_frame(body: TetMesh, track: Track, time: float) -> dict[str, np.ndarray]:
    side = np.array([1.0 if one.side == "dorsal" else -1.0 for one in MUSCLES])
    place = np.array([(one.start + one.end) / 2 for one in MUSCLES])
    return {
        "node_position": np.float32(track.carry(body.nodes, time)),
        "midline": track.carry(midline_at_rest(), time),
        "muscle_activation": np.float32(np.clip(side * track.bend(place, time), 0, 1)),
    }


def make_statics(body: TetMesh) -> dict[str, np.ndarray]:
    return {
        "rest_position": body.nodes,
        "tets": body.tets,
        "tet_region": body.region,
        "muscle_region": np.array([body.region_names.index(one.name) for one in MUSCLES]),
        "soft_triangles": body.surface,
        "midline_rest": np.linspace(0, LENGTH, POINTS),
        "body_length": np.array(LENGTH),
        "body_radius": np.array(RADIUS),
    }


def write_worm(
    folder: Path,
    *,
    seconds: float = 1.0,
    look: dict[str, Any] | None = None,
    camera: dict[str, Any] | None = None,
    slabs: int = SLABS,
    names: tuple[str, ...] = ("worm",),
) -> Recording:
    """A real recording of one worm or of several, side by side."""
    body, track = build_tube(slabs), Track.draw(seconds)
    times = np.arange(round(seconds * FRAME_RATE) + 1) / FRAME_RATE
    first = make_frame(body, track, 0.0)
    channels = [_channel(f"{n}.{key}", value) for n in names for key, value in first.items()]
    attributes = {
        "scene": {
            "title": "A worm that glides",
            "creatures": [{"species": "worm", "name": name} for name in names],
            "terrain": [{"shape": "plane", "at": [0, 0, 0], "normal": [0, 1, 0]}],
            "camera": camera or {},
            "creature_names": list(names),
            "species": [{"kind": "worm", "title": "A worm"}] * len(names),
        },
        "creatures": [
            {"name": n, "species": "worm", "kind": "worm", "look": look or {}} for n in names
        ],
        "obstacles": [],
        "frame_rate": FRAME_RATE,
    }
    fixed = [
        Static(f"{n}.{key}", _dims(f"{n}.{key}", value), value, "")
        for n in names
        for key, value in make_statics(body).items()
    ]
    with RecordingWriter.create(folder, channels, fixed, attributes, FRAME_RATE) as writer:
        for time in times:
            frame = make_frame(body, track, float(time))
            row = {}
            for number, name in enumerate(names):
                shift = np.array([0.0, 0.0, 0.04 * number])
                row |= {
                    f"{name}.{key}": v
                    if key == "muscle_activation"
                    else (v + shift).astype(v.dtype)
                    for key, v in frame.items()
                }
            writer.append(float(time), row)
    return Recording.open(folder)


def _dims(name: str, value: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in range(value.ndim))


def _channel(name: str, value: np.ndarray) -> Channel:
    return Channel(name, _dims(name, value), value.shape, value.dtype.name, "")
