"""The track that a body leaves on agar: a shallow groove where its tail has been.

Its walls lean to either side, so one is brighter than the floor and the other darker. That is laid
over the floor as white and black that let most of it through. A tail that sweeps sideways wipes the
floor, and leaves nothing.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import grid_triangles, unit_rows
from skitter.look.motion import Motion
from skitter.look.terrain import Floor
from skitter.render import shaders
from skitter.render.studio_glsl import STUDIO
from skitter.render.surface import Surface

Floats = NDArray[np.floating]
ACROSS = np.linspace(-1, 1, 9)  # places across a groove
WIDTH = 0.62  # half of it, of the body's radius
STRENGTH = 0.5  # opacity of a wall that leans straight to the light
MOST = 600  # places along it
ALONG = (0.75, 0.95)  # cosines between a tail and its way, between which it begins to leave a track
GROWN = 0.5  # of the body's length: over so much of the way it begins and ends


class Trail:
    """The track of one creature on a floor."""

    def __init__(self, motion: Motion, floor: Floor) -> None:
        self._motion, self._floor = motion, floor
        self._radius = float(motion.static("body_radius"))
        self._length = float(motion.static("body_length"))
        self.surface = Surface(STUDIO, shaders.TRAIL, translucent=True)
        self.surface.actor.SetVisibility(False)

    def enter(self, time: float, toward: Floats) -> None:
        """Shows what has been left by a time; `toward` is the way to the key light."""
        path = thin_path(self._motion.tail_path(time), 0.25 * self._radius)
        self.surface.actor.SetVisibility(len(path) > 2)
        if len(path) > 2:
            points, colours = cut_groove(
                path, toward, self._floor, radius=self._radius, length=self._length
            )
            self.surface.set_points(points.reshape(-1, 3))
            self.surface.set_colours(colours.reshape(-1, 4))
            self.surface.set_triangles(grid_triangles(len(path), len(ACROSS)))


def thin_path(path: Floats, step: float) -> Floats:
    """Some places of a tail's path [place, 2, 3], a step apart or more, and not too many."""
    kept = [0]
    for k in range(1, len(path)):
        if np.linalg.norm(path[k, -1] - path[kept[-1], -1]) > step:
            kept.append(k)
    return path[kept][:: 1 + len(kept) // MOST]


def cut_groove(
    path: Floats, toward: Floats, floor: Floor, *, radius: float, length: float
) -> tuple[Floats, Floats]:
    """Points [place, across, 3], and colours with opacities [place, across, 4].

    Of a tail's path [place, 2, 3], with the radius and the length of its body, cm.
    """
    normal, ends = floor.normal, path[:, -1]
    foot = ends - ((ends - floor.point) @ normal)[:, None] * normal
    ahead = unit_rows(np.gradient(foot, axis=0))
    side = unit_rows(np.cross(ahead, normal))
    straight = np.abs(np.einsum("pi,pi->p", ahead, unit_rows(path[:, 0] - ends)))
    points = foot[:, None] + WIDTH * radius * ACROSS[:, None] * side[:, None]
    lean = -4 * ACROSS * (1 - ACROSS**2) / 1.54  # of the walls, from -1 to 1
    shade = (side @ toward)[:, None] * lean
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(foot, axis=0), axis=1))])
    grown = np.clip(np.minimum(way, way[-1] - way) / (GROWN * length), 0, 1)
    grown *= np.clip((straight - ALONG[0]) / (ALONG[1] - ALONG[0]), 0, 1)
    colours = np.zeros((*shade.shape, 4))
    colours[..., :3] = (shade > 0)[..., None]
    colours[..., 3] = STRENGTH * np.abs(shade) * grown[:, None]
    return points, colours
