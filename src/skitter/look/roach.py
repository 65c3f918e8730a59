"""The trunk of a roach: shield, plates of the back, wing pads, abdomen, head and what it carries.

After Blatta: the shield of the first ring of the thorax covers the head from above, the second has
short pads of wings, and plates of the abdomen overlap to the back. All sizes are shares of the
boxes that carry them. Physics knows boxes only; plates stand out of theirs by a fifth at most,
antennae, cerci and palps freely.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.hull import (
    Rings,
    Shape,
    both_sides,
    build_hull,
    join_shapes,
    paint,
)
from skitter.look.mesh import build_rings, build_sphere, build_tube
from skitter.rotation import matrix_from_turn

Floats = NDArray[np.floating]
UPPER = 0.0  # rise on a ring, above which a plate has the colour of the back
ARCH = 1.9  # of plates, see `build_hull`
WIDEST = 0.72  # of a plate's length, from its front
PAD_PLACE = 0.28  # of the thorax' width, where the middle of a pad is


@dataclass(frozen=True)
class TrunkPaint:
    """Colours in linear light."""

    back: Floats
    rim: Floats
    belly: Floats
    antenna: Floats
    foot: Floats
    eye: Floats


@dataclass(frozen=True)
class Plate:
    """A plate of the back, in edges of a box: where, how wide, how high."""

    front: float  # x
    rear: float
    half: float  # width to either side
    edge: float  # height of its edges
    crown: float  # height of its middle
    blunt: float = 0.5  # how round it is in front: 0.5 is a circle, less is blunter


MIDDLE_PLATE = Plate(0.36, -0.36, 0.54, -0.05, 0.49, 0.3)


def build_plate(plate: Plate, size: Floats, colours: TrunkPaint, *, around: int) -> Shape:
    """A domed plate, round in front, with a narrow rim of a lighter colour."""
    front = WIDEST * (1 - np.cos(np.linspace(0.1, 0.5 * np.pi, 11)))
    share = np.concatenate([front, [0.8, 0.87, 0.93, 0.97, 0.99, 1.0]])
    grown = 1 - np.clip(1 - share / WIDEST, 0, 1) ** 2  # of a circle, squared
    behind = np.clip((share - WIDEST) / (1 - WIDEST), 0, 1)
    half = plate.half * size[2] * grown**plate.blunt * (1 - 0.09 * behind**2)
    x = size[0] * (plate.front + (plate.rear - plate.front) * share)
    edge = size[1] * (plate.edge + 0.1 * (plate.crown - plate.edge) * (1 - grown))
    high = size[1] * (plate.crown - plate.edge) * (0.1 + 0.9 * grown**0.8)
    top = edge + high * (1 - 0.05 * behind) * np.where(share == 1.0, 0.9, 1.0)
    bottom = edge - 0.05 * size[1]
    mesh, rise = build_hull(Rings(x, half, edge, top, bottom), around=around, arch=ARCH)
    along = np.concatenate([share[:1], share, share[-1:]]).repeat(around)
    rim = np.clip((0.2 - rise) / 0.12, 0, 1)
    rim = np.maximum(rim, np.clip((along - 0.94) / 0.04, 0, 1))[:, None]
    colour = colours.back + 0.6 * rim * (colours.rim - colours.back)
    return Shape(mesh, np.where((rise > UPPER)[:, None], colour, colours.belly))


def build_body(size: Floats, colours: TrunkPaint, *, around: int) -> Shape:
    """What is below the plates of the thorax: a trough with round ends."""
    angle = np.linspace(0.2, np.pi - 0.2, 13)
    x, round_ = 0.54 * size[0] * np.cos(angle), np.sin(angle) ** 0.45
    mesh, _ = build_hull(
        Rings(x, 0.42 * size[2] * round_, 0 * x, 0.4 * size[1] * round_, -0.48 * size[1] * round_),
        around=around,
        arch=2.4,
        belly=1.8,
    )
    return paint(mesh, colours.belly)


def build_thorax(
    size: Floats, reach: float, pads: float, colours: TrunkPaint, *, around: int
) -> Shape:
    """Three rings; the shield of the first reaches forward by `reach`, cm, over the head."""
    shield = Plate(0.5 + reach / float(size[0]), -0.02, 0.555, -0.06, 0.53)
    plates = [Plate(0.2, -0.62, 0.52, -0.04, 0.46, 0.3), MIDDLE_PLATE, shield]
    shapes = [build_plate(one, size, colours, around=around) for one in plates]
    shapes.append(build_body(size, colours, around=around))
    if pads > 0:
        shapes += both_sides(build_pad(size, pads, colours, around=max(around - 4, 8)))
    return join_shapes(shapes)


def build_pad(size: Floats, length: float, colours: TrunkPaint, *, around: int) -> Shape:
    """A short wing: a leaf that lies on the right half of the plate in the middle."""
    angle = np.linspace(0.1, np.pi - 0.1, 15)
    share = 0.5 - 0.5 * np.cos(angle)
    wide = np.sin(angle) ** 0.75 * (0.86 + 0.28 * (1 - share))
    half, none = 0.2 * size[2] * wide, np.zeros(len(share))
    x = size[0] * (0.12 - length * share)
    thick = 0.05 * size[1] * wide
    mesh, rise = build_hull(Rings(x, half, none, thick, -thick), around=around)
    vein = 0.5 + 0.5 * np.cos(5 * 2 * np.pi * mesh.points[:, 2] / (0.4 * size[2]))
    edge = np.clip((0.35 - rise) / 0.25, 0, 1)
    light = np.maximum(0.08 + 0.12 * vein**4, 0.45 * edge)[:, None]
    colour = colours.back + light * (colours.rim - colours.back)
    points = mesh.points + np.array([0.0, 0.0, PAD_PLACE * size[2]])
    points[:, 1] += rise_on(MIDDLE_PLATE, size, points[:, 2])
    draped = build_rings(points.reshape(-1, around, 3))
    return Shape(draped, np.where((rise > UPPER)[:, None], colour, colours.belly))


def rise_on(plate: Plate, size: Floats, z: Floats) -> Floats:
    """Height of a plate's back at its widest, cm, at places across it."""
    place = np.clip(np.abs(z) / (plate.half * size[2]), 0, 1)
    high = (plate.crown - plate.edge) * (1 - place**ARCH) ** (1 / ARCH)
    return np.asarray(size[1] * (plate.edge + high))


