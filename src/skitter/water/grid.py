"""The arrays of a sheet of shallow water, and the numbers that stay with it."""

from typing import NamedTuple

import numpy as np

from skitter.water.flow import PAD
from skitter.water.together import CACHE_LINE

SOLID = 1e9  # cm, ground of a cell that holds no water at all
LANES = 16  # rows are as long as a multiple of this
FASTEST = 4.0  # speed limit of the water, in speeds of waves over the deepest place
SLOWEST_LIMIT = 1.0  # cm/s, which that limit is never below
DRY = {"float32": 1e-5, "float64": 1e-7}  # depth that counts as none, as a share of the deepest
# of `stir_x` and `stir_z`: how strongly a face is drawn, 1/cm; normal along x and z; speed along it
DRAW, NORMAL_X, NORMAL_Z, SPEED, STIR_SIZE = 0, 1, 2, 3, 4


class Sheet(NamedTuple):
    """State and scratch of a sheet of water; [rows, columns] with PAD more of both on each side.

    Those with two copies are read from one and written to the other, in turn.
    """

    u: np.ndarray  # [2, rows, columns] cm/s along x, on the low x faces of cells
    w: np.ndarray  # [2, rows, columns] cm/s along z, on the low z faces of cells
    depth: np.ndarray  # [2, rows, columns] cm of water
    flow_x: np.ndarray  # [rows, columns] cm of depth that crossed x faces in the last sub-step
    flow_z: np.ndarray  # [rows, columns] cm of depth that crossed z faces in the last sub-step
    surface: np.ndarray  # [rows, columns] cm, y of the surface: ground + depth
    head: np.ndarray  # [rows, columns] cm, the surface as it drives the water; see `lead_row`
    ground: np.ndarray  # [rows, columns] cm: bed + what bodies displace now
    bed: np.ndarray  # [rows, columns] cm, SOLID where no water can be
    body: np.ndarray  # [2, rows, columns] cm displaced by bodies as a frame begins and ends
    stir_x: np.ndarray  # [STIR_SIZE, rows, columns] how bodies draw x faces
    stir_z: np.ndarray  # [STIR_SIZE, rows, columns] how bodies draw z faces
    stirred: np.ndarray  # [2] int64, rows that bodies are in, from and to; also where they were
    row: np.ndarray  # [threads, 5, columns] scratch
    top: np.ndarray  # [threads, 2, columns] largest depth and speed; scratch
    peak: np.ndarray  # [threads, 2] largest depth cm and speed cm/s; scratch
    done: np.ndarray  # [threads * CACHE_LINE] int64, how far each thread is; scratch


class Numbers(NamedTuple):
    """What does not change while water moves."""

    rows: int  # cells along x
    columns: int  # cells along z
    cell: float  # cm
    level: float  # cm, y of still water
    gravity: float  # cm/s²
    dry: float  # cm, depth that counts as none
    fastest: float  # cm/s, limit of the water's speed
    is_open: bool  # whether waves leave through the edges


def build_sheet(rows: int, columns: int, real: type, threads: int) -> Sheet:
    """Arrays for a grid of so many cells, all zero."""
    shape = rows + 2 * PAD + 1, -(-(columns + 2 * PAD + 1) // LANES) * LANES
    return Sheet(
        u=np.zeros((2, *shape), real),
        w=np.zeros((2, *shape), real),
        depth=np.zeros((2, *shape), real),
        flow_x=np.zeros(shape, real),
        flow_z=np.zeros(shape, real),
        surface=np.zeros(shape, real),
        head=np.zeros(shape, real),
        ground=np.zeros(shape, real),
        bed=np.zeros(shape, real),
        body=np.zeros((2, *shape), real),
        stir_x=np.zeros((STIR_SIZE, *shape), real),
        stir_z=np.zeros((STIR_SIZE, *shape), real),
        stirred=np.zeros(2, np.int64),
        **build_scratch(shape[1], real, threads),
    )


def build_scratch(columns: int, real: type, threads: int) -> dict[str, np.ndarray]:
    return {
        "row": np.zeros((threads, 5, columns), real),
        "top": np.zeros((threads, 2, columns), real),
        "peak": np.zeros((threads, 2)),
        "done": np.zeros(threads * CACHE_LINE, np.int64),
    }
