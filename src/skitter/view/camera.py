"""The camera of a browser: free, or following a creature without shaking.

Following is that of Fang 2015, appendix E, as it happens: a threshold swallows small swings, a
critically damped spring draws the target after the rest. The person may turn and zoom while the
camera follows: what they set is kept as the way from the target to the eye. While they drag, the
camera is left alone, because two hands on one camera shake it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.camera import (
    SPRING,
    THRESHOLD,
    VIEW_ANGLE,
    Camera,
    frame_reach,
    measure_reach,
    obey,
    settle,
)
from skitter.look.habitat import choose_direction
from skitter.look.orbit import least_turn
from skitter.look.terrain import is_closed
from skitter.look.water import view_water

Floats = NDArray[np.floating]
UP = np.array([0.0, 1.0, 0.0])
NOTICED = 0.06  # of the distance: a change of view this large was made by the person
HANDS_OFF = 0.3  # s after such a change during which the camera is left alone
LONGEST = 0.25  # s, a longer time between two updates counts as this
ASPECT = 1.3  # width / height that a first view is made for; panels take some of the page
TURN_RATE = 1.5  # 1/s, how fast a camera takes up a new direction of the back


def frame_view(outline: Floats, scene: dict[str, Any], aspect: float = ASPECT) -> Camera:
    """The first view of a scene: all its creatures, from where the scene wants them seen."""
    wish = scene.get("camera") or {}
    backward, wider = view_water(choose_direction(scene), scene)
    camera = Camera(np.zeros(3), backward, 1.0, float(np.clip(aspect, 0.4, 3.0)))
    framed = frame_reach(camera, measure_reach(camera, outline))
    framed = settle(framed, float((outline @ backward).mean()))
    zoom = (
        0.8 / wider * float(wish.get("zoom", 1.0))
    )  # a live creature soon walks out of a tight view
    return obey(replace(framed, distance=framed.distance / zoom), wish)


def walks_around(terrain: list[dict[str, Any]]) -> bool:
    """Whether creatures may get to the underside of what they walk on."""
    return is_closed(terrain)


class Target:
    """What the camera looks at: a calm point after a restless creature, and its calm back."""

    def __init__(self, centre: Floats, threshold: float) -> None:
        self.point = np.array(centre, float)
        self.up = UP.copy()
        self._held, self._speed = self.point.copy(), np.zeros(3)
        self._threshold = threshold

    def follow(self, centre: Floats, back: Floats | None, seconds: float) -> Floats:
        """Move on; returns the turn [3, 3] by which the view has to turn with the back."""
        step = min(max(seconds, 0.0), LONGEST)
        lead = centre - self._held
        length = float(np.linalg.norm(lead))
        self._held = self._held + lead * max(0.0, 1 - self._threshold / max(length, 1e-12))
        decay, gap = np.exp(-SPRING * step), self.point - self._held
        pull = self._speed + SPRING * gap
        self.point = self._held + (gap + pull * step) * decay
        self._speed = (self._speed - SPRING * pull * step) * decay
        if back is None:
            return np.eye(3)
        goal = self.up + (back - self.up) * (1 - np.exp(-TURN_RATE * step))
        goal = goal / max(float(np.linalg.norm(goal)), 1e-9)
        turn, self.up = least_turn(self.up, goal), goal
        return turn


@dataclass
class Eye:
    """The camera of one browser. Lengths are in units of the view."""

    client: Any
    offset: Floats  # [3] from the target to the eye
    clock: Callable[[], float] = time.monotonic
    touched: float = field(default=-1e9)

    def notice(self) -> None:
        """The browser says where its camera is; a person may have moved it."""
        camera = self.client.camera
        offset = np.asarray(camera.position) - np.asarray(camera.look_at)
        if np.linalg.norm(offset - self.offset) > NOTICED * np.linalg.norm(self.offset):
            self.offset, self.touched = offset, self.clock()

    def follow(self, target: Target, turn: Floats, scale: float) -> None:
        """Look at the target; nothing is sent while a person moves the camera."""
        self.offset = turn @ self.offset
        if self.clock() - self.touched < HANDS_OFF:
            return
        camera, point = self.client.camera, scale * target.point
        with self.client.atomic():
            if not np.allclose(turn, np.eye(3), atol=1e-9):
                camera.up_direction = tuple(target.up)
            camera.position = point + self.offset
            camera.look_at = point

    def jump(self, camera: Camera, scale: float) -> None:
        """A new view, as after a change of scene."""
        self.offset = scale * camera.distance * camera.backward
        with self.client.atomic():
            self.client.camera.up_direction = tuple(UP)
            self.client.camera.position = scale * camera.eye
            self.client.camera.look_at = scale * camera.target
            self.client.camera.fov = VIEW_ANGLE


def choose_threshold(camera: Camera) -> float:
    """What a creature may swing before the camera follows, cm."""
    return THRESHOLD * camera.distance
