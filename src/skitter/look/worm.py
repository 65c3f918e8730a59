"""A worm as it is shown: a smooth glassy skin, and organs or muscles inside it.

The simulated surface has a dozen nodes around, so the skin is subdivided until it is round, and led
through the nodes, so that it stays as thick as it was. What lies inside follows the tets.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skitter.look.colour import read_colour
from skitter.look.embed import embed
from skitter.look.motion import Motion
from skitter.look.muscles import Muscles, build_spindles
from skitter.look.organs import Core, Organ, build_eggs, build_gut, build_pharynx, measure_core
from skitter.look.read import read_look
from skitter.look.soft import SoftSurface, Tuck
from skitter.species.look import WormLook

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
FINE_LIMIT = 60_000  # triangles of a skin, above which what is inside is drawn finely too
SPARE = 1.1  # by which a skin may have more triangles than its limit: the usual one just does
HEAD_DOME, TAIL_CONE = 1.0, 4.5  # heights of the ends beyond a flat cut, of its radius
LEVEL = 1e-4  # of the length: nodes so near to an end are in its cut
CLEAR = 0.7  # of a cuticle's opacity, over muscles
NO_TUCK = Tuck(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3)))


@dataclass(frozen=True)
class Detail:
    """How many rings organs have, and points around each."""

    pharynx: tuple[int, int]
    gut: tuple[int, int]
    egg: int
    spindle: tuple[int, int]


FINE = Detail((120, 28), (420, 30), 18, (15, 12))
COARSE = Detail((48, 14), (150, 14), 8, (8, 8))


@dataclass(frozen=True)
class WormSurface:
    """All of a worm."""

    skin: SoftSurface
    organs: list[Organ]
    colour: Floats  # [3] linear light, of the skin
    opacity: float


def build_worm(motion: Motion, *, triangle_limit: int) -> WormSurface:
    """The surfaces of a worm, from what it has recorded of its body at rest."""
    look = read_look(WormLook, motion.look)
    rest, tets = motion.rest.node_position, read_indices(motion, "tets")
    surface = read_indices(motion, "soft_triangles")
    skin = SoftSurface(
        rest,
        surface,
        np.zeros(len(rest), int),
        NO_TUCK,
        triangle_limit=int(SPARE * triangle_limit),
        blocky=False,
        through=round_ends(rest, tets, surface),
    )
    core = measure_core(rest, tets, surface)
    detail = FINE if triangle_limit > FINE_LIMIT else COARSE
    show = show_muscles if look.muscles else show_organs
    opacity = look.soft_opacity * (CLEAR if look.muscles else 1.0)
    return WormSurface(skin, show(motion, look, core, detail), read_colour(look.soft), opacity)


def round_ends(rest: Floats, tets: Ints, surface: Ints) -> sparse.csr_matrix:
    """Where a skin takes its nodes from [node, node]: those of flat ends are raised to domes.

    A body of slices ends flat, as if it were cut; the head is round and the tail runs to a point.
    """
    raised, outer = rest.copy(), np.unique(surface)
    ends = ((rest[:, 0].max(), HEAD_DOME, 2.0), (rest[:, 0].min(), -TAIL_CONE, 1.0))
    flat = np.zeros(len(rest), bool)
    for end, height, power in ends:
        own = outer[np.abs(rest[outer, 0] - end) < LEVEL * np.ptp(rest[:, 0])]
        off = rest[own, 1:] - rest[own, 1:].mean(axis=0)
        wide = np.linalg.norm(off, axis=1)
        share = np.clip(wide / max(wide.max(), 1e-30), 0, 1)
        rise = (1 - share**power) ** (1 / power)
        raised[own, 0] += height * wide.max() * rise
        flat[own] = True
    keep = sparse.diags((~flat).astype(float))
    some = sparse.identity(len(rest), format="csc")[:, flat]
    return sparse.csr_matrix(keep + some @ embed(raised[flat], rest, tets))


def show_organs(motion: Motion, look: WormLook, core: Core, detail: Detail) -> list[Organ]:
    """Pharynx, gut and eggs."""
    if not look.organs:
        return []
    (pharynx, around), (gut, about) = detail.pharynx, detail.gut
    return [
        build_pharynx(core, read_colour(look.pharynx), along=pharynx, around=around),
        build_gut(core, read_colour(look.gut), along=gut, around=about),
        build_eggs(core, read_colour(look.gonad), around=detail.egg),
    ]


def show_muscles(motion: Motion, look: WormLook, core: Core, detail: Detail) -> list[Organ]:
    """The muscles of the body's wall."""
    regions = (read_indices(motion, key) for key in ("tet_region", "muscle_region"))
    along, around = detail.spindle
    spindles = build_spindles(core, *regions, along=along, around=around)
    return [Muscles(core, spindles, read_colour(look.relaxed), read_colour(look.contracted))]


def read_indices(motion: Motion, key: str) -> Ints:
    """Whole numbers that a creature has recorded."""
    return np.asarray(motion.static(key), np.int64)
