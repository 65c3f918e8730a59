"""Recordings of a worm that glides along a wave by formula, to test what shows one.

The body is a tube of tets that share nodes, with 95 muscles in four quadrants of two rows. Along
its track it slips nowhere: every section passes where the head has been. Whatever bends is bent
about the midline, exactly, so that a test knows where each point must be.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.record import Recording
from skitter.record.writer import RecordingWriter

LENGTH, RADIUS = 0.1, 0.004  # cm
SLABS, AROUND = 58, 12
RINGS = (0.72, 0.92, 1.0)
POINTS = 49  # of the midline
ROWS = {"MDL": 24, "MDR": 24, "MVL": 23, "MVR": 24}
MUSCLES = [f"{row}{k + 1:02d}" for row, count in ROWS.items() for k in range(count)]
WAVES, BEND = 1.5, 9.0  # along the body; radians per body length, of the strongest bend
SPEED = 0.03  # cm/s
FRAME_RATE = 50.0


def profile(place: np.ndarray) -> np.ndarray:
    """Radius, of the largest, at places from 0 (head) to 1 (tail)."""
    head = np.sqrt(np.clip(1 - (1 - np.clip(place / 0.06, 0, 1)) ** 2, 0.02, 1))
    neck = 0.62 + 0.38 * np.clip(place / 0.3, 0, 1) ** 0.8
    tail = np.clip((1 - place) / 0.42, 0, 1) ** 0.8
    return np.maximum(head * neck * tail, 0.04)


@dataclass(frozen=True)
class Body:
    """The tube at rest, its head at x = 0 and its axis on y = z = 0."""

    nodes: np.ndarray
    tets: np.ndarray
    region: np.ndarray  # 0 interior, 1 cuticle, then the muscles
    triangles: np.ndarray  # outward


@cache
def build_tube(slabs: int = SLABS) -> Body:
    place = np.linspace(0, 1, slabs + 1)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND  # from dorsal (+z) over left (+y)
    circle = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    disc = np.concatenate([[[0.0, 0.0]], *(r * circle for r in RINGS)])
    across = RADIUS * profile(place)[:, None, None] * disc
    along = np.broadcast_to(-LENGTH * place[:, None, None], (*across.shape[:2], 1))
    nodes = np.concatenate([along, across], axis=2).reshape(-1, 3)
    cells, ring, sector = section_cells()
    tets, region = [], []
    for slab in range(slabs):
        for cell, r, s in zip(cells, ring, sector, strict=True):
            made = split_prism(np.array(cell), slab * len(disc), len(disc))
            tets += made
            region += [choose_region(r, s, (slab + 0.5) / slabs)] * len(made)
    tets = orient(nodes, np.array(tets))
    return Body(nodes, tets, np.array(region), find_surface(nodes, tets))


def section_cells() -> tuple[list[tuple[int, int, int]], list[int], list[int]]:
    """Triangles of a section, with the ring and the sector of each."""
    cells, ring, sector = [], [], []
    for s in range(AROUND):
        t = (s + 1) % AROUND
        cells.append((0, 1 + s, 1 + t))
        for r in range(1, len(RINGS)):
            a, b = 1 + (r - 1) * AROUND, 1 + r * AROUND
            cells += [(a + s, b + s, b + t), (a + s, b + t, a + t)]
        ring += [0, 1, 1, 2, 2]
        sector += [s] * 5
    return cells, ring, sector


def split_prism(cell: np.ndarray, first: int, count: int) -> list[list[int]]:
    """Three tets, by the order of numbers, so that neighbours agree."""
    a, b, c = sorted((cell + first).tolist())
    x, y, z = a + count, b + count, c + count
    return [[a, b, c, x], [b, c, x, y], [c, x, y, z]]


def choose_region(ring: int, sector: int, place: float) -> int:
    if ring != 1:
        return int(ring == 2)
    quadrant = sector // 3
    depth = sector % 3 if quadrant in (0, 2) else 2 - sector % 3
    name = ("MDL", "MVL", "MVR", "MDR")[quadrant]  # dorsal, over left, to ventral, over right
    if depth == 2:
        return 0  # the lateral line
    count = ROWS[name]
    number = int(place * count)
    number = max(number - (number % 2 != depth), depth)
    return 2 + MUSCLES.index(f"{name}{min(number, count - 1 - (count - 1 - depth) % 2) + 1:02d}")


def orient(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    a, b, c, d = (nodes[tets[:, k]] for k in range(4))
    wrong = np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a) < 0
    tets[wrong, 2:] = tets[wrong, :1:-1]
    return tets


def find_surface(nodes: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Faces that one tet alone has, seen from outside."""
    faces = tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    _, index, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=1)
    return faces[index[counts == 1]]


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
        at = SPEED * time + points[:, 0]
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
    return np.stack([-np.linspace(0, LENGTH, POINTS), *np.zeros((2, POINTS))], axis=1)


def muscle_places() -> np.ndarray:
    """[muscle] from 0 at the head to 1."""
    return np.concatenate([(np.arange(n) + 0.5) / n for n in ROWS.values()])


def make_frame(body: Body, track: Track, time: float) -> dict[str, np.ndarray]:
    side = np.array([1.0 if name[1] == "D" else -1.0 for name in MUSCLES])
    active = np.clip(side * track.bend(muscle_places(), time), 0, 1)
    return {
        "node_position": np.float32(track.carry(body.nodes, time)),
        "midline": track.carry(midline_at_rest(), time),
        "muscle_activation": np.float32(active),
    }


def make_statics(body: Body) -> dict[str, np.ndarray]:
    return {
        "rest_position": body.nodes,
        "tets": body.tets,
        "tet_region": body.region,
        "muscle_region": 2 + np.arange(len(MUSCLES)),
        "soft_triangles": body.triangles,
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
            "terrain": [{"shape": "plane", "at": [0, 0, 0], "normal": [0, 1, 0]}],
            "camera": camera or {},
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
