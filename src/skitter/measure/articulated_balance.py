"""Measures of how a creature of jointed links holds itself: support, height, tilt, falls.

Support is that of its feet on the ground, seen from above. Heights are distances from the terrain
without obstacles. It has fallen while its trunk is tilted by more than 60°, or lies: where the
middle of its root is hardly higher than half as thick as that is.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skitter.measure.articulated import Walk, walked
from skitter.measure.body import body_corners, build_ground
from skitter.measure.steps import Floats
from skitter.measure.support import find_margins
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.record import Recording

FEET = ("foot_position", "foot_touching", "centre_of_mass")
PLACED = ("body_position", "body_orientation")
TILT_LIMIT = np.radians(60)
LYING = 0.55  # of the root's thickness: the height of its middle where it lies
UP_AGAIN = 0.25  # s that it has to be up before it can fall anew


def find_support(walk: Walk) -> Floats:
    """How far inside its feet its weight falls [frame], cm; nan where none touches."""
    feet, touching = walk.read("foot_position"), walk.read("foot_touching") > 0
    return find_margins(walk.ground_path, feet[..., [0, 2]], touching)


@walked(
    "cm", "from its centre of mass to the edge of its support, mean, positive inside", needs=FEET
)
def support_margin(walk: Walk) -> float:
    margins = find_support(walk)
    known = margins[np.isfinite(margins)]
    return float(known.mean()) if len(known) else np.nan


@walked("cm", "the least of the same", needs=FEET)
def support_margin_min(walk: Walk) -> float:
    margins = find_support(walk)
    known = margins[np.isfinite(margins)]
    return float(known.min()) if len(known) else np.nan


@walked("1", "share of frames in which its centre of mass is above its support", needs=FEET)
def stable_share(walk: Walk) -> float:
    return float((np.nan_to_num(find_support(walk), nan=-1.0) > 0).mean())


def find_pitch(walk: Walk) -> Floats:
    """Of its root [frame], rad, positive where the front is up."""
    return np.arcsin(walk.root_axes[:, 1, 0].clip(-1, 1))


def find_roll(walk: Walk) -> Floats:
    """Of its root [frame], rad, positive where the right side is down."""
    return np.arctan2(-walk.root_axes[:, 1, 2], walk.root_axes[:, 1, 1])


def find_tilt(walk: Walk) -> Floats:
    """Between its root's up and that of the world [frame], rad."""
    return np.arccos(walk.root_axes[:, 1, 1].clip(-1, 1))


@walked("rad", "of its root, mean, positive where its front is up", needs=PLACED)
def pitch(walk: Walk) -> float:
    return float(find_pitch(walk).mean())


@walked("rad", "standard deviation of the same", needs=PLACED)
def pitch_spread(walk: Walk) -> float:
    return float(find_pitch(walk).std())


@walked("rad", "of its root, mean, positive where its right side is down", needs=PLACED)
def roll(walk: Walk) -> float:
    turns = find_roll(walk)
    return float(np.angle(np.exp(1j * turns).mean()))


@walked("rad", "standard deviation of the same", needs=PLACED)
def roll_spread(walk: Walk) -> float:
    return float(np.unwrap(find_roll(walk)).std())


@walked("rad", "largest angle between its root's up and the world's", needs=PLACED, whole=True)
def tilt_max(walk: Walk) -> float:
    return float(find_tilt(walk).max())


def is_over_ground(recording: "Recording", name: str) -> bool:
    return bool(recording.scene["terrain"])


STANDING = (*PLACED, "foot_touching")


def find_height(walk: Walk) -> Floats:
    """Of the middle of its root above the terrain [frame], cm."""
    root = walk.read("body_position")[:, walk.root]
    return build_ground(walk.recording).sample(root)[0]


@walked(
    "cm", "of the middle of its root over the terrain, mean", needs=STANDING, where=is_over_ground
)
def body_height(walk: Walk) -> float:
    return float(find_height(walk).mean())


@walked("cm", "the least of the same", needs=STANDING, whole=True, where=is_over_ground)
def body_height_min(walk: Walk) -> float:
    return float(find_height(walk).min())


@walked("cm", "the last of the same", needs=STANDING, whole=True, where=is_over_ground)
def body_height_end(walk: Walk) -> float:
    return float(find_height(walk)[-1])


def find_clearance(walk: Walk) -> Floats:
    """Of the lowest corner of its trunk [frame], cm above the terrain; negative inside it."""
    trunk = np.flatnonzero(walk.static("body_leg") < 0)
    corners = body_corners(np.zeros(len(trunk)), walk.static("body_size")[trunk])
    turn = quaternion_to_matrix(walk.read("body_orientation")[:, trunk])
    middle = walk.read("body_position")[:, trunk, None]
    placed = middle + np.einsum("fbij,bcj->fbci", turn, corners)
    distance = build_ground(walk.recording).sample(placed.reshape(-1, 3))[0]
    return np.asarray(distance.reshape(len(placed), -1).min(axis=1))


@walked(
    "cm",
    "of its trunk's lowest corner, least; negative inside",
    needs=STANDING,
    where=is_over_ground,
)
def trunk_clearance_min(walk: Walk) -> float:
    return float(find_clearance(walk).min())


@walked(
    "1",
    "share of frames in which its trunk touches the terrain",
    needs=STANDING,
    where=is_over_ground,
)
def trunk_touch_share(walk: Walk) -> float:
    return float((find_clearance(walk) <= 0).mean())


def find_fallen(walk: Walk) -> NDArray[np.bool_]:
    """Whether it lies, or is tilted too far [frame]."""
    lies = find_height(walk) < LYING * walk.static("body_size")[walk.root, 1]
    return np.asarray(lies | (find_tilt(walk) > TILT_LIMIT))


@walked(
    "1",
    "times that it fell",
    needs=STANDING,
    whole=True,
    where=is_over_ground,
)
def falls(walk: Walk) -> float:
    """Up again after a quarter of a second; less is still the same fall."""
    fallen = np.flatnonzero(find_fallen(walk))
    if len(fallen) == 0:
        return 0.0
    return 1.0 + float((np.diff(walk.time[fallen]) > UP_AGAIN).sum())


@walked(
    "1",
    "share of frames in which it lies or is tilted over 60°",
    needs=STANDING,
    whole=True,
    where=is_over_ground,
)
def fallen_share(walk: Walk) -> float:
    return float(find_fallen(walk).mean())


@walked(
    "1",
    "1: it has fallen in the last frame, 0: it is up",
    needs=STANDING,
    whole=True,
    where=is_over_ground,
)
def fallen_end(walk: Walk) -> float:
    return float(find_fallen(walk)[-1])
