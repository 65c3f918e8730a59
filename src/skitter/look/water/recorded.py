"""The water of a recording, at any moment, and from where it is seen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import lift_view
from skitter.look.motion import channel_names
from skitter.look.scenery import find_frame
from skitter.look.water.sheet import Sheet, build_sheet, build_still, close_sheet, extend_sheet

Floats = NDArray[np.floating]
LEAST_RISE = 24.0  # degrees above the horizon from which water is seen
WIDER = 1.1  # how much farther the camera stands off, so that waves around a creature are seen
DEPTH = 8.0  # cm, of water whose scene does not say


def view_water(backward: Floats, scene: dict[str, Any]) -> tuple[Floats, float]:
    """From where a scene with water is seen, and by how much wider than its creatures.

    A view from low down shows a mirror and nothing below it; what waves do is seen from above, and
    around a creature. A wish to look up from below cannot be granted.
    """
    water = scene.get("water")
    if not water:
        return backward, 1.0
    return lift_view(backward, LEAST_RISE), WIDER if water.get("waves", True) else 1.0


class Water:
    """The water of a recording."""

    def __init__(self, recording: Any, spec: dict[str, Any]) -> None:
        self.level = float(spec.get("level") or 0.0)
        self.depth = float(spec.get("depth") or DEPTH)
        self.has_waves = "water_surface" in channel_names(recording)
        self.is_walled = self.has_waves and spec.get("edges", "walls") == "walls"
        self.time = np.asarray(recording.time, dtype=float)
        if self.has_waves:
            self._surface, self._origin = recording["water_surface"], recording["water_origin"]
            self._cell = float(recording.static("water_cell"))

    def grid_at(self, time: float) -> Sheet | None:
        """The recorded grid; None for water that only stands at its level."""
        if not self.has_waves:
            return None
        frame, share = find_share(self.time, time)
        height = np.asarray(self._surface[frame], dtype=float)
        origin = np.asarray(self._origin[frame], dtype=float)
        if share > 0:
            later = np.asarray(self._origin[frame + 1], dtype=float)
            coming = np.asarray(self._surface[frame + 1], dtype=float)
            if np.allclose(origin, later):
                height = mix_heights(height, coming, share)
            elif share >= 0.5:  # the grid has moved on with the creature that it follows
                height, origin = coming, later
        return build_sheet(height, origin, self._cell, self.level)

    def surround(self, sheet: Sheet | None, middle: Floats, reach: float) -> Sheet:
        """All of the top: out to the walls, or to a reach around a middle."""
        if sheet is None:
            return build_still(self.level, middle, reach)
        if self.is_walled:
            return close_sheet(sheet)
        return extend_sheet(sheet, self.level, middle, reach)


def open_water(recording: Any) -> Water | None:
    """The water of a recording, if its scene has any."""
    spec = (recording.attributes.get("scene") or {}).get("water")
    return None if not spec else Water(recording, spec)


def find_share(times: Floats, time: float) -> tuple[int, float]:
    """The frame at or before a time, and the share of the way to the next."""
    frame = find_frame(times, time)
    if frame + 1 >= len(times):
        return frame, 0.0
    share = (time - times[frame]) / (times[frame + 1] - times[frame])
    return frame, float(np.clip(share, 0.0, 1.0)) if share > 1e-6 else 0.0


def mix_heights(before: Floats, after: Floats, share: float) -> Floats:
    """Between two frames; where it falls dry or is flooded, as in the nearer one."""
    nearer = before if share < 0.5 else after
    mixed = (1 - share) * before + share * after
    return np.where(np.isfinite(mixed), mixed, nearer)
