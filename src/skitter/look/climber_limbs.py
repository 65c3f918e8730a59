"""What climbers carry that they do not walk on: jaws, antennae, pincers, tails and horns.

A part is a chain of bodies, each along x from its joint. All are built as those of the right side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import (
    Coat,
    Detail,
    Painter,
    Profile,
    build_ball,
    build_limb,
    fade,
    mix,
    plain_painter,
)
from skitter.look.hull import Shape, build_spike, join_shapes, paint
from skitter.look.mesh import build_tube

Floats = NDArray[np.floating]
JAW: Profile = [(0.0, 0.8, 0.8), (0.3, 1.12, 1.0), (0.7, 1.05, 1.0), (0.96, 0.72, 0.8)]
RING: Profile = [(0.0, 0.72, 0.72), (0.12, 0.94, 0.94), (0.75, 1.06, 1.02), (0.97, 0.84, 0.84)]
BULB: Profile = [(0.0, 0.6, 0.6), (0.18, 0.98, 1.0), (0.4, 0.96, 0.98), (0.6, 0.42, 0.4)]
PALM: Profile = [(0.0, 0.5, 0.5), (0.2, 0.88, 0.86), (0.5, 1.05, 1.0), (0.95, 0.72, 0.8)]
ARM: Profile = [(0.0, 0.72, 0.72), (0.3, 0.98, 0.98), (0.8, 1.06, 1.06), (1.0, 0.86, 0.86)]
FINGER: Profile = [(0.0, 1.0, 1.0), (0.5, 0.8, 0.8), (0.95, 0.4, 0.4)]
OUTER = np.array([0.0, 0.0, 1.0])  # to the finger that moves: it is the outer one
THIN = 0.66  # of the radius before it: a body of a pincer that is thinner is a finger


@dataclass(frozen=True)
class Link:
    """A body of such a part."""

    size: Floats  # [3] cm
    number: int  # in its chain
    count: int  # of the chain
    before: Floats  # [3] cm, size of the body before it; its own where there is none
    behind: Floats  # of the one behind

    @property
    def is_last(self) -> bool:
        return self.number == self.count - 1


def build_link(part: str, link: Link, style: str, coat: Coat, detail: Detail) -> Shape:
    """The shape of a body by the part that it is of."""
    match part:
        case "chelicera":
            return build_chelicera(link, coat, detail)
        case "mandible":
            return build_mandible(link, coat, detail)
        case "antenna":
            return build_antenna(link, coat, detail)
        case "claw":
            return build_pincer(link, style, coat, detail)
        case "tail":
            return build_tail(link, style, coat, detail)
        case "horn":
            return build_horn(link, coat, detail)
        case _:
            return build_other(link, style, coat, detail)


def build_other(link: Link, style: str, coat: Coat, detail: Detail) -> Shape:
    """A feeler, a finger that thins out, or the stalk of a crab's eye."""
    if link.count > 1:
        return build_antenna(link, coat, detail)
    if style != "crab":
        return build_rod(FINGER, link.size, plain_painter(coat.limb), detail)
    stalk = build_rod(ARM, link.size, plain_painter(coat.rim), detail)
    at = np.array([0.5 * link.size[0], 0.0, 0.0])
    eye = build_ball(at, 0.72 * float(link.size[1]), coat.eye, around=detail.leg + 2)
    return join_shapes([stalk, eye])


def build_rod(profile: Profile, size: Floats, painter: Painter, detail: Detail) -> Shape:
    around = detail.leg + (4 if detail.small else 0)
    return build_limb(profile, size, painter, around=around, rings=detail.rings)


def sweep(path: Floats, thick: Floats, colour: Floats, detail: Detail) -> Shape:
    """A horn or finger along a bent line, in one colour or those of its points [point, 3]."""
    around = max(detail.leg - 2, 5)
    mesh = build_tube(path, thick, around=around)
    shade = np.broadcast_to(colour, (len(path), 3))
    return Shape(mesh, np.concatenate([shade[:1], shade, shade[-1:]]).repeat(around, axis=0))


def count_steps(detail: Detail) -> int:
    return max(detail.rings, 4)


