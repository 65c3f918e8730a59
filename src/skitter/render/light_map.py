"""Soft shadows and the darkening near contact, as small pictures of the floor.

The studio has one far key light and a wide sky. Every point of a body is slid along the light's
direction onto the floor; a map over the floor keeps the highest point that arrives at each place.
That one map answers both questions a shadow asks: is there something between me and the light, and
how far away is it. The farther the occluder, the wider the blur (Fernando 2005, percentage-closer
soft shadows), so a foot has a crisp shadow and a raised body a faint one.

Legs are thinner than the texels of such a map. They are drawn on a finer one, of which every texel
keeps how much of it is covered and how high the cover lies; so their shadows are faint lines, not
rows of dots.

The maps are small and change every frame, so they are drawn here, in compiled code, rather than by
the renderer: no second graphics context, and the blur is exact (a product in frequency space).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from skitter.compiled import kernel

Floats = NDArray[np.floating]
Heights = NDArray[np.float32]  # [row, column] cm above the floor, 0 where nothing is
FINE = 4  # finer texels to the edge of one
SHARPEST = 0.6  # texels, the least blur: hides the texels themselves
BORDER = 0.06  # of the map, over which shadows fade towards its edge
WIDEST = 0.15  # of the map: a wider shadow is too faint to be seen, and is left out


@dataclass(frozen=True)
class MapFrame:
    """A square of the floor, and the direction along which things are slid onto it."""

    origin: Floats  # [3] cm, the corner of the square
    u: Floats  # [3] unit, along the columns
    v: Floats  # [3] unit, along the rows
    normal: Floats  # [3] unit
    toward: Floats  # [3] unit, towards the light
    extent: float  # cm, edge of the square
    texels: int

    @property
    def texel(self) -> float:
        """Edge of a texel, cm."""
        return self.extent / self.texels

    @property
    def lean(self) -> float:
        """Cosine between light and floor normal: 1 / lean is the light's way per cm of height."""
        return float(self.toward @ self.normal)

    def slide(self, points: Floats) -> Floats:
        """Column, row and height [point, 3] (texels, texels, cm)."""
        axes = [
            (self.u - (self.toward @ self.u) / self.lean * self.normal) / self.texel,
            (self.v - (self.toward @ self.v) / self.lean * self.normal) / self.texel,
            self.normal,
        ]
        # not "@": for so thin a product the threads of BLAS cost more than they save
        return np.einsum("pi,ki->pk", points - self.origin, np.array(axes))

    def centred(self, points: Floats) -> "MapFrame":
        """The same square moved under some points, by whole texels so that shadows do not swim."""
        foot = self.slide(points)[:, :2]
        corner = np.round((foot.max(axis=0) + foot.min(axis=0) - self.texels) / 2) * self.texel
        return replace(self, origin=self.origin + corner[0] * self.u + corner[1] * self.v)


def draw_surface(
    frame: MapFrame, points: Floats, triangles: NDArray[np.integer], heights: Heights
) -> None:
    """Adds a surface to a map: the greatest height stays."""
    _draw_triangles(np.ascontiguousarray(frame.slide(points)), triangles, heights)


