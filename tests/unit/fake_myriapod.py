"""Recordings of a myriapod that walks by formula: every touchdown is where the test put it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from skitter.record import Channel, Recording, RecordingWriter, Static
from skitter.scene.load import load_scene

SF1, SF2, SB1, SB2, STANCE, ADJUST = range(6)
LEG_LENGTH, HEIGHT, WIDTH = 2.0, 0.8, 0.5  # cm
RATE = 60.0
GROUND = [{"shape": "plane"}]
EXTRA_DIMS = {
    "leg_point": ("joint", "xyz"),
    "leg_time": ("leg_state_name",),
    "body_position": ("xyz",),
    "body_orientation": ("wxyz",),
    "body_size": ("xyz",),
}


@dataclass
class Walk:
    """Arrays of all frames by channel, to be changed by a test before they are written."""

    channels: dict[str, np.ndarray]
    statics: dict[str, np.ndarray]
    obstacles: list[dict[str, Any]] = field(default_factory=list)
    kind: str = "myriapod"

    @property
    def time(self) -> np.ndarray:
        return np.arange(len(self.channels["brain_mode"])) / RATE

    def write(self, path: Path) -> Recording:
        creatures = [{"species": "chain", "name": "bug"}]
        scene = load_scene({"title": "t", "terrain": GROUND, "creatures": creatures})
        attributes = {
            "scene": scene.to_dict(),
            "creatures": [{"name": "bug", "kind": self.kind, "species": "bug", "look": {}}],
            "obstacles": self.obstacles,
        }
        channels = [
            Channel(f"bug.{key}", dims_of(key, values[0]), values[0].shape, values.dtype.name, "1")
            for key, values in self.channels.items()
        ]
        statics = [Static(f"bug.{k}", dims_of(k, v), v, "1") for k, v in self.statics.items()]
        with RecordingWriter.create(path, channels, statics, attributes, RATE) as writer:
            for frame, time in enumerate(self.time):
                values = {f"bug.{key}": array[frame] for key, array in self.channels.items()}
                writer.append(float(time), values)
        return Recording.open(path)


def dims_of(key: str, values: np.ndarray) -> tuple[str, ...]:
    """A dimension named after the owner (leg, segment, body), then those of its values."""
    return (f"bug.{key.split('_')[0]}", *EXTRA_DIMS.get(key, ()))[: np.ndim(values)]


def touchdowns_of(segments: int, seconds: float, period: float, lag: float, side: float):
    """Regular touchdowns [leg, cycle]: the right legs `side` cycles after the left ones, each
    segment `lag` cycles after the one in front of it. The first is within the first period."""
    leg = np.arange(2 * segments)
    phase = (0.02 + lag * (leg // 2) + side * (leg % 2)) % 1.0
    return period * (phase[:, None] + np.arange(int(seconds / period) + 2))


def build_walk(touchdown: np.ndarray, seconds: float, duty: float, adjust=0.0) -> Walk:
    """Legs that stand for a share `duty` of each cycle, then SF1, ADJUST for a share `adjust` (one
    for all, or per leg), SF2. nan: no touchdown."""
    time, legs = np.arange(round(seconds * RATE) + 1) / RATE, len(touchdown)
    adjust = np.broadcast_to(adjust, legs)
    rows = [leg_rows(time, touchdown[leg], duty, adjust[leg]) for leg in range(legs)]
    state, spent, entered, left = (np.stack(one, axis=1) for one in zip(*rows, strict=True))
    channels = {
        "leg_state": state.astype(np.uint8),
        "leg_time": spent,
        "leg_stance_start": entered,
        "leg_swing_start": left,
        "leg_point": place_tips(state, entered),
        "brain_mode": np.ones(len(time), np.uint8),
        "food_eaten": np.zeros(len(time), np.int32),
        "segment_height": np.full((len(time), legs // 2), HEIGHT),
        **place_bodies(len(time), legs // 2 + 2),
    }
    return Walk(channels, list_statics(legs))


def leg_rows(time, touchdown, duty, adjust):
    """State, time in each state, last touchdown and last liftoff of one leg in every frame."""
    down = touchdown[np.isfinite(touchdown)]
    if len(down) == 0:
        never = np.full(len(time), -1.0)
        return np.full(len(time), SF1), np.eye(6)[SF1] * time[:, None], never, never
    period = np.diff(down, append=down[-1] + np.diff(down)[-1])
    up = down + duty * period
    adjusting = up + 0.4 * (1 - duty) * period
    edges = np.stack([down, up, adjusting, adjusting + adjust * period], axis=1).ravel()
    edges = np.concatenate([[0.0], edges])
    states = np.concatenate([[SF2], np.tile([STANCE, SF1, ADJUST, SF2], len(down))])
    sums = np.cumsum(np.diff(edges)[:, None] * np.eye(6)[states[:-1]], axis=0)
    sums = np.concatenate([np.zeros((1, 6)), sums])
    spent = np.stack([np.interp(time, edges, sums[:, s]) for s in range(6)], axis=1)
    state = states[np.searchsorted(edges, time, "right") - 1]
    return state, spent, latest(down, time), latest(up, time)


def latest(events: np.ndarray, time: np.ndarray) -> np.ndarray:
    return np.concatenate([[-1.0], events])[np.searchsorted(events, time, "right")]


def place_tips(state: np.ndarray, entered: np.ndarray) -> np.ndarray:
    """Tips stay where they came down and fly half a cm above the ground."""
    points = np.zeros((*state.shape, 4, 3))
    points[:, :, 3, 0] = entered
    points[:, :, 3, 1] = np.where(state == STANCE, 0.0, 0.5)
    return points


def place_bodies(frames: int, bodies: int) -> dict[str, np.ndarray]:
    """In a row, one cm apart, the head in front, at rest."""
    place = np.zeros((frames, bodies, 3), np.float32)
    place[:, :, 0], place[:, :, 1] = -np.arange(bodies), HEIGHT
    turn = np.zeros((frames, bodies, 4), np.float32)
    turn[..., 0] = 1
    energies = {f"energy_{key}": np.zeros(frames) for key in ("kinetic", "elastic", "gravity")}
    return {"body_position": place, "body_orientation": turn, **energies}


def list_statics(legs: int) -> dict[str, np.ndarray]:
    bodies = legs // 2 + 2
    return {
        "leg_length": np.full(legs, LEG_LENGTH),
        "segment_height_target": np.full(legs // 2, HEIGHT),
        "body_length": np.array(float(bodies)),
        "body_size": np.tile([0.6, 0.3, WIDTH], (bodies, 1)),
        "body_shape": np.zeros(bodies, np.int32),
        "body_fixed": np.zeros(bodies, np.int32),
    }
