"""The table of measures: a decorated function is a measure, called as the function is.

To add one, decorate a function in a module that `skitter.measure` imports; its unit, what it tells
and which kinds of creatures it holds for stand there and nowhere else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skitter.record import Recording

OfCreature = Callable[["Recording", str], float]  # nan where the recording does not tell
OfParts = Callable[["Recording", str], Mapping[str, float]]  # a number for each leg, each pair, …
OfScene = Callable[["Recording"], float]

# Kinds of creatures, as recordings name them.
LEGGED = ("myriapod",)
SWIMMING = ("swimmer",)
FEEDING = (*LEGGED, *SWIMMING)
CRAWLING = ("worm",)
JOINTED = ("articulated",)
CLIMBING = ("climber",)
STRIDING = (*JOINTED, *CLIMBING)
LOOSE = ("object",)  # things that are moved


@dataclass(frozen=True)
class MeasureSpec:
    """One measure of a creature."""

    id: str
    unit: str
    about: str
    kinds: tuple[str, ...]  # of creatures that it holds for; all, where there is none
    compute: OfCreature
    applies: Callable[["Recording", str], bool]  # whether it means something in this recording

    def holds_for(self, recording: "Recording", name: str, kind: str) -> bool:
        return (not self.kinds or kind in self.kinds) and self.applies(recording, name)


@dataclass(frozen=True)
class SceneMeasureSpec:
    """One measure of a recording as a whole."""

    id: str
    unit: str
    about: str
    compute: OfScene


@dataclass(frozen=True)
class PartsMeasureSpec:
    """One measure of each of a creature's parts; that of a part is called `<id>_<part>`."""

    id: str
    unit: str
    about: str
    kinds: tuple[str, ...]
    compute: OfParts
    applies: Callable[["Recording", str], bool]

    def holds_for(self, recording: "Recording", name: str, kind: str) -> bool:
        return (not self.kinds or kind in self.kinds) and self.applies(recording, name)


CREATURE_MEASURES: list[MeasureSpec] = []
PARTS_MEASURES: list[PartsMeasureSpec] = []
SCENE_MEASURES: list[SceneMeasureSpec] = []


def always(recording: "Recording", name: str) -> bool:
    return True


def has(*channels: str) -> Callable[["Recording", str], bool]:
    """Whether a recording has some channels of a creature, for `where`."""
    return lambda recording, name: all(f"{name}.{one}" in recording for one in channels)


def measured(
    unit: str,
    about: str,
    *,
    kinds: tuple[str, ...] = (),
    where: Callable[["Recording", str], bool] = always,
) -> Callable[[OfCreature], OfCreature]:
    """Makes a function the measure of its name, of creatures of some kinds or of all."""

    def register(compute: OfCreature) -> OfCreature:
        one = MeasureSpec(compute.__name__, unit, about, kinds, compute, where)
        if any(shares_creatures(one, other) for other in CREATURE_MEASURES):
            raise ValueError(f"two measures of a creature are called {one.id}")
        CREATURE_MEASURES.append(one)
        return compute

    return register


def measured_by_part(
    id: str,
    unit: str,
    about: str,
    *,
    kinds: tuple[str, ...] = (),
    where: Callable[["Recording", str], bool] = always,
) -> Callable[[OfParts], OfParts]:
    """Makes a function that tells a number of each part a measure of each part."""

    def register(compute: OfParts) -> OfParts:
        one = PartsMeasureSpec(id, unit, about, kinds, compute, where)
        if any(shares_creatures(one, other) for other in PARTS_MEASURES):
            raise ValueError(f"two measures of parts are called {id}")
        PARTS_MEASURES.append(one)
        return compute

    return register


def shares_creatures(
    one: MeasureSpec | PartsMeasureSpec, other: MeasureSpec | PartsMeasureSpec
) -> bool:
    """Whether two measures would have the same name for some creature."""
    meets = not one.kinds or not other.kinds or bool(set(one.kinds) & set(other.kinds))
    return one.id == other.id and meets


def measured_once(id: str, unit: str, about: str) -> Callable[[OfScene], OfScene]:
    """Makes a function a measure of the recording as a whole."""

    def register(compute: OfScene) -> OfScene:
        if any(one.id == id for one in SCENE_MEASURES):
            raise ValueError(f"two measures of a recording are called {id}")
        SCENE_MEASURES.append(SceneMeasureSpec(id, unit, about, compute))
        return compute

    return register
