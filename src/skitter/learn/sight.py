"""Pictures of a herd: the stage is built once, and a picture only moves what is on it."""

import os
import sys
from typing import Any

import numpy as np

from skitter.errors import UserError
from skitter.learn.herd import Herd
from skitter.look.creature import build_creatures
from skitter.look.habitat import find_habitat
from skitter.record.memory import MemoryRecording, Moment
from skitter.render.output import INSTALL
from skitter.render.plan import plan_scene
from skitter.world import World

MODES = ("human", "rgb_array")
SIZE = (320, 240)
NOBODY = (
    "render_mode 'human': there is no display to open a window on, so nothing is shown;"
    " 'rgb_array' needs none\n"
)


class Sight:
    """What one creature of a herd looks like, again and again."""

    def __init__(self, herd: Herd, size: tuple[int, int]) -> None:
        self.herd, self.size = herd, size
        self.stage: Any = None
        self.window: Any = None
        self.told = False

    def draw(self, k: int) -> np.ndarray:
        """A picture [row, column, 3] uint8 of a creature."""
        self.put(k)
        if self.stage is None:
            self.build()
        [shot] = plan_scene(self.recording, self.surfaces, np.zeros(1), self.size)
        return np.ascontiguousarray(self.stage.draw(shot))

    def put(self, k: int) -> None:
        """Bring one creature before the camera."""
        one = self.herd.show(k)
        values = {name: np.array(value) for name, value in one.read().items()}
        if self.stage is None:
            self.moments: list[Moment] = [(0.0, values)]
            world = World(self.herd.loaded, threads=1)
            statics = {static.name: static for static in one.list_statics()}
            self.recording = MemoryRecording(
                world.attributes(), one.list_channels(), statics, self.moments
            )
            world.close()
        self.moments[0] = (0.0, values)

    def build(self) -> None:
        """The stage, which is all but the shot."""
        try:
            from skitter.render.stage import Stage
        except ImportError as error:
            if not (error.name or "").startswith("vtk"):
                raise
            raise UserError(f"pictures need {error.name}: {INSTALL}") from error
        scene = self.recording.scene
        self.surfaces = build_creatures(self.recording)
        shots = plan_scene(self.recording, self.surfaces, np.zeros(1), self.size)
        terrain = scene.get("terrain") or []
        self.stage = Stage(self.surfaces, terrain, shots, self.size, habitat=find_habitat(scene))

    def show(self, image: np.ndarray) -> None:
        """Into a window, where there is a display; else one line says so."""
        if not has_display():
            if not self.told:
                sys.stderr.write(NOBODY)
                self.told = True
            return
        if self.window is None:
            self.window = ScreenWindow(self.size)
        self.window.show(image)

    def close(self) -> None:
        if self.stage is not None:
            self.stage.close()
            self.stage = None
        if self.window is not None:
            self.window.close()


def has_display() -> bool:
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY"))


class ScreenWindow:
    """A window on the screen that shows pictures."""

    def __init__(self, size: tuple[int, int]) -> None:
        from vtkmodules import vtkRenderingOpenGL2  # noqa: F401  what windows are drawn by
        from vtkmodules.vtkInteractionImage import vtkImageViewer

        self.viewer = vtkImageViewer()
        self.viewer.SetColorWindow(255)
        self.viewer.SetColorLevel(127.5)
        self.viewer.SetSize(*size)

    def show(self, image: np.ndarray) -> None:
        from vtkmodules.util.numpy_support import numpy_to_vtk
        from vtkmodules.vtkCommonDataModel import vtkImageData

        data = vtkImageData()
        data.SetDimensions(image.shape[1], image.shape[0], 1)
        pixels = numpy_to_vtk(np.ascontiguousarray(image[::-1]).reshape(-1, 3), deep=True)
        data.GetPointData().SetScalars(pixels)
        self.viewer.SetInputData(data)
        self.viewer.Render()

    def close(self) -> None:
        self.viewer.GetRenderWindow().Finalize()
