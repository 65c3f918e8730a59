"""The light that waves gather on the ground below them.

Light that comes down evenly is bent at the surface, towards the middle of a crest. Every place of
the surface sends its share to where it arrives on the bed, as in thesis figure 5.13 of Fang 2015;
where many arrive it is bright. A place is named by where level water would have let its light in,
so that the map looks the same whatever the direction of the light.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from skitter.look.water import Sheet, compute_slopes
from skitter.render.water_glsl import GLOW_TOP

Floats = NDArray[np.floating]
BENDING = 0.25  # 1 - 1 / 1.333: how much of a slope the light is turned by
BLUR = 1.3  # points of the grid: the sun is not a point, and rays are counted one by one


def gather_light(sheet: Sheet, depth: Floats) -> Floats:
    """Light on a bed at some depths [nx, nz], cm; 1 where it is as under level water."""
    lean = np.where(sheet.is_wet, BENDING * np.maximum(depth, 0.0), 0.0)
    along, across = compute_slopes(sheet)
    steps, (nx, nz) = sheet.spacing, sheet.height.shape
    rows = np.arange(nx)[:, None] + lean * along / steps[0]
    columns = np.arange(nz) + lean * across / steps[1]
    light = ndimage.gaussian_filter(_splat(rows, columns, (nx, nz)), BLUR, mode="nearest")
    return np.clip(light, 0.0, GLOW_TOP)


def _splat(rows: Floats, columns: Floats, shape: tuple[int, ...]) -> Floats:
    """How many places lie at each point of a grid; one between points counts for all four."""
    i, j = np.floor(rows).astype(int), np.floor(columns).astype(int)
    a, b = rows - i, columns - j
    total = np.zeros(shape[0] * shape[1])
    for p, q, weight in (
        (0, 0, (1 - a) * (1 - b)),
        (0, 1, (1 - a) * b),
        (1, 0, a * (1 - b)),
        (1, 1, a * b),
    ):
        row, column = i + p, j + q
        is_in = (row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1])
        spot = (row * shape[1] + column)[is_in]
        total += np.bincount(spot, weights=weight[is_in], minlength=len(total))
    return total.reshape(shape)


def encode_light(light: Floats) -> NDArray[np.uint8]:
    """The map as a picture [z, x, 4]; its border is 1, which goes on beyond it."""
    framed = light.copy()
    framed[[0, -1]] = framed[:, [0, -1]] = 1.0
    scaled = np.round(framed.T * (255 / GLOW_TOP)).clip(0, 255).astype(np.uint8)
    return np.repeat(scaled[:, :, None], 4, axis=2)
