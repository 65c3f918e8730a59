"""Measures of creatures of jointed links: where they go, how straight, and how they sway.

A creature that walks is measured from the moment that every leg has taken its first step, as long
as it is driven to walk, or, of one that climbs, until it falls; one that does neither, from the
first frame to the last. Its course is the way
of its centre of mass along the ground, averaged over two strides around each moment, and what it
sways about that is its wobble: real insects zigzag so (McKenna 1990 section 4.2). What a recording
is too short for is nan.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, proxy

import numpy as np
from numpy.typing import NDArray

from skitter.measure.steps import Floats, Steps, calm, list_rows, read_steps
from skitter.measure.sway import Sway, find_course, find_sway
from skitter.measure.table import JOINTED, always, has, measured, measured_by_part
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.record import Recording

WALKING = 3  # of `drive`: whether it walks
ROOT = -1  # of `body_segment`: the trunk's first part
STEPPING = ("leg_stepping", "lift_time", "land_time")
TOUCHING = ("foot_touching", "touch_time", "leave_time")
STILL = 0.01  # of the body's length: a way too short to speak of


@dataclass(frozen=True)
class Walk:
    """A stretch of a recording of one creature."""

    recording: "Recording"
    name: str
    frames: slice

    def read(self, channel: str) -> Floats:
        """All frames of a channel [frame, ...], in its unit."""
        return np.asarray(self.recording[f"{self.name}.{channel}"][self.frames], float)

    def static(self, name: str) -> NDArray[np.floating]:
        return np.asarray(self.recording.static(f"{self.name}.{name}"))

    def has(self, *channels: str) -> bool:
        return has(*channels)(self.recording, self.name)

    @cached_property
    def time(self) -> Floats:
        return np.asarray(self.recording.time[self.frames], float)

    @property
    def seconds(self) -> float:
        return float(self.time[-1] - self.time[0])

    @cached_property
    def ground_path(self) -> Floats:
        """Forward and right, x and z, of the centre of mass [frame, 2], cm."""
        return self.read("centre_of_mass")[:, [0, 2]]

    @cached_property
    def root(self) -> int:
        """The part of the trunk that the others hang on."""
        if not self.recording.has_static(f"{self.name}.body_segment"):
            return 0
        found = np.flatnonzero(self.static("body_segment") == ROOT)
        return int(found[0]) if len(found) else 0

    @cached_property
    def root_axes(self) -> Floats:
        """Axes of that part as columns [frame, 3, 3]: forward, up, right."""
        return quaternion_to_matrix(self.read("body_orientation")[:, self.root])

    @cached_property
    def yaw(self) -> Floats:
        """Where it heads [frame], rad, positive to the left, without jumps."""
        forward = self.root_axes[:, :, 0]
        return np.unwrap(np.arctan2(-forward[:, 2], forward[:, 0]))

    @cached_property
    def steps(self) -> Steps:
        """What the legs are told."""
        stepping, lifted, landed = (self.read(one) for one in STEPPING)
        return read_steps(lifted, landed, stepping[0] > 0, self.time[0], self.time[-1])

    @cached_property
    def airs(self) -> Steps:
        """What the feet do: spans off the ground."""
        touching, touched, left = (self.read(one) for one in TOUCHING)
        return calm(read_steps(left, touched, touching[0] == 0, self.time[0], self.time[-1]))

    @cached_property
    def period(self) -> float:
        """Of a stride as legs are told, median, s; nan where no leg stepped twice."""
        if not self.has(*STEPPING):
            return np.nan
        strides = [self.steps.strides(leg) for leg in range(self.steps.leg_count)]
        found = np.concatenate([np.zeros(0), *strides])
        return float(np.median(found)) if len(found) else np.nan

    @cached_property
    def course(self) -> tuple[Floats, Floats] | None:
        """Times, s, and places of the course [moment, 2], cm; none without three strides."""
        return find_course(self.time, self.ground_path, self.period)

    @cached_property
    def sideways(self) -> Sway | None:
        """How its centre of mass sways across its course, cm."""
        if self.course is None:
            return None
        time, places = self.course
        path = np.stack([np.interp(time, self.time, one) for one in self.ground_path.T], axis=1)
        ahead = np.gradient(places, axis=0)
        size = np.linalg.norm(ahead, axis=1)
        if not size.min() > 0:
            return None
        right = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1) / size[:, None]
        return find_sway(time, ((path - places) * right).sum(axis=1), self.period)

    @cached_property
    def turning(self) -> Sway | None:
        """How its heading sways, rad."""
        found = find_course(self.time, self.yaw[:, None], self.period)
        if found is None:
            return None
        time, mean = found
        return find_sway(time, np.interp(time, self.time, self.yaw) - mean[:, 0], self.period)


def read_walk(
    recording: "Recording", name: str, *, since: float = -np.inf, until: float = np.inf
) -> Walk:
    """The frames between two times, s, with both ends."""
    first = int(np.searchsorted(recording.time, since - 1e-9))
    last = int(np.searchsorted(recording.time, until + 1e-9, "right"))
    first = min(first, len(recording.time) - 1)
    return Walk(recording, name, slice(first, max(last, first + 1)))


def read_settled_walk(recording: "Recording", name: str) -> Walk:
    """From the moment that all legs have stepped, while it walks."""
    return read_walk(recording, name, **find_walking(read_walk(recording, name)))


def find_walking(whole: Walk) -> dict[str, float]:
    """Since and until when it walks, s; nothing where it is not driven to or has no legs."""
    if not whole.has(*STEPPING) or len(walks := list_walking_frames(whole)) == 0:
        return {}
    first, last = float(whole.time[walks[0]]), float(whole.time[walks[-1]])
    ends = [spans[spans[:, 1] > first] for spans in whole.steps.spans]
    landings = [float(one[0, 1]) for one in ends if len(one)]
    settled = max(landings, default=first) if len(landings) == len(ends) else first
    return {"since": settled if settled < last else first, "until": last}


def list_walking_frames(whole: Walk) -> NDArray[np.integer]:
    """Numbers of those in which it is driven to walk; of one that climbs, the longest row of those
    in which it holds itself."""
    if whole.has("drive"):
        return np.flatnonzero(whole.read("drive")[:, WALKING] > 0)
    if not whole.has("gravity_on"):
        return np.zeros(0, int)
    rows = list_rows(whole.read("gravity_on") == 0)
    return max((np.arange(first, last) for first, last in rows), key=len, default=np.zeros(0, int))


_kept: "WeakKeyDictionary[Recording, dict[tuple[str, bool], Walk]]" = WeakKeyDictionary()


def keep_walk(recording: "Recording", name: str, *, whole: bool) -> Walk:
    """All of it or the settled stretch, kept as long as the recording, which it must not outlive:
    many measures ask."""
    kept = _kept.setdefault(recording, {})
    if (name, whole) not in kept:
        read = read_walk if whole else read_settled_walk
        kept[name, whole] = read(proxy(recording), name)
    return kept[name, whole]


OfWalk = Callable[[Walk], float]
PartsOfWalk = Callable[[Walk], Mapping[str, float]]


def walked(
    unit: str,
    about: str,
    *,
    needs: tuple[str, ...],
    whole: bool = False,
    where: Callable[["Recording", str], bool] = always,
    kinds: tuple[str, ...] = JOINTED,
) -> Callable[[OfWalk], OfWalk]:
    """Makes a function of a walk the measure of its name, of creatures that record what it needs:
    of the settled stretch, or of the whole recording."""

    def holds(recording: "Recording", name: str) -> bool:
        return has(*needs)(recording, name) and where(recording, name)

    def register(compute: OfWalk) -> OfWalk:
        def of_recording(recording: "Recording", name: str) -> float:
            return compute(keep_walk(recording, name, whole=whole))

        of_recording.__name__ = compute.__name__
        measured(unit, about, kinds=kinds, where=holds)(of_recording)
        return compute

    return register


def walked_by_part(
    id: str,
    unit: str,
    about: str,
    *,
    needs: tuple[str, ...],
    whole: bool = False,
    kinds: tuple[str, ...] = JOINTED,
) -> Callable[[PartsOfWalk], PartsOfWalk]:
    """The same of a function that tells a number of each leg, pair or kind."""

    def register(compute: PartsOfWalk) -> PartsOfWalk:
        def of_recording(recording: "Recording", name: str) -> Mapping[str, float]:
            return compute(keep_walk(recording, name, whole=whole))

        measured_by_part(id, unit, about, kinds=kinds, where=has(*needs))(of_recording)
        return compute

    return register


CENTRE = ("centre_of_mass",)
COURSE = (*CENTRE, *STEPPING)
HEADING = (*CENTRE, "body_orientation")


@walked(
    "cm", "along the ground, from the first to the last place of its centre of mass", needs=CENTRE
)
def ground_distance(walk: Walk) -> float:
    return float(np.linalg.norm(walk.ground_path[-1] - walk.ground_path[0]))


@walked("cm/s", "that distance over its time", needs=CENTRE)
def ground_speed(walk: Walk) -> float:
    return ground_distance(walk) / walk.seconds if walk.seconds > 0 else np.nan


@walked("1/s", "the same, of its length", needs=CENTRE)
def relative_speed(walk: Walk) -> float:
    return ground_speed(walk) / float(walk.static("body_length"))


@walked(
    "cm/s", "of its centre of mass along where it heads, mean, negative backwards", needs=HEADING
)
def forward_speed(walk: Walk) -> float:
    if not walk.seconds > 0:
        return np.nan
    ahead = np.stack([np.cos(walk.yaw), -np.sin(walk.yaw)], axis=1)
    between = (ahead[1:] + ahead[:-1]) / 2
    return float((np.diff(walk.ground_path, axis=0) * between).sum() / walk.seconds)


@walked("rad/s", "of its heading, mean, positive to the left", needs=HEADING)
def turn_rate(walk: Walk) -> float:
    return float((walk.yaw[-1] - walk.yaw[0]) / walk.seconds) if walk.seconds > 0 else np.nan


@walked("cm", "length of its course", needs=COURSE)
def course_length(walk: Walk) -> float:
    if walk.course is None:
        return np.nan
    return float(np.linalg.norm(np.diff(walk.course[1], axis=0), axis=1).sum())


@walked("1", "ends of its course apart, of its length: 1 where it goes straight", needs=COURSE)
def straightness(walk: Walk) -> float:
    length = course_length(walk)
    if walk.course is None or not length > STILL * float(walk.static("body_length")):
        return np.nan
    places = walk.course[1]
    return float(np.linalg.norm(places[-1] - places[0]) / length)


@walked(
    "cm", "sway of its centre of mass across its course, √2 of its root mean square", needs=COURSE
)
def wobble(walk: Walk) -> float:
    return walk.sideways.amplitude if walk.sideways else np.nan


@walked("Hz", "at which it sways most", needs=COURSE)
def wobble_frequency(walk: Walk) -> float:
    return walk.sideways.frequency if walk.sideways else np.nan


@walked("1", "share of the sway's power around the frequency of strides", needs=COURSE)
def wobble_stride_share(walk: Walk) -> float:
    return walk.sideways.stride_share if walk.sideways else np.nan


TURNS = ("body_orientation", *STEPPING)


@walked(
    "rad",
    "sway of its heading about its mean over two strides, √2 of its root mean square",
    needs=TURNS,
)
def yaw_wobble(walk: Walk) -> float:
    return walk.turning.amplitude if walk.turning else np.nan


@walked("Hz", "at which its heading sways most", needs=TURNS)
def yaw_wobble_frequency(walk: Walk) -> float:
    return walk.turning.frequency if walk.turning else np.nan


@walked("1", "share of that sway's power around the frequency of strides", needs=TURNS)
def yaw_wobble_stride_share(walk: Walk) -> float:
    return walk.turning.stride_share if walk.turning else np.nan
