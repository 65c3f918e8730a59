"""Where the camera stands. Pure geometry: a framing is solved for, not tried out.

A camera that looks along a fixed direction sees a point p when (p - target) . d <= distance for
four directions d, one per side of the picture. So the tightest framing of any number of points
needs only four numbers per frame, the largest p . d, and has a closed form.

A camera that follows does so as in Fang 2015, appendix E: a threshold keeps small swings of the
creature from reaching the camera, and a spring draws it after the rest. Two changes: it follows
the place and not the heading, because a fixed direction is calmer to watch; and the spring runs
over the motion forwards and backwards, which takes out its lag.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

Floats = NDArray[np.floating]

VIEW_ANGLE = float(np.radians(26.0))  # vertical; a long lens keeps proportions true
FILL = 0.76  # share of the picture that the creature may take, in either direction
STILL_LIMIT = 1.3  # a still camera may stand this much farther off than a following one
THRESHOLD = 0.01  # of the distance: what the creature may move before the camera follows
SPRING = 4.0  # 1/s
LEAD = 5.0  # times of the spring that the path is prolonged by
ZOOM_TIME = 1.0  # s, over which the distance changes


@dataclass(frozen=True)
class Camera:
    """A place to look from."""

    target: Floats  # [3] cm
    backward: Floats  # [3] unit, from the target to the eye
    distance: float  # cm
    aspect: float  # width / height
    up: Floats = field(  # [3] unit, what the picture should show as upwards
        default_factory=lambda: np.array([0.0, 1.0, 0.0])
    )
    angle: float = VIEW_ANGLE  # rad, vertical

    @property
    def eye(self) -> Floats:
        return self.target + self.distance * self.backward

    def axes(self) -> tuple[Floats, Floats]:
        """Right and up of the picture."""
        right = np.cross(self.up, self.backward)
        right /= np.linalg.norm(right)
        return right, np.cross(self.backward, right)

    def project(self, points: Floats) -> Floats:
        """Places in the picture [point, 2]: the middle is 0, the edges are -1 and 1."""
        right, up = self.axes()
        away = self.eye - points
        slope = np.tan(self.angle / 2) * (away @ self.backward)
        return np.stack([-(away @ right) / (slope * self.aspect), -(away @ up) / slope], axis=1)


def view_direction(azimuth_deg: float, elevation_deg: float) -> Floats:
    """From the target to the eye; azimuth 0 looks along -z, positive turns towards x."""
    a, e = np.radians([azimuth_deg, elevation_deg])
    return np.array([np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)])


def lift_view(backward: Floats, least_deg: float) -> Floats:
    """The same azimuth, seen from at least so far above the horizon."""
    if backward[1] >= np.sin(np.radians(least_deg)):
        return backward
    azimuth = float(np.degrees(np.arctan2(backward[0], backward[2])))
    return view_direction(azimuth, least_deg)


def side_directions(camera: Camera) -> Floats:
    """The four directions d of the picture's sides: right, left, top, bottom."""
    right, up = camera.axes()
    slope = FILL * np.tan(VIEW_ANGLE / 2)
    across = [right / (slope * camera.aspect), up / slope]
    return np.array([camera.backward + s * axis for axis in across for s in (1, -1)])


def measure_reach(camera: Camera, points: Floats) -> Floats:
    """The four numbers that framing needs of a set of points: the largest p . d."""
    return (points @ side_directions(camera).T).max(axis=0)


def find_centre(points: Floats) -> Floats:
    """The middle of the box around some points."""
    return np.asarray((points.max(axis=0) + points.min(axis=0)) / 2)


def frame_reach(camera: Camera, reach: Floats) -> Camera:
    """The nearest camera of the same direction that holds everything, centred."""
    right, up = camera.axes()
    slope = FILL * np.tan(VIEW_ANGLE / 2)
    across = slope * camera.aspect * (reach[0] - reach[1]) / 2
    height = slope * (reach[2] - reach[3]) / 2
    distance = max(reach[0] + reach[1], reach[2] + reach[3]) / 2
    return replace(camera, target=across * right + height * up, distance=float(distance))


def settle(camera: Camera, depth: float) -> Camera:
    """The same picture, with the target moved along the line of sight to a given depth."""
    shift = depth - float(camera.target @ camera.backward)
    return replace(
        camera,
        target=camera.target + shift * camera.backward,
        distance=camera.distance - shift,
    )


