"""What lies about in a world: obstacles to walk around and food to find.

Those at random are placed by the seed of the run, on the ground, apart from each other and from the
creatures.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.errors import UserError
from skitter.scene.spec import (
    BoxTerrain,
    CylinderTerrain,
    FoodSpec,
    Scatter,
    SceneSpec,
    SphereTerrain,
)
from skitter.terrain import Terrain, build_terrain

Obstacle = BoxTerrain | SphereTerrain | CylinderTerrain
TRIES = 500  # random places tried for one thing
SUNK = 0.25  # of a post's height that is in the ground, so that it stands on slopes too


class Things:
    """Obstacles, which never change, and food, which is eaten."""

    def __init__(self, spec: SceneSpec, terrain: Terrain, rng: np.random.Generator):
        self.obstacles = place_obstacles(spec, terrain, rng)
        self.barrier = build_terrain(self.obstacles)
        self.food = place_food(spec, terrain, self.barrier, rng)  # [n, 5]: place, radius, strength
        self.left = np.ones(len(self.food), np.uint8)

    def smell(self) -> np.ndarray:
        """The food that is left, as creatures sense it: what is eaten has no strength."""
        food = self.food.copy()
        food[:, 4] *= self.left
        return food

    def eat(self, mouth: np.ndarray, reach: float) -> int:
        """Take away the food within reach of a mouth; returns how many pieces."""
        far = np.linalg.norm(self.food[:, :3] - mouth, axis=1)
        eaten = (far < reach + self.food[:, 3]) & (self.left > 0)
        self.left[eaten] = 0
        return int(eaten.sum())

    def list_channels(self) -> list[Channel]:
        about = "1 while it is there, 0 once it is eaten"
        return [
            Channel("food_left", ("food",), self.left.shape, "uint8", "1", about)
        ] * self.has_food

    def read(self) -> dict[str, np.ndarray]:
        return {"food_left": self.left} if self.has_food else {}

    def list_statics(self) -> list[Static]:
        return [
            Static("food_position", ("food", "xyz"), self.food[:, :3], "cm", "where food lies"),
            Static("food_radius", ("food",), self.food[:, 3], "cm", "how large it is"),
        ] * self.has_food

    @property
    def has_food(self) -> bool:
        return len(self.food) > 0

    def describe(self) -> list[dict[str, Any]]:
        """The obstacles as in a scene file, each at its place."""
        return [one.model_dump(mode="json") for one in self.obstacles]


def place_obstacles(spec: SceneSpec, terrain: Terrain, rng: np.random.Generator) -> list[Obstacle]:
    """The obstacles of a scene, those at random at their places."""
    placed: list[Obstacle] = []
    taken = [(np.array(one.at), 0.0) for one in spec.creatures]
    for index, item in enumerate(spec.obstacles):
        if isinstance(item, Scatter):
            placed += scatter_posts(item, index, terrain, taken, rng)
        else:
            placed.append(item)
    return placed


def scatter_posts(
    item: Scatter,
    index: int,
    terrain: Terrain,
    taken: list[tuple[np.ndarray, float]],
    rng: np.random.Generator,
) -> list[Obstacle]:
    posts: list[Obstacle] = []
    for _ in range(item.count):
        radius = float(rng.uniform(min(item.radius), max(item.radius)))
        point = find_place(item.at, item.area, terrain, taken, radius + item.gap, rng)
        if point is None:
            raise UserError(
                f"obstacles[{index}]: no room for {item.count} posts of radius {radius:.3g} with a"
                f" gap of {item.gap:g} in an area of {item.area[0]:g} x {item.area[1]:g} cm;"
                " valid: fewer, a smaller gap or a larger area"
            )
        taken.append((point, radius))
        middle = point + np.array([0.0, item.height * (0.5 - SUNK), 0.0])
        posts.append(
            CylinderTerrain(
                shape="cylinder",
                at=(float(middle[0]), float(middle[1]), float(middle[2])),
                radius=radius,
                length=item.height,
                colour=item.colour,
            )
        )
    return posts


def find_place(
    centre: Sequence[float],
    area: Sequence[float],
    terrain: Terrain,
    taken: list[tuple[np.ndarray, float]],
    room: float,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """A random place on the surface that keeps `room` from all that is taken."""
    for _ in range(TRIES):
        point = np.array(centre) + draw_away(area, rng)
        if len(terrain.arrays.kind):
            point = terrain.closest_point(point)[0]
        if all(np.linalg.norm(point - other) > room + radius for other, radius in taken):
            return point
    return None


def draw_away(area: Sequence[float], rng: np.random.Generator) -> np.ndarray:
    """A random way from the middle of an area along x and z [3], cm."""
    return rng.uniform(-0.5, 0.5, 3) * [area[0], 0.0, area[1]]


def place_food(
    spec: SceneSpec, terrain: Terrain, barrier: Terrain, rng: np.random.Generator
) -> np.ndarray:
    """All pieces of food [n, 5]: place, radius, strength."""
    rows = [row for item in spec.food for row in scatter_food(item, terrain, barrier, rng)]
    return np.array(rows, float).reshape(-1, 5)


def scatter_food(
    item: FoodSpec, terrain: Terrain, barrier: Terrain, rng: np.random.Generator
) -> list[list[float]]:
    """Pieces of food that lie on the surface, at random ones clear of the obstacles."""
    rows = []
    for _ in range(item.count):
        for _ in range(TRIES):
            point = np.array(item.at) + draw_away(item.area or (0.0, 0.0), rng)
            if len(terrain.arrays.kind):
                point = terrain.closest_point(point)[0]
                point = point + 0.9 * item.radius * terrain.sample(point)[1][0]
            if item.area is None or barrier.sample(point)[0][0] > 4 * item.radius:
                break
        rows.append([*point, item.radius, item.strength])
    return rows
