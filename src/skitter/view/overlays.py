"""What helps to understand: lines and points that show what an animal feels and wants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.control.walker import STANCE, TROPHOTROPISM
from skitter.rotation import quaternion_to_matrix
from skitter.terrain import Terrain
from skitter.view.sight import LABEL as SIGHT

Floats = NDArray[np.floating]
Frame = Mapping[str, NDArray[Any]]
FREE, TOUCHING = (70, 120, 200), (224, 70, 40)  # colours of the screen
CARRIED, LOST = (40, 150, 90), (210, 120, 40)
WISH, SMELL, CONTACT, NORMAL = (150, 80, 200), (63, 157, 58), (224, 70, 40), (40, 90, 160)
NOTHING = np.zeros((0, 2, 3)), np.zeros((0, 3))
WISH_TIME = 1.0  # s of walking that the line ahead of a head is long


@dataclass(frozen=True)
class Seen:
    """A creature with legs at a moment, and the ground that it walks on."""

    name: str
    frame: Frame
    terrain: Terrain
    food: Floats  # [food, 4] place and radius, 0 where there is none

    def __getitem__(self, key: str) -> NDArray[Any]:
        return np.asarray(self.frame[f"{self.name}.{key}"])

    def has(self, key: str) -> bool:
        """Whether it has recorded that."""
        return f"{self.name}.{key}" in self.frame


Lines = tuple[Floats, Floats]  # [line, 2, 3] cm, and a colour for each [line, 3]


def draw_antennae(seen: Seen) -> Lines:
    """From root to tip; red where it touches something."""
    if not seen.has("antenna_point"):
        return NOTHING
    points = seen["antenna_point"].astype(float)
    colours = np.where(seen["antenna_touch"][:, None] > 0, TOUCHING, FREE)
    return points[:, [0, -1]], colours


def draw_targets(seen: Seen) -> Lines:
    """From every segment to the ground it keeps its height over; and where the head wants to go."""
    if not seen.has("segment_supported"):
        return NOTHING
    middle = seen["body_position"].astype(float)[1:-1]
    ground = seen.terrain.closest_point(middle)
    colours = np.where(seen["segment_supported"][:, None] > 0, CARRIED, LOST)
    head = seen["body_position"].astype(float)[0]
    ahead = np.array([[head, head + _wish(seen)]])
    lines, paint = [np.stack([middle, ground], axis=1), ahead], [colours, np.array([WISH])]
    nearest = _nearest_food(seen, head)
    if nearest is not None and int(seen["brain_mode"]) == TROPHOTROPISM:
        lines.append(np.array([[head, nearest]]))
        paint.append(np.array([SMELL]))
    return np.concatenate(lines), np.concatenate(paint)


def _wish(seen: Seen) -> Floats:
    """The way the head would make in a second, turning as it wants to."""
    axes = quaternion_to_matrix(seen["body_orientation"].astype(float)[0])
    angle, speed = float(seen["head_turn"]) * WISH_TIME / 2, float(seen["head_speed"])
    ahead = np.cos(angle) * axes[:, 0] - np.sin(angle) * axes[:, 2]
    return np.asarray(speed * WISH_TIME * ahead)


def _nearest_food(seen: Seen, head: Floats) -> Floats | None:
    there = seen.food[seen.food[:, 3] > 0, :3] if len(seen.food) else seen.food
    if len(there) == 0:
        return None
    return np.asarray(there[np.argmin(np.linalg.norm(there - head, axis=1))])


def standing_feet(seen: Seen) -> Floats:
    """The tips of all legs that stand [leg, 3], cm."""
    if seen.has("foot_touching"):
        return seen["foot_position"].astype(float)[seen["foot_touching"] > 0]
    return seen["leg_point"].astype(float)[seen["leg_state"] == STANCE, -1]


def usual_leg(seen: Seen) -> float:
    """About how long legs are, cm; for those of links, how far their feet are from the body."""
    if seen.has("leg_point"):
        links = np.linalg.norm(np.diff(seen["leg_point"].astype(float), axis=1), axis=2)
        return float(np.median(links.sum(axis=1)))
    arms = seen["foot_position"].astype(float) - seen["body_position"].astype(float)[0]
    return float(np.median(np.linalg.norm(arms, axis=1)))


def draw_normals(seen: Seen) -> Lines:
    """The ground's normal under every foot that stands."""
    feet = standing_feet(seen)
    if len(feet) == 0:
        return NOTHING
    tips = feet + 0.5 * usual_leg(seen) * seen.terrain.sample(feet)[1]
    return np.stack([feet, tips], axis=1), np.tile(NORMAL, (len(feet), 1))


OVERLAYS: dict[str, Callable[[Seen], Lines]] = {
    "antenna rays": draw_antennae,
    "targets": draw_targets,
    "normals": draw_normals,
}


class OverlayNodes:
    """Lines and contact points over all creatures. `scale` is units of the view per cm."""

    def __init__(self, scene: Any, scale: float) -> None:
        self._scene, self._scale = scene, scale
        self._nodes: dict[str, Any] = {}

    def show(self, seen: list[Seen], wanted: set[str]) -> None:
        """Draw what is wanted; what is not goes."""
        for label, draw in OVERLAYS.items():
            drawn = [draw(one) for one in seen] if label in wanted else []
            self._show_lines(label, drawn)
        feet = [standing_feet(one) for one in seen] if "contact points" in wanted else []
        self._show_points("contact points", np.concatenate([np.zeros((0, 3)), *feet]))

    def _show_lines(self, label: str, drawn: list[Lines]) -> None:
        points = np.concatenate([NOTHING[0], *(one[0] for one in drawn)])
        if not self._is_shown(label, len(points)):
            return
        colours = np.concatenate([one[1] for one in drawn]).astype(np.uint8)
        values = np.asarray(self._scale * points, np.float32)
        paint = np.repeat(colours[:, None], 2, axis=1)
        if label in self._nodes:
            self._nodes[label].points, self._nodes[label].colors = values, paint
        else:
            name = f"/world/overlays/{label.replace(' ', '_')}"
            self._nodes[label] = self._scene.add_line_segments(
                name, values, paint, thickness=2.5, thickness_units="screen"
            )

    def _show_points(self, label: str, points: Floats) -> None:
        if not self._is_shown(label, len(points)):
            return
        values = np.asarray(self._scale * points, np.float32)
        if label in self._nodes:
            self._nodes[label].points = values
        else:
            self._nodes[label] = self._scene.add_point_cloud(
                "/world/overlays/contact_points",
                values,
                CONTACT,
                point_size=0.022,
                point_shape="circle",
                precision="float32",
            )

    def _is_shown(self, label: str, count: int) -> bool:
        """Hide what has nothing to show."""
        node = self._nodes.get(label)
        if node is not None and node.visible != (count > 0):
            node.visible = count > 0
        return count > 0


LABELS = (*OVERLAYS, "contact points", SIGHT)
