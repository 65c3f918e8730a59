"""What a body of rigid links is drawn as: an insect, a wire, or its boxes."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.hull import Shape, paint
from skitter.look.mesh import Mesh, build_capsule
from skitter.look.motion import Motion
from skitter.look.read import read_look
from skitter.look.rigid import Piece, RigidSurface, build_plain_pieces
from skitter.look.roach import TrunkPaint, build_abdomen, build_head, build_thorax
from skitter.look.roach_leg import LegPaint, build_segment
from skitter.look.tree import ABDOMEN, HEAD, ROOT, Tree, read_tree
from skitter.rotation import quaternion_to_matrix
from skitter.species.look import ArticulatedLook

Floats = NDArray[np.floating]
GLOSSY = ("roach", "wire")  # styles
FINE_LIMIT = 60_000  # triangles, above which all is drawn finely
AROUND = {"trunk": (24, 48), "leg": (10, 20), "wire": (12, 28)}  # points of a ring: usual, fine
COVER = 0.85  # of the head's length, that a shield reaches forward from the head's joint


def build_links(motion: Motion, *, triangle_limit: int) -> RigidSurface:
    """All links of a creature, dressed as its look says."""
    look, tree = read_look(ArticulatedLook, motion.look), read_tree(motion)
    fine = int(triangle_limit > FINE_LIMIT)
    if look.style == "wire":
        pieces = build_wires(tree, read_colour(look.wire), around=AROUND["wire"][fine])
    elif look.style == "roach":
        pieces = build_roach(tree, motion, look, fine)
    else:
        shape = np.asarray(motion.static("body_shape"))
        pieces = build_plain_pieces(shape, tree.size, read_colour(look.rigid))
    pieces = [replace(one, leg=int(tree.leg[one.body])) for one in pieces]
    return RigidSurface(pieces, tree.size / 2, tight=True)


def build_wires(tree: Tree, colour: Floats, *, around: int) -> list[Piece]:
    """A rod with round ends for each link, along its longest edge, from joint to joint."""
    return [Piece(k, build_rod(one, around), colour) for k, one in enumerate(tree.size)]


def build_rod(size: Floats, around: int) -> Mesh:
    """A rod whose ends are round about the ends of a box: links that meet there stay joined."""
    axis = int(np.argmax(size))
    long, first, second = np.roll(size, -axis)
    thick = (first + second) / 2
    rod = build_capsule(0.5, float(long / thick), around=around, steps=around // 4)
    turn = np.roll(np.eye(3), axis, axis=0)
    return rod.scaled(np.array([thick, first, second])).moved(np.zeros(3), turn)


def build_roach(tree: Tree, motion: Motion, look: ArticulatedLook, fine: int) -> list[Piece]:
    """A shape for each link, by what it is of the animal."""
    keys = ("back", "rim", "belly", "antenna", "foot", "eye")
    colours = TrunkPaint(*(read_colour(getattr(look, key)) for key in keys))
    legs = LegPaint(*(read_colour(getattr(look, key)) for key in ("leg", "foot", "spine")))
    around, about = AROUND["trunk"][fine], AROUND["leg"][fine]
    long = measure_trunk(tree, motion)
    pieces = []
    for body, size in enumerate(tree.size):
        if tree.leg[body] >= 0:
            number = int(tree.segment[body])
            shape = build_segment(number, size, legs, around=about, spines=look.spines)
            shape = shape.mirrored() if tree.side_of(body) < 0 else shape
        elif tree.segment[body] == HEAD:
            shape = build_head(size, look.antennae * long, colours, around=around)
        elif tree.segment[body] == ABDOMEN:
            shape = build_abdomen(size, look.tergites, look.cerci, colours, around=around)
        elif tree.segment[body] == ROOT:
            reach = measure_cover(tree, motion, body)
            shape = build_thorax(size, reach, look.pads, colours, around=around)
        else:
            shape = round_box(size, colours)
        pieces.append(Piece(body, shape.mesh, shape.colours))
    return pieces


def round_box(size: Floats, colours: TrunkPaint) -> Shape:
    """A link of the trunk that is no part of a roach."""
    return paint(build_capsule(0.5, 0.0, around=20, steps=8).scaled(size), colours.back)


def measure_trunk(tree: Tree, motion: Motion) -> float:
    """Length of the trunk at rest, cm."""
    rest = motion.rest
    turn = quaternion_to_matrix(rest.body_orientation)[tree.trunk]
    half = np.einsum("bij,bj->bi", np.abs(turn), tree.size[tree.trunk] / 2)
    at = rest.body_position[tree.trunk]
    return float(((at + half).max(axis=0) - (at - half).min(axis=0))[0])


def measure_cover(tree: Tree, motion: Motion, body: int) -> float:
    """How far a shield reaches beyond the front of its box, cm: over most of the head at rest."""
    heads = [k for k in tree.find(HEAD) if tree.parent[k] in (body, -1)]
    front = float(tree.size[body, 0]) / 2
    if not heads:
        return 0.1 * front
    rest, head = motion.rest, heads[0]
    turn = quaternion_to_matrix(rest.body_orientation)
    middle = turn[body].T @ (rest.body_position[head] - rest.body_position[body])
    start = middle[0] - tree.size[head, 0] / 2
    return float(np.clip(start + COVER * tree.size[head, 0] - front, 0.05 * front, 1.5 * front))
