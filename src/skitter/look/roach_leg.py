"""The legs of a roach, a shape for each segment: broad coxa, swollen femur, spiny tibia, tarsus.

A segment lies along x from its own joint to the next one's, at the ends of its box. Both ends are
round about their joints, so that no gap opens however a leg bends, and one whose outer part is
missing ends in a stump. Rows of a profile are (place, height, width): from 0 at the own joint to 1,
and shares of the box.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skitter.look.hull import Rings, Shape, build_hull, build_spike, join_shapes, paint
from skitter.look.mesh import build_tube

Floats = NDArray[np.floating]
Profile = list[tuple[float, float, float]]
COXA: Profile = [
    *[(0.0, 0.92, 0.86), (0.16, 1.0, 1.0), (0.45, 0.94, 1.0), (0.75, 0.78, 0.78)],
    *[(0.92, 0.68, 0.56), (1.0, 0.66, 0.5)],
]
FEMUR: Profile = [
    *[(0.0, 0.6, 0.72), (0.1, 0.76, 0.86), (0.24, 0.94, 0.98), (0.38, 1.0, 1.0)],
    *[(0.6, 0.9, 0.92), (0.82, 0.68, 0.8), (0.93, 0.58, 0.76), (1.0, 0.6, 0.78)],
]
TIBIA: Profile = [
    *[(0.0, 0.92, 0.92), (0.07, 0.7, 0.7), (0.2, 0.72, 0.72), (0.6, 0.82, 0.82)],
    *[(0.9, 0.98, 0.98), (1.0, 0.94, 0.94)],
]
ARTICLES = (0.0, 0.44, 0.58, 0.68, 0.76, 1.0)  # ends of those of a tarsus
ROWS = (28.0, 152.0, 270.0)  # deg about a tibia, 90 is its upper side: where its spines stand
SPINE_SPAN = (0.22, 0.97)  # of a tibia
SPINE_SIZE, SPINE_REACH = 1.7, 0.25  # of a tibia's height, and at most of its length
SPINE_LEAN = 0.85  # towards the foot, for each length outwards
THORNS = 3  # below a femur
CLAW = 1.7  # length, of the height of a tarsus


@dataclass(frozen=True)
class LegPaint:
    """Colours in linear light."""

    leg: Floats
    foot: Floats
    spine: Floats


def build_segment(
    number: int, size: Floats, colours: LegPaint, *, around: int, spines: int
) -> Shape:
    """Segment `number` of a right leg, in the frame of its box of edges `size`."""
    match number:
        case 0:
            return build_shaft(COXA, size, colours.leg, around=around)
        case 1:
            shaft = build_shaft(FEMUR, size, colours.leg, around=around)
            return join_shapes([shaft, *build_thorns(size, colours.spine, spines)])
        case 2:
            shaft = build_shaft(TIBIA, size, colours.leg, around=around)
            return join_shapes([shaft, *build_spines(size, colours.spine, spines)])
        case _:
            return join_shapes(
                [build_tarsus(size, colours.foot, around), *build_claws(size, colours)]
            )


def build_shaft(
    profile: Profile,
    size: Floats,
    colour: Floats,
    *,
    around: int,
) -> Shape:
    """A profile between balls about both joints."""
    place, high, wide = np.array(profile).T
    x = size[0] * (place - 0.5)
    angle = np.radians([15.0, 45.0, 70.0])
    first = round_end(angle, float(x[0]), -1, high[0], wide[0], size)
    last = round_end(angle[::-1], float(x[-1]), 1, high[-1], wide[-1], size)
    rows = np.concatenate([first, np.stack([x, high, wide], axis=1), last])
    x, high, wide = rows[::-1].T
    up, middle = high * size[1] / 2, np.zeros(len(x))
    mesh, _ = build_hull(
        Rings(x, wide * size[2] / 2, middle, up, -up), around=around, arch=2.2, belly=2.2
    )
    return paint(mesh, colour)


def round_end(angle: Floats, x: float, way: int, high: float, wide: float, size: Floats) -> Floats:
    """Rows [ring, 3] of half a ball at an end, as round as the end is not flat."""
    reach = min(high * size[1], wide * size[2]) / 2
    along = x + way * reach * np.cos(angle)
    return np.stack([along, high * np.sin(angle), wide * np.sin(angle)], axis=1)


def build_spines(size: Floats, colour: Floats, count: int) -> list[Shape]:
    """Rows of spines along a tibia, longer towards its end."""
    if count == 0:
        return []
    long = min(SPINE_SIZE * float(size[1]), SPINE_REACH * float(size[0]))
    found, lean = [], np.array([SPINE_LEAN, 0.0, 0.0])
    for row, angle in enumerate(np.radians(ROWS)):
        for k in range(count):
            share = (k + 0.35 + row / len(ROWS)) / (count + 0.35)  # rows are staggered
            place = SPINE_SPAN[0] + (SPINE_SPAN[1] - SPINE_SPAN[0]) * min(share, 1.0)
            out = np.array([0.0, np.sin(angle), np.cos(angle)])
            root = np.array([size[0] * (place - 0.5), 0.0, 0.0]) + 0.3 * size * [0, 1, 1] * out
            reach = long * (0.6 + 0.4 * place)
            tip = root + reach * (out + lean) / np.hypot(1.0, SPINE_LEAN)
            found.append(paint(build_spike(root, tip, 0.08 * long), colour))
    return found


def build_thorns(size: Floats, colour: Floats, count: int) -> list[Shape]:
    """Some short ones below the outer half of a femur."""
    if count == 0:
        return []
    long = 0.5 * float(min(size[1], 0.2 * size[0] / 0.5))
    found = []
    for place in np.linspace(0.5, 0.86, THORNS):
        root = np.array([place - 0.5, -0.3, 0.08]) * size
        tip = root + long * np.array([0.55, -1.0, 0.1])
        found.append(paint(build_spike(root, tip, 0.13 * long), colour))
    return found


def build_tarsus(size: Floats, colour: Floats, around: int) -> Shape:
    """Five articles, each widening to its end, the first and the last the longest."""
    rows: Profile = []
    for start, end in pairwise(ARTICLES):
        long = end - start
        rows += [(start + 0.02, 0.62, 0.62), (start + 0.35 * long, 0.78, 0.78)]
        rows += [(end - 0.14 * long, 1.0, 1.0), (end - 0.02, 0.86, 0.86)]
    rows = [(0.0, 0.85, 0.85), *rows[1:-1], (0.95, 0.8, 0.8)]
    return build_shaft(rows, size, colour, around=max(around - 2, 6))


def build_claws(size: Floats, colours: LegPaint) -> list[Shape]:
    """A pair of hooks at the end of a tarsus, that come down to the lower side of its box."""
    high = float(size[1])
    share = np.linspace(0, 1, 5)
    end = size[0] / 2
    found = []
    for side in (-1.0, 1.0):
        path = np.stack(
            [
                end - 0.06 * size[0] + (0.06 * size[0] + 0.55 * CLAW * high) * share,
                high * (0.15 + 0.35 * np.sin(np.pi * share) - 0.65 * share**2),
                side * high * (0.15 + 0.75 * share - 0.25 * share**2),
            ],
            axis=1,
        )
        thick = 0.2 * high * (1 - 0.92 * share)
        found.append(paint(build_tube(path, thick, around=5), colours.spine))
    return found
