"""What is painted on the skin of a swimmer: a dark back, a pale belly, blotches or bands, fins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from skitter.look.colour import read_colour
from skitter.species.look import SwimmerLook

if TYPE_CHECKING:
    from skitter.look.swimmer import Outline, Spine

Floats = NDArray[np.floating]
PALE = np.array([0.86, 0.82, 0.70])  # what a belly without a colour of its own is mixed with
FLANK = (-0.62, 0.28)  # height on a ring, from -1 to 1, between which back turns into belly
BLOTCH = 0.34  # cm per cm of a body's height: how wide a blotch is
GRAIN = (16, 8)  # blotches along and around, after which they repeat
REPEAT = GRAIN[0] * BLOTCH  # of a body's height, after which all that is painted repeats
BANDS = REPEAT / 6  # of a body's height, from one band to the next


@dataclass(frozen=True)
class Hide:
    """The colours of a skin, in linear light."""

    back: Floats
    belly: Floats
    fin: Floats
    pattern: str

    def paint(self, outline: Outline, spine: Spine) -> Floats:
        """Colours [ring, around, 3] of the points of an outline."""
        height = spine.height
        place, rise = np.broadcast_arrays(outline.place[:, None] / height, np.sin(outline.angles))
        grain = draw_blotches(place / BLOTCH, outline.angles)
        is_plain = self.pattern == "plain"
        level = rise + (0.0 if is_plain else 0.12) * grain
        share = _smooth((level - FLANK[0]) / (FLANK[1] - FLANK[0]))[..., None]
        back = self.back * (0.78 + 0.22 * _smooth((1 - rise) / 1.2))[..., None]
        if self.pattern == "mottled":
            light = _smooth(0.55 * grain + 0.15)[..., None]
            back = back * (1 + 0.28 * grain[..., None]) + 0.07 * light * self.belly
        if self.pattern == "banded":
            band = _smooth(0.5 + 1.6 * np.sin(2 * np.pi * place / BANDS + 0.5 * grain))[..., None]
            back = back * (0.55 + 0.45 * band) + 0.25 * band * self.belly
        body = share * back + (1 - share) * self.belly
        fin = outline.fin[..., None]
        return np.asarray(np.clip((1 - fin) * body + fin * self.fin, 0, 1))


def read_hide(look: SwimmerLook) -> Hide:
    """The colours of a look; those that are left out follow from those of the body."""
    back = read_colour(look.back or look.rigid)
    belly: Floats = 0.45 * read_colour(look.soft) + 0.55 * PALE
    if look.belly is not None:
        belly = read_colour(look.belly)
    fin = 0.85 * back + 0.15 * belly if look.fin is None else read_colour(look.fin)
    return Hide(back, belly, fin, look.pattern)


def draw_blotches(along: Floats, angles: Floats) -> Floats:
    """Smooth noise over a skin [ring, around], spread about one, without a seam below."""
    grid = np.random.default_rng(5).normal(size=GRAIN)
    around = np.broadcast_to(angles / (2 * np.pi) * GRAIN[1], along.shape)
    rough = ndimage.map_coordinates(grid, [along, around], order=3, mode="grid-wrap")
    fine = ndimage.map_coordinates(grid, [3 * along + 7, 2 * around + 3], order=3, mode="grid-wrap")
    return np.asarray(rough + 0.6 * fine)


def _smooth(value: Floats) -> Floats:
    """0 below 0, 1 above 1, and soft in between."""
    held = np.clip(value, 0, 1)
    return np.asarray(held * held * (3 - 2 * held))
