"""What a swimmer sees and minds, as fans at its head (Fang 2015 figure 5.12).

The field of view, in which food draws it, is green; the alert field, in which walls turn it, is
yellow. Each is stronger while it decides what the swimmer does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.control.sight import AVOID, PREY
from skitter.species.swim import EyesSpec

Floats = NDArray[np.floating]
LABEL = "field of view"
VIEW, ALERT = (70, 170, 70), (240, 200, 40)  # colours of the screen
FAINT, STRONG = 0.22, 0.5  # opacities
STEPS = 24  # of a fan's arc
LIFT = 0.15  # cm: the alert field lies so much above the field of view
WET = 0.5  # share of its segments under water from which one with legs swims


@dataclass(frozen=True)
class Looking:
    """A swimmer's eyes at a moment."""

    head: Floats  # [3] cm
    heading: Floats  # [2] x and z, unit
    eyes: EyesSpec
    mode: int


def find_eyes(scene: dict[str, Any]) -> dict[str, EyesSpec]:
    """The eyes of all creatures of a scene that have some, by their names."""
    species = scene.get("species") or []
    names = scene.get("creature_names") or []
    pairs = [(name, one.get("eyes")) for name, one in zip(names, species, strict=False)]
    return {name: EyesSpec.model_validate(eyes) for name, eyes in pairs if eyes is not None}


def look_out(name: str, eyes: EyesSpec, frame: Mapping[str, NDArray[Any]]) -> Looking | None:
    """How a creature looks out in a frame; None for one that does not swim then."""
    if f"{name}.swim_mode" not in frame:
        return None
    submerged = f"{name}.segment_submerged"
    if submerged in frame and np.mean(frame[submerged]) < WET:
        return None
    middles = frame[f"{name}.body_position"].astype(float)
    return Looking(middles[0], find_heading(middles), eyes, int(frame[f"{name}.swim_mode"]))


def find_heading(middles: Floats) -> Floats:
    """Where a swimmer's head points [2], x and z, unit; from the middles of its parts [part, 3]."""
    third = max(1, len(middles) // 3)  # as the controller has it, but not smoothed over a stroke
    way = (middles[:third].mean(axis=0) - middles[third : 2 * third].mean(axis=0))[[0, 2]]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def build_fan(head: Floats, heading: Floats, reach: float, half_deg: float) -> Floats:
    """A level fan [1 + STEPS + 1, 3], cm: its tip, then its arc from left to right."""
    angle = np.radians(half_deg) * np.linspace(1, -1, STEPS + 1)
    (x, z), c, s = heading, np.cos(angle), np.sin(angle)
    arc = np.stack([c * x + s * z, np.zeros(len(angle)), c * z - s * x], axis=1)
    return np.concatenate([head[None], head + reach * arc])


def fan_triangles(count: int) -> NDArray[np.uint32]:
    """Triangles of some fans, seen from above."""
    first = np.arange(1, STEPS + 1)
    one = np.stack([np.zeros(STEPS, int), first + 1, first], axis=1)
    return (one + (STEPS + 2) * np.arange(count)[:, None, None]).reshape(-1, 3).astype(np.uint32)


class SightNodes:
    """The fans of all swimmers. `scale` is units of the view per cm."""

    def __init__(self, scene: Any, scale: float) -> None:
        self._scene, self._scale = scene, scale
        self._nodes: dict[str, Any] = {}

    def show(self, looking: list[Looking]) -> None:
        """Draw the fans of some swimmers; of none, nothing."""
        view, alert = [], []
        for one in looking:
            eyes, up = one.eyes, np.array([0.0, LIFT, 0.0])
            view.append(build_fan(one.head, one.heading, eyes.food_range, eyes.food_deg))
            alert.append(build_fan(one.head + up, one.heading, eyes.alert_range, eyes.alert_deg))
        modes = {one.mode for one in looking}
        self._draw("view", view, VIEW, is_strong=PREY in modes)
        self._draw("alert", alert, ALERT, is_strong=AVOID in modes)

    def _draw(
        self, name: str, fans: list[Floats], colour: tuple[int, int, int], *, is_strong: bool
    ) -> None:
        node = self._nodes.get(name)
        if node is not None and node.visible != bool(fans):
            node.visible = bool(fans)
        if not fans:
            return
        points = np.asarray(self._scale * np.concatenate(fans), np.float32)
        opacity = STRONG if is_strong else FAINT
        if node is not None and len(node.faces) == STEPS * len(fans):
            node.vertices = points
            if node.opacity != opacity:
                node.opacity = opacity
            return
        self._nodes[name] = self._scene.add_mesh_simple(
            f"/world/overlays/sight_{name}",
            points,
            fan_triangles(len(fans)),
            color=colour,
            opacity=opacity,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )
