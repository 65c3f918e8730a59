"""A body of links in the making: parts are hung on parts, boxes weigh on the links that carry them.

A joint of several degrees of freedom is a row of massless links. A part without joints is welded
to what it hangs on; on the world (link -1) it never moves.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from skitter.rigid.tree.model import Link
from skitter.rotation import matrix_from_turn
from skitter.species.articulated import JointSpec, LegSpec, LinkSpec, Solid, number_names

MIRROR = np.diag([1.0, 1.0, -1.0])  # right to left
ZERO, SAME = np.zeros(3), np.eye(3)


@dataclass(frozen=True)
class Frame:
    """The frame of a named part: where it is at rest in a link; in the creature's own, link -1."""

    link: int = -1
    place: np.ndarray = field(default_factory=lambda: ZERO)  # [3] cm
    turn: np.ndarray = field(default_factory=lambda: SAME)  # [3, 3]

    def move(self, at: np.ndarray) -> np.ndarray:
        """A point of this frame in the link's, cm."""
        return np.asarray(self.place + self.turn @ at)

    def hold(self, at: np.ndarray, turn: np.ndarray) -> "Frame":
        """A frame at rest in this one."""
        return Frame(self.link, self.move(at), self.turn @ turn)


@dataclass(frozen=True)
class Joint:
    """A joint by name, and the link that it moves."""

    name: str
    link: int
    spec: JointSpec


@dataclass(frozen=True)
class Box:
    """A box with its mass; its axes are the frame's."""

    name: str
    frame: Frame
    middle: np.ndarray  # [3] cm, in the frame
    size: np.ndarray  # [3] cm
    mass: float  # g
    inertia: np.ndarray  # [3, 3] g cm², about its middle
    leg: int  # or -1
    segment: int  # of the leg from 0; of the trunk -1, -2, ...


@dataclass(frozen=True)
class Limb:
    """A leg, or what a lesion has left of it."""

    name: str
    pair: int
    side: int  # -1 left, 1 right
    joints: list[int]  # of the single joints; -1 where a lesion took it
    foot: int  # box
    tip: np.ndarray  # [3] cm, in the foot's link


