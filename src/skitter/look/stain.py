"""Pheromone as a stain on the ground: a sheet that is the more opaque, the more there is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.mesh import grid_triangles
from skitter.look.motion import channel_names
from skitter.look.scenery import find_frame
from skitter.look.terrain import open_ground

Floats = NDArray[np.floating]
COLOUR = "#5b2a86"
MOST = 0.8  # opacity of the strongest trail
FULL = 0.35  # of the strongest: what is nearly as opaque
RAISED = 0.02  # cm above the ground
LOOKED_AT = 24  # frames, for the strongest


@dataclass(frozen=True)
class Stain:
    """All pheromone of a recording."""

    points: Floats  # [x z, 3] cm
    triangles: NDArray[np.integer]
    time: Floats  # [frame] s
    amount: Any  # [frame, x, z] per cm²
    strongest: float  # per cm²

    def colours_at(self, time: float) -> Floats:
        """Colour, in linear light, and opacity of every point [x z, 4]."""
        amount = np.asarray(self.amount[find_frame(self.time, time)], float).ravel()
        colours = np.empty((len(amount), 4))
        colours[:, :3] = read_colour(COLOUR)
        colours[:, 3] = MOST * (1 - np.exp(-amount / max(FULL * self.strongest, 1e-12)))
        return colours


def open_stain(recording: Any) -> Stain | None:
    """The pheromone of a recording, if there is any."""
    if "trail" not in channel_names(recording):
        return None
    amount, time = recording["trail"], np.asarray(recording.time, float)
    frames = np.unique(np.linspace(0, len(time) - 1, LOOKED_AT).astype(int))
    strongest = max(float(np.max(amount[int(frame)])) for frame in frames)
    rows, columns = np.shape(amount[0])
    corner, cell = np.asarray(recording.static("trail_corner")), recording.static("trail_cell")
    x, z = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    x, z = corner[0] + float(cell) * x.ravel(), corner[1] + float(cell) * z.ravel()
    terrain = open_ground(recording.attributes["scene"])
    height = terrain.height(x, z) if len(terrain.arrays.kind) else np.zeros_like(x)
    points = np.stack([x, height + RAISED, z], axis=1)
    return Stain(points, grid_triangles(rows, columns)[:, ::-1], time, amount, strongest)
