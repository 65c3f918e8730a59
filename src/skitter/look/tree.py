"""The links of a body as a recording tells of them: boxes, whose they are, what they hang on.

Only `body_size` must have been recorded. What else is missing is filled in: a body of which nothing
is known is a trunk of separate links.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skitter.look.limb_names import PARTS, TRUNK_PARTS, choose_roles
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.look.motion import Motion, Pose

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
ROOT, ABDOMEN, HEAD = -1, -2, -3  # what `segment` says of a trunk's bodies
TRUNK_NAMES = {ROOT: "trunk", ABDOMEN: "abdomen", HEAD: "head"}
SEGMENTS = ("coxa", "femur", "tibia", "tarsus")


@dataclass(frozen=True)
class Tree:
    """All bodies of a creature."""

    size: Floats  # [body, 3] cm, edges of the box
    parent: Ints  # [body] the body it hangs on; -1 for none
    leg: Ints  # [body] -1 for the trunk
    segment: Ints  # [body] of a leg from 0, or what it is of the trunk
    side: Ints  # [leg] -1 left, 1 right
    pair: Ints  # [leg] 0 in front
    joint: Floats  # [body, 3] cm, where it is joined to its parent, in its own frame
    part: tuple[str, ...] = ()  # [body] of PARTS, where that is told
    role: tuple[str, ...] = ()  # [body] likewise: what a segment of a leg is; else empty
    hand: Ints | None = None  # [body] likewise: -1 left, 1 right, 0 in the middle

    @property
    def trunk(self) -> Ints:
        """The bodies that are not of legs; all, where there are only such."""
        own = np.flatnonzero(self.leg < 0)
        return own if len(own) else np.arange(len(self.leg))

    def side_of(self, body: int) -> int:
        """-1 for a body of a left leg, 1 for a right one, 0 for the trunk."""
        return int(self.side[self.leg[body]]) if self.leg[body] >= 0 else 0

    def is_last(self, body: int) -> bool:
        """Whether nothing hangs on it."""
        return not bool((self.parent == body).any())

    def find(self, segment: int) -> list[int]:
        """Bodies of the trunk of a kind."""
        return [int(k) for k in np.flatnonzero((self.leg < 0) & (self.segment == segment))]


def read_tree(motion: "Motion") -> Tree:
    """What a creature has recorded of its links."""
    size = np.asarray(motion.static("body_size"), float)

    def take(key: str, usual: NDArray[np.generic]) -> Ints:
        found = motion.static(key) if motion.has_static(key) else usual
        return np.asarray(found, np.int64)

    leg = take("body_leg", np.full(len(size), -1))
    segment = take("body_segment", np.full(len(size), ROOT))
    count = int(leg.max(initial=-1)) + 1
    if count > len(leg):
        raise ValueError("a body belongs to a leg that is not there")
    joint = np.asarray(
        motion.static("body_joint")
        if motion.has_static("body_joint")
        else guess(size, leg, segment),
        float,
    )
    return Tree(
        size,
        take("body_parent", np.full(len(size), -1)),
        leg,
        segment,
        take("leg_side", np.ones(count)),
        take("leg_pair", np.arange(count)),
        joint,
        *(read_parts(motion, leg, count) if motion.has_static("body_part") else ()),
    )


def read_parts(
    motion: "Motion", leg: Ints, legs: int
) -> tuple[tuple[str, ...], tuple[str, ...], Ints]:
    """Part, role and side of every body, of a creature that tells its parts."""
    told = np.asarray(motion.static("body_part"), np.int64).clip(0, len(PARTS) - 1)
    roles, written = [""] * len(leg), motion.species_tree.get("legs") or []
    pairs = np.asarray(motion.static("leg_pair")) if motion.has_static("leg_pair") else range(legs)
    for number, pair in enumerate(pairs):
        bodies = np.flatnonzero(leg == number)
        segments = written[pair].get("segments") or [] if pair < len(written) else []
        names = [str(one.get("name", "")) for one in segments]
        for body, role in zip(bodies, choose_roles(len(bodies), names), strict=True):
            roles[body] = role
    at = np.asarray(motion.static("body_rest_position"), float)
    turn = quaternion_to_matrix(np.asarray(motion.static("body_rest_orientation"), float)[:1])[0]
    aside = (at - at[0]) @ turn[:, 2]
    hand = np.where(np.abs(aside) < 1e-6 * np.ptp(at), 0, np.sign(aside)).astype(np.int64)
    return tuple(PARTS[k] for k in told), tuple(roles), hand


def guess(size: Floats, leg: Ints, segment: Ints) -> Floats:
    """Joints [body, 3] at the ends of boxes: legs and heads lead forward from theirs."""
    way = np.where((leg >= 0) | (segment == HEAD), -0.5, np.where(segment == ABDOMEN, 0.5, 0.0))
    return way[:, None] * size * [1.0, 0.0, 0.0]


def name_bodies(tree: Tree) -> list[str]:
    """Names of joints: trunk, head, leg_1_L_femur, or link_00 of a row of links."""
    if len(tree.leg) == 1:
        return ["body"]
    if tree.part:
        return tell_apart([name_part(tree, body) for body in range(len(tree.part))])
    names = []
    for body, (leg, segment) in enumerate(zip(tree.leg, tree.segment, strict=True)):
        if leg >= 0:
            word = SEGMENTS[segment] if segment < len(SEGMENTS) else f"segment_{segment + 1}"
            names.append(f"leg_{tree.pair[leg] + 1}_{'L R'[tree.side[leg] + 1]}_{word}")
        elif not len(tree.side) or tree.find(int(segment)) != [body]:
            names.append(f"link_{body:02d}")
        else:
            names.append(TRUNK_NAMES.get(int(segment), f"link_{body:02d}"))
    return tell_apart(names)


def tell_apart(names: list[str]) -> list[str]:
    """Names with a number behind those that are there twice."""
    twice = {name for name in names if names.count(name) > 1}
    return [f"{name}_{k}" if name in twice else name for k, name in enumerate(names)]


def name_part(tree: Tree, body: int) -> str:
    """As thorax, leg_1_L_femur, palp_R_2, tail_3."""
    assert tree.hand is not None
    leg, part = int(tree.leg[body]), tree.part[body]
    if leg >= 0:
        return f"leg_{tree.pair[leg] + 1}_{'L R'[tree.side[leg] + 1]}_{tree.role[body]}"
    if part in TRUNK_PARTS:
        return part
    number, above = 1, int(tree.parent[body])
    while above >= 0 and tree.part[above] == part:
        number, above = number + 1, int(tree.parent[above])
    side = ("L_", "", "R_")[int(tree.hand[body]) + 1]
    return f"{'limb' if part == 'other' else part}_{side}{number}"


def lay_tree(motion: "Motion", first: "Pose", tree: Tree) -> "Pose":
    """The pose at rest: as recorded, else that of the first frame; level, above the origin."""
    at, turned = first.body_position, first.body_orientation
    if motion.has_static("body_rest_position"):
        at = np.asarray(motion.static("body_rest_position"), float)
        turned = np.asarray(motion.static("body_rest_orientation"), float)
    turns = quaternion_to_matrix(turned)
    ahead = turns[tree.trunk[0], :, 0]
    back = turn_back(ahead)
    turns = back @ turns
    at = at @ back.T
    low = (at - np.einsum("bij,bj->bi", np.abs(turns), tree.size / 2))[:, 1].min()
    middle = at[tree.trunk].mean(axis=0) * [1.0, 0.0, 1.0] + [0.0, low, 0.0]
    return replace(
        first, body_position=at - middle, body_orientation=matrices_to_quaternions(turns)
    )


def turn_back(ahead: Floats) -> Floats:
    """The turn about the vertical [3, 3] after which what looked ahead looks along x."""
    level = float(np.hypot(ahead[0], ahead[2]))
    c, s = (ahead[0] / level, ahead[2] / level) if level > 1e-6 else (1.0, 0.0)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
