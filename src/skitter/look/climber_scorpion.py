"""The trunk of a scorpion: a flat shield in front, and plates that overlap to the tail."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import (
    Coat,
    Detail,
    Profile,
    Site,
    build_ball,
    drape,
    fade,
    mix,
    spread_outline,
    wobble,
)
from skitter.look.hull import Rings, Shape, both_sides, build_hull, join_shapes
from skitter.look.roach import tile
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
SHIELD: Profile = [  # place from the front, half width, height
    *[(0.0, 0.56, 0.5), (0.06, 0.68, 0.7), (0.3, 0.8, 0.92), (0.6, 0.93, 1.0)],
    *[(0.9, 1.0, 0.94), (0.97, 0.96, 0.86), (1.0, 0.85, 0.7)],
]
TERGITES = 7


def build_prosoma(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """A shield that widens to the back, with a furrow along its middle and eyes beside that."""
    size = site.size
    share, half, high = spread_outline(SHIELD, detail.spans)
    x = size[0] * (0.52 - 1.04 * share)
    edge = -0.1 * size[1] * np.ones_like(x)
    rings = Rings(
        x, 0.5 * size[2] * half, edge, edge + 0.55 * size[1] * high, edge - 0.36 * size[1] * half
    )
    mesh, rise = build_hull(rings, around=detail.trunk, arch=2.3, belly=2.4)
    across, along = mesh.points[:, 2] / size[2], mesh.points[:, 0] / size[0]
    furrow = np.exp(-((across / 0.035) ** 2)) * fade(rise, 0.2, 0.5)
    notch = np.exp(-((across / 0.12) ** 2)) * fade(along, 0.42, 0.52)
    shift = np.zeros_like(mesh.points)
    shift[:, 1] = -0.06 * size[1] * furrow
    shift[:, 0] = -0.07 * size[0] * notch
    grain = wobble(mesh.points, 0.08 * float(size[2]))
    colour = mix(coat.back, coat.rim, 0.5 * fade(rise, 0.3, 0.08) + 0.2 * fade(along, 0.2, 0.5))
    colour = mix(colour, 0.4 * coat.back, 0.6 * furrow) * (1 + 0.08 * grain)[:, None]
    colour = np.where((rise < -0.02)[:, None], coat.belly, colour)
    shapes = [Shape(drape(mesh, detail.trunk, shift), np.clip(colour, 0, 1))]
    if detail.small:
        radius = 0.045 * float(size[2]) * look.eye_size
        at = np.array([0.1 * size[0], 0.425 * size[1], 0.07 * size[2]])
        shapes += both_sides(build_ball(at, radius, coat.eye, around=detail.leg + 2))
        for k in range(3):
            at = np.array(
                [(0.46 - 0.05 * k) * size[0], 0.06 * size[1], (0.31 + 0.02 * k) * size[2]]
            )
            shapes += both_sides(build_ball(at, 0.55 * radius, coat.eye, around=detail.leg))
    return join_shapes(shapes)


def build_mesosomal_plates(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Plates like tiles, with pale seams, that narrow to the tail."""
    size, count = site.size, look.tergites or TERGITES
    share, step, rim = tile(count)
    if not detail.small:
        keep = np.linspace(0, len(share) - 1, 2 * count).round().astype(int)
        share, step, rim = share[keep], step[keep], rim[keep]
    wide = 0.84 + 0.16 * np.sin(np.pi * np.clip(share / 0.7, 0, 1)) - 0.34 * fade(share, 0.6, 1.0)
    wide = wide * np.where(step <= -2, 0.8, 1.0)
    swell = 1 + 0.03 * step
    x, edge = size[0] * (0.53 - 1.06 * share), -0.06 * size[1] * np.ones_like(share)
    top = edge + 0.52 * size[1] * (0.4 + 0.6 * wide) * swell
    bottom = edge - 0.4 * size[1] * (0.4 + 0.6 * wide)
    mesh, rise = build_hull(
        Rings(x, 0.5 * size[2] * wide * swell, edge, top, bottom),
        around=detail.trunk,
        arch=2.2,
        belly=2.2,
    )
    seam = np.concatenate([rim[:1], rim, rim[-1:]]).repeat(detail.trunk)
    across = np.abs(mesh.points[:, 2]) / size[2]
    keel = fade(np.abs(across - 0.16), 0.03, 0.01) + fade(across, 0.03, 0.01)
    above = mix(coat.abdomen, coat.rim, np.clip(0.75 * seam + 0.3 * keel, 0, 1))
    above = above * (1 + 0.08 * wobble(mesh.points, 0.1 * float(size[2])))[:, None]
    below = mix(coat.belly, coat.rim, 0.25 * seam)
    return Shape(mesh, np.clip(np.where((rise > -0.08)[:, None], above, below), 0, 1))
