"""Movable objects as shapes: boxes, balls and cylinders with mass and friction."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel
from skitter.terrain.mesh_build import join_meshes
from skitter.terrain.surface import AXES, BOX, CENTRE, CYLINDER, ROW_SIZE, SPHERE, TerrainArrays

BOX_SHAPE, BALL, ROLLER = 0, 1, 2  # of BlockShape.shape
SURFACE = {BOX_SHAPE: BOX, BALL: SPHERE, ROLLER: CYLINDER}
ALONG_Y = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # cylinders of terrains
SURFACE_TURN = {BOX_SHAPE: np.eye(3), BALL: np.eye(3), ROLLER: ALONG_Y}


class BlockShape(NamedTuple):
    """A movable object."""

    shape: int  # BOX_SHAPE, BALL or ROLLER, a cylinder along its own x
    size: tuple[float, float, float]  # cm, edges of the box around it
    mass: float  # g
    friction: float

    @property
    def inertia(self) -> np.ndarray:
        """About its own axes [3], g cm2."""
        x, y, z = np.square(self.size)
        if self.shape == BOX_SHAPE:
            return self.mass / 12 * np.array([y + z, x + z, x + y])
        if self.shape == BALL:
            return self.mass / 10 * np.array([x, x, x])
        across = self.mass * (x / 12 + y / 16)
        return np.array([self.mass * y / 8, across, across])

    @property
    def extent(self) -> tuple[float, float, float]:
        """As the rows of a terrain have it: half edges, or radius and half length."""
        x, y, z = (edge / 2 for edge in self.size)
        return (y, x, 0.0) if self.shape == ROLLER else (x, y, z)

    @property
    def reach(self) -> float:
        """Radius of the ball that holds it, cm."""
        x, y, z = (edge / 2 for edge in self.size)
        if self.shape == BALL:
            return x
        return float(np.hypot(x, y) if self.shape == ROLLER else np.sqrt(x * x + y * y + z * z))


class BlockState(NamedTuple):
    """Where an object is, and how it moves."""

    place: np.ndarray  # [3] cm, its middle
    turn: np.ndarray  # [3, 3] its axes as columns
    velocity: np.ndarray  # [3] cm/s
    spin: np.ndarray  # [3] rad/s, in the world's axes


def blocks_to_arrays(shapes: Sequence[BlockShape], states: Sequence[BlockState]) -> TerrainArrays:
    """Objects as a terrain, an item for each; `update_arrays` moves them."""
    count = len(shapes)
    kind = np.array([SURFACE[one.shape] for one in shapes], np.int64)
    row = np.zeros((count, ROW_SIZE))
    for k, one in enumerate(shapes):
        row[k, CENTRE + 3 : AXES] = *one.extent, one.reach
    arrays = TerrainArrays(
        kind=kind,
        centre=np.zeros((count, 3)),
        axes=np.zeros((count, 3, 3)),
        row=row,
        link=np.stack([kind, np.arange(count), np.full(count, -1)], axis=1),
        friction=np.array([one.friction for one in shapes], float),
        restitution=np.zeros(count),
        meshes=join_meshes([]),
    )
    place = np.array([one.place for one in states], float).reshape(count, 3)
    turn = np.array([one.turn for one in states], float).reshape(count, 3, 3)
    update_arrays(arrays.kind, arrays.centre, arrays.axes, arrays.row, place, turn)
    return arrays


@kernel
def update_arrays(kind, centre, axes, row, place, turn):
    """Bring the surfaces of objects to where these are: middles [n, 3], axes [n, 3, 3]."""
    for k in range(len(kind)):
        for i in range(3):
            centre[k, i] = row[k, CENTRE + i] = place[k, i]
            x, y, z = turn[k, i, 0], turn[k, i, 1], turn[k, i, 2]
            if kind[k] == CYLINDER:  # ALONG_Y
                x, y, z = y, x, -z
            axes[k, i, 0], axes[k, i, 1], axes[k, i, 2] = x, y, z
            row[k, AXES + 3 * i], row[k, AXES + 3 * i + 1], row[k, AXES + 3 * i + 2] = x, y, z
