"""The kinds of species there are."""

from skitter.species.myriapod import MyriapodSpec
from skitter.species.spec import FigureSpec
from skitter.species.swimmer import SwimmerSpec

SpeciesSpec = FigureSpec | MyriapodSpec | SwimmerSpec
KINDS: dict[str, type[FigureSpec] | type[MyriapodSpec] | type[SwimmerSpec]] = {
    "figure": FigureSpec,
    "myriapod": MyriapodSpec,
    "swimmer": SwimmerSpec,
}
