"""A swimmer in the world: a figure in a row whose muscles drive it (Fang 2015 chapter 5)."""

from typing import ClassVar

import numpy as np

from skitter.channel import Static
from skitter.creatures import swim_frame
from skitter.creatures.animal import Animal
from skitter.creatures.figure import Figure
from skitter.species.swimmer import SwimmerSpec


class Swimmer(Animal):
    """A creature that swims: straight on, led, or after what it sees."""

    kind = "swimmer"
    rows: ClassVar = (*Figure.rows, *swim_frame.MIND_ROWS, swim_frame.FOOD_ROW)
    species: SwimmerSpec

    def list_statics(self) -> list[Static]:
        return super().list_statics() + swim_frame.list_statics(self)

    def read_values(self) -> dict[str, np.ndarray]:
        return super().read_values() | {"food_eaten": np.array(self.food_eaten, np.int32)}
