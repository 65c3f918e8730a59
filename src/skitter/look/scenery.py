"""What lies about in a scene besides the terrain: obstacles, and food that is there until eaten."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import FOOD_COLOUR, OBSTACLE_COLOUR, read_colour
from skitter.look.mesh import Mesh, build_capsule
from skitter.look.motion import channel_names
from skitter.look.terrain import build_solids

Floats = NDArray[np.floating]


def list_obstacles(recording: Any) -> list[dict[str, Any]]:
    """The obstacles of a recording as pieces of terrain, in a colour that tells them from it."""
    pieces = recording.attributes.get("obstacles") or []
    return [piece | {"colour": piece.get("colour") or OBSTACLE_COLOUR} for piece in pieces]


@dataclass(frozen=True)
class Food:
    """All food of a recording."""

    position: Floats  # [food, 3] cm
    radius: Floats  # [food] cm
    time: Floats  # [frame] s
    left: Any  # [frame, food], 1 while not eaten

    @property
    def colour(self) -> Floats:
        return read_colour(FOOD_COLOUR)

    def left_at(self, time: float) -> NDArray[np.bool_]:
        """Which food is not eaten yet, by the frame at or before a time."""
        frame = int(np.searchsorted(self.time, time + 1e-9, side="right")) - 1
        return np.asarray(self.left[max(frame, 0)]) != 0

    def at(self, time: float) -> Mesh:
        """Balls, as many as there is food; eaten ones have shrunk to a point."""
        ball = build_capsule(1.0, 0.0, around=24, steps=9)
        count = len(self.radius)
        radius = np.where(self.left_at(time), self.radius, 0.0)
        points = self.position[:, None] + radius[:, None, None] * ball.points
        first = np.arange(count)[:, None, None] * len(ball.points)
        return Mesh(
            points.reshape(-1, 3),
            np.tile(ball.normals, (count, 1)),
            (ball.triangles + first).reshape(-1, 3),
        )


def open_food(recording: Any) -> Food | None:
    """The food of a recording, if there is any."""
    if "food_left" not in channel_names(recording):
        return None
    position = np.asarray(recording.static("food_position"), dtype=float).reshape(-1, 3)
    if len(position) == 0:
        return None
    radius = np.asarray(recording.static("food_radius"), dtype=float)
    return Food(position, radius, np.asarray(recording.time, dtype=float), recording["food_left"])


def outline_scenery(recording: Any) -> Floats | None:
    """Points [point, 3] around which food and obstacles lie."""
    points = [solid.mesh.points for solid in build_solids(list_obstacles(recording))]
    food = open_food(recording)
    if food is not None:
        points.append(food.position)
    return np.concatenate(points) if points else None
