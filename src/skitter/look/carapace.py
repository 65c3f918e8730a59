"""The shells of a myriapod: head, back plates and tail, made to the measure of their boxes.

A shell is a row of rings from its front (+x) to its back. A ring is a superellipse, arched above
and flatter below; the profile says where each ring lies and how large it is. Physics knows boxes
only; a shell keeps to its box within a tenth.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, build_capsule, join_meshes, ring_triangles

Floats = NDArray[np.floating]
ARCH, BELLY = 2.35, 3.4  # exponents of the superellipse: 2 is round, more is boxy
OVERLAP = 0.10  # of a plate's length: its back rim reaches over the soft block behind
EYE_SHARE = 0.13  # radius of an eye, of the head's height
# Where a ring lies, from 0 in front to 1 behind, and its size as a share of the box.
PLATE_PROFILE = np.array(
    [
        *[(0.05, 0.0), (0.05, 0.5), (0.03, 0.76), (0.08, 0.85), (0.2, 0.9), (0.45, 0.95)],
        *[(0.7, 0.985), (0.88, 1.0), (0.96, 1.0), (1.0, 0.97), (0.98, 0.9), (0.85, 0.8)],
        (0.85, 0.0),
    ]
)


def build_plate(size: Floats, *, around: int) -> Mesh:
    """A back plate, with a rim that reaches backwards over what follows."""
    return build_shell(size, PLATE_PROFILE, around=around, overlap=OVERLAP)


def build_head(size: Floats, *, around: int) -> Mesh:
    """A shield, rounded to the front and broadest behind the eyes."""
    angle = np.linspace(0, np.pi, 17)
    place = (1 - np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** 0.8) / 2
    width = np.sin(angle) ** 0.62 * (1 - 0.10 * np.cos(angle) ** 2)
    return build_shell(size, np.stack([place, width], axis=1), around=around)


def build_tail(size: Floats, *, around: int) -> Mesh:
    """The last shell: as wide as a plate in front, and round and narrow behind."""
    place = np.array([0.05, 0.05, 0.03, 0.1, 0.25, 0.45, 0.65, 0.82, 0.93, 0.98, 1.0])
    width = np.array([0.0, 0.5, 0.78, 0.92, 0.98, 0.96, 0.88, 0.73, 0.52, 0.28, 0.0])
    return build_shell(size, np.stack([place, width], axis=1), around=around)


def build_eyes(size: Floats) -> Mesh:
    """Two small balls, half sunk into the front corners of the head."""
    radius = EYE_SHARE * float(min(size[1], size[2]))
    eye = build_capsule(radius, 0.0, around=14, steps=7)
    place = np.array([0.25 * size[0], 0.24 * size[1], 0.37 * size[2]])
    turn = np.eye(3)
    return join_meshes([eye.moved(place * [1, 1, side], turn) for side in (-1, 1)])


def build_shell(size: Floats, profile: Floats, *, around: int, overlap: float = 0.0) -> Mesh:
    """Rings of a profile [ring, 2] in a box of edges `size`."""
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    across, rise = _section(angle)
    place, share = profile.T
    x = (0.5 - place)[:, None] - overlap * _backward(place)[:, None] * np.maximum(rise, 0)
    points = np.stack(
        [x, share[:, None] * rise / 2, share[:, None] * across / 2], axis=2
    ) * np.asarray(size, dtype=float)
    triangles = ring_triangles(len(profile), around)
    flat = points.reshape(-1, 3)
    return Mesh(flat, _smooth_normals(flat, triangles, around), triangles)


def _section(angle: Floats) -> tuple[Floats, Floats]:
    """Width and height of a ring, each from -1 to 1."""
    sine, cosine = np.sin(angle), np.cos(angle)
    power = 2 / np.where(sine > 0, ARCH, BELLY)
    return np.sign(cosine) * np.abs(cosine) ** power, np.sign(sine) * np.abs(sine) ** power


def _backward(place: Floats) -> Floats:
    """How much a ring takes part in the overlap: the rim does, the front does not."""
    return np.clip((place - 0.5) / 0.4, 0, 1)


def _smooth_normals(points: Floats, triangles: NDArray[np.int64], around: int) -> Floats:
    """Means of the triangles' normals; a pole, where a whole ring is one point, has one for all."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    total = np.zeros_like(points)
    for k in range(3):
        np.add.at(total, triangles[:, k], facing)
    total[:around] = total[:around].sum(axis=0)
    total[-around:] = total[-around:].sum(axis=0)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)
