"""The trunk of a spider: carapace with its pit and eyes, and an abdomen with spinnerets.

After tarantulas (Brachypelma hamorii): the carapace is a low shield, higher at the head, from whose
pit grooves run to the legs; eight eyes stand close together on a mound, or in two rows.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import (
    Coat,
    Detail,
    Site,
    build_ball,
    build_limb,
    drape,
    fade,
    mix,
    plain_painter,
    spread_outline,
    wobble,
)
from skitter.look.hull import Rings, Shape, both_sides, build_hull, join_shapes, paint
from skitter.look.mesh import build_tube
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
PIT = -0.1  # of the carapace' length, from its middle
GROOVES = np.radians([38.0, 72.0, 106.0, 140.0])  # from straight ahead, to either side
OUTLINE = [  # of the carapace, from the front: place, half width, height
    *[(0.0, 0.5, 0.62), (0.08, 0.6, 0.82), (0.22, 0.68, 1.0), (0.42, 0.9, 0.94)],
    *[(0.62, 1.0, 0.84), (0.8, 0.95, 0.74), (0.92, 0.76, 0.6), (1.0, 0.45, 0.42)],
]
EGG = [  # of the abdomen, likewise
    *[(0.0, 0.3, 0.3), (0.05, 0.5, 0.5), (0.2, 0.8, 0.84), (0.45, 0.98, 1.0)],
    *[(0.62, 1.0, 0.98), (0.8, 0.85, 0.82), (0.93, 0.52, 0.5), (1.0, 0.22, 0.22)],
]
MOUND = {  # eyes of the right side on a mound: forward, up and right, and radius, in its own
    "tubercle": [
        *[(0.55, 0.62, 0.3, 0.27), (0.6, 0.3, 0.78, 0.24)],
        *[(-0.25, 0.75, 0.72, 0.2), (-0.2, 0.4, 1.0, 0.24)],
    ],
    "rows": [
        *[(1.0, 0.15, 0.3, 0.22), (0.85, 0.1, 0.95, 0.26)],
        *[(0.2, 0.75, 0.42, 0.2), (0.05, 0.6, 1.25, 0.22)],
    ],
}


def build_spider_thorax(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Carapace above, sternum below, and the eyes."""
    size = site.size
    share, half, high = spread_outline(OUTLINE, detail.spans)
    x = size[0] * (0.5 - share)
    edge = -0.08 * size[1] * np.ones_like(x)
    rings = Rings(
        x, 0.5 * size[2] * half, edge, edge + 0.58 * size[1] * high, edge - 0.4 * size[1] * half
    )
    mesh, rise = build_hull(rings, around=detail.trunk, arch=2.0, belly=2.4)
    away = mesh.points[:, [0, 2]] / size[[0, 2]] - [PIT, 0.0]
    groove = mark_grooves(away) * fade(rise, 0.05, 0.35)
    shift = np.zeros_like(mesh.points)
    pit = np.exp(-((away[:, 0] / 0.04) ** 2) - (away[:, 1] / 0.06) ** 2) * (rise > 0)
    shift[:, 1] = -size[1] * (0.035 * groove + 0.16 * pit)
    mesh = drape(mesh, detail.trunk, shift)
    far = np.hypot(away[:, 0], away[:, 1])
    head = fade(away[:, 0], 0.12, 0.3) * fade(np.abs(away[:, 1]), 0.2, 0.1)
    colour = mix(coat.back, coat.rim, 0.75 * fade(far, 0.2, 0.44) * (1 - groove) * (1 - 0.8 * head))
    colour = mix(colour, coat.rim, fade(rise, 0.24, 0.1) * fade(rise, -0.2, 0.0))
    colour = mix(colour, 0.4 * coat.back, 0.75 * groove + 0.6 * pit)
    colour = np.where((rise < -0.05)[:, None], coat.belly, colour)
    shapes = [Shape(mesh, np.clip(colour, 0, 1))]
    if look.eyes in MOUND:
        shapes.append(build_eyes(size, look, coat, detail))
    return join_shapes(shapes)


def mark_grooves(away: Floats) -> Floats:
    """How deep in a groove points are, 0 to 1: lines that run out from the pit."""
    angle, far = np.arctan2(np.abs(away[:, 1]), away[:, 0]), np.hypot(away[:, 0], away[:, 1])
    off = np.abs(angle[:, None] - GROOVES).min(axis=1) * far
    inside = np.exp(-((off / 0.018) ** 2)) * fade(far, 0.03, 0.09) * fade(far, 0.42, 0.26)
    return np.asarray(inside)


