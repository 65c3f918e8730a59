"""What can be tuned while a creature moves: each number with its unit, range and meaning."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A number of a species file."""

    path: str
    label: str
    about: str
    low: float
    high: float
    relative: bool = False  # the range is a share of what the species file says

    def range_about(self, value: float) -> tuple[float, float]:
        """The range of a slider for a species that has this value; it always holds the value."""
        low, high = (
            (self.low * value, self.high * value) if self.relative else (self.low, self.high)
        )
        return min(low, value), max(high, value)


WALK = (
    Parameter("walk.speed", "Speed, cm/s", "As fast as it walks", 0.1, 2.0, True),
    Parameter("walk.turn_deg", "Turn, deg/s", "As fast as it turns", 0.2, 3.0, True),
    Parameter("walk.height", "Height, cm", "Of the body over the ground", 0.7, 1.25, True),
    Parameter("walk.wander_deg", "Wander, deg", "Largest turn of its random walk", 0, 180),
    Parameter("leg.adjust_deg", "Wave, deg", "Leg angle that sets the length of the wave", -30, 40),
    Parameter("leg.back_deg", "Step back, deg", "Where a foot leaves the ground", -60, -10),
    Parameter("leg.front_deg", "Step front, deg", "Where a foot comes down", 10, 60),
    Parameter("leg.lift_deg", "Lift, deg", "How high a leg is raised", 5, 60),
    Parameter("leg.swing", "Swing, s", "Time of a leg in the air", 0.5, 2.0, True),
)
PARAMETERS = {"myriapod": WALK}  # by kind of species; of the others there is nothing to tune


def read_value(species: Any, path: str) -> float:
    """A number of a species by its path."""
    value = species
    for key in path.split("."):
        value = getattr(value, key)
    return float(value)
