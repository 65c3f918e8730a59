"""What a scene looks like by the kind of creatures that live in it, where it does not say itself.

A row for each kind that is not seen as animals of some centimetres are, on the floor of a studio.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import view_direction
from skitter.look.colour import GROUND_COLOUR, TERRAIN_COLOUR

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Habitat:
    """A place, and from where it is seen."""

    azimuth_deg: float = 35.0
    elevation_deg: float = 18.0
    ground: str = GROUND_COLOUR
    terrain: str = TERRAIN_COLOUR  # what else the ground is made of
    is_agar: bool = False  # smooth, wet and clear; else with lines, or grained


USUAL = Habitat()
HABITATS = {
    # on a plate, seen through a dissecting microscope
    "worm": Habitat(
        azimuth_deg=20.0, elevation_deg=56.0, ground="#cec6b4", terrain="#c4bba6", is_agar=True
    ),
}


def find_habitat(scene: dict[str, Any]) -> Habitat:
    """That of the creatures of a scene, if all are of one kind that has one."""
    kinds = {one.get("kind") for one in scene.get("species") or []}
    return HABITATS.get(kinds.pop(), USUAL) if len(kinds) == 1 else USUAL


def choose_angles(scene: dict[str, Any]) -> tuple[float, float]:
    """Azimuth and elevation that a scene is seen from, degrees."""
    wish, habitat = scene.get("camera") or {}, find_habitat(scene)
    given = (wish.get("azimuth_deg"), wish.get("elevation_deg"))
    usual = (habitat.azimuth_deg, habitat.elevation_deg)
    azimuth, elevation = (u if g is None else float(g) for g, u in zip(given, usual, strict=True))
    return azimuth, elevation


def choose_direction(scene: dict[str, Any]) -> Floats:
    """The same as a direction from what is seen to the eye [3]."""
    return view_direction(*choose_angles(scene))
