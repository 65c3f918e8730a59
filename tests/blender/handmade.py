"""A skinned, moving GLB made by hand, with places worked out on paper, to test the harness itself.

A rod of two bones lies along x. It slides 1 m/s along x, and its second bone turns about z at a
quarter of a turn a second.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOAT, UBYTE, UINT = 5126, 5121, 5125  # component types of glTF
KINDS = {(): "SCALAR", (3,): "VEC3", (4,): "VEC4", (16,): "MAT4"}
BEND = 0.5  # m, from the first bone to the second
SPEED, TURN = 1.0, np.pi / 2  # m/s, rad/s


@dataclass
class Buffer:
    """The binary part of a GLB and the list of what is in it."""

    blob: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, values: np.ndarray, kind: int = FLOAT) -> int:
        dtype = {FLOAT: "<f4", UBYTE: "u1", UINT: "<u4"}[kind]
        data = np.ascontiguousarray(values, dtype)
        self.views.append(
            {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data.tobytes())}
        )
        self.blob += data.tobytes() + b"\0" * (-data.nbytes % 4)
        rows = data.reshape(len(data), -1)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": kind,
                "count": len(data),
                "type": KINDS[data.shape[1:]],
                "min": rows.min(axis=0).tolist(),
                "max": rows.max(axis=0).tolist(),
            }
        )
        return len(self.accessors) - 1


def rod_points() -> np.ndarray:
    """Four rings of a square rod, two for each bone [16, 3], m, at rest."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.05
    rings = [0.0, 0.45, 0.55, 1.0]
    return np.array([[x, *corner] for x in rings for corner in square])


def rod_triangles() -> np.ndarray:
    quads = [
        (
            4 * ring + side,
            4 * ring + (side + 1) % 4,
            4 * ring + (side + 1) % 4 + 4,
            4 * ring + side + 4,
        )
        for ring in range(3)
        for side in range(4)
    ]
    return np.array([corners for a, b, c, d in quads for corners in ((a, b, c), (a, c, d))])


def rod_at(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Where bones [2, 3] and points [16, 3] are at a time, m, y up."""
    turn = TURN * time
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    bend, shift = np.array([BEND, 0, 0]), np.array([SPEED * time, 0, 0])
    points = rod_points()
    points[8:] = (points[8:] - bend) @ rotation.T + bend
    return np.array([shift, bend + shift]), points + shift


def build_rod(*, frames: int, fps: int, name: str = "rod") -> bytes:
    """The rod as a GLB, with a key for each frame."""
    buffer = Buffer()
    times = np.arange(frames) / fps
    half = TURN * times / 2
    inverse = np.tile(np.eye(4), (2, 1, 1))
    inverse[1, 0, 3] = -BEND
    points = rod_points()
    weights = np.tile([1.0, 0, 0, 0], (16, 1))
    joints = np.zeros((16, 4))
    joints[8:, 0] = 1
    primitive = {
        "attributes": {
            "POSITION": buffer.add(points),
            "COLOR_0": buffer.add(np.where(np.arange(16)[:, None] < 8, [1, 0.1, 0], [0, 0.2, 1])),
            "JOINTS_0": buffer.add(joints, UBYTE),
            "WEIGHTS_0": buffer.add(weights),
        },
        "indices": buffer.add(rod_triangles().reshape(-1), UINT),
    }
    clock = buffer.add(times)
    slide = buffer.add(np.outer(SPEED * times, [1, 0, 0]))
    turn = buffer.add(np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1))
    channels = [
        {"sampler": 0, "target": {"node": 2, "path": "translation"}},
        {"sampler": 1, "target": {"node": 3, "path": "rotation"}},
    ]
    samplers = [{"input": clock, "output": slide}, {"input": clock, "output": turn}]
    # Column by column, as glTF wants matrices.
    bind = buffer.add(inverse.transpose(0, 2, 1).reshape(2, 16))
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": name, "children": [2]},
            {"name": f"{name}_skin", "mesh": 0, "skin": 0},
            {"name": "root", "children": [3]},
            {"name": "seg_00", "translation": [BEND, 0, 0]},
        ],
        "meshes": [{"primitives": [primitive]}],
        "skins": [{"joints": [2, 3], "inverseBindMatrices": bind, "skeleton": 2}],
        "animations": [{"name": "clip", "channels": channels, "samplers": samplers}],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.blob)}],
    }
    return pack(document, bytes(buffer.blob))


def pack(document: dict[str, Any], blob: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = b""
    for kind, data in ((b"JSON", text), (b"BIN\0", blob)):
        body += len(data).to_bytes(4, "little") + kind + data
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body
