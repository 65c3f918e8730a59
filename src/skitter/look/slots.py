"""Obstacles of a frame, one row for every slot: the one place that reads and writes such rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import OBSTACLE_COLOUR, read_bytes
from skitter.look.motion import channel_names
from skitter.rotation import matrices_to_quaternions, matrix_from_turn, quaternion_to_matrix
from skitter.scene.spec import MeshTerrain
from skitter.terrain.mesh_load import measure_box

Floats = NDArray[np.floating]
NONE, BOX, BALL, POST, MESH = range(5)  # shapes
COLUMNS = ("shape", "position", "size", "orientation", "colour")
Row = tuple[int, Any, Any, Any, Any]


@dataclass(frozen=True)
class ObstacleRows:
    """All obstacles at a moment."""

    shape: NDArray[np.integer]  # [obstacle]
    position: Floats  # [obstacle, 3] cm
    size: Floats  # [obstacle, 3] cm, edges of its box before it is turned
    orientation: Floats  # [obstacle, 4] w, x, y, z
    colour: NDArray[np.integer]  # [obstacle, 3] 0..255; black stands for the usual one
    meshes: dict[int, dict[str, Any]]  # by slot, as in a scene file

    def pieces(self) -> list[dict[str, Any]]:
        """Those that are there, as pieces of terrain."""
        rows = zip(*(getattr(self, name) for name in COLUMNS), strict=True)
        return [
            self.meshes.get(slot, {}) | read_piece(*row)
            for slot, row in enumerate(rows)
            if row[0] != NONE and (row[0] != MESH or slot in self.meshes)
        ]


def has_slots(recording: Any) -> bool:
    """Whether obstacles are recorded frame by frame, since they could be changed."""
    return "obstacle_shape" in channel_names(recording)


def read_obstacles(recording: Any, frame: int) -> ObstacleRows:
    """The obstacles of a frame: channels where they can change, else as the scene has them."""
    if has_slots(recording):
        columns: list[Any] = [np.asarray(recording[f"obstacle_{key}"][frame]) for key in COLUMNS]
        listed = recording.attributes.get("obstacle_meshes") or []
        is_mesh = columns[0] == MESH
        both = zip(listed, is_mesh, strict=False)
        meshes = {k: mesh for k, (mesh, there) in enumerate(both) if mesh and there}
    else:
        pieces = recording.attributes.get("obstacles") or []
        rows = [describe_piece(piece) for piece in pieces]
        shapes = ((-1,), (-1, 3), (-1, 3), (-1, 4), (-1, 3))
        columns = [
            np.array([row[k] for row in rows]).reshape(shape) for k, shape in enumerate(shapes)
        ]
        meshes = {k: piece for k, piece in enumerate(pieces) if piece["shape"] == "mesh"}
    shape, position, size, orientation, colour = columns
    return ObstacleRows(shape, position, size, orientation, colour, meshes)


def describe_piece(piece: dict[str, Any]) -> Row:
    """The row of an obstacle in a scene file."""
    turn = matrices_to_quaternions(matrix_from_turn(piece.get("turn_deg") or (0.0, 0.0, 0.0)))
    colour = read_bytes(piece["colour"]) if piece.get("colour") else (0, 0, 0)
    match piece["shape"]:
        case "box":
            return BOX, piece["at"], piece["size"], turn, colour
        case "sphere":
            return BALL, piece["at"], [2 * piece["radius"]] * 3, turn, colour
        case "mesh":
            size = measure_box(MeshTerrain.model_validate(piece))
            return MESH, piece["at"], size, turn, colour
        case _:
            across = 2 * piece["radius"]
            return POST, piece["at"], [across, piece["length"], across], turn, colour


def read_piece(
    shape: int, position: Floats, size: Floats, orientation: Floats, colour: NDArray[np.uint8]
) -> dict[str, Any]:
    """A piece of terrain from a row."""
    x, y, z = (float(edge) for edge in size)
    own = f"#{bytes(colour.tolist()).hex()}" if colour.any() else OBSTACLE_COLOUR
    piece = {"at": [float(value) for value in position], "colour": own}
    if shape == BALL:
        return piece | {"shape": "sphere", "radius": x / 2}
    piece["turn_deg"] = measure_turn(quaternion_to_matrix(orientation))
    if shape == MESH:  # what else there is to it does not change
        return piece | {"shape": "mesh"}
    if shape == BOX:
        return piece | {"shape": "box", "size": [x, y, z]}
    return piece | {"shape": "cylinder", "radius": x / 2, "length": y}


def measure_turn(matrix: Floats) -> list[float]:
    """The turns about x, then y, then z that make a rotation, degrees."""
    lean = np.hypot(matrix[0, 0], matrix[1, 0])
    y = np.arctan2(-matrix[2, 0], lean)
    if lean > 1e-6:
        x, z = np.arctan2(matrix[2, 1], matrix[2, 2]), np.arctan2(matrix[1, 0], matrix[0, 0])
    else:  # x and z turn about the same axis
        x, z = np.arctan2(-matrix[1, 2], matrix[1, 1]), 0.0
    return [float(angle) for angle in np.degrees([x, y, z])]
