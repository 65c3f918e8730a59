"""Colours: from the `#rrggbb` of a species file to light that can be added and multiplied."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

GROUND_COLOUR = "#d9d4cb"
TERRAIN_COLOUR = "#b9b2a6"
RIGID_COLOUR = "#5b6770"
SOFT_COLOUR = "#f2b134"
SOFT_OPACITY = 0.62
FOOD_COLOUR = "#3f9d3a"
OBSTACLE_COLOUR = "#c08f63"


def read_colour(text: str) -> NDArray[np.float32]:
    """The colour in linear light, 0..1 (IEC 61966-2-1), because light adds up only there."""
    return from_screen(np.array(read_bytes(text)))


def read_bytes(text: str) -> tuple[int, int, int]:
    """The colour as the screen has it, 0..255."""
    red, green, blue = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def from_screen(values: NDArray[Any]) -> NDArray[np.float32]:
    """Values of the screen, 0..255, as linear light."""
    encoded = np.asarray(values, float) / 255.0
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear.astype(np.float32)


def to_screen(linear: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Linear light as bytes of the screen, 0..255; the other way round than `read_colour`."""
    light = np.clip(np.asarray(linear, float), 0, 1)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * encoded).astype(np.uint8)
