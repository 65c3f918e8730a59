"""The stain that pheromone makes on the ground, on the stage."""

from skitter.look.stain import Stain
from skitter.render import shaders
from skitter.render.studio_glsl import STUDIO
from skitter.render.surface import Surface


class Sheet:
    """A sheet on the ground, through which most of it is seen."""

    def __init__(self, stain: Stain) -> None:
        self._stain = stain
        self.surface = Surface(STUDIO, shaders.TRAIL, translucent=True)
        self.surface.set_points(stain.points)
        self.surface.set_triangles(stain.triangles)

    def enter(self, time: float) -> None:
        """Shows what lies there at a time."""
        self.surface.set_colours(self._stain.colours_at(time))