@kernel
def _draw_triangles(slid: Floats, triangles: NDArray[np.integer], heights: Heights) -> None:
    """Writes every texel whose centre a triangle covers (barycentric coordinates)."""
    rows, columns = heights.shape
    for t in range(triangles.shape[0]):
        a, b, c = slid[triangles[t, 0]], slid[triangles[t, 1]], slid[triangles[t, 2]]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-12:
            continue
        left = max(int(np.ceil(min(a[0], b[0], c[0]) - 0.5)), 0)
        right = min(int(np.floor(max(a[0], b[0], c[0]) - 0.5)), columns - 1)
        low = max(int(np.ceil(min(a[1], b[1], c[1]) - 0.5)), 0)
        high = min(int(np.floor(max(a[1], b[1], c[1]) - 0.5)), rows - 1)
        for row in range(low, high + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                x = column + 0.5
                wa = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
                wb = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
                wc = 1.0 - wa - wb
                if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
                    height = wa * a[2] + wb * b[2] + wc * c[2]
                    if height > heights[row, column]:
                        heights[row, column] = height


@dataclass(frozen=True)
class Cover:
    """What covers the texels of a map."""

    share: NDArray[np.float32]  # [row, column] of the texel, 0..1
    above: Heights  # [row, column] cm above the ground, the mean of what covers it
    top: Heights  # [row, column] cm above the floor; 0 where less than half is covered


def gather_cover(fine: Heights, ground: Heights) -> Cover:
    """The cover of each texel, from heights [FINE * row, FINE * column] that lie above a ground."""
    share, above, top = (np.zeros_like(ground) for _ in range(3))
    _gather(fine, ground, share, above, top)
    return Cover(share, above, top)


@kernel
def _gather(fine: Heights, ground: Heights, share: Heights, above: Heights, top: Heights) -> None:
    rows, columns = ground.shape
    step = fine.shape[0] // rows
    for row in range(rows):
        for column in range(columns):
            count, total = 0, 0.0
            for y in range(row * step, (row + 1) * step):
                for x in range(column * step, (column + 1) * step):
                    if fine[y, x] > ground[row, column]:
                        count += 1
                        total += fine[y, x]
            if count > 0:
                share[row, column] = count / step**2
                above[row, column] = total / count - ground[row, column]
                if 2 * count >= step**2:
                    top[row, column] = total / count


def blur_by_height(
    heights: Heights, spread: float, share: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """The share of light taken away at the floor, 0..1; the blur is `spread` texels per cm.

    `share` says how much of a texel is covered, by default all where there is a height. Shadows
    fade to nothing at the edge of the map, so that the map's border cannot be seen.
    """
    taken = np.zeros_like(heights)
    rows, columns = np.flatnonzero(heights.any(axis=1)), np.flatnonzero(heights.any(axis=0))
    if len(rows) == 0:
        return taken
    widest = WIDEST * len(heights)
    margin = int(3 * min(spread * float(heights.max()), widest)) + 3
    window = (_widen(rows, margin, len(heights)), _widen(columns, margin, len(heights)))
    shape = tuple(int(np.ptp(covered)) + 1 + 2 * margin for covered in (rows, columns))
    cover = (heights > 0).astype(np.float32) if share is None else share
    taken[window] = _blur_sheets(heights[window], cover[window], spread, widest, shape)
    fade = _border_fade(len(heights))
    return taken * fade * fade[:, None]


def _widen(covered: NDArray[np.integer], margin: int, size: int) -> slice:
    return slice(max(int(covered[0]) - margin, 0), min(int(covered[-1]) + 1 + margin, size))


@lru_cache
def _border_fade(size: int) -> NDArray[np.float32]:
    """1 inside, falling to 0 at both ends."""
    inward = np.minimum(np.arange(size), np.arange(size)[::-1]) / (BORDER * size)
    return np.clip(inward, 0, 1).astype(np.float32)


def _blur_sheets(
    heights: Heights,
    cover: NDArray[np.float32],
    spread: float,
    widest: float,
    shape: tuple[int, ...],
) -> NDArray[np.float32]:
    """Splits the map into sheets whose blurs double from one to the next, blurs and adds them.

    A texel between two sheets belongs to both in part, so that no seam shows. Adding is done in
    frequency space, where a blur is a product; `shape` leaves room for what runs over.
    """
    sigma = np.maximum(np.float32(spread) * heights, np.float32(SHARPEST))
    weight = np.clip(2 - sigma / np.float32(widest / 2), 0, 1) * cover
    sheet_of = np.log2(sigma / np.float32(SHARPEST))
    fast = tuple(fft.next_fast_len(size, real=True) for size in shape)
    total = np.zeros((fast[0], fast[1] // 2 + 1), dtype=np.complex64)
    for sheet in range(int(np.ceil(sheet_of[weight > 0].max(initial=0.0))) + 1):
        share = weight * np.maximum(0, 1 - np.abs(sheet_of - np.float32(sheet)))
        total += fft.rfft2(share, s=fast) * _gaussian(fast, SHARPEST * 2.0**sheet)
    blurred = fft.irfft2(total, s=fast)[: heights.shape[0], : heights.shape[1]]
    return np.clip(blurred, 0, 1)


@lru_cache(maxsize=64)
def _gaussian(shape: tuple[int, ...], sigma: float) -> NDArray[np.float32]:
    """A Gaussian blur in frequency space."""
    rows, columns = np.fft.fftfreq(shape[0]), np.fft.rfftfreq(shape[1])
    square = rows[:, None] ** 2 + columns**2
    return np.exp(-2 * np.pi**2 * sigma**2 * square).astype(np.float32)