def build_abdomen(
    size: Floats, tergites: int, cerci: float, colours: TrunkPaint, *, around: int
) -> Shape:
    """Plates that overlap to the back like tiles, on an oval that tapers, and the cerci."""
    share, step, is_rim = tile(tergites)
    wide = outline_abdomen(share)
    x = size[0] * (0.53 - 1.06 * share)
    swell = 1 + 0.035 * step
    edge = -0.04 * size[1] * np.ones_like(x)
    top = edge + size[1] * (0.07 + 0.45 * wide**0.8) * swell
    bottom = edge - size[1] * (0.06 + 0.36 * wide**0.8)
    mesh, rise = build_hull(
        Rings(x, 0.525 * size[2] * wide * swell, edge, top, bottom),
        around=around,
        arch=ARCH,
        belly=1.8,
    )
    rim = np.concatenate([is_rim[:1], is_rim, is_rim[-1:]]).repeat(around)
    blend = np.maximum(0.5 * rim, 0.6 * np.clip((0.2 - rise) / 0.12, 0, 1))[:, None]
    above = colours.back + blend * (colours.rim - colours.back)
    below = colours.belly * (1 - 0.3 * rim[:, None])
    shapes = [Shape(mesh, np.where((rise > UPPER)[:, None], above, below))]
    if cerci > 0:
        shapes += both_sides(build_cercus(size, cerci, colours))
    return join_shapes(shapes)


def tile(count: int) -> tuple[Floats, Floats, Floats]:
    """Rings along rows of tiles: the share of the way, how far each stands out, which are rims."""
    share, step, rim = [0.0, 0.012, 0.035], [-3.0, -1.2, -0.4], [0.0, 0.0, 0.0]
    each = 0.93 / count
    for k in range(count):
        start = 0.05 + k * each
        for place, out, is_rim in (
            *((0.02, -0.7, 0), (0.3, -0.1, 0), (0.6, 0.4, 0)),
            *((0.82, 0.75, 0), (0.86, 0.85, 1), (0.95, 1.0, 1), (0.99, 0.5, 1)),
        ):
            share.append(start + place * each)
            step.append(out)
            rim.append(float(is_rim))
    share += [0.985, 0.995, 1.0]
    step += [-0.5, -0.8, -1.0]
    rim += [0.0, 0.0, 0.0]
    return np.array(share), np.array(step), np.array(rim)


def outline_abdomen(share: Floats) -> Floats:
    """Half width of an abdomen along it, from 0 to 1: an oval that narrows to its end."""
    behind = np.clip((share - 0.3) / 0.72, 0, 1)
    oval = (1 - behind**2.3) ** 0.75
    front = 0.9 + 0.1 * np.sin(0.5 * np.pi * np.clip(share / 0.3, 0, 1))
    closed = 0.7 + 0.3 * np.clip(share / 0.04, 0, 1) ** 0.5
    return np.asarray(np.maximum(oval, 0.05) * front * closed)


