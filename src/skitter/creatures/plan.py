"""From a species file to a body plan: rigid parts and soft blocks where they are at rest.

The plan is plain data in the creature's own frame (the first part at the origin); placing it in a
scene and packing it into arrays comes later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skitter.elastic.block import build_nodes
from skitter.errors import UserError
from skitter.species.kinds import SpeciesSpec, take_figured
from skitter.species.spec import BoxPart, CapsulePart, JellyPart, SoftJoint

BOX, CAPSULE = 0, 1
CAPSULE_POINTS = 5  # balls along a capsule that are tested for contact
BOX_POINTS = 3  # points along a box edge that are tested for contact, on anything but a plane


@dataclass
class RigidPart:
    """A rigid part at rest, axes parallel to the creature's."""

    name: str
    shape: int  # BOX or CAPSULE
    size: np.ndarray  # [3] cm; box: edges; capsule: radius, straight length, radius, along x
    density: float  # g/cm³
    fixed: bool
    centre: np.ndarray  # [3] cm
    ballast: float = 0.0  # cm, its mass has its centre so far below its middle


@dataclass
class SoftPart:
    """A soft block at rest; its start face may sit on one rigid part, its end face on another."""

    name: str
    cells: tuple[int, int, int]
    nodes: np.ndarray  # [node, 3] cm
    start: int | None  # index of a rigid part
    end: int | None


@dataclass
class BodyPlan:
    """A creature at rest: all its parts, in its own frame."""

    rigid: list[RigidPart]
    soft: list[SoftPart]


def face_axes(face: str) -> np.ndarray:
    """Axes of a block that grows out of a face: columns along, up, across."""
    sign = 1.0 if face[0] == "+" else -1.0
    axis = "xyz".index(face[1])
    along = sign * np.eye(3)[axis]
    up = np.array([0.0, 1.0, 0.0]) if axis != 1 else np.array([1.0, 0.0, 0.0])
    return np.stack([along, up, np.cross(along, up)], axis=1)


def face_offset(part: RigidPart, face: str) -> float:
    """Distance from the centre to a face, cm. A capsule's sides are those of an inscribed prism,
    its ends the planes where the round caps begin."""
    axis = "xyz".index(face[1])
    if part.shape == BOX:
        return float(part.size[axis] / 2)
    radius, length = part.size[0], part.size[1]
    return float(length / 2 if axis == 0 else radius / np.sqrt(2))


def face_section(part: RigidPart, face: str) -> tuple[float, float]:
    """Height and width of a face, cm, along the block's up and across axes."""
    axes = face_axes(face)
    if part.shape == BOX:
        edges = part.size
    else:
        inscribed = part.size[0] * np.sqrt(2)
        edges = np.array([max(part.size[1], inscribed), inscribed, inscribed])
    return float(np.abs(axes[:, 1]) @ edges), float(np.abs(axes[:, 2]) @ edges)


def opposite(face: str) -> str:
    return ("-" if face[0] == "+" else "+") + face[1]


def describe_rigid(part: BoxPart | CapsulePart, name: str) -> RigidPart:
    if isinstance(part, BoxPart):
        shape, size, ballast = BOX, np.array(part.size), part.ballast * part.size[1] / 2
    else:
        shape, size, ballast = CAPSULE, np.array([part.radius, part.length, part.radius]), 0.0
    return RigidPart(name, shape, size, part.density, part.fixed, np.zeros(3), ballast)


def join(plan: BodyPlan, parent: int, child: RigidPart, face: str, joint: SoftJoint) -> None:
    """Hang a part on its parent by a soft block."""
    carrier = plan.rigid[parent]
    axes = face_axes(face)
    root = carrier.centre + axes[:, 0] * face_offset(carrier, face)
    child.centre = root + axes[:, 0] * (joint.length + face_offset(child, opposite(face)))
    section = joint.section or face_section(carrier, face)
    turn = [1.0, -1.0, -1.0] if joint.turned else [1.0, 1.0, 1.0]
    local = build_nodes(joint.cells, np.array([joint.length, *section])) * turn
    nodes = root + axes[:, 0] * joint.length / 2 + local @ axes.T
    plan.rigid.append(child)
    name = f"{carrier.name}_to_{child.name}"
    plan.soft.append(SoftPart(name, joint.cells, nodes, parent, len(plan.rigid) - 1))


def add_row(plan: BodyPlan, part: BoxPart | CapsulePart, last_of: dict[str, int]) -> None:
    """A part, or a row of copies of it, each hung on the one before."""
    previous = None if part.parent is None else last_of[part.parent]
    for number in range(1, part.repeat + 1):
        child = describe_rigid(part, part.name if part.repeat == 1 else f"{part.name}_{number}")
        if previous is None:
            plan.rigid.append(child)
        else:
            join(plan, previous, child, part.face, part.joint)
        previous = len(plan.rigid) - 1
    last_of[part.name] = len(plan.rigid) - 1


def build_plan(species: SpeciesSpec) -> BodyPlan:
    """The body plan of a species."""
    plan, last_of = BodyPlan([], []), dict[str, int]()
    for part in take_figured(species).figure.parts:
        if isinstance(part, JellyPart):
            nodes = build_nodes(part.cells, np.array(part.size))
            plan.soft.append(SoftPart(part.name, part.cells, nodes, None, None))
        else:
            add_row(plan, part, last_of)
    return plan


def hold_parts(plan: BodyPlan, creature: str, names: Sequence[str]) -> None:
    """Fix the named parts where they are."""
    known = {part.name: part for part in plan.rigid}
    for name in names:
        if name not in known:
            few = ", ".join(list(known)[:6]) + (", ..." if len(known) > 6 else "")
            raise UserError(f"'{creature}' has no part '{name}' to be held; valid: {few or 'none'}")
        known[name].fixed = True
