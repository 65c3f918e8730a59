"""A swimmer in the world: a figure in a row whose muscles drive it (Fang 2015 chapter 5)."""

from skitter.creatures.animal import Animal
from skitter.species.swimmer import SwimmerSpec


class Swimmer(Animal):
    """A creature that swims: straight on, led, or after what it sees."""

    kind = "swimmer"
    species: SwimmerSpec
