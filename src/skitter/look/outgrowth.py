"""What sits on the shells and is carried by them: eyes, jaws, bristles and the trailing pair.

Physics knows nothing of these, so they may reach out of their boxes.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from skitter.look.carapace import find_on_head
from skitter.look.families import Family
from skitter.look.mesh import (
    Mesh,
    build_capsule,
    build_rounded_box,
    build_tube,
    join_meshes,
    unit_rows,
)

Floats = NDArray[np.floating]
# Right side of a pair, in edges of the head's box: the line of a jaw, and its radius.
CLAWS = (
    np.array(
        [
            (-0.42, -0.32, 0.30),
            (-0.1, -0.34, 0.47),
            (0.28, -0.36, 0.49),
            (0.5, -0.38, 0.32),
            (0.60, -0.39, 0.06),
        ]
    ),
    np.array([0.12, 0.125, 0.085, 0.055, 0.008]),
)
MANDIBLES = (
    np.array([(0.1, -0.27, 0.22), (0.36, -0.32, 0.21), (0.48, -0.34, 0.12), (0.52, -0.35, 0.03)]),
    np.array([0.08, 0.08, 0.06, 0.02]),
)
JAWS = {"claws": CLAWS, "mandibles": MANDIBLES}
EYE_ANGLE = 0.42  # above the side of the head, rad
EYE_SINK = 0.3  # how deep the middle of an eye lies, in its radii
JAW_TIP, CERCUS_TIP = 0.7, 0.86  # shares of their length after which they have a claw's colour
CERCUS_ARTICLES = 5
CERCUS_RADIUS = 0.115  # of the tail's width
BRISTLE_LENGTH, BRISTLE_RADIUS = 0.38, 0.0065  # of the plate's height


def bend(line: Floats, count: int) -> Floats:
    """A smooth curve [count, any] through rows of numbers."""
    curve = PchipInterpolator(np.linspace(0, 1, len(line)), line)
    return np.asarray(curve(np.linspace(0, 1, count)))


def pair(mesh: Mesh) -> Mesh:
    """A part of the right side, and its mirror image."""
    return join_meshes([mesh, mesh.mirrored()])


def build_eyes(family: Family, size: Floats, count: int, share: float) -> Mesh:
    """Balls, half sunk into the sides of the head: one, or a cluster of two rows."""
    radius = share * float(min(size[1], size[2]))
    number = np.arange(count)
    behind = (number - (count - 1) / 2) * 1.15 * radius / size[0]
    above = np.where(number % 2, 1.0, -1.0) * (count > 1) * 1.9 * radius / size[1]
    places = find_on_head(family, family.eye_place + behind, EYE_ANGLE + above) * size
    places -= EYE_SINK * radius * unit_rows(places * [0.0, 1.0, 1.0])
    return pair(join_meshes([_ball(radius, place, count) for place in places]))


def build_lenses(size: Floats, count: int, share: float) -> Mesh:
    """A row of lenses in a machine's face."""
    radius = share * float(min(size[1], size[2]))
    across = (np.arange(count) + 0.55) * 2.2 * radius
    places = np.array([0.5, 0.04, 0.0]) * size + np.outer(across, [0.0, 0.0, 1.0])
    return pair(join_meshes([_ball(radius, place, count) for place in places]))


def _ball(radius: float, place: Floats, count: int) -> Mesh:
    """An eye; one of many needs fewer triangles."""
    around, steps = (18, 8) if count == 1 else (9, 4)
    ball = build_capsule(radius, 0.0, around=around, steps=steps)
    a, b, c = (ball.points[ball.triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    lasting = ball.triangles[area > 1e-6 * area.max()]
    return Mesh(ball.points, ball.normals, lasting).moved(place, np.eye(3))


def build_visor(size: Floats) -> Mesh:
    """The dark glass in front of a machine's sensors."""
    box = build_rounded_box(np.array([0.16, 0.4, 0.62]) * size, 0.08 * float(size[1]), steps=3)
    return box.moved(np.array([0.44, 0.04, 0.0]) * size, np.eye(3))


def build_jaws(size: Floats, kind: str) -> tuple[Mesh, Floats]:
    """A pair of jaws, and how far each point lies towards the tips, 0 to 1."""
    line, radius = JAWS[kind]
    rings, around = 12, 12
    path, thick = bend(line, rings) * size, bend(radius, rings) * float(size[2])
    along = np.repeat(np.linspace(0, 1, rings), around)
    along = np.concatenate([np.zeros(around), along, np.ones(around)])
    return pair(build_tube(path, thick, around=around)), np.tile(along, 2)


def build_cerci(size: Floats, length: float) -> tuple[Mesh, Floats]:
    """The pair that trails behind the tail, jointed, and how far each point lies along it."""
    share = np.linspace(0, 1, 6 * CERCUS_ARTICLES + 1)
    root = np.array([-0.30, 0.02, 0.24]) * size
    out = np.sin(0.42 * np.minimum(share * 1.6, 1.0))
    path = root + length * np.stack(
        [-share, 0.16 * np.sin(np.pi * share**0.8) - 0.06 * share, 0.75 * out * share], axis=1
    )
    within = (share * CERCUS_ARTICLES) % 1.0
    bulge = 0.74 + 0.30 * np.sin(np.pi * np.where(share == 1, 1, within)) ** 0.7
    radius = CERCUS_RADIUS * float(size[2]) * (1 - 0.62 * share) * bulge
    radius[-1] = 0.02 * radius[0]
    around = 9
    along = np.concatenate([np.zeros(around), np.repeat(share, around), np.ones(around)])
    return pair(build_tube(path, radius, around=around)), np.tile(along, 2)


def build_bristles(size: Floats, count: int) -> Mesh:
    """Thin hairs that stand off a plate's back and lean backwards, in two rows."""
    angle = np.pi * (np.arange(count) + 0.5) / count
    height = float(size[1])
    rows = np.where(np.arange(count) % 2, -0.28, 0.18)
    hairs = []
    for row, turn in zip(rows, angle, strict=True):
        out = np.array([-0.45, np.sin(turn), 1.02 * np.cos(turn)])
        root = np.array([row, 0.46 * np.sin(turn), 0.46 * np.cos(turn)]) * size
        share = np.linspace(0, 1, 4)[:, None]
        path = root + BRISTLE_LENGTH * height * (share * out + share**2 * [-0.3, 0.0, 0.0])
        radius = BRISTLE_RADIUS * height * np.array([1.0, 0.85, 0.6, 0.1])
        hairs.append(build_tube(path, radius, around=4))
    return join_meshes(hairs)
