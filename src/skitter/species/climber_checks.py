"""What no climber can be: parts that float beside it, feet it cannot reach, masses of no matter."""

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from skitter.species.articulated import check_names, name_some
from skitter.species.climber_pose import find_origin

if TYPE_CHECKING:
    from skitter.species.climber import ClimberSpec

AWAY = 3.0  # largest sizes of a part: so far from its middle something may hang on it
DENSITY = (0.01, 30.0)  # g/cm³, least and most of any part
PACE = 200.0  # leg lengths per second
LEGS = (0.02, 500.0)  # cm, mean length at the scale


def check_named(species: "ClimberSpec") -> None:
    """Names differ, and appendages hang on what is there."""
    check_names("legs", [leg.name for leg in species.legs])
    own = ["thorax", *(["abdomen"] if species.abdomen else [])]
    names = [*own, *(part.name for part in species.parts)]
    check_names("parts", names)
    check_names("appendages", [one.name for one in species.appendages])
    for one in species.appendages:
        if one.parent not in names:
            raise ValueError(
                f"has an appendage '{one.name}' on '{one.parent}', which it does not have;"
                f" valid: {name_some(names)}"
            )


def check_places(species: "ClimberSpec") -> None:
    """Nothing hangs on a part from far away."""
    size = {"thorax": max(species.thorax.size)}
    size |= {part.name: max(part.size) for part in species.parts}
    if species.abdomen is not None:
        size["abdomen"] = max(species.abdomen.size)
    places = [(f"leg '{leg.name}'", leg.at, "thorax") for leg in species.legs]
    places += [(f"part '{one.name}'", one.at, "thorax") for one in species.parts]
    places += [(f"appendage '{one.name}'", one.at, one.parent) for one in species.appendages]
    if species.abdomen is not None:
        places.append(("abdomen", species.abdomen.at, "thorax"))
    for what, at, parent in [*places, ("sense", species.sense.at, "thorax")]:
        most = AWAY * size[parent]
        if np.linalg.norm(at) > most:
            raise ValueError(
                f"has {what} at {np.linalg.norm(at):.4g} cm from the {parent}; valid: within"
                f" {most:.4g}, {AWAY:g} times the size of that"
            )


def check_masses(species: "ClimberSpec") -> None:
    """No part is as light as smoke, none heavier than any metal."""
    thorax, abdomen = species.thorax, species.abdomen
    solids = [("thorax", thorax.mass, thorax.size)]
    solids += [(part.name, part.mass, part.size) for part in species.parts]
    if abdomen is not None:
        solids.append(("abdomen", abdomen.mass, abdomen.size))
    for name, mass, size in solids:
        check_mass(f"a mass of the {name}", mass, pi / 6 * float(np.prod(size)))
    volumes = []
    for leg in species.legs:
        volume = [pi * one.radius**2 * one.length for one in leg.segments]
        volumes += volume
        if leg.segment_mass is not None:
            mean = float(np.mean(volume))
            check_mass(f"a segment_mass of leg '{leg.name}'", leg.segment_mass, mean)
    if species.limb_seg_mass is not None:
        check_mass("a limb_seg_mass", species.limb_seg_mass, float(np.mean(volumes)))


def check_mass(what: str, mass: float, volume: float) -> None:
    low, high = (density * volume for density in DENSITY)
    if not low <= mass <= high:
        raise ValueError(
            f"has {what} of {mass:.4g} g, and {volume:.3g} cm³ of it; valid: from {low:.3g} to"
            f" {high:.3g} g"
        )


def check_stance(species: "ClimberSpec") -> None:
    """Feet can be where they are most at ease, and the elevation is one that they can keep."""
    for leg in species.legs:
        away = float(np.linalg.norm(find_origin(leg) - np.array(leg.at)))
        if away > leg.length * (1 + 1e-9):
            raise ValueError(
                f"has a leg '{leg.name}' of {leg.length:g} cm whose stance asks it to reach"
                f" {away:.4g} cm; valid: a stance within its reach"
            )
    height = -float(np.mean([find_origin(leg)[1] for leg in species.legs]))
    slack = min(leg.comfort_range for leg in species.legs)
    if abs(species.thorax.elevation - height) > slack:
        raise ValueError(
            f"has a thorax.elevation of {species.thorax.elevation:g} cm, and feet {height:.4g} cm"
            " below the thorax in the default pose; valid: from"
            f" {max(height - slack, 1e-3):.4g} to {height + slack:.4g}, by the comfort_range"
        )


def check_pace(species: "ClimberSpec") -> None:
    """Speed, step height and scale are of the same animal as its legs."""
    length = float(np.mean([leg.length for leg in species.legs]))
    if species.steering.max_speed > PACE * length:
        raise ValueError(
            f"has a steering.max_speed of {species.steering.max_speed:g} cm/s and legs of"
            f" {length:.4g} cm; valid: up to {PACE * length:.4g}, {PACE:g} leg lengths per second"
        )
    if species.stepping.max_step_height > length:
        raise ValueError(
            f"has a stepping.max_step_height of {species.stepping.max_step_height:g} cm; valid: up"
            f" to {length:.4g}, the mean length of its legs"
        )
    low, high = (bound / length for bound in LEGS)
    if not low <= species.scale <= high:
        raise ValueError(
            f"has a scale of {species.scale:g}, which makes legs of {species.scale * length:.4g}"
            f" cm; valid: from {low:.3g} to {high:.4g}"
        )
