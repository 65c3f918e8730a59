"""How much of each climber is simulated (Cenydd 2012 sections 6.4 and 9.1).

By itself a climber is kinematic while it goes fast over open ground, and full while it is slow,
searches, changes from one surface to another, falls, or has movable objects or others near. A
scene's crowd limits how many may be full and kinematic: the nearest to its focus are served first,
the rest are coarse; who falls is always full.

Feet of legs with fewer than three hinges cannot stand still while the body moves: with rigid legs
such an animal would not get away from where it is. It is full only while it falls.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skitter.control.climbing.limbs import place_feet
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
from skitter.creatures.creature import Around
from skitter.scene.spec import CrowdSpec

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber

FULL, KINEMATIC, COARSE = range(3)
NAMES = {"full": FULL, "kinematic": KINEMATIC, "coarse": COARSE}
ALIGNED = 0.8  # cosine of the angle between a foothold and the body, above which they agree
KEEP = 0.4  # s, that a level lasts at least
REACH = 0.01  # of a leg's length, that a foot may be off its foothold
STRUCK = 0.02  # of a leg's length: deeper in something it would be pushed out
ALONE, CLOSE, PRESSED = range(3)  # of a climber and others
REACHES = 1.2  # of half their spans: others nearer than this may be touched
DENSITY, HEAVIER = 1.0, 10.0  # g/cm3 of others; how much heavier they may be
THRONG = 6  # climbers that are full because others are close
PATIENCE = 0.3  # s, that a climber must be fast before it is kinematic again


def choose_levels(climbers: Sequence["Climber"], blocks: np.ndarray, around: Around) -> list[int]:
    """A level for each climber; `blocks` [block, 4] cm are balls around movable objects."""
    seconds, close = around.seconds, find_close(climbers, around.others)
    wanted = []
    for one, near in zip(climbers, close.tolist(), strict=True):
        one.is_close = near != ALONE
        wanted.append(choose_level(one, blocks, seconds, near))
    if around.crowd is not None:
        limit_levels(climbers, wanted, around.crowd)
    return [keep_level(one, level, seconds) for one, level in zip(climbers, wanted, strict=True)]


def find_close(climbers: Sequence["Climber"], others: np.ndarray) -> np.ndarray:
    """Who is so close to another creature that they may touch [climber]: CLOSE, or PRESSED where
    that is much heavier. `others` [ball, 4] cm are not climbers.

    Of a throng only so many are CLOSE, first those who are full already.
    """
    close = np.full(len(climbers), ALONE)
    if not climbers or len(climbers) + len(others) < 2:
        return close
    place = np.array([one.body.place for one in climbers]).reshape(-1, 3)
    reach = 0.5 * REACHES * np.array([one.traits.span for one in climbers])
    mass = np.array([one.traits.mass for one in climbers])
    # other climbers
    off = place[:, None] - place[None]
    near = np.einsum("ijk,ijk->ij", off, off) < (reach[:, None] + reach[None]) ** 2
    np.fill_diagonal(near, False)
    close[near.any(axis=1)] = CLOSE
    heaviest = np.where(near, mass, 0.0).max(axis=1)
    # all the rest: what of it is within twice the span counts as one
    if len(others):
        away = np.linalg.norm(place[:, None] - others[None, :, :3], axis=2) - others[:, 3]
        beside = (away < reach[:, None]).any(axis=1)
        weight = DENSITY * 4 / 3 * np.pi * others[:, 3] ** 3
        whole = np.where(away < 4 * reach[:, None], weight, 0.0).sum(axis=1)
        heaviest = np.maximum(heaviest, np.where(beside, whole, 0.0))
        close[beside] = CLOSE
    close[heaviest > HEAVIER * mass] = PRESSED
    which = np.flatnonzero(close == CLOSE).tolist()
    first = sorted(which, key=lambda k: (climbers[k].level[0] != FULL, k))
    close[first[THRONG:]] = ALONE
    return close


def keep_level(one: "Climber", wanted: int, seconds: float) -> int:
    """The wanted level, or the present one for a while after it has changed; who falls is full."""
    one.kept_for[0] += seconds
    changes = wanted != one.level[0]
    if changes and one.kept_for[0] < KEEP and not one.mind.count[FALLING]:
        return int(one.level[0])
    if changes:
        one.kept_for[0] = 0.0
    return wanted


def limit_levels(climbers: Sequence["Climber"], wanted: list[int], crowd: CrowdSpec) -> None:
    """Coarser levels for those beyond a crowd's numbers."""
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