def build_chelicera(link: Link, coat: Coat, detail: Detail) -> Shape:
    """The stout base of a spider's jaw, and its fang: a body of its own, or folded below."""
    size = link.size
    long, high = float(size[0]), float(size[1])
    share = np.linspace(0, 1, count_steps(detail))
    if link.count > 1 and link.is_last:
        bow = 0.16 * long * np.sin(np.pi * share) - 0.1 * long * share**2
        path = np.stack([long * (share - 0.5), bow, 0 * share], axis=1)
        return sweep(path, 0.5 * high * (1 - 0.93 * share**1.2), coat.claw, detail)
    base = build_rod(JAW, size, plain_painter(mix(coat.back, coat.limb, 0.5)), detail)
    if link.count > 1:
        return base
    turn = 1.9 * share
    reach = 0.62 * max(long, 1.2 * high)
    path = np.stack(
        [
            0.38 * long + 0.55 * reach * np.sin(turn) - 0.25 * reach * share**2,
            -0.22 * high - 0.75 * reach * (1 - np.cos(turn)) / 1.32,
            0 * share,
        ],
        axis=1,
    )
    fang = sweep(path, 0.26 * high * (1 - 0.94 * share**1.3), coat.claw, detail)
    return join_shapes([base, fang])


def build_mandible(link: Link, coat: Coat, detail: Detail) -> Shape:
    """A curved blade that leads out and comes in again, with teeth on its inner side."""
    long, high, wide = (float(one) for one in link.size)
    share = np.linspace(0, 1, count_steps(detail) + 2)
    side = wide * (0.55 * np.sin(0.85 * np.pi * share) - 0.9 * share**2.2)
    path = np.stack([long * (share - 0.5), -0.1 * high * share, side], axis=1)
    thick = 0.5 * min(high, wide) * (1 - 0.86 * share**1.4)
    colour = mix(coat.limb, coat.claw, fade(share, 0.2, 0.8))
    shapes = [sweep(path, thick, colour, detail)]
    for place in (0.5, 0.66, 0.8) if detail.small else ():
        root = np.array([np.interp(place, share, path[:, k]) for k in range(3)])
        tip = root + 0.42 * wide * np.array([0.2, 0.0, -1.0]) * (1.2 - place)
        shapes.append(paint(build_spike(root, tip, 0.14 * wide), coat.claw))
    return join_shapes(shapes)


