"""Recordings made up by formula, with the shape of real ones, to test what shows them."""

from typing import Any

import numpy as np


class FakeRecording:
    """As much of `skitter.record.Recording` as look/ and render/ use."""

    def __init__(self, frame_rate: float, frame_count: int, terrain: list[dict[str, Any]]) -> None:
        self.frame_rate = frame_rate
        self.frame_count = frame_count
        self.time = np.arange(frame_count) / frame_rate
        self.creatures: list[dict[str, Any]] = []
        self.scene: dict[str, Any] = {"terrain": terrain, "camera": {}}
        self.attributes = {"scene": self.scene, "creatures": self.creatures}
        self._channels: dict[str, np.ndarray] = {}
        self._statics: dict[str, np.ndarray] = {}

    @property
    def channels(self) -> list[str]:
        return list(self._channels)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._channels[name]

    def static(self, name: str) -> np.ndarray:
        return self._statics[name]

    def has_static(self, name: str) -> bool:
        return name in self._statics

    def __contains__(self, name: object) -> bool:
        return name in self._channels

    def add_creature(self, name, look, channels, statics) -> None:
        self.creatures.append({"name": name, "species": name, "kind": "figure", "look": look})
        self._channels |= {f"{name}.{k}": np.float32(v) for k, v in channels.items()}
        self._statics |= {f"{name}.{k}": np.asarray(v) for k, v in statics.items()}


def block_grid(cells=(2, 2, 2)) -> np.ndarray:
    """Nodes of a block, each coordinate from -1 to 1."""
    axes = [np.linspace(-1, 1, n + 1) for n in cells]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def block_triangles(cells=(2, 2, 2)) -> np.ndarray:
    """Outward triangles of a block's six sides."""
    counts = np.array(cells) + 1
    index = np.arange(counts.prod()).reshape(counts)
    triangles = []
    for axis in range(3):
        for end in (0, -1):
            side = np.moveaxis(index, (axis, (axis + 1) % 3, (axis + 2) % 3), (0, 1, 2))[end]
            a, b, c, d = side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]
            quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
            quads = quads if end == -1 else quads[:, ::-1]
            triangles += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    return np.concatenate(triangles)


def quaternion(axis, angle) -> np.ndarray:
    half = np.asarray(angle)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)], axis=-1)


def spin(axis, angle, vectors) -> np.ndarray:
    """Vectors turned about an axis (Rodrigues)."""
    axis = np.asarray(axis, dtype=float)
    c, s = np.cos(angle), np.sin(angle)
    along = (vectors @ axis)[..., None] * axis
    return along + c * (vectors - along) + s * np.cross(axis, vectors)


def bend_between(start, start_turn, end, end_turn, section, axis) -> np.ndarray:
    """Nodes of a soft block between two faces: the sections turn on the way, on a cubic path."""
    grid = block_grid()
    share = (grid[:, 0] + 1) / 2
    reach = np.linalg.norm(end - start)
    t0, t1 = (spin(axis, a, np.array([reach, 0, 0])) for a in (start_turn, end_turn))
    s = share[:, None]
    path = (
        (2 * s**3 - 3 * s**2 + 1) * start
        + (s**3 - 2 * s**2 + s) * t0
        + (-2 * s**3 + 3 * s**2) * end
        + (s**3 - s**2) * t1
    )
    offset = np.stack([0 * share, grid[:, 1] * section[0] / 2, grid[:, 2] * section[1] / 2], axis=1)
    turn = start_turn + share * (end_turn - start_turn)
    return path + np.array([spin(axis, a, o) for a, o in zip(turn, offset, strict=True)])


def chain_pose(angles, size, gap, axis, origin) -> tuple[list, list, list]:
    """Boxes joined head to tail along x, box k turned by angles[k], with soft blocks between."""
    place, places, turns, nodes = np.array(origin, dtype=float), [], [], []
    for k, angle in enumerate(angles):
        forward = spin(axis, angle, np.array([1.0, 0, 0]))
        if k:
            before = spin(axis, angles[k - 1], np.array([1.0, 0, 0]))
            face = places[-1] + before * size[0] / 2
            middle = spin(axis, (angle + angles[k - 1]) / 2, np.array([gap, 0, 0]))
            place = face + middle + forward * size[0] / 2
            nodes.append(bend_between(face, angles[k - 1], face + middle, angle, size[1:], axis))
        places.append(place)
        turns.append(quaternion(axis, angle))
    return places, turns, nodes


