"""The kinds of species there are."""

from skitter.species.articulated import ArticulatedSpec
from skitter.species.myriapod import MyriapodSpec
from skitter.species.spec import FigureSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.species.worm import WormSpec

FiguredSpec = FigureSpec | MyriapodSpec | SwimmerSpec  # of rigid parts and soft blocks
SpeciesSpec = ArticulatedSpec | FiguredSpec | WormSpec
KINDS: dict[
    str,
    type[ArticulatedSpec]
    | type[FigureSpec]
    | type[MyriapodSpec]
    | type[SwimmerSpec]
    | type[WormSpec],
] = {
    "articulated": ArticulatedSpec,
    "figure": FigureSpec,
    "myriapod": MyriapodSpec,
    "swimmer": SwimmerSpec,
    "worm": WormSpec,
}


def take_figured(species: SpeciesSpec) -> FiguredSpec:
    """A species that is known to have a figure."""
    assert isinstance(species, FiguredSpec)
    return species
