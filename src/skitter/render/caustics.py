"""The light that waves gather on the ground below them.

Light that comes down evenly is bent at the surface, towards the middle of a crest. Every place of
the surface sends its share to where it arrives on the bed, as in thesis figure 5.13 of Fang 2015;
where many arrive it is bright. A place is named by where level water would have let its light in,
so that the map looks the same whatever the direction of the light.

Simulated water is calmer than any pond, on which a breath of air makes the net of light that one
knows. So a breeze is added, as a map of its own around what is shown: it turns the light, and moves
neither water nor bodies.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from skitter.look.water import Sheet, compute_slopes
from skitter.render.water_glsl import GLOW_TOP, RIPPLE_FADE

Floats = NDArray[np.floating]
BENDING = 0.25  # 1 - 1 / 1.333: how much of a slope the light is turned by
BREEZE = (
    0.30  # how strongly each ripple of the breeze gathers light; all of them at once make lines
)
BREEZE_WAVES = 7
BREEZE_LENGTHS = (0.45, 1.1)  # of the depth, from the shortest ripple to the longest
BREEZE_EDGE = 0.4  # of the map's reach, over which they fade towards its edges
BREEZE_POINTS = 360  # along an edge of the map
GOLDEN = 0.381966  # of a turn between two ripples: no two run the same way
GRAVITY = 981.0  # cm/s²
BLUR = 1.1  # points of the grid: the sun is not a point, and rays are counted one by one


def gather_light(sheet: Sheet, depth: Floats, gain: float = 0.0) -> Floats:
    """Light on a bed at some depths [nx, nz], cm; 1 where it is as under level water.

    With a gain, the faintest ripples count for so much more than they are.
    """
    lean = np.where(sheet.is_wet, BENDING * np.maximum(depth, 0.0), 0.0)
    along, across = compute_slopes(sheet)
    lean = lean * (1 + gain / (1 + RIPPLE_FADE * np.hypot(along, across)))
    return _gather(lean * along, lean * across, sheet.spacing)


def _gather(along: Floats, across: Floats, steps: tuple[float, float]) -> Floats:
    """Light that is moved by some ways along x and z [nx, nz], cm."""
    nx, nz = along.shape
    rows = np.arange(nx)[:, None] + along / steps[0]
    columns = np.arange(nz) + across / steps[1]
    light = ndimage.gaussian_filter(_splat(rows, columns, (nx, nz)), BLUR, mode="nearest")
    return np.clip(light, 0.0, GLOW_TOP)


@dataclass(frozen=True)
class Breeze:
    """The net of light around a place."""

    light: Floats  # [nx, nz]
    low: Floats  # [2] cm, x and z of its first point
    high: Floats  # [2] cm, and of its last


def blow(middle: Floats, reach: float, depth: float, time: float) -> Breeze:
    """The light that a breeze gathers at some depth around a place, out to a reach, cm.

    Ripples of some lengths run in all directions, as fast as such waves do. The points stay where
    they are in the world, so that the net does not shimmer when the place moves on.
    """
    step = 2 * reach / (BREEZE_POINTS - 1)
    x, z = (
        step * (np.round((middle[k] - reach) / step) + np.arange(BREEZE_POINTS)) for k in (0, 2)
    )
    off = np.hypot(x[:, None] - middle[0], z - middle[2]) / reach
    fade = np.clip((0.98 - off) / BREEZE_EDGE, 0, 1)
    moved = np.zeros((2, BREEZE_POINTS, BREEZE_POINTS))
    for number in range(BREEZE_WAVES):
        share = number / (BREEZE_WAVES - 1)
        length = depth * BREEZE_LENGTHS[0] ** (1 - share) * BREEZE_LENGTHS[1] ** share
        wave, angle = 2 * np.pi / length, 2 * np.pi * GOLDEN * number
        way = np.array([np.cos(angle), np.sin(angle)])
        phase = wave * (way[0] * x[:, None] + way[1] * z) - np.sqrt(GRAVITY * wave) * time
        moved += way[:, None, None] * (fade * BREEZE / wave * np.cos(phase + number * number))
    low, high = (np.array([x[k], z[k]]) for k in (0, -1))
    return Breeze(_gather(moved[0], moved[1], (step, step)), low, high)


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
