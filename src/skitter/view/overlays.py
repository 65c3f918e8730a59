"""What helps to understand: lines and points that show what an animal feels and wants.

Each family is drawn by what it records. What has feet touches the ground with those that stand;
what has none, with the parts of its surface that lie on it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.control.sight import PREY
from skitter.control.walker import STANCE, TROPHOTROPISM
from skitter.look.creature import CreatureSurface
from skitter.look.motion import Pose
from skitter.rotation import quaternion_to_matrix
from skitter.terrain import Terrain
from skitter.view.sight import LABEL as SIGHT
from skitter.view.sight import find_eyes, find_heading
from skitter.view.things import to_instance

Floats = NDArray[np.floating]
Frame = Mapping[str, NDArray[Any]]
FREE, TOUCHING = (70, 120, 200), (224, 70, 40)  # colours of the screen
CARRIED, LOST = (40, 150, 90), (210, 120, 40)
WISH, SMELL, CONTACT, NORMAL = (150, 80, 200), (63, 157, 58), (224, 70, 40), (40, 90, 160)
NOTHING = np.zeros((0, 2, 3)), np.zeros((0, 3))
WISH_TIME = 1.0  # s of walking that the line ahead of a head is long
TOUCH = 0.04  # of its thickness: how near to the ground a surface touches it
MOST_NORMALS = 60  # of one creature


@dataclass(frozen=True)
class Seen:
    """A creature at a moment, and the ground that it moves on."""

    name: str
    frame: Frame
    terrain: Terrain
    food: Floats  # [food, 4] place and radius, 0 where there is none
    surface: Callable[[], Floats]  # its points [point, 3], cm

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
    """Where it wants to go, and what it wants to hold or eat."""
    if seen.has("segment_supported"):
        return _walker_targets(seen)
    if seen.has("foot_origin"):
        return _climber_targets(seen)
    if seen.has("swim_speed"):
        return _swimmer_targets(seen)
    return NOTHING


def _walker_targets(seen: Seen) -> Lines:
    """From every segment to the ground it keeps its height over; and where the head wants to go."""
    middle = seen["body_position"].astype(float)[1:-1]
    ground = seen.terrain.closest_point(middle)
    colours = np.where(seen["segment_supported"][:, None] > 0, CARRIED, LOST)
    head = seen["body_position"].astype(float)[0]
    ahead = np.array([[head, head + _wish(seen)]])
    lines, paint = [np.stack([middle, ground], axis=1), ahead], [colours, np.array([WISH])]
    if int(seen["brain_mode"]) == TROPHOTROPISM:
        _add_food(seen, head, lines, paint)
    return np.concatenate(lines), np.concatenate(paint)


def _climber_targets(seen: Seen) -> Lines:
    """From every foot to where it would be most at ease; and where the body wants to go."""
    feet, middle = seen["foot_position"].astype(float), seen["body_position"].astype(float)[0]
    pulls = np.stack([feet, seen["foot_origin"].astype(float)], axis=1)
    colours = np.where(seen["foot_held"][:, None] > 0, CARRIED, LOST)
    way = WISH_TIME * float(seen["speed_wanted"]) * seen["heading_wanted"].astype(float)
    ahead = np.array([[middle, middle + way]])
    return np.concatenate([pulls, ahead]), np.concatenate([colours, [WISH]])


def _swimmer_targets(seen: Seen) -> Lines:
    """Where the head wants to go, and the food that it is after."""
    middles = seen["body_position"].astype(float)
    head, (x, z) = middles[0], find_heading(middles)
    way = WISH_TIME * float(seen["swim_speed"]) * np.array([x, 0.0, z])
    lines, paint = [np.array([[head, head + way]])], [np.array([WISH])]
    if int(seen["swim_mode"]) == PREY:
        _add_food(seen, head, lines, paint)
    return np.concatenate(lines), np.concatenate(paint)


def _add_food(seen: Seen, head: Floats, lines: list[Floats], paint: list[Floats]) -> None:
    """A line from the head to the nearest food, if there is any."""
    nearest = _nearest_food(seen, head)
    if nearest is not None:
        lines.append(np.array([[head, nearest]]))
        paint.append(np.array([SMELL]))


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


@dataclass(frozen=True)
class Contacts:
    """Where a creature touches the ground."""

    point: Floats  # [contact, 3] cm
    normal: Floats  # [contact, 3] of the ground, unit
    size: float  # cm: about how long its legs are; without legs, thrice its thickness


def find_contacts(seen: Seen) -> Contacts:
    """By its feet, if it has some, or else by its surface."""
    for find in (_held_feet, _touching_feet, _standing_legs):
        found = find(seen)
        if found is not None:
            return found
    return _touching_surface(seen)


def _held_feet(seen: Seen) -> Contacts | None:
    """A climber's: it knows the surface that each foot holds on to."""
    if not seen.has("foot_held"):
        return None
    feet, held = seen["foot_position"].astype(float), seen["foot_held"] > 0
    return Contacts(feet[held], seen["foot_normal"].astype(float)[held], _reach(seen, feet))


