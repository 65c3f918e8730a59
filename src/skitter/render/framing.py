"""What a picture is built around: the size of what it shows, and a floor where there is none."""

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import Camera
from skitter.look.terrain import Floor, Solid
from skitter.look.water import Water

Floats = NDArray[np.floating]
PLANE_REACH = 14.0  # half edge of a floor, in sizes of what is shown; it has melted away before
TINT = np.array([1.0, 0.36, 0.16])  # light lost, over a length between these
CLOUDY, CLEAR = 0.12, 0.5  # lengths, in sizes of what is shown
TINT_DEPTHS = 1.0  # the length in between, in depths of the water


def view_radius(camera: Camera) -> float:
    """The size of what the camera shows, cm: the unit in which the studio is built."""
    return 0.9 * camera.distance * float(np.tan(camera.angle / 2)) * max(camera.aspect, 1.0)


def choose_floor(
    outlines: list[Floats], solids: list[Solid], camera: Camera, water: Water | None
) -> Floor:
    """The studio's own floor for a scene that has none: well below everything, or a water's bed.

    A heightfield is the bed itself, however deep: with one, no water is given.
    """
    if water is not None and water.has_waves:
        return Floor.level(water.level - water.depth)
    points = [*outlines, *(solid.mesh.points for solid in solids)]
    lowest = min(float(some[:, 1].min()) for some in points)
    return Floor.level(lowest - 0.25 * view_radius(camera))


def choose_grid_step(radius: float) -> float:
    """1, 2 or 5 times a power of ten, about a quarter of what is shown."""
    goal = radius / 4
    power = 10.0 ** np.floor(np.log10(goal))
    return float(max(step * power for step in (1, 2, 5) if step * power <= goal * 1.0001))


def water_length(depth: float, radius: float) -> float:
    """Over which light fades in water of a depth, cm: what is shown must not go under."""
    return float(np.clip(TINT_DEPTHS * depth, CLOUDY * radius, CLEAR * radius))
