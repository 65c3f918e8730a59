"""The skin of a swimmer as instances: thin slices that follow the body, and its fins.

All that is painted on a skin repeats along it, so a row of some slices serves for all of the body.
They overlap, and have normals across the body only, so that no edge shows. Snout and tail do not
bend: they are pieces of the first and the last part.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.hide import REPEAT
from skitter.look.mesh import Mesh, grid_triangles, ring_triangles, unit_rows
from skitter.look.motion import Pose
from skitter.look.placing import Part, Places, flatten_places
from skitter.look.rigid import Piece
from skitter.look.swimmer import (
    CREST,
    Outline,
    Rings,
    SwimmerSkin,
    carry_rings,
    cut_skin,
    rise_of_fins,
    shape_along,
)
from skitter.rotation import matrices_to_quaternions

Floats = NDArray[np.floating]
KINDS = 20  # slices until the painting repeats
REACH = 0.3  # of its length, by which a slice goes on at either end
END_RINGS = 16  # of a snout or a tail
FIN_FOOT = 1.15  # of a fin's foot on the whole skin


def cut_ends(skin: SwimmerSkin) -> list[Piece]:
    """Snout and tail of a skin, which its first and last part carry."""
    spine, last = skin.spine, len(skin.spine.size) - 1
    front = -spine.nose + (spine.size[0, 0] + spine.nose) * np.linspace(0, 1, END_RINGS) ** 1.5
    start, end = spine.length - spine.size[-1, 0], spine.length + spine.tail
    rear = end - (end - start) * np.linspace(1, 0, END_RINGS) ** 1.5
    return [cut_skin(skin, front, 0), cut_skin(skin, rear, last)]


class Row:
    """Places in a row between snout and tail, each with a frame and a size."""

    def __init__(self, skin: SwimmerSkin, step: float) -> None:
        self._spine = skin.spine
        start = float(skin.spine.size[0, 0]) - step
        end = skin.spine.length - float(skin.spine.size[-1, 0]) + step
        self.count = max(int(np.ceil((end - start) / step)), 1)
        ends = np.linspace(start, start + self.count * step, self.count + 1)
        self.place = (ends[1:] + ends[:-1]) / 2
        self._weights = skin.spine.weights(ends)
        self.high, self.wide = shape_along(self.place, skin.spine)

    def frames(self, pose: Pose) -> tuple[Rings, Floats, Floats]:
        """Middles with half axes of the boxes, orientations and lengths."""
        rings = carry_rings(self._weights, self._spine.sections(pose))
        front, back = rings.centre[..., :-1, :], rings.centre[..., 1:, :]
        length = np.maximum(np.linalg.norm(front - back, axis=-1, keepdims=True), 1e-9)
        up, side = ((one[..., 1:, :] + one[..., :-1, :]) / 2 for one in (rings.up, rings.side))
        x = (front - back) / length
        z = unit_rows(np.cross(x, up))
        turn = matrices_to_quaternions(np.stack([x, np.cross(z, x), z], axis=-1))
        return Rings((front + back) / 2, up, side), turn, length


class Slices:
    """The skin between snout and tail, as short tubes with fins on them."""

    def __init__(self, skin: SwimmerSkin) -> None:
        self._step = REPEAT * skin.spine.height / KINDS
        self._row = Row(skin, self._step)
        self._fins = Fins(skin, self._row)
        kind = np.arange(self._row.count) % KINDS
        self._runs = [np.flatnonzero(kind == one) for one in np.unique(kind)]
        self.parts = [self._cut(skin, run) for run in self._runs] + self._fins.parts

    def _cut(self, skin: SwimmerSkin, run: NDArray[np.integer]) -> Part:
        """The skin about the first place of some, one long, with half axes of one."""
        ends = np.array([-1.0, 1.0]) * (0.5 + REACH)
        shape = Outline(skin.spine, self._row.place[run[0]] + self._step * ends, skin.angles)
        shape.fin[:] = 0.0
        across = np.stack([shape.plain_up[0], shape.side[0]], axis=1)
        across /= np.abs(across).max(axis=0)
        points = np.stack([np.column_stack([np.full(len(across), -end), across]) for end in ends])
        turn = np.roll(across, -1, axis=0) - np.roll(across, 1, axis=0)
        outward = unit_rows(np.column_stack([0 * turn[:, 0], -turn[:, 1], turn[:, 0]]))
        mesh = Mesh(points.reshape(-1, 3), np.tile(outward, (2, 1)), ring_triangles(2, len(across)))
        return Part("slice", mesh, skin.hide.paint(shape, skin.spine).reshape(-1, 3), run)

    def place(self, pose: Pose) -> list[Places]:
        rings, turn, length = self._row.frames(pose)
        axes = ((rings.up, self._row.high), (rings.side, self._row.wide))
        size = [np.linalg.norm(way, axis=-1) * share for way, share in axes]
        scale = np.concatenate([length, np.stack(size, axis=-1)], axis=-1)
        values = (rings.centre, turn, scale)
        tubes = [flatten_places(*(one[..., run, :] for one in values)) for run in self._runs]
        return tubes + self._fins.place(rings, turn, length)


class Fins:
    """The fins above and below, as short ridges on the slices."""

    def __init__(self, skin: SwimmerSkin, row: Row) -> None:
        self._row = row
        fins = rise_of_fins(self._row.place, skin.spine)
        self._runs = [np.flatnonzero(fins[:, k] > 0.01) for k in range(2)]
        self._rise = [fins[run, k] for k, run in enumerate(self._runs)]
        hide = skin.hide
        feet = (hide.back, hide.belly)
        self.parts = [
            Part("slice", build_ridge(sign), paint_ridge(foot, hide.fin), run)
            for sign, foot, run in zip((1.0, -1.0), feet, self._runs, strict=True)
        ]

    def place(self, rings: Rings, turn: Floats, length: Floats) -> list[Places]:
        """Where they are on the frames of the row."""
        found = []
        for sign, run, rise in zip((1.0, -1.0), self._runs, self._rise, strict=True):
            up, side = rings.up[..., run, :], rings.side[..., run, :]
            high, wide = self._row.high[run], self._row.wide[run]
            position = rings.centre[..., run, :] + sign * (0.97 * high)[:, None] * up
            tall = np.linalg.norm(up, axis=-1) * (rise + 0.03 * high)
            thick = np.linalg.norm(side, axis=-1) * wide * CREST * FIN_FOOT
            scale = np.concatenate([length[..., run, :], np.stack([tall, thick], -1)], axis=-1)
            found.append(flatten_places(position, turn[..., run, :], scale))
        return found


def build_ridge(sign: float) -> Mesh:
    """A ridge along x, one long, one high and two wide at its foot."""
    across = np.array([[0.0, 1.0], [sign, 0.0], [0.0, -1.0]])
    ends = np.array([0.5, -0.5]) * (1 + 2 * REACH)
    points = np.concatenate([np.column_stack([np.full(3, end), across]) for end in ends])
    leaning = unit_rows(np.array([[0, 0.4 * sign, 1.0], [0, sign, 0], [0, 0.4 * sign, -1.0]]))
    triangles = grid_triangles(2, 3)
    return Mesh(points, np.tile(leaning, (2, 1)), triangles[:, ::-1] if sign > 0 else triangles)


def paint_ridge(foot: Floats, crest: Floats) -> Floats:
    """Colours of its points."""
    return np.tile(np.array([foot, crest, foot]), (2, 1))
