"""The trunks of ants and stick insects, and heads of insects."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import (
    Coat,
    Detail,
    Profile,
    Site,
    build_ball,
    fade,
    mix,
    spread_outline,
    wobble,
)
from skitter.look.climber_spider import build_pedicel, paint_pattern
from skitter.look.hull import Rings, Shape, both_sides, build_hull, join_shapes
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
MESOSOMA: Profile = [  # place from the front, half width, height: neck, hump, groove, slope
    *[(0.0, 0.4, 0.34), (0.08, 0.66, 0.62), (0.24, 1.0, 0.98), (0.42, 0.9, 0.96)],
    *[(0.54, 0.72, 0.72), (0.66, 0.76, 0.78), (0.84, 0.72, 0.66), (1.0, 0.42, 0.36)],
]
GASTER: Profile = [
    *[(0.0, 0.2, 0.2), (0.06, 0.5, 0.5), (0.22, 0.86, 0.88), (0.42, 1.0, 1.0)],
    *[(0.64, 0.92, 0.9), (0.84, 0.58, 0.56), (0.96, 0.2, 0.2), (1.0, 0.08, 0.08)],
]
HEADS: dict[str, Profile] = {
    "insect": [  # mouth, brow, cheeks, and the back of the head
        *[(0.0, 0.46, 0.4), (0.1, 0.66, 0.66), (0.4, 0.9, 0.98), (0.7, 1.0, 1.0)],
        *[(0.92, 0.84, 0.8), (1.0, 0.5, 0.4)],
    ],
    "beetle": [
        *[(0.0, 0.42, 0.4), (0.12, 0.7, 0.66), (0.4, 0.96, 0.92), (0.7, 1.0, 1.0)],
        *[(1.0, 0.8, 0.9)],
    ],
    "stick": [(0.0, 0.5, 0.44), (0.2, 0.9, 0.84), (0.6, 0.96, 1.0), (1.0, 0.6, 0.66)],
    "spider": [(0.0, 0.4, 0.4), (0.2, 0.86, 0.86), (0.5, 1.0, 1.0), (1.0, 0.5, 0.5)],
}
EYES = {  # of the head's edges: place forward, up and right, and three radii
    "insect": ((0.06, 0.14, 0.42), (0.13, 0.14, 0.08)),
    "beetle": ((0.1, 0.06, 0.46), (0.12, 0.16, 0.06)),
    "stick": ((0.24, 0.1, 0.4), (0.1, 0.18, 0.14)),
    "spider": ((0.2, 0.22, 0.36), (0.16, 0.2, 0.16)),
}
RINGS = 4  # of a gaster
NODES = {"thorax": (0.02, 0.3, 0.66, 1.0), "abdomen": tuple(np.linspace(0, 1, 9))}


def build_body(
    profile: Profile, size: Floats, detail: Detail, *, around: int, over: float = 1.0
) -> tuple[Shape, Floats, Floats]:
    """A hull in white, places along it from the front, and rises."""
    share, half, high = spread_outline(profile, detail.spans)
    x, flat = size[0] * over * (0.5 - share), np.zeros(len(share))
    up = 0.5 * size[1] * high
    mesh, rise = build_hull(Rings(x, 0.5 * size[2] * half, flat, up, -0.94 * up), around=around)
    place = 0.5 - mesh.points[:, 0] / (over * size[0])
    return Shape(mesh, np.ones_like(mesh.points)), place, rise


def build_mesosoma(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The hump of an ant's back, with its groove."""
    shape, place, rise = build_body(MESOSOMA, site.size, detail, around=detail.trunk, over=1.04)
    groove = np.maximum(np.exp(-(((place - 0.54) / 0.03) ** 2)), np.exp(-((place / 0.06) ** 2)))
    colour = mix(coat.back, coat.rim, 0.35 * fade(rise, 0.3, 0.9))
    colour = mix(colour, 0.45 * coat.back, 0.7 * groove)
    return Shape(shape.mesh, mix(colour, coat.belly, fade(rise, -0.1, -0.6)))


def build_waist(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The knot between mesosoma and gaster: a scale that stands up, on a stalk."""
    size, around = site.size, max(detail.trunk // 2, 6)
    scale = build_ball(np.zeros(3), 0.5 * size * [0.7, 1.15, 1.0], coat.back, around=around)
    stalk = np.array([0.95 * size[0], 0.22 * size[1], 0.3 * size[2]])
    low = np.array([0.0, -0.18 * size[1], 0.0])
    return join_shapes([scale, build_ball(low, stalk, 0.8 * coat.back, around=around)])


def build_gaster(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The hind part: plates with pale seams, or the pattern of a look."""
    size = site.size
    shape, place, rise = build_body(GASTER, size, detail, around=detail.trunk)
    colour = paint_pattern(shape.mesh.points / size, rise, look, coat)
    count = look.tergites or RINGS
    seam = fade(np.abs((place * count + 0.35) % 1.0 - 0.5), 0.07, 0.03) * fade(place, 0.08, 0.2)
    colour = mix(colour, coat.rim, 0.55 * seam)
    shapes = [Shape(shape.mesh, colour), build_pedicel(0.6 * size, site.joint, coat, detail)]
    return join_shapes(shapes)


def build_insect_head(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """A head with an eye on either side, and a brow."""
    size, style = site.size, look.style
    shape, place, rise = build_body(HEADS[style], size, detail, around=detail.trunk, over=1.08)
    colour = mix(coat.head, 0.6 * coat.head, fade(place, 0.2, 0.0))
    shapes = [Shape(shape.mesh, mix(colour, coat.belly, fade(rise, -0.3, -0.8)))]
    if look.eyes != "none":
        at, radii = (np.array(one) for one in EYES[style])
        eye = build_ball(at * size, look.eye_size * radii * size, coat.eye, around=detail.leg + 4)
        shapes += both_sides(eye)
    return join_shapes(shapes)


def build_stick_part(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """A twig with knots where plates meet; the abdomen is the part that has its joint in front."""
    size = site.size
    is_tail = bool(site.joint[0] > 0)
    nodes = np.array(NODES["abdomen" if is_tail else "thorax"])
    rows: Profile = []
    for k, node in enumerate(nodes[:-1]):
        step = nodes[k + 1] - node
        thin = 1 - 0.35 * (0.5 * (2 * node + step)) ** 3 if is_tail else 1.0
        for part, r in ((0.0, 1.0), (0.12, 0.9), (0.6, 0.8), (0.9, 0.92)):
            rows.append((float(node + part * step), r * thin, r * thin))
    rows = [(0.0, 0.6, 0.6), *[row for row in rows if row[0] > 0.01]]
    rows.append((1.0, 0.5, 0.5) if is_tail else (1.0, 0.85, 0.85))
    spans = Detail(**{**detail.__dict__, "spans": 2 * detail.spans})
    shape, place, rise = build_body(rows, size, spans, around=max(detail.trunk // 2, 6), over=1.02)
    knot = np.exp(-((np.abs(place[:, None] - nodes).min(axis=1) / 0.012) ** 2))
    base = coat.abdomen if is_tail else coat.back
    stretched = shape.mesh.points * np.array([0.2, 1.0, 1.0])
    colour = mix(base, coat.rim, 0.4 * np.clip(wobble(stretched, 0.4 * float(size[1])), 0, 1))
    colour = mix(colour, 0.5 * base, 0.6 * knot)
    return Shape(shape.mesh, mix(colour, coat.belly, 0.6 * fade(rise, -0.2, -0.8)))
