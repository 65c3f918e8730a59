"""The kinds of species there are."""

from skitter.species.myriapod import MyriapodSpec
from skitter.species.spec import FigureSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.species.worm import WormSpec

SpeciesSpec = FigureSpec | MyriapodSpec | SwimmerSpec | WormSpec
KINDS: dict[str, type[FigureSpec] | type[MyriapodSpec] | type[SwimmerSpec] | type[WormSpec]] = {
    "figure": FigureSpec,
    "myriapod": MyriapodSpec,
    "swimmer": SwimmerSpec,
    "worm": WormSpec,
}
