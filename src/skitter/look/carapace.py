"""The shells of a myriapod: head, back plates and tail, made to the measure of their boxes.

A shell is a row of rings from its front (+x) to its back. A ring is a superellipse, arched above
and flatter below; a profile says where each ring lies, how large it is and what it belongs to. All
plates of a creature are one mesh, stretched to their boxes. Physics knows boxes only; a shell keeps
to its box within a tenth, but for the rim that a plate may reach back over the skin behind it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.families import BODY, FAMILIES, Family
from skitter.look.mesh import Mesh, build_rings
from skitter.look.pattern import PLAIN, Pattern

Floats = NDArray[np.floating]
MERGE = 0.6  # columns nearer to one of the pattern, in usual distances, give way to it


@dataclass(frozen=True)
class Shell:
    """A mesh in a box, and where on it every point lies."""

    mesh: Mesh
    across: Floats  # [point] -1 at the left edge to 1 at the right
    rise: Floats  # [point] -1 below to 1 above
    zone: Floats  # [point]


def build_shell(size: Floats, profile: Floats, *, around: int) -> Mesh:
    """Plain rings of a profile [ring, 2], place and size, in a box of edges `size`."""
    rest = np.zeros((len(profile), 2))
    rows = np.concatenate([profile, rest], axis=1)
    return form_shell(FAMILIES["shield"], rows, size, PLAIN, around=around).mesh


def form_shell(
    family: Family,
    profile: Floats,
    size: Floats,
    pattern: Pattern,
    *,
    around: int,
    overlap: float = 0.0,
    nod: float = 0.0,
) -> Shell:
    """Rings of a profile in a box of edges `size`, bent down in front by `nod` of its height."""
    angle = place_columns(family, pattern.columns, around)
    across, rise = trace_section(family, angle)
    place, share, reach, zone = profile.T
    below = np.clip((rise - family.skirt) / 0.35, 0, 1)
    x = (0.5 - place)[:, None] - overlap * reach[:, None] * below
    sunk = 1 - pattern.depth(across, rise) * (zone == BODY)[:, None]
    width = 1 - family.pinch * np.clip(-rise / 0.12, 0, 1)
    ring = family.fullness * share[:, None] * sunk / 2
    y = ring * rise - nod * np.clip(2 * x, 0, 1) ** 2
    points = np.stack([x, y, ring * (across * width)], axis=2)
    mesh = build_rings(points * np.asarray(size, dtype=float))
    rings = len(profile)
    return Shell(mesh, np.tile(across, rings), np.tile(rise, rings), np.repeat(zone, len(angle)))


def place_columns(family: Family, wanted: Floats, around: int) -> Floats:
    """Angles of a ring's points: even ones, and those on the back that a pattern needs."""
    extra = np.arccos(np.sign(wanted) * np.abs(wanted) ** (family.arch / 2))
    count = max(around - len(extra), 10)
    even = 2 * np.pi * (np.arange(count) + 0.5) / count
    if len(extra):
        near = np.abs(even[:, None] - extra).min(axis=1)
        even = even[near > MERGE * 2 * np.pi / count]
    return np.sort(np.concatenate([even, extra]))


def trace_section(family: Family, angle: Floats) -> tuple[Floats, Floats]:
    """Width and height of a ring, each from -1 to 1."""
    sine, cosine = np.sin(angle), np.cos(angle)
    power = 2 / np.where(sine > 0, family.arch, family.belly)
    return np.sign(cosine) * np.abs(cosine) ** power, np.sign(sine) * np.abs(sine) ** power


def find_on_head(family: Family, place: Floats, angle: Floats) -> Floats:
    """Points [point, 3] of a head's surface, in edges of its box; angle 0 is to the right."""
    across, rise = trace_section(family, angle)
    ring = family.fullness * np.interp(place, family.head[:, 0], family.head[:, 1]) / 2
    x = 0.5 - place
    return np.stack(
        [x, ring * rise - family.nod * np.clip(2 * x, 0, 1) ** 2, ring * across], axis=1
    )
