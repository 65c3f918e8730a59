"""What shapes of climbers share: how finely they are drawn, their colours, hulls along an axis.

A profile is rows of (place, height, width): places from 0 at a body's own joint to 1 at the next
one's, heights and widths as shares of the body's edges. Rows are joined by smooth curves.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from skitter.look.colour import read_colour
from skitter.look.hull import Rings, Shape, build_hull, paint
from skitter.look.mesh import Mesh, build_rings, build_sphere
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
Profile = list[tuple[float, float, float]]
Painter = Callable[[Floats, Floats], Floats]  # colours [point, 3] from places and rises


@dataclass(frozen=True)
class Detail:
    """How finely a climber is drawn."""

    leg: int  # points around a leg
    trunk: int  # points around the trunk
    rings: int  # along a segment of a leg
    spans: int  # rings along the trunk
    hairs: int  # of all its bodies, at most
    small: bool  # whether claws, spines and the like are drawn


FINE = Detail(leg=14, trunk=56, rings=12, spans=44, hairs=40_000, small=True)
USUAL = Detail(leg=8, trunk=26, rings=5, spans=20, hairs=4_000, small=True)
COARSE = Detail(leg=6, trunk=14, rings=3, spans=11, hairs=0, small=False)
LEAST = Detail(leg=5, trunk=8, rings=2, spans=7, hairs=0, small=False)
CAPS = ([45.0], [20.0, 55.0], [12.0, 32.0, 52.0, 72.0])  # deg, rings of a round end
LEVELS = ((60_000, FINE), (18_000, USUAL), (6_000, COARSE), (0, LEAST))  # by triangles allowed


@dataclass(frozen=True)
class Site:
    """A body of the trunk, and what is around it."""

    size: Floats  # [3] cm
    thorax: Floats  # [3] cm, size of the thorax
    joint: Floats  # [3] cm, where it is joined to its parent, in its own frame
    has_abdomen: bool
    has_head: bool
    has_horns: bool
    has_fingers: bool  # spinnerets that are bodies of their own


def choose_detail(triangle_limit: int) -> Detail:
    """The finest that a number of triangles has room for."""
    return next(detail for limit, detail in LEVELS if triangle_limit >= limit)


@dataclass(frozen=True)
class Coat:
    """Colours in linear light."""

    back: Floats
    rim: Floats
    belly: Floats
    abdomen: Floats
    head: Floats
    mark: Floats
    leg: Floats
    knee: Floats
    band: Floats | None
    foot: Floats
    claw: Floats
    limb: Floats
    eye: Floats
    hair: Floats


def read_coat(look: ClimberLook) -> Coat:
    """The colours of a look, with those that are left out."""

    def take(key: str, usual: Floats) -> Floats:
        told = getattr(look, key)
        return usual if told is None else read_colour(told)

    back = read_colour(look.back)
    rim, leg = take("rim", pale(back, 0.25)), take("leg", back)
    return Coat(
        back=back,
        rim=rim,
        belly=take("belly", 0.6 * back),
        abdomen=take("abdomen", back),
        head=take("head", back),
        mark=take("mark", rim),
        leg=leg,
        knee=take("knee", leg),
        band=None if look.band is None else read_colour(look.band),
        foot=take("foot", leg),
        claw=read_colour(look.claw),
        limb=take("limb", leg),
        eye=read_colour(look.eye),
        hair=take("hair", pale(leg, 0.3)),
    )


def pale(colour: Floats, share: float) -> Floats:
    """A colour on its way to a warm white."""
    return np.asarray((1 - share) * colour + share * np.array([0.8, 0.74, 0.66]))


def mix(first: Floats, second: Floats, share: Floats | float) -> Floats:
    """Colours between two, the second by a share [point]."""
    part = np.asarray(share, float)[..., None]
    return np.asarray((1 - part) * first + part * second)


def fade(values: Floats, start: float, end: float) -> Floats:
    """0 before a start, 1 behind an end, smooth between them; the end may lie before the start."""
    share = np.clip((values - start) / (end - start), 0, 1)
    return np.asarray(share * share * (3 - 2 * share))


def plain_painter(colour: Floats) -> Painter:
    return lambda place, rise: np.broadcast_to(colour, (len(place), 3))


def spread(profile: Profile, count: int, extra: tuple[float, ...] = ()) -> Floats:
    """Rows [ring, 3] of a profile on a smooth curve: its ends, some between, and extra places."""
    place, high, wide = np.array(profile).T
    wanted = np.unique(
        np.concatenate([np.linspace(place[0], place[-1], max(count, 2)), extra]).round(6)
    )
    curve = PchipInterpolator(place, np.stack([high, wide], axis=1))
    return np.concatenate([wanted[:, None], curve(wanted)], axis=1)


def spread_outline(rows: Profile, spans: int) -> tuple[Floats, Floats, Floats]:
    """Places, half widths and heights along an outline from 0 to 1, finer at its ends."""
    even = np.linspace(0, 1, spans)
    share = 0.4 * even + 0.6 * (0.5 - 0.5 * np.cos(np.pi * even))
    place, half, high = np.array(rows).T
    curve = PchipInterpolator(place, np.stack([half, high], axis=1))(share)
    return share, curve[:, 0], curve[:, 1]


def build_limb(
    profile: Profile,
    size: Floats,
    painter: Painter,
    *,
    around: int,
    rings: int,
    extra: tuple[float, ...] = (),
    ends: tuple[bool, bool] = (True, True),
    arch: float = 2.1,
) -> Shape:
    """A body along x from joint to joint, with half balls about the ends that are round."""
    rows = spread(profile, rings, extra)
    x, high, wide = size[0] * (rows[:, 0] - 0.5), rows[:, 1] * size[1] / 2, rows[:, 2] * size[2] / 2
    angle = np.radians(CAPS[np.searchsorted((5, 8), rings, side="right")])
    blocks = [np.stack([x, high, wide], axis=1)]
    for way, end in ((-1, 0), (1, -1)):
        turned = angle if way < 0 else angle[::-1]
        reach = min(high[end], wide[end]) if ends[end] else 0.25 * min(high[end], wide[end])
        cap = np.stack(
            [
                x[end] + way * reach * np.cos(turned),
                high[end] * np.sin(turned),
                wide[end] * np.sin(turned),
            ],
            axis=1,
        )
        blocks = [cap, *blocks] if way < 0 else [*blocks, cap]
    x, high, wide = np.concatenate(blocks)[::-1].T
    mesh, rise = build_hull(
        Rings(x, wide, np.zeros(len(x)), high, -high), around=around, arch=arch, belly=arch
    )
    place = mesh.points[:, 0] / size[0] + 0.5
    return Shape(mesh, np.asarray(painter(place, rise)))


def drape(mesh: Mesh, around: int, shift: Floats) -> Mesh:
    """A hull whose points are moved [point, 3], with normals that follow."""
    return build_rings((mesh.points + shift).reshape(-1, around, 3))


def build_ball(at: Floats, radius: Floats | float, colour: Floats, *, around: int) -> Shape:
    """A ball or, with three radii, an egg."""
    ball = build_sphere(1.0, around=max(around, 6), steps=max(around // 3, 3))
    return paint(ball.scaled(np.broadcast_to(radius, 3)).moved(at, np.eye(3)), colour)


def wobble(points: Floats, scale: float, seed: int = 0) -> Floats:
    """A soft noise [point] from -1 to 1, whose waves are about as long as a scale, cm."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(7, 3))
    ways *= (
        (2 * np.pi / scale)
        * rng.uniform(0.6, 1.6, (7, 1))
        / np.linalg.norm(ways, axis=1, keepdims=True)
    )
    return np.asarray(np.sin(points @ ways.T + rng.uniform(0, 6.28, 7)).sum(axis=1) / 3.5)
