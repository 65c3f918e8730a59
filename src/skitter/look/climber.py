"""What a climber is drawn as: every body by the part of the animal that it is, then its hair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import (
    FINE,
    Coat,
    Detail,
    Site,
    build_ball,
    choose_detail,
    read_coat,
)
from skitter.look.climber_hair import Hair, grow_hair, measure_area
from skitter.look.climber_leg import Segment, build_leg_segment
from skitter.look.climber_limbs import Link, build_link
from skitter.look.climber_trunk import build_trunk_part
from skitter.look.hull import Shape, join_shapes
from skitter.look.limb_names import TRUNK_PARTS, choose_roles
from skitter.look.motion import Motion
from skitter.look.read import read_look
from skitter.look.rigid import Piece, RigidSurface
from skitter.look.tree import ABDOMEN, HEAD, ROOT, Tree, read_tree
from skitter.rotation import quaternion_to_matrix
from skitter.species.look import ClimberLook

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
HAIRY = {"thorax": 0.9, "abdomen": 0.8, "leg": 1.2, "palp": 1.2, "chelicera": 0.8}
HAIRY |= {"head": 0.4, "tail": 0.5, "claw": 0.4}
HAIR_TRIANGLES = 4
KNEED = ("spider", "scorpion")  # whose legs have a patella
FURRY = 0.3  # hairiness, above which it is no longer smooth
HAIR_WIDTH = 0.036  # radius at its root, of its length
LIE_BACK = (-1.0, 0.0, 0.0)


def build_climber(motion: Motion, *, triangle_limit: int) -> RigidSurface:
    """All bodies of a climber, dressed as its look says."""
    look, anatomy = read_look(ClimberLook, motion.look), read_anatomy(motion)
    detail, coat = choose_detail(triangle_limit), read_coat(look)
    shapes = [dress_body(body, anatomy, look, coat, detail) for body in range(anatomy.count)]
    if look.hairiness > 0 and detail.hairs:
        drawn = sum(len(one.mesh.triangles) for one in shapes)
        hairs = min(detail.hairs, (triangle_limit - drawn) // HAIR_TRIANGLES - len(shapes))
        shapes = add_hair(shapes, anatomy, look, coat, max(hairs, 0), is_fine=detail is FINE)
    tree = anatomy.tree
    pieces = []
    for body, shape in enumerate(shapes):
        shown = shape.mirrored() if anatomy.side[body] < 0 else shape
        pieces.append(Piece(body, shown.mesh, shown.colours, int(tree.leg[body])))
    return RigidSurface(pieces, tree.size / 2, tight=True)


def choose_finish(motion: Motion) -> str:
    """Hair is dull, a beetle may be polished."""
    look = read_look(ClimberLook, motion.look)
    return "glossy" if look.is_glossy else "dull" if look.hairiness > FURRY else "plain"


@dataclass(frozen=True)
class Anatomy:
    """The bodies of a climber, and what is known of each."""

    tree: Tree
    part: tuple[str, ...]  # [body] one of PARTS
    side: Ints  # [body] -1 left, 1 right, 0 in the middle
    root: Floats  # [body, 3] cm, its joint in the frame of what it hangs on, at rest

    @property
    def count(self) -> int:
        return len(self.part)

    def children(self, body: int) -> list[int]:
        return [int(k) for k in np.flatnonzero(self.tree.parent == body)]

    def chain(self, body: int) -> list[int]:
        """The bodies of the limb that one is of, from its root on."""
        first = body
        while self._goes_on(int(self.tree.parent[first]), first):
            first = int(self.tree.parent[first])
        found = [first]
        while more := [k for k in self.children(found[-1]) if self._goes_on(found[-1], k)]:
            found.append(more[0])
        return found

    def _goes_on(self, before: int, body: int) -> bool:
        """Whether a limb leads from one body to the next."""
        if before < 0 or self.part[before] != self.part[body]:
            return False
        return self.part[body] not in TRUNK_PARTS and self.tree.leg[before] == self.tree.leg[body]


def read_anatomy(motion: Motion) -> Anatomy:
    """Which body is what, from a recording; what it does not tell is guessed."""
    tree, rest = read_tree(motion), motion.rest
    turn = quaternion_to_matrix(rest.body_orientation)
    at, parent = rest.body_position, np.maximum(tree.parent, 0)
    joint = at + np.einsum("bij,bj->bi", turn, tree.joint)
    root = np.einsum("bji,bj->bi", turn[parent], joint - at[parent])
    side = np.zeros(len(parent), np.int64) if tree.hand is None else tree.hand
    side = np.where(tree.leg >= 0, [tree.side_of(k) for k in range(len(side))], side)
    return Anatomy(tree, tree.part or guess_parts(tree), side, root)


def guess_parts(tree: Tree) -> tuple[str, ...]:
    """What every body is, of a creature that does not tell."""
    names = {ROOT: "thorax", ABDOMEN: "abdomen", HEAD: "head", -4: "trunk"}
    pairs = zip(tree.leg, tree.segment, strict=True)
    return tuple("leg" if leg >= 0 else names.get(int(one), "other") for leg, one in pairs)


def dress_body(body: int, anatomy: Anatomy, look: ClimberLook, coat: Coat, detail: Detail) -> Shape:
    """The shape of one body, as one of the right side."""
    tree, part = anatomy.tree, anatomy.part[body]
    if part in TRUNK_PARTS:
        shape = build_trunk_part(part, find_site(body, anatomy), look, coat, detail)
        return join_shapes([shape, *build_sockets(body, anatomy, coat, detail)])
    chain = anatomy.chain(body)
    number, sizes = chain.index(body), tree.size[chain]
    if part in ("leg", "palp"):
        radii = np.concatenate([sizes[:1, 1], sizes[:, 1], sizes[-1:, 1]])
        before, own, behind = radii[number : number + 3]
        roles = [tree.role[k] for k in chain if tree.role]
        roles = roles if all(roles) and roles else choose_roles(len(chain), None)
        role, last = roles[number], number == len(chain) - 1
        has_knee = role == "tibia" and "patella" not in roles and look.style in KNEED
        size, is_palp = tree.size[body], part == "palp"
        segment = Segment(role, size, before / own, behind / own, last, is_palp, has_knee)
        return build_leg_segment(segment, look.style, coat, detail, look.spines)
    before, behind = sizes[max(number - 1, 0)], sizes[min(number + 1, len(chain) - 1)]
    link = Link(tree.size[body], number, len(chain), before, behind)
    return build_link(part, link, look.style, coat, detail)


def find_site(body: int, anatomy: Anatomy) -> Site:
    """A body of the trunk, and what is around it."""
    tree = anatomy.tree
    return Site(
        size=tree.size[body],
        thorax=tree.size[tree.trunk[0]],
        joint=tree.joint[body],
        has_abdomen="abdomen" in anatomy.part,
        has_head="head" in anatomy.part,
        has_horns="horn" in anatomy.part,
        has_fingers=any(anatomy.part[k] == "other" for k in anatomy.children(body)),
    )


def build_sockets(body: int, anatomy: Anatomy, coat: Coat, detail: Detail) -> list[Shape]:
    """Knobs where limbs begin, so that they grow out of the trunk wherever their roots are."""
    found = []
    for child in anatomy.children(body):
        if anatomy.part[child] in TRUNK_PARTS or not detail.small:
            continue
        radius = 0.5 * float(anatomy.tree.size[child, 1])
        at = anatomy.root[child]
        colour = coat.leg if anatomy.part[child] == "leg" else coat.limb
        found.append(build_ball(0.9 * at, 1.04 * radius, 0.8 * colour, around=detail.leg))
    return found


def add_hair(
    shapes: list[Shape],
    anatomy: Anatomy,
    look: ClimberLook,
    coat: Coat,
    hairs: int,
    *,
    is_fine: bool,
) -> list[Shape]:
    """The shapes with some hairs, as dense everywhere as their parts want it."""
    wants = np.array(
        [measure_area(s) * HAIRY.get(p, 0.0) for s, p in zip(shapes, anatomy.part, strict=True)]
    )
    density = look.hairiness * hairs / max(float(wants.sum()), 1e-12)
    thick = 0.5 * float(np.median(anatomy.tree.size[anatomy.tree.leg >= 0, 1]))
    found = []
    for body, (shape, want) in enumerate(zip(shapes, wants, strict=True)):
        part = anatomy.part[body]
        own = min(thick, 0.5 * float(anatomy.tree.size[body, 1]))
        length = look.hair_length * own * {"thorax": 0.7, "abdomen": 1.5}.get(part, 1.0)
        width = max(HAIR_WIDTH * length, 0.02 * thick) * (1.0 if is_fine else 1.9)
        lie = LIE_BACK if part in TRUNK_PARTS else (1.0, 0.0, 0.0)
        hair = Hair(round(density * want), length, width, coat.hair, lie=lie)
        grown = grow_hair(shape, hair, seed=body)
        found.append(shape if grown is None else join_shapes([shape, grown]))
    return found
