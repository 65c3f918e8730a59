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
from skitter.look.mesh import build_sphere, build_tube
from skitter.rotation import matrix_from_turn

Floats = NDArray[np.floating]
UPPER = 0.0  # rise on a ring, above which a plate has the colour of the back


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


def build_plate(plate: Plate, size: Floats, colours: TrunkPaint, *, around: int) -> Shape:
    """A domed plate with a narrow rim of a lighter colour, thin at its edges."""
    share = np.concatenate(
        [1 - np.cos(np.linspace(0.1, 0.5 * np.pi, 9)), [1.25, 1.5, 1.72, 1.88, 1.96, 2.0]]
    )
    share /= 2
    round_ = np.clip(1 - (1 - np.clip(2 * share, 0, 1)) ** 2, 0, 1) ** plate.blunt
    taper = np.where(share > 0.5, 1 - 0.1 * (2 * share - 1) ** 2, 1.0)
    half = plate.half * size[2] * round_ * taper
    x = size[0] * (plate.front + (plate.rear - plate.front) * share)
    drop = 0.35 * (1 - round_)  # the front bows down
    edge = size[1] * (plate.edge - 0.25 * (plate.crown - plate.edge) * drop)
    top = edge + size[1] * (plate.crown - plate.edge) * (0.12 + 0.88 * round_) * (
        1 - 0.12 * np.clip(2 * share - 1, 0, 1) ** 2
    )
    bottom = edge - 0.04 * size[1] * np.ones_like(x)
    mesh, rise = build_hull(Rings(x, half, edge, top, bottom), around=around, arch=1.9, belly=2.0)
    near = np.abs(mesh.points[:, 2]) / np.maximum(plate.half * size[2], 1e-9)
    along = np.concatenate([share[:1], share, share[-1:]]).repeat(around)
    # the rim: near the outline, wherever that is
    out = np.maximum(near, np.clip((along - 0.90) / 0.1, 0, 1) * 0.99)
    out = np.maximum(out, np.clip((0.1 - along) / 0.1, 0, 1) * 0.99)
    blend = np.clip((out - 0.86) / 0.1, 0, 1)[:, None]
    colour = (1 - blend) * colours.back + blend * colours.rim
    return Shape(mesh, np.where((rise > UPPER)[:, None], colour, colours.belly))


def build_body(size: Floats, colours: TrunkPaint, *, around: int) -> Shape:
    """What is below the plates of the thorax: a trough with round ends."""
    angle = np.linspace(0.2, np.pi - 0.2, 13)
    x, round_ = 0.54 * size[0] * np.cos(angle), np.sin(angle) ** 0.45
    mesh, _ = build_hull(
        Rings(x, 0.43 * size[2] * round_, 0 * x, 0.42 * size[1] * round_, -0.5 * size[1] * round_),
        around=around,
        arch=2.4,
        belly=2.6,
    )
    return paint(mesh, colours.belly)


def build_thorax(
    size: Floats, reach: float, pads: float, colours: TrunkPaint, *, around: int
) -> Shape:
    """Three rings; the shield of the first reaches forward by `reach`, cm, over the head."""
    front = 0.5 + reach / float(size[0])
    shapes = [
        build_body(size, colours, around=around),
        build_plate(Plate(0.1, -0.64, 0.52, 0.1, 0.44), size, colours, around=around),
        build_plate(Plate(0.3, -0.3, 0.54, 0.12, 0.5), size, colours, around=around),
        build_plate(Plate(front, 0.0, 0.57, 0.06, 0.6, 0.46), size, colours, around=around),
    ]
    if pads > 0:
        shapes += both_sides(build_pad(size, pads, colours, around=max(around - 4, 8)))
    return join_shapes(shapes)


def build_pad(size: Floats, length: float, colours: TrunkPaint, *, around: int) -> Shape:
    """A short wing: an oval leaf on the back's right half."""
    angle = np.linspace(0.1, np.pi - 0.1, 13)
    x, round_ = 0.5 * length * size[0] * np.cos(angle), np.sin(angle) ** 0.7
    half, flat = 0.2 * size[2] * round_, np.zeros(len(x))
    mesh, rise = build_hull(
        Rings(x, half, flat, 0.1 * size[1] * round_, -0.05 * size[1] * round_),
        around=around,
        arch=2.0,
    )
    vein = 0.5 + 0.5 * np.cos(6 * np.pi * mesh.points[:, 2] / (0.4 * size[2]))
    colour = colours.back + (0.10 + 0.22 * vein[:, None] ** 6) * (colours.rim - colours.back)
    shape = Shape(mesh, np.where((rise > UPPER)[:, None], colour, colours.belly))
    turn = matrix_from_turn((22.0, 7.0, -2.0))
    at = np.array([0.06 - 0.5 * length, 0.42, 0.29]) * size
    return shape.moved(at, turn)


def build_abdomen(
    size: Floats, tergites: int, cerci: float, colours: TrunkPaint, *, around: int
) -> Shape:
    """Plates that overlap to the back like tiles, on an oval that tapers, and the cerci."""
    share, step, is_rim = tile(tergites)
    wide = outline_abdomen(share)
    x = size[0] * (0.53 - 1.05 * share)
    swell = 1 + 0.045 * step
    low = 0.5 * size[1] * (0.3 + 0.7 * wide)
    edge = -0.06 * size[1] + 0 * x
    top = edge + size[1] * (0.10 + 0.44 * wide**0.8) * swell
    mesh, rise = build_hull(
        Rings(
            x, 0.53 * size[2] * wide * swell, edge, top, np.minimum(edge - 0.2 * low, -low * 0.9)
        ),
        around=around,
        arch=1.85,
        belly=2.1,
    )
    rim = np.concatenate([is_rim[:1], is_rim, is_rim[-1:]]).repeat(around)
    flank = np.clip((0.42 - rise) / 0.25, 0, 1) * 0.75
    blend = np.maximum(rim * 0.85, flank)[:, None]
    above = (1 - blend) * colours.back + blend * colours.rim
    below = colours.belly * (1 - 0.35 * rim[:, None])
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
    """Half width of an abdomen along it, from 0 to 1: an oval, blunt in front."""
    oval = np.sqrt(np.clip(1 - np.abs((share - 0.4) / 0.615) ** 2.5, 0, None))
    front = np.clip(share / 0.04, 0, 1) ** 0.5
    return np.asarray(
        np.maximum(np.where(share < 0.4, 0.84 + 0.16 * oval, oval), 0.12) * (0.75 + 0.25 * front)
    )


def build_cercus(size: Floats, length: float, colours: TrunkPaint) -> Shape:
    """The right one: jointed, thickest before its middle, pointing out and back."""
    share = np.linspace(0, 1, 25)
    root = np.array([-0.44, 0.02, 0.15]) * size
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
    return shape.moved(np.array([0.08, -0.04, 0.0]) * size, turn)


def build_eye(size: Floats, colours: TrunkPaint) -> Shape:
    """A long eye around the right side of the head."""
    ball = build_sphere(1.0, around=16, steps=6).scaled(np.array([0.17, 0.3, 0.13]) * size)
    at = np.array([0.1, 0.14, 0.38]) * size
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
    root = np.array([0.34, 0.1, 0.2]) * size
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