def build_antenna(link: Link, coat: Coat, detail: Detail) -> Shape:
    """A thin article; the last one thins out."""
    tip = 0.35 if link.is_last else float(np.clip(link.behind[1] / link.size[1], 0.5, 1.0))
    profile = [(0.0, 0.85, 0.85), (0.15, 0.95, 0.95), (0.8, 0.5 + 0.5 * tip, 0.5 + 0.5 * tip)]
    profile.append((1.0, tip, tip))
    return build_limb(
        profile,
        link.size,
        plain_painter(coat.limb),
        around=max(detail.leg - 4, 4),
        rings=max(detail.rings // 2, 2),
    )


def build_pincer(link: Link, style: str, coat: Coat, detail: Detail) -> Shape:
    """Arm, hand or finger of a pincer; a hand without a finger behind it has both."""
    is_finger = link.is_last and link.number > 0 and is_thin(link.size, link.before)
    is_hand = link.is_last or (link.number == link.count - 2 and is_thin(link.behind, link.size))
    if is_finger:
        return build_finger(link, coat, detail)
    if not is_hand:
        return build_rod(ARM, link.size, plain_painter(coat.limb), detail)
    return build_hand(link, style, coat, detail)


def is_thin(size: Floats, before: Floats) -> bool:
    return bool(size[1] < THIN * before[1])


def bend_finger(
    start: Floats, length: float, out: Floats, bow: float, count: int, *, closed: float
) -> Floats:
    """A path forward from a start that bows outwards, and how far it comes in at its tip."""
    share = np.linspace(0, 1, count)
    aside = bow * 0.8 * np.sin(np.pi * share) - closed * share**1.8
    return np.asarray(start + np.outer(length * share, [1.0, 0, 0]) + np.outer(aside, out))


def build_hand(link: Link, style: str, coat: Coat, detail: Detail) -> Shape:
    """A swollen palm with a finger that does not move, and one that does unless it is a body."""
    size = link.size
    long, high = float(size[0]), float(size[1])
    has_finger = not link.is_last
    palm = 1.0 if has_finger else 0.56
    box = size * np.array([palm, 1.12, 0.82] if style == "crab" else [palm, 0.86, 1.0])
    painter = plain_painter(coat.limb)
    shape = build_rod(
        PALM, box, lambda p, r: mix(painter(p, r), coat.rim, 0.25 * fade(p, 0.5, 1)), detail
    )
    shapes = [shape.moved(np.array([-0.5 * long * (1 - palm), 0.0, 0.0]), np.eye(3))]
    reach = float(link.behind[0]) if has_finger else (1 - palm) * long
    thick = 0.24 * high
    start = np.array([long * (palm - 0.5) - 0.35 * thick, 0.0, 0.0])
    sides = (-1.0,) if has_finger else (-1.0, 1.0)
    share = np.linspace(0, 1, count_steps(detail) + 1)
    for side in sides:
        root = start + 0.28 * high * side * OUTER
        path = bend_finger(
            root,
            reach + 0.3 * thick,
            side * OUTER,
            0.22 * high,
            len(share),
            closed=(0.1 if has_finger else 0.26) * high,
        )
        colour = mix(coat.limb, coat.claw, fade(share, 0.35, 0.85))
        shapes.append(sweep(path, thick * (1 - 0.85 * share**1.5), colour, detail))
    return join_shapes(shapes)


def build_finger(link: Link, coat: Coat, detail: Detail) -> Shape:
    """The finger that moves."""
    share = np.linspace(0, 1, count_steps(detail) + 1)
    long, high = float(link.size[0]), float(link.before[1])
    start = np.array([-0.54 * long, 0.0, 0.0]) + 0.16 * high * OUTER
    path = bend_finger(start, 1.04 * long, OUTER, 0.2 * high, len(share), closed=0.08 * high)
    colour = mix(coat.limb, coat.claw, fade(share, 0.3, 0.85))
    return sweep(path, 0.5 * float(link.size[1]) * (1.1 - 0.95 * share**1.5), colour, detail)


def build_tail(link: Link, style: str, coat: Coat, detail: Detail) -> Shape:
    """A ring of a tail, darker at its seams; the last of a scorpion's is its sting."""
    size = link.size
    if link.is_last and style != "scorpion":
        return build_rod(FINGER, size, plain_painter(coat.limb), detail)
    if not link.is_last:

        def shade(place: Floats, rise: Floats) -> Floats:
            seam = np.maximum(fade(place, 0.1, 0.0), fade(place, 0.88, 0.97))
            keel = fade(np.abs(np.abs(rise) - 0.72), 0.12, 0.03)
            return mix(mix(coat.limb, coat.rim, 0.45 * keel), 0.45 * coat.limb, seam)

        around = detail.leg + (8 if detail.small else 0)
        return build_limb(RING, size, shade, around=around, rings=detail.rings, arch=2.9)
    bulb = build_rod(BULB, size, plain_painter(mix(coat.limb, coat.claw, 0.25)), detail)
    long, high = float(size[0]), float(size[1])
    share = np.linspace(0, 1, count_steps(detail) + 2)
    turn = 1.25 * share
    path = np.stack(
        [
            long * (-0.02 + 0.52 * np.sin(turn) / np.sin(1.25)),
            0.95 * high * (1 - np.cos(turn)) - 0.12 * high * np.sin(np.pi * share),
            0 * share,
        ],
        axis=1,
    )
    colour = mix(mix(coat.limb, coat.claw, 0.25), coat.claw, fade(share, 0.2, 0.7))
    return join_shapes([bulb, sweep(path, 0.3 * high * (1 - 0.95 * share**0.8), colour, detail)])


def build_horn(link: Link, coat: Coat, detail: Detail) -> Shape:
    """An antler that bows out over its length, with a tooth on its inner side."""
    long, high = float(link.size[0]), float(link.size[1])
    share = np.linspace(0, 1, count_steps(detail) + 2)
    bow = 0.1 * long * np.sin(np.pi * share)
    path = np.stack([long * (share - 0.5), 0.4 * bow, bow], axis=1)
    end = 0.12 if link.is_last else float(np.clip(link.behind[1] / link.size[1], 0.4, 1.0))
    shapes = [sweep(path, 0.55 * high * (1 - (1 - end) * share**1.3), coat.claw, detail)]
    if detail.small:
        place = 0.5 if link.is_last else 0.74
        root = np.array([np.interp(place, share, path[:, k]) for k in range(3)])
        tip = root + np.array([0.14, 0.0, -0.2]) * long
        shapes.append(paint(build_spike(root, tip, 0.3 * high, around=7), coat.claw))
    if link.number == 0:
        at = np.array([-0.5 * long, 0.0, 0.0])
        shapes.append(build_ball(at, 0.6 * high, coat.claw, around=detail.leg))
    return join_shapes(shapes)
