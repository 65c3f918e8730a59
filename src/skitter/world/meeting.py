"""Meetings of a frame: who is near whom, what they do to each other, and their steps in between.

Whoever is alone makes his frame in one go, as if nobody else were there. Those who are near others
make it in parts. Before each part all of them show their shapes, contacts are found, and one solver
finds the impulses of all contacts; both sides take theirs, and move.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skitter.creatures.creature import Creature, Touched
from skitter.meeting.collide import CORNER
from skitter.meeting.find import (
    CONTACT_ROW,
    FIRST,
    FIRST_OWNER,
    GAP,
    NOBODY,
    NORMAL,
    PAIR_ROW,
    POINT,
    Contacts,
    Crowd,
    Work,
    find_contacts,
    mark_close,
    mark_near,
    measure_overlaps,
    surround,
)
from skitter.meeting.shapes import LIMB, NO_SHAPES, PART, RADIUS, YIELDS, find_half_width
from skitter.meeting.solve import MOTOR_ROW, SWEEPS, Touches, solve
from skitter.terrain.surface import TerrainArrays

OUT_RATE = 25.0  # radii in a second, the fastest that an overlap is undone
Answers = dict[int, tuple[np.ndarray, Touched]]  # of touched owners: their points
YIELD_ROUNDS = 4  # at most, in which limbs give way to one thing after the other
AHEAD = 1.5  # frames that those who are near may come closer in, at their present speed


class Meetings:
    """All owners of a world; built anew when somebody comes or goes."""

    def __init__(self, creatures: Sequence[Creature]):
        self.creatures = list(creatures)
        shown = [one.show_shapes() for one in creatures]
        start = np.cumsum([0, *(len(one.row) for one in shown)])
        self.engines: dict[str, int] = {"": NOBODY}  # numbers of their names
        owners = len(self.creatures)
        self.crowd = Crowd(
            row=np.concatenate([NO_SHAPES.row, *(one.row for one in shown)]),
            tag=np.concatenate([NO_SHAPES.tag, *(one.tag for one in shown)]),
            start=start.astype(np.int64),
            engine=np.array([self.number(one.engine) for one in creatures], np.int64),
            bumps=np.array([one.bumps for one in creatures], np.uint8),
            low=np.zeros((owners, 3)),
            high=np.zeros((owners, 3)),
        )
        self.near, self.close = np.zeros(owners, np.uint8), np.zeros(owners, np.uint8)
        self.ball = np.zeros((owners, 4))  # middle and radius, cm; below 0: none
        self.half_width = np.array([find_half_width(one) for one in shown])
        self.work = Work(np.zeros((4, CORNER)), np.zeros(4))
        self.contacts = build_contacts(64)

    def is_of(self, creatures: Sequence[Creature]) -> bool:
        """Whether these are its owners."""
        return len(creatures) == len(self.creatures) and all(
            one is other for one, other in zip(creatures, self.creatures, strict=True)
        )

    def number(self, engine: str) -> int:
        """Of the engine of this name."""
        return self.engines.setdefault(engine, len(self.engines))

    def gather(self, which: Sequence[int] | None = None) -> None:
        """Let owners show their shapes."""
        crowd = self.crowd
        for k in range(len(self.creatures)) if which is None else which:
            one = slice(crowd.start[k], crowd.start[k + 1])
            crowd.row[one] = self.creatures[k].show_shapes().row
            crowd.engine[k] = self.number(self.creatures[k].engine)

    def find_near(self, obstacles: TerrainArrays, seconds: float) -> list[int]:
        """Owners that may meet somebody within a frame of so many seconds."""
        if len(self.creatures) < 2 and not len(obstacles.row):
            return []
        close = self.find_close(AHEAD * seconds)
        self.gather(np.flatnonzero(close & (self.ball[:, 3] >= 0)).tolist())
        surround(self.crowd, AHEAD * seconds)
        leap = np.array([[one.find_leap(seconds)] for one in self.creatures]).reshape(-1, 1)
        self.crowd.low[:] -= leap
        self.crowd.high[:] += leap
        self.crowd.low[~close], self.crowd.high[~close] = np.inf, -np.inf
        if not mark_near(self.crowd, obstacles, self.near):
            return []
        return [int(k) for k in np.flatnonzero(self.near) if self.creatures[k].meets]

    def find_close(self, seconds: float) -> np.ndarray:
        """Owners that may be near others within so many seconds, by balls around them [owner] bool;
        those without one always."""
        for k, one in enumerate(self.creatures):
            ball = one.find_ball()
            if ball is None:
                self.ball[k, 3] = -1.0
                self.gather([k])
            else:
                self.ball[k, :3], self.ball[k, 3] = ball[0], ball[1] + seconds * ball[2]
        surround(self.crowd, seconds)
        mark_close(self.crowd, self.ball, self.close)
        return self.close > 0

    def meet(self, who: Sequence[int], obstacles: TerrainArrays, seconds: float) -> None:
        """Let those near each other meet, for a part of so many seconds."""
        self.gather(who)
        surround(self.crowd, seconds)
        for _ in range(YIELD_ROUNDS):
            count = self.find_contacts(obstacles, seconds)
            yields = self.give_way(count)
            if not (self.contacts.row[:count][yields, GAP] < 0.0).any():
                break
            self.gather(who)
        if not yields.all():
            Meeting(self, np.flatnonzero(~yields)).settle(seconds)

    def give_way(self, count: int) -> np.ndarray:
        """Let limbs that yield do so; returns which contacts are theirs [contact]."""
        pair, row = self.contacts.pair[:count], self.contacts.row[:count]
        shape = pair[:, FIRST : FIRST + 2]
        yields = (shape >= 0) & (self.crowd.tag[shape, LIMB] == YIELDS)
        for side, sign in ((0, 1.0), (1, -1.0)):
            for owner in np.unique(pair[yields[:, side], FIRST_OWNER + side]):
                mine = np.flatnonzero(yields[:, side] & (pair[:, FIRST_OWNER + side] == owner))
                what = Touched(
                    self.crowd.tag[shape[mine, side], PART], row[mine, POINT : POINT + 3].copy(),
                    sign * row[mine, NORMAL : NORMAL + 3], np.zeros((len(mine), 3)),
                    np.zeros((0, 0)), np.zeros((len(mine), 3)),
                )  # fmt: skip
                self.creatures[owner].yield_limbs(what, row[mine, GAP].copy())
        return np.asarray(yields.any(axis=1))

    def measure_overlaps(self, obstacles: TerrainArrays) -> np.ndarray:
        """How deep each owner is in others and in obstacles [owner], of half a width."""
        overlap = np.zeros(len(self.creatures))
        if len(self.creatures) > 1 or len(obstacles.row):
            self.gather()
            surround(self.crowd, 0.0)
            measure_overlaps(self.crowd, obstacles, self.half_width, self.work, overlap)
        return overlap

    def find_contacts(self, obstacles: TerrainArrays, seconds: float) -> int:
        """All contacts, with as much room as they need; returns how many."""
        while True:
            find_contacts(self.crowd, self.near, obstacles, seconds, self.work, self.contacts)
            count = int(self.contacts.found[0])
            if count <= len(self.contacts.row):
                return count
            self.contacts = build_contacts(2 * count)


def build_contacts(room: int) -> Contacts:
    return Contacts(
        np.zeros((room, CONTACT_ROW)), np.zeros((room, PAIR_ROW), np.int64), np.zeros(1, np.int64)
    )


class Points(NamedTuple):
    """Where owners are touched: both points of each contact, then the motors."""

    owner: np.ndarray  # [point] int64
    part: np.ndarray  # [point] int64
    point: np.ndarray  # [point, 3] cm
    normal: np.ndarray  # [point, 3] away from what touches it
    motor: np.ndarray  # [motor, MOTOR_ROW]


class Meeting:
    """The contacts of one moment."""

    def __init__(self, meetings: Meetings, which: np.ndarray):
        self.creatures = meetings.creatures
        self.row, self.count = meetings.contacts.row[which], len(which)
        pair, tag = meetings.contacts.pair[which], meetings.crowd.tag
        self.owner = pair[:, FIRST_OWNER : FIRST_OWNER + 2].reshape(-1)  # of the points
        self.owners = [int(k) for k in np.unique(self.owner) if k != NOBODY]
        shape = pair[:, FIRST : FIRST + 2]
        self.part = np.where(shape >= 0, tag[shape, PART], NOBODY).reshape(-1)
        radius = meetings.crowd.row[:, RADIUS]
        # of the thicker of two: a thin leg has to come out of a trunk as fast as a trunk
        self.out_speed = OUT_RATE * np.where(shape >= 0, radius[shape], 0.0).max(axis=1)

    def settle(self, seconds: float) -> None:
        """Solve for all impulses, and hand them out."""
        touches, touched = self.gather_touches(seconds)
        before = touches.velocity.copy()
        while True:
            solve(self.row, self.count, touches, seconds, self.out_speed, SWEEPS)
            some = self.share_impulses(touches, touched)
            again = [owner for owner, what in some.items() if self.creatures[owner].refine(what)]
            if not again:
                break
            # those who answer otherwise now; all others as before
            for owner in again:
                points, what = touched[owner]
                self.creatures[owner].answer(what)
                before[points] = what.velocity
            touches.velocity[:] = before
        for owner, what in some.items():
            self.creatures[owner].take_impulses(what, seconds)

    def share_impulses(self, touches: Touches, touched: Answers) -> dict[int, Touched]:
        """What each owner gets where it is touched, without its motors."""
        sign = np.tile([1.0, -1.0], self.count)[:, None]
        impulse = np.repeat(touches.impulse, 2, axis=0) * sign
        some = {}
        for owner, (points, what) in touched.items():
            mine = points < 2 * self.count  # the others are motors
            what.impulse[mine] = impulse[points[mine]]
            what.velocity[:] = touches.velocity[points]
            some[owner] = Touched(
                what.part[mine], what.point[mine], what.normal[mine], what.velocity[mine],
                what.response, what.impulse[mine],
            )  # fmt: skip
        return some

    def gather_points(self, seconds: float) -> Points:
        """Both points of each contact, then those at which motors push."""
        sign = np.tile([1.0, -1.0], self.count)[:, None]
        owner, part = [self.owner], [self.part]
        point = [np.repeat(self.row[:, POINT : POINT + 3], 2, axis=0)]
        motor = [np.zeros((0, MOTOR_ROW))]
        for k in self.owners:
            parts, rows = self.creatures[k].find_motors(
                np.unique(self.part[self.owner == k]), seconds
            )
            owner.append(np.full(len(parts), k))
            part.append(parts)
            point.append(self.creatures[k].place_parts(parts))
            motor.append(rows)
        motors = np.concatenate(motor)
        normal = np.repeat(self.row[:, NORMAL : NORMAL + 3], 2, axis=0) * sign
        normal = np.concatenate([normal, np.zeros((len(motors), 3))])
        owners, parts, points = (np.concatenate(rows) for rows in (owner, part, point))
        return Points(owners, parts, points, normal, motors)

    def gather_touches(self, seconds: float) -> tuple[Touches, Answers]:
        """Ask all owners how they answer where they are touched."""
        all_points, people = self.gather_points(seconds), len(self.creatures)
        total = len(all_points.owner)
        order = [np.flatnonzero(all_points.owner == k) for k in self.owners]
        sizes = np.array([len(points) for points in order], np.int64)
        first, many, start = (np.zeros(people, np.int64) for _ in range(3))
        many[self.owners] = sizes
        first[self.owners] = np.cumsum(9 * sizes**2) - 9 * sizes**2
        start[self.owners] = np.cumsum(sizes) - sizes
        touches = Touches(
            owner=all_points.owner, slot=np.zeros(total, np.int64), first=first, many=many,
            point=np.concatenate([np.zeros(0, np.int64), *order]), start=start,
            velocity=np.zeros((total, 3)), response=np.zeros(int((9 * sizes**2).sum())),
            motor=all_points.motor, impulse=np.zeros((self.count, 3)),
            drive=np.zeros((len(all_points.motor), 3)),
        )  # fmt: skip
        touched = {}
        for k, points in zip(self.owners, order, strict=True):
            side, room = 3 * len(points), touches.response[first[k] :]
            touches.slot[points] = np.arange(len(points))
            what = Touched(
                all_points.part[points], all_points.point[points], all_points.normal[points],
                np.zeros((len(points), 3)), room[: side * side].reshape(side, side),
                np.zeros((len(points), 3)),
            )  # fmt: skip
            self.creatures[k].answer(what)
            touches.velocity[points] = what.velocity
            touched[k] = (points, what)
        return touches, touched
