"""The trunk of a beetle: the shield of the thorax, and wing cases that meet along the back."""

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
)
from skitter.look.hull import Rings, Shape, build_hull, build_spike, join_shapes, paint
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
SHIELD: Profile = [  # place from the front, half width, height
    *[(0.0, 0.62, 0.5), (0.06, 0.78, 0.7), (0.3, 0.95, 0.92), (0.62, 1.0, 1.0)],
    *[(0.9, 0.94, 0.96), (0.97, 0.9, 0.9), (1.0, 0.8, 0.8)],
]
CASES: Profile = [
    *[(0.0, 0.7, 0.6), (0.03, 0.9, 0.84), (0.12, 1.0, 0.96), (0.4, 1.0, 1.0)],
    *[(0.65, 0.94, 0.94), (0.85, 0.7, 0.7), (0.96, 0.4, 0.42), (1.0, 0.18, 0.2)],
]
BACK = 0.5  # of the thorax' length, that its shield covers; the wing cases cover the rest
STRIAE = 5  # lines along each wing case


def build_pronotum(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The shield, and below it the chest that carries the legs."""
    size = site.size
    covers = BACK if site.has_abdomen else 0.4
    shapes = [build_shield(size, covers, coat, detail), build_chest(size, coat, detail)]
    if not site.has_abdomen:
        shapes.append(build_cases(size, 0.5 - covers, -0.5, coat, detail))
    for k in range(look.horns if detail.small and not site.has_horns else 0):
        aside = 0.0 if look.horns % 2 and k == 0 else 0.28 * (-1) ** k
        root = size * np.array([0.42, 0.2, aside])
        tip = root + float(size[0]) * np.array([0.5, 0.32, 0.0])
        shapes.append(paint(build_spike(root, tip, 0.08 * float(size[2]), around=9), coat.claw))
    return join_shapes(shapes)


def build_shield(size: Floats, covers: float, coat: Coat, detail: Detail) -> Shape:
    share, half, high = spread_outline(SHIELD, detail.spans)
    x = size[0] * (0.52 - (covers + 0.04) * share)
    edge = -0.06 * size[1] * np.ones_like(x)
    rings = Rings(
        x, 0.5 * size[2] * half, edge, edge + 0.56 * size[1] * high, edge - 0.12 * size[1] * half
    )
    mesh, rise = build_hull(rings, around=detail.trunk, arch=2.1)
    colour = mix(coat.back, coat.rim, fade(rise, 0.16, 0.05) * (rise > -0.2))
    return Shape(mesh, mix(colour, coat.belly, fade(rise, -0.1, -0.3)))


def build_chest(size: Floats, coat: Coat, detail: Detail) -> Shape:
    at = np.array([-0.02 * size[0], -0.1 * size[1], 0.0])
    radii = size * np.array([0.52, 0.36, 0.43])
    return build_ball(at, radii, coat.belly, around=max(detail.trunk - 8, 8))


def build_elytra(site: Site, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """Wing cases from the shield to the end, over the soft abdomen."""
    size = site.size
    front = float(site.joint[0] + (1 - BACK) * site.thorax[0]) / float(size[0])
    cases = build_cases(size, front, -0.52, coat, detail, wide=float(site.thorax[2] / size[2]))
    below = build_ball(
        np.array([-0.01 * size[0], -0.08 * size[1], 0.0]),
        size * np.array([0.5, 0.36, 0.44]),
        coat.belly,
        around=max(detail.trunk - 8, 8),
    )
    return join_shapes([cases, below])


def build_cases(
    size: Floats, front: float, rear: float, coat: Coat, detail: Detail, wide: float = 1.0
) -> Shape:
    """A dome between two places along x, with the seam in its middle, lines, and the small plate
    between the wings."""
    share, half, high = spread_outline(CASES, detail.spans)
    x = size[0] * (front + (rear - front) * share)
    edge = -0.1 * size[1] * np.ones_like(x)
    half = 0.52 * size[2] * half * (wide + (1 - wide) * fade(share, 0.2, 0.7))
    rings = Rings(x, half, edge, edge + 0.62 * size[1] * high, edge - 0.06 * size[1] * high)
    around = 2 * detail.trunk
    mesh, rise = build_hull(rings, around=around, arch=2.1)
    along = np.concatenate([share[:1], share, share[-1:]]).repeat(around)
    reach = np.concatenate([half[:1], half, half[-1:]]).repeat(around)
    across = np.abs(mesh.points[:, 2]) / np.maximum(reach, 1e-9)
    upper = fade(rise, 0.1, 0.25)
    seam = np.exp(-((across * around / 5) ** 2)) * upper
    lines = min(STRIAE, around // 20)
    stria = (0.5 + 0.5 * np.cos(4 * lines * np.arcsin(np.clip(across, 0, 1)))) ** 3
    plate = fade(across + 2.0 * along, 0.2, 0.15) * upper
    colour = mix(coat.abdomen, coat.mark, 0.3 * fade(along, 0.3, 1.0))
    colour = mix(colour, 0.45 * coat.abdomen, 0.5 * stria * upper * fade(along, 0.98, 0.85))
    colour = mix(colour, 0.15 * coat.abdomen, 0.85 * seam)
    colour = mix(colour, coat.back, plate)
    colour = mix(colour, coat.rim, 0.8 * fade(rise, 0.14, 0.04) * (rise > -0.1))
    shift = np.zeros_like(mesh.points)
    shift[:, 1] = -size[1] * (0.035 * seam + 0.008 * stria * upper)
    return Shape(drape(mesh, around, shift), mix(colour, coat.belly, fade(rise, -0.1, -0.4)))
