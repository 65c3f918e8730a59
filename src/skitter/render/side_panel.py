"""A gait panel beside a picture or a film: what the legs did in the last moments."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.look.gait import open_histories

Image = NDArray[np.uint8]  # [row, column, 3]
Size = tuple[int, int]
WIDTH_SHARE = 0.3  # of the whole picture


class SidePanel:
    """The strip at the right of every image."""

    def __init__(
        self, recording: Any, size: Size, *, seconds: float | None, creature: str | None
    ) -> None:
        self._histories = open_histories(recording, creature)
        self._seconds = 1.0 if seconds is None else seconds
        if not self._seconds > 0:
            raise UserError(f"seconds {seconds:g}: must be above 0")
        width = 2 * round(WIDTH_SHARE * size[0] / 2)
        self._size = (width, size[1])
        self.scene_size = (size[0] - width, size[1])

    def beside(self, image: Image, time: float) -> Image:
        """An image of the scene at a time, with the panel at its right."""
        from skitter.render.gait import draw_panels
        from skitter.render.panel import Span

        strip = draw_panels(self._histories, Span(time - self._seconds, time), self._size)
        return np.concatenate([image, strip], axis=1)


class NoPanel:
    """The same where no panel is wanted."""

    def __init__(self, size: Size) -> None:
        self.scene_size = size

    def beside(self, image: Image, time: float) -> Image:
        return image


def choose_panel(
    recording: Any, size: Size, *, panel: bool, seconds: float | None, creature: str | None
) -> SidePanel | NoPanel:
    """A panel, if it is wanted."""
    if not panel:
        return NoPanel(size)
    return SidePanel(recording, size, seconds=seconds, creature=creature)
