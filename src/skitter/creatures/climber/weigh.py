"""Masses and inertias of a climber, from shapes."""

from math import pi

import numpy as np

from skitter.creatures.articulated.draft import move_inertia
from skitter.species.climber import ClimberSpec
from skitter.species.climber_derive import SEGMENT_DENSITY


def compute_ellipsoid(mass: float, size: np.ndarray) -> np.ndarray:
    """Inertia of an ellipsoid in a box of this size about its middle, g cm²."""
    square = (np.asarray(size) / 2) ** 2
    return np.diag(mass / 5 * (square.sum() - square))


def weigh_trunk(species: ClimberSpec) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia about it, of the thorax and what is welded to it."""
    solids = [(species.thorax.mass, np.zeros(3), species.thorax.size)]
    solids += [(part.mass, np.array(part.at), part.size) for part in species.parts]
    mass = sum(one for one, _, _ in solids)
    centre = sum((one * at for one, at, _ in solids), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for one, at, size in solids:
        inertia += move_inertia(compute_ellipsoid(one, np.array(size)), one, at - centre)
    return float(mass), centre, inertia


def weigh_legs(species: ClimberSpec) -> np.ndarray:
    """Masses of all segments, left then right of each pair, g.

    A base mass is that of a segment of mean size; the others weigh by their volume.
    """
    volumes = [
        np.array([pi * one.radius**2 * one.length for one in leg.segments]) for leg in species.legs
    ]
    mean = float(np.concatenate(volumes).mean())
    masses = []
    for leg, volume in zip(species.legs, volumes, strict=True):
        if leg.segment_mass is not None:
            mass = leg.segment_mass * volume / volume.mean()
        elif species.limb_seg_mass is not None:
            mass = species.limb_seg_mass * volume / mean
        else:
            mass = SEGMENT_DENSITY * volume
        masses += [mass, mass]
    return np.concatenate(masses)
