"""The kinds of species there are."""

from skitter.species.myriapod import MyriapodSpec
from skitter.species.spec import FigureSpec

SpeciesSpec = FigureSpec | MyriapodSpec
KINDS: dict[str, type[FigureSpec] | type[MyriapodSpec]] = {
    "figure": FigureSpec,
    "myriapod": MyriapodSpec,
}
