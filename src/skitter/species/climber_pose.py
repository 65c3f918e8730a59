"""Where the feet of a climber are in its default pose."""

from math import cos, radians, sin

import numpy as np

from skitter.rotation import matrix_from_turn
from skitter.species.climber_legs import ClimberLegSpec


def turn_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross @ cross)


def find_foot(leg: ClimberLegSpec) -> np.ndarray:
    """Tip of the right leg at rest, cm, in the thorax's frame."""
    place, turn = np.array(leg.at), matrix_from_turn(leg.turn_deg)
    for segment in leg.segments:
        axis = np.array(segment.joint.axis) / np.linalg.norm(segment.joint.axis)
        turn = turn @ turn_about(axis, radians(segment.joint.rest_deg))
        place = place + turn[:, 0] * segment.length
    return np.asarray(place)


def find_origin(leg: ClimberLegSpec) -> np.ndarray:
    """Where the foot of the right leg is most at ease, cm, in the thorax's frame."""
    return find_foot(leg) + np.array(leg.stance)