def build_eyes(size: Floats, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Eight eyes, on a mound or in two rows at the front of the head."""
    wide = (0.085 if look.eyes == "tubercle" else 0.16) * float(size[2])
    ahead = 0.36 if look.eyes == "tubercle" else 0.4
    at = np.array([ahead * size[0], 0.4 * size[1], 0.0])
    deep = 0.8 if look.eyes == "tubercle" else 0.5
    unit = np.array([deep * wide, min(wide, 0.2 * size[1]), wide])
    shapes = [build_ball(at, 1.05 * unit, 0.7 * coat.back, around=detail.leg + 4)]
    for forward, up, right, radius in MOUND[look.eyes]:
        place = at + unit * np.array([forward, up, right])
        eye = build_ball(place, look.eye_size * radius * wide, coat.eye, around=detail.leg)
        shapes += both_sides(eye)
    return join_shapes(shapes)


def build_spider_abdomen(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """An egg with its pattern, spinnerets at the end and the narrow pedicel in front."""
    size = site.size
    share, half, high = spread_outline(EGG, detail.spans)
    x = size[0] * (0.5 - share)
    edge = (0.04 - 0.1 * share) * size[1]
    rings = Rings(
        x, 0.5 * size[2] * half, edge, edge + 0.5 * size[1] * high, edge - 0.46 * size[1] * high
    )
    mesh, rise = build_hull(rings, around=detail.trunk)
    colour = paint_pattern(mesh.points / size, rise, look, coat)
    tone = 1 + 0.14 * wobble(mesh.points, 0.25 * float(size[2]))
    shapes = [Shape(mesh, np.clip(colour * tone[:, None], 0, 1))]
    shapes.append(build_pedicel(size, site.joint, coat, detail))
    if detail.small and not site.has_fingers:
        shapes += build_spinnerets(size, coat, detail)
    return join_shapes(shapes)


def paint_pattern(place: Floats, rise: Floats, look: ClimberLook, coat: Coat) -> Floats:
    """Colours of an abdomen: its back with a pattern, and its belly."""
    along, across = 0.5 - place[:, 0], np.abs(place[:, 2])  # from the front, and from the middle
    mark: Floats
    match look.pattern:
        case "chevrons":
            row = (along * 6.5 + 2.2 * across) % 1.0
            mark = fade(np.abs(row - 0.5), 0.28, 0.14) * fade(across, 0.3, 0.2)
            mark = mark * fade(along, 0.12, 0.3)
        case "leaf":
            mark = fade(across + 0.25 * np.abs(along - 0.3), 0.2, 0.14) * fade(along, 0.75, 0.6)
        case "spots":
            row = np.hypot((along * 5.0) % 1.0 - 0.5, 5.0 * (across - 0.2))
            mark = fade(row, 0.36, 0.24) * fade(along, 0.1, 0.2)
        case "stripe":
            mark = fade(across, 0.16, 0.1)
        case "rings":
            mark = fade(np.abs((along * 5.0) % 1.0 - 0.5), 0.3, 0.2)
        case _:
            mark = np.zeros(len(place))
    colour = mix(coat.abdomen, coat.mark, mark * (rise > 0))
    return mix(colour, coat.belly, fade(rise, -0.2, -0.6))


def build_pedicel(size: Floats, joint: Floats, coat: Coat, detail: Detail) -> Shape:
    """The stalk that holds an abdomen, through its joint."""
    thick = 0.13 * float(size[2])
    ends = np.array([[joint[0] + 1.2 * thick, joint[1], 0.0], [0.32 * size[0], 0.02, 0.0]])
    path = np.linspace(ends[0], ends[1], 5)
    mesh = build_tube(
        path, np.full(5, thick) * [0.8, 1.0, 1.0, 1.0, 0.6], around=max(detail.leg, 6)
    )
    return paint(mesh, 0.7 * coat.back)


def build_spinnerets(size: Floats, coat: Coat, detail: Detail) -> list[Shape]:
    """Two pairs of short fingers below the end."""
    found = []
    for long, aside, low in ((0.17, 0.075, -0.12), (0.1, 0.04, -0.18)):
        length = long * float(size[0])
        box = np.array([length, 0.42 * length, 0.42 * length])
        rows = [(0.0, 1.0, 1.0), (0.5, 0.8, 0.8), (0.9, 0.45, 0.45)]
        finger = build_limb(
            rows,
            box,
            plain_painter(0.8 * coat.belly + 0.2 * coat.abdomen),
            around=max(detail.leg - 2, 6),
            rings=max(detail.rings // 2, 3),
        )
        out = np.array([-0.9, 0.05, 0.42])
        out = out / np.linalg.norm(out)
        side = np.cross(out, [0.0, 1.0, 0.0])
        side = side / np.linalg.norm(side)
        turn = np.stack([out, np.cross(side, out), side], axis=1)
        at = np.array([-0.47 * size[0], low * size[1], aside * size[2]]) + 0.4 * length * out
        found += both_sides(finger.moved(at, turn))
    return found
