"""Parts that are drawn many times, and where their instances are."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh
from skitter.look.motion import Pose

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]


@dataclass(frozen=True)
class Places:
    """Where and how large the instances of a part are."""

    position: Floats  # [instance, 3] cm
    orientation: Floats  # [instance, 4] w, x, y, z
    scale: Floats  # [instance, 3]


@dataclass(frozen=True)
class Part:
    """A mesh that is drawn many times."""

    kind: str  # body, leg, antenna, sleeve, slice
    mesh: Mesh
    colours: Floats  # [point, 3] linear light
    owner: Indices  # [instance of a creature] the body, leg, antenna or block it belongs to


class Source(Protocol):
    """Some parts of a creature, and where a pose has them."""

    parts: list[Part]

    def place(self, pose: Pose) -> list[Places]: ...


def flatten_places(position: Floats, orientation: Floats, scale: Floats) -> Places:
    """One row for every instance."""
    return Places(position.reshape(-1, 3), orientation.reshape(-1, 4), scale.reshape(-1, 3))
