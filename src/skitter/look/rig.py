"""The skeleton of a creature: named joints in a tree, and where a pose has them.

    root                        carries the motion of the whole: the best rigid fit of all bodies,
                                on the ground below the middle
    seg_00, seg_01, …           stiff parts, the head first
    seg_03_soft_1, …            along the soft block behind a part
    seg_07_leg_L_femur          then tibia and tarsus
    seg_00_antenna_L_1, …       one for each link
    soft_00_1, …                along a soft block that no part holds
    spine_00, spine_01, …       along the midline of a body without parts (spine.py)
    trunk, head, leg_1_L_femur  the links of an articulated body (tree_bones.py)

The tree begins at the part in the middle, which hangs on the root; from there it goes on to the
head and to the tail, so that a small turn at one end of a body does not swing the other.

A level of detail leaves joints out: 1 has no soft joints, four in an antenna and two in a leg; 2
has one joint for each part, leg and antenna. Of a spine each level has half of those before;
links are never left out.

The y axis of a joint points along its bone, which is how Blender draws it: away from the middle of
the body, and along a link; the x axis of a part points up. No joint is ever scaled. A soft block is
followed by its layers of nodes (layers.py).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skitter.creatures.plan import BodyPlan, SoftPart
from skitter.look.layers import (
    choose_joints,
    cut_layers,
    find_neighbours,
    fit_turns,
    mix,
    mix_turns,
)
from skitter.look.limb import carry_along, complete_turns, turn_with_plane
from skitter.look.motion import Motion, Pose
from skitter.look.spine import SpineBones
from skitter.look.tree_bones import TreeBones
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
ROOT = "root"
LINKS = ("femur", "tibia", "tarsus")
LEG_GROUPS = ([0, 1, 2], [0, 1], [0])  # the links at which joints begin, by level of detail
ANTENNA_JOINTS = (64, 4, 1)  # of each antenna at most, by level of detail
LEVELS = 3
UPRIGHT: Floats = np.eye(3)
TO_TAIL: Floats = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
TO_HEAD: Floats = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
OF_LINK: Floats = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # up, along, side
SIDE_OF_LINK = 2  # the axis out of the plane of a leg


@dataclass(frozen=True)
class Frames:
    """Where joints are, in the world."""

    position: Floats  # [..., joint, 3] cm
    orientation: Floats  # [..., joint, 4] w, x, y, z


class Bones(Protocol):
    """Some joints of one kind."""

    names: list[str]
    parents: list[str]  # by name; empty for none

    @property
    def axes(self) -> Floats:
        """[3, 3] or [joint, 3, 3], as columns in the frames that `place` gives."""

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        """Positions [..., joint, 3] and turns [..., joint, 3, 3]."""


class RootBone:
    """The joint that carries all others."""

    axes = UPRIGHT

    def __init__(self, rest: Pose, bodies: Ints | None = None) -> None:
        """It goes by some bodies, or by all."""
        self.names, self.parents = [ROOT], [""]
        self._bodies = bodies
        self._rest = mark_body(rest, bodies)
        self._middle = self._rest.mean(axis=0)

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        marks = mark_body(pose, self._bodies)
        turn = fit_turns(marks, self._rest)
        middle = marks.mean(axis=-2)
        position = middle - np.einsum("...ij,j->...i", turn, self._middle)
        return position[..., None, :], turn[..., None, :, :]


def mark_body(pose: Pose, bodies: Ints | None = None) -> Floats:
    """Points [..., point, 3] that tell where a body is: the axes of its parts, or its nodes."""
    if pose.body_position.shape[-2] == 0:
        return pose.node_position
    some = slice(None) if bodies is None else bodies
    axes = np.swapaxes(quaternion_to_matrix(pose.body_orientation[..., some, :]), -1, -2)
    arms = np.concatenate([axes, -axes], axis=-2)
    marks = pose.body_position[..., some, None, :] + arms
    return marks.reshape(*marks.shape[:-3], -1, 3)


class BodyBones:
    """The stiff parts."""

    def __init__(self, plan: BodyPlan, soft: "SoftBones") -> None:
        self.names = [name_body(k) for k in range(len(plan.rigid))]
        self.parents = [ROOT] * len(plan.rigid)
        self.axes = np.tile(TO_TAIL, (len(plan.rigid), 1, 1))
        for block, (near, far) in soft.way.items():
            if near is not None and far is not None:
                self.parents[far] = soft.last_of.get(block, name_body(near))
                self.axes[far] = soft.choose_axes(block)

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        return pose.body_position, quaternion_to_matrix(pose.body_orientation)


def name_body(number: int) -> str:
    return f"seg_{number:02d}"


class SoftBones:
    """Joints along the soft blocks."""

    def __init__(self, plan: BodyPlan, rest: Pose, *, wanted: bool = True) -> None:
        starts = np.cumsum([0] + [len(part.nodes) for part in plan.soft])
        self.layers = [cut_layers(part, int(s)) for part, s in zip(plan.soft, starts, strict=False)]
        self.names: list[str] = []
        self.parents: list[str] = []
        self.last_of: dict[int, str] = {}
        self.joints_of: dict[int, list[tuple[float, str]]] = {}  # place along a block, and name
        self._blend: list[tuple[Ints, Ints, float]] = []  # nodes of two layers, and the share
        self._rest = rest.node_position
        self.way = find_ways(plan, rest)  # from which part to which a block leads
        self._ends = [part.end for part in plan.soft]
        self._axes: list[Floats] = []
        held: list[int | None] = []
        for block, part in enumerate(plan.soft):
            stem = name_block(block, part.start, held)
            held.append(part.start)
            if wanted or part.start is None:
                self._add(block, part, stem)

    def _add(self, block: int, part: SoftPart, stem: str) -> None:
        near, is_turned = self.way[block][0], self.is_turned(block)
        places = choose_joints(part)
        names = [f"{stem}_{number}" for number in range(1, len(places) + 1)]
        self.joints_of[block] = list(zip(places, names, strict=True))
        self._blend += [find_neighbours(self.layers[block], place) for place in places]
        self.names += names
        self._axes += [self.choose_axes(block)] * len(places)
        chain = names[::-1] if is_turned else names
        above = [ROOT if near is None else name_body(near), *chain[:-1]]
        self.parents += above[::-1] if is_turned else above
        self.last_of[block] = chain[-1]

    @property
    def axes(self) -> Floats:
        return np.array(self._axes).reshape(-1, 3, 3)

    def is_turned(self, block: int) -> bool:
        """Whether a block leads to the part that it starts from, towards the head."""
        return self.way[block][1] != self._ends[block]

    def choose_axes(self, block: int) -> Floats:
        """Of the joints in a block, and of the part that it leads to."""
        return TO_HEAD if self.is_turned(block) else TO_TAIL

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        nodes = pose.node_position
        lead = nodes.shape[:-2]
        position = np.empty((*lead, len(self.names), 3))
        turn = np.empty((*lead, len(self.names), 3, 3))
        for kind in {len(near) for near, _, _ in self._blend}:
            chosen = [k for k, blend in enumerate(self._blend) if len(blend[0]) == kind]
            near, far = (np.array([self._blend[k][side] for k in chosen]) for side in (0, 1))
            share = np.array([self._blend[k][2] for k in chosen])
            start, end = nodes[..., near, :], nodes[..., far, :]
            position[..., chosen, :] = mix(start.mean(-2), end.mean(-2), share[:, None])
            turn[..., chosen, :, :] = mix_turns(
                fit_turns(start, self._rest[near]), fit_turns(end, self._rest[far]), share
            )
        return position, turn


def find_ways(plan: BodyPlan, rest: Pose) -> dict[int, tuple[int | None, int | None]]:
    """From which part to which every block leads, away from the part in the middle."""
    ways: dict[int, tuple[int | None, int | None]] = {
        k: (part.start, part.end) for k, part in enumerate(plan.soft)
    }
    if not plan.rigid:
        return ways
    off = np.linalg.norm(rest.body_position - rest.body_position.mean(axis=0), axis=1)
    reached = [int(np.argmin(off))]
    for body in reached:  # grows as it goes
        for k, part in enumerate(plan.soft):
            for near, far in ((part.start, part.end), (part.end, part.start)):
                if near == body and far is not None and far not in reached:
                    ways[k] = near, far
                    reached.append(far)
    return ways


def name_block(block: int, start: int | None, held: list[int | None]) -> str:
    """What the joints of a block are called; a part may hold several blocks."""
    if start is None:
        return f"soft_{block:02d}"
    before = held.count(start)
    return f"{name_body(start)}_soft{chr(ord('a') + before) if before else ''}"


class LimbBones:
    """Joints of legs or antennae: one where each of some links begins."""

    axes = OF_LINK

    def __init__(self, key: str, count: int, links: int, level: int) -> None:
        self._key, self._is_leg = key, key == "leg_point"
        if self._is_leg:
            self.starts = LEG_GROUPS[level]
            stems = [f"{name_body(n // 2 + 1)}_leg_{'LR'[n % 2]}" for n in range(count)]
            labels = [f"_{LINKS[k]}" for k in self.starts] if level < LEVELS - 1 else [""]
        else:
            joints = min(links, ANTENNA_JOINTS[level])
            self.starts = [round(links * k / joints) for k in range(joints)]
            stems = [f"{name_body(0)}_antenna_{'LR'[n % 2]}" for n in range(count)]
            labels = [f"_{k + 1}" for k in range(joints)] if joints > 1 else [""]
        bodies = [stem[: len(name_body(0))] for stem in stems]
        self.names = [stem + label for stem in stems for label in labels]
        self.parents = [
            stem + labels[k - 1] if k else body
            for stem, body in zip(stems, bodies, strict=True)
            for k in range(len(labels))
        ]

    def joint_of(self, link: int) -> int:
        """Which of a limb's joints a link follows."""
        return int(np.searchsorted(self.starts, link, side="right")) - 1

    def place(self, pose: Pose) -> tuple[Floats, Floats]:
        joints: Floats = getattr(pose, self._key)
        chosen = joints[..., [*self.starts, joints.shape[-2] - 1], :]
        if self._is_leg:
            side = turn_with_plane(joints)[..., :1, :, 1]
            along = np.diff(chosen, axis=-2)
            along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-30)
            turn = complete_turns(along, np.broadcast_to(side, along.shape))
        else:
            turn = carry_along(chosen)
        lead = joints.shape[:-3]
        start = chosen[..., :-1, :]
        return start.reshape(*lead, -1, 3), turn.reshape(*lead, -1, 3, 3)