def _touching_feet(seen: Seen) -> Contacts | None:
    """Those of legs made of links, such as a roach's."""
    if not seen.has("foot_touching") or len(seen["foot_touching"]) == 0:
        return None
    feet = seen["foot_position"].astype(float)
    touching = feet[seen["foot_touching"] > 0]
    return Contacts(touching, seen.terrain.sample(touching)[1], _reach(seen, feet))


def _standing_legs(seen: Seen) -> Contacts | None:
    """A walker's."""
    if not seen.has("leg_point"):
        return None
    points = seen["leg_point"].astype(float)
    tips = points[seen["leg_state"] == STANCE, -1]
    links = np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)
    return Contacts(tips, seen.terrain.sample(tips)[1], float(np.median(links)))


def _touching_surface(seen: Seen) -> Contacts:
    """Points of its surface that lie on the ground."""
    points = seen.surface()
    thickness = float(np.ptp(points, axis=0).min()) if len(points) else 0.0
    distance, normal, _ = seen.terrain.sample(points)
    touches = distance < TOUCH * thickness
    return Contacts(points[touches], normal[touches], 3 * thickness)  # seen above its back


def _reach(seen: Seen, feet: Floats) -> float:
    """About how far feet are from the body, cm."""
    arms = feet - seen["body_position"].astype(float)[0]
    return float(np.median(np.linalg.norm(arms, axis=1)))


def find_surface(creature: CreatureSurface, pose: Pose) -> Floats:
    """Points of what is soft and of what is stiff [point, 3], cm; nothing of what is inside."""
    stiff = [] if creature.rigid is None else [creature.rigid.at(pose).points]
    return np.concatenate([pose.node_position, *stiff])


def draw_normals(seen: Seen) -> Lines:
    """The ground's normal wherever it touches; of very many places, some."""
    found = find_contacts(seen)
    some = slice(None, None, 1 + len(found.point) // MOST_NORMALS)
    feet = found.point[some]
    if len(feet) == 0:
        return NOTHING
    tips = feet + 0.5 * found.size * found.normal[some]
    return np.stack([feet, tips], axis=1), np.tile(NORMAL, (len(feet), 1))


CONTACTS = "contact points"
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
        feet = [find_contacts(one).point for one in seen] if CONTACTS in wanted else []
        self._show_points(CONTACTS, np.concatenate([np.zeros((0, 3)), *feet]))

    def _show_lines(self, label: str, drawn: list[Lines]) -> None:
        points = np.concatenate([NOTHING[0], *(one[0] for one in drawn)])
        if not self._is_shown(label, len(points)):
            return
        colours = to_instance(np.concatenate([one[1] for one in drawn]))
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


LABELS = (*OVERLAYS, CONTACTS, SIGHT)
NEEDS = {  # what a creature must record to have something to show; of the rest, all have something
    "antenna rays": ("antenna_point",),
    "targets": ("segment_supported", "foot_origin", "swim_speed"),
}


def list_blank(frames: Any, name: str) -> list[str]:
    """The overlays that have nothing to show of a creature, whatever it does."""
    records = {label: any(f"{name}.{key}" in frames for key in NEEDS[label]) for label in NEEDS}
    records[SIGHT] = f"{name}.swim_mode" in frames and name in find_eyes(frames.scene)
    return [label for label in LABELS if not records.get(label, True)]
