"""By what a creature can be led: how fast it goes, and how fast it turns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

FASTER = 1.6  # of its usual speed, up to which it may be driven
TURN = 45.0  # deg/s, where a species does not say
PACE = 5.0  # cm/s, likewise: about what McKenna 1990 (section 4.2) measured
STEPS = 50  # of a slider, at least


@dataclass(frozen=True)
class Reins:
    """What the controls of a creature range over."""

    speed: float  # cm/s, its usual one
    turn_deg: float  # deg/s, of a key

    @property
    def limit(self) -> float:
        """cm/s, in whole steps."""
        return float(round(round(FASTER * self.speed / self.step) * self.step, 9))

    @property
    def step(self) -> float:
        """cm/s: a tenth, and a power of ten below that for what is slow."""
        power = float(10.0 ** np.floor(np.log10(FASTER * self.speed / STEPS)))
        return min(power, 0.1)


def find_reins(species: Any) -> Reins | None:
    """Those of a species; None where it cannot be led."""
    way = getattr(species, "walk", None) or getattr(species, "swim", None)
    if way is not None:
        return Reins(float(way.speed), float(way.turn_deg))
    if not getattr(species, "can_be_led", False) or not getattr(species, "takes_commands", True):
        return None
    steering = getattr(species, "steering", None)
    if steering is not None:
        return Reins(float(steering.max_speed) / FASTER, TURN)
    gait = getattr(species, "gait", None)
    pace = getattr(species, "pace", None) or getattr(gait, "pace", None) or PACE
    return Reins(float(pace), TURN)