@dataclass
class Draft:
    """All parts so far."""

    links: list[Link] = field(default_factory=list)
    singles: list[Joint] = field(default_factory=list)  # of one degree of freedom
    balls: list[Joint] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    limbs: list[Limb] = field(default_factory=list)
    frames: dict[str, Frame] = field(default_factory=dict)  # of named parts

    def hang(
        self, frame: Frame, joints: list[JointSpec], names: list[str], *, left: bool = False
    ) -> Frame:
        """The frame behind a row of joints."""
        for joint, name in zip(joints, names, strict=True):
            turn = mirror_turn(matrix_from_turn(joint.turn_deg), left)
            axis, pitch = find_motion(joint, left)
            frame = self.add_link(frame.hold(ZERO, turn), joint.type, axis, pitch)
            row = self.balls if joint.type == "ball" else self.singles
            row.append(Joint(name, frame.link, joint))
        return frame

    def add_link(
        self, frame: Frame, joint: str, axis: np.ndarray = ZERO, pitch: float = 0.0
    ) -> Frame:
        """The frame of a new link, as yet without mass."""
        self.links.append(Link(frame.link, joint, frame.place, frame.turn, axis, pitch))
        return Frame(len(self.links) - 1)

    def add_box(self, box: Box) -> None:
        """A box, which weighs on its link."""
        self.boxes.append(box)
        self.frames[box.name] = box.frame
        link = box.frame.link
        if link >= 0:
            turn = box.frame.turn
            inertia = turn @ box.inertia @ turn.T
            self.links[link] = add_mass(
                self.links[link], box.mass, box.frame.move(box.middle), inertia
            )

    def add_trunk(self, spec: LinkSpec, number: int, last_of: dict[str, Frame]) -> None:
        """A link of the trunk, or a row of copies, each at the +x end of the one before."""
        frame = Frame() if spec.parent is None else last_of[spec.parent]
        at, turn = np.array(spec.at), matrix_from_turn(spec.turn_deg)
        size, middle = np.array(spec.size), np.array(spec.middle)
        mass, inertia = weigh(spec, size)
        rows = [number_names(joint.name, spec.repeat) for joint in spec.joints]
        for copy, name in enumerate(number_names(spec.name, spec.repeat)):
            frame = self.hang(frame.hold(at, turn), spec.joints, [row[copy] for row in rows])
            if spec.parent is None and not spec.joints and not spec.fixed:
                frame = self.add_link(frame, "free")
            self.add_box(Box(name, frame, middle, size, mass, inertia, -1, -1 - number))
            at, turn = middle + np.array([size[0] / 2, 0, 0]), SAME
        last_of[spec.name] = frame

    def add_leg(self, spec: LegSpec, pair: int, side: str, cut: int, root: Frame) -> None:
        """A leg of one side with so many of its segments, at least one."""
        left, name = side == "left", f"{side}_{spec.name}"
        at = MIRROR @ np.array(spec.at) if left else np.array(spec.at)
        frame = root.hold(at, mirror_turn(matrix_from_turn(spec.turn_deg), left))
        joints = []
        for number, segment in enumerate(spec.segments[:cut]):
            joints += [len(self.singles) + k for k in range(len(segment.joints))]
            names = [f"{name}.{joint.name}" for joint in segment.joints]
            frame = self.hang(frame, segment.joints, names, left=left)
            size, end = (
                np.array([segment.length, *segment.section]),
                np.array([segment.length, 0, 0]),
            )
            mass, inertia = weigh(segment, size)
            whole = f"{name}.{segment.name}"
            self.add_box(Box(whole, frame, end / 2, size, mass, inertia, len(self.limbs), number))
            tip = frame.move(end)
            frame = frame.hold(end, SAME)
        joints += [-1] * (len(spec.list_joints()) - len(joints))
        foot = len(self.boxes) - 1
        self.limbs.append(Limb(name, pair, -1 if left else 1, joints, foot, tip))


def mirror_turn(turn: np.ndarray, left: bool) -> np.ndarray:
    return MIRROR @ turn @ MIRROR if left else turn


def find_motion(joint: JointSpec, left: bool) -> tuple[np.ndarray, float]:
    """Axis and pitch. Mirrored, an axis to turn about changes otherwise than one to slide along."""
    if joint.axis is None:
        return ZERO, 0.0
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    pitch = joint.pitch or 0.0
    if not left:
        return axis, pitch
    return (MIRROR @ axis, 0.0) if joint.type == "prismatic" else (-MIRROR @ axis, -pitch)


def weigh(solid: Solid, size: np.ndarray) -> tuple[float, np.ndarray]:
    """Mass, g, and inertia about the middle, g cm², of a box."""
    density = 1.0 if solid.density is None else solid.density
    mass = float(density * size.prod()) if solid.mass is None else solid.mass
    if solid.inertia is not None:
        return mass, np.diag(solid.inertia)
    square = size**2
    return mass, mass / 12 * np.diag(square.sum() - square)


def add_mass(link: Link, mass: float, centre: np.ndarray, inertia: np.ndarray) -> Link:
    """The link with a further mass, by the parallel axis theorem."""
    total = link.mass + mass
    middle = (link.mass * link.centre + mass * centre) / total
    both = move_inertia(link.inertia, link.mass, link.centre - middle)
    both = both + move_inertia(inertia, mass, centre - middle)
    return replace(link, mass=total, centre=middle, inertia=both)


def move_inertia(inertia: np.ndarray, mass: float, away: np.ndarray) -> np.ndarray:
    """Inertia about a point that is so far from the centre of mass."""
    return np.asarray(inertia + mass * (away @ away * SAME - np.outer(away, away)))
