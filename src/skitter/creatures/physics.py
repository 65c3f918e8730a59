"""What the physics of a world has in common."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Physics:
    """Step [s], gravity downwards [cm/s²] and number type, the same for all creatures."""

    dt: float
    gravity: float
    real: type