class Rig:
    """The joints of a creature; a joint's parent comes before it."""

    def __init__(self, motion: Motion, *, level: int = 0) -> None:
        self.motion, self.level = motion, level
        self.rest = motion.rest
        self.plan = motion.plan
        self.soft = SoftBones(self.plan, self.rest, wanted=level == 0)
        self.limbs = {
            key: LimbBones(key, len(joints), joints.shape[1] - 1, level)
            for key in ("leg_point", "antenna_point")
            if len(joints := getattr(self.rest, key))
        }
        tree = motion.tree
        root = RootBone(self.rest, None if tree is None else tree.trunk)
        self.links = None if tree is None else TreeBones(tree, ROOT, (TO_HEAD, TO_TAIL))
        bodies = self.links or BodyBones(self.plan, self.soft)
        self._bones: list[Bones] = [root, bodies, self.soft, *self.limbs.values()]
        self.spine: SpineBones | None = None
        if motion.has_midline:
            self.spine = SpineBones(self.rest, level, ROOT, (TO_HEAD, TO_TAIL))
            self._bones.append(self.spine)
        names = [name for bones in self._bones for name in bones.names]
        parents = [name for bones in self._bones for name in bones.parents]
        self._order = sort_joints(names, parents)
        self.names = [names[k] for k in self._order]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.parents = np.array([self.number.get(parents[k], -1) for k in self._order])
        self.bind = self.place(self.rest)

    @property
    def is_free(self) -> bool:
        """Whether it is soft blocks alone, which deform more than joints can follow."""
        return bool(self.plan.soft) and not self.plan.rigid

    @property
    def length(self) -> float:
        """Of the body at rest, cm."""
        half = np.array([part.size / 2 for part in self.plan.rigid]).reshape(-1, 3)
        bodies, nodes = self.rest.body_position, self.rest.node_position
        if self.motion.tree is not None:
            half = self.motion.tree.size / 2
        points = np.concatenate([bodies - half, bodies + half, nodes])
        return float(np.ptp(points, axis=0).max())

    def joint_of(self, body: int) -> int:
        """The joint that a stiff part moves with."""
        return self.number[name_body(body) if self.links is None else self.links.names[body]]

    def place_root(self, pose: Pose) -> Frames:
        """Where a pose has the root alone [..., 3] and [..., 4]."""
        position, turn = self._bones[0].place(pose)
        return Frames(position[..., 0, :], matrices_to_quaternions(turn[..., 0, :, :]))

    def place(self, pose: Pose) -> Frames:
        """Where a pose has the joints; that may be many moments, stacked [frame, …]."""
        placed = [bones.place(pose) for bones in self._bones]
        position = np.concatenate([one for one, _ in placed], axis=-2)[..., self._order, :]
        turns = [turn @ bones.axes for bones, (_, turn) in zip(self._bones, placed, strict=True)]
        turn = np.concatenate(turns, axis=-3)[..., self._order, :, :]
        return Frames(position, matrices_to_quaternions(turn))


