"""A creature at rest: its body straight, its legs as they stand, its antennae held out.

A rig is bound to a body at rest, and two recordings of a species are to give the same rig, so the
rest follows from the species alone. Where legs and antennae begin is the same in every frame, seen
from the body that carries them, and is taken from the first.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from skitter.creatures.plan import build_plan
from skitter.rotation import quaternion_to_matrix
from skitter.species.kinds import KINDS, SpeciesSpec
from skitter.species.myriapod import AntennaSpec, MyriapodSpec

if TYPE_CHECKING:
    from skitter.look.motion import Pose

Floats = NDArray[np.floating]
SIDES = np.array([-1.0, 1.0])  # left and right


def read_species_tree(recording: Any, name: str) -> dict[str, Any]:
    """What a scene's file said of a creature's species; empty if it came later, or is not known."""
    scene = recording.attributes.get("scene") or {}
    names, species = scene.get("creature_names") or [], scene.get("species") or []
    return species[names.index(name)] if name in names and len(species) == len(names) else {}


def read_species(recording: Any, name: str) -> SpeciesSpec | None:
    """The species of a creature as it was recorded; None if it came later, or is not known."""
    tree = read_species_tree(recording, name)
    try:
        species = KINDS[tree["kind"]].model_validate(tree)
        return species if species.has_figure else None
    except (KeyError, TypeError, ValidationError):
        return None


def build_rest(species: SpeciesSpec, first: "Pose") -> "Pose":
    """The pose at rest, its middle above the origin and its lowest point at height zero."""
    plan = build_plan(species)
    bodies = np.array([part.centre for part in plan.rigid]).reshape(-1, 3)
    nodes = np.concatenate([np.zeros((0, 3)), *(part.nodes for part in plan.soft)])
    legs, antennae = first.leg_point[:0], first.antenna_point[:0]
    if isinstance(species, MyriapodSpec) and len(first.leg_point):
        legs = place_legs(species, bodies, first)
        antennae = place_antennae(species.antenna, bodies, first)
    low = [part.centre[1] - part.size[1] / 2 for part in plan.rigid]
    middle = (bodies if len(bodies) else nodes).mean(axis=0)
    middle[1] = min([*low, *nodes[:, 1], *legs[..., 1].ravel()])
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))
    return replace(
        first,
        body_position=bodies - middle,
        body_orientation=upright,
        node_position=nodes - middle,
        leg_point=legs - middle,
        antenna_point=antennae - middle,
    )


def lay_rest(first: "Pose", nodes: NDArray[Any], along: NDArray[Any]) -> "Pose":
    """The pose at rest of a body whose nodes [node, 3] and midline [point] were recorded at rest.

    It lies along x, its head in front; `along` counts from there, cm.
    """
    nodes = np.asarray(nodes, float)
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    middle = (low + high) / 2
    line = np.tile(middle, (len(along), 1))
    line[:, 0] = high[0] - np.asarray(along, float)
    middle[1] = low[1]
    return replace(
        first,
        node_position=nodes - middle,
        midline=line - middle,
        muscle_activation=np.zeros_like(first.muscle_activation),
    )


def find_roots(first: "Pose", joints: Floats, body: NDArray[np.integer]) -> Floats:
    """Where limbs begin, in the frames of the bodies that carry them [limb, 3]."""
    turn = quaternion_to_matrix(first.body_orientation)[body]
    return np.einsum("lji,lj->li", turn, joints[:, 0] - first.body_position[body])


def place_legs(species: MyriapodSpec, bodies: Floats, first: "Pose") -> Floats:
    """Legs straight out to the side, the feet where they stand [leg, joint, 3]."""
    number = np.arange(len(first.leg_point))
    body, side = number // 2 + 1, SIDES[number % 2]
    root = bodies[body] + find_roots(first, first.leg_point, body)
    legs = np.empty_like(first.leg_point)
    for k, segment in enumerate(number // 2):
        links = bend_leg(species, int(segment)) * [1.0, 1.0, side[k]]
        legs[k] = root[k] + np.concatenate([np.zeros((1, 3)), np.cumsum(links, axis=0)])
    return legs


def bend_leg(species: MyriapodSpec, segment: int) -> Floats:
    """The links of a right leg that stands [link, 3], cm."""
    leg, scale = species.leg, species.leg_scale_of(segment)
    shape = leg.shape(scale)
    alpha, beta = shape.bend_to(leg.foot * leg.length * scale, -species.root_height(segment)) or (
        0.0,
        0.0,
    )
    rise = np.array([alpha, alpha - beta, alpha - beta - shape.gamma])
    length = np.array([shape.upper, shape.middle, shape.lower])
    return np.stack([0 * rise, length * np.sin(rise), length * np.cos(rise)], axis=1)


def place_antennae(antenna: AntennaSpec, bodies: Floats, first: "Pose") -> Floats:
    """Antennae in the middle of where they wander, curled but without waves [2, joint, 3]."""
    head = np.zeros(len(first.antenna_point), int)
    root = bodies[head] + find_roots(first, first.antenna_point, head)
    count = first.antenna_point.shape[1] - 1
    curl = np.radians(antenna.curl_deg) * np.arange(count)
    theta = np.radians(np.mean(antenna.theta_deg)) + curl
    phi = np.radians(np.mean(antenna.phi_deg)) - 0.6 * curl
    way = [np.cos(phi) * np.cos(theta), np.sin(phi), np.cos(phi) * np.sin(theta)]
    links = antenna.length / antenna.links * np.stack(way, axis=1)
    joints = np.concatenate([np.zeros((1, 3)), np.cumsum(links, axis=0)])
    return np.stack([at + joints * [1.0, 1.0, side] for at, side in zip(root, SIDES, strict=True)])
