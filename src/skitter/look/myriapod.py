"""What a myriapod wears: shells on its bodies, legs and antennae, as the species' look says."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.carapace import Shell, form_shell
from skitter.look.colour import read_colour
from skitter.look.families import FAMILIES, Family
from skitter.look.limb import LimbSurface, build_antennae, build_legs
from skitter.look.link import LinkPaint
from skitter.look.mesh import Mesh
from skitter.look.motion import Motion, Pose
from skitter.look.outgrowth import (
    CERCUS_TIP,
    JAW_TIP,
    build_bristles,
    build_cerci,
    build_eyes,
    build_jaws,
    build_lenses,
    build_visor,
)
from skitter.look.pattern import Pattern, read_pattern
from skitter.look.read import read_look
from skitter.look.rigid import Piece
from skitter.species.look import MyriapodLook

Floats = NDArray[np.floating]
AROUND_RANGE = (16, 30)  # points of a shell's ring
PLATE_TRIANGLES = 720  # at most
CLAW_SHADE = 0.22  # a claw that has no colour of its own is so much darker than its limb
VISOR_COLOUR = "#14181d"


def read_shells(look: dict[str, Any]) -> MyriapodLook:
    """What a myriapod wears; a head without a colour has that of the plates."""
    head = look.get("head") or look.get("rigid")
    return read_look(MyriapodLook, look | {"head": head})


def choose_around(rings: int, body_count: int, triangle_limit: int) -> int:
    """Points around a shell, so that all shells together keep to a number of triangles."""
    limit = min(triangle_limit / body_count, PLATE_TRIANGLES)
    return int(np.clip(limit / (2 * (rings - 1)), *AROUND_RANGE))


def build_shell_pieces(size: Floats, look: dict[str, Any], *, triangle_limit: int) -> list[Piece]:
    """Head, plates and tail: the first body, those between, and the last."""
    wanted = read_shells(look)
    family = FAMILIES[wanted.shape]
    around = choose_around(len(family.plate), len(size), triangle_limit)
    reach = wanted.overlap * float(size[1, 0] / size[0, 0]) if len(size) > 1 else 0.0
    pieces = _dress_head(family, size[0], reach, wanted, around)
    if len(size) > 2:
        pieces += _dress_plates(family, size[1:-1], wanted, around)
    if len(size) > 1:
        pieces += _dress_tail(family, size[-1], len(size) - 1, wanted, around)
    return pieces


def _paint(body: int, shell: Shell, pattern: Pattern) -> Piece:
    return Piece(body, shell.mesh, pattern.paint(shell.across, shell.rise, shell.zone))


def _dress_head(
    family: Family, size: Floats, overlap: float, look: MyriapodLook, around: int
) -> list[Piece]:
    """The head with eyes and jaws; by `overlap` of its length its rim reaches over the neck."""
    pattern = read_pattern(look, look.head)
    shell = form_shell(
        family, family.head, size, pattern, around=around, overlap=overlap, nod=family.nod
    )
    pieces = [_paint(0, shell, pattern)]
    if look.eyes and look.shape == "machine":
        pieces.append(Piece(0, build_visor(size), read_colour(VISOR_COLOUR)))
        lenses = build_lenses(size, look.eyes, look.eye_size)
        pieces.append(Piece(0, lenses, read_colour(look.eye)))
    elif look.eyes:
        eyes = build_eyes(family, size, look.eyes, look.eye_size)
        pieces.append(Piece(0, eyes, read_colour(look.eye)))
    if look.jaws != "none":
        jaws, along = build_jaws(size, look.jaws)
        pieces.append(Piece(0, jaws, _blend(along - JAW_TIP, look.jaw or look.head, look.claw)))
    if look.bristles:
        pieces.append(_dress_bristles(0, build_bristles(size, look.bristles), look))
    return pieces


def _blend(beyond: Floats, base: str, tip: str | None) -> Floats:
    """Colours of something pointed: its own, and a claw's as far as a point lies `beyond`."""
    colour = read_colour(base)
    end = CLAW_SHADE * colour if tip is None else read_colour(tip)
    share = np.clip(beyond / 0.08, 0, 1)[:, None]
    return (1 - share) * colour + share * end


