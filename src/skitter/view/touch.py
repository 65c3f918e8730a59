"""What clicks and drags mean: a ray into the scene, and the event that comes of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.events import (
    AddCreature,
    Event,
    MoveThing,
    PlaceFood,
    PlaceObstacle,
    Poke,
    RemoveCreature,
    RemoveThing,
)
from skitter.look.motion import Pose
from skitter.look.slots import ObstacleRows
from skitter.scene.spec import BoxTerrain, CreaturePlacement, CylinderTerrain, SphereTerrain
from skitter.terrain import Terrain

Floats = NDArray[np.floating]
TOOLS = ("food", "post", "ball", "box", "poke", "remove", "creature")
ABOUT = {
    "food": "Click on the ground: food lies there.",
    "post": "Click on the ground: a post stands there.",
    "ball": "Click on the ground: a ball lies there.",
    "box": "Click on the ground: a box lies there.",
    "poke": "Click on a creature: it is pushed away from you.",
    "remove": "Click on food, an obstacle or a creature: it goes.",
    "creature": "Click on the ground: a creature of the chosen species is dropped there.",
}
FOOD_SIZE = 0.4  # cm, radius, among animals of some centimetres
POKE_SPEED = (60.0, 120.0)  # cm/s for a creature of 10 cm, more for a longer one; at most
SMALL = 1.0  # cm: creatures below that are pushed by so many lengths, as one of that size is
DROP = 3.0  # body heights above the ground that a creature is dropped from
FARTHEST = 1e4  # cm: a click beyond that is one at the horizon
SLACK = 0.25  # of a thing's size: how far beside it a click may be


class Ray:
    """A line of sight into the scene, cm."""

    def __init__(self, origin: Any, direction: Any, scale: float) -> None:
        self.origin = np.asarray(origin, float) / scale
        direction = np.asarray(direction, float)
        self.direction = direction / max(float(np.linalg.norm(direction)), 1e-12)

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.origin).all() and np.isfinite(self.direction).all())

    def meet(self, terrain: Terrain) -> tuple[Floats, Floats] | None:
        """Where it meets the ground, and the ground's normal there."""
        distance, normal, _ = terrain.cast(self.origin, self.direction)
        if not distance[0] < FARTHEST:
            return None
        return self.origin + distance[0] * self.direction, normal[0]

    def miss(self, points: Floats) -> tuple[Floats, Floats]:
        """How far it passes from points [n], and how far along it that is [n]."""
        along = np.maximum((points - self.origin) @ self.direction, 0.0)
        near = self.origin + along[:, None] * self.direction
        return np.linalg.norm(points - near, axis=1), along


def build_event(
    tool: str, size: float, species: str, ray: Ray, terrain: Terrain, body_height: float
) -> Event | None:
    """What a click with a tool that puts something down does; None where there is no ground."""
    met = ray.meet(terrain)
    if met is None:
        return None
    point, normal = met
    if tool == "food":
        return PlaceFood(at=_vector(point), radius=size)
    if tool == "creature":
        at = point + DROP * body_height * normal
        return AddCreature(CreaturePlacement(species=species, at=_vector(at), start="free"))
    return PlaceObstacle(build_obstacle(tool, size, point, normal))


def build_obstacle(
    tool: str, size: float, point: Floats, normal: Floats
) -> BoxTerrain | SphereTerrain | CylinderTerrain:
    """An obstacle of a radius (cm) that stands on the ground, upright, a quarter sunk in."""
    lift = np.array([0.0, 1.0, 0.0]) if normal[1] > 0.5 else normal
    match tool:
        case "ball":
            at = _vector(point + 0.8 * size * lift)
            return SphereTerrain(shape="sphere", at=at, radius=size)
        case "box":
            at = _vector(point + 0.6 * size * lift)
            edges = (2 * size, 1.6 * size, 2 * size)
            return BoxTerrain(shape="box", at=at, size=edges)
        case _:
            at = _vector(point + size * lift)
            return CylinderTerrain(shape="cylinder", at=at, radius=size, length=4 * size)


def find_creature(poses: Mapping[str, Pose], ray: Ray) -> tuple[str, Floats] | None:
    """The creature that a ray goes through, and where about."""
    best: tuple[float, str, Floats] | None = None
    for name, pose in poses.items():
        points = np.concatenate([pose.body_position, pose.node_position])
        gap, along = ray.miss(points)
        reach = 0.5 * _spacing(points)
        hit = np.flatnonzero(gap < reach)
        if len(hit) and (best is None or along[hit].min() < best[0]):
            nearest = hit[np.argmin(along[hit])]
            best = (float(along[nearest]), name, points[nearest])
    return None if best is None else best[1:]


def _spacing(points: Floats) -> float:
    """About how thick a creature is: the larger gaps between points and their neighbours."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return max(size / max(len(points) ** 0.5, 2.0), 1e-3) * 1.5


def build_poke(poses: Mapping[str, Pose], ray: Ray) -> Event | None:
    """A push along the line of sight."""
    found = find_creature(poses, ray)
    if found is None:
        return None
    name, point = found
    pose = poses[name]
    size = float(
        np.linalg.norm(np.ptp(np.concatenate([pose.body_position, pose.node_position]), axis=0))
    )
    away = ray.direction * [1.0, 0.25, 1.0] + [0.0, 0.35, 0.0]
    speed = min(POKE_SPEED[0] * float(np.sqrt(max(size, SMALL) / 10)), POKE_SPEED[1])
    if 0 < size < SMALL:  # one body alone has no size to go by
        speed *= size / SMALL
    return Poke(name, _vector(point), _vector(speed * away / np.linalg.norm(away)))


def build_removal(
    food: Floats, obstacles: ObstacleRows, poses: Mapping[str, Pose], ray: Ray
) -> Event | None:
    """Take away whatever a click is on, the nearest to the eye if there are several."""
    found: list[tuple[float, Event]] = []
    rows = (
        ("food", food[:, :3], 2 * food[:, 3]),
        (
            "obstacle",
            obstacles.position,
            np.where(obstacles.shape > 0, obstacles.size.max(axis=1, initial=0), 0),
        ),
    )
    for kind, points, width in rows:
        if len(points) == 0:
            continue
        gap, along = ray.miss(points)
        for index in np.flatnonzero((width > 0) & (gap < (0.5 + SLACK) * width)):
            found.append((float(along[index]), RemoveThing(kind, int(index))))
    creature = find_creature(poses, ray)
    if creature is not None:
        along = ray.miss(creature[1][None])[1]
        found.append((float(along[0]), RemoveCreature(creature[0])))
    return min(found, key=lambda one: one[0])[1] if found else None


def build_drag(
    kind: str, index: int, ray: Ray, terrain: Terrain, obstacles: ObstacleRows
) -> Event | None:
    """A thing that is dragged slides over the ground under the pointer."""
    met = ray.meet(terrain)
    if met is None:
        return None
    point, normal = met
    if kind == "obstacle" and index < len(obstacles.shape):
        point = point + 0.25 * obstacles.size[index, 1] * normal
    return MoveThing(kind, index, _vector(point))


def _vector(point: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return x, y, z