def build_cercus(size: Floats, length: float, colours: TrunkPaint) -> Shape:
    """The right one: jointed, thickest before its middle, pointing out and back."""
    share = np.linspace(0, 1, 25)
    root = np.array([-0.44, 0.0, 0.12]) * size
    long = length * float(size[0])
    way = np.stack([-share, 0.18 * share, 0.75 * share - 0.2 * share**2], axis=1)
    bulge = 0.86 + 0.14 * np.abs(np.sin(np.pi * 8 * share))
    radius = 0.13 * long * (0.5 + 1.4 * share) * (1 - share) ** 0.8 * bulge + 0.004 * long
    mesh = build_tube(root + long * way, radius, around=8)
    along = np.concatenate([share[:1], share, share[-1:]]).repeat(8)[:, None]
    return Shape(mesh, (1 - along) * colours.back + along * colours.foot)


def build_head(size: Floats, antenna: float, colours: TrunkPaint, *, around: int) -> Shape:
    """A face that looks down, with eyes, palps and antennae of a length, cm."""
    right = [build_eye(size, colours), build_palp(size, colours)]
    if antenna > 0:
        right.append(build_antenna(size, antenna, colours, around=max(around // 3, 5)))
    sides = [one for part in right for one in both_sides(part)]
    return join_shapes([build_face(size, colours, around=around), *sides])


def build_face(size: Floats, colours: TrunkPaint, *, around: int) -> Shape:
    """A drop that hangs down and forward from the neck, paler at the mouth."""
    share = (1 - np.cos(np.linspace(0.12, np.pi - 0.12, 14))) / 2
    round_ = np.sqrt(np.clip(1 - (2 * share - 1) ** 2, 0, 1))
    lean = 0.72 + 0.28 * np.cos(np.pi * share)  # narrower towards the mouth
    x = (0.5 - share) * 1.15 * size[1]
    deep = 0.42 * size[0] * round_ * lean
    rings = Rings(-x[::-1], (0.5 * size[2] * round_ * lean)[::-1], 0 * x, deep[::-1], -deep[::-1])
    mesh, _ = build_hull(rings, around=around, arch=2.3, belly=2.1)
    turn = matrix_from_turn((0.0, 0.0, -68.0))
    low = np.clip(mesh.points[:, 0] / (0.55 * size[1]), 0, 1)[:, None] ** 3
    shape = Shape(mesh, (1 - 0.8 * low) * colours.back + 0.8 * low * colours.foot)
    return shape.moved(np.array([0.12, -0.16, 0.0]) * size, turn)


def build_eye(size: Floats, colours: TrunkPaint) -> Shape:
    """A long eye around the right side of the head."""
    ball = build_sphere(1.0, around=16, steps=6).scaled(np.array([0.16, 0.27, 0.11]) * size)
    at = np.array([0.14, 0.0, 0.37]) * size
    return paint(ball.moved(at, matrix_from_turn((0.0, 0.0, 18.0))), colours.eye)


def build_palp(size: Floats, colours: TrunkPaint) -> Shape:
    """The right feeler of the mouth: three links, hanging."""
    corners = np.array(
        [(0.2, -0.38, 0.2), (0.62, -0.5, 0.42), (0.8, -0.78, 0.46), (0.68, -1.0, 0.4)]
    )
    at = np.linspace(0, len(corners) - 1, 19)
    line = np.stack([np.interp(at, np.arange(len(corners)), one) for one in corners.T], axis=1)
    thick = 0.045 * float(size[2]) * (0.8 + 0.3 * (at % 1.0)) * (1 - 0.08 * at)
    mesh = build_tube(line * size, thick, around=6)
    return paint(mesh, colours.foot)


def build_antenna(size: Floats, length: float, colours: TrunkPaint, *, around: int) -> Shape:
    """The right one, thin as a hair at its end: up, out, and down again."""
    share = np.linspace(0, 1, 40)
    root = np.array([0.36, -0.02, 0.2]) * size
    way = np.stack(
        [
            0.86 * share - 0.16 * share**2,
            0.42 * share - 0.52 * share**2 + 0.06 * share**3,
            0.34 * share + 0.34 * share**2 - 0.12 * share**3,
        ],
        axis=1,
    )
    base = 0.05 * float(min(size[1], size[2]))
    thick = base * (1 - 0.8 * share**0.6)
    thick[:3] *= [1.5, 1.7, 1.3]  # the first article
    mesh = build_tube(root + length * way, thick, around=around)
    along = np.concatenate([share[:1], share, share[-1:]]).repeat(around)[:, None]
    return Shape(mesh, (1 - along) * colours.antenna + along * colours.foot)
