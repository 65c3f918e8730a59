"""What can be told of a species of any kind before it lives: what it can, and what it takes."""

from typing import NamedTuple

from skitter.species.articulated import ArticulatedSpec
from skitter.species.climber import ClimberSpec
from skitter.species.kinds import SpeciesSpec
from skitter.species.myriapod import MyriapodSpec
from skitter.species.object import ObjectSpec
from skitter.species.spec import FigureSpec, JellyPart
from skitter.species.swimmer import SwimmerSpec
from skitter.species.worm import WormSpec

ENGINE_STEP = 1 / 500  # s, of climbers and of what they move
WORM_FASTEST = 4.0  # speed that a worm obeys at most, of its pace


class OwnStep(NamedTuple):
    """A time step that a species takes instead of the scene's."""

    seconds: float
    key: str  # of the species, where it is written; empty: nowhere


def find_own_step(species: SpeciesSpec) -> OwnStep | None:
    """The step that it takes; none where it takes the scene's."""
    if isinstance(species, ArticulatedSpec):
        return OwnStep(species.solver.time_step, "solver.time_step")
    if isinstance(species, WormSpec):
        return OwnStep(species.time_step, "time_step")
    if isinstance(species, ClimberSpec | ObjectSpec):
        return OwnStep(ENGINE_STEP, "")
    return None


def find_fastest(species: SpeciesSpec) -> float | None:
    """The fastest that commands can make it go, cm/s; none where that is not known."""
    if isinstance(species, MyriapodSpec):
        return species.speed_limit
    if isinstance(species, ClimberSpec):
        return species.scale * species.steering.max_speed
    if isinstance(species, WormSpec):
        return WORM_FASTEST * species.pace
    if isinstance(species, ArticulatedSpec) and species.gait is not None:
        return species.gait.pace * species.gait.most
    if isinstance(species, SwimmerSpec) and species.swim and species.swim.optimum is not None:
        return species.swim.optimum.speed[1]
    return None


def is_random(species: SpeciesSpec) -> bool:
    """Whether it draws random numbers: where its legs begin, where it wanders."""
    return isinstance(species, ClimberSpec | MyriapodSpec | SwimmerSpec)


def is_held(species: SpeciesSpec) -> bool:
    """Whether a part of it is fixed to the world, or hung on it."""
    if isinstance(species, ArticulatedSpec):
        roots = [link for link in species.links if link.parent is None]
        return any(link.fixed or link.joints for link in roots)
    if isinstance(species, FigureSpec):
        return any(part.fixed for part in species.parts if not isinstance(part, JellyPart))
    return False


def find_aim(species: SpeciesSpec) -> str:
    """What its steering is told to do beside wandering: seek, flee, path, or nothing."""
    if not isinstance(species, ClimberSpec):
        return ""
    steering = species.steering
    if steering.path:
        return "path"
    return steering.behaviour if steering.behaviour in ("seek", "flee") else ""


def find_target(species: SpeciesSpec) -> str | None:
    """The creature that it seeks or flees."""
    if find_aim(species) not in ("seek", "flee") or not isinstance(species, ClimberSpec):
        return None
    target = species.steering.target
    return target if isinstance(target, str) else None