def find_focus(climbers: Sequence["Climber"], crowd: CrowdSpec) -> np.ndarray:
    """Where the crowd is looked at."""
    if crowd.focus is None:
        return climbers[0].body.place
    if isinstance(crowd.focus, str):
        named = [one for one in climbers if one.name == crowd.focus]
        return named[0].body.place if named else climbers[0].body.place
    return np.array(crowd.focus, float)


def choose_level(one: "Climber", blocks: np.ndarray, seconds: float, close: int) -> int:
    """What a climber would have by itself, or close to others. Rigid legs of one that is pressed by
    somebody much heavier would be thrown about: it is not full."""
    detail, near = one.plan.species.detail, close == CLOSE
    if one.mind.count[FALLING]:
        return FULL
    if detail.level != "auto":
        return max(NAMES[detail.level], one.finest)
    drive = one.mind.drive
    slow = drive[SPEED_WANTED] < detail.switch_speed and (
        max(drive[BRAKE_SENSE], drive[BRAKE_QUEUE]) > 0.1 or drive[SPEED_WANTED] > 0
    )
    slow = slow or is_turning(one)
    if len(blocks):
        gap = np.linalg.norm(blocks[:, :3] - one.body.place, axis=1) - blocks[:, 3]
        near = near or bool(gap.min() < detail.object_range)
    if close == PRESSED:
        one.fast_for[0] = 0.0
        return KINEMATIC
    one.fast_for[0] = 0.0 if slow or near else one.fast_for[0] + seconds
    if slow or near:
        ready = one.level[0] != KINEMATIC or reaches(one)
        return max(FULL if ready else KINEMATIC, one.finest)
    settled = one.fast_for[0] > PATIENCE or not one.mind.count[FALLS]
    return KINEMATIC if settled or one.level[0] == KINEMATIC else int(one.level[0])


def reaches(one: "Climber") -> bool:
    """Whether the legs of a kinematic climber reach the footholds that they stand on, clear of
    surfaces on their way.

    Rigid legs that did not, or that an edge pushes out, would tear themselves off; it is full as
    soon as they have stepped.
    """
    tips = np.empty_like(one.mind.foot)
    place_feet(one.figure, one.body, one.body.angle, tips, one.room)
    stands = one.mind.leg_state == STANCE
    off = np.linalg.norm(tips - one.mind.hold, axis=1)
    good = (off < REACH * one.figure.leg_length) & ~find_struck(one)
    return bool(good[stands].all())


def find_struck(one: "Climber") -> np.ndarray:
    """Whether a segment of each leg is inside of something [leg]."""
    depth, leg = one.find_depth(*one.pose()), one.plan.body_leg
    deepest = np.zeros(len(one.figure.hip))
    np.maximum.at(deepest, leg[leg >= 0], depth[leg >= 0])
    return np.asarray(deepest > STRUCK * one.figure.leg_length)


def is_turning(one: "Climber") -> bool:
    """Whether it searches, or stands on surfaces that its body has yet to turn to."""
    mind = one.mind
    standing = mind.leg_state == STANCE
    if ((mind.leg_state == SEARCH) | (mind.leg_state == LIMBO)).any():
        return True
    return bool((mind.hold_normal[standing] @ one.body.turn[:, 1] < ALIGNED).any())
