"""The lighting rig: a floor that shadows are counted from, the lights above it, and light maps.

In most scenes the rig stands still. For a camera that turns with a creature around a solid it
turns too, or the creature would spend half its walk in the dark: the rig's floor is then only a
plane below the solid, as the picture sees it, and is not shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import Camera
from skitter.look.mesh import Mesh
from skitter.look.terrain import UP, Floor
from skitter.render.lights import (
    LightMaps,
    Lights,
    Occluder,
    draw_light_maps,
    frame_floor,
    measure_extent,
    place_lights,
)

Floats = NDArray[np.floating]
SPARE = 0.02  # of the solids' size: how far below them a turning floor lies


@dataclass(frozen=True)
class Rig:
    """Where light comes from, and where shadows are counted from."""

    floor: Floor
    lights: Lights

    @property
    def lean(self) -> float:
        """Cosine between the key light and the floor's normal."""
        return float(self.lights.key @ self.floor.normal)

    def measure(self, outlines: list[Floats]) -> float:
        """How large a light map must be for each of some outlines, cm."""
        return measure_extent(self.floor, self.lights.key, outlines)

    def draw_near(
        self,
        occluders: list[Occluder],
        land: Sequence[Mesh],
        centre: Floats,
        *,
        extent: float,
        texels: int,
    ) -> LightMaps:
        """The shadows around some points."""
        frame = frame_floor(self.floor, self.lights.key, extent, texels).centred(centre)
        return draw_light_maps(frame, occluders, land)

    def draw_land(self, land: Sequence[Mesh], texels: int) -> LightMaps:
        """The shadows of the terrain."""
        points = np.concatenate([mesh.points for mesh in land])
        occluders = [Occluder(mesh) for mesh in land]
        return self.draw_near(occluders, (), points, extent=self.measure([points]), texels=texels)


def set_up_rig(camera: Camera, floor: Floor) -> Rig:
    """The rig of a camera over a floor."""
    return Rig(floor, place_lights(camera, floor))


def turn_rig(camera: Camera, land: Sequence[Mesh]) -> Rig:
    """The rig of a camera that sees the terrain from any side, below all of which its floor is."""
    heights = np.concatenate([mesh.points @ camera.up for mesh in land])
    lowest = float(heights.min() - SPARE * np.ptp(heights))
    return set_up_rig(camera, Floor(lowest * camera.up, camera.up, Floor.level(0.0).colour))


def is_turned(camera: Camera) -> bool:
    """Whether the picture's upward direction is not the world's."""
    return not np.allclose(camera.up, UP, atol=1e-6)
