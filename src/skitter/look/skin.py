"""The skin of a rig: a creature's surfaces at rest, and which joints every point follows.

Stiff parts and links of limbs follow one joint each. A point of a soft block, or of a swimmer's
skin, follows the two joints between which it lies along the body, the nearer one more; all of a
body with a spine follows the three that are nearest (spine.py).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh
from skitter.look.motion import Pose
from skitter.look.myriapod import Limb
from skitter.look.rig import Frames, Rig, name_body
from skitter.look.soft import SoftSurface
from skitter.look.spine import SpineBones
from skitter.look.swimmer import SwimmerSkin
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
INFLUENCES = 4  # as engines take them; three are used at most
ROUGHNESS = {
    "body": 0.38,
    "leg": 0.5,
    "antenna": 0.55,
    "skin": 0.4,
    "soft": 0.45,
    "pharynx": 0.6,
    "gut": 0.7,
    "eggs": 0.5,
    "muscles": 0.5,
}
FINISHES = {"glossy": 0.22, "dull": 0.85}  # roughness, where it is not the usual one
STIFF = ("body", "leg", "antenna")  # kinds whose points stay as they are on one joint


@dataclass(frozen=True)
class SkinPart:
    """A surface of one material, bound to joints."""

    kind: str  # one of ROUGHNESS
    mesh: Mesh  # at rest, cm
    colours: Floats  # [point, 3] linear light
    opacity: float
    joints: Ints  # [point, 4] numbers of joints of the rig
    weights: Floats  # [point, 4] that sum to one
    is_recoloured: bool = False  # then these are its colours at rest
    finish: str = "plain"

    @property
    def is_painted(self) -> bool:
        """Whether its points differ in colour, at some time."""
        return self.is_recoloured or bool(np.ptp(self.colours, axis=0).any())

    @property
    def roughness(self) -> float:
        return FINISHES.get(self.finish, ROUGHNESS[self.kind])


def build_skin_parts(creature: CreatureSurface, rig: Rig) -> list[SkinPart]:
    """All surfaces of a creature, bound to its rig."""
    parts = bind_spine(creature, rig.spine, rig) if rig.spine is not None else []
    if creature.rigid is not None:
        bodies = np.array([rig.joint_of(int(body)) for body in creature.rigid.bodies])
        mesh, colours = creature.rigid.at(rig.rest), creature.rigid.colours
        bound = bind_to_one(bodies)
        finish = creature.finish
        parts.append(SkinPart("body", mesh, colours, 1.0, *bound, finish=finish))
    parts += [bind_limb(limb, rig) for limb in creature.limbs]
    if creature.skin is not None:
        parts.append(bind_swimmer(creature.skin, rig))
    if creature.soft is not None and rig.spine is None:
        parts.append(bind_soft(creature.soft, creature, rig))
    return parts


def bind_to_one(joints: Ints) -> tuple[Ints, Floats]:
    """Every point follows one joint."""
    return bind_between(joints, joints, np.zeros(len(joints)))


def bind_between(first: Ints, second: Ints, share: Floats) -> tuple[Ints, Floats]:
    """Every point follows two joints, the second by a share; a joint of no weight is number 0."""
    joints, weights = np.zeros((len(first), INFLUENCES), np.int64), np.zeros((len(first), 4))
    joints[:, 0], joints[:, 1] = first, np.where(share > 0, second, 0)
    weights[:, 0], weights[:, 1] = 1 - share, share
    is_second = share >= 1  # then the first has no weight
    joints[is_second, 0], weights[is_second, :2] = second[is_second], (1.0, 0.0)
    joints[is_second, 1] = 0
    return joints, weights


def bind_spine(creature: CreatureSurface, spine: SpineBones, rig: Rig) -> list[SkinPart]:
    """All that lies around a spine, organs first."""
    number = np.array([rig.number[name] for name in spine.names])
    parts = []
    for organ in creature.organs:
        mesh = organ.at(rig.rest)
        bound = name_joints(*spine.bind(mesh.points), number)
        parts.append(SkinPart(organ.kind, mesh, organ.colours, 1.0, *bound, organ.is_recoloured))
    if creature.soft is not None:
        mesh = creature.soft.at(rig.rest)
        colours = np.broadcast_to(creature.soft_colour, mesh.points.shape)
        bound = name_joints(*spine.bind(mesh.points), number)
        parts.append(SkinPart("soft", mesh, colours, creature.soft_opacity, *bound))
    return parts


def name_joints(joints: Ints, weights: Floats, number: Ints) -> tuple[Ints, Floats]:
    """Joints and weights [point, few] of some bones as the rig numbers them."""
    spare = ((0, 0), (0, INFLUENCES - joints.shape[1]))
    named = np.where(weights > 0, number[joints], 0)
    return np.pad(named, spare), np.pad(weights, spare)


def bind_limb(limb: Limb, rig: Rig) -> SkinPart:
    """Legs or antennae: points are stored link by link, and limb by limb within a link."""
    bones, surface = rig.limbs[limb.key], limb.surface
    each = len(bones.starts)
    owners = []
    for link, shape in enumerate(surface.shapes):
        joint = [n * each + bones.joint_of(link) for n in range(surface.limb_count)]
        numbers = [rig.number[bones.names[k]] for k in joint]
        owners.append(np.repeat(numbers, len(shape.mesh.points)))
    kind = "leg" if limb.key == "leg_point" else "antenna"
    bound = bind_to_one(np.concatenate(owners))
    return SkinPart(kind, limb.at(rig.rest), limb.colours, 1.0, *bound)


@dataclass(frozen=True)
class Line:
    """Joints along a line, for points that lie along it."""

    place: Floats  # [joint] rising
    joint: Ints  # [joint]

    def bind(self, place: Floats) -> tuple[Ints, Ints, Floats]:
        """For points at some places: the joints before and behind, and the share of the latter."""
        at = np.interp(place, self.place, np.arange(len(self.place)))
        before = np.clip(at.astype(int), 0, max(len(self.place) - 2, 0))
        behind = np.minimum(before + 1, len(self.place) - 1)
        return self.joint[before], self.joint[behind], np.asarray(at - before)


def find_line(rig: Rig, block: int) -> Line:
    """The joints along a soft block, from 0 to 1, with the parts that hold its ends."""
    part = rig.plan.soft[block]
    found = list(rig.soft.joints_of.get(block, []))
    if part.start is not None:
        found.insert(0, (0.0, name_body(part.start)))
    if part.end is not None:
        found.append((1.0, name_body(part.end)))
    place, names = zip(*found, strict=True)
    return Line(np.array(place), np.array([rig.number[name] for name in names]))


def bind_soft(soft: SoftSurface, creature: CreatureSurface, rig: Rig) -> SkinPart:
    """Soft blocks: how far along its block a point lies follows from the nodes it is made of."""
    along = np.zeros(len(rig.rest.node_position))
    for layers in rig.soft.layers:
        along[layers.nodes] = layers.place[:, None]
    place, block = soft.carry(along), np.rint(soft.carry(soft.block)).astype(int)
    first, second = np.zeros(len(place), np.int64), np.zeros(len(place), np.int64)
    share = np.zeros(len(place))
    for number in np.unique(block):
        own = block == number
        first[own], second[own], share[own] = find_line(rig, int(number)).bind(place[own])
    mesh = soft.at(rig.rest)
    colours = np.broadcast_to(creature.soft_colour, mesh.points.shape)
    bound = bind_between(first, second, share)
    return SkinPart("soft", mesh, colours, creature.soft_opacity, *bound)


def bind_swimmer(skin: SwimmerSkin, rig: Rig) -> SkinPart:
    """A skin over all of a body: rings follow the parts and soft joints between which they lie."""
    around = len(skin.angles)
    place = np.repeat(skin.shape.place, around)
    bound = bind_between(*find_spine_line(skin, rig).bind(place))
    return SkinPart("skin", skin.at(rig.rest), skin.colours, 1.0, *bound)


def find_spine_line(skin: SwimmerSkin, rig: Rig) -> Line:
    """All joints along a row of parts, at their places from the front of the first, cm."""
    bodies, front = rig.rest.body_position, rig.rest.body_position[0, 0] + skin.spine.size[0, 0] / 2
    names = [name_body(k) for k in range(len(bodies))]
    names += [name for joints in rig.soft.joints_of.values() for _, name in joints]
    numbers = np.array([rig.number[name] for name in names])
    place = front - rig.bind.position[numbers, 0]
    order = np.argsort(place)
    return Line(place[order], numbers[order])


def blend_joints(part: SkinPart, bind: Frames, now: Frames) -> tuple[Floats, Floats]:
    """The affine map of every point [point, 3, 3] and [point, 3] that its joints make."""
    back = np.swapaxes(quaternion_to_matrix(bind.orientation), -1, -2)
    turns = quaternion_to_matrix(now.orientation) @ back
    shifts = now.position - np.einsum("jik,jk->ji", turns, bind.position)
    turn, shift = np.zeros((len(part.joints), 3, 3)), np.zeros((len(part.joints), 3))
    for k in range(INFLUENCES):
        joint, weight = part.joints[:, k], part.weights[:, k]
        turn += weight[:, None, None] * turns[joint]
        shift += weight[:, None] * shifts[joint]
    return turn, shift


def deform(part: SkinPart, bind: Frames, now: Frames) -> Floats:
    """Points [point, 3] of a skin whose joints have moved: what an engine will draw."""
    turn, shift = blend_joints(part, bind, now)
    return np.asarray(np.einsum("pij,pj->pi", turn, part.mesh.points) + shift)


def exact_points(creature: CreatureSurface, kind: str, pose: Pose) -> Floats:
    """The same points as a part of the skin has, where the simulation has them."""
    return find_surface(creature, kind).at(pose).points


class Moves(Protocol):
    """A surface that a pose moves."""

    def at(self, pose: Pose) -> Mesh: ...


def find_surface(creature: CreatureSurface, kind: str) -> Moves:
    """What a part of the skin was made of."""
    surfaces: dict[str, Moves | None] = {
        "body": creature.rigid,
        "skin": creature.skin,
        "soft": creature.soft,
        **{("leg" if one.key == "leg_point" else "antenna"): one for one in creature.limbs},
        **{organ.kind: organ for organ in creature.organs},
    }
    surface = surfaces[kind]
    assert surface is not None
    return surface


@dataclass(frozen=True)
class Fit:
    """How far a skinned surface is from the simulated one, cm."""

    rms: float
    most: float


def measure_fit(creature: CreatureSurface, rig: Rig, part: SkinPart, times: Floats) -> Fit:
    """The fit of a part at some times."""
    gaps = []
    for time in times:
        pose = creature.motion.pose(float(time))
        off = deform(part, rig.bind, rig.place(pose)) - exact_points(creature, part.kind, pose)
        gaps.append(np.linalg.norm(off, axis=1))
    found = np.array(gaps)
    return Fit(float(np.sqrt(np.mean(found**2))), float(found.max()))
