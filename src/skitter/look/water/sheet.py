"""The top of the water at a moment, as heights over a grid, and the sheet beyond it.

Heights are recorded at the middles of cells, and are missing where it is dry. A shore has to look
clean, so the top is carried on by some cells into the land, which then hides its edge. Around water
with open edges the top fades to the level at which it stands, and goes on to the horizon.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Floats = NDArray[np.floating]
Bools = NDArray[np.bool_]
SHORE_CELLS = 3  # how far heights are carried on into dry land
FADE_STEPS = np.array([1.0, 2.0, 3.0, 5.0, 8.0, 12.0])  # cells beyond open edges, to the level
FADE_LINES = len(FADE_STEPS) + 1  # that are added on each side; the last is far away


@dataclass(frozen=True)
class Sheet:
    """The top of the water at a moment, as heights over a grid."""

    x: Floats  # [nx] cm, rising
    z: Floats  # [nz] cm, rising
    height: Floats  # [nx, nz] cm; where it is dry, that of the water nearby
    is_wet: Bools  # [nx, nz]
    low: Floats  # [2] cm, x and z at which the outermost cells begin
    high: Floats  # [2] cm, and end

    @property
    def spacing(self) -> tuple[float, float]:
        """Between two points along x and z, as in the middle, cm."""
        i, j = len(self.x) // 2, len(self.z) // 2
        return float(self.x[i] - self.x[i - 1]), float(self.z[j] - self.z[j - 1])

    def part(self, chosen: slice) -> "Sheet":
        """The points in a range of both axes."""
        x, z, square = self.x[chosen], self.z[chosen], (chosen, chosen)
        low, high = (np.array([x[k], z[k]]) for k in (0, -1))
        return Sheet(x, z, self.height[square], self.is_wet[square], low, high)


def build_sheet(height: Floats, origin: Floats, cell: float, level: float) -> Sheet:
    """Heights at the middles of cells [nx, nz], with NaN where it is dry."""
    x, z = (start + cell * np.arange(n) for start, n in zip(origin, height.shape, strict=True))
    low = np.array([x[0], z[0]]) - cell / 2
    high = np.array([x[-1], z[-1]]) + cell / 2
    return Sheet(x, z, carry_on(height, level), np.isfinite(height), low, high)


def build_still(level: float, middle: Floats, reach: float) -> Sheet:
    """A flat sheet around a place [3]."""
    x, z = (middle[k] + reach * np.array([-1.0, 0.0, 1.0]) for k in (0, 2))
    low, high = np.array([x[0], z[0]]), np.array([x[-1], z[-1]])
    return Sheet(x, z, np.full((3, 3), level), np.ones((3, 3), bool), low, high)


def carry_on(height: Floats, level: float, *, cells: int = SHORE_CELLS) -> Floats:
    """Heights with numbers in dry cells too: the mean of wet neighbours, ring by ring."""
    is_known = np.isfinite(height)
    filled = np.where(is_known, height, 0.0)
    for _ in range(cells if not is_known.all() else 0):
        share = ndimage.uniform_filter(is_known.astype(float), 3, mode="constant")
        mean = ndimage.uniform_filter(filled, 3, mode="constant") / np.maximum(share, 1e-9)
        is_reached = ~is_known & (share > 0.05)  # one of nine
        filled, is_known = np.where(is_reached, mean, filled), is_known | is_reached
    return np.where(is_known, filled, level)


def close_sheet(sheet: Sheet) -> Sheet:
    """The sheet out to the walls, half a cell beyond the outermost middles."""
    low, high = sheet.low, sheet.high
    return replace(
        sheet,
        x=np.concatenate([low[:1], sheet.x, high[:1]]),
        z=np.concatenate([low[1:], sheet.z, high[1:]]),
        height=np.pad(sheet.height, 1, mode="edge"),
        is_wet=np.pad(sheet.is_wet, 1, mode="edge"),
    )


def extend_sheet(sheet: Sheet, level: float, middle: Floats, reach: float) -> Sheet:
    """The sheet with its edges faded to a level, and that level out to a reach around a middle."""
    steps, more = FADE_STEPS, FADE_LINES
    share = np.append((1 - steps / (steps[-1] + 1)) ** 2, 0.0)
    fade = [np.concatenate([share[::-1], np.ones(n), share]) for n in sheet.height.shape]
    lines = []
    for line, space, centre in zip(
        (sheet.x, sheet.z), sheet.spacing, (middle[0], middle[2]), strict=True
    ):
        before, after = line[0] - space * steps, line[-1] + space * steps
        ends = min(centre - reach, before[-1] - space), max(centre + reach, after[-1] + space)
        lines.append(np.concatenate([[ends[0]], before[::-1], line, after, [ends[1]]]))
    above = np.pad(np.where(sheet.is_wet, sheet.height - level, 0.0), more, mode="edge")
    inside = (slice(more, -more),) * 2
    height = level + above * fade[0][:, None] * fade[1]
    height[inside] = sheet.height
    is_wet = np.pad(sheet.is_wet, more, constant_values=True)
    low, high = (np.array([lines[0][k], lines[1][k]]) for k in (0, -1))
    return Sheet(lines[0], lines[1], height, is_wet, low, high)


def compute_slopes(sheet: Sheet) -> tuple[Floats, Floats]:
    """Rise per way along x and along z [nx, nz]."""
    along, across = np.gradient(sheet.height, sheet.x, sheet.z)
    return np.asarray(along), np.asarray(across)


def compute_normals(sheet: Sheet) -> Floats:
    """Unit normals [nx, nz, 3]."""
    along, across = compute_slopes(sheet)
    normal = np.stack([-along, np.ones_like(along), -across], axis=2)
    return normal / np.linalg.norm(normal, axis=2, keepdims=True)


def find_height(sheet: Sheet, points: Floats) -> Floats:
    """Height of the water at the places of points [n, 3]; far below all where it is dry."""
    cells, shares = [], []
    for line, place in ((sheet.x, points[:, 0]), (sheet.z, points[:, 2])):
        cell = np.clip(np.searchsorted(line, place) - 1, 0, len(line) - 2)
        cells.append(cell)
        shares.append(np.clip((place - line[cell]) / (line[cell + 1] - line[cell]), 0, 1))
    (i, j), (a, b) = cells, shares
    corners = [(0, 0, (1 - a) * (1 - b)), (0, 1, (1 - a) * b), (1, 0, a * (1 - b)), (1, 1, a * b)]
    height = sum(w * sheet.height[i + p, j + q] for p, q, w in corners)
    is_wet = np.any([sheet.is_wet[i + p, j + q] for p, q, _ in corners], axis=0)
    inside = _is_inside(sheet, points)
    return np.where(is_wet & inside, height, -np.inf)


def _is_inside(sheet: Sheet, points: Floats) -> Bools:
    place = points[:, ::2]
    return np.asarray(((place >= sheet.low) & (place <= sheet.high)).all(axis=1))