def block_statics(count: int, cells=(2, 2, 2)) -> dict[str, np.ndarray]:
    per = len(block_grid(cells))
    triangles = [block_triangles(cells) + k * per for k in range(count)]
    return {
        "soft_triangles": np.concatenate(triangles).astype(np.int32),
        "soft_block": np.repeat(np.arange(count), per).astype(np.int32),
    }


def box_statics(count: int, size) -> dict[str, np.ndarray]:
    return {"body_shape": np.zeros(count, np.int32), "body_size": np.tile(size, (count, 1))}


FLOOR = {"shape": "plane", "at": (0, 0, 0), "normal": (0, 1, 0)}


def make_chain(frames=60, boxes=6, speed=0.0, terrain=(FLOOR,), look=None) -> FakeRecording:
    """A snake of boxes and jelly, 1 cm parts, that bends from side to side on the floor."""
    recording = FakeRecording(30.0, frames, list(terrain))
    size, rows = (1.0, 1.0, 1.0), []
    for time in recording.time:
        angles = 0.45 * np.sin(2.0 * time * np.pi + 0.9 * np.arange(boxes))
        rows.append(chain_pose(angles, size, 0.8, (0, 1, 0), (speed * time - 5, 0.5, 0)))
    places, turns, nodes = (np.array([row[k] for row in rows]) for k in range(3))
    channels = {
        "body_position": places,
        "body_orientation": turns,
        "node_position": nodes.reshape(frames, 27 * (boxes - 1), 3),
    }
    statics = box_statics(boxes, size) | block_statics(boxes - 1)
    recording.add_creature("chain", look or {}, channels, statics)
    return recording


def make_jellies(frames=60, colours=("#f2b134", "#e4572e", "#4aa3a2", "#8e6bbf", "#7fb03a")):
    """A row of jelly cubes that wobble on the floor."""
    recording = FakeRecording(30.0, frames, [FLOOR])
    cells = (4, 4, 4)
    grid = (block_grid(cells) + np.array([0, 1, 0])) * 0.75
    for k, colour in enumerate(colours):
        swing = np.sin(6 * recording.time + 1.1 * k)[:, None]
        x, y, z = np.repeat(grid[None], frames, axis=0).transpose(2, 0, 1)
        squash = 1 - 0.12 * swing * (y > -1)
        wide = 1 + 0.10 * swing * np.sin(np.pi * y / 1.5)
        points = np.stack(
            [x * wide + 0.25 * swing * (y / 1.5) ** 2 + 2.3 * (k - 2), y * squash, z * wide], -1
        )
        look = {"soft": colour, "soft_opacity": 0.62}
        recording.add_creature(f"cube{k}", look, {"node_position": points}, block_statics(1, cells))
    return recording


def make_lamp(frames=60, arms=4, terrain=()) -> FakeRecording:
    """A lamp under the ceiling: a fixed plate, with arms of boxes and jelly that swing."""
    recording = FakeRecording(30.0, frames, list(terrain))
    size, count, hook = (1.2, 0.6, 0.6), 3, np.array([0.0, 9.0, 0.0])
    rows = []
    for time in recording.time:
        places, turns, nodes = [hook], [np.array([1.0, 0, 0, 0])], []
        for arm in range(arms):
            heading = 2 * np.pi * arm / arms
            droop = -0.5 - 0.45 * np.arange(count) + 0.2 * np.sin(4 * time + arm)
            p, q, n = chain_pose(droop, size, 0.8, (0, 0, 1), (2.6, 0, 0))
            start, end = (
                np.array([1.0, 0, 0]),
                p[0] - spin((0, 0, 1), droop[0], np.array([0.6, 0, 0])),
            )
            n.insert(0, bend_between(start, 0.0, end, droop[0], size[1:], (0, 0, 1)))
            places += [spin((0, 1, 0), heading, one) + hook for one in p]
            turns += [_product(quaternion((0, 1, 0), heading), one) for one in q]
            nodes += [spin((0, 1, 0), heading, one) + hook for one in n]
        rows.append((places, turns, nodes))
    places, turns, nodes = (np.array(column) for column in zip(*rows, strict=True))
    channels = {
        "body_position": places,
        "body_orientation": turns,
        "node_position": nodes.reshape(frames, -1, 3),
    }
    statics = box_statics(1 + arms * count, size) | block_statics(arms * count)
    statics["body_size"][0] = (2.0, 1.0, 2.0)
    recording.add_creature("lamp", {}, channels, statics)
    return recording


def _product(a, b) -> np.ndarray:
    """Hamilton product of two quaternions."""
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    )