def _dress_plates(family: Family, size: Floats, look: MyriapodLook, around: int) -> list[Piece]:
    """One mesh for all plates, made for their mean size and stretched to each."""
    mean = size.mean(axis=0)
    patterns = [read_pattern(look, base) for base in (look.rigid, look.alternate or look.rigid)]
    shells = [
        form_shell(family, family.plate, mean, one, around=around, overlap=look.overlap)
        for one in patterns
    ]
    colours = [_paint(0, *both).colour for both in zip(shells, patterns, strict=True)]
    bristles = build_bristles(mean, look.bristles) if look.bristles else None
    pieces = []
    for body, edges in enumerate(size, start=1):
        plate = shells[body % 2].mesh.scaled(edges / mean)
        pieces.append(Piece(body, plate, colours[body % 2]))
        if bristles is not None:
            pieces.append(_dress_bristles(body, bristles.scaled(edges / mean), look))
    return pieces


def _dress_bristles(body: int, mesh: Mesh, look: MyriapodLook) -> Piece:
    return Piece(body, mesh, read_colour(look.bristle or look.leg))


def _dress_tail(
    family: Family, size: Floats, body: int, look: MyriapodLook, around: int
) -> list[Piece]:
    pattern = read_pattern(look, look.rigid)
    shell = form_shell(family, family.tail, size, pattern, around=around)
    pieces = [_paint(body, shell, pattern)]
    if look.cerci:
        cerci, along = build_cerci(size, look.cerci)
        colour = _blend(along - CERCUS_TIP, look.cercus or look.leg, look.claw)
        pieces.append(Piece(body, cerci, colour))
    if look.bristles:
        pieces.append(_dress_bristles(body, build_bristles(size, look.bristles), look))
    return pieces


class Limb:
    """Legs or antennae of a creature: where a pose has them, and their colours."""

    def __init__(self, key: str, surface: LimbSurface) -> None:
        self.key = key  # of the joints in a pose
        self.surface = surface

    @property
    def colours(self) -> Floats:
        """[point, 3] linear light."""
        return self.surface.colours

    def at(self, pose: Pose) -> Mesh:
        return self.surface.at(getattr(pose, self.key))

    def outline(self, pose: Pose) -> Floats:
        """The joints."""
        joints: Floats = getattr(pose, self.key)
        return joints.reshape(-1, 3)


def build_limbs(recording: Any, motion: Motion, *, triangle_limit: int) -> list[Limb]:
    """The legs and antennae that a creature has."""
    limbs, look = [], read_shells(motion.look)
    if motion.has_legs:
        limbs.append(_dress_legs(recording, motion, look, triangle_limit))
    if motion.has_antennae:
        limbs.append(_dress_antennae(recording, motion, look, triangle_limit))
    return limbs


def _dress_legs(recording: Any, motion: Motion, look: MyriapodLook, triangle_limit: int) -> Limb:
    radius = np.asarray(recording.static(f"{motion.name}.leg_radius"), dtype=float)
    joints = motion.rest.leg_point
    shaft = read_colour(look.leg)
    paint = LinkPaint(
        shaft,
        shaft if look.knuckle is None else read_colour(look.knuckle),
        CLAW_SHADE * shaft if look.claw is None else read_colour(look.claw),
        None if look.band is None else read_colour(look.band),
        look.bands,
    )
    surface = build_legs(
        radius,
        measure_links(joints),
        paint,
        triangle_limit=triangle_limit,
        machine=look.shape == "machine",
    )
    return Limb("leg_point", surface)


def _dress_antennae(
    recording: Any, motion: Motion, look: MyriapodLook, triangle_limit: int
) -> Limb:
    radius = float(recording.static(f"{motion.name}.antenna_radius"))
    joints = motion.rest.antenna_point
    colour = read_colour(look.antenna)
    surface = build_antennae(
        len(joints),
        measure_links(joints),
        radius,
        LinkPaint(colour, colour, colour),
        triangle_limit=triangle_limit // 4,
        articles=look.articles,
    )
    return Limb("antenna_point", surface)


def measure_links(joints: Floats) -> Floats:
    """Mean length of each link [link] of limbs with joints [limb, joint, 3], cm."""
    return np.asarray(np.linalg.norm(np.diff(joints, axis=1), axis=2).mean(axis=0))