def obey(camera: Camera, wish: dict[str, Any]) -> Camera:
    """The camera where a scene insists on it, whoever is seen from there."""
    at, width = wish.get("at"), wish.get("width")
    if at is not None:
        camera = replace(camera, target=np.array(at, float))
    if width is not None:
        slope = np.tan(camera.angle / 2) * camera.aspect
        camera = replace(camera, distance=float(width) / (2 * float(slope)))
    return camera


def plan_cameras(
    reach: Floats, centre: Floats, frame_time: float, *, camera: Camera, follow: bool, zoom: float
) -> list[Camera]:
    """One camera per frame: still where the whole motion fills the picture well, else following.

    reach [frame, 4] and centre [frame, 3] describe the creatures in every frame.
    """
    depth = float((centre @ camera.backward).mean())
    still = settle(frame_reach(camera, reach.max(axis=0)), depth)
    target = follow_path(centre, frame_time, THRESHOLD * still.distance)
    needed = (reach - target @ side_directions(camera).T).max(axis=1)
    distance = calm_distance(needed, frame_time)
    if not follow or still.distance <= STILL_LIMIT * np.median(distance):
        return [replace(still, distance=still.distance / zoom)] * len(reach)
    return [
        replace(camera, target=one, distance=float(far) / zoom)
        for one, far in zip(target, distance, strict=True)
    ]


def calm_distance(needed: Floats, frame_time: float) -> Floats:
    """Slowly changing distances, nowhere less than what is needed.

    The largest of a span of time, averaged over that span, cannot be less than its middle.
    """
    half = round(ZOOM_TIME / frame_time / 2)
    largest = maximum_filter1d(needed, 4 * half + 1, mode="nearest")
    for _ in range(2):  # twice half the span: a smooth start and stop
        largest = uniform_filter1d(largest, 2 * half + 1, mode="nearest")
    return largest


def follow_path(centre: Floats, frame_time: float, threshold: float) -> Floats:
    """A calm path after a restless one: threshold, then a spring forwards and backwards."""
    path = np.array(centre, dtype=float)
    for k in range(1, len(path)):
        lead = centre[k] - path[k - 1]
        length = float(np.linalg.norm(lead))
        path[k] = path[k - 1] + lead * max(0.0, 1 - threshold / max(length, 1e-30))
    return calm_path(path, frame_time)


def calm_path(path: Floats, frame_time: float) -> Floats:
    """A path [frame, 3] drawn after by a spring, forwards and backwards.

    Before its start and after its end the path goes on as its mirror image through a point, so
    that the spring is up to speed at both ends.
    """
    more = min(len(path) - 1, round(LEAD / SPRING / frame_time))
    before = 2 * path[0] - path[more:0:-1]
    after = 2 * path[-1] - path[-2 : -2 - more : -1]
    forward = _spring(np.concatenate([before, path, after]), frame_time)
    return _spring(forward[::-1], frame_time)[::-1][more : more + len(path)]


def _spring(path: Floats, frame_time: float) -> Floats:
    """A critically damped spring that draws a follower after the path, exact for any step."""
    decay = np.exp(-SPRING * frame_time)
    follower, speed = path[0].copy(), np.zeros(3)
    out = np.empty_like(path)
    for k, goal in enumerate(path):
        gap = follower - goal
        pull = speed + SPRING * gap
        follower = goal + (gap + pull * frame_time) * decay
        speed = (speed - SPRING * pull * frame_time) * decay
        out[k] = follower
    return out


def keep_in_view(
    cameras: list[Camera], outlines: list[Floats], frame_time: float, *, zoom: float
) -> list[Camera]:
    """The cameras at the places from which all points are seen, changing slowly."""
    centre = np.array([find_centre(points) for points in outlines])
    reach = np.array([measure_reach(*pair) for pair in zip(cameras, outlines, strict=True)])
    sides = np.array([side_directions(one) for one in cameras])
    usual = float(np.median((reach - np.einsum("fsi,fi->fs", sides, centre)).max(axis=1)))
    target = follow_path(centre, frame_time, THRESHOLD * usual)
    needed = (reach - np.einsum("fsi,fi->fs", sides, target)).max(axis=1)
    distance = calm_distance(needed, frame_time)
    return [
        replace(one, target=at, distance=float(far) / zoom)
        for one, at, far in zip(cameras, target, distance, strict=True)
    ]
