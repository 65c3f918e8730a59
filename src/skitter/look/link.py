"""The shape of one link of a limb: what is drawn for link number k of every leg, or antenna.

A link lies along x from its root side joint (0) to its tip side joint (1); y (to the side) and z
(up, to the outside of a bent leg) count radii of its root. It carries the ball of its root joint;
its other end hides in the next link's ball. A profile is rows of (x, radius, zone).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, build_cylinder, build_rings, join_meshes

Floats = NDArray[np.floating]
Row = tuple[float, float, float]
SHAFT, BALL, CLAW = 0.0, 1.0, 2.0  # zones
BALL_RADIUS = 1.04  # of a joint, in radii of the link
RATIO_LIMIT = 0.24  # of radius to length, beyond which a ball is flattened
BAND_SPAN, BAND_SHARE, EDGE = (0.12, 0.94), 0.45, 0.012
HOOK = 0.22  # how far a claw bows outwards before it comes down to its point, in radii
# Shafts from the ball to the end: x, radius
UPPER = [(0.2, 0.80), (0.45, 0.92), (0.8, 0.78), (0.92, 0.84), (0.99, 0.72)]
LOWER = [(0.2, 0.80), (0.42, 0.86), (0.80, 0.62), (0.92, 0.68), (0.99, 0.56)]
FOOT = [(0.2, 0.82), (0.36, 0.78), (0.49, 0.58), (0.53, 0.56), (0.60, 0.64), (0.80, 0.42)]
CLAW_RINGS = [(0.86, 0.36), (0.88, 0.34), (0.94, 0.22), (1.0, 0.0)]
STRUT = [(0.16, 0.62), (0.2, 0.72), (0.7, 0.66), (0.74, 0.52), (0.99, 0.5)]
STRUT_FOOT = [(0.16, 0.66), (0.2, 0.76), (0.66, 0.56), (0.68, 0.44), (0.84, 0.4)]
PAD = [(0.845, 0.62), (0.93, 0.58), (0.985, 0.34), (1.0, 0.0)]
KNUCKLE = (1.3, 2.3)  # radius and width of a machine's hinge
BEAD = [(0.06, 0.76), (0.4, 0.92), (0.78, 1.0), (0.94, 0.82)]


@dataclass(frozen=True)
class LinkShape:
    """A mesh for all links of one number."""

    mesh: Mesh  # x from 0 to 1, y and z in radii of the root
    colours: Floats  # [point, 3] linear light


@dataclass(frozen=True)
class LinkPaint:
    """Colours of a limb, in linear light."""

    shaft: Floats
    ball: Floats
    claw: Floats
    band: Floats | None = None
    bands: int = 0


def build_leg_link(
    number: int,
    ratio: float,
    *,
    around: int,
    machine: bool = False,
    coarse: bool = False,
    bands: int = 0,
) -> tuple[Mesh, Floats]:
    """Link 0, 1 or 2 of a leg with its radius being `ratio` of its length; and its zones.

    A coarse one does with half the rings, for creatures with very many legs.
    """
    ratio = min(ratio, RATIO_LIMIT)
    if machine:
        return _build_strut(number, ratio, around, bands)
    rows, tip = (UPPER, LOWER, FOOT)[number], CLAW_RINGS if number == 2 else []
    if coarse:
        rows, tip = [rows[k] for k in ((0, 1, 4), (0, 1, 4), (0, 2, 4))[number]], tip[::3]
    shaft = band_rows([(x, r, SHAFT) for x, r in rows], bands)
    claw = [(x, r, CLAW) for x, r in tip]
    return turn_profile([*ball_rows(ratio, coarse=coarse), *shaft, *claw], around)


def _build_strut(number: int, ratio: float, around: int, bands: int) -> tuple[Mesh, Floats]:
    """A rod of metal from a hinge whose axle lies across."""
    rows = [(0.0, 0.6, SHAFT)] + [(x, r, SHAFT) for x, r in (STRUT_FOOT if number == 2 else STRUT)]
    pad = [(x, r, CLAW) for x, r in PAD] if number == 2 else []
    rod, zone = turn_profile(band_rows(rows, bands) + pad, around)
    radius, width = KNUCKLE
    hinge = build_cylinder(radius, width, 0.2, around=around + 4, steps=3)
    hinge = hinge.moved(np.zeros(3), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    hinge = hinge.scaled(np.array([ratio, 1.0, 1.0]))
    return join_meshes([rod, hinge]), np.concatenate([zone, np.full(len(hinge.points), BALL)])


def band_rows(shaft: list[Row], bands: int) -> list[Row]:
    """A shaft with rows more where bands begin and end, so that these are sharp."""
    if bands == 0:
        return shaft
    x, radius, _ = np.array(shaft).T
    edges = band_edges(bands).ravel()
    wanted = np.concatenate([edges, edges + EDGE])
    is_new = np.abs(wanted[:, None] - x).min(axis=1) > 1e-6
    wanted = wanted[is_new & (wanted > x[0]) & (wanted < x[-1])]
    more = [(float(w), float(np.interp(w, x, radius)), SHAFT) for w in wanted]
    return sorted([*shaft, *more])


def build_antenna_link(
    ratio: float, narrowing: float, articles: int, *, around: int, first: bool, last: bool
) -> tuple[Mesh, Floats]:
    """Beads with a narrow waist; the radius at the end is `narrowing` of that at the root."""
    ratio = min(ratio, RATIO_LIMIT)
    rows = ball_rows(ratio) if first else [(-0.5 * ratio, 0.4, SHAFT), (0.0, 0.7, SHAFT)]
    for k in range(articles):
        for place, radius in BEAD:
            x = (k + place) / articles
            if x > 1.2 * ratio or not first:
                rows.append((x, radius * (1 + x * (narrowing - 1)), SHAFT))
    rows.append((1.0, (0.1 if last else 0.65) * narrowing, SHAFT))
    return turn_profile(rows, around)


def ball_rows(ratio: float, *, coarse: bool = False) -> list[Row]:
    """The ball of a joint, which is round at this ratio of radius to length."""
    angle = np.radians([30.0, 80.0, 130.0] if coarse else [18.0, 48.0, 76.0, 104.0, 132.0])
    along, out = -BALL_RADIUS * ratio * np.cos(angle), BALL_RADIUS * np.sin(angle)
    rows = [(float(x), float(r), BALL) for x, r in zip(along, out, strict=True)]
    return [*rows, (float(along[-1]) + 0.01, float(out[-1]) * 0.96, SHAFT)]


def turn_profile(rows: list[Row], around: int) -> tuple[Mesh, Floats]:
    """A skin around the x axis, closed at both ends; a claw bows upwards."""
    x, radius, zone = np.array(rows).T
    end = len(x) if radius[-1] else len(x) - 1  # a tip is its own pole
    x, radius, zone = (np.concatenate([v[:1], v[:end], v[-1:]]) for v in (x, radius, zone))
    radius[[0, -1]] = 0.0
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    bow = HOOK * np.sin(np.pi * np.clip((x - 0.8) / 0.2, 0, 1)) * (zone == CLAW)
    points = np.stack(
        [
            np.repeat(x[:, None], around, axis=1),
            radius[:, None] * np.cos(angle),
            radius[:, None] * np.sin(angle) + bow[:, None],
        ],
        axis=2,
    )
    return build_rings(points), np.repeat(zone, around)


def band_edges(bands: int) -> Floats:
    """Where bands start and end along a link [band, 2]."""
    first, last = BAND_SPAN
    width = (last - first) / bands
    start = first + width * (np.arange(bands) + 1 - BAND_SHARE)
    return np.stack([start, start + BAND_SHARE * width], axis=1)


def paint_link(mesh: Mesh, zone: Floats, paint: LinkPaint) -> LinkShape:
    """The link in its colours."""
    colours = np.choose(zone.astype(int)[:, None], [paint.shaft, paint.ball, paint.claw])
    if paint.band is not None:
        x = mesh.points[:, :1]
        start, end = band_edges(paint.bands).T
        inside = np.minimum(x - start, end + EDGE - x).max(axis=1) >= 0.5 * EDGE
        colours[inside & (zone == SHAFT)] = paint.band
    return LinkShape(mesh, colours)
