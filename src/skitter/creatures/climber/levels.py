"""How much of each climber is simulated (Cenydd 2012 sections 6.4 and 9.1).

By itself a climber is kinematic while it goes fast over open ground, and full while it is slow,
searches, changes from one surface to another, falls, or has movable objects near. A scene's crowd
limits how many may be full and kinematic: the nearest to its focus are served first, the rest are
coarse; who falls is always full.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skitter.control.climbing.model import (
    BRAKE_QUEUE,
    BRAKE_SENSE,
    FALLING,
    FALLS,
    LIMBO,
    SEARCH,
    SPEED_WANTED,
    STANCE,
)
from skitter.scene.spec import CrowdSpec

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber

FULL, KINEMATIC, COARSE = range(3)
NAMES = {"full": FULL, "kinematic": KINEMATIC, "coarse": COARSE}
ALIGNED = 0.8  # cosine of the angle between a foothold and the body, above which they agree
PATIENCE = 0.3  # s, that a climber must be fast before it is kinematic again


def choose_levels(
    climbers: Sequence["Climber"], blocks: np.ndarray, crowd: CrowdSpec | None, seconds: float
) -> list[int]:
    """A level for each climber; `blocks` [block, 4] cm are balls around movable objects."""
    wanted = [choose_level(one, blocks, seconds) for one in climbers]
    if crowd is None:
        return wanted
    focus = find_focus(climbers, crowd)
    far = [float(np.linalg.norm(one.body.place - focus)) for one in climbers]
    free = {FULL: crowd.full, KINEMATIC: crowd.kinematic}
    for index in np.argsort(far, kind="stable"):
        one = climbers[index]
        if one.mind.count[FALLING]:
            wanted[index] = FULL
            continue
        level = wanted[index]
        while level < COARSE and free[level] <= 0:
            level += 1
        if level < COARSE:
            free[level] -= 1
        wanted[index] = level
    return wanted


def find_focus(climbers: Sequence["Climber"], crowd: CrowdSpec) -> np.ndarray:
    """Where the crowd is looked at."""
    if crowd.focus is None:
        return climbers[0].body.place
    if isinstance(crowd.focus, str):
        named = [one for one in climbers if one.name == crowd.focus]
        return named[0].body.place if named else climbers[0].body.place
    return np.array(crowd.focus, float)


def choose_level(one: "Climber", blocks: np.ndarray, seconds: float) -> int:
    """What a climber would have by itself."""
    detail = one.plan.species.detail
    if one.mind.count[FALLING]:
        return FULL
    if detail.level != "auto":
        return NAMES[detail.level]
    drive = one.mind.drive
    slow = drive[SPEED_WANTED] < detail.switch_speed and (
        max(drive[BRAKE_SENSE], drive[BRAKE_QUEUE]) > 0.1 or drive[SPEED_WANTED] > 0
    )
    slow = slow or is_turning(one)
    near = False
    if len(blocks):
        gap = np.linalg.norm(blocks[:, :3] - one.body.place, axis=1) - blocks[:, 3]
        near = bool(gap.min() < detail.object_range)
    one.fast_for[0] = 0.0 if slow or near else one.fast_for[0] + seconds
    if slow or near:
        return FULL
    settled = one.fast_for[0] > PATIENCE or not one.mind.count[FALLS]
    return KINEMATIC if settled or one.level[0] == KINEMATIC else int(one.level[0])


def is_turning(one: "Climber") -> bool:
    """Whether it searches, or stands on surfaces that its body has yet to turn to."""
    mind = one.mind
    standing = mind.leg_state == STANCE
    if ((mind.leg_state == SEARCH) | (mind.leg_state == LIMBO)).any():
        return True
    return bool((mind.hold_normal[standing] @ one.body.turn[:, 1] < ALIGNED).any())
