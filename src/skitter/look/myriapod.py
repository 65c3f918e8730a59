"""What a myriapod wears: shells on its bodies, legs and antennae, each in the species' colours."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.carapace import build_eyes, build_head, build_plate, build_tail
from skitter.look.colour import EYE_COLOUR, RIGID_COLOUR, read_colour
from skitter.look.limb import LimbSurface, build_antennae, build_legs
from skitter.look.mesh import Mesh
from skitter.look.motion import Motion, Pose
from skitter.look.rigid import Piece

Floats = NDArray[np.floating]
SHELL_RINGS = 13  # about as many as a shell has
AROUND_RANGE = (14, 40)  # points of a shell's ring
RIM_SHADE, TIP_SHADE = 0.72, 0.62  # how much darker a plate's rim and a leg's tip are


def choose_around(body_count: int, triangle_limit: int) -> int:
    """Points around a shell, so that all shells together keep to a number of triangles."""
    return int(np.clip(triangle_limit / (2 * SHELL_RINGS * body_count), *AROUND_RANGE))


def build_shell_pieces(size: Floats, look: dict[str, Any], *, triangle_limit: int) -> list[Piece]:
    """Head, plates and tail: the first body, those between, and the last."""
    around = choose_around(len(size), triangle_limit)
    body_colour = read_colour(look.get("rigid") or RIGID_COLOUR)
    head_colour = read_colour(look.get("head") or look.get("rigid") or RIGID_COLOUR)
    plates = [build_plate(edges, around=around) for edges in size[1:-1]]
    pieces = [
        Piece(0, build_head(size[0], around=around), head_colour),
        Piece(0, build_eyes(size[0]), read_colour(EYE_COLOUR)),
    ]
    pieces += [
        Piece(body, plate, shade_rim(plate, body_colour))
        for body, plate in enumerate(plates, start=1)
    ]
    if len(size) > 1:
        last = build_tail(size[-1], around=around)
        pieces.append(Piece(len(size) - 1, last, body_colour))
    return pieces


def shade_rim(plate: Mesh, colour: Floats) -> Floats:
    """The colour of a plate, deeper towards its back rim, so that plates can be told apart."""
    x = plate.points[:, 0]
    back = np.clip((0.25 * x.max() - x) / (1.25 * np.ptp(x) / 2), 0, 1) ** 2
    return colour * (1 - (1 - RIM_SHADE) * back)[:, None]


class Limb:
    """Legs or antennae of a creature: where a pose has them, and their colours."""

    def __init__(self, key: str, surface: LimbSurface, colours: Floats) -> None:
        self._key = key
        self._surface = surface
        self.colours = colours  # [point, 3] linear light

    def at(self, pose: Pose) -> Mesh:
        return self._surface.at(getattr(pose, self._key))

    def outline(self, pose: Pose) -> Floats:
        """The joints."""
        joints: Floats = getattr(pose, self._key)
        return joints.reshape(-1, 3)


def build_limbs(recording: Any, motion: Motion, *, triangle_limit: int) -> list[Limb]:
    """The legs and antennae that a creature has."""
    limbs = []
    if motion.has_legs:
        limbs.append(_dress_legs(recording, motion, triangle_limit))
    if motion.has_antennae:
        limbs.append(_dress_antennae(recording, motion, triangle_limit))
    return limbs


def _dress_legs(recording: Any, motion: Motion, triangle_limit: int) -> Limb:
    radius = np.asarray(recording.static(f"{motion.name}.leg_radius"), dtype=float)
    surface = build_legs(radius, triangle_limit=triangle_limit)
    colour = read_colour(motion.look.get("leg") or motion.look.get("rigid") or RIGID_COLOUR)
    shade = surface.spread(np.tile([1.0, 1.0, 0.85, TIP_SHADE], (len(radius), 1)))
    return Limb("leg_point", surface, colour * shade[:, None])


def _dress_antennae(recording: Any, motion: Motion, triangle_limit: int) -> Limb:
    radius = float(recording.static(f"{motion.name}.antenna_radius"))
    joints = motion.pose(float(motion.time[0])).antenna_point
    surface = build_antennae(
        len(joints), joints.shape[1], radius, triangle_limit=triangle_limit // 8
    )
    colour = read_colour(motion.look.get("antenna") or motion.look.get("leg") or RIGID_COLOUR)
    return Limb("antenna_point", surface, np.tile(colour, (surface.point_count, 1)))
