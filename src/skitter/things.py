"""What lies about in a world: obstacles to walk around and food to find.

Those at random are placed by the seed of the run, on the ground, apart from each other and from the
creatures. With spare slots things can be placed, moved and taken away while the world runs.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skitter.channel import Channel, Static
from skitter.errors import UserError
from skitter.rotation import matrix_from_turn, matrix_to_quaternion
from skitter.scene.spec import (
    BoxTerrain,
    CylinderTerrain,
    FoodSpec,
    MeshTerrain,
    Scatter,
    SceneSpec,
    SphereTerrain,
)
from skitter.spec import Vector3
from skitter.state import read_text, write_text
from skitter.terrain import Terrain, build_terrain
from skitter.terrain.mesh_load import measure_box
from skitter.terrain.surface import CENTRE, TerrainArrays

Simple = BoxTerrain | SphereTerrain | CylinderTerrain  # can be put up while a world runs
Obstacle = Simple | MeshTerrain
SIMPLE: dict[str, type[Simple]] = {
    "box": BoxTerrain,
    "sphere": SphereTerrain,
    "cylinder": CylinderTerrain,
}
SHAPES: dict[str, type[Obstacle]] = {**SIMPLE, "mesh": MeshTerrain}
OBSTACLE_ROW = np.dtype(  # an obstacle as numbers; see CHANNELS
    [
        ("shape", np.uint8),
        ("position", np.float32, 3),
        ("size", np.float32, 3),
        ("orientation", np.float32, 4),
        ("colour", np.uint8, 3),
    ]
)
# of things that can change: name, dimensions, unit, what it is
CHANNELS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("food_position", ("food", "xyz"), "cm", "where food lies"),
    ("food_radius", ("food",), "cm", "how large it is"),
    ("food_left", ("food",), "1", "1 while it is there, 0 once it is eaten or the slot is empty"),
    ("obstacle_shape", ("obstacle",), "1", "0 none, 1 box, 2 sphere, 3 cylinder along y, 4 mesh"),
    ("obstacle_position", ("obstacle", "xyz"), "cm", "middles of the obstacles"),
    ("obstacle_size", ("obstacle", "xyz"), "cm", "edges of a box around it, before it is turned"),
    ("obstacle_orientation", ("obstacle", "wxyz"), "1", "from the obstacle's axes to the world"),
    ("obstacle_colour", ("obstacle", "rgb"), "1", "0 to 255, as in #rrggbb; 0 0 0: the usual one"),
)
TRIES = 500  # random places tried for one thing
LINE_STEPS = 4  # of the line through a walker, from body to body
SUNK = 0.25  # of a post's height that is in the ground, so that it stands on slopes too


class Things:
    """Obstacles, and food, which is eaten. All things are in slots, of which some may be empty."""

    def __init__(
        self, spec: SceneSpec, terrain: Terrain, rng: np.random.Generator, *, spare: int = 0
    ):
        placed = place_obstacles(spec, terrain, rng)
        self.spare = spare  # free slots for each kind, besides those of the scene
        self._fill([*placed, *[None] * spare])
        food = place_food(spec, terrain, self.barrier, rng)
        self.food = np.concatenate([food, np.zeros((spare, 5))])  # [n, 5]: place, radius, strength
        self.left = np.array([1] * len(food) + [0] * spare, np.uint8)  # [n] 0: eaten or empty

    def _fill(self, slots: Sequence[Obstacle | None]) -> None:
        """Put obstacles into all slots."""
        self.slots = list(slots)
        self.barrier = build_terrain(self.obstacles)
        self._rows = np.zeros(len(slots), OBSTACLE_ROW)  # as they are recorded
        for slot, one in enumerate(slots):
            self._rows[slot] = describe_obstacle(one)

    @property
    def obstacles(self) -> list[Obstacle]:
        """The obstacles that are there."""
        return [one for one in self.slots if one is not None]

    def set_obstacle(self, slot: int, obstacle: Obstacle | None) -> None:
        """Put an obstacle into a slot, or empty it."""
        self.slots[slot] = obstacle
        self.barrier = build_terrain(self.obstacles)
        self._rows[slot] = describe_obstacle(obstacle)

    def move_obstacle(self, slot: int, at: Vector3) -> None:
        """Put an obstacle elsewhere; cheap enough to be done many times a second."""
        one = self.slots[slot]
        if one is None:
            return
        self.slots[slot] = one.model_copy(update={"at": at})
        place = sum(other is not None for other in self.slots[:slot])  # each is one primitive
        arrays = self.barrier.arrays
        centre, row = arrays.centre.copy(), arrays.row.copy()
        centre[place], row[place, CENTRE : CENTRE + 3] = at, at
        self.barrier = Terrain(arrays._replace(centre=centre, row=row))
        self._rows["position"][slot] = at

    def set_food(self, slot: int, row: Sequence[float]) -> None:
        """Put a piece of food into a slot: place, radius, strength."""
        self.food[slot], self.left[slot] = row, 1

    def remove_food(self, slot: int) -> None:
        self.food[slot], self.left[slot] = 0.0, 0

    def obstruct(self, points: np.ndarray | None) -> TerrainArrays:
        """The obstacles that hinder a walker whose bodies are at some points [n, 3], in a row; it
        need not say where they are if no obstacle can come.

        One that has come down on it would push every body out by the nearest way, and those ways
        may lead apart. So it does not feel what its body goes through until it has walked out.
        """
        if points is None or not self.spare:
            return self.barrier.arrays
        line, gap = draw_line(points)
        if (self.barrier.sample(line)[0] > gap).all():
            return self.barrier.arrays
        alone = [(one, build_terrain([one])) for one in self.obstacles]
        return build_terrain([one for one, it in alone if (it.sample(line)[0] > gap).all()]).arrays

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

    def take(self, mouth: np.ndarray, reach: float) -> bool:
        """Take away the nearest piece of food within reach of a mouth; tells whether there was."""
        far = np.linalg.norm(self.food[:, :3] - mouth, axis=1) - self.food[:, 3]
        far[self.left == 0] = np.inf
        if len(far) == 0 or far.min() >= reach:
            return False
        self.left[far.argmin()] = 0
        return True

    def list_channels(self) -> list[Channel]:
        if self.spare:
            values = self.read()
            return [
                Channel(label, dims, values[label].shape, values[label].dtype.name, unit, about)
                for label, dims, unit, about in CHANNELS
            ]
        about = "1 while it is there, 0 once it is eaten"
        return [
            Channel("food_left", ("food",), self.left.shape, "uint8", "1", about)
        ] * self.has_food

    def read(self) -> dict[str, np.ndarray]:
        if not self.spare:
            return {"food_left": self.left} if self.has_food else {}
        values: dict[str, np.ndarray] = {
            "food_position": self.food[:, :3].astype(np.float32),
            "food_radius": self.food[:, 3].astype(np.float32),
            "food_left": self.left,
        }
        for key in OBSTACLE_ROW.names or ():
            values[f"obstacle_{key}"] = self._rows[key].copy()
        return values

    def list_statics(self) -> list[Static]:
        if self.spare:
            return []
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

    def describe_meshes(self) -> list[dict[str, Any] | None]:
        """The meshes among the obstacles as in a scene file, by slot: their rows name no file."""
        meshes = [isinstance(one, MeshTerrain) for one in self.slots]
        both = zip(self.slots, meshes, strict=True)
        return [one.model_dump(mode="json") if one and mesh else None for one, mesh in both]

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes, as copies."""
        state = {"food": self.left.copy()}
        if self.spare:
            slots = [one and one.model_dump(mode="json") for one in self.slots]
            state["food_rows"] = self.food.copy()
            state["obstacles"] = write_text(json.dumps(slots))
        return state

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state taken from things of as many slots."""
        self.left[...] = state["food"]
        if self.spare:
            self.food[...] = state["food_rows"]
            slots = json.loads(read_text(state["obstacles"]))
            self._fill([one and SHAPES[one["shape"]].model_validate(one) for one in slots])


def draw_line(points: np.ndarray) -> tuple[np.ndarray, float]:
    """More points along the way through some [n, 3], and half the longest way between them, cm."""
    steps = np.diff(points, axis=0) / LINE_STEPS
    between = points[:-1, None] + np.arange(LINE_STEPS)[:, None] * steps[:, None]
    line = np.concatenate([between.reshape(-1, 3), points[-1:]])
    return line, float(np.linalg.norm(steps, axis=1).max()) / 2


def describe_obstacle(one: Obstacle | None) -> tuple[Any, ...]:
    """An obstacle as an OBSTACLE_ROW."""
    if one is None:
        return 0, (0, 0, 0), (0, 0, 0), (1, 0, 0, 0), (0, 0, 0)
    if isinstance(one, BoxTerrain):
        size = one.size
    elif isinstance(one, SphereTerrain):
        size = (2 * one.radius,) * 3
    elif isinstance(one, MeshTerrain):
        size = measure_box(one)
    else:
        size = (2 * one.radius, one.length, 2 * one.radius)
    turn = (0.0, 0.0, 0.0) if isinstance(one, SphereTerrain) else one.turn_deg
    orientation = matrix_to_quaternion(matrix_from_turn(turn))
    colour = tuple(bytes.fromhex(one.colour[1:])) if one.colour else (0, 0, 0)
    return 1 + list(SHAPES).index(one.shape), one.at, size, orientation, colour


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
    food = np.array(rows, float).reshape(-1, 5)
    if spec.water is not None:
        food[:, 1] = np.maximum(food[:, 1], spec.water.level)  # it floats
    return food


def scatter_food(
    item: FoodSpec, terrain: Terrain, barrier: Terrain, rng: np.random.Generator
) -> list[list[float]]:
    """Pieces of food that lie on the surface, at random ones clear of the obstacles."""
    rows = []
    for _ in range(item.count):
        for _ in range(TRIES):
            point = np.array(item.at) + draw_away(item.area or (0.0, 0.0), rng)
            point = lay_on_ground(point, item.radius, terrain)
            if item.area is None or barrier.sample(point)[0][0] > 4 * item.radius:
                break
        rows.append([*point, item.radius, item.strength])
    return rows


def lay_on_ground(point: np.ndarray, radius: float, terrain: Terrain) -> np.ndarray:
    """The middle of a piece of food on the surface nearest to a point."""
    if len(terrain.arrays.kind):
        point = terrain.closest_point(point)[0]
        point = point + 0.9 * radius * terrain.sample(point)[1][0]
    return point
