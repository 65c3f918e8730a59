"""From a species file to the arrays of a climber: what kernels need, and all its bodies.

Left legs and appendages are the mirror images of right ones: a place (x, y, z) becomes (x, y, -z),
the axis of a hinge (-x, -y, z), and equal angles are mirrored poses.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skitter.creatures.climber.draft import Bodies, Chains, list_appendages, list_legs
from skitter.creatures.climber.placing import BodyTree, Sequences, place_tree, play_sequences
from skitter.creatures.climber.weigh import compute_ellipsoid, weigh_legs, weigh_trunk
from skitter.species.climber import ClimberSpec

THORAX, ABDOMEN, HEAD, PART, APPENDAGE = -1, -2, -3, -4, -5  # segments that are not of legs
SERVO = (50.0, 200.0)  # rad/s, least and most that step durations ask for; stiffer ones shake


class Figure(NamedTuple):
    """What kernels know of the body. Thorax frame: at its middle, x forward, y up, z right."""

    leg_first: np.ndarray  # [leg + 1] int64: its hinges are leg_first[l] .. leg_first[l + 1]
    hip: np.ndarray  # [leg, 3] cm; legs as L1 R1 L2 R2 ..., front pair first
    hip_turn: np.ndarray  # [leg, 3, 3] columns: axes of the leg's frame; x leads outward
    axis: np.ndarray  # [hinge, 3] unit, in the segment's frame
    length: np.ndarray  # [hinge] cm, of the segment, along its x
    radius: np.ndarray  # [hinge] cm
    rest: np.ndarray  # [hinge] rad, in the default pose
    limit: np.ndarray  # [hinge, 4] rad: least, most, least and most of comfort
    seg_mass: np.ndarray  # [hinge] g
    servo: np.ndarray  # [hinge] rad/s, natural frequency
    elasticity: np.ndarray  # [hinge] 0..1
    origin: np.ndarray  # [leg, 3] cm, where the foot is most at ease
    leg_length: np.ndarray  # [leg] cm, stretched
    comfort: np.ndarray  # [leg] cm, how far the foot may be from its origin
    side: np.ndarray  # [leg] int64 -1 left, 1 right
    pair: np.ndarray  # [leg] int64 from 0
    thorax_size: np.ndarray  # [3] cm
    trunk_mass: float  # g, thorax and what is welded to it
    trunk_inertia: np.ndarray  # [3, 3] g cm², about trunk_centre
    trunk_centre: np.ndarray  # [3] cm
    has_abdomen: bool
    pedicel: np.ndarray  # [3] cm
    abdomen_size: np.ndarray  # [3] cm; 0 without one
    abdomen_mass: float  # g
    abdomen_middle: np.ndarray  # [3] cm, from the pedicel
    eyes: np.ndarray  # [3] cm
    total_mass: float  # g
    body_length: float  # cm, of thorax, welded parts and abdomen along x
    span: float  # cm, the longest way between feet in the default pose
    abdomen_inertia: np.ndarray  # [3, 3] g cm², about its middle


@dataclass(frozen=True)
class Plan:
    """A climber as built. Bodies: thorax, abdomen, welded parts, legs, appendages."""

    species: ClimberSpec  # with its scale applied
    figure: Figure
    tree: BodyTree
    sequences: Sequences
    body_name: list[str]  # as in thorax, left_first.coxa, left_palp.tip
    body_size: np.ndarray  # [body, 3] cm
    body_mass: np.ndarray  # [body] g; 0 of appendages, whose mass counts with what they hang on
    body_leg: np.ndarray  # [body] or -1
    body_segment: np.ndarray  # [body] of the leg from 0; THORAX, ABDOMEN, HEAD, PART, APPENDAGE
    body_parent: np.ndarray  # [body] or -1
    body_joint: np.ndarray  # [body, 3] cm, its joint from its middle, in its own axes
    leg_name: list[str]  # as in left_first
    leg_foot: np.ndarray  # [leg] its outermost body
    joint_name: list[str]  # as in left_first.coxa
    appendage_name: list[str]  # as in left_palp, tail
    appendage_count: int  # segments of all of them

    @property
    def count(self) -> int:
        """Bodies."""
        return len(self.body_name)

    def place_bodies(
        self,
        place: np.ndarray,
        turn: np.ndarray,
        pedicel: np.ndarray,
        angles: np.ndarray,
        appendage_angles: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Middles [body, 3] and quaternions [body, 4] of all bodies, in the world."""
        count = self.count
        origin, axes = np.empty((count, 3)), np.empty((count, 9))
        middles, quats = np.empty((count, 3)), np.empty((count, 4))
        flat = np.ascontiguousarray(turn, dtype=float).reshape(9)
        both = np.concatenate([angles, appendage_angles])
        place_tree(self.tree, place, flat, pedicel, both, origin, axes, middles, quats)
        return middles, quats

    def play(self, time: float, walking: float) -> np.ndarray:
        """Angles of all appendages at a time, s; from 0 while it stands to 1 while it walks."""
        angles = np.empty(self.appendage_count)
        play_sequences(self.sequences, time, walking, angles)
        return angles

    def rest_bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """The default pose, in the thorax's frame."""
        straight = np.array([1.0, 0.0, 0.0, 0.0])
        rest = self.figure.rest
        return self.place_bodies(np.zeros(3), np.eye(3), straight, rest, self.sequences.rest)


