"""Food and obstacles in the browser: instances that can be dragged, one for every slot.

Food that somebody carries cannot be dragged: it is in its jaws.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import FOOD_COLOUR, OBSTACLE_COLOUR, from_screen, read_bytes
from skitter.look.mesh import Mesh, build_capsule, build_cylinder, build_rounded_box
from skitter.look.slots import ObstacleRows
from skitter.look.surface import build_surface
from skitter.rotation import matrix_from_turn

Floats = NDArray[np.floating]
Drag = Callable[[str, int, Any], None]  # kind, slot, and what the browser says about it
GONE = 1e-6  # scale of an instance that is not there; zero would have no inverse


def read_food(frames: Any, index: int) -> Floats:
    """Food of a frame [food, 4]: place and radius, which is 0 where there is none."""
    if "food_left" not in frames:
        return np.zeros((0, 4))
    is_moving = "food_position" in frames
    position, radius = (
        np.asarray(frames[name][index] if is_moving else frames.static(name), float)
        for name in ("food_position", "food_radius")
    )
    left = np.asarray(frames["food_left"][index]) != 0
    return np.column_stack([position.reshape(-1, 3), np.where(left, radius, 0.0)])


def to_instance(colours: Any) -> NDArray[np.uint8]:
    """Colours [..., 3] of the screen as instances want them: the browser takes those as light."""
    return np.round(255 * from_screen(np.asarray(colours))).astype(np.uint8)


def unit_shapes() -> dict[int, Mesh]:
    """Box, ball and post in a box of edge one, by the number of their shape."""
    lying = build_cylinder(0.5, 1.0, 0.03)
    return {
        1: build_rounded_box(np.ones(3), 0.04),
        2: build_capsule(0.5, 0.0, around=48, steps=16),
        3: lying.moved(np.zeros(3), matrix_from_turn((0.0, 0.0, 90.0))),
    }


def unit_mesh(piece: dict[str, Any], size: Floats) -> Mesh:
    """The mesh of an obstacle, of edges `size`, in a box of edge one; what is flat stays thin."""
    return build_surface(piece).scaled(1.0 / np.asarray(size, float))


class ThingNodes:
    """All food and all obstacles. `scale` is units of the view per cm."""

    def __init__(
        self,
        scene: Any,
        food: Floats,
        obstacles: ObstacleRows,
        scale: float,
        drag: Drag | None,
        carried: int = 0,
    ) -> None:
        """`carried` pieces of food, at most, are in jaws."""
        self._scene, self._scale, self._carries = scene, scale, False
        self._food = self._add_balls("food", len(food), drag)
        self._carried = self._add_balls("carried", carried, None)
        count = len(obstacles.shape)
        self._shapes = {}
        for shape, mesh in unit_shapes().items() if count else ():
            node = self._add("obstacle", f"/world/things/obstacle_{shape}", mesh, count, drag)
            self._shapes[shape] = node
        self._meshes = {}  # by slot
        for slot, piece in obstacles.meshes.items():
            mesh, name = unit_mesh(piece, obstacles.size[slot]), f"/world/things/mesh_{slot}"
            self._meshes[slot] = self._add("obstacle", name, mesh, count, drag)
        self._last: bytes | None = None
        self.show(food, obstacles)

    def _add_balls(self, kind: str, count: int, drag: Drag | None) -> Any:
        """Balls of food, none where there are none to show."""
        if count == 0:
            return None
        ball = build_capsule(0.5, 0.0, around=28, steps=10)
        node = self._add(kind, f"/world/things/{kind}", ball, count, drag)
        node.batched_colors = to_instance(read_bytes(FOOD_COLOUR))
        return node

    def _place_balls(self, node: Any, balls: Floats) -> None:
        """Put balls [ball, 4] in their places."""
        node.batched_positions = np.asarray(self._scale * balls[:, :3], np.float32)
        size = np.maximum(2 * self._scale * balls[:, 3:], GONE)
        node.batched_scales = np.asarray(np.repeat(size, 3, axis=1), np.float32)

    def carry(self, balls: Floats) -> None:
        """Put what is carried [forager, 4] into jaws; nothing is sent while nobody carries."""
        if self._carried is None or not (balls[:, 3].any() or self._carries):
            return
        self._carries = bool(balls[:, 3].any())
        self._place_balls(self._carried, balls)

    def _add(self, kind: str, name: str, mesh: Mesh, count: int, drag: Drag | None) -> Any:
        node = self._scene.add_batched_meshes_simple(
            name,
            mesh.points,
            mesh.triangles,
            np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
            np.zeros((count, 3)),
            batched_scales=np.full((count, 3), GONE, np.float32),
            batched_colors=np.zeros((count, 3), np.uint8),
            lod="off",
        )
        if drag is not None:

            @node.on_drag("left")
            async def _(event: Any) -> None:
                if event.instance_index is not None:
                    drag(kind, event.instance_index, event)

        return node

    def show(self, food: Floats, obstacles: ObstacleRows) -> None:
        """Put everything in its place; nothing is sent where nothing has moved."""
        mark = food.tobytes() + b"".join(
            np.asarray(column).tobytes()
            for column in (obstacles.shape, obstacles.position, obstacles.size)
        )
        if mark == self._last:
            return
        self._last = mark
        if self._food is not None:
            self._place_balls(self._food, food)
        for shape, node in self._shapes.items():
            self._place_obstacles(node, obstacles, obstacles.shape == shape)
        slots = np.arange(len(obstacles.shape))
        for slot, node in self._meshes.items():
            self._place_obstacles(node, obstacles, (slots == slot) & (slot in obstacles.meshes))

    def _place_obstacles(
        self, node: Any, obstacles: ObstacleRows, is_there: NDArray[np.bool_]
    ) -> None:
        """Show those of a node's instances that are there [obstacle]."""
        is_usual = (obstacles.colour == 0).all(axis=1, keepdims=True)
        paint = np.where(is_usual, read_bytes(OBSTACLE_COLOUR), obstacles.colour)
        node.batched_colors = to_instance(paint)
        node.batched_positions = np.asarray(self._scale * obstacles.position, np.float32)
        node.batched_wxyzs = np.asarray(obstacles.orientation, np.float32)
        size = np.where(is_there[:, None], self._scale * obstacles.size, GONE)
        node.batched_scales = np.asarray(np.maximum(size, GONE), np.float32)