def sort_joints(names: list[str], parents: list[str]) -> list[int]:
    """An order in which every joint comes after its parent, and children stay together."""
    children: dict[str, list[int]] = {}
    for k, parent in enumerate(parents):
        children.setdefault(parent, []).append(k)
    order: list[int] = []
    waiting = children.get("", [])[::-1]
    while waiting:
        k = waiting.pop()
        order.append(k)
        waiting += children.get(names[k], [])[::-1]
    return order


def localise(frames: Frames, parents: Ints) -> Frames:
    """The same joints, each as its parent sees it; those without a parent stay as they are."""
    has_parent = (parents >= 0)[:, None]
    above = np.maximum(parents, 0)
    turn = quaternion_to_matrix(frames.orientation)
    turn_back = np.swapaxes(turn[..., above, :, :], -1, -2)
    arm = frames.position - frames.position[..., above, :]
    position = np.einsum("...ij,...j->...i", turn_back, arm)
    orientation = matrices_to_quaternions(turn_back @ turn)
    return Frames(
        np.where(has_parent, position, frames.position),
        np.where(has_parent, orientation, frames.orientation),
    )


def keep_signs(orientation: Floats, before: Floats | None) -> Floats:
    """Quaternions [frame, joint, 4] with signs such that none is far from the one before."""
    lead = orientation[:1] if before is None else before[None]
    all_ = np.concatenate([lead, orientation])
    flips = np.where(np.sum(all_[1:] * all_[:-1], axis=-1) < 0, -1.0, 1.0)
    return orientation * np.cumprod(flips, axis=0)[..., None]
