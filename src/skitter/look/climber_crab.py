"""The trunk of a crab: a broad shell with teeth along its front, whose tail is folded below."""

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
from skitter.look.hull import Rings, Shape, both_sides, build_hull, build_spike, join_shapes, paint
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
SHELL: Profile = [  # place from the front, half width, height
    *[(0.0, 0.36, 0.5), (0.05, 0.5, 0.72), (0.14, 0.74, 0.88), (0.26, 0.92, 0.97)],
    *[(0.38, 1.0, 1.0), (0.52, 0.96, 1.0), (0.7, 0.8, 0.94), (0.86, 0.62, 0.8)],
    *[(0.96, 0.48, 0.6), (1.0, 0.4, 0.44)],
]
TEETH = 5  # on either side
TOOTH_SPAN = (0.08, 0.37)  # places between which they stand


def build_crab_thorax(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The shell with its regions, teeth, brow and mouth."""
    size = site.size
    share, half, high = spread_outline(SHELL, detail.spans)
    x = size[0] * (0.5 - share)
    edge = 0.02 * size[1] * np.ones_like(x)
    rings = Rings(
        x, 0.5 * size[2] * half, edge, edge + 0.48 * size[1] * high, edge - 0.5 * size[1] * half
    )
    mesh, rise = build_hull(rings, around=detail.trunk, arch=2.2, belly=2.0)
    place = mesh.points / size
    groove = mark_regions(place) * fade(rise, 0.2, 0.4)
    bump = wobble(mesh.points, 0.16 * float(size[2]), 3) * fade(rise, 0.15, 0.4)
    shift = np.zeros_like(mesh.points)
    shift[:, 1] = size[1] * (0.018 * bump - 0.05 * groove)
    speck = fade(wobble(mesh.points, 0.045 * float(size[2]), 5), 0.25, 0.6)
    colour = mix(coat.back, coat.rim, 0.35 * fade(place[:, 0], 0.1, 0.5))
    colour = mix(colour, coat.mark, 0.5 * speck * (rise > 0.1))
    colour = mix(colour, 0.5 * coat.back, 0.7 * groove)
    colour = mix(colour, coat.rim, fade(rise, 0.22, 0.06) * (rise > -0.1))
    colour = mix(colour, coat.belly, fade(rise, -0.05, -0.2))
    shapes = [Shape(drape(mesh, detail.trunk, shift), np.clip(colour, 0, 1))]
    if detail.small:
        shapes += build_teeth(size, coat)
        if look.eyes == "stalks" and not site.has_fingers:
            shapes += build_stalks(size, look, coat, detail)
    return join_shapes(shapes)


def mark_regions(place: Floats) -> Floats:
    """How deep in the furrow that parts the shell points are: an H that lies across it."""
    along, across = place[:, 0], np.abs(place[:, 2])
    bar = np.exp(-(((along - 0.02 - 0.25 * across) / 0.025) ** 2)) * fade(across, 0.36, 0.26)
    post = np.exp(-(((across - 0.14 + 0.12 * along) / 0.018) ** 2)) * fade(along, 0.3, 0.2)
    return np.maximum(bar, post * fade(along, -0.4, -0.25))


def build_teeth(size: Floats, coat: Coat) -> list[Shape]:
    """Along the sides of the front, and two small ones on the brow."""
    place, half, _ = np.array(SHELL).T
    found = []
    for at in np.linspace(*TOOTH_SPAN, TEETH):
        wide = 0.5 * float(np.interp(at, place, half))
        root = np.array([(0.5 - at) * size[0], 0.03 * size[1], 0.94 * wide * size[2]])
        tip = root + float(size[2]) * np.array([0.035, 0.0, 0.05])
        tooth = build_spike(root, tip, 0.024 * float(size[2]), around=7)
        found += both_sides(paint(tooth, mix(coat.rim, coat.back, 0.3)))
    for aside in (0.03, 0.1):
        root = np.array([0.47, 0.08, aside]) * size
        tip = root + float(size[0]) * np.array([0.07, 0.01, 0.0])
        found += both_sides(paint(build_spike(root, tip, 0.02 * float(size[2])), coat.rim))
    return found


def build_stalks(size: Floats, look: ClimberLook, coat: Coat, detail: Detail) -> list[Shape]:
    """Eyes on short stalks, where these are no bodies of their own."""
    radius = 0.035 * float(size[2]) * look.eye_size
    root = np.array([0.44, 0.12, 0.16]) * size
    stalk = build_ball(root, radius * np.array([1.0, 2.2, 1.0]), coat.rim, around=detail.leg)
    eye = build_ball(
        root + 2.4 * radius * np.array([0.0, 1.0, 0.0]), 1.25 * radius, coat.eye, around=detail.leg
    )
    return [*both_sides(stalk), *both_sides(eye)]
