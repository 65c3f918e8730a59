"""What the head of a swimmer carries: eyes, a mouth and a pair of fins, without which it is a worm.

Places are counted from the front of the first part, which is stiff, so that none of this bends.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.mesh import Mesh, build_sphere, build_tube
from skitter.look.rigid import Piece
from skitter.look.swimmer import Outline, SwimmerSkin
from skitter.rotation import matrix_from_turn

Floats = NDArray[np.floating]
EYE_PLACE, EYE_RISE, EYE_SIZE = 0.42, 0.62, 0.13  # of the head's length, radians, of its height
MOUTH_SPAN, MOUTH_RISE = (0.02, 0.5), (-0.22, -0.38)  # of the head's length, radians
MOUTH_SIZE, MOUTH_SHADE = 0.022, 0.3  # of the head's height, of the back's colour
FIN_PLACE, FIN_RISE = 0.86, -0.2  # of the head's length, radians
FIN_SIZE, FIN_TURN = (0.36, 0.17, 0.022), (-28.0, 30.0, 0.0)  # of the head's height, degrees


def build_face(skin: SwimmerSkin, eye: str) -> list[Piece]:
    """The pieces of both sides."""
    hide = skin.hide
    right = [
        (build_eye(skin), read_colour(eye)),
        (build_mouth(skin), MOUTH_SHADE * hide.back),
        (build_fin(skin), hide.fin),
    ]
    return [Piece(0, side, colour) for mesh, colour in right for side in (mesh, mesh.mirrored())]


def find_on_skin(skin: SwimmerSkin, share: Floats, rise: Floats) -> Floats:
    """Points [point, 3] of the right side of the head, as its box has them, cm."""
    size, nose = skin.spine.size[0], skin.spine.nose
    place = share * (float(size[0]) + nose) - nose
    shapes = [Outline(skin.spine, place[k : k + 1], rise[k : k + 1]) for k in range(len(place))]
    up, side = (
        np.array([getattr(one, axis)[0, 0] for one in shapes]) * size[k] / 2
        for k, axis in ((1, "up"), (2, "side"))
    )
    return np.stack([size[0] / 2 - place, up, side], axis=1)


def build_eye(skin: SwimmerSkin) -> Mesh:
    """A ball that looks out of the side of the head."""
    radius = EYE_SIZE * float(skin.spine.size[0, 1])
    ball = build_sphere(1.0, around=20, steps=7).scaled(radius * np.array([1.15, 1.0, 1.0]))
    place = find_on_skin(skin, np.array([EYE_PLACE]), np.array([EYE_RISE]))[0]
    return ball.moved(place - [0.0, 0.35 * radius, 0.35 * radius], np.eye(3))


def build_mouth(skin: SwimmerSkin) -> Mesh:
    """A line from the snout back below the eye, dropping at its corner."""
    share = np.linspace(0, 1, 14)
    line = find_on_skin(
        skin,
        MOUTH_SPAN[0] + np.ptp(MOUTH_SPAN) * share,
        MOUTH_RISE[0] + (MOUTH_RISE[1] - MOUTH_RISE[0]) * share**3,
    )
    thick = MOUTH_SIZE * float(skin.spine.size[0, 1]) * np.sqrt(1 - 0.9 * share)
    return build_tube(line, thick, around=6)


def build_fin(skin: SwimmerSkin) -> Mesh:
    """A leaf behind the head that stands off and points back."""
    size = np.array(FIN_SIZE) * float(skin.spine.size[0, 1])
    leaf = build_sphere(1.0, around=18, steps=7).scaled(size)
    turn = matrix_from_turn(FIN_TURN)
    root = find_on_skin(skin, np.array([FIN_PLACE]), np.array([FIN_RISE]))[0]
    return leaf.moved(root - 0.75 * size[0] * turn[:, 0], turn)
