"""The water of a recording as a surface: its moving top, the sheet beyond it, the sides of a pool.

Heights are recorded at the middles of cells, and are missing where it is dry. A shore has to look
clean, so the top is carried on by one cell into the land, which then hides its edge. Around water
with open edges the top fades to the level at which it stands, and goes on to the horizon.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from scipy import ndimage

from skitter.look.camera import lift_view
from skitter.look.mesh import Mesh, grid_triangles, join_meshes
from skitter.look.motion import channel_names
from skitter.look.scenery import find_frame
from skitter.scene.spec import AnyTerrain
from skitter.terrain import Terrain, build_terrain

Floats = NDArray[np.floating]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
SHORE_CELLS = 3  # how far heights are carried on into dry land
FILM, SHALLOW = 0.12, 0.8  # cm: water that is left out near land, and up to which it is smoothed
CALM_CELLS, CALM_BLUR = (
    8,
    2.0,
)  # cells: how far smooth water goes on, and by how much it is smoothed
FADE_STEPS = np.array([1.0, 2.0, 3.0, 5.0, 8.0, 12.0])  # cells beyond open edges, to the level
FADE_LINES = len(FADE_STEPS) + 1  # that are added on each side; the last is far away
REFINED_WET = 0.02  # share of wet neighbours that makes a place between two cells wet
BED_POINTS = 96  # along an edge of the grid, at which the ground below is asked for its height
NEAR_SHARE = 0.6  # of all points, those that are spent on cells near the middle
LEAST_RISE = 24.0  # degrees above the horizon from which water is seen
WIDER = 1.1  # how much farther the camera stands off, so that waves around a creature are seen
DEPTH = 8.0  # cm, of water whose scene does not say


def view_water(backward: Floats, scene: dict[str, Any]) -> tuple[Floats, float]:
    """From where a scene with water is seen, and by how much wider than its creatures.

    A view from low down shows a mirror and nothing below it; what waves do is seen from above, and
    around a creature. A wish to look up from below cannot be granted.
    """
    water = scene.get("water")
    if not water:
        return backward, 1.0
    return lift_view(backward, LEAST_RISE), WIDER if water.get("waves", True) else 1.0


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


class Water:
    """The water of a recording."""

    def __init__(self, recording: Any, spec: dict[str, Any]) -> None:
        self.level = float(spec.get("level") or 0.0)
        self.depth = float(spec.get("depth") or DEPTH)
        self.has_waves = "water_surface" in channel_names(recording)
        self.is_walled = self.has_waves and spec.get("edges", "walls") == "walls"
        self.time = np.asarray(recording.time, dtype=float)
        if self.has_waves:
            self._surface, self._origin = recording["water_surface"], recording["water_origin"]
            self._cell = float(recording.static("water_cell"))

    def grid_at(self, time: float) -> Sheet | None:
        """The recorded grid; None for water that only stands at its level."""
        if not self.has_waves:
            return None
        frame, share = find_share(self.time, time)
        height = np.asarray(self._surface[frame], dtype=float)
        origin = np.asarray(self._origin[frame], dtype=float)
        if share > 0:
            later = np.asarray(self._origin[frame + 1], dtype=float)
            coming = np.asarray(self._surface[frame + 1], dtype=float)
            if np.allclose(origin, later):
                height = mix_heights(height, coming, share)
            elif share >= 0.5:  # the grid has moved on with the creature that it follows
                height, origin = coming, later
        return build_sheet(height, origin, self._cell, self.level)

    def surround(self, sheet: Sheet | None, middle: Floats, reach: float) -> Sheet:
        """All of the top: out to the walls, or to a reach around a middle."""
        if sheet is None:
            return build_still(self.level, middle, reach)
        if self.is_walled:
            return close_sheet(sheet)
        return extend_sheet(sheet, self.level, middle, reach)


def open_water(recording: Any) -> Water | None:
    """The water of a recording, if its scene has any."""
    spec = (recording.attributes.get("scene") or {}).get("water")
    return None if not spec else Water(recording, spec)


def find_share(times: Floats, time: float) -> tuple[int, float]:
    """The frame at or before a time, and the share of the way to the next."""
    frame = find_frame(times, time)
    if frame + 1 >= len(times):
        return frame, 0.0
    share = (time - times[frame]) / (times[frame + 1] - times[frame])
    return frame, float(np.clip(share, 0.0, 1.0)) if share > 1e-6 else 0.0


def mix_heights(before: Floats, after: Floats, share: float) -> Floats:
    """Between two frames; where it falls dry or is flooded, as in the nearer one."""
    nearer = before if share < 0.5 else after
    mixed = (1 - share) * before + share * after
    return np.where(np.isfinite(mixed), mixed, nearer)


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


def calm_shore(grid: Sheet, bed: Floats) -> Sheet:
    """The grid without the film that waves leave on land, its shallow water smooth.

    A film follows the ground cell by cell, so that its edge would be a row of spikes. Water that is
    smooth, and goes on level into the land, meets the ground along a clean line instead.
    """
    depth = grid.height - bed
    is_deep = grid.is_wet & (depth > FILM)
    if is_deep.all() or not is_deep.any():
        return grid
    known = np.where(is_deep, grid.height, np.nan)
    height = carry_on(known, float(np.nanmedian(known)), cells=CALM_CELLS)
    far = ndimage.distance_transform_edt(is_deep)
    share = np.clip(np.maximum(1 - (depth - FILM) / (SHALLOW - FILM), 1.3 - far / CALM_CELLS), 0, 1)
    weight = np.where(is_deep, np.clip(depth / SHALLOW, 0.05, 1), 0.02)
    total = ndimage.gaussian_filter(weight * height, CALM_BLUR, mode="nearest")
    smooth = total / ndimage.gaussian_filter(weight, CALM_BLUR, mode="nearest")
    share = ndimage.gaussian_filter(share, 1.0, mode="nearest")
    return replace(grid, height=(1 - share) * height + share * smooth, is_wet=is_deep)


def reach_shore(grid: Sheet, bed: Floats, slack: float) -> Sheet:
    """The grid with the land beside the water counted as wet, so that its edge lies in the ground.

    Land counts as far as heights are carried on, and where its bed [nx, nz] is not lower than the
    water by more than a slack: behind a dam it stays dry.
    """
    if grid.is_wet.all():
        return grid
    near = ndimage.binary_dilation(grid.is_wet, np.ones((3, 3), bool), iterations=SHORE_CELLS)
    return replace(grid, is_wet=grid.is_wet | (near & (bed > grid.height - slack)))


def thin_sheet(sheet: Sheet, most: int) -> Sheet:
    """Means of neighbouring cells, so that there are at most so many along an edge."""
    every = -(-max(sheet.height.shape) // most)
    return average_cells(sheet, [np.arange(0, n, every) for n in sheet.height.shape])


def thin_around(sheet: Sheet, most: int, middle: Floats) -> Sheet:
    """At most so many points along an edge: all cells near a place, and means of those far off."""
    lines, places = (sheet.x, sheet.z), (middle[0], middle[2])
    return average_cells(
        sheet, [choose_starts(line, most, place) for line, place in zip(lines, places, strict=True)]
    )


def choose_starts(line: Floats, most: int, place: float) -> Ints:
    """Where groups of cells begin; as many of them wherever the place is."""
    if len(line) <= most:
        return np.arange(len(line))
    every = 2
    while True:
        dense = int(NEAR_SHARE * most) // every * every
        if dense + -(-(len(line) - dense) // every) <= most or every > len(line):
            break
        every += 1
    at = int(np.searchsorted(line, place)) - dense // 2
    first = int(np.clip(at, 0, len(line) - dense)) // every * every
    coarse = np.arange(first, len(line), every)
    fine = np.arange(first, first + dense)
    return np.concatenate([np.arange(0, first, every), fine, coarse[coarse >= first + dense]])


def average_cells(sheet: Sheet, starts: list[Ints]) -> Sheet:
    """Means of groups of cells that begin at some lines along x and z."""
    counts = sheet.height.shape
    if all(len(first) == n for first, n in zip(starts, counts, strict=True)):
        return sheet
    sizes = [np.diff(np.append(first, n)) for first, n in zip(starts, counts, strict=True)]
    x, z = (
        np.add.reduceat(line, first) / size
        for line, first, size in zip((sheet.x, sheet.z), starts, sizes, strict=True)
    )
    wet = _sum_blocks(sheet.is_wet.astype(float), starts)
    total = _sum_blocks(np.where(sheet.is_wet, sheet.height, 0.0), starts)
    dry = _sum_blocks(sheet.height, starts) / (sizes[0][:, None] * sizes[1])
    height = np.where(wet > 0, total / np.maximum(wet, 1.0), dry)
    return replace(sheet, x=x, z=z, height=height, is_wet=wet > 0)


def _sum_blocks(values: Floats, starts: list[Ints]) -> Floats:
    return np.asarray(np.add.reduceat(np.add.reduceat(values, starts[0], 0), starts[1], 1))


def refine_sheet(sheet: Sheet, most: int) -> Sheet:
    """The same waves on a finer grid, rounded by cubic splines, so that no facet shows."""
    times = most // max(sheet.height.shape)
    if times <= 1:
        return sheet
    counts = [(n - 1) * times + 1 for n in sheet.height.shape]
    zoom = [count / n for count, n in zip(counts, sheet.height.shape, strict=True)]
    height = ndimage.zoom(sheet.height, zoom, order=3, mode="nearest")
    wet = ndimage.zoom(sheet.is_wet.astype(float), zoom, order=1, mode="nearest")
    x, z = (
        np.linspace(line[0], line[-1], count)
        for line, count in zip((sheet.x, sheet.z), counts, strict=True)
    )
    return replace(sheet, x=x, z=z, height=height, is_wet=wet > REFINED_WET)


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


def build_top(sheet: Sheet) -> Mesh:
    """The sheet as triangles, all that have a wet corner, with smooth normals."""
    across = np.meshgrid(sheet.x, sheet.z, indexing="ij")
    points = np.stack([across[0], sheet.height, across[1]], axis=2).reshape(-1, 3)
    triangles = _sheet_triangles(*sheet.height.shape)
    if not sheet.is_wet.all():
        triangles = triangles[sheet.is_wet.ravel()[triangles].any(axis=1)]
    return Mesh(points, compute_normals(sheet).reshape(-1, 3), triangles)


@lru_cache(maxsize=8)
def _sheet_triangles(rows: int, columns: int) -> NDArray[np.int64]:
    return grid_triangles(rows, columns)[:, ::-1]


def compute_slopes(sheet: Sheet) -> tuple[Floats, Floats]:
    """Rise per way along x and along z [nx, nz]."""
    along, across = np.gradient(sheet.height, sheet.x, sheet.z)
    return np.asarray(along), np.asarray(across)


def compute_normals(sheet: Sheet) -> Floats:
    """Unit normals [nx, nz, 3]."""
    along, across = compute_slopes(sheet)
    normal = np.stack([-along, np.ones_like(along), -across], axis=2)
    return normal / np.linalg.norm(normal, axis=2, keepdims=True)


def build_sides(sheet: Sheet, bed: Floats, *, all_round: bool = False) -> Mesh | None:
    """The cut faces of a body of water down to its bed [nx, nz], seen from outside.

    With `all_round` there are triangles where it is dry too, which have no height.
    """
    nx, nz = sheet.height.shape
    borders = [  # running so that outside is to the right
        (np.arange(nx), np.zeros(nx, int), (0.0, -1.0)),
        (np.full(nz, nx - 1), np.arange(nz), (1.0, 0.0)),
        (np.arange(nx)[::-1], np.full(nx, nz - 1), (0.0, 1.0)),
        (np.zeros(nz, int), np.arange(nz)[::-1], (-1.0, 0.0)),
    ]
    sides = [_build_side(sheet, bed, *border, all_round=all_round) for border in borders]
    there = [side for side in sides if len(side.triangles)]
    return join_meshes(there) if there else None


def _build_side(
    sheet: Sheet, bed: Floats, i: Ints, j: Ints, outward: tuple[float, float], *, all_round: bool
) -> Mesh:
    top, low = sheet.height[i, j], np.minimum(bed[i, j], sheet.height[i, j])
    rows = [np.stack([sheet.x[i], y, sheet.z[j]], axis=1) for y in (low, top)]
    normals = np.tile([outward[0], 0.0, outward[1]], (2 * len(top), 1))
    triangles = grid_triangles(2, len(top))
    is_cut = sheet.is_wet[i, j] & (top > low) | all_round
    chosen = triangles[is_cut[triangles % len(top)].any(axis=1)]
    return Mesh(np.concatenate(rows), normals, chosen)


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


class Bed:
    """The ground below the water, asked for its height at some places and remembered."""

    def __init__(self, terrain: Terrain, water: Water) -> None:
        self._terrain, self._lowest = terrain, water.level - water.depth
        self._low: Floats = np.zeros(2)
        self._high: Floats = np.zeros(2)
        self._known: Floats = np.zeros((1, 1))

    def under(self, sheet: Sheet, grid: Sheet) -> Floats:
        """Height under all points of a sheet [nx, nz], cm; beyond a grid, as at its edge."""
        if not (np.array_equal(self._low, grid.low) and np.array_equal(self._high, grid.high)):
            self._low, self._high = grid.low, grid.high
            self._known = self._ask()
        places = [
            np.clip((line - low) / (high - low), 0, 1) * (BED_POINTS - 1)
            for line, low, high in zip((sheet.x, sheet.z), self._low, self._high, strict=True)
        ]
        across = np.meshgrid(*places, indexing="ij")
        return np.asarray(ndimage.map_coordinates(self._known, across, order=1, mode="nearest"))

    def _ask(self) -> Floats:
        lines = [np.linspace(a, b, BED_POINTS) for a, b in zip(self._low, self._high, strict=True)]
        x, z = (one.ravel() for one in np.meshgrid(*lines, indexing="ij"))
        height = self._terrain.height(x, z).reshape(BED_POINTS, BED_POINTS)
        return np.asarray(np.maximum(height, self._lowest))


def open_bed(terrain: list[dict[str, Any]], water: Water) -> Bed:
    """The ground below the water of a scene with some pieces of terrain."""
    return Bed(build_terrain(TypeAdapter(list[AnyTerrain]).validate_python(terrain)), water)