def build_plan(species: ClimberSpec) -> Plan:
    """The body of a species, at its scale."""
    species = species.to_scale()
    bodies, legs = Bodies(), list_legs(species)
    add_trunk(bodies, species)
    masses = weigh_legs(species)
    leg_foot = [bodies.add_chain(legs, leg, 0, masses) for leg in range(len(legs.name))]
    appendages, sequences = list_appendages(species)
    parents = [bodies.name.index(one) for one in appendages.parent]
    for number, parent in enumerate(parents):
        bodies.add_chain(appendages, number, parent, None, offset=len(legs.length))
    tree = bodies.pack()
    return Plan(
        species=species,
        figure=build_figure(species, legs, masses, bodies),
        tree=tree,
        sequences=sequences,
        body_name=bodies.name,
        body_size=np.array(bodies.size),
        body_mass=np.array(bodies.mass),
        body_leg=np.array(bodies.leg),
        body_segment=np.array(bodies.segment),
        body_parent=tree.parent,
        body_joint=-tree.middle,
        leg_name=legs.name,
        leg_foot=np.array(leg_foot),
        joint_name=[name for name, leg in zip(bodies.name, bodies.leg, strict=True) if leg >= 0],
        appendage_name=appendages.name,
        appendage_count=len(appendages.length),
    )


def add_trunk(bodies: Bodies, species: ClimberSpec) -> None:
    """Thorax, abdomen and what is welded to the thorax."""
    thorax, abdomen = species.thorax, species.abdomen
    bodies.add("thorax", -1, np.array(thorax.size), thorax.mass, THORAX)
    if abdomen is not None:
        bodies.add_abdomen(abdomen, ABDOMEN)
    for part in species.parts:
        kind = HEAD if part.name == "head" else PART
        bodies.add(part.name, 0, np.array(part.size), part.mass, kind, at=np.array(part.at))


def build_figure(species: ClimberSpec, legs: Chains, masses: np.ndarray, bodies: Bodies) -> Figure:
    """The arrays that kernels read."""
    thorax, abdomen = species.thorax, species.abdomen
    trunk_mass, trunk_centre, trunk_inertia = weigh_trunk(species)
    abdomen_size = np.zeros(3) if abdomen is None else np.array(abdomen.size)
    abdomen_mass = 0.0 if abdomen is None else abdomen.mass
    joints = [one.joint for leg in species.legs for _ in (0, 1) for one in leg.segments]
    servo = np.clip(8 * np.pi / species.stepping.min_step_duration, *SERVO)
    limit = [[j.min_deg, j.max_deg, j.min_range_deg, j.max_range_deg] for j in joints]
    return Figure(
        leg_first=legs.first,
        hip=legs.at,
        hip_turn=legs.turn,
        axis=legs.axis,
        length=legs.length,
        radius=legs.radius,
        rest=legs.rest,
        limit=np.radians(np.array(limit)),
        seg_mass=masses,
        servo=np.array([servo if j.stiffness is None else j.stiffness for j in joints], float),
        elasticity=np.array([j.elasticity for j in joints], float),
        origin=legs.tip,
        leg_length=np.repeat([leg.length for leg in species.legs], 2),
        comfort=np.repeat([leg.comfort_range for leg in species.legs], 2),
        side=np.tile(np.array([-1, 1]), len(species.legs)),
        pair=np.repeat(np.arange(len(species.legs)), 2),
        thorax_size=np.array(thorax.size),
        trunk_mass=trunk_mass,
        trunk_inertia=trunk_inertia,
        trunk_centre=trunk_centre,
        has_abdomen=abdomen is not None,
        pedicel=np.zeros(3) if abdomen is None else np.array(abdomen.at),
        abdomen_size=abdomen_size,
        abdomen_mass=abdomen_mass,
        abdomen_middle=np.array([-abdomen_size[0] / 2, 0.0, 0.0]),
        eyes=np.array(species.sense.at),
        total_mass=trunk_mass + abdomen_mass + float(masses.sum()),
        body_length=bodies.measure_trunk(),
        span=measure_span(legs.tip),
        abdomen_inertia=compute_ellipsoid(abdomen_mass, abdomen_size),
    )


def measure_span(feet: np.ndarray) -> float:
    """The longest way between two of them, cm."""
    return float(np.linalg.norm(feet[:, None] - feet[None], axis=-1).max())
