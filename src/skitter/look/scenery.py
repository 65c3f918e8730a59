"""What lies about in a scene besides the terrain: obstacles, and food until eaten or brought home.

A recording has them once, as the scene has them, or frame by frame where they could be changed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.carried import Carrier, find_carriers
from skitter.look.colour import FOOD_COLOUR, OBSTACLE_COLOUR, read_colour
from skitter.look.mesh import Mesh, build_capsule
from skitter.look.motion import channel_names
from skitter.look.slots import has_slots, read_obstacles
from skitter.look.terrain import build_solids

Floats = NDArray[np.floating]
OUTLINED = 60  # moments at which scenery that changes is looked at for its outline


def list_obstacles(recording: Any) -> list[dict[str, Any]]:
    """The obstacles that never change as pieces of terrain, in a colour that tells them from it."""
    pieces = recording.attributes.get("obstacles") or []
    return [piece | {"colour": piece.get("colour") or OBSTACLE_COLOUR} for piece in pieces]


def find_frame(times: Floats, time: float) -> int:
    """The frame at or before a time."""
    return max(int(np.searchsorted(times, time + 1e-9, side="right")) - 1, 0)


@dataclass(frozen=True)
class Food:
    """All food of a recording; that in jaws comes after that on the ground."""

    position: Any  # [food, 3] cm, or [frame, food, 3] where it can be moved
    radius: Any  # [food] cm, or [frame, food]
    time: Floats  # [frame] s
    left: Any  # [frame, food], 1 while it is there
    moves: bool = False
    carriers: tuple[tuple[Carrier, Any], ...] = ()  # with [frame], 1 while it carries

    @property
    def colour(self) -> Floats:
        return read_colour(FOOD_COLOUR)

    def left_at(self, time: float) -> NDArray[np.bool_]:
        """Which food is there, by the frame at or before a time."""
        return np.asarray(self.left[find_frame(self.time, time)]) != 0

    def balls_at(self, time: float) -> Floats:
        """Place and radius of each piece [food, 4], cm; the radius is 0 where it is not there."""
        frame = find_frame(self.time, time)
        position, radius = (
            np.asarray(values[frame] if self.moves else values, dtype=float)
            for values in (self.position, self.radius)
        )
        lying = np.column_stack([position, np.where(self.left_at(time), radius, 0.0)])
        held = [one.hold(one.motion.pose(time), carries[frame]) for one, carries in self.carriers]
        return np.concatenate([lying, *(ball[None] for ball in held)])

    def balls_over(self, times: Floats) -> Floats:
        """The same at many rising times [time, food, 4]."""
        frames = np.array([find_frame(self.time, float(time)) for time in times])
        left = np.asarray(self.left[frames]) != 0
        position, radius = (
            np.asarray(values[frames] if self.moves else values, dtype=float)
            for values in (self.position, self.radius)
        )
        position = np.broadcast_to(position, (*left.shape, 3))
        lying = np.concatenate([position, np.where(left, radius, 0.0)[..., None]], axis=-1)
        held = [one.hold(one.motion.poses(times), row[frames]) for one, row in self.carriers]
        return np.concatenate([lying, *(balls[:, None] for balls in held)], axis=1)

    def at(self, time: float) -> Mesh:
        """Balls, as many as there is food; eaten ones have shrunk to a point."""
        ball = build_capsule(1.0, 0.0, around=24, steps=9)
        balls = self.balls_at(time)
        points = balls[:, None, :3] + balls[:, 3, None, None] * ball.points
        first = np.arange(len(balls))[:, None, None] * len(ball.points)
        return Mesh(
            points.reshape(-1, 3),
            np.tile(ball.normals, (len(balls), 1)),
            (ball.triangles + first).reshape(-1, 3),
        )


def open_food(recording: Any) -> Food | None:
    """The food of a recording, if there is any or room for it."""
    names = channel_names(recording)
    if "food_left" not in names:
        return None
    time, left = np.asarray(recording.time, dtype=float), recording["food_left"]
    moves = "food_position" in names
    take = recording.__getitem__ if moves else recording.static
    position, radius = take("food_position"), take("food_radius")
    if not moves:
        position, radius = np.reshape(position, (-1, 3)).astype(float), np.asarray(radius, float)
        if len(position) == 0:
            return None
    usual = np.asarray(radius[0] if moves else radius, float)
    able = find_carriers(recording, usual)
    carriers = tuple((one, recording[one.channel]) for one in able)
    return Food(position, radius, time, left, moves, carriers)


class Obstacles:
    """All obstacles of a recording."""

    def __init__(self, recording: Any) -> None:
        self._recording = recording
        self.time = np.asarray(recording.time, dtype=float)
        self.moves = has_slots(recording)
        self._fixed = [] if self.moves else list_obstacles(recording)

    def pieces_at(self, time: float) -> list[dict[str, Any]]:
        """Those that are there at a time, as pieces of terrain."""
        if not self.moves:
            return self._fixed
        return read_obstacles(self._recording, find_frame(self.time, time)).pieces()


def open_obstacles(recording: Any) -> Obstacles:
    """The obstacles of a recording, whether they can change or not."""
    return Obstacles(recording)


def outline_scenery(recording: Any) -> Floats | None:
    """Points [point, 3] around which food and obstacles lie."""
    obstacles, food = open_obstacles(recording), open_food(recording)
    changes = obstacles.moves or (food is not None and food.moves)
    times = obstacles.time[:: 1 + len(obstacles.time) // OUTLINED] if changes else [0.0]
    points = []
    for time in times:
        points += [solid.mesh.points for solid in build_solids(obstacles.pieces_at(float(time)))]
        if food is not None:
            balls = food.balls_at(float(time))
            points.append(balls[balls[:, 3] > 0, :3] if changes else balls[:, :3])
    found = np.concatenate([np.zeros((0, 3)), *points])
    return found if len(found) else None
