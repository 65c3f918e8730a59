"""A window that nobody sees: asks the graphics system for a place to draw, and reads it back."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from vtkmodules import vtkRenderingOpenGL2
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkLogger, vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

from skitter.errors import SkitterError, UserError

Image = NDArray[np.uint8]  # [row, column, 3], the first row on top

NO_GRAPHICS = (
    "no OpenGL could be had, with or without a screen;"
    " on Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri"
)
SURFACELESS = 0x31DD  # EGL_PLATFORM_SURFACELESS_MESA
OSMESA_NAMES = ("libOSMesa.so", "libOSMesa.so.8", "libOSMesa.so.6")


class Window:
    """An off-screen window with one renderer."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        with quiet():
            self._window = _open_window()
            self._window.SetOffScreenRendering(1)
            self._window.SetMultiSamples(0)  # in software, edges are smoothed cheaper afterwards
            self._window.SetSize(*size)
            self.renderer = vtkRenderer()
            self.renderer.SetUseOIT(False)  # translucent triangles arrive sorted
            self._window.AddRenderer(self.renderer)

    @property
    def handle(self) -> vtkRenderWindow:
        """The window as the graphics system knows it."""
        return self._window

    def draw(self) -> Image:
        """Draws and reads back."""
        pixels = vtkUnsignedCharArray()
        with quiet():
            self._window.Render()
            self._window.GetPixelData(0, 0, self.size[0] - 1, self.size[1] - 1, 0, pixels, 0)
        return vtk_to_numpy(pixels).reshape(self.size[1], self.size[0], 3)[::-1]

    def close(self) -> None:
        """Gives the graphics memory back."""
        self._window.Finalize()


def _open_window() -> vtkRenderWindow:
    """The first kind that works; the renderer's own choice crashes where a library is missing."""
    if not sys.platform.startswith("linux"):
        return vtkRenderWindow()
    if _has_egl():
        return vtkRenderingOpenGL2.vtkEGLRenderWindow()
    if any(_load(name) for name in OSMESA_NAMES):
        return vtkRenderingOpenGL2.vtkOSOpenGLRenderWindow()
    if _has_screen():
        return vtkRenderWindow()
    raise UserError(NO_GRAPHICS)


def _load(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _has_egl() -> bool:
    """Whether EGL can be started, on a graphics card or in software."""
    egl = _load("libEGL.so.1")
    if egl is None:
        return False
    pointer = ctypes.c_void_p
    egl.eglGetDisplay.restype = egl.eglGetPlatformDisplay.restype = pointer
    egl.eglGetDisplay.argtypes = [pointer]
    egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, pointer, pointer]
    egl.eglInitialize.argtypes = [pointer, pointer, pointer]
    displays = (egl.eglGetPlatformDisplay(SURFACELESS, None, None), egl.eglGetDisplay(None))
    return any(display and egl.eglInitialize(display, None, None) for display in displays)


def _has_screen() -> bool:
    """Whether there is an X server that answers."""
    x11 = _load("libX11.so.6") if os.environ.get("DISPLAY") else None
    if x11 is None:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(None)
    if display:
        x11.XCloseDisplay(display)
    return bool(display)


@contextmanager
def quiet() -> Iterator[None]:
    """The renderer grumbles about displays and drivers; real failures are found by other means."""
    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(before)


def check_not_empty(image: Image) -> None:
    """A black or blank picture is a failure, however quietly it came about."""
    if float(image.std()) < 2.0:
        raise SkitterError(
            "the picture came out empty, so the graphics driver does not work;"
            " with LIBGL_ALWAYS_SOFTWARE=1 set, Mesa draws without it"
        )
