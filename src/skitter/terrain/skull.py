"""A skull to crawl over: braincase, face, sockets, teeth, and a cheek arch on either side.

The arches stand free of the temples, so the surface has two handles: it is closed, of genus 2.
Looks along x, y is up, z to the right. An implicit surface in units of about half a skull's length.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.terrain.surface_nets import build_net

Floats = NDArray[np.floating]

MOUTH = 0.4, -0.58  # x and y of its middle
TEETH, TOOTH_DEPTH = 6.0, 0.03
EDGE = 0.047  # of a grid cell: some 15,000 triangles


def build_skull() -> tuple[Floats, NDArray[np.int64]]:
    low, high = np.array([-1.3, -1.15, -20 * EDGE]), np.array([1.25, 1.15, 20 * EDGE])
    return build_net(measure_skull, low, high, EDGE)


def measure_skull(points: Floats) -> Floats:
    """Roughly the distance to the skull, negative inside; the two halves mirror each other."""
    x, y, z = points[:, 0], points[:, 1], np.abs(points[:, 2])
    p = np.stack([x, y, z], axis=1)
    bone = measure_braincase(p)
    bone = blend(bone, measure_face(p), 0.14)
    bone = blend(bone, measure_jaw(p), 0.08)
    bone = carve(bone, measure_sockets(p), 0.05)
    bone = carve(bone, measure_mouth(p), 0.05) + measure_teeth(p)
    return blend(bone, measure_arch(p), 0.1)


def measure_braincase(p: Floats) -> Floats:
    case = ellipsoid(p, (-0.25, 0.3, 0.0), (0.95, 0.72, 0.68))
    forehead = ellipsoid(p, (0.4, 0.32, 0.0), (0.36, 0.42, 0.5))
    bone = blend(case, forehead, 0.2)
    return carve(bone, ellipsoid(p, (0.32, 0.0, 0.72), (0.34, 0.4, 0.2)), 0.15)  # temples


def measure_face(p: Floats) -> Floats:
    brow = capsule(p, (0.72, 0.2, 0.0), (0.62, 0.16, 0.42), 0.11)
    cheek = ellipsoid(p, (0.62, -0.18, 0.36), (0.2, 0.17, 0.17))
    nose = capsule(p, (0.76, 0.12, 0.0), (0.88, -0.12, 0.0), 0.08)
    maxilla = ellipsoid(p, (0.55, -0.3, 0.0), (0.36, 0.36, 0.34))
    face = blend(blend(brow, cheek, 0.1), blend(nose, maxilla, 0.08), 0.1)
    return blend(face, ellipsoid(p, (0.35, -0.05, 0.0), (0.4, 0.35, 0.4)), 0.1)


def measure_jaw(p: Floats) -> Floats:
    chin = ellipsoid(p, (0.72, -0.85, 0.0), (0.2, 0.16, 0.22))
    body = capsule(p, (0.68, -0.84, 0.14), (0.08, -0.66, 0.44), 0.12)
    branch = capsule(p, (0.08, -0.66, 0.44), (-0.02, -0.12, 0.44), 0.11)
    floor = ellipsoid(p, (0.4, -0.6, 0.0), (0.42, 0.26, 0.36))
    jaw = blend(blend(chin, body, 0.1), branch, 0.1)
    filling = ellipsoid(p, (0.05, -0.35, 0.0), (0.42, 0.4, 0.4))
    return blend(jaw, blend(floor, filling, 0.1), 0.06)


def measure_sockets(p: Floats) -> Floats:
    eye = ellipsoid(p, (0.82, 0.02, 0.31), (0.3, 0.17, 0.18))
    nose = ellipsoid(p, (0.93, -0.27, 0.06), (0.16, 0.13, 0.07))
    return np.minimum(eye, nose)


def measure_mouth(p: Floats) -> Floats:
    """A slit between two rows of teeth."""
    around = np.hypot(p[:, 0] - MOUTH[0], p[:, 2])
    slit = np.maximum(np.abs(p[:, 1] - MOUTH[1]) - 0.05, 0.3 - around)
    return np.maximum(slit, 0.3 - p[:, 0])


def measure_teeth(p: Floats) -> Floats:
    """How much the bone is lowered between the teeth."""
    angle = np.arctan2(p[:, 2], p[:, 0] - MOUTH[0])
    height = np.abs(p[:, 1] - MOUTH[1])
    row = np.clip(1 - height / 0.24, 0, 1) * np.clip((p[:, 0] - 0.4) / 0.2, 0, 1)
    return TOOTH_DEPTH * row * np.cos(TEETH * angle) ** 8


def measure_arch(p: Floats) -> Floats:
    """From the cheek back to the temple, standing off the skull."""
    front = capsule(p, (0.58, -0.14, 0.45), (0.36, -0.1, 0.68), 0.075)
    back = capsule(p, (0.36, -0.1, 0.68), (0.02, -0.06, 0.7), 0.07)
    end = capsule(p, (0.02, -0.06, 0.7), (-0.12, -0.03, 0.5), 0.085)
    return blend(blend(front, back, 0.03), end, 0.03)


def ellipsoid(p: Floats, centre: tuple[float, ...], radii: tuple[float, ...]) -> Floats:
    """Distance to an ellipsoid, to first order."""
    q = (p - np.array(centre)) / np.array(radii)
    length = np.linalg.norm(q, axis=1)
    slope = np.linalg.norm(q / np.array(radii), axis=1)
    return length * (length - 1) / np.maximum(slope, 1e-9)


def capsule(p: Floats, a: tuple[float, ...], b: tuple[float, ...], radius: float) -> Floats:
    start, along = np.array(a), np.array(b) - np.array(a)
    share = np.clip((p - start) @ along / (along @ along), 0, 1)
    return np.linalg.norm(p - start - share[:, None] * along, axis=1) - radius


def blend(one: Floats, other: Floats, width: float) -> Floats:
    """The union of two solids, rounded where they meet."""
    share = np.maximum(width - np.abs(one - other), 0) / width
    return np.minimum(one, other) - share * share * width / 4


def carve(solid: Floats, tool: Floats, width: float) -> Floats:
    """The solid without the tool, rounded at the rim."""
    return -blend(-solid, tool, width)
