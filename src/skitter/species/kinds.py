"""The kinds of species there are."""

from skitter.species.articulated import ArticulatedSpec
from skitter.species.climber import ClimberSpec
from skitter.species.myriapod import MyriapodSpec
from skitter.species.object import ObjectSpec
from skitter.species.spec import FigureSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.species.worm import WormSpec

FiguredSpec = FigureSpec | MyriapodSpec | SwimmerSpec  # of rigid parts and soft blocks
SpeciesSpec = ArticulatedSpec | ClimberSpec | FiguredSpec | ObjectSpec | WormSpec
KINDS: dict[
    str,
    type[ArticulatedSpec]
    | type[ClimberSpec]
    | type[FigureSpec]
    | type[MyriapodSpec]
    | type[ObjectSpec]
    | type[SwimmerSpec]
    | type[WormSpec],
] = {
    "articulated": ArticulatedSpec,
    "climber": ClimberSpec,
    "figure": FigureSpec,
    "myriapod": MyriapodSpec,
    "object": ObjectSpec,
    "swimmer": SwimmerSpec,
    "worm": WormSpec,
}


def take_figured(species: SpeciesSpec) -> FiguredSpec:
    """A species that is known to have a figure."""
    assert isinstance(species, FiguredSpec)
    return species
